/* SPDX-License-Identifier: Apache-2.0 */
/* Counts by the rules of communicator_collective.c, collective_flows.c and round_executor.c. */
#include "sim/run/collective_size.h"

#include "sim/analysis/cached_latencies.h"
#include "sim/collectives/exchange.h"
#include "sim/collectives/ring.h"
#include "sim/quotient/first_senders.h"
#include "sim/quotient/pair_flows.h"

/* A collective being counted. */
typedef struct {
    const LpCollectiveActors *actors; /* borrowed */
    const LpOp *op;                   /* borrowed */
    const LpIsolatedRing *ring;       /* borrowed */
    const LpCommunicator *communicator;
    const LpProtocol *protocol;
    LpActivities all;
} Count;

guint64
lp_activities_min(const LpActivities *self)
{
    return self->n_delays + self->n_flows;
}

guint64
lp_activities_n(const LpActivities *self)
{
    return lp_activities_min(self) + self->n_arrivals;
}

guint64
lp_activities_max(const LpActivities *self)
{
    return lp_activities_n(self) + self->n_maybe;
}

void
lp_activities_add(LpActivities *self, const LpActivities *other, guint64 times)
{
    self->n_delays += times * other->n_delays;
    self->n_flows += times * other->n_flows;
    self->n_arrivals += times * other->n_arrivals;
    self->n_maybe += times * other->n_maybe;
    self->n_calls += times * other->n_calls;
}

/* --- rings of neighbours, and what goes along the rails --- */

/* The way that member @index takes to the next; NULL: none. */
static const LpRoute *
neighbour_route(const Count *self, guint64 index)
{
    guint64 rank = self->communicator->ranks[index];
    LpConnectionKind kinds[] = {lp_connection_inter_domain(self->communicator->group),
                                (LpConnectionKind)self->communicator->group};
    for (guint i = self->communicator->exchanges ? 0 : 1; i < G_N_ELEMENTS(kinds); i++) {
        const LpConnection *connection =
            lp_communication_map_connection(self->ring->map, kinds[i], rank);
        const LpRoute *route = self->actors->quotient != NULL
                                   ? lp_quotient_route(self->actors->quotient, kinds[i], rank)
                               : connection->present ? &connection->route
                                                     : NULL;
        if (route != NULL)
            return route;
    }
    return NULL;
}

static void
add_step(Count *self, const LpRoute *route, gboolean has_latency, guint64 times)
{
    if (route == NULL)
        return;
    self->all.n_delays += has_latency ? times : 0;
    self->all.n_flows += times * lp_route_n_flows(route);
}

static void
add_ring_member(Count *self, guint64 index)
{
    const LpRoute *route = neighbour_route(self, index);
    guint64 n_steps = lp_ring_n_steps(self->op->collective, self->ring->n_members);
    if (self->actors->fidelity == LP_FIDELITY_FLOW) {
        double wait_s = self->protocol->base_s +
                        (double)n_steps * lp_isolated_step_latency_s(self->ring, self->protocol);
        add_step(self, route, wait_s > 0.0, 1);
        return;
    }
    if (route == NULL || n_steps == 0)
        return;
    double hop_s = route->latency_s + self->protocol->hop_s[self->ring->reach[index]];
    add_step(self, route, hop_s + self->protocol->base_s > 0.0, 1);
    add_step(self, route, hop_s > 0.0, n_steps - 1);
}

/* One flow stands for all of a class over connections of their own: by route, as
 * collective_flows.c has them. */
static void
add_neighbour_classes(Count *self)
{
    g_autoptr(GHashTable) known = g_hash_table_new(NULL, NULL);
    double wait_s = lp_flow_list_plain_wait_s(self->ring, self->op, self->protocol);
    for (guint64 i = 0; i < self->ring->n_members; i++) {
        const LpRoute *route = neighbour_route(self, i);
        if (route == NULL || !g_hash_table_add(known, (gpointer)(guintptr)route))
            continue;
        self->all.n_delays += wait_s > 0.0 ? 1 : 0;
        self->all.n_flows++;
    }
}

/* --- all-to-alls --- */

/* What stays in domains goes on beside what leaves them: waited for only if it takes longer than
 * that, which contention cannot make true. */
