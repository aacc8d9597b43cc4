/* SPDX-License-Identifier: Apache-2.0 */
/* Reads what "platform generate" is asked for: a system's parameters, with options in their place.
 */
#include "platforms/generation/request.h"

#include "base/error.h"
#include "base/units.h"

#include <string.h>

/* An option and where its text stands. */
typedef struct {
    const char *name;
    gsize offset;
    int parameter; /* which default it replaces, or -1 */
} Option;

#define OPTION(name, member, parameter)                                                            \
    {                                                                                              \
        name, G_STRUCT_OFFSET(LpGenerateOptions, member), parameter                                \
    }
/* In the order in which the written file repeats them. */
static const Option option_table[] = {
    OPTION("system", system, -1),
    OPTION("accelerators", accelerators, -1),
    OPTION("accelerator", accelerator, LP_PARAMETER_ACCELERATOR),
    OPTION("domain-size", domain_size, LP_PARAMETER_DOMAIN_SIZE),
    OPTION("domain-bandwidth", domain_bandwidth, LP_PARAMETER_DOMAIN_BANDWIDTH),
    OPTION("domain-latency", domain_latency, LP_PARAMETER_DOMAIN_LATENCY),
    OPTION("domain-technology", domain_technology, LP_PARAMETER_DOMAIN_TECHNOLOGY),
    OPTION("topology", topology, LP_PARAMETER_TOPOLOGY),
    OPTION("scale-out-bandwidth", scale_out_bandwidth, LP_PARAMETER_SCALE_OUT_BANDWIDTH),
    OPTION("nic-bandwidth", nic_bandwidth, LP_PARAMETER_NIC_BANDWIDTH),
    OPTION("scale-out-latency", scale_out_latency, LP_PARAMETER_SCALE_OUT_LATENCY),
    OPTION("nics-per-domain", nics_per_domain, -1),
    OPTION("rails", rails, -1),
    OPTION("port-order", port_order, LP_PARAMETER_PORT_ORDER),
    OPTION("leaf-ports", leaf_ports, LP_PARAMETER_LEAF_PORTS),
    OPTION("oversubscription", oversubscription, LP_PARAMETER_OVERSUBSCRIPTION),
    OPTION("technology", technology, LP_PARAMETER_TECHNOLOGY),
    OPTION("levels", levels, LP_PARAMETER_LEVELS),
    OPTION("spine-oversubscription", spine_oversubscription, LP_PARAMETER_SPINE_OVERSUBSCRIPTION),
    OPTION("switch-ports", switch_ports, LP_PARAMETER_SWITCH_PORTS),
    OPTION("dimensions", dimensions, LP_PARAMETER_DIMENSIONS),
    OPTION("group-routers", group_routers, LP_PARAMETER_GROUP_ROUTERS),
    OPTION("router-ports", router_ports, LP_PARAMETER_ROUTER_PORTS),
    OPTION("local-links", local_links, LP_PARAMETER_LOCAL_LINKS),
    OPTION("global-links", global_links, LP_PARAMETER_GLOBAL_LINKS),
    OPTION("group-spines", group_spines, LP_PARAMETER_GROUP_SPINES),
    OPTION("joined-rails", joined_rails, LP_PARAMETER_JOINED_RAILS),
    OPTION("planes", planes, LP_PARAMETER_PLANES),
    OPTION("plane-use", plane_use, LP_PARAMETER_PLANE_USE),
    OPTION("plane-classes", plane_classes, LP_PARAMETER_PLANE_CLASSES),
    OPTION("path-choice", path_choice, LP_PARAMETER_PATH_CHOICE),
    OPTION("paths", paths, LP_PARAMETER_PATHS),
    OPTION("path-seed", path_seed, LP_PARAMETER_PATH_SEED),
    OPTION("pcie-ports", pcie_ports, LP_PARAMETER_PCIE_PORTS),
    OPTION("pcie-bandwidth", pcie_bandwidth, LP_PARAMETER_PCIE_BANDWIDTH),
    OPTION("ports-per-accelerator", ports_per_accelerator, -1),
};
#undef OPTION

