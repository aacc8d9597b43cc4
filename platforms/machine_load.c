/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a platform file into a machine view, and refuses what SimGrid would abort on. */
#include "platforms/machine.h"

#include "base/error.h"
#include "base/units.h"
#include "base/xml.h"
#include "platforms/catalogue.h"

#include <string.h>

#define SCHEMA "resource:///lightpath/platforms/platform.xsd"
/* A property of this kind says where a number came from; its value is for people. */
#define SOURCE_PREFIX "source."

/* The properties that an element may carry, by their place in its table of names. */
enum {
    ROOT_SYSTEM,
    ROOT_DESCRIPTION,
    ROOT_GENERATED_BY
};
static const char *const root_names[] = {"system", "description", "generated-by", NULL};
enum {
    UP_ROLE,
    UP_ACCELERATOR,
    UP_DOMAIN_SIZE,
    UP_TECHNOLOGY,
    UP_ENERGY,
    UP_ACCELERATOR_PROPERTIES /* those of lp_accelerator_property_names, in their order */
};
static const char *const scale_up_names[] = {
    "role", "accelerator", "domain-size", "technology", "energy-per-bit",
    /* what the catalogue says otherwise */
    "peak-fp32", "peak-tf32", "peak-fp16", "peak-bf16", "peak-fp8", "memory", "memory-bandwidth",
    "gemm-efficiency", "memory-efficiency", "launch", "attention-efficiency",
    "elementwise-efficiency", "host-kernel", "host-collective", NULL};
enum {
    OUT_ROLE,
    OUT_PORT_ORDER,
    OUT_UNIT_DOMAINS,
    OUT_CARDS,
    OUT_TECHNOLOGY,
    OUT_ENERGY
};
static const char *const scale_out_names[] = {
    "role", "port-order", "unit-domains", "cards-per-domain", "technology", "energy-per-bit", NULL};
#define PROPERTIES_MAX (UP_ACCELERATOR_PROPERTIES + LP_N_ACCELERATOR_PROPERTIES)

/* An element and its properties by place; NULL where one is absent. */
typedef struct {
    xmlNode *node;
    const char *const *names;
    xmlNode *props[PROPERTIES_MAX];
} Properties;

G_GNUC_PRINTF(5, 6)
static gboolean
fail(const LpXml *xml, const xmlNode *node, int code, GError **error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *message = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    g_set_error(error, LP_MACHINE_ERROR, code, "%s:%ld: %s", xml->path, xmlGetLineNo(node),
                message);
    return FALSE;
}

/* Puts "FILE:LINE: prop NAME: " before the message. */
static gboolean
prefix_prop(const LpXml *xml, const xmlNode *prop, GError **error)
{
    g_prefix_error(error, "%s:%ld: prop %s: ", xml->path, xmlGetLineNo(prop),
                   lp_xml_attribute(prop, "id"));
    return FALSE;
}

static gboolean
collect(const LpXml *xml, Properties *properties, GError **error)
{
    for (xmlNode *prop = lp_xml_element(properties->node->children, "prop"); prop != NULL;
         prop = lp_xml_element(prop->next, "prop")) {
        const char *id = lp_xml_attribute(prop, "id");
        if (g_str_has_prefix(id, SOURCE_PREFIX))
            continue;
        int place = lp_choice_parse(id, properties->names, error);
        if (place < 0) {
            g_prefix_error(error, "%s:%ld: prop: ", xml->path, xmlGetLineNo(prop));
            return FALSE;
        }
        if (properties->props[place] != NULL)
            return fail(xml, prop, LP_MACHINE_ERROR_STRUCTURE, error,
                        "prop %s stands twice, wanted once", id);
        properties->props[place] = prop;
    }
    return TRUE;
}

/* The value of a property that must be there, or NULL with an error. */
static const char *
prop_value(const LpXml *xml, const Properties *properties, int place, GError **error)
{
    if (properties->props[place] != NULL)
        return lp_xml_attribute(properties->props[place], "value");
    g_autofree char *id = lp_error_quote(lp_xml_attribute(properties->node, "id"));
    fail(xml, properties->node, LP_MACHINE_ERROR_STRUCTURE, error,
         "<%s> %s has no prop %s, wanted one", (const char *)properties->node->name, id,
         properties->names[place]);
    return NULL;
}

