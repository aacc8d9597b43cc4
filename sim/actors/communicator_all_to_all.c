/* SPDX-License-Identifier: Apache-2.0 */
/* Flows to the next domain, or messages to every member. */
#include "sim/actors/communicator_state.h"
#include "sim/collectives/exchange.h"
#include "sim/quotient/pair_flows.h"

#include <simgrid/barrier.h>
#include <simgrid/engine.h>
#include <simgrid/semaphore.h>

#include <math.h>

/* Domains at other distances that an all-to-all sends to in one of its rounds. */
typedef struct {
    guint64 first, end;
} Shifts;

/* Whether @op goes over circuits that are set up for it. */
static gboolean
is_switched(const LpCommunicatorRuntime *self, const LpOp *op)
{
    return self->circuits != NULL && !lp_communicator_uses_packet_network(self, op);
}

/* Members of a domain, which stand together. */
static guint64
n_intra(const LpCommunicatorRuntime *self)
{
    return self->ring.sites.is_regular ? self->ring.sites.n_intra : 1;
}

static Shifts
shifts_of(const LpCommunicatorRuntime *self, const LpOp *op, guint32 round)
{
    guint64 n = self->ring.n_members / n_intra(self);
    if (!is_switched(self, op) || self->use->n_rounds == 1)
        return (Shifts){1, n};
    guint64 n_lanes = lp_circuits_plan(self->circuits)->n_lanes;
    return (Shifts){MIN(1 + round * n_lanes, n), MIN(1 + (round + 1) * n_lanes, n)};
}

/* @share of @all of @bytes, as often as they are forwarded. */
static guint64
forwarded(const LpCommunicatorRuntime *self, const LpOp *op, guint64 bytes, guint64 share,
          guint64 all)
{
    if (!is_switched(self, op))
        return bytes;
    return (guint64)llround((double)bytes * self->use->forwarding * (double)share / (double)all);
}

static void
sleep_until(LpCommunicatorRuntime *self, double until_s)
{
    double left_s = until_s - simgrid_get_clock();
    if (left_s <= 0.0)
        return;
    lp_watch_sleep(self->sender.watch, left_s);
    self->n_delays++;
}

/* Over circuits of experts, as one flow beside them, and for as long as theirs take. */
static void
run_experts(LpCommunicatorRuntime *self, guint64 index)
{
    LpExpertCircuits *experts = self->experts;
    LpExpertShare share = lp_expert_circuits_share(experts, index);
    lp_channel_use_packet_network(self->channels[index], TRUE);
    double bridged_s = simgrid_get_clock() + share.bridged_s;
    lp_communicator_exchange(self, index, share.bridged_bytes, 0.0);
    sleep_until(self, bridged_s);
    (void)sg_barrier_wait(self->barrier);
    double from_s = MAX(simgrid_get_clock(), lp_expert_circuits_ready_s(experts));
    double until_s = share.circuits_s > 0.0 ? from_s + share.circuits_s : 0.0;
    lp_communicator_exchange(self, index, share.packet_bytes, 0.0);
    sleep_until(self, until_s);
}

/* One flow a member: all that leaves its domain goes to the next one, to the member of the same
 * place there, as libraries do that keep to the rails. Where there is no other domain, within it.
 */
static void
run_exchange_flow(LpCommunicatorRuntime *self, guint64 index, const LpOp *op, Shifts shifts)
{
    guint64 bytes = lp_communicator_sends_inter(self)
                        ? lp_isolated_inter_bytes(&self->ring, op, index)
                        : lp_isolated_intra_bytes(&self->ring, op, index);
    LpReach reach = lp_communicator_sends_inter(self) ? LP_REACH_FABRIC : LP_REACH_DOMAIN;
    if (lp_communicator_sends_inter(self))
        bytes = forwarded(self, op, bytes, shifts.end - shifts.first,
                          self->ring.n_members / self->ring.sites.n_intra - 1);
    if (lp_communicator_is_hybrid(self))
        lp_channel_use_packet_network(self->channels[index],
                                      lp_communicator_uses_packet_network(self, op));
    lp_communicator_exchange(self, index,
                             lp_protocol_wire_bytes(self->selection.protocol, reach, bytes), 0.0);
}

/* All that leaves the domain of member @index at once, over circuits that turn: it goes to the
 * member of the same place in each other domain, where groups stand in order; else pair by pair. */
