/* SPDX-License-Identifier: Apache-2.0 */
/* A machine view: which port an accelerator uses, and how far ports are from each other. */
#include "platforms/machine/machine.h"

#include <string.h>

G_DEFINE_QUARK(lp_machine_error, lp_machine_error)

const char *const lp_attachment_names[] = {"scale-up", "scale-out", NULL};
const char *const lp_technology_names[] = {"electrical", "optical", NULL};
const char *const lp_plane_class_names[] = {"tp", "pp", "dp", "ep", "cp", NULL};

static void
clear_cluster(LpCluster *cluster)
{
    g_free(cluster->id);
    g_free(cluster->prefix);
    g_free(cluster->suffix);
}

void
lp_machine_free(LpMachine *self)
{
    if (self == NULL)
        return;
    g_free(self->path);
    g_free(self->system);
    g_free(self->library);
    g_free(self->generated_by);
    g_free(self->warning);
    for (int i = 0; i < LP_N_ATTACHMENTS; i++)
        clear_cluster(&self->cluster[i]);
    g_free(self);
}

guint64
lp_machine_n_domains(const LpMachine *self)
{
    return self->n_accelerators / self->domain_size;
}

guint64
lp_machine_domain(const LpMachine *self, guint64 accelerator)
{
    return accelerator / self->domain_size;
}

guint64
lp_machine_card(const LpMachine *self, guint64 accelerator)
{
    return accelerator % self->domain_size * self->cards_per_domain / self->domain_size;
}

static guint64
scale_out_port(const LpMachine *self, guint64 domain, guint64 place)
{
    if (self->port_order == LP_PORT_ORDER_NODE)
        return domain * self->cards_per_domain + place;
    guint64 unit = domain / self->unit_domains;
    return (unit * self->cards_per_domain + place) * self->unit_domains +
           domain % self->unit_domains;
}

guint64
lp_machine_port(const LpMachine *self, guint64 accelerator, LpAttachment attachment)
{
    if (attachment == LP_ATTACHMENT_SCALE_UP)
        return accelerator;
    return scale_out_port(self, lp_machine_domain(self, accelerator),
                          lp_machine_card(self, accelerator));
}

char *
lp_machine_host_name(const LpMachine *self, guint64 accelerator, LpAttachment attachment)
{
    const LpCluster *cluster = &self->cluster[attachment];
    return g_strdup_printf("%s%" G_GUINT64_FORMAT "%s", cluster->prefix,
                           lp_machine_port(self, accelerator, attachment), cluster->suffix);
}

LpAttachment
lp_machine_attachment(const LpMachine *self, guint64 a, guint64 b)
{
    return lp_machine_domain(self, a) == lp_machine_domain(self, b) ? LP_ATTACHMENT_SCALE_UP
                                                                    : LP_ATTACHMENT_SCALE_OUT;
}

guint32
lp_machine_n_planes(const LpMachine *self)
{
    if (lp_circuit_switch_is_hybrid(&self->circuits) || self->pod_domains > 0)
        return 2;
    return self->plane_use == LP_PLANE_USE_CLASS ? self->n_planes : 1;
}

guint32
lp_machine_plane(const LpMachine *self, LpTraffic traffic)
{
    /* Gradients of tied embeddings are gradients. */
    LpTraffic steered = traffic == LP_TRAFFIC_EMBEDDING ? LP_TRAFFIC_DP : traffic;
    if (lp_circuit_switch_is_hybrid(&self->circuits))
        return lp_circuit_switch_carries(&self->circuits, steered) ? 0 : 1;
    return self->traffic_plane[traffic];
}

double
lp_machine_link_bytes_per_s(const LpMachine *self, LpAttachment attachment)
{
    gboolean is_striped =
        attachment == LP_ATTACHMENT_SCALE_OUT && self->plane_use == LP_PLANE_USE_STRIPED;
    return self->cluster[attachment].link_bytes_per_s * (is_striped ? self->n_planes : 1);
}

gboolean
lp_machine_light_passes(const LpMachine *self)
{
    const LpCluster *cluster = &self->cluster[LP_ATTACHMENT_SCALE_OUT];
    if (!self->has_scale_out || cluster->topology != LP_TOPOLOGY_CROSSBAR)
        return FALSE;
    return self->circuits.is_present || (cluster->technology == LP_TECHNOLOGY_OPTICAL &&
                                         cluster->medium.transceivers == LP_TRANSCEIVERS_HOST);
}

