/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the scale-out cluster, and checks that ports, planes, paths and PCIe links fit together. */
#include "platforms/machine/scale_out.h"

#include "base/units.h"
#include "platforms/machine/packet_network.h"
#include "platforms/machine/cluster.h"
#include "platforms/machine/plane_classes.h"
#include "platforms/machine/property.h"
#include "platforms/machine/topology.h"
#include "platforms/machine/tree_leaves.h"
#include "property_places.h"

static const char *const scale_out_names[] = {SCALE_OUT_NAMES, NULL};
G_STATIC_ASSERT(G_N_ELEMENTS(scale_out_names) <= LP_PROPERTIES_MAX + 1);

/* The unit belongs to rail order alone; it must hold whole leaves, so that none mixes rails. */
static gboolean
read_port_order(const LpXml *xml, const LpProperties *properties, LpMachine *machine,
                GError **error)
{
    int order = 0;
    if (!lp_properties_choice(properties, xml, SCALE_OUT_PORT_ORDER, lp_port_order_names, &order,
                              error))
        return FALSE;
    machine->port_order = (LpPortOrder)order;
    machine->unit_domains = 1;
    if (machine->port_order == LP_PORT_ORDER_RAIL)
        return lp_properties_count(properties, xml, SCALE_OUT_UNIT_DOMAINS, &machine->unit_domains,
                                   error);
    if (properties->props[SCALE_OUT_UNIT_DOMAINS] != NULL)
        return lp_platform_fail(
            xml, properties->props[SCALE_OUT_UNIT_DOMAINS], LP_MACHINE_ERROR_STRUCTURE, error,
            "prop unit-domains in node order, wanted it with port-order rail only");
    return TRUE;
}

/* A fat tree may have ports to spare, since its arities rarely give the number of ports needed; so
 * may a torus and a dragonfly. */
static gboolean
check_ports(const LpXml *xml, const LpProperties *properties, const LpMachine *machine,
            GError **error)
{
    const LpCluster *cluster = &machine->cluster[LP_ATTACHMENT_SCALE_OUT];
    guint64 n_needed = lp_machine_n_ports(machine);
    /* Only where a port costs nothing must there be none to spare. */
    gboolean may_spare = cluster->topology != LP_TOPOLOGY_CROSSBAR;
    if (n_needed > cluster->n_hosts || (!may_spare && n_needed < cluster->n_hosts))
        return lp_platform_fail(
            xml, properties->node, LP_MACHINE_ERROR_SIZE, error,
            "the scale-out cluster has %" G_GUINT64_FORMAT " hosts, wanted %s"
            "%" G_GUINT64_FORMAT ": %" G_GUINT64_FORMAT " domains with %u cards, %s order",
            cluster->n_hosts, may_spare ? "at least " : "", n_needed, lp_machine_n_domains(machine),
            machine->cards_per_domain, lp_port_order_names[machine->port_order]);
    const xmlNode *unit = properties->props[SCALE_OUT_UNIT_DOMAINS];
    return lp_tree_leaves_check(xml, unit != NULL ? unit : properties->node, machine, cluster,
                                error);
}

/* Rails that never meet are one unit, and the switches below the top hold one rail each, so that
 * nothing but the top, which is not there, would join them. */
