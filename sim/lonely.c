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

struct LpLonelyRings {
    guint32 n_stages;
    GArray **rings; /* owned arrays of LpLonelyRing, by group kind and stage: no two alike */
};

static gboolean
rings_equal(const LpLonelyRing *a, const LpLonelyRing *b)
{
    if (a->latency_s < b->latency_s || a->latency_s > b->latency_s)
        return FALSE;
    for (guint64 i = 0; i < a->n_members; i++)
        if (a->bytes_per_s[i] < b->bytes_per_s[i] || a->bytes_per_s[i] > b->bytes_per_s[i])
            return FALSE;
    return TRUE;
}

static void
clear_ring(gpointer ring)
{
    lp_lonely_ring_clear(ring);
}

static GArray *
rings_of(const LpLonelyRings *self, LpGroup group, guint32 stage)
{
    return self->rings[group * self->n_stages + stage];
}

static void
add_ring(GArray *rings, LpLonelyRing ring)
{
    for (guint i = 0; i < rings->len; i++)
        if (rings_equal(&g_array_index(rings, LpLonelyRing, i), &ring)) {
            lp_lonely_ring_clear(&ring);
            return;
        }
    g_array_append_val(rings, ring);
}

LpLonelyRings *
lp_lonely_rings_new(const LpEdges *edges)
{
    const LpIteration *iteration = edges->iteration;
    LpLonelyRings *self = g_new0(LpLonelyRings, 1);
    self->n_stages = iteration->plan.degree[LP_AXIS_PP];
    self->rings = g_new0(GArray *, (gsize)LP_N_GROUPS * self->n_stages);
    for (guint i = 0; i < LP_N_GROUPS * self->n_stages; i++) {
        self->rings[i] = g_array_new(FALSE, FALSE, sizeof(LpLonelyRing));
        g_array_set_clear_func(self->rings[i], clear_ring);
    }
    for (LpGroup group = 0; group < LP_N_GROUPS; group++)
        for (guint64 rank = 0; rank < edges->n_ranks; rank++) {
            /* Embedding groups have a member on two stages, and are looked up from both. */
            if (!lp_iteration_has_group(iteration, group, rank) ||
                (group != LP_GROUP_EMBEDDING &&
                 lp_iteration_group_index(iteration, group, rank) != 0))
                continue;
            LpLonelyRing ring;
            lp_lonely_ring_init(&ring, edges, group, rank);
            guint32 stage = lp_plan_coordinates(&iteration->plan, rank).at[LP_AXIS_PP];
            add_ring(rings_of(self, group, stage), ring);
        }
    return self;
}

void
lp_lonely_rings_free(LpLonelyRings *self)
{
    if (self == NULL)
        return;
    for (guint i = 0; i < LP_N_GROUPS * self->n_stages; i++)
        g_array_unref(self->rings[i]);
    g_free(self->rings);
    g_free(self);
}

gboolean
lp_lonely_rings_uniform(const LpLonelyRings *self, LpGroup group)
{
    const LpLonelyRing *first = NULL;
    for (guint32 stage = 0; stage < self->n_stages; stage++) {
        GArray *rings = rings_of(self, group, stage);
        for (guint i = 0; i < rings->len; i++) {
            const LpLonelyRing *ring = &g_array_index(rings, LpLonelyRing, i);
            if (first != NULL && !rings_equal(first, ring))
                return FALSE;
            first = ring;
        }
    }
    return TRUE;
}

double
lp_lonely_rings_time_s(const LpLonelyRings *self, LpGroup group, guint32 stage,
                       LpCollective collective, guint64 bytes, LpFidelity fidelity)
{
    GArray *rings = rings_of(self, group, stage);
    double slowest_s = 0.0;
    for (guint i = 0; i < rings->len; i++)
        slowest_s = MAX(slowest_s, lp_lonely_ring_time_s(&g_array_index(rings, LpLonelyRing, i),
                                                         collective, bytes, fidelity));
    return slowest_s;
}