static void
add_intra_wait(Count *self)
{
    if (!lp_isolated_ring_sends_inter(self->ring))
        return;
    double intra_s = lp_isolated_least_time_s(self->ring, self->op, self->protocol, FALSE, NULL);
    double latency_s =
        self->protocol->base_s + lp_isolated_step_latency_s(self->ring, self->protocol);
    double all_s = lp_isolated_ring_time_s(self->ring, self->op, self->actors->fidelity);
    if (all_s - latency_s <= intra_s * (1.0 + 1e-9))
        self->all.n_maybe += self->actors->n_actors;
}

/* Messages that member @index sends one after the other. */
static void
add_pairs(Count *self, guint64 index)
{
    const LpIsolatedRing *ring = self->ring;
    guint64 rank = self->communicator->ranks[index];
    guint64 n_intra = ring->sites.is_regular ? ring->sites.n_intra : 1;
    guint64 n = (ring->n_members / n_intra - 1) * n_intra;
    for (guint64 place = 0; place < n; place++) {
        if (self->actors->quotient != NULL) {
            self->all.n_flows += lp_route_n_flows(lp_quotient_pair_route(
                self->actors->quotient, self->communicator->group, rank, place));
            continue;
        }
        guint64 to =
            lp_exchange_row_receiver(ring->n_members, n_intra, ring->sites.n_pod, index, place);
        LpConnection connection =
            lp_rank_layout_connect(ring->map->layout, (LpConnectionKind)self->communicator->group,
                                   (guint32)rank, self->communicator->ranks[to]);
        self->all.n_flows += lp_route_n_flows(&connection.route);
    }
}

static void
count_exchange(Count *self)
{
    guint64 n = self->actors->n_actors;
    double latency_s =
        self->protocol->base_s + lp_isolated_step_latency_s(self->ring, self->protocol);
    gboolean by_pairs = lp_pair_flows_are_all(self->ring, self->actors->fidelity);
    self->all.n_delays += latency_s > 0.0 ? n : 0;
    for (guint64 i = 0; i < n; i++)
        if (by_pairs)
            add_pairs(self, i);
        else
            add_step(self, neighbour_route(self, i), FALSE, 1);
    add_intra_wait(self);
}

/* --- what is scheduled --- */

static guint64
n_places(const Count *self)
{
    const LpCommunicatorClass *classes = self->actors->classes;
    return classes != NULL ? classes->members.n_classes : self->ring->n_members;
}

static guint64
member_at(const Count *self, guint64 place)
{
    const LpCommunicatorClass *classes = self->actors->classes;
    return classes != NULL ? classes->members.first[place] : place;
}

static const LpRoute *
transfer_route(const Count *self, guint64 rank, const LpConnection *connection)
{
    if (self->actors->quotient == NULL)
        return &connection->route;
    LpGroup group = self->communicator->group;
    const GArray *peers = lp_collective_peers_get(self->ring->map->peers, group, rank);
    return lp_quotient_peer_route(self->actors->quotient, group, rank,
                                  lp_collective_peers_index(peers, connection));
}

/* Whether another connection of the same class has been counted: it stands for this one. */
static gboolean
is_alike(GHashTable *known, const LpRoute *route, const LpConnection *connection)
{
    const void *first = g_hash_table_lookup(known, route);
    if (first == NULL)
        g_hash_table_insert(known, (gpointer)(guintptr)route, (gpointer)(guintptr)connection);
    return first != NULL && first != connection;
}

/* A member's round as round_executor.c runs it. */
static void
add_round(Count *self, LpRoundPlan *plan, guint64 member, guint64 round, LpTransfer *transfers)
{
    guint64 rank = self->communicator->ranks[member];
    guint64 n = lp_round_plan_transfers(plan, member, round, transfers);
    g_autoptr(GHashTable) known =
        self->actors->quotient != NULL && n > 1 ? g_hash_table_new(NULL, NULL) : NULL;
    gboolean has_latency = FALSE;
    self->all.n_delays += lp_round_plan_wait_s(plan, round) > 0.0 ? 1 : 0;
    for (guint64 i = 0; i < n; i++) {
        const LpRoute *route = transfer_route(self, rank, transfers[i].connection);
        has_latency = has_latency || transfers[i].latency_s > 0.0;
        if (transfers[i].bytes > 0 &&
            (known == NULL || !is_alike(known, route, transfers[i].connection)))
            self->all.n_flows += lp_route_n_flows(route);
    }
    if (has_latency && lp_round_plan_n_receives(plan, member, round) > 0)
        self->all.n_arrivals++;
}