static const char *
option_text(const LpGenerateOptions *options, const Option *option)
{
    const char *text = NULL;
    memcpy(&text, (const char *)options + option->offset, sizeof text);
    return text;
}

static gboolean
prefix_option(const char *name, GError **error)
{
    g_prefix_error(error, "--%s: ", name);
    return FALSE;
}

static gboolean
parse_count(const char *name, const char *text, guint32 *out_value, GError **error)
{
    guint64 value = 0;
    if (!lp_count_parse(text, 1, LP_MACHINE_HOSTS_MAX, &value, error))
        return prefix_option(name, error);
    *out_value = (guint32)value;
    return TRUE;
}

static gboolean
count_of(const LpRequest *request, LpParameter parameter, guint32 *out_value, GError **error)
{
    return parse_count(lp_parameter_names[parameter], request->system->value[parameter], out_value,
                       error);
}

static gboolean
choice_of(const LpRequest *request, LpParameter parameter, const char *const *names,
          int *out_choice, GError **error)
{
    *out_choice = lp_choice_parse(request->system->value[parameter], names, error);
    return *out_choice >= 0 || prefix_option(lp_parameter_names[parameter], error);
}

static gboolean
bandwidth_of(const LpRequest *request, LpParameter parameter, double *out_bytes_per_s,
             GError **error)
{
    return lp_quantity_parse_in(LP_QUANTITY_BANDWIDTH, request->system->value[parameter],
                                LP_MACHINE_BYTES_PER_S_MIN, LP_MACHINE_BYTES_PER_S_MAX,
                                out_bytes_per_s, error) ||
           prefix_option(lp_parameter_names[parameter], error);
}

static gboolean
latency_of(const LpRequest *request, LpParameter parameter, double *out_latency_s, GError **error)
{
    return lp_quantity_parse_in(LP_QUANTITY_TIME, request->system->value[parameter], 0,
                                LP_MACHINE_LATENCY_MAX_S, out_latency_s, error) ||
           prefix_option(lp_parameter_names[parameter], error);
}

static void
replace(LpSystem *system, LpParameter parameter, char *value, char *source)
{
    g_free(system->value[parameter]);
    g_free(system->source[parameter]);
    system->value[parameter] = value;
    system->source[parameter] = source;
}

/* Puts the options in the place of the system's defaults. */
static void
override(LpSystem *system, const LpGenerateOptions *options)
{
    if (options->rails != NULL)
        replace(system, LP_PARAMETER_PORT_ORDER, g_strdup(lp_port_order_names[LP_PORT_ORDER_RAIL]),
                g_strdup("follows from --rails on the command line"));
    if (options->ports_per_accelerator != NULL)
        replace(system, LP_PARAMETER_PLANES, g_strdup(options->ports_per_accelerator),
                g_strdup("follows from --ports-per-accelerator on the command line"));
    /* The rate of a card, where it is the system's, gives way to that of an accelerator. */
    if (options->scale_out_bandwidth != NULL)
        replace(system, LP_PARAMETER_NIC_BANDWIDTH, NULL, NULL);
    for (gsize i = 0; i < G_N_ELEMENTS(option_table); i++) {
        const char *text = option_text(options, &option_table[i]);
        if (text != NULL && option_table[i].parameter >= 0)
            replace(system, (LpParameter)option_table[i].parameter, g_strdup(text),
                    g_strdup("given on the command line"));
    }
}

/* A machine smaller than its system's domain is a part of one domain, unless the domain's size was
 * asked for. */
static gboolean
read_sizes(LpRequest *request, GError **error)
{
    if (!parse_count("accelerators", request->options->accelerators, &request->n_accelerators,
                     error) ||
        !count_of(request, LP_PARAMETER_DOMAIN_SIZE, &request->domain_size, error))
        return FALSE;
    if (request->options->domain_size == NULL && request->n_accelerators < request->domain_size) {
        replace(request->system, LP_PARAMETER_DOMAIN_SIZE, g_strdup(request->options->accelerators),
                g_strdup_printf("a part of one domain of %u", request->domain_size));
        request->domain_size = request->n_accelerators;
    }
    if (request->n_accelerators % request->domain_size != 0)
        return lp_layout_fail(error, LP_MACHINE_ERROR_SIZE,
                              "--accelerators: %u, wanted a multiple of the domain size %u",
                              request->n_accelerators, request->domain_size);
    request->n_domains = request->n_accelerators / request->domain_size;
    return TRUE;
}