static gboolean
read_rails(const LpXml *xml, const LpProperties *properties, LpMachine *machine, GError **error)
{
    const LpCluster *cluster = &machine->cluster[LP_ATTACHMENT_SCALE_OUT];
    const xmlNode *prop = properties->props[SCALE_OUT_JOINED_RAILS];
    gboolean is_joined = TRUE;
    if (prop != NULL && !lp_boolean_parse(lp_xml_attribute(prop, "value"), &is_joined, error))
        return lp_property_prefix(xml, prop, error);
    machine->rails_relay = !is_joined;
    if (is_joined)
        return TRUE;
    if (machine->port_order != LP_PORT_ORDER_RAIL ||
        (cluster->topology != LP_TOPOLOGY_CROSSBAR && cluster->topology != LP_TOPOLOGY_FAT_TREE))
        return lp_platform_fail(xml, prop, LP_MACHINE_ERROR_STRUCTURE, error,
                                "prop joined-rails: no, wanted a crossbar or fat tree in rail "
                                "order");
    if (cluster->topology == LP_TOPOLOGY_CROSSBAR)
        return TRUE;
    guint64 ports = 1;
    for (guint32 level = 0; level + 1 < cluster->n_levels; level++)
        ports *= cluster->down[level];
    if (ports != machine->unit_domains || machine->unit_domains < lp_machine_n_domains(machine))
        return lp_platform_fail(xml, prop, LP_MACHINE_ERROR_SIZE, error,
                                "prop joined-rails: no, with %" G_GUINT64_FORMAT " ports below a "
                                "switch under the top and units of %u domains, wanted as many of "
                                "both, and all %" G_GUINT64_FORMAT " domains in one unit",
                                ports, machine->unit_domains, lp_machine_n_domains(machine));
    return TRUE;
}

/* The topologies that SimGrid has no zone for; the cluster is flat then. */
static gboolean
read_fabric(const LpXml *xml, const LpProperties *properties, LpCluster *cluster, GError **error)
{
    enum {
        DRAGONFLY,
        DRAGONFLY_PLUS,
        TORUS,
        TWISTED_TORUS
    };
    static const char *const names[] = {"dragonfly", "dragonfly-plus", "torus", "twisted-torus",
                                        NULL};
    const xmlNode *prop = properties->props[SCALE_OUT_FABRIC];
    const xmlNode *parameters = properties->props[SCALE_OUT_FABRIC_PARAMETERS];
    int choice = 0;
    if (prop == NULL && parameters == NULL)
        return TRUE;
    if (!lp_properties_choice(properties, xml, SCALE_OUT_FABRIC, names, &choice, error))
        return FALSE;
    if (cluster->topology != LP_TOPOLOGY_CROSSBAR)
        return lp_platform_fail(xml, prop, LP_MACHINE_ERROR_STRUCTURE, error,
                                "prop fabric in a cluster with a topology, wanted a flat cluster");
    const char *text = lp_properties_value(properties, xml, SCALE_OUT_FABRIC_PARAMETERS, error);
    if (text == NULL)
        return FALSE;
    if (choice == TORUS || choice == TWISTED_TORUS)
        return lp_topology_read_torus(xml, parameters, choice == TWISTED_TORUS, text, cluster,
                                      error);
    return lp_topology_read_text(
        xml, parameters, choice == DRAGONFLY ? LP_TOPOLOGY_DRAGONFLY : LP_TOPOLOGY_DRAGONFLY_PLUS,
        text, cluster, error);
}

static gboolean
read_planes(const LpXml *xml, const LpProperties *properties, LpMachine *machine, GError **error)
{
    int use = LP_PLANE_USE_STRIPED;
    const xmlNode *planes = properties->props[SCALE_OUT_PLANES];
    const xmlNode *classes = properties->props[SCALE_OUT_PLANE_CLASSES];
    if (!lp_properties_count_or(properties, xml, SCALE_OUT_PLANES, &machine->n_planes, error) ||
        !lp_properties_choice_or(properties, xml, SCALE_OUT_PLANE_USE, lp_plane_use_names, &use,
                                 error))
        return FALSE;
    if (machine->n_planes > LP_MACHINE_PLANES_MAX)
        return lp_platform_fail(xml, planes, LP_MACHINE_ERROR_VALUE, error,
                                "prop planes: %u, wanted at most %u", machine->n_planes,
                                LP_MACHINE_PLANES_MAX);
    machine->plane_use = (LpPlaneUse)use;
    if (machine->plane_use == LP_PLANE_USE_CLASS) {
        const char *text = lp_properties_value(properties, xml, SCALE_OUT_PLANE_CLASSES, error);
        if (text == NULL)
            return FALSE;
        return lp_plane_classes_parse(text, machine->n_planes, machine->traffic_plane, error) ||
               lp_property_prefix(xml, classes, error);
    }
    if (classes != NULL)
        return lp_platform_fail(xml, classes, LP_MACHINE_ERROR_STRUCTURE, error,
                                "prop plane-classes with striped planes, wanted it with plane-use "
                                "class only");
    return lp_machine_link_bytes_per_s(machine, LP_ATTACHMENT_SCALE_OUT) <=
               LP_MACHINE_BYTES_PER_S_MAX ||
           lp_platform_fail(xml, planes, LP_MACHINE_ERROR_VALUE, error,
                            "prop planes: %u links of %g B/s side by side, wanted at most %g B/s "
                            "together",
                            machine->n_planes,
                            machine->cluster[LP_ATTACHMENT_SCALE_OUT].link_bytes_per_s,
                            LP_MACHINE_BYTES_PER_S_MAX);
}

