/* SPDX-License-Identifier: Apache-2.0 */
/* Isolated times of all groups of a job: those that are alike are kept once. */
#include "sim/analysis/isolated_time.h"

#include <math.h>

struct LpIsolatedRings {
    guint32 n_stages;
    GArray **rings; /* owned arrays of LpIsolatedRing, by group kind and stage: no two alike */
};

static gboolean
differ(double a, double b)
{
    return a < b || a > b;
}

static gboolean
rings_equal(const LpIsolatedRing *a, const LpIsolatedRing *b)
{
    if (differ(lp_communication_map_forwarding(a->map, a->communicator),
               lp_communication_map_forwarding(b->map, b->communicator)))
        return FALSE;
    if (a->n_members != b->n_members || (a->reach == NULL) != (b->reach == NULL) ||
        (a->pair_bytes_per_s == NULL) != (b->pair_bytes_per_s == NULL) ||
        (a->packet_network == NULL) != (b->packet_network == NULL))
        return FALSE;
    if (a->peers_shape != b->peers_shape || a->sites.n_intra != b->sites.n_intra ||
        a->sites.is_regular != b->sites.is_regular)
        return FALSE;
    for (LpReach reach = 0; reach < LP_N_REACHES; reach++)
        if (a->has_reach[reach] != b->has_reach[reach] ||
            differ(a->latency_s[reach], b->latency_s[reach]))
            return FALSE;
    for (guint64 i = 0; i < a->n_members; i++)
        if ((a->reach != NULL && a->reach[i] != b->reach[i]) ||
            (a->pair_bytes_per_s != NULL && differ(a->pair_bytes_per_s[i], b->pair_bytes_per_s[i])))
            return FALSE;
    if (a->packet_network != NULL && !rings_equal(a->packet_network, b->packet_network))
        return FALSE;
    return lp_port_shares_equal(&a->shares, &b->shares) &&
           lp_port_shares_equal(&a->inter_shares, &b->inter_shares) &&
           lp_exchange_flows_equal(lp_communication_map_exchange(a->map, a->communicator),
                                   lp_communication_map_exchange(b->map, b->communicator));
}

static void
clear_ring(gpointer ring)
{
    lp_isolated_ring_clear(ring);
}

static GArray *
rings_of(const LpIsolatedRings *self, LpGroup group, guint32 stage)
{
    return self->rings[group * self->n_stages + stage];
}

static void
add_ring(GArray *rings, LpIsolatedRing ring)
{
    for (guint i = 0; i < rings->len; i++)
        if (rings_equal(&g_array_index(rings, LpIsolatedRing, i), &ring)) {
            lp_isolated_ring_clear(&ring);
            return;
        }
    g_array_append_val(rings, ring);
}

/* Adds @communicator to each stage that it has members on. */
static void
add_communicator(LpIsolatedRings *self, const LpCommunicationMap *map, LpIsolatedCache *cache,
                 const LpCommunicator *communicator)
{
    guint32 last = G_MAXUINT32;
    for (guint32 i = 0; i < communicator->n_members; i++) {
        guint32 stage = lp_program_rank_stage(map->program, communicator->ranks[i]);
        if (stage == last)
            continue;
        last = stage;
        LpIsolatedRing ring;
        lp_isolated_ring_init(&ring, map, cache, communicator);
        add_ring(rings_of(self, communicator->group, stage), ring);
    }
}

LpIsolatedRings *
lp_isolated_rings_new(const LpCommunicationMap *map, LpIsolatedCache *cache)
{
    LpIsolatedRings *self = g_new0(LpIsolatedRings, 1);
    self->n_stages = map->program->pipeline.n_stages;
    self->rings = g_new0(GArray *, (gsize)LP_N_GROUPS * self->n_stages);
    for (guint i = 0; i < LP_N_GROUPS * self->n_stages; i++) {
        self->rings[i] = g_array_new(FALSE, FALSE, sizeof(LpIsolatedRing));
        g_array_set_clear_func(self->rings[i], clear_ring);
    }
    for (LpGroup group = 0; group < LP_N_GROUPS; group++)
        for (guint i = 0; i < lp_communicators_n(map->communicators, group); i++)
            add_communicator(self, map, cache, lp_communicators_get(map->communicators, group, i));
    return self;
}

void
lp_isolated_rings_free(LpIsolatedRings *self)
{
    if (self == NULL)
        return;
    for (guint i = 0; i < LP_N_GROUPS * self->n_stages; i++)
        g_array_unref(self->rings[i]);
    g_free(self->rings);
    g_free(self);
}

gboolean
lp_isolated_rings_uniform(const LpIsolatedRings *self, LpGroup group)
{
    const LpIsolatedRing *first = NULL;
    for (guint32 stage = 0; stage < self->n_stages; stage++) {
        GArray *rings = rings_of(self, group, stage);
        for (guint i = 0; i < rings->len; i++) {
            const LpIsolatedRing *ring = &g_array_index(rings, LpIsolatedRing, i);
            if (first != NULL && !rings_equal(first, ring))
                return FALSE;
            first = ring;
        }
    }
    return TRUE;
}

double
lp_isolated_rings_time_s(const LpIsolatedRings *self, guint32 stage, const LpOp *op,
                         LpFidelity fidelity)
{
    GArray *rings = rings_of(self, op->group, stage);
    double slowest_s = 0.0;
    for (guint i = 0; i < rings->len; i++)
        slowest_s = MAX(slowest_s, lp_isolated_ring_time_s(&g_array_index(rings, LpIsolatedRing, i),
                                                           op, fidelity));
    return slowest_s;
}

double
lp_isolated_rings_least_s(const LpIsolatedRings *self, guint32 stage, const LpOp *op,
                          LpFidelity fidelity)
{
    GArray *rings = rings_of(self, op->group, stage);
    double least_s = rings->len == 0 ? 0.0 : INFINITY;
    for (guint i = 0; i < rings->len; i++)
        least_s = fmin(least_s, lp_isolated_ring_time_s(&g_array_index(rings, LpIsolatedRing, i),
                                                        op, fidelity));
    return least_s;
}
