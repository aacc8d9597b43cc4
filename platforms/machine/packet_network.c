/* SPDX-License-Identifier: Apache-2.0 */
/* Reads what stands beside circuits. */
#include "platforms/machine/packet_network.h"

#include "platforms/machine/topology.h"
#include "platforms/machine/tree_leaves.h"
#include "property_places.h"

/* A flat network of as many ports as the circuits have, unless a tree is said. */
static LpCluster
flat(const LpMachine *machine)
{
    const LpCluster *circuits = &machine->cluster[LP_ATTACHMENT_SCALE_OUT];
    return (LpCluster){.id = circuits->id,
                       .prefix = circuits->prefix,
                       .suffix = circuits->suffix,
                       .n_hosts = circuits->n_hosts,
                       .topology = LP_TOPOLOGY_CROSSBAR,
                       .technology = LP_TECHNOLOGY_ELECTRICAL,
                       .link_bytes_per_s = machine->circuits.electrical_bytes_per_s,
                       .link_latency_s = circuits->link_latency_s};
}

static gboolean
read_tree(const LpXml *xml, const xmlNode *prop, LpMachine *machine, GError **error)
{
    guint64 n_ports = lp_machine_n_ports(machine);
    if (!lp_topology_read_tree(xml, prop, lp_xml_attribute(prop, "value"), &machine->packet_network,
                               error))
        return FALSE;
    if (machine->packet_network.n_hosts < n_ports)
        return lp_platform_fail(xml, prop, LP_MACHINE_ERROR_SIZE, error,
                                "prop electrical-tree: %" G_GUINT64_FORMAT
                                " ports, wanted at least the %" G_GUINT64_FORMAT " of the circuits",
                                machine->packet_network.n_hosts, n_ports);
    return lp_tree_leaves_check(xml, prop, machine, &machine->packet_network, error);
}

gboolean
lp_packet_network_read(const LpXml *xml, const LpProperties *properties, int place,
                       LpMachine *machine, GError **error)
{
    static const char *const names[] = {PACKET_NETWORK_NAMES};
    G_STATIC_ASSERT(G_N_ELEMENTS(names) == LP_N_PACKET_NETWORK_PROPERTIES);
    if (lp_circuit_switch_is_hybrid(&machine->circuits))
        machine->packet_network = flat(machine);
    for (guint i = 0; i < LP_N_PACKET_NETWORK_PROPERTIES; i++) {
        const xmlNode *prop = properties->props[place + (int)i];
        if (prop == NULL)
            continue;
        if (machine->packet_network.n_hosts == 0)
            return lp_platform_fail(xml, prop, LP_MACHINE_ERROR_STRUCTURE, error,
                                    "prop %s without a network beside circuits, wanted it with "
                                    "electrical-bandwidth only",
                                    names[i]);
        if (i == 0 && !read_tree(xml, prop, machine, error))
            return FALSE;
        if (i > 0 && !lp_medium_set(&machine->packet_network.medium, i - 1,
                                    lp_xml_attribute(prop, "value"), error))
            return lp_property_prefix(xml, prop, error);
    }
    return TRUE;
}