static gboolean
read_paths(const LpXml *xml, const LpProperties *properties, LpMachine *machine, GError **error)
{
    const LpCluster *cluster = &machine->cluster[LP_ATTACHMENT_SCALE_OUT];
    const xmlNode *prop = properties->props[SCALE_OUT_PATH_CHOICE];
    const xmlNode *paths = properties->props[SCALE_OUT_PATHS];
    int choice = LP_PATH_CHOICE_STATIC;
    machine->path_seed = 1;
    if (!lp_properties_choice_or(properties, xml, SCALE_OUT_PATH_CHOICE, lp_path_choice_names,
                                 &choice, error))
        return FALSE;
    if (choice == LP_PATH_CHOICE_STATIC) {
        const xmlNode *useless = paths != NULL ? paths : properties->props[SCALE_OUT_PATH_SEED];
        return useless == NULL ||
               lp_platform_fail(xml, useless, LP_MACHINE_ERROR_STRUCTURE, error,
                                "prop %s with one static path, wanted it with path-choice hash "
                                "only",
                                lp_xml_attribute(useless, "id"));
    }
    machine->path_choice = LP_PATH_CHOICE_HASH;
    if (!lp_properties_count(properties, xml, SCALE_OUT_PATHS, &machine->n_paths, error) ||
        !lp_properties_count_or(properties, xml, SCALE_OUT_PATH_SEED, &machine->path_seed, error))
        return FALSE;
    if (cluster->topology != LP_TOPOLOGY_FAT_TREE || cluster->n_levels < 2)
        return lp_platform_fail(xml, prop, LP_MACHINE_ERROR_STRUCTURE, error,
                                "prop path-choice: hash, wanted static: only a fat tree of two or "
                                "three levels has several paths to choose from");
    if (machine->n_paths > LP_MACHINE_PATHS_MAX ||
        cluster->n_hosts * machine->n_paths > LP_MACHINE_HOSTS_MAX)
        return lp_platform_fail(xml, paths, LP_MACHINE_ERROR_SIZE, error,
                                "prop paths: %u for each of %" G_GUINT64_FORMAT
                                " ports, wanted at most %u, and %u in all",
                                machine->n_paths, cluster->n_hosts, LP_MACHINE_PATHS_MAX,
                                LP_MACHINE_HOSTS_MAX);
    return TRUE;
}

/* The link stands between ports of one domain and the first switch, so those ports must be
 * neighbours there. */
static gboolean
check_pcie(const LpXml *xml, const LpProperties *properties, const LpMachine *machine,
           GError **error)
{
    const LpCluster *cluster = &machine->cluster[LP_ATTACHMENT_SCALE_OUT];
    const xmlNode *prop = properties->props[SCALE_OUT_PCIE_PORTS];
    if (machine->pcie_ports < 2 || machine->cards_per_domain % machine->pcie_ports != 0)
        return lp_platform_fail(xml, prop, LP_MACHINE_ERROR_SIZE, error,
                                "prop pcie-ports: %u, wanted a divisor of the %u cards of a "
                                "domain, at least 2",
                                machine->pcie_ports, machine->cards_per_domain);
    if (machine->port_order != LP_PORT_ORDER_NODE ||
        (cluster->topology != LP_TOPOLOGY_CROSSBAR && cluster->topology != LP_TOPOLOGY_FAT_TREE))
        return lp_platform_fail(xml, prop, LP_MACHINE_ERROR_STRUCTURE, error,
                                "prop pcie-ports in rail order or beside a torus or dragonfly, "
                                "wanted a crossbar or fat tree in node order");
    if (cluster->n_levels > 0 && cluster->down[0] % machine->pcie_ports != 0)
        return lp_platform_fail(xml, prop, LP_MACHINE_ERROR_SIZE, error,
                                "prop pcie-ports: %u, wanted a divisor of the %u ports below a "
                                "leaf",
                                machine->pcie_ports, cluster->down[0]);
    return TRUE;
}