static gboolean
prop_count(const LpXml *xml, const Properties *properties, int place, guint32 *out_value,
           GError **error)
{
    const char *text = prop_value(xml, properties, place, error);
    guint64 value = 0;
    if (text == NULL)
        return FALSE;
    if (!lp_count_parse(text, 1, LP_MACHINE_HOSTS_MAX, &value, error))
        return prefix_prop(xml, properties->props[place], error);
    *out_value = (guint32)value;
    return TRUE;
}

static gboolean
prop_choice(const LpXml *xml, const Properties *properties, int place, const char *const *names,
            int *out_choice, GError **error)
{
    const char *text = prop_value(xml, properties, place, error);
    if (text == NULL)
        return FALSE;
    *out_choice = lp_choice_parse(text, names, error);
    return *out_choice >= 0 || prefix_prop(xml, properties->props[place], error);
}

static gboolean
read_medium(const LpXml *xml, const Properties *properties, int technology_place, int energy_place,
            LpCluster *cluster, GError **error)
{
    int technology = 0;
    if (!prop_choice(xml, properties, technology_place, lp_technology_names, &technology, error))
        return FALSE;
    cluster->technology = (LpTechnology)technology;
    const xmlNode *energy = properties->props[energy_place];
    return energy == NULL ||
           lp_quantity_parse(LP_QUANTITY_ENERGY_PER_BIT, lp_xml_attribute(energy, "value"),
                             &cluster->energy_j_per_bit, error) ||
           prefix_prop(xml, energy, error);
}

/* SimGrid counts the same: a node of each level has up[level] links to the level above. */
static gboolean
check_fat_tree_size(const LpXml *xml, const xmlNode *node, const LpCluster *cluster, GError **error)
{
    guint64 n_hosts = 1;
    for (guint32 i = 0; i < cluster->n_levels; i++) {
        n_hosts *= cluster->down[i];
        if (n_hosts > LP_MACHINE_HOSTS_MAX)
            break;
    }
    if (n_hosts != cluster->n_hosts)
        return fail(xml, node, LP_MACHINE_ERROR_SIZE, error,
                    "the product of the fat tree's arities is %" G_GUINT64_FORMAT
                    "%s, but radical says %" G_GUINT64_FORMAT " hosts, wanted the same",
                    n_hosts, n_hosts > LP_MACHINE_HOSTS_MAX ? " or more" : "", cluster->n_hosts);
    guint64 n_nodes = n_hosts;
    guint64 n_links = 0;
    for (guint32 i = 0; i < cluster->n_levels; i++) {
        n_links += n_nodes * cluster->up[i];
        if (n_links > LP_MACHINE_LINKS_MAX)
            return fail(xml, node, LP_MACHINE_ERROR_SIZE, error,
                        "the fat tree has more than %u links, wanted fewer", LP_MACHINE_LINKS_MAX);
        n_nodes = n_nodes * cluster->up[i] / cluster->down[i];
    }
    return TRUE;
}

/* Reads @n arities "20,56". */
static gboolean
read_arities(const char *text, guint32 n, guint32 *out_arities, GError **error)
{
    g_auto(GStrv) parts = g_strsplit(text, ",", -1);
    for (guint32 i = 0; i < n; i++) {
        guint64 value = 0;
        if (!lp_count_parse(parts[i], 1, LP_MACHINE_HOSTS_MAX, &value, error))
            return FALSE;
        out_arities[i] = (guint32)value;
    }
    return TRUE;
}

/* The schema has made sure of the form, with up[0] and all counts of parallel links 1. */
static gboolean
read_fat_tree(const LpXml *xml, const xmlNode *node, LpCluster *cluster, GError **error)
{
    const char *text = lp_xml_required(xml, node, "topo_parameters", error);
    if (text == NULL)
        return FALSE;
    g_auto(GStrv) parts = g_strsplit(text, ";", -1);
    cluster->topology = LP_TOPOLOGY_FAT_TREE;
    cluster->n_levels = (guint32)(parts[0][0] - '0');
    if (!read_arities(parts[1], cluster->n_levels, cluster->down, error) ||
        !read_arities(parts[2], cluster->n_levels, cluster->up, error)) {
        lp_xml_prefix(xml, node, "topo_parameters", error);
        return FALSE;
    }
    return check_fat_tree_size(xml, node, cluster, error);
}

