/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a platform file into a machine view, and refuses what SimGrid would abort on. */
#include "platforms/machine/machine.h"

#include "base/c_locale.h"
#include "base/error.h"
#include "base/units.h"
#include "base/xml.h"
#include "platforms/catalogue/catalogue.h"
#include "platforms/catalogue/libraries.h"
#include "platforms/machine/cluster.h"
#include "platforms/machine/scale_out.h"
#include "property_places.h"

#include <string.h>

#define SCHEMA "resource:///lightpath/platforms/platform.xsd"

static const char *const zone_names[] = {ZONE_NAMES, NULL};
static const char *const scale_up_names[] = {SCALE_UP_NAMES, NULL};
G_STATIC_ASSERT(G_N_ELEMENTS(scale_up_names) <= LP_PROPERTIES_MAX + 1);

/* The catalogue's accelerator, with what the platform says otherwise. */
static gboolean
read_accelerator(const LpXml *xml, const LpProperties *properties, LpAccelerator *accelerator,
                 GError **error)
{
    const char *name = lp_properties_value(properties, xml, SCALE_UP_ACCELERATOR, error);
    if (name == NULL)
        return FALSE;
    if (!lp_catalogue_find(name, accelerator, error))
        return lp_property_prefix(xml, properties->props[SCALE_UP_ACCELERATOR], error);
    for (guint i = 0; i < LP_N_ACCELERATOR_PROPERTIES; i++) {
        const xmlNode *prop = properties->props[SCALE_UP_FIRST_ACCELERATOR + i];
        if (prop != NULL &&
            !lp_accelerator_set(accelerator, i, lp_xml_attribute(prop, "value"), error))
            return lp_property_prefix(xml, prop, error);
    }
    return TRUE;
}

static gboolean
read_rate(const LpXml *xml, const LpProperties *properties, int place, double *out_bytes_per_s,
          GError **error)
{
    const char *text = lp_properties_value(properties, xml, place, error);
    if (text == NULL)
        return FALSE;
    return lp_quantity_parse_in(LP_QUANTITY_BANDWIDTH, text, LP_MACHINE_BYTES_PER_S_MIN,
                                LP_MACHINE_BYTES_PER_S_MAX, out_bytes_per_s, error) ||
           lp_property_prefix(xml, properties->props[place], error);
}

static gboolean
read_roots(const LpXml *xml, const LpProperties *properties, LpMachine *machine, GError **error)
{
    LpPcieHost *host = &machine->pcie_host;
    int cards = 0;
    if (properties->props[SCALE_UP_ROOT_ACCELERATORS] == NULL &&
        properties->props[SCALE_UP_ROOT_BANDWIDTH] == NULL &&
        properties->props[SCALE_UP_ROOT_CARDS] == NULL)
        return TRUE;
    if (!read_rate(xml, properties, SCALE_UP_ROOT_BANDWIDTH, &host->root_bytes_per_s, error) ||
        !lp_properties_count(properties, xml, SCALE_UP_ROOT_ACCELERATORS, &host->root_accelerators,
                             error) ||
        !lp_properties_choice_or(properties, xml, SCALE_UP_ROOT_CARDS, lp_root_cards_names, &cards,
                                 error))
        return FALSE;
    host->has_cards_inside = cards == 1;
    if (machine->domain_size % host->root_accelerators == 0)
        return TRUE;
    return lp_platform_fail(xml, properties->props[SCALE_UP_ROOT_ACCELERATORS],
                            LP_MACHINE_ERROR_SIZE, error,
                            "prop root-accelerators: %u, wanted a divisor of the domain size %u",
                            host->root_accelerators, machine->domain_size);
}

static gboolean
read_pcie_host(const LpXml *xml, const LpProperties *properties, LpMachine *machine, GError **error)
{
    if (!read_roots(xml, properties, machine, error))
        return FALSE;
    const xmlNode *pair = properties->props[SCALE_UP_PAIR_BANDWIDTH];
    if (pair == NULL)
        return TRUE;
    if (machine->domain_size % 2 != 0)
        return lp_platform_fail(xml, pair, LP_MACHINE_ERROR_SIZE, error,
                                "prop pair-bandwidth: domains of %u, wanted an even number of "
                                "accelerators",
                                machine->domain_size);
    return read_rate(xml, properties, SCALE_UP_PAIR_BANDWIDTH, &machine->pcie_host.pair_bytes_per_s,
                     error);
}

