/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the ports and transceivers of a machine's scale-out network, tier by tier. */
#include "platforms/machine/network_parts.h"

#include "platforms/machine/describe.h"

#include <math.h>
#include <string.h>

/* What of such a rate the end of a link takes; rates in other units are the same. */
static guint64
n_at_end(const LpCluster *cluster, LpMediumNumber rate)
{
    if (!lp_medium_knows(&cluster->medium, rate))
        return 1;
    return (guint64)ceil(cluster->link_bytes_per_s / cluster->medium.number[rate] - 1e-6);
}

/* Transceivers of an end of a link, and ports of a host. */
static guint64
lanes(const LpCluster *cluster)
{
    return MAX(n_at_end(cluster, LP_MEDIUM_LINK_RATE), 1);
}

/* Ports of a switch at an end of a link. */
static guint64
switch_ports(const LpCluster *cluster)
{
    return MAX(lanes(cluster), n_at_end(cluster, LP_MEDIUM_SWITCH_PORT_RATE));
}

/* Links of a tier that act as one are several. */
static guint64
n_links(const LpTierFacts *tier, const LpCluster *cluster)
{
    return tier->n_links * (guint64)round(tier->link_bytes_per_s / cluster->link_bytes_per_s);
}

static LpNetworkCount
count_ports(const LpMachine *self)
{
    const LpCluster *cluster = &self->cluster[LP_ATTACHMENT_SCALE_OUT];
    LpMachineFacts facts = lp_machine_facts(self);
    guint64 n_hosts = facts.n_domains * self->cards_per_domain * self->n_planes;
    LpNetworkCount count = {.n_host_ports = n_hosts};
    for (guint32 i = 1; i < facts.n_tiers; i++) {
        const LpTierFacts *tier = &facts.tiers[i];
        if (strcmp(tier->name, "torus") == 0 && self->blocks.size > 0)
            count.n_host_ports = count.n_switch_ports =
                2 * lp_torus_blocks_n_links(&self->blocks, &cluster->torus) * self->n_planes;
        else if (strcmp(tier->name, "torus") == 0)
            count.n_host_ports = 2 * n_links(tier, cluster);
        else if (strcmp(tier->name, "port") == 0)
            count.n_switch_ports += n_hosts;
        else if (strcmp(tier->name, "pcie") != 0 && strcmp(tier->name, "bridge") != 0 &&
                 strcmp(tier->name, "root") != 0)
            count.n_switch_ports += 2 * n_links(tier, cluster);
    }
    gboolean is_both = cluster->medium.transceivers == LP_TRANSCEIVERS_BOTH;
    count.n_host_ports *= lanes(cluster);
    count.n_transceivers =
        count.n_host_ports + (is_both ? count.n_switch_ports * lanes(cluster) : 0);
    count.n_switch_ports *= switch_ports(cluster);
    /* Each transceiver is joined to as many ports of a circuit switch as circuits it may be in. */
    if (self->circuits.is_present)
        count.n_switch_ports *= self->circuits.n_ports;
    return count;
}

/* Whether a sum of @of_transceiver and @of_port can be formed. */
static gboolean
is_known(const LpMedium *medium, const LpNetworkCount *count, LpMediumNumber of_transceiver,
         LpMediumNumber of_port)
{
    return lp_medium_knows(medium, of_transceiver) &&
           (count->n_switch_ports == 0 || lp_medium_knows(medium, of_port));
}

static LpMachineNetwork
network_of(const LpMachine *self)
{
    LpMachineNetwork network = {.has_power = FALSE};
    const LpMedium *medium = &self->cluster[LP_ATTACHMENT_SCALE_OUT].medium;
    const double *number = medium->number;
    LpNetworkParts parts = {.transceiver_price_usd = number[LP_MEDIUM_TRANSCEIVER_PRICE],
                            .transceiver_power_w = number[LP_MEDIUM_TRANSCEIVER_POWER],
                            .switch_port_price_usd = number[LP_MEDIUM_SWITCH_PORT_PRICE],
                            .switch_port_power_w = number[LP_MEDIUM_SWITCH_PORT_POWER]};
    network.count = count_ports(self);
    network.has_power =
        is_known(medium, &network.count, LP_MEDIUM_TRANSCEIVER_POWER, LP_MEDIUM_SWITCH_PORT_POWER);
    network.has_price =
        is_known(medium, &network.count, LP_MEDIUM_TRANSCEIVER_PRICE, LP_MEDIUM_SWITCH_PORT_PRICE);
    LpNetworkCost cost = lp_network_cost(&network.count, &parts);
    if (network.has_power)
        network.cost.power_w = cost.power_w;
    if (network.has_price)
        network.cost.price_usd =
            cost.price_usd + number[LP_MEDIUM_CARD_PRICE] * (double)network.count.n_host_ports;
    return network;
}

LpMachineNetwork
lp_machine_network(const LpMachine *self)
{
    /* What pods' networks are made of nobody says. */
    if (!self->has_scale_out || self->pod_domains > 0)
        return (LpMachineNetwork){.has_power = FALSE};
    LpMachineNetwork network = network_of(self);
    if (!lp_circuit_switch_is_hybrid(&self->circuits))
        return network;
    LpMachine machine = lp_machine_packet_network(self);
    LpMachineNetwork packet_network = network_of(&machine);
    network.packet_network = packet_network.count;
    network.count.n_host_ports += packet_network.count.n_host_ports;
    network.count.n_switch_ports += packet_network.count.n_switch_ports;
    network.count.n_transceivers += packet_network.count.n_transceivers;
    network.has_power = network.has_power && packet_network.has_power;
    network.has_price = network.has_price && packet_network.has_price;
    network.cost = (LpNetworkCost){
        .power_w = network.has_power ? network.cost.power_w + packet_network.cost.power_w : 0.0,
        .price_usd =
            network.has_price ? network.cost.price_usd + packet_network.cost.price_usd : 0.0};
    return network;
}