static gboolean
read_topology(const LpXml *xml, const xmlNode *node, LpCluster *cluster, GError **error)
{
    if (g_strcmp0(lp_xml_attribute(node, "topology"), "FAT_TREE") == 0)
        return read_fat_tree(xml, node, cluster, error);
    if (lp_xml_attribute(node, "topo_parameters") != NULL)
        return fail(xml, node, LP_MACHINE_ERROR_STRUCTURE, error,
                    "topo_parameters in a flat cluster, wanted topology=\"FAT_TREE\" or none");
    cluster->topology = LP_TOPOLOGY_CROSSBAR;
    return TRUE;
}

static gboolean
read_cluster(const LpXml *xml, const xmlNode *node, LpCluster *cluster, GError **error)
{
    cluster->id = g_strdup(lp_xml_attribute(node, "id"));
    cluster->prefix = g_strdup(lp_xml_attribute(node, "prefix"));
    cluster->suffix = g_strdup(lp_xml_attribute(node, "suffix"));
    guint64 last = 0;
    /* The schema has made sure of "0-". */
    const char *radical = lp_xml_attribute(node, "radical") + strlen("0-");
    if (!lp_count_parse(radical, 0, LP_MACHINE_HOSTS_MAX - 1, &last, error)) {
        lp_xml_prefix(xml, node, "radical", error);
        return FALSE;
    }
    cluster->n_hosts = last + 1;
    double speed = 0;
    return lp_xml_quantity_in(xml, node, "speed", LP_QUANTITY_SPEED, 1, 1e24, &speed, error) &&
           lp_xml_quantity_in(xml, node, "bw", LP_QUANTITY_BANDWIDTH, LP_MACHINE_BYTES_PER_S_MIN,
                              LP_MACHINE_BYTES_PER_S_MAX, &cluster->link_bytes_per_s, error) &&
           lp_xml_quantity_in(xml, node, "lat", LP_QUANTITY_TIME, 0, LP_MACHINE_LATENCY_MAX_S,
                              &cluster->link_latency_s, error) &&
           read_topology(xml, node, cluster, error);
}

/* The catalogue's accelerator, with what the platform says otherwise. */
static gboolean
read_accelerator(const LpXml *xml, const Properties *properties, LpAccelerator *accelerator,
                 GError **error)
{
    const char *name = prop_value(xml, properties, UP_ACCELERATOR, error);
    if (name == NULL)
        return FALSE;
    if (!lp_catalogue_find(name, accelerator, error))
        return prefix_prop(xml, properties->props[UP_ACCELERATOR], error);
    for (guint i = 0; i < LP_N_ACCELERATOR_PROPERTIES; i++) {
        const xmlNode *prop = properties->props[UP_ACCELERATOR_PROPERTIES + i];
        if (prop != NULL &&
            !lp_accelerator_set(accelerator, i, lp_xml_attribute(prop, "value"), error))
            return prefix_prop(xml, prop, error);
    }
    return TRUE;
}

static gboolean
read_scale_up(const LpXml *xml, xmlNode *node, LpMachine *machine, GError **error)
{
    Properties properties = {node, scale_up_names, {NULL}};
    LpCluster *cluster = &machine->cluster[LP_ATTACHMENT_SCALE_UP];
    if (!read_cluster(xml, node, cluster, error) || !collect(xml, &properties, error) ||
        !read_medium(xml, &properties, UP_TECHNOLOGY, UP_ENERGY, cluster, error) ||
        !prop_count(xml, &properties, UP_DOMAIN_SIZE, &machine->domain_size, error) ||
        !read_accelerator(xml, &properties, &machine->accelerator, error))
        return FALSE;
    if (cluster->topology != LP_TOPOLOGY_CROSSBAR)
        return fail(xml, node, LP_MACHINE_ERROR_STRUCTURE, error,
                    "the scale-up cluster is a fat tree, wanted a flat cluster");
    machine->n_accelerators = cluster->n_hosts;
    if (machine->n_accelerators % machine->domain_size != 0)
        return fail(xml, properties.props[UP_DOMAIN_SIZE], LP_MACHINE_ERROR_SIZE, error,
                    "prop domain-size: %u, wanted a divisor of the %" G_GUINT64_FORMAT
                    " accelerators",
                    machine->domain_size, machine->n_accelerators);
    return TRUE;
}

