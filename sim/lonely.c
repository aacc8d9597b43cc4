/* SPDX-License-Identifier: Apache-2.0 */
/* Times of collectives and messages that meet no other traffic. */
#include "sim/lonely.h"

#include "sim/collective/exchange.h"
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
find_port_users(const LpEdge *const *ring, guint64 n, const LpNetwork *network)
{
    GHashTable *users = g_hash_table_new(NULL, NULL);
    for (guint64 i = 0; i < n; i++)
        for (guint32 k = 0; k < ring[i]->route.n_links; k++)
            if (is_port(lp_network_link(network, ring[i]->route.links[k])->tier)) {
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
        if (is_port(lp_network_link(network, edge->route.links[k])->tier)) {
            guint32 link = edge->route.links[k];
            double share = lp_network_link(network, link)->bytes_per_s / count_users(users, link);
            rate = MIN(rate, share);
        }
    return rate;
}

/* Rates of the members' edges of one kind, 0 where they have none; raises @io_latency_s. */
static double *
edge_rates(const LpEdges *edges, LpEdgeKind kind, LpGroup group, guint64 rank, double *io_latency_s)
{
    const LpIteration *iteration = edges->iteration;
    guint64 n = lp_iteration_group_size(iteration, group), n_present = 0;
    g_autofree const LpEdge **present = g_new(const LpEdge *, n);
    for (guint64 i = 0; i < n; i++) {
        const LpEdge *edge =
            lp_edges_get(edges, kind, lp_iteration_group_member(iteration, group, rank, i));
        if (edge->present)
            present[n_present++] = edge;
    }
    double *rates = g_new0(double, n);
    if (n_present == 0)
        return rates;
    g_autoptr(GHashTable) users = find_port_users(present, n_present, edges->network);
    for (guint64 i = 0; i < n; i++) {
        const LpEdge *edge =
            lp_edges_get(edges, kind, lp_iteration_group_member(iteration, group, rank, i));
        if (!edge->present)
            continue;
        rates[i] = edge_rate(edge, edges->network, users);
        *io_latency_s = MAX(*io_latency_s, edge->route.latency_s);
    }
    return rates;
}

/* Members in no order send to one after the other: at the harmonic mean of the pairs' rates. */
static void
init_irregular(LpLonelyRing *self, const LpEdges *edges, LpGroup group, guint64 rank)
{
    const LpIteration *iteration = edges->iteration;
    self->bytes_per_s = g_new0(double, self->n_members);
    for (guint64 i = 0; i < self->n_members; i++) {
        double s_per_byte = 0.0;
        for (guint64 k = 0; k < self->n_members; k++) {
            if (i == k)
                continue;
            LpEdge edge =
                lp_edges_between(edges, lp_iteration_group_member(iteration, group, rank, i),
                                 lp_iteration_group_member(iteration, group, rank, k));
            s_per_byte += 1.0 / edge.route.bytes_per_s;
            self->latency_s = MAX(self->latency_s, edge.route.latency_s);
        }
        self->bytes_per_s[i] = (double)(self->n_members - 1) / s_per_byte;
    }
}

static void
init_exchange(LpLonelyRing *self, const LpEdges *edges, LpGroup group, guint64 rank)
{
    self->sites = lp_edges_sites(edges, group, rank);
    self->loads = group == LP_GROUP_EP ? edges->iteration->expert_loads : NULL;
    if (!self->sites.is_regular) {
        init_irregular(self, edges, group, rank);
        return;
    }
    self->bytes_per_s = edge_rates(edges, (LpEdgeKind)group, group, rank, &self->latency_s);
    self->far_bytes_per_s = edge_rates(edges, lp_edge_far(group), group, rank, &self->latency_s);
}

void
lp_lonely_ring_init(LpLonelyRing *self, const LpEdges *edges, LpGroup group, guint64 rank)
{
    *self = (LpLonelyRing){.n_members = lp_iteration_group_size(edges->iteration, group)};
    if (lp_edges_exchanges(edges, group))
        init_exchange(self, edges, group, rank);
    else
        self->bytes_per_s = edge_rates(edges, (LpEdgeKind)group, group, rank, &self->latency_s);
    for (guint64 i = 0; i < self->n_members; i++)
        if (i == 0 || self->bytes_per_s[i] < self->slowest_bytes_per_s)
            self->slowest_bytes_per_s = self->bytes_per_s[i];
}

void
lp_lonely_ring_clear(LpLonelyRing *self)
{
    g_clear_pointer(&self->bytes_per_s, g_free);
    g_clear_pointer(&self->far_bytes_per_s, g_free);
}

/* --- all-to-all --- */

/* The other members of a member's domain. */
static guint64
n_near(const LpLonelyRing *self)
{
    return self->sites.n_near - 1;
}

guint64
lp_lonely_near_bytes(const LpLonelyRing *self, const LpOp *op, guint64 index)
{
    return n_near(self) * lp_exchange_block_bytes(op, self->loads, self->n_members, index);
}

/* A flow goes to the next domain's member; what comes to a busy expert presses on its own port. */
guint64
lp_lonely_far_bytes(const LpLonelyRing *self, const LpOp *op, guint64 index)
{
    guint64 pressed =
        op->weight == LP_WEIGHT_SENDER ? index : (index + self->sites.n_near) % self->n_members;
    guint64 n_far = self->n_members - self->sites.n_near;
    return n_far * lp_exchange_block_bytes(op, self->loads, self->n_members, pressed);
}

double
lp_lonely_near_time_s(const LpLonelyRing *self, const LpOp *op)
{
    double slowest_s = 0.0;
    for (guint64 i = 0; i < self->n_members; i++)
        if (self->bytes_per_s[i] > 0.0)
            slowest_s =
                MAX(slowest_s, (double)lp_lonely_near_bytes(self, op, i) / self->bytes_per_s[i]);
    return slowest_s;
}

static double
far_time_s(const LpLonelyRing *self, const LpOp *op)
{
    double slowest_s = 0.0;
    for (guint64 i = 0; i < self->n_members; i++)
        if (self->far_bytes_per_s[i] > 0.0)
            slowest_s =
                MAX(slowest_s, (double)lp_lonely_far_bytes(self, op, i) / self->far_bytes_per_s[i]);
    return slowest_s;
}

static double
irregular_time_s(const LpLonelyRing *self, const LpOp *op)
{
    double slowest_s = 0.0;
    for (guint64 i = 0; i < self->n_members; i++) {
        guint64 bytes =
            (self->n_members - 1) * lp_exchange_block_bytes(op, self->loads, self->n_members, i);
        slowest_s = MAX(slowest_s, (double)bytes / self->bytes_per_s[i]);
    }
    return slowest_s;
}

static double
exchange_time_s(const LpLonelyRing *self, const LpOp *op)
{
    if (!self->sites.is_regular)
        return self->latency_s + irregular_time_s(self, op);
    return self->latency_s + MAX(lp_lonely_near_time_s(self, op), far_time_s(self, op));
}

/* --- rings --- */

static double
flow_time_s(const LpLonelyRing *self, const LpOp *op)
{
    double slowest_s = 0.0;
    for (guint64 i = 0; i < self->n_members; i++) {
        guint64 sent = lp_ring_member_bytes(op->collective, self->n_members, op->bytes, i);
        slowest_s = MAX(slowest_s, (double)sent / self->bytes_per_s[i]);
    }
    return slowest_s;
}

double
lp_lonely_ring_time_s(const LpLonelyRing *self, const LpOp *op, LpFidelity fidelity)
{
    if (op->collective == LP_COLLECTIVE_ALL_TO_ALL)
        return exchange_time_s(self, op);
    double n_steps = (double)lp_ring_n_steps(op->collective, self->n_members);
    if (fidelity == LP_FIDELITY_FLOW)
        return n_steps * self->latency_s + flow_time_s(self, op);
    /* Every step waits for its largest block on the slowest edge; blocks differ by a byte. */
    guint64 block = lp_ring_block_bytes(op->bytes, self->n_members, 0);
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
    if (a->sites.n_near != b->sites.n_near || a->sites.is_regular != b->sites.is_regular)
        return FALSE;
    for (guint64 i = 0; i < a->n_members; i++) {
        if (a->bytes_per_s[i] < b->bytes_per_s[i] || a->bytes_per_s[i] > b->bytes_per_s[i])
            return FALSE;
        double far_a = a->far_bytes_per_s == NULL ? 0.0 : a->far_bytes_per_s[i];
        double far_b = b->far_bytes_per_s == NULL ? 0.0 : b->far_bytes_per_s[i];
        if (far_a < far_b || far_a > far_b)
            return FALSE;
    }
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

/* One member looks a group up; where members stand on two stages, any of them. */
static gboolean
stands_for_group(const LpIteration *iteration, LpGroup group, guint64 rank)
{
    gboolean two_stages =
        group == LP_GROUP_EMBEDDING || (iteration->plan.schedule == LP_SCHEDULE_DUALPIPE &&
                                        (group == LP_GROUP_DP || group == LP_GROUP_EXPERT_DP));
    return lp_iteration_has_group(iteration, group, rank) &&
           (two_stages || lp_iteration_group_index(iteration, group, rank) == 0);
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
            if (!stands_for_group(iteration, group, rank))
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
lp_lonely_rings_time_s(const LpLonelyRings *self, guint32 stage, const LpOp *op,
                       LpFidelity fidelity)
{
    GArray *rings = rings_of(self, op->group, stage);
    double slowest_s = 0.0;
    for (guint i = 0; i < rings->len; i++)
        slowest_s = MAX(
            slowest_s, lp_lonely_ring_time_s(&g_array_index(rings, LpLonelyRing, i), op, fidelity));
    return slowest_s;
}