static gboolean
read_pcie(const LpXml *xml, const LpProperties *properties, LpMachine *machine, GError **error)
{
    if (properties->props[SCALE_OUT_PCIE_PORTS] == NULL &&
        properties->props[SCALE_OUT_PCIE_BANDWIDTH] == NULL)
        return TRUE;
    const char *text = lp_properties_value(properties, xml, SCALE_OUT_PCIE_BANDWIDTH, error);
    if (text == NULL ||
        !lp_properties_count(properties, xml, SCALE_OUT_PCIE_PORTS, &machine->pcie_ports, error))
        return FALSE;
    if (!lp_quantity_parse_in(LP_QUANTITY_BANDWIDTH, text, LP_MACHINE_BYTES_PER_S_MIN,
                              LP_MACHINE_BYTES_PER_S_MAX, &machine->pcie_bytes_per_s, error))
        return lp_property_prefix(xml, properties->props[SCALE_OUT_PCIE_BANDWIDTH], error);
    return check_pcie(xml, properties, machine, error);
}

static gboolean
read_transport(const LpXml *xml, const LpProperties *properties, LpMachine *machine, GError **error)
{
    int transport = LP_TRANSPORT_RDMA;
    if (!lp_properties_choice_or(properties, xml, SCALE_OUT_TRANSPORT, lp_transport_names,
                                 &transport, error))
        return FALSE;
    machine->transport = (LpTransport)transport;
    const xmlNode *loss = properties->props[SCALE_OUT_INCAST_LOSS];
    return loss == NULL ||
           lp_number_parse(lp_xml_attribute(loss, "value"), 0.0, LP_MACHINE_INCAST_LOSS_MAX,
                           &machine->incast_loss, error) ||
           lp_property_prefix(xml, loss, error);
}

static gboolean
read_ports(const LpXml *xml, LpProperties *properties, LpMachine *machine, GError **error)
{
    LpCluster *cluster = &machine->cluster[LP_ATTACHMENT_SCALE_OUT];
    if (!lp_cluster_read(xml, properties->node, cluster, error) ||
        !lp_properties_collect(properties, xml, error) ||
        !read_fabric(xml, properties, cluster, error) ||
        !lp_cluster_read_medium(xml, properties, SCALE_OUT_TECHNOLOGY, SCALE_OUT_ENERGY_PER_BIT,
                                SCALE_OUT_FIRST_MEDIUM, cluster, error) ||
        !lp_properties_count(properties, xml, SCALE_OUT_CARDS_PER_DOMAIN,
                             &machine->cards_per_domain, error) ||
        !read_port_order(xml, properties, machine, error))
        return FALSE;
    machine->has_scale_out = TRUE;
    if (machine->domain_size % machine->cards_per_domain != 0)
        return lp_platform_fail(xml, properties->props[SCALE_OUT_CARDS_PER_DOMAIN],
                                LP_MACHINE_ERROR_SIZE, error,
                                "prop cards-per-domain: %u, wanted a divisor of the domain size %u",
                                machine->cards_per_domain, machine->domain_size);
    if (machine->port_order == LP_PORT_ORDER_RAIL && cluster->topology != LP_TOPOLOGY_CROSSBAR &&
        cluster->topology != LP_TOPOLOGY_FAT_TREE)
        return lp_platform_fail(xml, properties->props[SCALE_OUT_PORT_ORDER],
                                LP_MACHINE_ERROR_STRUCTURE, error,
                                "prop port-order: rail, wanted node: a %s has no leaves",
                                lp_topology_names[cluster->topology]);
    return TRUE;
}