/* The unit belongs to rail order alone; it must hold whole leaves, so that none mixes rails. */
static gboolean
read_port_order(const LpXml *xml, const Properties *properties, LpMachine *machine, GError **error)
{
    int order = 0;
    if (!prop_choice(xml, properties, OUT_PORT_ORDER, lp_port_order_names, &order, error))
        return FALSE;
    machine->port_order = (LpPortOrder)order;
    machine->unit_domains = 1;
    if (machine->port_order == LP_PORT_ORDER_RAIL)
        return prop_count(xml, properties, OUT_UNIT_DOMAINS, &machine->unit_domains, error);
    if (properties->props[OUT_UNIT_DOMAINS] != NULL)
        return fail(xml, properties->props[OUT_UNIT_DOMAINS], LP_MACHINE_ERROR_STRUCTURE, error,
                    "prop unit-domains in node order, wanted it with port-order rail only");
    return TRUE;
}

static gboolean
read_scale_out(const LpXml *xml, Properties *properties, LpMachine *machine, GError **error)
{
    LpCluster *cluster = &machine->cluster[LP_ATTACHMENT_SCALE_OUT];
    if (!read_cluster(xml, properties->node, cluster, error) || !collect(xml, properties, error) ||
        !read_medium(xml, properties, OUT_TECHNOLOGY, OUT_ENERGY, cluster, error) ||
        !prop_count(xml, properties, OUT_CARDS, &machine->cards_per_domain, error) ||
        !read_port_order(xml, properties, machine, error))
        return FALSE;
    machine->has_scale_out = TRUE;
    if (machine->domain_size % machine->cards_per_domain != 0)
        return fail(xml, properties->props[OUT_CARDS], LP_MACHINE_ERROR_SIZE, error,
                    "prop cards-per-domain: %u, wanted a divisor of the domain size %u",
                    machine->cards_per_domain, machine->domain_size);
    return TRUE;
}

/* One of @block and @ports must hold a whole number of the other. */
static gboolean
nests(guint64 ports, guint64 block)
{
    return ports % block == 0 || block % ports == 0;
}

/* Every switch must see whole domains, or whole rails, or parts of one: otherwise ports of one
 * domain would be at different distances, and the machine view could not say how far. */
static gboolean
check_leaves(const LpXml *xml, const Properties *properties, const LpMachine *machine,
             GError **error)
{
    const LpCluster *cluster = &machine->cluster[LP_ATTACHMENT_SCALE_OUT];
    guint64 cards = machine->cards_per_domain;
    guint64 unit = machine->unit_domains;
    if (machine->port_order == LP_PORT_ORDER_RAIL && cluster->n_levels > 1 &&
        unit % cluster->down[0] != 0)
        return fail(xml, properties->props[OUT_UNIT_DOMAINS], LP_MACHINE_ERROR_SIZE, error,
                    "prop unit-domains: %u, wanted a multiple of the %u ports below a leaf",
                    machine->unit_domains, cluster->down[0]);
    guint64 ports = 1;
    for (guint32 level = 0; level + 1 < cluster->n_levels; level++) {
        ports *= cluster->down[level];
        if (!nests(ports, unit) || !nests(ports, unit * cards))
            return fail(xml, properties->node, LP_MACHINE_ERROR_SIZE, error,
                        "%" G_GUINT64_FORMAT " ports below a switch of level %u, wanted whole "
                        "blocks of %" G_GUINT64_FORMAT " ports, or an equal part of one",
                        ports, level + 1, unit * cards);
    }
    return TRUE;
}

