/* SPDX-License-Identifier: Apache-2.0 */
/* Flows of rounds, of rows and of classes. */
#include "sim/actors/collective_flows.h"

#include "sim/collectives/exchange.h"
#include "sim/collectives/ring.h"
#include "sim/quotient/first_senders.h"
#include "sim/quotient/pair_flows.h"

#include <math.h>

guint64
lp_collective_flows_n_units(const LpCollectiveFlows *self)
{
    return self->classes == NULL ? self->ring->n_members : self->classes->members.n_classes;
}

guint64
lp_collective_flows_member(const LpCollectiveFlows *self, guint64 unit)
{
    return self->classes == NULL ? unit : self->classes->members.first[unit];
}

guint32
lp_collective_flows_arrivals(const LpCollectiveFlows *self, guint64 from, const LpUnitFlow *flow)
{
    if (self->classes == NULL)
        return 1;
    /* Of a class that is sent to by a larger one, each member gets several. */
    const guint32 *n = self->classes->members.n;
    return flow->n_alike * n[from] / n[flow->to_unit];
}

/* The flow of @transfer of the member of @rank. */
static LpUnitFlow
flow_of(const LpCollectiveFlows *self, const LpRoundPlan *plan, guint32 rank,
        const LpTransfer *transfer)
{
    LpUnitFlow flow = {.route = &transfer->connection->route,
                       .bytes = transfer->bytes,
                       .latency_s = transfer->latency_s,
                       .to_rank = (guint32)transfer->connection->to,
                       .to_unit = (guint32)transfer->to,
                       .n_alike = 1};
    if (self->quotient != NULL) {
        LpGroup group = plan->communicator->group;
        const GArray *peers = lp_collective_peers_get(plan->map->peers, group, rank);
        flow.route = lp_quotient_peer_route(self->quotient, group, rank,
                                            lp_collective_peers_index(peers, transfer->connection));
    }
    if (self->classes != NULL && self->classes->members.n_classes > 0)
        flow.to_unit = self->classes->members.of_member[transfer->to];
    return flow;
}

/* --- over channels --- */

LpCollectiveWay
lp_collective_flows_way(const LpCollectiveFlows *self, const LpCollectiveCall *collective)
{
    gboolean exchanges = self->ring->communicator->exchanges;
    if (collective->plan != NULL)
        return LP_COLLECTIVE_UNITS;
    if (self->classes != NULL)
        return self->fidelity == LP_FIDELITY_MESSAGE && !exchanges ? LP_COLLECTIVE_RING
                                                                   : LP_COLLECTIVE_UNITS;
    return collective->op->collective == LP_COLLECTIVE_ALL_TO_ALL ? LP_COLLECTIVE_EXCHANGE
                                                                  : LP_COLLECTIVE_RING;
}

LpConnectionKind
lp_collective_flows_channel(const LpCommunicationMap *map, const LpCommunicator *communicator,
                            guint64 rank)
{
    LpConnectionKind inter = lp_connection_inter_domain(communicator->group);
    return communicator->exchanges && lp_communication_map_connection(map, inter, rank)->present
               ? inter
               : (LpConnectionKind)communicator->group;
}

const LpRoute *
lp_collective_flows_channel_route(const LpCollectiveFlows *self, guint64 member)
{
    const LpCommunicator *communicator = self->ring->communicator;
    guint32 rank = communicator->ranks[member];
    LpConnectionKind kind = lp_collective_flows_channel(self->ring->map, communicator, rank);
    if (self->quotient != NULL)
        return lp_quotient_route(self->quotient, kind, rank);
    const LpConnection *connection = lp_communication_map_connection(self->ring->map, kind, rank);
    return connection->present ? &connection->route : NULL;
}

guint64
lp_collective_flows_ring_steps(const LpCollectiveFlows *self, const LpCollectiveCall *collective)
{
    return self->fidelity == LP_FIDELITY_FLOW
               ? 1
               : lp_ring_n_steps(collective->op->collective, self->ring->n_members);
}