static gboolean
read_blocks(const LpXml *xml, const LpProperties *properties, LpMachine *machine, GError **error)
{
    LpTorusBlocks *blocks = &machine->blocks;
    const LpCluster *cluster = &machine->cluster[LP_ATTACHMENT_SCALE_OUT];
    const xmlNode *failed = properties->props[SCALE_OUT_FAILED_BLOCKS];
    if (!lp_properties_count_or(properties, xml, SCALE_OUT_BLOCK_SIZE, &blocks->size, error) ||
        !lp_properties_count_or(properties, xml, SCALE_OUT_BLOCKS, &blocks->n, error))
        return FALSE;
    if (failed != NULL && !lp_torus_blocks_parse(lp_xml_attribute(failed, "value"), blocks, error))
        return lp_property_prefix(xml, failed, error);
    if (lp_torus_blocks_check(blocks, &cluster->torus, error))
        return TRUE;
    g_prefix_error(error, "%s:%ld: prop ", xml->path, xmlGetLineNo(properties->node));
    return FALSE;
}

/* Switches of a region each join the same part of every rail. */
static gboolean
check_regions(const LpMachine *machine, GError **error)
{
    const LpCircuitSwitch *circuits = &machine->circuits;
    guint64 n_domains = lp_machine_n_domains(machine);
    gboolean mixes = !machine->rails_relay && machine->port_order == LP_PORT_ORDER_RAIL;
    if (circuits->region_domains == 0 ||
        (n_domains % circuits->region_domains == 0 && !mixes &&
         (circuits->policy == LP_CIRCUIT_POLICY_HYBRID || circuits->region_domains == n_domains)))
        return TRUE;
    g_set_error(error, LP_MACHINE_ERROR, LP_MACHINE_ERROR_STRUCTURE,
                "region-domains: %u, wanted a divisor of the %" G_GUINT64_FORMAT
                " domains, policy hybrid, and rails that never meet or node order",
                circuits->region_domains, n_domains);
    return FALSE;
}

static gboolean
read_circuits(const LpXml *xml, const LpProperties *properties, LpMachine *machine, GError **error)
{
    LpCircuitSwitch *circuits = &machine->circuits;
    const LpCluster *cluster = &machine->cluster[LP_ATTACHMENT_SCALE_OUT];
    circuits->n_ports = circuits->n_wavelengths = 1;
    for (guint i = 0; i < LP_N_CIRCUIT_PROPERTIES; i++) {
        const xmlNode *prop = properties->props[SCALE_OUT_FIRST_CIRCUIT + i];
        if (prop == NULL)
            continue;
        if (!lp_circuit_switch_set(circuits, i, lp_xml_attribute(prop, "value"), error))
            return lp_property_prefix(xml, prop, error);
        if (!circuits->is_present)
            return lp_platform_fail(xml, prop, LP_MACHINE_ERROR_STRUCTURE, error,
                                    "prop %s without prop policy, wanted it where circuits are "
                                    "switched only",
                                    lp_circuit_property_names[i]);
    }
    if (!circuits->is_present)
        return TRUE;
    if (machine->incast_loss > 0.0)
        return lp_platform_fail(
            xml, properties->props[SCALE_OUT_INCAST_LOSS], LP_MACHINE_ERROR_STRUCTURE, error,
            "prop incast-loss: %g, wanted none beside circuits", machine->incast_loss);
    if (cluster->topology != LP_TOPOLOGY_CROSSBAR || machine->pcie_ports > 0 ||
        (machine->plane_use == LP_PLANE_USE_CLASS && machine->n_planes > 1))
        return lp_platform_fail(xml, properties->props[SCALE_OUT_FIRST_CIRCUIT],
                                LP_MACHINE_ERROR_STRUCTURE, error,
                                "prop policy beside a topology, planes of classes or PCIe links, "
                                "wanted a flat cluster: circuits join its ports");
    if (lp_circuit_switch_check(circuits, lp_machine_switch_attachments(machine),
                                lp_machine_link_bytes_per_s(machine, LP_ATTACHMENT_SCALE_OUT),
                                error) &&
        check_regions(machine, error)) {
        lp_circuit_switch_settle(circuits);
        return TRUE;
    }
    g_prefix_error(error, "%s:%ld: prop ", xml->path, xmlGetLineNo(properties->node));
    return FALSE;
}