static gboolean
read_library(const LpXml *xml, const LpProperties *properties, LpMachine *machine, GError **error)
{
    const xmlNode *prop = properties->props[SCALE_UP_LIBRARY];
    if (prop == NULL)
        return TRUE;
    LpLibrary library;
    machine->library = g_strdup(lp_xml_attribute(prop, "value"));
    return lp_library_find(machine->library, &library, error) ||
           lp_property_prefix(xml, prop, error);
}

/* What roots and cards must have in common. */
static gboolean
check_pcie_host(const LpXml *xml, const xmlNode *node, const LpMachine *machine, GError **error)
{
    const LpPcieHost *host = &machine->pcie_host;
    if (host->root_accelerators == 0 || !machine->has_scale_out)
        return TRUE;
    if (machine->circuits.is_present)
        return lp_platform_fail(xml, node, LP_MACHINE_ERROR_STRUCTURE, error,
                                "prop root-accelerators beside circuits that are switched, wanted "
                                "one of the two");
    guint32 n_roots = machine->domain_size / host->root_accelerators;
    if (host->has_cards_inside && machine->cards_per_domain % n_roots != 0)
        return lp_platform_fail(xml, node, LP_MACHINE_ERROR_SIZE, error,
                                "prop root-cards: inside, wanted whole cards below each root: "
                                "%u a domain, below %u roots",
                                machine->cards_per_domain, n_roots);
    return TRUE;
}