double
lp_machine_plane_bytes_per_s(const LpMachine *self, guint32 plane)
{
    if (plane == 1 && self->pod_domains > 0)
        return self->pod.link_bytes_per_s;
    return plane == 1 && lp_circuit_switch_is_hybrid(&self->circuits)
               ? self->circuits.electrical_bytes_per_s
               : lp_machine_link_bytes_per_s(self, LP_ATTACHMENT_SCALE_OUT);
}

gboolean
lp_machine_in_pod(const LpMachine *self, guint64 a, guint64 b)
{
    guint64 first = lp_machine_domain(self, a), second = lp_machine_domain(self, b);
    return self->pod_domains > 0 && first != second &&
           first / self->pod_domains == second / self->pod_domains;
}

const LpCluster *
lp_machine_plane_cluster(const LpMachine *self, LpAttachment attachment, guint32 plane)
{
    if (attachment == LP_ATTACHMENT_SCALE_OUT && plane == 1 && self->pod_domains > 0)
        return &self->pod;
    gboolean is_packet_network = attachment == LP_ATTACHMENT_SCALE_OUT && plane == 1 &&
                                 lp_circuit_switch_is_hybrid(&self->circuits);
    return is_packet_network ? &self->packet_network : &self->cluster[attachment];
}

LpMachine
lp_machine_packet_network(const LpMachine *self)
{
    LpMachine packet_network = *self;
    packet_network.cluster[LP_ATTACHMENT_SCALE_OUT] = self->packet_network;
    packet_network.circuits = (LpCircuitSwitch){.is_present = FALSE};
    packet_network.n_planes = 1;
    packet_network.plane_use = LP_PLANE_USE_STRIPED;
    return packet_network;
}

gboolean
lp_machine_circuits_join(const LpMachine *self, guint64 a, guint64 b)
{
    guint32 region = self->circuits.region_domains;
    return region == 0 ||
           lp_machine_domain(self, a) / region == lp_machine_domain(self, b) / region;
}

/* What is left of a port at worst. */
#define INCAST_SHARE_MIN 0.1

double
lp_machine_incast_share(const LpMachine *self, guint32 n)
{
    if (self->incast_loss <= 0.0 || n < 2)
        return 1.0;
    return MAX(1.0 / (1.0 + self->incast_loss * (n - 1)), INCAST_SHARE_MIN);
}

gboolean
lp_machine_joined(const LpMachine *self, guint64 a, guint64 b, guint32 plane)
{
    g_return_val_if_fail(plane < lp_machine_n_planes(self), FALSE);
    return !self->rails_relay || lp_machine_domain(self, a) == lp_machine_domain(self, b) ||
           lp_machine_in_pod(self, a, b) || lp_machine_card(self, a) == lp_machine_card(self, b);
}

guint64
lp_machine_relay(const LpMachine *self, guint64 a, guint64 b)
{
    if (lp_machine_joined(self, a, b, 0))
        return a;
    return lp_machine_domain(self, a) * self->domain_size + b % self->domain_size;
}

/* One round of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): every bit of the input moves every
 * bit of the output. */
