/* SPDX-License-Identifier: Apache-2.0 */
/* Reads what all clusters of a platform file have. */
#include "platforms/machine/cluster.h"

#include "base/error.h"
#include "base/units.h"
#include "platforms/machine/topology.h"

#include <string.h>

gboolean
lp_cluster_read(const LpXml *xml, const xmlNode *node, LpCluster *cluster, GError **error)
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
           lp_topology_read(xml, node, cluster, error);
}

/* So few that ports and transceivers of the largest machine can be counted. */
#define LANES_MAX 65536

static gboolean
check_lanes(const LpXml *xml, const xmlNode *prop, const LpCluster *cluster, GError **error)
{
    if (prop == NULL ||
        cluster->link_bytes_per_s <= LANES_MAX * cluster->medium.number[LP_MEDIUM_LINK_RATE])
        return TRUE;
    g_autofree char *least =
        lp_quantity_format(LP_QUANTITY_BANDWIDTH, cluster->link_bytes_per_s / LANES_MAX);
    g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE,
                "got \"%s\", wanted at least %s, of which %d make the cluster's bw",
                lp_xml_attribute(prop, "value"), least, LANES_MAX);
    return lp_property_prefix(xml, prop, error);
}

gboolean
lp_cluster_read_medium(const LpXml *xml, const LpProperties *properties, int technology_place,
                       int energy_place, int medium_place, LpCluster *cluster, GError **error)
{
    int technology = 0;
    if (!lp_properties_choice(properties, xml, technology_place, lp_technology_names, &technology,
                              error))
        return FALSE;
    cluster->technology = (LpTechnology)technology;
    for (guint i = 0; i < LP_N_MEDIUM_PROPERTIES; i++) {
        const xmlNode *prop = properties->props[medium_place + (int)i];
        if (prop != NULL &&
            !lp_medium_set(&cluster->medium, i, lp_xml_attribute(prop, "value"), error))
            return lp_property_prefix(xml, prop, error);
    }
    if (!check_lanes(xml,
                     properties->props[medium_place + LP_MEDIUM_FIRST_NUMBER + LP_MEDIUM_LINK_RATE],
                     cluster, error))
        return FALSE;
    const xmlNode *energy = properties->props[energy_place];
    return energy == NULL ||
           lp_quantity_parse(LP_QUANTITY_ENERGY_PER_BIT, lp_xml_attribute(energy, "value"),
                             &cluster->energy_j_per_bit, error) ||
           lp_property_prefix(xml, energy, error);
}