/* A fat tree may have ports to spare, since its arities rarely give the number of ports needed. */
static gboolean
check_ports(const LpXml *xml, const Properties *properties, const LpMachine *machine,
            GError **error)
{
    const LpCluster *cluster = &machine->cluster[LP_ATTACHMENT_SCALE_OUT];
    guint64 n_needed = lp_machine_n_ports(machine);
    gboolean is_tree = cluster->topology == LP_TOPOLOGY_FAT_TREE;
    if (n_needed > cluster->n_hosts || (!is_tree && n_needed < cluster->n_hosts))
        return fail(xml, properties->node, LP_MACHINE_ERROR_SIZE, error,
                    "the scale-out cluster has %" G_GUINT64_FORMAT " hosts, wanted %s"
                    "%" G_GUINT64_FORMAT ": %" G_GUINT64_FORMAT " domains with %u cards, %s order",
                    cluster->n_hosts, is_tree ? "at least " : "", n_needed,
                    lp_machine_n_domains(machine), machine->cards_per_domain,
                    lp_port_order_names[machine->port_order]);
    return check_leaves(xml, properties, machine, error);
}

/* TRUE if one of the cluster's hosts is called @name. */
static gboolean
has_host(const LpCluster *cluster, const char *name)
{
    if (!g_str_has_prefix(name, cluster->prefix) || !g_str_has_suffix(name, cluster->suffix) ||
        strlen(name) < strlen(cluster->prefix) + strlen(cluster->suffix))
        return FALSE;
    g_autofree char *number =
        g_strndup(name + strlen(cluster->prefix),
                  strlen(name) - strlen(cluster->prefix) - strlen(cluster->suffix));
    guint64 index = 0;
    gboolean is_padded = number[0] == '0' && number[1] != '\0';
    return !is_padded && lp_count_parse(number, 0, cluster->n_hosts - 1, &index, NULL);
}

/* SimGrid keeps zones, hosts and each cluster's router in one table of names, and aborts on the
 * second of a name. */
static gboolean
check_names(const LpXml *xml, const xmlNode *zone, const LpMachine *machine, GError **error)
{
    const LpCluster *clusters = machine->cluster;
    int n_clusters = machine->has_scale_out ? 2 : 1;
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_add(names, g_strdup(lp_xml_attribute(zone, "id")));
    for (int i = 0; i < n_clusters; i++) {
        const LpCluster *cluster = &clusters[i];
        g_ptr_array_add(names, g_strdup(cluster->id));
        g_ptr_array_add(
            names, g_strconcat(cluster->prefix, cluster->id, "_router", cluster->suffix, NULL));
    }
    for (guint i = 0; i < names->len; i++) {
        const char *name = g_ptr_array_index(names, i);
        gboolean is_taken = FALSE;
        for (guint j = 0; j < i; j++)
            is_taken = is_taken || strcmp(name, g_ptr_array_index(names, j)) == 0;
        for (int k = 0; k < n_clusters; k++)
            is_taken = is_taken || has_host(&clusters[k], name);
        if (is_taken)
            return fail(xml, zone, LP_MACHINE_ERROR_STRUCTURE, error,
                        "\"%s\" names two zones, or a zone and a host, wanted different names",
                        name);
    }
    if (n_clusters == 2 && strcmp(clusters[0].prefix, clusters[1].prefix) == 0 &&
        strcmp(clusters[0].suffix, clusters[1].suffix) == 0)
        return fail(xml, zone, LP_MACHINE_ERROR_STRUCTURE, error,
                    "both clusters name their hosts \"%s0%s\", wanted different prefixes",
                    clusters[0].prefix, clusters[0].suffix);
    return TRUE;
}

