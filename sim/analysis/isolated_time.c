/* SPDX-License-Identifier: Apache-2.0 */
/* Times of collectives and messages that meet no other traffic. */
#include "sim/analysis/isolated_time.h"

#include "sim/analysis/max_min.h"
#include "sim/mapping/collective_peers.h"

#include "sim/collectives/exchange.h"
#include "sim/collectives/ring.h"

#include <math.h>

/* How many of the ring's edges cross the port or scale-up link @index of @network. */
static guint32
count_users(GHashTable *users, guint32 link)
{
    return GPOINTER_TO_UINT(g_hash_table_lookup(users, GUINT_TO_POINTER(link + 1)));
}

static GHashTable *
find_port_users(const LpEdge *const *ring, guint64 n, const LpNetwork *network)
{
    GHashTable *users = g_hash_table_new(NULL, NULL);
    for (guint64 i = 0; i < n; i++)
        for (guint32 k = 0; k < ring[i]->route.n_links; k++)
            if (lp_tier_is_shared(lp_network_link(network, ring[i]->route.links[k])->tier)) {
                guint32 link = ring[i]->route.links[k];
                g_hash_table_insert(users, GUINT_TO_POINTER(link + 1),
                                    GUINT_TO_POINTER(count_users(users, link) + 1));
            }
    return users;
}

/* Of a part of a route: its narrowest link or share of a port. */
static double
part_rate(const LpRoute *route, guint32 first, guint32 end, const LpNetwork *network,
          GHashTable *users)
{
    double rate = INFINITY;
    for (guint32 k = first; k < end; k++) {
        const LpLink *link = lp_network_link(network, route->links[k]);
        guint32 n = lp_tier_is_shared(link->tier) ? count_users(users, route->links[k]) : 1;
        rate = MIN(rate, link->bytes_per_s / n);
    }
    return rate;
}

/* Over a relay one flow follows the other. */
static double
edge_rate(const LpEdge *edge, const LpNetwork *network, GHashTable *users)
{
    const LpRoute *route = &edge->route;
    double first = part_rate(route, 0, route->n_first, network, users);
    if (route->relay_in == NULL)
        return first;
    double second = part_rate(route, route->n_first, route->n_links, network, users);
    return 1.0 / (1.0 / first + 1.0 / second);
}

static const LpEdge *
member_edge(const LpLonelyRing *self, LpEdgeKind kind, guint64 member)
{
    return lp_edges_get(
        self->edges, kind,
        lp_iteration_group_member(self->edges->iteration, self->group, self->rank, member));
}

static void
note_latency(LpLonelyRing *self, const LpEdge *edge)
{
    LpReach reach = lp_edge_reach(edge);
    self->has_reach[reach] = TRUE;
    self->latency_s[reach] = MAX(self->latency_s[reach], edge->route.latency_s);
}

/* Rates of the members' edges of one kind, 0 where they have none. */
static double *
edge_rates(LpLonelyRing *self, LpEdgeKind kind)
{
    const LpNetwork *network = self->edges->network;
    guint64 n = self->n_members, n_present = 0;
    g_autofree const LpEdge **present = g_new(const LpEdge *, n);
    for (guint64 i = 0; i < n; i++) {
        const LpEdge *edge = member_edge(self, kind, i);
        if (edge->present)
            present[n_present++] = edge;
    }
    double *rates = g_new0(double, n);
    if (n_present == 0)
        return rates;
    g_autoptr(GHashTable) users = find_port_users(present, n_present, network);
    for (guint64 i = 0; i < n; i++) {
        const LpEdge *edge = member_edge(self, kind, i);
        if (!edge->present)
            continue;
        rates[i] = edge_rate(edge, network, users);
        note_latency(self, edge);
    }
    return rates;
}

