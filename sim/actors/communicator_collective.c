/* SPDX-License-Identifier: Apache-2.0 */
/* How a communicator runs a collective: gather, then a delay, a ring over channels, or rounds. */
#include "sim/actors/actor_hybrid.h"
#include "sim/actors/collective_bytes.h"
#include "sim/actors/communicator_runtime.h"
#include "sim/actors/communicator_state.h"
#include "sim/analysis/cached_latencies.h"
#include "sim/collectives/ring.h"

#include <simgrid/barrier.h>
#include <simgrid/engine.h>

LpTraffic
lp_communicator_traffic(const LpCommunicatorRuntime *self)
{
    return lp_group_traits(self->ring.communicator->group)->traffic;
}

/* Members whose channels lead out of their domain: those of a group that does all-to-alls. */
gboolean
lp_communicator_sends_inter(const LpCommunicatorRuntime *self)
{
    return lp_isolated_ring_sends_inter(&self->ring);
}

/* The member that sends to @index, or who stands for it. */
guint64
lp_communicator_sender_to(const LpCommunicatorRuntime *self, guint64 index)
{
    guint64 n = self->ring.n_members;
    guint64 back = lp_communicator_sends_inter(self) ? self->ring.sites.n_intra : 1;
    guint64 sender = (index + n - back) % n;
    return self->classes == NULL || self->classes->members.n_classes == 0
               ? sender
               : lp_member_classes_representative(&self->classes->members, sender);
}

gboolean
lp_communicator_is_hybrid(const LpCommunicatorRuntime *self)
{
    return self->circuits != NULL && lp_circuits_is_hybrid(self->circuits);
}

gboolean
lp_communicator_uses_packet_network(const LpCommunicatorRuntime *self, const LpOp *op)
{
    return lp_isolated_ring_of(&self->ring, op) != &self->ring;
}

/* Waits until the circuits of @round stand; all members do. */
void
lp_communicator_acquire(LpCommunicatorRuntime *self, guint32 round, LpClock *clock)
{
    if (self->circuits == NULL)
        return;
    LpCircuitWait wait = lp_circuits_acquire(self->circuits, self->use->pattern + round,
                                             self->mode.n_actors, TRUE, self->sender.watch);
    if (clock != NULL)
        lp_clock_wait_for_circuits(clock, wait.from_s, wait.hidden_s, wait.ready_s);
}

void
lp_communicator_release(LpCommunicatorRuntime *self, guint32 round)
{
    if (self->circuits != NULL)
        lp_circuits_release(self->circuits, self->use->pattern + round, self->mode.n_actors);
}

/* One step of a ring. Receives are always posted, so that what arrives meanwhile is only picked up
 * after sending, and a step takes as long as the longer of both. */
void
lp_communicator_exchange(LpCommunicatorRuntime *self, guint64 index, guint64 bytes,
                         double latency_s)
{
    lp_channel_send(self->channels[index], bytes, latency_s, NULL);
    (void)lp_channel_receive(self->channels[lp_communicator_sender_to(self, index)]);
}

static LpCollectiveFlows
units_of(const LpCommunicatorRuntime *self)
{
    return (LpCollectiveFlows){&self->ring, self->mode.fidelity, self->quotient, self->classes};
}

static LpCollectiveCall
call_of(LpCommunicatorRuntime *self, const LpOp *op)
{
    return (LpCollectiveCall){.op = op,
                              .protocol = self->selection.protocol,
                              .plan = self->selection.is_scheduled ? &self->round_plan : NULL,
                              .forwarding = 1.0};
}

LpRoundExecutor *
lp_communicator_executor(LpCommunicatorRuntime *self)
{
    LpCollectiveFlows units = units_of(self);
    if (self->executor == NULL)
        self->executor = lp_round_executor_new(&units, &self->sender, self->mode.n_actors);
    return self->executor;
}

/* --- rings --- */

/* A member's part of a ring over a hybrid. */
typedef struct {
    LpCommunicatorRuntime *runtime; /* borrowed */
    guint64 index;
    double latency_s; /**< to be paid yet */
} HybridPart;