guint64
lp_collective_flows_ring_bytes(const LpCollectiveFlows *self, const LpCollectiveCall *collective,
                               guint64 member, guint64 step)
{
    const LpOp *op = collective->op;
    guint64 n = self->ring->n_members;
    guint64 bytes = self->fidelity == LP_FIDELITY_FLOW
                        ? lp_ring_member_bytes(op->collective, n, op->bytes, member)
                        : lp_ring_step_bytes(op->collective, n, op->bytes, member, step);
    return lp_protocol_wire_bytes(collective->protocol, self->ring->reach[member], bytes);
}

double
lp_collective_flows_ring_wait_s(const LpCollectiveFlows *self, const LpCollectiveCall *collective,
                                guint64 member, guint64 step)
{
    const LpProtocol *protocol = collective->protocol;
    if (self->fidelity == LP_FIDELITY_FLOW)
        return lp_collective_flows_wait_s(self, collective);
    return lp_collective_flows_channel_route(self, member)->latency_s +
           protocol->hop_s[self->ring->reach[member]] + (step == 0 ? protocol->base_s : 0.0);
}

double
lp_collective_flows_wait_s(const LpCollectiveFlows *self, const LpCollectiveCall *collective)
{
    return lp_flow_list_plain_wait_s(lp_isolated_ring_of(self->ring, collective->op),
                                     collective->op, collective->protocol);
}

/* --- rounds --- */

guint64
lp_collective_flows_round(const LpCollectiveFlows *self, LpRoundPlan *plan, guint64 unit,
                          guint64 round, LpTransfer *transfers, LpUnitFlow *out_flows)
{
    guint64 member = lp_collective_flows_member(self, unit), n_flows = 0;
    guint64 n = lp_round_plan_transfers(plan, member, round, transfers);
    for (guint64 i = 0; i < n; i++) {
        LpUnitFlow flow = flow_of(self, plan, plan->communicator->ranks[member], &transfers[i]);
        /* Members send each flow; of a class, those over other connections of one route are one. */
        guint64 first = self->classes == NULL ? n_flows : 0;
        while (first < n_flows && (out_flows[first].route != flow.route ||
                                   transfers[first].connection == transfers[i].connection))
            first++;
        if (first < n_flows) {
            out_flows[first].n_alike++;
            continue;
        }
        flow.n_activities = flow.bytes > 0 ? (guint32)lp_route_n_flows(flow.route) : 0;
        transfers[n_flows] = transfers[i];
        out_flows[n_flows++] = flow;
    }
    return n_flows;
}

/* --- rows --- */

LpUnitFlow
lp_collective_flows_pair(const LpCollectiveFlows *self, const LpCollectiveCall *collective,
                         guint64 unit, guint64 place, LpConnection *out_connection)
{
    const LpIsolatedRing *ring = lp_isolated_ring_of(self->ring, collective->op);
    const LpCommunicator *communicator = ring->communicator;
    guint64 from = lp_collective_flows_member(self, unit), n = ring->n_members;
    guint64 n_intra = ring->sites.is_regular ? ring->sites.n_intra : 1;
    guint64 to = lp_exchange_row_receiver(n, n_intra, ring->sites.n_pod, from, place);
    const double *loads = lp_op_loads(collective->op, communicator);
    double bytes = (double)lp_exchange_pair_bytes(collective->op, loads, n, from, to);
    *out_connection =
        lp_rank_layout_connect(ring->map->layout, (LpConnectionKind)communicator->group,
                               communicator->ranks[from], communicator->ranks[to]);
    const LpRoute *route = self->quotient == NULL
                               ? &out_connection->route
                               : lp_quotient_pair_route(self->quotient, communicator->group,
                                                        communicator->ranks[from], place);
    return (LpUnitFlow){
        .route = route,
        .bytes = lp_protocol_wire_bytes(collective->protocol, lp_connection_reach(out_connection),
                                        (guint64)llround(bytes * collective->forwarding)),
        .to_rank = (guint32)out_connection->to,
        .n_alike = 1,
        .n_activities = (guint32)lp_route_n_flows(route)};
}

guint32
lp_collective_flows_at_once(const LpCollectiveFlows *self, const LpCollectiveCall *collective)
{
    const LpLibrary *library = lp_rank_layout_library(self->ring->map->layout, collective->op);
    return lp_sends_at_once(library, self->ring->n_members);
}