/* The default follows the domain's size, so that another size keeps the accelerators per card. */
static gboolean
default_cards(LpRequest *request, GError **error)
{
    guint32 n_sharing = 0;
    request->n_cards = 1;
    if (request->n_domains == 1)
        return TRUE;
    if (!count_of(request, LP_PARAMETER_ACCELERATORS_PER_NIC, &n_sharing, error))
        return FALSE;
    n_sharing = MIN(n_sharing, request->domain_size);
    if (request->domain_size % n_sharing != 0)
        return lp_layout_fail(
            error, LP_MACHINE_ERROR_SIZE,
            "--domain-size: %u, wanted a multiple of the %u accelerators that share a "
            "card, or --nics-per-domain",
            request->domain_size, n_sharing);
    request->n_cards = request->domain_size / n_sharing;
    return TRUE;
}

static gboolean
read_cards(LpRequest *request, GError **error)
{
    const LpGenerateOptions *options = request->options;
    const char *name = options->rails != NULL ? "rails" : "nics-per-domain";
    const char *text = options->rails != NULL ? options->rails : options->nics_per_domain;
    if (text == NULL)
        return default_cards(request, error);
    if (!parse_count(name, text, &request->n_cards, error))
        return FALSE;
    if (options->rails != NULL && options->nics_per_domain != NULL &&
        strcmp(options->rails, options->nics_per_domain) != 0)
        return lp_layout_fail(
            error, LP_MACHINE_ERROR_SIZE,
            "--rails: %u, wanted the value of --nics-per-domain, or one of the two",
            request->n_cards);
    if (request->domain_size % request->n_cards != 0)
        return lp_layout_fail(error, LP_MACHINE_ERROR_SIZE,
                              "--%s: %u, wanted a divisor of the domain size %u", name,
                              request->n_cards, request->domain_size);
    return TRUE;
}

static gboolean
read_port_order(LpRequest *request, GError **error)
{
    int order = 0;
    if (!choice_of(request, LP_PARAMETER_PORT_ORDER, lp_port_order_names, &order, error))
        return FALSE;
    request->port_order = (LpPortOrder)order;
    if (request->options->rails != NULL && order != LP_PORT_ORDER_RAIL)
        return lp_layout_fail(error, LP_MACHINE_ERROR_STRUCTURE,
                              "--rails: given with --port-order=node, wanted --port-order=rail");
    return TRUE;
}

static gboolean
read_technologies(LpRequest *request, GError **error)
{
    int topology = 0;
    int domain_technology = 0;
    int technology = 0;
    if (!choice_of(request, LP_PARAMETER_TOPOLOGY, lp_topology_names, &topology, error) ||
        !choice_of(request, LP_PARAMETER_DOMAIN_TECHNOLOGY, lp_technology_names, &domain_technology,
                   error) ||
        !choice_of(request, LP_PARAMETER_TECHNOLOGY, lp_technology_names, &technology, error))
        return FALSE;
    request->topology = (LpTopology)topology;
    request->domain_technology = (LpTechnology)domain_technology;
    request->technology = (LpTechnology)technology;
    return TRUE;
}

static gboolean
read_accelerator(LpRequest *request, GError **error)
{
    if (!lp_catalogue_find(request->system->value[LP_PARAMETER_ACCELERATOR], &request->accelerator,
                           error))
        return prefix_option(lp_parameter_names[LP_PARAMETER_ACCELERATOR], error);
    for (guint i = 0; i < LP_N_ACCELERATOR_PROPERTIES; i++) {
        const char *text = request->options->properties[i];
        if (text != NULL && !lp_accelerator_set(&request->accelerator, i, text, error))
            return prefix_option(lp_accelerator_property_names[i], error);
    }
    return TRUE;
}

