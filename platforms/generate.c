/* SPDX-License-Identifier: Apache-2.0 */
/* Writes platform files for named systems. */
#include "platforms/generate.h"

#include "base/error.h"
#include "base/units.h"
#include "platforms/catalogue.h"
#include "platforms/system.h"

#include <string.h>

/* The parameters of the system to be written, with their texts and sources. */
typedef struct {
    const LpGenerateOptions *options; /* borrowed */
    LpSystem *system;                 /* borrowed; options have replaced its values */
    guint32 n_accelerators, domain_size, n_domains;
    LpAccelerator accelerator;
    double domain_bytes_per_s, domain_latency_s;
    double scale_out_bytes_per_s, scale_out_latency_s; /* per accelerator, per link */
    guint32 n_cards;                                   /* scale-out ports a domain */
    LpTechnology domain_technology, technology;
    LpTopology topology;
    LpPortOrder port_order;
    guint32 leaf_ports, oversubscription;
} Request;

/* The scale-out cluster that follows from a request. */
typedef struct {
    LpTopology topology;
    guint64 n_hosts;
    guint32 down, n_leaves, up; /* of a fat tree */
    guint32 unit_domains;       /* in rail order */
} Layout;

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
    OPTION("scale-out-latency", scale_out_latency, LP_PARAMETER_SCALE_OUT_LATENCY),
    OPTION("nics-per-domain", nics_per_domain, -1),
    OPTION("rails", rails, -1),
    OPTION("port-order", port_order, LP_PARAMETER_PORT_ORDER),
    OPTION("leaf-ports", leaf_ports, LP_PARAMETER_LEAF_PORTS),
    OPTION("oversubscription", oversubscription, LP_PARAMETER_OVERSUBSCRIPTION),
    OPTION("technology", technology, LP_PARAMETER_TECHNOLOGY),
};
#undef OPTION

static const char *
option_text(const LpGenerateOptions *options, const Option *option)
{
    const char *text = NULL;
    memcpy(&text, (const char *)options + option->offset, sizeof text);
    return text;
}

G_GNUC_PRINTF(3, 4)
static gboolean
fail(GError **error, int code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *message = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    g_set_error_literal(error, LP_MACHINE_ERROR, code, message);
    return FALSE;
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
count_of(const Request *request, LpParameter parameter, guint32 *out_value, GError **error)
{
    return parse_count(lp_parameter_names[parameter], request->system->value[parameter], out_value,
                       error);
}

static gboolean
choice_of(const Request *request, LpParameter parameter, const char *const *names, int *out_choice,
          GError **error)
{
    *out_choice = lp_choice_parse(request->system->value[parameter], names, error);
    return *out_choice >= 0 || prefix_option(lp_parameter_names[parameter], error);
}

static gboolean
bandwidth_of(const Request *request, LpParameter parameter, double *out_bytes_per_s, GError **error)
{
    return lp_quantity_parse_in(LP_QUANTITY_BANDWIDTH, request->system->value[parameter],
                                LP_MACHINE_BYTES_PER_S_MIN, LP_MACHINE_BYTES_PER_S_MAX,
                                out_bytes_per_s, error) ||
           prefix_option(lp_parameter_names[parameter], error);
}

static gboolean
latency_of(const Request *request, LpParameter parameter, double *out_latency_s, GError **error)
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
read_sizes(Request *request, GError **error)
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
        return fail(error, LP_MACHINE_ERROR_SIZE,
                    "--accelerators: %u, wanted a multiple of the domain size %u",
                    request->n_accelerators, request->domain_size);
    request->n_domains = request->n_accelerators / request->domain_size;
    return TRUE;
}