/* --- classes of flows --- */

/* Flows of one class have one route; those over one connection are flows of their own. @known:
 * connections by route, the first of each. @connection: only compared. */
static void
add_class_flow(GArray *flows, GHashTable *known, LpUnitFlow flow, const void *connection)
{
    if (flow.route == NULL)
        return;
    const void *first = g_hash_table_lookup(known, flow.route);
    if (first != NULL && first != connection)
        return;
    g_hash_table_insert(known, (gpointer)(guintptr)flow.route, (gpointer)(guintptr)connection);
    flow.to_unit = flows->len;
    g_array_append_val(flows, flow);
}

static void
add_plain_flows(const LpCollectiveFlows *self, const LpCollectiveCall *collective,
                GHashTable *known, GArray *flows)
{
    const guint32 *ranks = self->ring->communicator->ranks;
    for (guint64 i = 0; i < self->ring->n_members; i++) {
        LpUnitFlow flow = {
            .route = lp_collective_flows_channel_route(self, i),
            .bytes = lp_flow_list_plain_bytes(self->ring, collective->op, collective->protocol, i)};
        add_class_flow(flows, known, flow, &ranks[i]);
    }
}

/* Returns: FALSE where a member has more flows than it may have under way at once. */
static gboolean
add_round_flows(const LpCollectiveFlows *self, LpRoundPlan *plan, GHashTable *known, GArray *flows)
{
    const LpCommunicator *communicator = self->ring->communicator;
    g_autofree LpTransfer *transfers = g_new(LpTransfer, lp_round_plan_transfers_max(plan));
    g_autoptr(GArray) senders =
        lp_first_senders_find(self->quotient, communicator, plan->map->peers);
    for (guint i = 0; i < senders->len; i++) {
        guint32 member = g_array_index(senders, guint32, i);
        guint64 n = lp_round_plan_transfers(plan, member, 0, transfers);
        if (n > plan->at_once)
            return FALSE;
        for (guint64 k = 0; k < n; k++)
            add_class_flow(flows, known,
                           flow_of(self, plan, communicator->ranks[member], &transfers[k]),
                           transfers[k].connection);
    }
    return TRUE;
}

/* Whether one flow of each class is enough. */
static gboolean
begins_at_once(const LpCollectiveFlows *self, const LpCollectiveCall *collective, GArray *flows)
{
    LpRoundPlan *plan = collective->plan;
    g_autoptr(GHashTable) known = g_hash_table_new(NULL, NULL);
    if (self->classes == NULL)
        return FALSE;
    if (plan != NULL)
        return plan->n_rounds == 0 ||
               (plan->n_rounds == 1 && add_round_flows(self, plan, known, flows));
    if (lp_pair_flows_are_all(self->ring, self->fidelity))
        return FALSE;
    add_plain_flows(self, collective, known, flows);
    return TRUE;
}

LpUnitTask
lp_collective_flows_task(const LpCollectiveFlows *self, const LpCollectiveCall *collective)
{
    LpRoundPlan *plan = collective->plan;
    LpUnitTask task = {.kind = plan != NULL ? LP_UNIT_ROUNDS : LP_UNIT_ROW,
                       .n_units = lp_collective_flows_n_units(self),
                       .n_row =
                           lp_exchange_row_length(self->ring->n_members, self->ring->sites.n_intra),
                       .flows = g_array_new(FALSE, FALSE, sizeof(LpUnitFlow))};
    if (plan == NULL)
        task.wait_s = lp_collective_flows_wait_s(self, collective);
    else if (plan->n_rounds > 0)
        task.wait_s = lp_round_plan_wait_s(plan, 0);
    if (begins_at_once(self, collective, task.flows)) {
        task.kind = LP_UNIT_FLOW;
        task.n_units = task.flows->len;
    }
    for (guint i = 0; i < task.flows->len; i++) {
        LpUnitFlow *flow = &g_array_index(task.flows, LpUnitFlow, i);
        flow->n_activities = 1u + (task.wait_s > 0.0 ? 1u : 0u) + (flow->latency_s > 0.0 ? 1u : 0u);
    }
    return task;
}