/* A count that may be left out: @io_value then stays. */
static gboolean
count_or(const LpRequest *request, LpParameter parameter, guint32 *io_value, GError **error)
{
    return request->system->value[parameter] == NULL ||
           count_of(request, parameter, io_value, error);
}

/* "4", or "3:2" for three links below to two above. */
static gboolean
ratio_of(const LpRequest *request, LpParameter parameter, guint32 *out_ratio, GError **error)
{
    const char *name = lp_parameter_names[parameter], *text = request->system->value[parameter];
    out_ratio[0] = out_ratio[1] = 1;
    if (text == NULL)
        return TRUE;
    g_auto(GStrv) parts = g_strsplit(text, ":", 2);
    if (parts[0] == NULL || parts[1] == NULL)
        return parse_count(name, text, &out_ratio[0], error);
    return parse_count(name, parts[0], &out_ratio[0], error) &&
           parse_count(name, parts[1], &out_ratio[1], error);
}

static gboolean
read_levels(LpRequest *request, GError **error)
{
    static const char *const names[] = {"auto", "2", "3", NULL};
    static const guint32 levels[] = {0, 2, 3};
    request->wanted.n_levels = 2;
    if (request->system->value[LP_PARAMETER_LEVELS] == NULL)
        return TRUE;
    int choice = 0;
    if (!choice_of(request, LP_PARAMETER_LEVELS, names, &choice, error))
        return FALSE;
    request->wanted.n_levels = levels[choice];
    return TRUE;
}

/* "16x16x16", or how many dimensions there are to be. */
static gboolean
read_dimensions(LpRequest *request, GError **error)
{
    const char *name = lp_parameter_names[LP_PARAMETER_DIMENSIONS];
    const char *text = request->system->value[LP_PARAMETER_DIMENSIONS];
    LpTorus *torus = &request->wanted.torus;
    torus->n_dimensions = 3;
    if (text == NULL)
        return TRUE;
    g_auto(GStrv) parts = g_strsplit(text, "x", -1);
    guint n_parts = g_strv_length(parts);
    guint64 value = 0, product = 1;
    if (n_parts < 2) {
        if (!lp_count_parse(text, 1, LP_TORUS_DIMENSIONS_MAX, &value, error))
            return prefix_option(name, error);
        torus->n_dimensions = (guint32)value;
        return TRUE;
    }
    if (n_parts > LP_TORUS_DIMENSIONS_MAX)
        return lp_layout_fail(error, LP_MACHINE_ERROR_VALUE, "--%s: %u sizes, wanted at most %u",
                              name, n_parts, LP_TORUS_DIMENSIONS_MAX);
    torus->n_dimensions = n_parts;
    for (guint i = 0; i < n_parts; i++) {
        if (!lp_count_parse(parts[i], 2, LP_MACHINE_HOSTS_MAX, &value, error))
            return prefix_option(name, error);
        torus->size[i] = (guint32)value;
        product *= value;
        if (product > LP_MACHINE_HOSTS_MAX)
            return lp_layout_fail(error, LP_MACHINE_ERROR_SIZE, "--%s: %s, wanted at most %u ports",
                                  name, text, LP_MACHINE_HOSTS_MAX);
    }
    return TRUE;
}

static gboolean
read_dragonfly(LpRequest *request, GError **error)
{
    LpDragonfly *shape = &request->wanted.dragonfly;
    /* A balanced dragonfly has twice as many routers of a group as ports below each (Kim et al.,
     * ISCA 2008, section 3.1). */
    *shape = (LpDragonfly){.n_ports = 4, .group_links = 1, .router_links = 1};
    if (!count_or(request, LP_PARAMETER_ROUTER_PORTS, &shape->n_ports, error))
        return FALSE;
    shape->n_routers = MIN(2 * shape->n_ports, LP_MACHINE_HOSTS_MAX);
    shape->n_spines = shape->n_ports;
    return count_or(request, LP_PARAMETER_GROUP_ROUTERS, &shape->n_routers, error) &&
           count_or(request, LP_PARAMETER_LOCAL_LINKS, &shape->router_links, error) &&
           count_or(request, LP_PARAMETER_GLOBAL_LINKS, &shape->group_links, error) &&
           count_or(request, LP_PARAMETER_GROUP_SPINES, &shape->n_spines, error);
}