/* The default follows the domain's size, so that another size keeps the accelerators per card. */
static gboolean
default_cards(Request *request, GError **error)
{
    guint32 n_sharing = 0;
    request->n_cards = 1;
    if (request->n_domains == 1)
        return TRUE;
    if (!count_of(request, LP_PARAMETER_ACCELERATORS_PER_NIC, &n_sharing, error))
        return FALSE;
    n_sharing = MIN(n_sharing, request->domain_size);
    if (request->domain_size % n_sharing != 0)
        return fail(error, LP_MACHINE_ERROR_SIZE,
                    "--domain-size: %u, wanted a multiple of the %u accelerators that share a "
                    "card, or --nics-per-domain",
                    request->domain_size, n_sharing);
    request->n_cards = request->domain_size / n_sharing;
    return TRUE;
}

static gboolean
read_cards(Request *request, GError **error)
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
        return fail(error, LP_MACHINE_ERROR_SIZE,
                    "--rails: %u, wanted the value of --nics-per-domain, or one of the two",
                    request->n_cards);
    if (request->domain_size % request->n_cards != 0)
        return fail(error, LP_MACHINE_ERROR_SIZE,
                    "--%s: %u, wanted a divisor of the domain size %u", name, request->n_cards,
                    request->domain_size);
    return TRUE;
}

static gboolean
read_port_order(Request *request, GError **error)
{
    int order = 0;
    if (!choice_of(request, LP_PARAMETER_PORT_ORDER, lp_port_order_names, &order, error))
        return FALSE;
    request->port_order = (LpPortOrder)order;
    if (request->options->rails != NULL && order != LP_PORT_ORDER_RAIL)
        return fail(error, LP_MACHINE_ERROR_STRUCTURE,
                    "--rails: given with --port-order=node, wanted --port-order=rail");
    return TRUE;
}

static gboolean
read_technologies(Request *request, GError **error)
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
read_accelerator(Request *request, GError **error)
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

static gboolean
read_request(Request *request, GError **error)
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
        !count_of(request, LP_PARAMETER_OVERSUBSCRIPTION, &request->oversubscription, error))
        return FALSE;
    if (request->topology == LP_TOPOLOGY_CROSSBAR && request->oversubscription != 1)
        return fail(error, LP_MACHINE_ERROR_VALUE,
                    "--oversubscription: %u, wanted 1: a crossbar has nothing above its ports",
                    request->oversubscription);
    return TRUE;
}

static guint32
divide_up(guint64 a, guint64 b)
{
    return (guint32)((a + b - 1) / b);
}

/* Rail order: a leaf holds ports of one rail, so a unit of the domains below a leaf has a leaf a
 * rail. Node order: a leaf holds whole domains. */
static gboolean
plan_leaves(const Request *request, Layout *layout, GError **error)
{
    guint64 n_ports = (guint64)request->n_domains * request->n_cards;
    if (request->port_order == LP_PORT_ORDER_RAIL) {
        layout->down = MIN(request->leaf_ports, request->n_domains);
        layout->unit_domains = layout->down;
        layout->n_leaves = divide_up(request->n_domains, layout->down) * request->n_cards;
        return TRUE;
    }
    layout->down = request->leaf_ports;
    layout->n_leaves = divide_up(n_ports, layout->down);
    if (layout->n_leaves > 1 && layout->down % request->n_cards != 0)
        return fail(
            error, LP_MACHINE_ERROR_SIZE,
            "--leaf-ports: %u, wanted a multiple of the %u cards of a domain, such as %u: in "
            "node order a leaf holds whole domains",
            layout->down, request->n_cards,
            MAX(layout->down / request->n_cards, 1) * request->n_cards);
    return TRUE;
}