static void
exchange_hybrid(void *data, guint64 bytes, gboolean packet_network)
{
    HybridPart *part = data;
    LpCommunicatorRuntime *self = part->runtime;
    lp_channel_use_packet_network(self->channels[part->index], packet_network);
    lp_communicator_exchange(self, part->index, bytes, part->latency_s);
    part->latency_s = 0.0;
    (void)sg_barrier_wait(self->barrier);
}

static void
run_flow_hybrid(LpCommunicatorRuntime *self, guint64 index, const LpOp *op, guint64 bytes,
                double wait_s)
{
    const LpMachine *machine = lp_network_machine(self->map->network);
    HybridPart part = {self, index, wait_s};
    LpHybridSend send = {.circuits = self->circuits,
                         .pattern = self->use->pattern,
                         .n_users = self->mode.n_actors,
                         .is_eager = TRUE,
                         .packet_bytes_per_s = lp_machine_plane_bytes_per_s(machine, 1),
                         .send = exchange_hybrid,
                         .data = &part};
    if (lp_communicator_uses_packet_network(self, op))
        exchange_hybrid(&part, bytes, TRUE);
    else
        lp_hybrid_send(&send, bytes);
}

/* One flow a connection carries all of the collective's bytes, and the collective ends with the
 * last flow, since every block goes all the way round. */
static void
run_ring_flow(LpCommunicatorRuntime *self, guint64 index, const LpOp *op)
{
    LpCollectiveFlows units = units_of(self);
    LpCollectiveCall call = call_of(self, op);
    guint64 wire_bytes = lp_collective_flows_ring_bytes(&units, &call, index, 0);
    double wait_s = lp_collective_flows_ring_wait_s(&units, &call, index, 0);
    if (lp_communicator_is_hybrid(self)) {
        run_flow_hybrid(self, index, op, wire_bytes, wait_s);
        return;
    }
    guint32 n_parts = self->circuits == NULL ? 1 : lp_circuits_n_parts(self->circuits);
    for (guint32 i = 0; i < n_parts; i++) {
        if (i > 0)
            (void)lp_circuits_yield(self->circuits, self->use->pattern, self->mode.n_actors, TRUE,
                                    self->sender.watch);
        lp_communicator_exchange(self, index,
                                 wire_bytes * (i + 1) / n_parts - wire_bytes * i / n_parts,
                                 i > 0 ? 0.0 : wait_s);
        (void)sg_barrier_wait(self->barrier);
    }
}

/* Over a hybrid: the whole collective over circuits that stand, or all of it beside them. Returns:
 * whether circuits were granted. */
static gboolean
choose_way(LpCommunicatorRuntime *self, guint64 index, const LpOp *op)
{
    if (!lp_communicator_is_hybrid(self))
        return FALSE;
    double ready_s = 0.0;
    gboolean granted =
        !lp_communicator_uses_packet_network(self, op) &&
        lp_circuits_try(self->circuits, self->use->pattern, self->mode.n_actors, TRUE, &ready_s);
    lp_channel_use_packet_network(self->channels[index], !granted || ready_s > simgrid_get_clock());
    return granted;
}

/* As all collectives it ends for all members with the last one, so that what it takes alone says
 * when each goes on. */
static void
run_ring_messages(LpCommunicatorRuntime *self, guint64 index, const LpOp *op)
{
    LpCollectiveFlows units = units_of(self);
    LpCollectiveCall call = call_of(self, op);
    guint64 n_steps = lp_collective_flows_ring_steps(&units, &call);
    double wait_s = lp_collective_flows_ring_wait_s(&units, &call, index, 1);
    gboolean granted = choose_way(self, index, op);
    for (guint64 step = 0; step < n_steps; step++)
        lp_communicator_exchange(
            self, index, lp_collective_flows_ring_bytes(&units, &call, index, step),
            step == 0 ? lp_collective_flows_ring_wait_s(&units, &call, index, 0) : wait_s);
    if (granted)
        lp_communicator_release(self, 0);
    if (self->barrier != NULL)
        (void)sg_barrier_wait(self->barrier);
}

