/* SPDX-License-Identifier: Apache-2.0 */
/* What the values of a specification imply together: domains, ports, their rate, a fabric. */
#include "platforms/generation/sizing.h"

#include "platforms/generation/cards.h"
#include "platforms/generation/machine_options.h"

static gboolean
find_domains(const LpMachineSpecification *specification, LpMachineSizing *sizing, GError **error)
{
    guint32 n = specification->n_accelerators, domain_size = specification->domain.size;
    if (n % domain_size != 0)
        return lp_layout_fail(
            error, LP_MACHINE_ERROR_SIZE,
            "--accelerators: %u, wanted a multiple of the domain size %u, or a divisor", n,
            domain_size);
    sizing->n_domains = n / domain_size;
    return TRUE;
}

/* The default follows the domain's size, so that another size keeps the accelerators per port. */
static gboolean
find_default_cards(const LpMachineSpecification *specification, LpMachineSizing *sizing,
                   GError **error)
{
    guint32 domain_size = specification->domain.size;
    guint32 n_sharing = MIN(specification->scale_out.accelerators_per_port, domain_size);
    sizing->n_cards = 1;
    if (sizing->n_domains == 1)
        return TRUE;
    if (domain_size % n_sharing != 0)
        return lp_layout_fail(
            error, LP_MACHINE_ERROR_SIZE,
            "--domain-size: %u, wanted a multiple of the %u accelerators that share a "
            "card, or --nics-per-domain",
            domain_size, n_sharing);
    sizing->n_cards = domain_size / n_sharing;
    return TRUE;
}

static gboolean
find_cards(const LpMachineSpecification *specification, LpMachineSizing *sizing, GError **error)
{
    const LpScaleOutSpecification *out = &specification->scale_out;
    if (out->n_rails == 0 && out->domain_ports == 0)
        return find_default_cards(specification, sizing, error);
    sizing->n_cards = out->n_rails != 0 ? out->n_rails : out->domain_ports;
    if (out->n_rails != 0 && out->domain_ports != 0 && out->n_rails != out->domain_ports)
        return lp_layout_fail(
            error, LP_MACHINE_ERROR_SIZE,
            "--rails: %u, wanted the value of --nics-per-domain, or one of the two", out->n_rails);
    if (specification->domain.size % sizing->n_cards != 0)
        return lp_layout_fail(error, LP_MACHINE_ERROR_SIZE,
                              "--%s: %u, wanted a divisor of the domain size %u%s",
                              out->n_rails != 0 ? "rails" : "nics-per-domain", sizing->n_cards,
                              specification->domain.size,
                              sizing->n_cards > specification->domain.size
                                  ? "; several cards for an accelerator are --planes, with the "
                                    "rate of all in --scale-out-bandwidth"
                                  : "");
    return TRUE;
}

static gboolean
check_rails(const LpMachineSpecification *specification, GError **error)
{
    const LpScaleOutSpecification *out = &specification->scale_out;
    if (out->n_rails != 0 && out->port_order != LP_PORT_ORDER_RAIL)
        return lp_layout_fail(error, LP_MACHINE_ERROR_STRUCTURE,
                              "--rails: given with --port-order=node, wanted --port-order=rail");
    if (!out->has_joined_rails &&
        (out->port_order != LP_PORT_ORDER_RAIL ||
         (out->topology != LP_TOPOLOGY_FAT_TREE && out->topology != LP_TOPOLOGY_CROSSBAR)))
        return lp_layout_fail(
            error, LP_MACHINE_ERROR_STRUCTURE,
            "--joined-rails: no, wanted --port-order=rail and a fat tree or crossbar");
    return TRUE;
}

static gboolean
check_planes(const LpMachineSpecification *specification, GError **error)
{
    const LpPlaneSpecification *planes = &specification->planes;
    if (planes->ports_per_accelerator != 0 && planes->ports_per_accelerator != planes->n)
        return lp_layout_fail(
            error, LP_MACHINE_ERROR_SIZE,
            "--ports-per-accelerator: %u, wanted the value of --planes, or one of the two",
            planes->ports_per_accelerator);
    if (planes->n > LP_MACHINE_PLANES_MAX)
        return lp_layout_fail(error, LP_MACHINE_ERROR_VALUE, "--planes: %u, wanted at most %u",
                              planes->n, LP_MACHINE_PLANES_MAX);
    return TRUE;
}

/* A torus has its rate by link, since a port has several. */
static gboolean
find_link_rate(const LpMachineSpecification *specification, LpMachineSizing *sizing, GError **error)
{
    sizing->link_bytes_per_s = lp_cards_bytes_per_s(specification, sizing->n_cards);
    if (sizing->link_bytes_per_s > LP_MACHINE_BYTES_PER_S_MAX)
        return lp_layout_fail(error, LP_MACHINE_ERROR_VALUE,
                              "--scale-out-bandwidth: %g B/s a card, wanted at most %g",
                              sizing->link_bytes_per_s, LP_MACHINE_BYTES_PER_S_MAX);
    return TRUE;
}