static gboolean
plan_fat_tree(const Request *request, Layout *layout, GError **error)
{
    if (!plan_leaves(request, layout, error))
        return FALSE;
    /* One leaf is a crossbar, and has nothing above it. */
    if (layout->n_leaves == 1)
        return TRUE;
    if (layout->down % request->oversubscription != 0)
        return fail(error, LP_MACHINE_ERROR_VALUE,
                    "--oversubscription: %u, wanted a divisor of the %u ports below a leaf",
                    request->oversubscription, layout->down);
    layout->topology = LP_TOPOLOGY_FAT_TREE;
    layout->up = layout->down / request->oversubscription;
    layout->n_hosts = (guint64)layout->down * layout->n_leaves;
    if (layout->n_hosts > LP_MACHINE_HOSTS_MAX ||
        (guint64)layout->n_leaves * layout->up + layout->n_hosts > LP_MACHINE_LINKS_MAX)
        return fail(error, LP_MACHINE_ERROR_SIZE,
                    "--accelerators: a fat tree of %" G_GUINT64_FORMAT " ports, wanted at most %u",
                    layout->n_hosts, LP_MACHINE_HOSTS_MAX);
    return TRUE;
}

static gboolean
plan_layout(const Request *request, Layout *layout, GError **error)
{
    layout->topology = LP_TOPOLOGY_CROSSBAR;
    layout->n_hosts = (guint64)request->n_domains * request->n_cards;
    layout->unit_domains = request->n_domains;
    return request->topology == LP_TOPOLOGY_CROSSBAR || plan_fat_tree(request, layout, error);
}

static void
add_prop(GString *xml, const char *indent, const char *id, const char *value)
{
    g_autofree char *escaped = g_markup_escape_text(value, -1);
    g_string_append_printf(xml, "%s<prop id=\"%s\" value=\"%s\"/>\n", indent, id, escaped);
}

static void
add_count_prop(GString *xml, const char *id, guint32 value)
{
    g_string_append_printf(xml, "      <prop id=\"%s\" value=\"%u\"/>\n", id, value);
}

static char *
command_line(const LpGenerateOptions *options)
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

/* Opens a <cluster>; @topology is "" or ends the tag's attributes. */
static void
open_cluster(GString *xml, LpAttachment attachment, const char *prefix, guint64 n_hosts,
             const char *speed, double bytes_per_s, double latency_s, const char *topology)
{
    g_autofree char *bandwidth = lp_quantity_to_text(LP_QUANTITY_BANDWIDTH, bytes_per_s);
    g_autofree char *latency = lp_quantity_to_text(LP_QUANTITY_TIME, latency_s);
    g_string_append_printf(xml,
                           "    <cluster id=\"%s\" prefix=\"%s\" suffix=\"\" "
                           "radical=\"0-%" G_GUINT64_FORMAT "\" speed=\"%s\"\n"
                           "             bw=\"%s\" lat=\"%s\" sharing_policy=\"SPLITDUPLEX\"%s>\n",
                           lp_attachment_names[attachment], prefix, n_hosts - 1, speed, bandwidth,
                           latency, topology);
    add_prop(xml, "      ", "role", lp_attachment_names[attachment]);
}

static void
add_scale_up(GString *xml, const Request *request)
{
    /* Lightpath takes kernel times from the catalogue; the speed is for SimGrid's own tools. */
    g_autofree char *speed =
        lp_quantity_to_text(LP_QUANTITY_SPEED, lp_accelerator_peak_flop_per_s(&request->accelerator,
                                                                              LP_PRECISION_BF16));
    open_cluster(xml, LP_ATTACHMENT_SCALE_UP, "up-", request->n_accelerators, speed,
                 request->domain_bytes_per_s, request->domain_latency_s, "");
    add_prop(xml, "      ", "accelerator", request->system->value[LP_PARAMETER_ACCELERATOR]);
    for (guint i = 0; i < LP_N_ACCELERATOR_PROPERTIES; i++)
        if (request->options->properties[i] != NULL)
            add_prop(xml, "      ", lp_accelerator_property_names[i],
                     request->options->properties[i]);
    add_count_prop(xml, "domain-size", request->domain_size);
    add_prop(xml, "      ", "technology", lp_technology_names[request->domain_technology]);
    g_string_append(xml, "    </cluster>\n");
}