static gboolean
read_planes(LpRequest *request, GError **error)
{
    const LpGenerateOptions *options = request->options;
    request->n_planes = 1;
    if (options->planes != NULL && options->ports_per_accelerator != NULL &&
        strcmp(options->planes, options->ports_per_accelerator) != 0)
        return lp_layout_fail(
            error, LP_MACHINE_ERROR_SIZE,
            "--ports-per-accelerator: %s, wanted the value of --planes, or one of the two",
            options->ports_per_accelerator);
    if (!count_or(request, LP_PARAMETER_PLANES, &request->n_planes, error))
        return options->planes == NULL && options->ports_per_accelerator != NULL
                   ? prefix_option("ports-per-accelerator", error)
                   : FALSE;
    if (request->n_planes > LP_MACHINE_PLANES_MAX)
        return lp_layout_fail(error, LP_MACHINE_ERROR_VALUE, "--planes: %u, wanted at most %u",
                              request->n_planes, LP_MACHINE_PLANES_MAX);
    return TRUE;
}

/* A torus has its rate by link, since a card has several. */
static gboolean
read_link_rate(LpRequest *request, GError **error)
{
    if (request->system->value[LP_PARAMETER_NIC_BANDWIDTH] != NULL)
        return bandwidth_of(request, LP_PARAMETER_NIC_BANDWIDTH, &request->link_bytes_per_s, error);
    request->link_bytes_per_s =
        request->scale_out_bytes_per_s * request->domain_size / request->n_cards;
    if (request->n_planes > 1)
        request->link_bytes_per_s /= request->n_planes;
    if (request->link_bytes_per_s > LP_MACHINE_BYTES_PER_S_MAX)
        return lp_layout_fail(error, LP_MACHINE_ERROR_VALUE,
                              "--scale-out-bandwidth: %g B/s a card, wanted at most %g",
                              request->link_bytes_per_s, LP_MACHINE_BYTES_PER_S_MAX);
    return TRUE;
}

static gboolean
read_rails(LpRequest *request, GError **error)
{
    const char *text = request->system->value[LP_PARAMETER_JOINED_RAILS];
    gboolean is_joined = TRUE;
    if (text != NULL && !lp_boolean_parse(text, &is_joined, error))
        return prefix_option(lp_parameter_names[LP_PARAMETER_JOINED_RAILS], error);
    request->wanted.rails_relay = !is_joined;
    if (!is_joined &&
        (request->port_order != LP_PORT_ORDER_RAIL ||
         (request->topology != LP_TOPOLOGY_FAT_TREE && request->topology != LP_TOPOLOGY_CROSSBAR)))
        return lp_layout_fail(
            error, LP_MACHINE_ERROR_STRUCTURE,
            "--joined-rails: no, wanted --port-order=rail and a fat tree or crossbar");
    return TRUE;
}

/* What shapes the scale-out cluster; the machine's own reader checks the rest of it. */
static gboolean
read_wanted(LpRequest *request, GError **error)
{
    LpLayoutRequest *wanted = &request->wanted;
    wanted->topology = request->topology;
    wanted->port_order = request->port_order;
    wanted->n_domains = request->n_domains;
    wanted->n_cards = request->n_cards;
    wanted->leaf_ports = request->leaf_ports;
    return ratio_of(request, LP_PARAMETER_OVERSUBSCRIPTION, wanted->oversubscription, error) &&
           ratio_of(request, LP_PARAMETER_SPINE_OVERSUBSCRIPTION, wanted->spine_oversubscription,
                    error) &&
           count_or(request, LP_PARAMETER_SWITCH_PORTS, &wanted->switch_ports, error) &&
           read_levels(request, error) && read_dimensions(request, error) &&
           read_dragonfly(request, error) && read_rails(request, error);
}