static gboolean
check_oversubscription(const LpMachineSpecification *specification, GError **error)
{
    const LpOversubscription *ratio = &specification->tree.oversubscription;
    if (specification->scale_out.topology == LP_TOPOLOGY_FAT_TREE ||
        specification->packet_network.topology == LP_TOPOLOGY_FAT_TREE ||
        ratio->below == ratio->above)
        return TRUE;
    return lp_layout_fail(error, LP_MACHINE_ERROR_VALUE,
                          "--oversubscription: %s, wanted 1: a %s has nothing above its ports",
                          specification->origin[LP_MACHINE_OPTION_OVERSUBSCRIPTION].text,
                          lp_topology_names[specification->scale_out.topology]);
}

/* An option that the topology has no use for would be lost without a word. */
static gboolean
check_used(const LpMachineSpecification *specification, GError **error)
{
    LpTopology topology = specification->scale_out.topology;
    guint present = 1u << topology | 1u << specification->packet_network.topology;
    for (guint i = 0; i < LP_N_MACHINE_OPTIONS; i++) {
        guint topologies = lp_machine_options[i].topologies;
        if (lp_specification_is_given(specification, i) && topologies != 0 &&
            (topologies & present) == 0)
            return lp_layout_fail(error, LP_MACHINE_ERROR_STRUCTURE,
                                  "--%s: given for a %s, wanted it for another topology only",
                                  lp_machine_options[i].name, lp_topology_names[topology]);
    }
    return TRUE;
}

static gboolean
check_circuits(const LpMachineSpecification *specification, GError **error)
{
    for (guint i = LP_MACHINE_OPTION_ELECTRICAL_TOPOLOGY;
         i <= LP_MACHINE_OPTION_ELECTRICAL_SWITCH_TECHNOLOGY; i++)
        if (lp_specification_is_given(specification, i) && specification->circuits.is_present &&
            specification->circuits.electrical_bytes_per_s <= 0.0)
            return lp_layout_fail(error, LP_MACHINE_ERROR_STRUCTURE,
                                  "--%s: given where nothing stands beside circuits, wanted "
                                  "--electrical-bandwidth with it",
                                  lp_machine_options[i].name);
    if (specification->circuits.is_present)
        return TRUE;
    for (guint i = LP_MACHINE_OPTION_POLICY; i <= LP_MACHINE_OPTION_ELECTRICAL_SWITCH_TECHNOLOGY;
         i++)
        if (lp_specification_is_given(specification, i))
            return lp_layout_fail(error, LP_MACHINE_ERROR_STRUCTURE,
                                  "--%s: given where no circuits are switched, wanted --policy "
                                  "with it",
                                  lp_machine_options[i].name);
    return TRUE;
}

/* A balanced dragonfly has twice as many routers of a group as ports below each (Kim et al., ISCA
 * 2008, section 3.1). */
static LpDragonfly
wanted_dragonfly(const LpDragonflySpecification *said)
{
    return (LpDragonfly){
        .n_ports = said->router_ports,
        .n_routers = said->group_routers != 0 ? said->group_routers
                                              : MIN(2 * said->router_ports, LP_MACHINE_HOSTS_MAX),
        .router_links = said->local_links,
        .group_links = said->global_links,
        .n_spines = said->group_spines != 0 ? said->group_spines : said->router_ports,
    };
}

/* What shapes the scale-out fabric; the machine's own reader checks the rest of it. */
static LpLayoutRequest
wanted_fabric(const LpMachineSpecification *specification, const LpMachineSizing *sizing)
{
    static const guint32 levels[] = {
        [LP_TREE_LEVELS_AUTO] = 0, [LP_TREE_LEVELS_2] = 2, [LP_TREE_LEVELS_3] = 3};
    const LpTreeSpecification *tree = &specification->tree;
    return (LpLayoutRequest){
        .topology = specification->scale_out.topology,
        .port_order = specification->scale_out.port_order,
        .rails_relay = !specification->scale_out.has_joined_rails,
        .n_domains = sizing->n_domains,
        .n_cards = sizing->n_cards,
        .leaf_ports = tree->leaf_ports,
        .leaf_ports_are_given =
            lp_specification_is_given(specification, LP_MACHINE_OPTION_LEAF_PORTS),
        .switch_ports = tree->switch_ports,
        .switch_ports_are_given =
            lp_specification_is_given(specification, LP_MACHINE_OPTION_SWITCH_PORTS),
        .n_levels = levels[tree->levels],
        .oversubscription = tree->oversubscription,
        .spine_oversubscription = tree->spine_oversubscription,
        .torus = specification->torus,
        .block_size = specification->blocks.size,
        .dragonfly = wanted_dragonfly(&specification->dragonfly),
    };
}

gboolean
lp_sizing_find(const LpMachineSpecification *specification, LpMachineSizing *out_sizing,
               GError **error)
{
    *out_sizing = (LpMachineSizing){.n_domains = 0};
    if (!find_domains(specification, out_sizing, error) || !check_rails(specification, error) ||
        !find_cards(specification, out_sizing, error) || !check_planes(specification, error) ||
        !find_link_rate(specification, out_sizing, error) ||
        !check_oversubscription(specification, error) || !check_used(specification, error) ||
        !check_circuits(specification, error))
        return FALSE;
    out_sizing->wanted = out_sizing->packet_network = wanted_fabric(specification, out_sizing);
    out_sizing->has_packet_tree = specification->packet_network.topology == LP_TOPOLOGY_FAT_TREE;
    out_sizing->packet_network.topology = LP_TOPOLOGY_FAT_TREE;
    return TRUE;
}
