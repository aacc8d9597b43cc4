/* SPDX-License-Identifier: Apache-2.0 */
/* A machine view: which port an accelerator uses, and how far ports are from each other. */
#include "platforms/machine.h"

G_DEFINE_QUARK(lp_machine_error, lp_machine_error)

const char *const lp_attachment_names[] = {"scale-up", "scale-out", NULL};
const char *const lp_technology_names[] = {"electrical", "optical", NULL};
const char *const lp_topology_names[] = {"crossbar", "fat-tree", NULL};
const char *const lp_port_order_names[] = {"node", "rail", NULL};

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

static guint64
scale_out_port(const LpMachine *self, guint64 domain, guint64 card)
{
    if (self->port_order == LP_PORT_ORDER_NODE)
        return domain * self->cards_per_domain + card;
    guint64 unit = domain / self->unit_domains;
    return (unit * self->cards_per_domain + card) * self->unit_domains +
           domain % self->unit_domains;
}

guint64
lp_machine_port(const LpMachine *self, guint64 accelerator, LpAttachment attachment)
{
    if (attachment == LP_ATTACHMENT_SCALE_UP)
        return accelerator;
    guint64 card = accelerator % self->domain_size * self->cards_per_domain / self->domain_size;
    return scale_out_port(self, lp_machine_domain(self, accelerator), card);
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

double
lp_machine_scale_out_bytes_per_s(const LpMachine *self)
{
    if (!self->has_scale_out)
        return 0;
    return self->cluster[LP_ATTACHMENT_SCALE_OUT].link_bytes_per_s * self->cards_per_domain /
           self->domain_size;
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

/* Leaves of two rails meet at the level above, unless a switch there holds less than a unit's. */
static void
fill_rails(const LpMachine *self, LpFabric *fabric)
{
    const LpCluster *cluster = &self->cluster[LP_ATTACHMENT_SCALE_OUT];
    if (self->port_order != LP_PORT_ORDER_RAIL || cluster->n_levels < 2)
        return;
    gboolean meet = cluster->n_levels == 2 || cluster->down[1] % self->cards_per_domain == 0;
    fabric->n_rails = self->cards_per_domain;
    fabric->rail_change_latency_s = (meet ? 4 : 6) * cluster->link_latency_s;
}

LpFabric
lp_machine_fabric(const LpMachine *self)
{
    const LpCluster *scale_up = &self->cluster[LP_ATTACHMENT_SCALE_UP];
    LpFabric fabric = {
        .domain_size = self->domain_size,
        .scale_up_bytes_per_s = scale_up->link_bytes_per_s,
        .scale_up_latency_s = 2 * scale_up->link_latency_s,
        .scale_out_bytes_per_s = lp_machine_scale_out_bytes_per_s(self),
    };
    if (!self->has_scale_out) {
        fabric.tiers[fabric.n_tiers++] = (LpFabricTier){.span_domains = 1};
        return fabric;
    }
    fill_tiers(self, &fabric);
    fill_rails(self, &fabric);
    return fabric;
}