static void
add_rounds(Count *self, LpRoundPlan *plan)
{
    g_autofree LpTransfer *transfers = g_new(LpTransfer, lp_round_plan_transfers_max(plan));
    for (guint64 i = 0; i < n_places(self); i++)
        for (guint64 round = 0; round < plan->n_rounds; round++)
            add_round(self, plan, member_at(self, i), round, transfers);
}

/* All flows begin at once, so that one of each class is enough. Returns: FALSE where they do not,
 * and nothing is counted. */
static gboolean
add_one_round(Count *self, LpRoundPlan *plan)
{
    LpActivities sum = {0};
    if (plan->n_rounds > 1)
        return FALSE;
    g_autofree LpTransfer *transfers = g_new(LpTransfer, lp_round_plan_transfers_max(plan));
    g_autoptr(GHashTable) known = g_hash_table_new(NULL, NULL);
    gboolean waits = plan->n_rounds > 0 && lp_round_plan_wait_s(plan, 0) > 0.0;
    g_autoptr(GArray) senders =
        lp_first_senders_find(self->actors->quotient, self->communicator, plan->map->peers);
    for (guint i = 0; plan->n_rounds > 0 && i < senders->len; i++) {
        guint32 member = g_array_index(senders, guint32, i);
        guint64 n = lp_round_plan_transfers(plan, member, 0, transfers);
        if (n > plan->at_once)
            return FALSE;
        for (guint64 k = 0; k < n; k++) {
            const LpRoute *route =
                transfer_route(self, self->communicator->ranks[member], transfers[k].connection);
            if (is_alike(known, route, transfers[k].connection))
                continue;
            sum.n_flows++;
            sum.n_delays += (waits ? 1u : 0u) + (transfers[k].latency_s > 0.0 ? 1u : 0u);
        }
    }
    lp_activities_add(&self->all, &sum, 1);
    return TRUE;
}

static void
count_scheduled(Count *self)
{
    LpRoundPlan plan;
    lp_round_plan_init(&plan, self->ring->map, self->op, self->communicator,
                       self->actors->fidelity);
    lp_cached_latencies_prepare(&plan, self->op, self->ring->cache);
    if (self->actors->quotient == NULL || !add_one_round(self, &plan))
        add_rounds(self, &plan);
    lp_round_plan_clear(&plan);
}

/* --- all --- */

/* Rings of messages among classes: each actor sends for the member that it is. */
static void
count_class_messages(Count *self)
{
    g_autofree guint32 *members =
        lp_quotient_rank_members(self->actors->quotient, self->actors->classes);
    for (guint64 i = 0; i < self->actors->n_actors; i++)
        add_ring_member(self, members[i]);
}

static void
count_class_exchange(Count *self)
{
    double wait_s = lp_flow_list_plain_wait_s(self->ring, self->op, self->protocol);
    if (lp_pair_flows_are_all(self->ring, self->actors->fidelity))
        for (guint64 i = 0; i < n_places(self); i++) {
            self->all.n_delays += wait_s > 0.0 ? 1 : 0;
            add_pairs(self, member_at(self, i));
        }
    else
        add_neighbour_classes(self);
    add_intra_wait(self);
}

LpActivities
lp_collective_size(const LpCollectiveActors *actors, const LpOp *op)
{
    Count count = {.actors = actors,
                   .op = op,
                   .ring = actors->ring,
                   .communicator = actors->ring->communicator};
    if (actors->as_delay)
        return (LpActivities){.n_delays = actors->n_actors, .n_calls = actors->n_actors};
    count.all.n_calls = actors->n_actors;
    LpAlgorithmSelection selection =
        lp_rank_layout_selection(actors->ring->map->layout, op, count.communicator);
    count.protocol = selection.protocol;
    gboolean exchanges = op->collective == LP_COLLECTIVE_ALL_TO_ALL,
             by_class = actors->quotient != NULL;
    if (selection.is_scheduled)
        count_scheduled(&count);
    else if (exchanges && by_class)
        count_class_exchange(&count);
    else if (exchanges)
        count_exchange(&count);
    else if (by_class && actors->fidelity == LP_FIDELITY_MESSAGE && !count.communicator->exchanges)
        count_class_messages(&count);
    else if (by_class)
        add_neighbour_classes(&count);
    else
        for (guint64 i = 0; i < count.ring->n_members; i++)
            add_ring_member(&count, i);
    return count.all;
}