static gboolean
read_scale_up(const LpXml *xml, xmlNode *node, LpMachine *machine, GError **error)
{
    LpProperties properties = {node, scale_up_names, {NULL}};
    LpCluster *cluster = &machine->cluster[LP_ATTACHMENT_SCALE_UP];
    if (!lp_cluster_read(xml, node, cluster, error) ||
        !lp_properties_collect(&properties, xml, error) ||
        !lp_cluster_read_medium(xml, &properties, SCALE_UP_TECHNOLOGY, SCALE_UP_ENERGY_PER_BIT,
                                SCALE_UP_FIRST_MEDIUM, cluster, error) ||
        !lp_properties_count(&properties, xml, SCALE_UP_DOMAIN_SIZE, &machine->domain_size,
                             error) ||
        !read_accelerator(xml, &properties, &machine->accelerator, error))
        return FALSE;
    if (cluster->topology != LP_TOPOLOGY_CROSSBAR)
        return lp_platform_fail(xml, node, LP_MACHINE_ERROR_STRUCTURE, error,
                                "the scale-up cluster is a %s, wanted a flat cluster",
                                cluster->topology == LP_TOPOLOGY_FAT_TREE
                                    ? "fat tree"
                                    : lp_topology_names[cluster->topology]);
    machine->n_accelerators = cluster->n_hosts;
    if (machine->n_accelerators % machine->domain_size != 0)
        return lp_platform_fail(
            xml, properties.props[SCALE_UP_DOMAIN_SIZE], LP_MACHINE_ERROR_SIZE, error,
            "prop domain-size: %u, wanted a divisor of the %" G_GUINT64_FORMAT " accelerators",
            machine->domain_size, machine->n_accelerators);
    return read_library(xml, &properties, machine, error) &&
           read_pcie_host(xml, &properties, machine, error);
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
            return lp_platform_fail(
                xml, zone, LP_MACHINE_ERROR_STRUCTURE, error,
                "\"%s\" names two zones, or a zone and a host, wanted different names", name);
    }
    if (n_clusters == 2 && strcmp(clusters[0].prefix, clusters[1].prefix) == 0 &&
        strcmp(clusters[0].suffix, clusters[1].suffix) == 0)
        return lp_platform_fail(
            xml, zone, LP_MACHINE_ERROR_STRUCTURE, error,
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
            return lp_platform_fail(
                xml, node, LP_MACHINE_ERROR_STRUCTURE, error,
                "<cluster> has no prop role, wanted one, scale-up or scale-out");
        int role = lp_choice_parse(lp_xml_attribute(prop, "value"), lp_attachment_names, error);
        if (role < 0)
            return lp_property_prefix(xml, prop, error);
        if (out_clusters[role] != NULL)
            return lp_platform_fail(xml, prop, LP_MACHINE_ERROR_STRUCTURE, error,
                                    "prop role: %s for the second time, wanted one cluster a role",
                                    lp_attachment_names[role]);
        out_clusters[role] = node;
    }
    if (out_clusters[LP_ATTACHMENT_SCALE_UP] == NULL)
        return lp_platform_fail(xml, zone, LP_MACHINE_ERROR_STRUCTURE, error,
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
    machine->cards_per_domain = 1;
    machine->unit_domains = 1;
    machine->n_planes = 1;
    machine->n_paths = 1;
    if (clusters[LP_ATTACHMENT_SCALE_OUT] != NULL)
        return lp_scale_out_read(xml, clusters[LP_ATTACHMENT_SCALE_OUT], machine, error) &&
               check_pcie_host(xml, clusters[LP_ATTACHMENT_SCALE_UP], machine, error);
    if (machine->n_accelerators != machine->domain_size)
        return lp_platform_fail(xml, zone, LP_MACHINE_ERROR_STRUCTURE, error,
                                "%" G_GUINT64_FORMAT
                                " domains and no cluster with the role scale-out, wanted "
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
    return lp_platform_fail(
        xml, lp_xml_root(xml), LP_MACHINE_ERROR_STRUCTURE, error,
        "document type: %s, wanted <!DOCTYPE platform SYSTEM \"%s\"> before this line", shown,
        known[0]);
}

/* What a source says of the bisection, and for how large a machine. */
static gboolean
read_published(const LpXml *xml, const LpProperties *properties, LpMachine *machine, GError **error)
{
    const xmlNode *prop = properties->props[ZONE_PUBLISHED_BISECTION];
    guint32 n_accelerators = 0;
    if (prop == NULL && properties->props[ZONE_PUBLISHED_BISECTION_ACCELERATORS] == NULL)
        return TRUE;
    const char *text = lp_properties_value(properties, xml, ZONE_PUBLISHED_BISECTION, error);
    if (text == NULL || !lp_properties_count(properties, xml, ZONE_PUBLISHED_BISECTION_ACCELERATORS,
                                             &n_accelerators, error))
        return FALSE;
    machine->published_accelerators = n_accelerators;
    return lp_quantity_parse_in(LP_QUANTITY_BANDWIDTH, text, LP_MACHINE_BYTES_PER_S_MIN,
                                LP_MACHINE_BYTES_PER_S_MAX * LP_MACHINE_HOSTS_MAX,
                                &machine->published_bisection_bytes_per_s, error) ||
           lp_property_prefix(xml, prop, error);
}

static LpMachine *
read_machine(const LpXml *xml, GError **error)
{
    if (!check_document_type(xml, error))
        return NULL;
    g_autoptr(LpMachine) machine = g_new0(LpMachine, 1);
    machine->path = g_strdup(xml->path);
    xmlNode *zone = lp_xml_element(lp_xml_root(xml)->children, "zone");
    LpProperties properties = {zone, zone_names, {NULL}};
    if (!lp_properties_collect(&properties, xml, error))
        return NULL;
    machine->system = g_strdup(lp_properties_value(&properties, xml, ZONE_SYSTEM, error));
    if (properties.props[ZONE_GENERATED_BY] != NULL)
        machine->generated_by =
            g_strdup(lp_xml_attribute(properties.props[ZONE_GENERATED_BY], "value"));
    if (properties.props[ZONE_WARNING] != NULL)
        machine->warning = g_strdup(lp_xml_attribute(properties.props[ZONE_WARNING], "value"));
    if (machine->system == NULL || !read_published(xml, &properties, machine, error) ||
        !read_networks(xml, zone, machine, error) || !check_names(xml, zone, machine, error))
        return NULL;
    return g_steal_pointer(&machine);
}

LpMachine *
lp_machine_load(const char *path, GError **error)
{
    g_return_val_if_fail(path != NULL, NULL);
    g_auto(LpCLocale) locale = lp_c_locale_begin();
    g_autoptr(LpXml) xml = lp_xml_load(path, SCHEMA, error);
    return xml != NULL ? read_machine(xml, error) : NULL;
}

LpMachine *
lp_machine_parse(const char *path, const char *text, GError **error)
{
    g_return_val_if_fail(path != NULL && text != NULL, NULL);
    g_auto(LpCLocale) locale = lp_c_locale_begin();
    g_autoptr(GBytes) content = g_bytes_new_static(text, strlen(text));
    g_autoptr(LpXml) xml = lp_xml_parse(path, content, SCHEMA, error);
    return xml != NULL ? read_machine(xml, error) : NULL;
}