static void
run_posted(LpCommunicatorRuntime *self, guint64 index, const LpOp *op)
{
    const LpIsolatedRing *ring = lp_isolated_ring_of(&self->ring, op);
    const LpCommunicator *communicator = ring->communicator;
    const double *loads = lp_op_loads(op, communicator);
    guint64 intra = n_intra(self), n = ring->n_members / intra;
    g_autofree LpConnection *connections = g_new(LpConnection, n);
    g_autofree guint64 *sent_bytes = g_new(guint64, n);
    sg_sem_t arrived = sg_sem_init(0);
    double start_s = simgrid_get_clock();
    for (guint64 shift = 1; shift < n; shift++) {
        guint64 domain = (index / intra + shift) % n, bytes = 0;
        connections[shift] = lp_rank_layout_connect(
            ring->map->layout, (LpConnectionKind)communicator->group, communicator->ranks[index],
            communicator->ranks[domain * intra + index % intra]);
        for (guint64 member = domain * intra; member < (domain + 1) * intra; member++)
            bytes += lp_exchange_pair_bytes(op, loads, ring->n_members, index, member);
        sent_bytes[shift] = lp_protocol_wire_bytes(self->selection.protocol,
                                                   lp_connection_reach(&connections[shift]), bytes);
        LpFlow flow =
            lp_flow_sender_flow(&self->sender, &connections[shift].route, sent_bytes[shift]);
        self->posted_bytes += flow.bytes;
        self->n_posted += lp_route_n_flows(flow.route);
        lp_flow_engine_post(self->sender.sharing, &flow, arrived);
    }
    for (guint64 shift = 1; shift < n; shift++)
        sg_sem_acquire(arrived);
    for (guint64 shift = 1; shift < n; shift++)
        lp_flow_sender_log(&self->sender, &connections[shift].route, sent_bytes[shift], start_s,
                           simgrid_get_clock());
    sg_sem_destroy(arrived);
}

/* Domain by domain, and in each to every member in turn. */
static void
run_pairs(LpCommunicatorRuntime *self, guint64 index, const LpOp *op, Shifts shifts)
{
    LpCollectiveCall collective = {.op = op,
                                   .protocol = self->selection.protocol,
                                   .forwarding =
                                       is_switched(self, op) ? self->use->forwarding : 1.0};
    lp_round_executor_run_row(lp_communicator_executor(self), index, &collective,
                              (shifts.first - 1) * n_intra(self), (shifts.end - 1) * n_intra(self));
}

static void
run_exchange_round(LpCommunicatorRuntime *self, guint64 index, const LpOp *op, Shifts shifts)
{
    gboolean pairwise = lp_pair_flows_are_all(&self->ring, self->mode.fidelity);
    gboolean leaves = !self->ring.sites.is_regular || lp_communicator_sends_inter(self);
    if (self->experts != NULL)
        run_experts(self, index);
    else if (leaves && lp_flow_engine_rotor(self->sender.sharing) != NULL)
        run_posted(self, index, op);
    else if (pairwise)
        run_pairs(self, index, op, shifts);
    else
        run_exchange_flow(self, index, op, shifts);
    (void)sg_barrier_wait(self->barrier);
}

void
lp_communicator_wait_for_ports(LpCommunicatorRuntime *self, double from_s)
{
    double left_s = from_s + self->least_s - simgrid_get_clock();
    if (!lp_communicator_sends_inter(self) || left_s <= 0.0)
        return;
    lp_watch_sleep(self->sender.watch, left_s);
    self->n_delays++;
}

/* What stays in a domain is a delay, for which it uses the member's own port. */
static void
log_intra(const LpCommunicatorRuntime *self, guint64 index, double from_s)
{
    const LpCommunicator *communicator = self->ring.communicator;
    const LpConnection *intra = lp_communication_map_connection(
        self->map, (LpConnectionKind)communicator->group, communicator->ranks[index]);
    if (intra->present && lp_communicator_sends_inter(self))
        lp_flow_log_add_use(self->log.log, &intra->route, from_s, from_s + self->least_s);
}

/* Latency counts once, however many messages follow each other; what stays in a domain goes on
 * beside what leaves it, for as long as its ports need. */
void
lp_communicator_run_all_to_all(LpCommunicatorRuntime *self, guint64 index, const LpOp *op,
                               LpClock *clock)
{
    gboolean switches = is_switched(self, op);
    guint32 n_rounds = switches ? self->use->n_rounds : 1;
    if (switches)
        lp_communicator_acquire(self, 0, clock);
    double start_s = simgrid_get_clock();
    double latency_s = lp_flow_list_plain_wait_s(lp_isolated_ring_of(&self->ring, op), op,
                                                 self->selection.protocol);
    if (latency_s > 0.0) {
        lp_watch_sleep(self->sender.watch, latency_s);
        self->n_delays++;
    }
    if (self->experts != NULL && self->n_exchanges++ % self->mode.n_actors == 0)
        lp_expert_circuits_begin(self->experts, op, self->selection.protocol);
    for (guint32 round = 0; round < n_rounds; round++) {
        if (round > 0)
            lp_communicator_acquire(self, round, clock);
        run_exchange_round(self, index, op, shifts_of(self, op, round));
        if (clock != NULL && switches)
            lp_clock_charge(clock, op->term, simgrid_get_clock());
        if (switches)
            lp_communicator_release(self, round);
    }
    if (self->experts != NULL && self->n_ended++ % self->mode.n_actors == 0)
        lp_expert_circuits_end(self->experts);
    lp_communicator_wait_for_ports(self, start_s + latency_s);
    log_intra(self, index, start_s + latency_s);
}
