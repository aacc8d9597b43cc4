/* SPDX-License-Identifier: Apache-2.0 */
/* Times of collectives and messages that meet no other traffic. */
#include "sim/lonely.h"

#include "sim/collective/ring.h"

const char *const lp_fidelity_names[] = {"flow", "message", NULL};

/* How many of the ring's edges cross the port or scale-up link @index of @network. */
static guint32
count_users(GHashTable *users, guint32 link)
{
    return GPOINTER_TO_UINT(g_hash_table_lookup(users, GUINT_TO_POINTER(link + 1)));
}

static gboolean
is_port(LpTier tier)
{
    return tier == LP_TIER_PORT || tier == LP_TIER_SCALE_UP;
}

static GHashTable *
find_port_users(const LpEdge *const *ring, guint64 n)
{
    GHashTable *users = g_hash_table_new(NULL, NULL);
    for (guint64 i = 0; i < n; i++)
        for (guint32 k = 0; k < ring[i]->route.n_links; k++)
            if (is_port(ring[i]->route.tiers[k])) {
                guint32 link = ring[i]->route.links[k];
                g_hash_table_insert(users, GUINT_TO_POINTER(link + 1),
                                    GUINT_TO_POINTER(count_users(users, link) + 1));
            }
    return users;
}

static double
edge_rate(const LpEdge *edge, const LpNetwork *network, GHashTable *users)
{
    double rate = edge->route.bytes_per_s;
    for (guint32 k = 0; k < edge->route.n_links; k++)
        if (is_port(edge->route.tiers[k])) {
            guint32 link = edge->route.links[k];
            double share = lp_network_link(network, link)->bytes_per_s / count_users(users, link);
            rate = MIN(rate, share);
        }
    return rate;
}

void
lp_lonely_ring_init(LpLonelyRing *self, const LpEdges *edges, LpGroup group, guint64 rank)
{
    const LpIteration *iteration = edges->iteration;
    guint64 n = lp_iteration_group_size(iteration, group);
    g_autofree const LpEdge **ring = g_new(const LpEdge *, n);
    for (guint64 i = 0; i < n; i++)
        ring[i] = lp_edges_get(edges, (LpEdgeKind)group,
                               lp_iteration_group_member(iteration, group, rank, i));
    g_autoptr(GHashTable) users = find_port_users(ring, n);
    *self = (LpLonelyRing){.n_members = n, .bytes_per_s = g_new(double, n)};
    for (guint64 i = 0; i < n; i++) {
        self->bytes_per_s[i] = edge_rate(ring[i], edges->network, users);
        self->latency_s = MAX(self->latency_s, ring[i]->route.latency_s);
        if (i == 0 || self->bytes_per_s[i] < self->slowest_bytes_per_s)
            self->slowest_bytes_per_s = self->bytes_per_s[i];
    }
}

void
lp_lonely_ring_clear(LpLonelyRing *self)
{
    g_clear_pointer(&self->bytes_per_s, g_free);
}

static double
flow_time_s(const LpLonelyRing *self, LpCollective collective, guint64 bytes)
{
    double slowest_s = 0.0;
    for (guint64 i = 0; i < self->n_members; i++) {
        guint64 sent = lp_ring_member_bytes(collective, self->n_members, bytes, i);
        slowest_s = MAX(slowest_s, (double)sent / self->bytes_per_s[i]);
    }
    return slowest_s;
}

double
lp_lonely_ring_time_s(const LpLonelyRing *self, LpCollective collective, guint64 bytes,
                      LpFidelity fidelity)
{
    double n_steps = (double)lp_ring_n_steps(collective, self->n_members);
    if (fidelity == LP_FIDELITY_FLOW)
        return n_steps * self->latency_s + flow_time_s(self, collective, bytes);
    /* Every step waits for its largest block on the slowest edge; blocks differ by a byte. */
    guint64 block = lp_ring_block_bytes(bytes, self->n_members, 0);
    return n_steps * (self->latency_s + (double)block / self->slowest_bytes_per_s);
}

double
lp_lonely_message_time_s(const LpEdge *edge, guint64 bytes)
{
    return edge->route.latency_s + (double)bytes / edge->route.bytes_per_s;
}