static gboolean
add_scale_out(GString *xml, const Request *request, GError **error)
{
    Layout layout = {.n_hosts = 0};
    if (!plan_layout(request, &layout, error))
        return FALSE;
    double link_bytes_per_s =
        request->scale_out_bytes_per_s * request->domain_size / request->n_cards;
    if (link_bytes_per_s > LP_MACHINE_BYTES_PER_S_MAX)
        return fail(error, LP_MACHINE_ERROR_VALUE,
                    "--scale-out-bandwidth: %g B/s a card, wanted at most %g", link_bytes_per_s,
                    LP_MACHINE_BYTES_PER_S_MAX);
    g_autofree char *topology = NULL;
    if (layout.topology == LP_TOPOLOGY_FAT_TREE)
        topology = g_strdup_printf("\n             topology=\"FAT_TREE\" "
                                   "topo_parameters=\"2;%u,%u;1,%u;1,1\"",
                                   layout.down, layout.n_leaves, layout.up);
    open_cluster(xml, LP_ATTACHMENT_SCALE_OUT, "out-", layout.n_hosts, "1f", link_bytes_per_s,
                 request->scale_out_latency_s, topology != NULL ? topology : "");
    add_prop(xml, "      ", "port-order", lp_port_order_names[request->port_order]);
    if (request->port_order == LP_PORT_ORDER_RAIL)
        add_count_prop(xml, "unit-domains", layout.unit_domains);
    add_count_prop(xml, "cards-per-domain", request->n_cards);
    add_prop(xml, "      ", "technology", lp_technology_names[request->technology]);
    g_string_append(xml, "    </cluster>\n");
    return TRUE;
}

static char *
write_platform(const Request *request, GError **error)
{
    g_autoptr(GString) xml = g_string_new("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                                          "<!DOCTYPE platform SYSTEM "
                                          "\"https://simgrid.org/simgrid.dtd\">\n"
                                          "<platform version=\"4.1\">\n");
    g_autofree char *command = command_line(request->options);
    g_string_append_printf(xml, "  <zone id=\"%s-%u\" routing=\"None\">\n", request->system->name,
                           request->n_accelerators);
    add_prop(xml, "    ", "system", request->system->name);
    add_prop(xml, "    ", "description", request->system->description);
    add_prop(xml, "    ", "generated-by", command);
    gboolean cards_given =
        request->options->rails != NULL || request->options->nics_per_domain != NULL;
    for (int i = 0; i < LP_N_PARAMETERS; i++) {
        if (i == LP_PARAMETER_ACCELERATORS_PER_NIC && cards_given)
            continue;
        g_autofree char *id = g_strconcat("source.", lp_parameter_names[i], NULL);
        g_autofree char *text =
            g_strdup_printf("%s (%s)", request->system->value[i], request->system->source[i]);
        add_prop(xml, "    ", id, text);
    }
    add_scale_up(xml, request);
    if (request->n_domains > 1 && !add_scale_out(xml, request, error))
        return NULL;
    g_string_append(xml, "  </zone>\n</platform>\n");
    return g_string_free(g_steal_pointer(&xml), FALSE);
}

char *
lp_generate(const LpGenerateOptions *options, GError **error)
{
    g_return_val_if_fail(
        options != NULL && options->system != NULL && options->accelerators != NULL, NULL);
    g_autoptr(LpSystem) system = lp_system_load(options->system, error);
    if (system == NULL) {
        prefix_option("system", error);
        return NULL;
    }
    override(system, options);
    Request request = {.options = options, .system = system};
    if (!read_request(&request, error))
        return NULL;
    return write_platform(&request, error);
}

static int
compare_names(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

char **
lp_generate_systems(GError **error)
{
    g_autoptr(GPtrArray) systems = lp_system_load_all(error);
    if (systems == NULL)
        return NULL;
    GPtrArray *names = g_ptr_array_new();
    for (guint i = 0; i < systems->len; i++)
        g_ptr_array_add(names, g_strdup(((LpSystem *)g_ptr_array_index(systems, i))->name));
    g_ptr_array_sort(names, compare_names);
    g_ptr_array_add(names, NULL);
    return (char **)g_ptr_array_free(names, FALSE);
}
