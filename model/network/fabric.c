/* SPDX-License-Identifier: Apache-2.0 */
/* Rates and latencies between two accelerators, from their distance alone. */
#include "model/network/fabric.h"

static gboolean
same_domain(const LpFabric *self, guint64 a, guint64 b)
{
    return a / self->domain_size == b / self->domain_size;
}

/* Whether @a and @b, which are in different domains, are in one pod. */
static gboolean
same_pod(const LpFabric *self, guint64 a, guint64 b)
{
    guint64 size = self->pod_domains * self->domain_size;
    return size > 0 && a / size == b / size;
}

static double
tier_latency_s(const LpFabric *self, guint64 domain_a, guint64 domain_b)
{
    for (guint32 i = 0; i + 1 < self->n_tiers; i++)
        if (domain_a / self->tiers[i].span_domains == domain_b / self->tiers[i].span_domains)
            return self->tiers[i].latency_s;
    return self->n_tiers > 0 ? self->tiers[self->n_tiers - 1].latency_s : 0.0;
}

static guint64
rail(const LpFabric *self, guint64 accelerator)
{
    return accelerator % self->domain_size * self->n_rails / self->domain_size;
}

gboolean
lp_fabric_is_relayed(const LpFabric *self, guint64 a, guint64 b)
{
    return self->rails_relay && !same_domain(self, a, b) && !same_pod(self, a, b) &&
           rail(self, a) != rail(self, b);
}

/* Between domains, over the scale-out fabric alone. */
static double
scale_out_latency_s(const LpFabric *self, guint64 a, guint64 b)
{
    guint64 from = a / MAX(self->port_sharers, 1), to = b / MAX(self->port_sharers, 1);
    if (self->torus.n_dimensions > 0)
        return (double)lp_torus_hops(&self->torus, from, to) * self->link_latency_s;
    if (self->dragonfly.n_groups > 0)
        return (double)lp_dragonfly_hops(&self->dragonfly, from, to) * self->link_latency_s;
    return tier_latency_s(self, a / self->domain_size, b / self->domain_size);
}

double
lp_fabric_latency_s(const LpFabric *self, guint64 a, guint64 b)
{
    if (a == b)
        return 0.0;
    if (same_domain(self, a, b))
        return self->scale_up_latency_s;
    if (same_pod(self, a, b))
        return self->pod_latency_s;
    double latency_s = scale_out_latency_s(self, a, b);
    if (lp_fabric_is_relayed(self, a, b))
        return self->scale_up_latency_s + latency_s;
    return rail(self, a) == rail(self, b) ? latency_s : MAX(latency_s, self->rail_change_latency_s);
}

/* The rate of a single flow from @a to @b of one domain. */
static double
within_bytes_per_s(const LpFabric *self, guint64 a, guint64 b)
{
    if (self->pair_bytes_per_s > 0.0 && a / 2 == b / 2)
        return self->pair_bytes_per_s;
    gboolean has_roots = self->root_accelerators > 0;
    return has_roots && a / self->root_accelerators != b / self->root_accelerators
               ? MIN(self->scale_up_bytes_per_s, self->root_bytes_per_s)
               : self->scale_up_bytes_per_s;
}

double
lp_fabric_bytes_per_s(const LpFabric *self, guint64 a, guint64 b)
{
    if (same_domain(self, a, b))
        return within_bytes_per_s(self, a, b);
    if (same_pod(self, a, b))
        return self->pod_bytes_per_s;
    if (lp_fabric_is_relayed(self, a, b))
        return 1.0 / (1.0 / self->scale_up_bytes_per_s + 1.0 / self->scale_out_bytes_per_s);
    return self->scale_out_bytes_per_s;
}

guint64
lp_fabric_port(const LpFabric *self, guint64 accelerator)
{
    guint64 domain = accelerator / self->domain_size, units = MAX(self->unit_domains, 1);
    guint64 card = accelerator % self->domain_size * self->n_cards / self->domain_size;
    return (domain / units * self->n_cards + card) * units + domain % units;
}

gboolean
lp_fabric_climbs(const LpFabric *self, guint32 level, guint64 a, guint64 b)
{
    guint64 n = self->levels[level].n_ports;
    return !same_domain(self, a, b) && !same_pod(self, a, b) &&
           lp_fabric_port(self, a) / n != lp_fabric_port(self, b) / n;
}

guint64
lp_fabric_sender(const LpFabric *self, guint64 a, guint64 b)
{
    guint64 size = self->domain_size;
    return lp_fabric_is_relayed(self, a, b) ? a / size * size + b % size : a;
}

LpFabric
lp_fabric_widened(const LpFabric *self)
{
    LpFabric wide = *self;
    wide.n_levels = MIN(wide.n_levels, 1);
    wide.is_wide = TRUE;
    return wide;
}

LpFabricConnection
lp_fabric_connection(const LpFabric *self, guint64 a, guint64 b)
{
    return (LpFabricConnection){lp_fabric_latency_s(self, a, b), lp_fabric_bytes_per_s(self, a, b)};
}

LpFabricConnection
lp_fabric_connection_slower(LpFabricConnection a, LpFabricConnection b)
{
    return (LpFabricConnection){MAX(a.latency_s, b.latency_s), MIN(a.bytes_per_s, b.bytes_per_s)};
}

LpFabricConnection
lp_fabric_ring_connection(const LpFabric *self, guint64 stride, guint64 n)
{
    LpFabricConnection slowest = lp_fabric_connection(self, (n - 1) * stride, 0);
    for (guint64 i = 0; i + 1 < n; i++)
        slowest = lp_fabric_connection_slower(
            slowest, lp_fabric_connection(self, i * stride, (i + 1) * stride));
    return slowest;
}

double
lp_fabric_connection_all_reduce_s(const LpFabricConnection *self, guint64 n, double size_bytes)
{
    double others = (double)(n - 1);
    return 2.0 * others * self->latency_s +
           2.0 * others / (double)n * size_bytes / self->bytes_per_s;
}

double
lp_fabric_connection_message_s(const LpFabricConnection *self, double size_bytes)
{
    return self->latency_s + size_bytes / self->bytes_per_s;
}
