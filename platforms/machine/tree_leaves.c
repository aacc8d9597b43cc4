/* SPDX-License-Identifier: Apache-2.0 */
/* Checks how the ports of domains and rails stand below the switches of a tree. */
#include "platforms/machine/tree_leaves.h"

#include "platforms/machine/property.h"

/* One of @block and @ports must hold a whole number of the other. */
static gboolean
nests(guint64 ports, guint64 block)
{
    return ports % block == 0 || block % ports == 0;
}

/* Every switch must see whole domains, or whole rails, or parts of one: otherwise ports of one
 * domain would be at different distances, and the machine view could not say how far. */
gboolean
lp_tree_leaves_check(const LpXml *xml, const xmlNode *node, const LpMachine *machine,
                     const LpCluster *cluster, GError **error)
{
    guint64 cards = machine->cards_per_domain;
    guint64 unit = machine->unit_domains;
    if (machine->port_order == LP_PORT_ORDER_RAIL && cluster->n_levels > 1 &&
        unit % cluster->down[0] != 0)
        return lp_platform_fail(
            xml, node, LP_MACHINE_ERROR_SIZE, error,
            "prop unit-domains: %u, wanted a multiple of the %u ports below a leaf",
            machine->unit_domains, cluster->down[0]);
    guint64 ports = 1;
    for (guint32 level = 0; level + 1 < cluster->n_levels; level++) {
        ports *= cluster->down[level];
        if (!nests(ports, unit) || !nests(ports, unit * cards))
            return lp_platform_fail(
                xml, node, LP_MACHINE_ERROR_SIZE, error,
                "%" G_GUINT64_FORMAT " ports below a switch of level %u, wanted whole "
                "blocks of %" G_GUINT64_FORMAT " ports, or an equal part of one",
                ports, level + 1, unit * cards);
    }
    return TRUE;
}