/* Members in no order send to one after the other: at the harmonic mean of the pairs' rates. */
static void
init_irregular(LpLonelyRing *self)
{
    const LpIteration *iteration = self->edges->iteration;
    self->bytes_per_s = g_new0(double, self->n_members);
    for (guint64 i = 0; i < self->n_members; i++) {
        double s_per_byte = 0.0;
        for (guint64 k = 0; k < self->n_members; k++) {
            if (i == k)
                continue;
            LpEdge edge =
                lp_edges_between(self->edges, (LpEdgeKind)self->group,
                                 lp_iteration_group_member(iteration, self->group, self->rank, i),
                                 lp_iteration_group_member(iteration, self->group, self->rank, k));
            s_per_byte += 1.0 / edge.route.bytes_per_s;
            note_latency(self, &edge);
        }
        self->bytes_per_s[i] = (double)(self->n_members - 1) / s_per_byte;
    }
}

static void
init_exchange(LpLonelyRing *self)
{
    self->sites = lp_edges_sites(self->edges, self->group, self->rank);
    self->loads = self->group == LP_GROUP_EP ? self->edges->iteration->expert_loads : NULL;
    if (!self->sites.is_regular) {
        init_irregular(self);
        return;
    }
    self->bytes_per_s = edge_rates(self, (LpEdgeKind)self->group);
    self->far_bytes_per_s = edge_rates(self, lp_edge_far(self->group));
}

static void
init_neighbours(LpLonelyRing *self)
{
    self->bytes_per_s = edge_rates(self, (LpEdgeKind)self->group);
    self->reach = g_new0(LpReach, self->n_members);
    for (guint64 i = 0; i < self->n_members; i++) {
        const LpEdge *edge = member_edge(self, (LpEdgeKind)self->group, i);
        if (edge->present)
            self->reach[i] = lp_edge_reach(edge);
    }
}

void
lp_lonely_ring_init(LpLonelyRing *self, const LpEdges *edges, LpGroup group, guint64 rank)
{
    *self = (LpLonelyRing){.edges = edges,
                           .group = group,
                           .rank = rank,
                           .n_members = lp_iteration_group_size(edges->iteration, group)};
    if (lp_edges_exchanges(edges, group))
        init_exchange(self);
    else
        init_neighbours(self);
    self->peers_shape = lp_peers_shape(edges->peers, group, rank);
}

void
lp_lonely_ring_clear(LpLonelyRing *self)
{
    g_clear_pointer(&self->reach, g_free);
    g_clear_pointer(&self->bytes_per_s, g_free);
    g_clear_pointer(&self->far_bytes_per_s, g_free);
}