/* --- any collective --- */

/* Where one actor stands for the whole group, it counts what all members send; where actors stand
 * for classes of ranks, the first that comes does. Returns: the bytes, of one replica. */
static guint64
count_traffic(LpCommunicatorRuntime *self, guint64 index, const LpOp *op)
{
    const LpRoundPlan *round_plan = self->selection.is_scheduled ? &self->round_plan : NULL;
    if (self->mode.is_class && self->n_counted++ % self->mode.n_actors > 0)
        return 0;
    guint64 bytes = self->mode.n_actors == self->ring.n_members && !self->mode.is_class
                        ? lp_collective_member_bytes(&self->ring, round_plan, op, index)
                        : lp_collective_total_bytes(&self->ring, round_plan, op);
    self->traffic_bytes[op->traffic] += bytes * self->mode.weight;
    return bytes;
}

/* What is known of an op before it runs. */
typedef struct {
    LpAlgorithmSelection selection;
    double least_s;    /* of an all-to-all along the rails: what its busiest port needs */
    double measured_s; /* lp_rank_layout_measured_s() */
} Known;

/* Found once for all ops that are alike, which come again and again. */
static const Known *
known_of(LpCommunicatorRuntime *self, const LpOp *op)
{
    Known *known = g_hash_table_lookup(self->known, op);
    if (known != NULL)
        return known;
    known = g_new0(Known, 1);
    known->selection = lp_rank_layout_selection(self->map->layout, op, self->ring.communicator);
    if (op->collective == LP_COLLECTIVE_ALL_TO_ALL && !known->selection.is_scheduled &&
        !self->mode.as_delay)
        known->least_s = lp_isolated_least_time_s(lp_isolated_ring_of(&self->ring, op), op,
                                                  known->selection.protocol, FALSE,
                                                  lp_flow_engine_uncontended(self->sender.sharing));
    known->measured_s =
        lp_rank_layout_measured_s(self->map->layout, op, self->ring.communicator, NULL);
    g_hash_table_insert(self->known, (gpointer)(guintptr)op, known);
    return known;
}

/* The first member of all that run it makes a collective ready: nobody is in the last one any more,
 * since all have come for this one. */
static void
prepare(LpCommunicatorRuntime *self, const LpOp *op, double delay_s)
{
    gboolean is_alike = !self->mode.as_delay && self->op != NULL && lp_op_is_alike(self->op, op);
    if (self->op == op || is_alike)
        return;
    self->op = op;
    const Known *known = known_of(self, op);
    self->selection = known->selection;
    self->least_s = known->least_s;
    self->measured_s = known->measured_s;
    if (self->selection.is_scheduled) {
        lp_round_plan_clear(&self->round_plan);
        lp_round_plan_init(&self->round_plan, self->map, op, self->ring.communicator,
                           self->mode.fidelity);
        if (!self->mode.as_delay)
            lp_cached_latencies_prepare(&self->round_plan, op, self->ring.cache);
    }
    if (self->mode.as_delay)
        self->isolated_s =
            delay_s < 0.0 ? lp_isolated_ring_time_s(&self->ring, op, self->mode.fidelity) : delay_s;
}

/* On circuits that turn, what exceeds the isolated time was waiting for them. */
static void
wait_for_turns(LpCommunicatorRuntime *self, const LpOp *op, double start_s, LpClock *clock)
{
    if (lp_flow_engine_rotor(self->sender.sharing) == NULL || clock == NULL)
        return;
    double took_s = simgrid_get_clock() - start_s;
    double wait_s = took_s - lp_isolated_ring_time_s(&self->ring, op, self->mode.fidelity);
    if (wait_s > 0.0)
        lp_clock_wait_for_circuits(clock, start_s, 0.0, start_s + wait_s);
}