static gboolean
read_request(LpRequest *request, GError **error)
{
    if (!read_accelerator(request, error) || !read_sizes(request, error) ||
        !bandwidth_of(request, LP_PARAMETER_DOMAIN_BANDWIDTH, &request->domain_bytes_per_s,
                      error) ||
        !latency_of(request, LP_PARAMETER_DOMAIN_LATENCY, &request->domain_latency_s, error) ||
        !bandwidth_of(request, LP_PARAMETER_SCALE_OUT_BANDWIDTH, &request->scale_out_bytes_per_s,
                      error) ||
        !latency_of(request, LP_PARAMETER_SCALE_OUT_LATENCY, &request->scale_out_latency_s,
                    error) ||
        !read_technologies(request, error) || !read_port_order(request, error) ||
        !read_cards(request, error) ||
        !count_of(request, LP_PARAMETER_LEAF_PORTS, &request->leaf_ports, error) ||
        !read_wanted(request, error) || !read_planes(request, error) ||
        !read_link_rate(request, error))
        return FALSE;
    if (request->topology != LP_TOPOLOGY_FAT_TREE &&
        request->wanted.oversubscription[0] != request->wanted.oversubscription[1])
        return lp_layout_fail(error, LP_MACHINE_ERROR_VALUE,
                              "--oversubscription: %s, wanted 1: a %s has nothing above its ports",
                              request->system->value[LP_PARAMETER_OVERSUBSCRIPTION],
                              lp_topology_names[request->topology]);
    return TRUE;
}

#define ON(topology) (1u << LP_TOPOLOGY_##topology)

/* An option that the topology has no use for would be lost without a word. */
static gboolean
check_used(const LpRequest *request, GError **error)
{
    static const struct {
        LpParameter parameter;
        guint topologies; /* bits */
    } uses[] = {
        {LP_PARAMETER_SPINE_OVERSUBSCRIPTION, ON(FAT_TREE)},
        {LP_PARAMETER_DIMENSIONS, ON(TORUS)},
        {LP_PARAMETER_GROUP_ROUTERS, ON(DRAGONFLY) | ON(DRAGONFLY_PLUS)},
        {LP_PARAMETER_ROUTER_PORTS, ON(DRAGONFLY) | ON(DRAGONFLY_PLUS)},
        {LP_PARAMETER_LOCAL_LINKS, ON(DRAGONFLY) | ON(DRAGONFLY_PLUS)},
        {LP_PARAMETER_GLOBAL_LINKS, ON(DRAGONFLY) | ON(DRAGONFLY_PLUS)},
        {LP_PARAMETER_GROUP_SPINES, ON(DRAGONFLY_PLUS)},
        {LP_PARAMETER_LEVELS, ON(FAT_TREE)},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(option_table); i++)
        for (gsize k = 0; k < G_N_ELEMENTS(uses); k++)
            if (option_table[i].parameter == (int)uses[k].parameter &&
                option_text(request->options, &option_table[i]) != NULL &&
                (uses[k].topologies & (1u << request->topology)) == 0)
                return lp_layout_fail(error, LP_MACHINE_ERROR_STRUCTURE,
                                      "--%s: given for a %s, wanted it for another topology only",
                                      option_table[i].name, lp_topology_names[request->topology]);
    return TRUE;
}
#undef ON

gboolean
lp_request_read(LpRequest *request, const LpGenerateOptions *options, LpSystem *system,
                GError **error)
{
    *request = (LpRequest){.options = options, .system = system};
    override(system, options);
    return read_request(request, error) && check_used(request, error);
}

char *
lp_request_command(const LpGenerateOptions *options)
{
    GString *command = g_string_new("lightpath platform generate");
    for (gsize i = 0; i < G_N_ELEMENTS(option_table); i++) {
        const char *text = option_text(options, &option_table[i]);
        if (text != NULL)
            g_string_append_printf(command, " --%s=%s", option_table[i].name, text);
    }
    for (guint i = 0; i < LP_N_ACCELERATOR_PROPERTIES; i++)
        if (options->properties[i] != NULL)
            g_string_append_printf(command, " --%s=%s", lp_accelerator_property_names[i],
                                   options->properties[i]);
    return g_string_free(command, FALSE);
}