double
lp_lonely_step_latency_s(const LpLonelyRing *self, const LpProtocol *protocol)
{
    double latency_s = 0.0;
    for (LpReach reach = 0; reach < LP_N_REACHES; reach++)
        if (self->has_reach[reach])
            latency_s = MAX(latency_s, self->latency_s[reach] + protocol->hop_s[reach]);
    return latency_s;
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

/* Of all members the one who takes longest, at @bytes_per_s, for @bytes_of. */
static double
slowest_s(const LpLonelyRing *self, const double *bytes_per_s, const LpOp *op,
          const LpProtocol *protocol, LpReach reach,
          guint64 (*bytes_of)(const LpLonelyRing *self, const LpOp *op, guint64 index))
{
    double longest_s = 0.0;
    for (guint64 i = 0; i < self->n_members; i++)
        if (bytes_per_s[i] > 0.0) {
            guint64 bytes = lp_protocol_wire_bytes(protocol, reach, bytes_of(self, op, i));
            longest_s = MAX(longest_s, (double)bytes / bytes_per_s[i]);
        }
    return longest_s;
}

double
lp_lonely_near_time_s(const LpLonelyRing *self, const LpOp *op, const LpProtocol *protocol)
{
    return slowest_s(self, self->bytes_per_s, op, protocol, LP_REACH_DOMAIN, lp_lonely_near_bytes);
}

static guint64
all_bytes(const LpLonelyRing *self, const LpOp *op, guint64 index)
{
    return (self->n_members - 1) * lp_exchange_block_bytes(op, self->loads, self->n_members, index);
}

static double
exchange_time_s(const LpLonelyRing *self, const LpOp *op, const LpProtocol *protocol)
{
    double before_s = protocol->base_s + lp_lonely_step_latency_s(self, protocol);
    if (!self->sites.is_regular)
        return before_s +
               slowest_s(self, self->bytes_per_s, op, protocol, LP_REACH_FABRIC, all_bytes);
    return before_s + MAX(lp_lonely_near_time_s(self, op, protocol),
                          slowest_s(self, self->far_bytes_per_s, op, protocol, LP_REACH_FABRIC,
                                    lp_lonely_far_bytes));
}

/* --- rings --- */

/* Of all members the one who takes longest for what the ring sends in all steps, or in one, in
 * which the largest block decides (blocks differ by a byte). */
static double
neighbours_time_s(const LpLonelyRing *self, const LpOp *op, const LpProtocol *protocol,
                  gboolean step)
{
    double longest_s = 0.0;
    for (guint64 i = 0; i < self->n_members; i++) {
        guint64 sent = step ? lp_ring_block_bytes(op->bytes, self->n_members, 0)
                            : lp_ring_member_bytes(op->collective, self->n_members, op->bytes, i);
        guint64 bytes = lp_protocol_wire_bytes(protocol, self->reach[i], sent);
        longest_s = MAX(longest_s, (double)bytes / self->bytes_per_s[i]);
    }
    return longest_s;
}

static double
ring_time_s(const LpLonelyRing *self, const LpOp *op, const LpProtocol *protocol,
            LpFidelity fidelity)
{
    double n_steps = (double)lp_ring_n_steps(op->collective, self->n_members);
    double latency_s = lp_lonely_step_latency_s(self, protocol);
    if (fidelity == LP_FIDELITY_FLOW)
        return protocol->base_s + n_steps * latency_s +
               neighbours_time_s(self, op, protocol, FALSE);
    return protocol->base_s + n_steps * (latency_s + neighbours_time_s(self, op, protocol, TRUE));
}

/* --- what is scheduled --- */

/* Groups whose edges are alike need the same time, which is worked out once. */
static double
scheduled_time_s(const LpLonelyRing *self, const LpOp *op, LpFidelity fidelity)
{
    LpPeersFact fact = fidelity == LP_FIDELITY_FLOW ? LP_PEERS_FLOW : LP_PEERS_MESSAGE;
    double known_s = lp_peers_known_s(self->edges->peers, self->peers_shape, op, fact);
    if (known_s >= 0.0)
        return known_s;
    LpScript script;
    lp_script_init(&script, self->edges, op, self->rank, fidelity);
    lp_fluid_prepare(&script, op);
    known_s = lp_fluid_script_s(&script);
    lp_script_clear(&script);
    lp_peers_learn(self->edges->peers, self->peers_shape, op, fact, known_s);
    return known_s;
}

double
lp_lonely_ring_time_s(const LpLonelyRing *self, const LpOp *op, LpFidelity fidelity)
{
    LpChoice choice = lp_edges_choice(self->edges, op, self->rank);
    if (choice.is_scheduled)
        return scheduled_time_s(self, op, fidelity);
    if (op->collective == LP_COLLECTIVE_ALL_TO_ALL)
        return exchange_time_s(self, op, choice.protocol);
    return ring_time_s(self, op, choice.protocol, fidelity);
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
differ(double a, double b)
{
    return a < b || a > b;
}

static gboolean
rings_equal(const LpLonelyRing *a, const LpLonelyRing *b)
{
    if (a->peers_shape != b->peers_shape || a->sites.n_near != b->sites.n_near ||
        a->sites.is_regular != b->sites.is_regular)
        return FALSE;
    for (LpReach reach = 0; reach < LP_N_REACHES; reach++)
        if (a->has_reach[reach] != b->has_reach[reach] ||
            differ(a->latency_s[reach], b->latency_s[reach]))
            return FALSE;
    for (guint64 i = 0; i < a->n_members; i++) {
        double far_a = a->far_bytes_per_s == NULL ? 0.0 : a->far_bytes_per_s[i];
        double far_b = b->far_bytes_per_s == NULL ? 0.0 : b->far_bytes_per_s[i];
        if (differ(a->bytes_per_s[i], b->bytes_per_s[i]) || differ(far_a, far_b) ||
            (a->reach != NULL && a->reach[i] != b->reach[i]))
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