static guint64
mix(guint64 x)
{
    x += G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * G_GUINT64_CONSTANT(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * G_GUINT64_CONSTANT(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

guint32
lp_machine_path(const LpMachine *self, guint64 a, guint64 b, LpTraffic traffic)
{
    if (self->path_choice == LP_PATH_CHOICE_STATIC)
        return 0;
    guint64 from = lp_machine_port(self, a, LP_ATTACHMENT_SCALE_OUT);
    guint64 to = lp_machine_port(self, b, LP_ATTACHMENT_SCALE_OUT);
    guint64 hash = mix(mix(mix(self->path_seed) + from) + to);
    return (guint32)(mix(hash + (guint64)traffic) % self->n_paths);
}

double
lp_machine_scale_out_bytes_per_s(const LpMachine *self)
{
    if (!self->has_scale_out)
        return 0;
    double cards_bytes_per_s =
        lp_machine_link_bytes_per_s(self, LP_ATTACHMENT_SCALE_OUT) * self->cards_per_domain;
    if (self->pcie_ports > 0)
        cards_bytes_per_s = MIN(cards_bytes_per_s,
                                self->pcie_bytes_per_s * self->cards_per_domain / self->pcie_ports);
    const LpPcieHost *host = &self->pcie_host;
    if (lp_pcie_host_is_on_way_out(host))
        cards_bytes_per_s = MIN(cards_bytes_per_s, host->root_bytes_per_s * self->domain_size /
                                                       host->root_accelerators);
    return cards_bytes_per_s / self->domain_size;
}

guint32
lp_machine_port_ends(const LpMachine *self)
{
    return lp_pcie_host_is_on_way_out(&self->pcie_host) ? self->domain_size / self->cards_per_domain
                                                        : 1;
}

guint64
lp_machine_n_ports(const LpMachine *self)
{
    return scale_out_port(self, lp_machine_n_domains(self) - 1, self->cards_per_domain - 1) + 1;
}

/* Ports below a switch of @level; the numbering puts them in one aligned block. */
static guint64
ports_below(const LpCluster *cluster, guint32 level)
{
    guint64 ports = 1;
    for (guint32 i = 0; i <= level; i++)
        ports *= cluster->down[i];
    return ports;
}

guint64
lp_machine_switch_attachments(const LpMachine *self)
{
    guint64 n_rails = self->rails_relay ? self->cards_per_domain : 1;
    guint64 n_domains = lp_machine_n_domains(self);
    if (self->circuits.region_domains > 0)
        n_domains = MIN(n_domains, self->circuits.region_domains);
    return n_domains * self->cards_per_domain / n_rails;
}

guint64
lp_machine_span_domains(const LpMachine *self, guint32 level)
{
    const LpCluster *cluster = &self->cluster[LP_ATTACHMENT_SCALE_OUT];
    guint64 n_domains = lp_machine_n_domains(self);
    if (level + 1 >= cluster->n_levels)
        return n_domains;
    guint64 ports = ports_below(cluster, level);
    guint64 cards = self->cards_per_domain;
    guint64 span = ports / cards;
    /* A block of ports within one unit holds whole rails of it, or a part of one rail. */
    if (self->port_order == LP_PORT_ORDER_RAIL && ports < cards * self->unit_domains)
        span = MIN(ports, self->unit_domains);
    return MIN(span, n_domains);
}

static void
fill_tiers(const LpMachine *self, LpFabric *fabric)
{
    const LpCluster *cluster = &self->cluster[LP_ATTACHMENT_SCALE_OUT];
    guint64 n_domains = lp_machine_n_domains(self);
    guint32 n_levels = MAX(cluster->n_levels, 1);
    guint64 nearer = 0;
    for (guint32 level = 0; level < n_levels; level++) {
        guint64 span = lp_machine_span_domains(self, level);
        /* No pair of domains is first joined at this level. */
        if (span == 0 || span == nearer)
            continue;
        nearer = span;
        /* Up and down again: two links for each level that is climbed. */
        fabric->tiers[fabric->n_tiers++] = (LpFabricTier){
            .span_domains = span, .latency_s = 2 * (level + 1) * cluster->link_latency_s};
        if (span == n_domains)
            break;
    }
}

/* Cards, and switches above them. Where rails never meet, what would join them is there for SimGrid
 * alone. */
static void
fill_levels(const LpMachine *self, LpFabric *fabric)
{
    const LpCluster *cluster = &self->cluster[LP_ATTACHMENT_SCALE_OUT];
    guint32 n_levels = cluster->n_levels - (self->rails_relay && cluster->n_levels > 0 ? 1 : 0);
    double links_bytes_per_s = lp_machine_link_bytes_per_s(self, LP_ATTACHMENT_SCALE_OUT);
    fabric->n_cards = self->cards_per_domain;
    fabric->unit_domains = self->port_order == LP_PORT_ORDER_RAIL ? self->unit_domains : 1;
    fabric->levels[fabric->n_levels++] = (LpFabricBlock){
        1, fabric->scale_out_bytes_per_s * self->domain_size / self->cards_per_domain};
    for (guint32 level = 0; level + 1 < n_levels && fabric->n_levels < LP_FABRIC_TIERS_MAX;
         level++) {
        links_bytes_per_s *= cluster->up[level + 1];
        if (ports_below(cluster, level) < cluster->n_hosts)
            fabric->levels[fabric->n_levels++] =
                (LpFabricBlock){ports_below(cluster, level), links_bytes_per_s};
    }
}

/* Leaves of two rails meet at the level above, unless a switch there holds less than a unit's. */
static void
fill_rails(const LpMachine *self, LpFabric *fabric)
{
    const LpCluster *cluster = &self->cluster[LP_ATTACHMENT_SCALE_OUT];
    fabric->rails_relay = self->rails_relay;
    if (self->rails_relay)
        fabric->n_rails = self->cards_per_domain;
    if (self->rails_relay || self->port_order != LP_PORT_ORDER_RAIL || cluster->n_levels < 2)
        return;
    gboolean meet = cluster->n_levels == 2 ||
                    ports_below(cluster, 1) >= (guint64)self->cards_per_domain * self->unit_domains;
    fabric->n_rails = self->cards_per_domain;
    fabric->rail_change_latency_s = (meet ? 4 : 6) * cluster->link_latency_s;
}

static LpFabricPacketNetwork
packet_network_of(const LpMachine *self)
{
    const LpCircuitSwitch *circuits = &self->circuits;
    if (!lp_circuit_switch_is_hybrid(circuits))
        return (LpFabricPacketNetwork){.is_present = FALSE};
    LpMachine machine = lp_machine_packet_network(self);
    LpFabric fabric = lp_machine_fabric(&machine);
    LpFabricPacketNetwork packet_network = {.is_present = TRUE,
                                            .bytes_per_s = fabric.scale_out_bytes_per_s,
                                            .n_tiers = fabric.n_tiers,
                                            .n_levels = fabric.n_levels,
                                            .traffic = circuits->traffic,
                                            .min_bytes = circuits->message_min_bytes,
                                            .region_domains = circuits->region_domains};
    memcpy(packet_network.tiers, fabric.tiers, sizeof packet_network.tiers);
    memcpy(packet_network.levels, fabric.levels, sizeof packet_network.levels);
    return packet_network;
}

static LpFabricCircuits
circuits_of(const LpMachine *self)
{
    const LpCircuitSwitch *circuits = &self->circuits;
    LpFabricCircuits made = {.are_present = TRUE,
                             .are_switched = lp_circuit_switch_is_switched(circuits),
                             .look_ahead = circuits->policy != LP_CIRCUIT_POLICY_DEMAND,
                             .n_lanes = lp_circuit_switch_n_lanes(circuits),
                             .dead_s = lp_circuit_switch_dead_time_s(circuits),
                             .packet_network = packet_network_of(self)};
    double wavelength = circuits->wavelength_bytes_per_s;
    if (lp_circuit_switch_is_rotor(circuits))
        made.rotor = (LpRotorCycle){
            .n_joined = (guint32)lp_machine_switch_attachments(self),
            .n_lanes = made.n_lanes,
            .n_hops = circuits->rotor_hops,
            .slot_s = circuits->slot_s,
            .dead_s = made.dead_s,
            .lane_share = wavelength > 0.0 ? wavelength / lp_machine_link_bytes_per_s(
                                                              self, LP_ATTACHMENT_SCALE_OUT)
                                           : 1.0 / made.n_lanes};
    return made;
}

LpFabric
lp_machine_fabric(const LpMachine *self)
{
    const LpCluster *scale_up = &self->cluster[LP_ATTACHMENT_SCALE_UP];
    LpFabric fabric = {
        .domain_size = self->domain_size,
        .scale_up_bytes_per_s = scale_up->link_bytes_per_s,
        .scale_up_latency_s = 2 * scale_up->link_latency_s,
        .pair_bytes_per_s = self->pcie_host.pair_bytes_per_s,
        .root_accelerators = self->pcie_host.root_accelerators,
        .root_bytes_per_s = self->pcie_host.root_bytes_per_s,
        .scale_out_bytes_per_s = lp_machine_scale_out_bytes_per_s(self),
    };
    if (!self->has_scale_out) {
        fabric.tiers[fabric.n_tiers++] = (LpFabricTier){.span_domains = 1};
        return fabric;
    }
    const LpCluster *scale_out = &self->cluster[LP_ATTACHMENT_SCALE_OUT];
    fabric.torus = scale_out->torus;
    fabric.dragonfly = scale_out->dragonfly;
    fabric.port_sharers = self->domain_size / self->cards_per_domain;
    fabric.link_latency_s = scale_out->link_latency_s;
    fabric.pod_domains = self->pod_domains;
    fabric.pod_bytes_per_s =
        self->pod.link_bytes_per_s * self->cards_per_domain / self->domain_size;
    fabric.pod_latency_s = 2 * self->pod.link_latency_s;
    if (self->circuits.is_present)
        fabric.circuits = circuits_of(self);
    if (fabric.torus.n_dimensions > 0 || fabric.dragonfly.n_groups > 0)
        return fabric;
    fill_tiers(self, &fabric);
    fill_levels(self, &fabric);
    fill_rails(self, &fabric);
    return fabric;
}