/* A network of their own joins the domains of a pod: flat, without loss, on the same ports. */
static gboolean
read_pods(const LpXml *xml, const LpProperties *properties, LpMachine *machine, GError **error)
{
    const xmlNode *prop = properties->props[SCALE_OUT_POD_DOMAINS];
    const xmlNode *latency = properties->props[SCALE_OUT_POD_LATENCY];
    const xmlNode *useless = latency != NULL ? latency : properties->props[SCALE_OUT_POD_BANDWIDTH];
    LpCluster *out = &machine->cluster[LP_ATTACHMENT_SCALE_OUT], *pod = &machine->pod;
    guint64 n_domains = lp_machine_n_domains(machine);
    if (prop == NULL)
        return useless == NULL || lp_platform_fail(xml, useless, LP_MACHINE_ERROR_STRUCTURE, error,
                                                   "prop %s without prop pod-domains, wanted both",
                                                   lp_xml_attribute(useless, "id"));
    const char *text = lp_properties_value(properties, xml, SCALE_OUT_POD_BANDWIDTH, error);
    if (text == NULL ||
        !lp_properties_count(properties, xml, SCALE_OUT_POD_DOMAINS, &machine->pod_domains, error))
        return FALSE;
    *pod = (LpCluster){.id = out->id,
                       .prefix = out->prefix,
                       .suffix = out->suffix,
                       .n_hosts = out->n_hosts,
                       .topology = LP_TOPOLOGY_CROSSBAR,
                       .technology = out->technology,
                       .link_latency_s = out->link_latency_s};
    if (!lp_quantity_parse_in(LP_QUANTITY_BANDWIDTH, text, LP_MACHINE_BYTES_PER_S_MIN,
                              LP_MACHINE_BYTES_PER_S_MAX, &pod->link_bytes_per_s, error))
        return lp_property_prefix(xml, properties->props[SCALE_OUT_POD_BANDWIDTH], error);
    if (latency != NULL &&
        !lp_quantity_parse_in(LP_QUANTITY_TIME, lp_xml_attribute(latency, "value"), 0,
                              LP_MACHINE_LATENCY_MAX_S, &pod->link_latency_s, error))
        return lp_property_prefix(xml, latency, error);
    if (machine->pod_domains < 2 || n_domains % machine->pod_domains != 0)
        return lp_platform_fail(xml, prop, LP_MACHINE_ERROR_SIZE, error,
                                "prop pod-domains: %u, wanted a divisor of the %" G_GUINT64_FORMAT
                                " domains, at least 2",
                                machine->pod_domains, n_domains);
    return (!machine->circuits.is_present && machine->plane_use == LP_PLANE_USE_STRIPED &&
            machine->n_paths == 1 && machine->pcie_ports == 0) ||
           lp_platform_fail(xml, prop, LP_MACHINE_ERROR_STRUCTURE, error,
                            "prop pod-domains beside circuits, planes of classes, paths by hash or "
                            "PCIe links, wanted none of them");
}

gboolean
lp_scale_out_read(const LpXml *xml, xmlNode *node, LpMachine *machine, GError **error)
{
    LpProperties properties = {node, scale_out_names, {NULL}};
    return read_ports(xml, &properties, machine, error) &&
           check_ports(xml, &properties, machine, error) &&
           read_rails(xml, &properties, machine, error) &&
           read_planes(xml, &properties, machine, error) &&
           read_paths(xml, &properties, machine, error) &&
           read_pcie(xml, &properties, machine, error) &&
           read_transport(xml, &properties, machine, error) &&
           read_blocks(xml, &properties, machine, error) &&
           read_circuits(xml, &properties, machine, error) &&
           read_pods(xml, &properties, machine, error) &&
           lp_packet_network_read(xml, &properties, SCALE_OUT_FIRST_PACKET_NETWORK, machine, error);
}