/* Finds the clusters by their role; a role that stands twice leaves the other one missing. */
static gboolean
find_clusters(const LpXml *xml, xmlNode *zone, xmlNode **out_clusters, GError **error)
{
    for (xmlNode *node = lp_xml_element(zone->children, "cluster"); node != NULL;
         node = lp_xml_element(node->next, "cluster")) {
        const xmlNode *prop = lp_xml_element(node->children, "prop");
        while (prop != NULL && strcmp(lp_xml_attribute(prop, "id"), "role") != 0)
            prop = lp_xml_element(prop->next, "prop");
        if (prop == NULL)
            return fail(xml, node, LP_MACHINE_ERROR_STRUCTURE, error,
                        "<cluster> has no prop role, wanted one, scale-up or scale-out");
        int role = lp_choice_parse(lp_xml_attribute(prop, "value"), lp_attachment_names, error);
        if (role < 0)
            return prefix_prop(xml, prop, error);
        if (out_clusters[role] != NULL)
            return fail(xml, prop, LP_MACHINE_ERROR_STRUCTURE, error,
                        "prop role: %s for the second time, wanted one cluster a role",
                        lp_attachment_names[role]);
        out_clusters[role] = node;
    }
    if (out_clusters[LP_ATTACHMENT_SCALE_UP] == NULL)
        return fail(xml, zone, LP_MACHINE_ERROR_STRUCTURE, error,
                    "no cluster has the role scale-up, wanted one");
    return TRUE;
}

static gboolean
read_networks(const LpXml *xml, xmlNode *zone, LpMachine *machine, GError **error)
{
    xmlNode *clusters[LP_N_ATTACHMENTS] = {NULL};
    if (!find_clusters(xml, zone, clusters, error) ||
        !read_scale_up(xml, clusters[LP_ATTACHMENT_SCALE_UP], machine, error))
        return FALSE;
    if (clusters[LP_ATTACHMENT_SCALE_OUT] != NULL) {
        Properties properties = {clusters[LP_ATTACHMENT_SCALE_OUT], scale_out_names, {NULL}};
        return read_scale_out(xml, &properties, machine, error) &&
               check_ports(xml, &properties, machine, error);
    }
    machine->cards_per_domain = 1;
    machine->unit_domains = 1;
    if (machine->n_accelerators != machine->domain_size)
        return fail(xml, zone, LP_MACHINE_ERROR_STRUCTURE, error,
                    "%" G_GUINT64_FORMAT " domains and no cluster with the role scale-out, wanted "
                    "one",
                    lp_machine_n_domains(machine));
    return TRUE;
}

/* SimGrid recognises these two, and stumbles over a file without. */
static gboolean
check_document_type(const LpXml *xml, GError **error)
{
    static const char *const known[] = {"https://simgrid.org/simgrid.dtd",
                                        "http://simgrid.gforge.inria.fr/simgrid/simgrid.dtd"};
    const xmlDtd *type = xml->doc->intSubset;
    const char *system = type == NULL ? NULL : (const char *)type->SystemID;
    for (gsize i = 0; i < G_N_ELEMENTS(known); i++)
        if (g_strcmp0(system, known[i]) == 0 && type->ExternalID == NULL)
            return TRUE;
    g_autofree char *shown = system != NULL ? lp_error_quote(system) : g_strdup("none");
    return fail(xml, lp_xml_root(xml), LP_MACHINE_ERROR_STRUCTURE, error,
                "document type: %s, wanted <!DOCTYPE platform SYSTEM \"%s\"> before this line",
                shown, known[0]);
}

LpMachine *
lp_machine_load(const char *path, GError **error)
{
    g_return_val_if_fail(path != NULL, NULL);
    g_autoptr(LpXml) xml = lp_xml_load(path, SCHEMA, error);
    if (xml == NULL || !check_document_type(xml, error))
        return NULL;
    g_autoptr(LpMachine) machine = g_new0(LpMachine, 1);
    machine->path = g_strdup(path);
    xmlNode *zone = lp_xml_element(lp_xml_root(xml)->children, "zone");
    Properties properties = {zone, root_names, {NULL}};
    if (!collect(xml, &properties, error))
        return NULL;
    machine->system = g_strdup(prop_value(xml, &properties, ROOT_SYSTEM, error));
    if (machine->system == NULL || !read_networks(xml, zone, machine, error) ||
        !check_names(xml, zone, machine, error))
        return NULL;
    return g_steal_pointer(&machine);
}