/* Of classes, or what is scheduled. An op may run again and again: its round plan stays. */
static void
run_in_executor(LpCommunicatorRuntime *self, guint64 index, const LpOp *op)
{
    double start_s = simgrid_get_clock();
    LpCollectiveFlows units = units_of(self);
    LpCollectiveCall call = call_of(self, op);
    lp_round_executor_run(lp_communicator_executor(self), index, &call);
    if (op->collective == LP_COLLECTIVE_ALL_TO_ALL && !self->selection.is_scheduled)
        lp_communicator_wait_for_ports(self, start_s + lp_collective_flows_wait_s(&units, &call));
}

/* Rings over a hybrid do not. */
static gboolean
waits_for_circuits(const LpCommunicatorRuntime *self, const LpOp *op)
{
    return !lp_communicator_uses_packet_network(self, op) &&
           (self->selection.is_scheduled || !lp_communicator_is_hybrid(self));
}

/* How many ranks the actor @index stands for. */
static guint64
n_ranks_of(const LpCommunicatorRuntime *self, guint64 index)
{
    return self->members == NULL ? 1 : g_array_index(self->members, LpClassMember, index).n_ranks;
}

/* Of a class the first actor logs what all members of one communicator send, as evenly as they do.
 */
static void
log_delay(LpCommunicatorRuntime *self, guint64 index, const LpOp *op, guint64 bytes, double start_s)
{
    double end_s = simgrid_get_clock(), n = (double)self->ring.n_members;
    if (self->log.log == NULL || bytes == 0)
        return;
    if (!self->mode.is_class)
        lp_runtime_log_delay(&self->log, index, op->traffic, (double)bytes, start_s, end_s);
    for (guint64 i = 0; self->mode.is_class && i < self->ring.n_members; i++)
        lp_runtime_log_delay(&self->log, i, op->traffic, (double)bytes / n, start_s, end_s);
}

/* However fast its bytes are, it takes what it was measured to take. */
static void
wait_for_table(LpCommunicatorRuntime *self, double start_s)
{
    double left_s = start_s + self->measured_s - simgrid_get_clock();
    if (left_s <= 0.0)
        return;
    lp_watch_sleep(self->sender.watch, left_s);
    self->n_delays++;
}

static void
run_flows(LpCommunicatorRuntime *self, guint64 index, const LpOp *op, LpClock *clock)
{
    LpCollectiveFlows units = units_of(self);
    LpCollectiveCall call = call_of(self, op);
    LpCollectiveWay way = lp_collective_flows_way(&units, &call);
    guint64 member = self->actor_member != NULL ? self->actor_member[index] : index;
    if (way == LP_COLLECTIVE_EXCHANGE) {
        lp_communicator_run_all_to_all(self, index, op, clock);
        return;
    }
    gboolean waits = waits_for_circuits(self, op);
    if (waits)
        lp_communicator_acquire(self, 0, clock);
    if (way == LP_COLLECTIVE_UNITS)
        run_in_executor(self, index, op);
    else if (self->mode.fidelity == LP_FIDELITY_FLOW)
        run_ring_flow(self, index, op);
    else
        run_ring_messages(self, member, op);
    if (waits)
        lp_communicator_release(self, 0);
}

void
lp_communicator_runtime_run(LpCommunicatorRuntime *self, guint64 index,
                            const LpCommunicatorCall *call)
{
    const LpOp *op = call->op;
    LpClock *clock = call->clock;
    lp_communicator_runtime_gather(self, index, op, clock);
    double start_s = simgrid_get_clock();
    prepare(self, op, call->delay_s);
    if (self->mode.as_delay) {
        lp_watch_sleep(self->sender.watch, self->isolated_s);
        self->n_delays++;
    } else {
        run_flows(self, index, op, clock);
        wait_for_table(self, start_s);
    }
    guint64 bytes = count_traffic(self, index, op);
    if (self->mode.as_delay)
        log_delay(self, index, op, bytes, start_s);
    else
        wait_for_turns(self, op, start_s, clock);
    lp_call_times_add(self->mode.times, self->map->program, op, n_ranks_of(self, index),
                      simgrid_get_clock() - start_s);
    if (clock != NULL)
        lp_clock_charge(clock, op->term, simgrid_get_clock());
    if (call->meter != NULL)
        lp_overlap_meter_add_launched(call->meter, call->stream, start_s, simgrid_get_clock());
}
