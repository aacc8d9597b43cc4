/* SPDX-License-Identifier: Apache-2.0 */
/* Collectives among actors: gather, then a delay, or the ring over channels. */
#include "sim/actors/communicator_runtime.h"

#include "sim/actors/actor_all_to_all.h"
#include "sim/actors/actor_ring.h"
#include "sim/actors/collective_bytes.h"
#include "sim/analysis/cached_latencies.h"
#include "sim/quotient/pair_flows.h"

#include <simgrid/barrier.h>
#include <simgrid/engine.h>

LpCommunicatorRuntime *
lp_communicator_runtime_new(const LpCommunicationMap *map, LpIsolatedCache *cache,
                            const LpCommunicator *communicator, LpRuntimeMode mode)
{
    LpCommunicatorRuntime *self = g_new0(LpCommunicatorRuntime, 1);
    self->known = g_hash_table_new_full(lp_op_hash, lp_op_is_alike, NULL, g_free);
    self->map = map;
    self->mode = mode;
    lp_isolated_ring_init(&self->ring, map, cache, communicator);
    self->log =
        (LpRuntimeLog){.map = map, .communicator = communicator, .weight = (double)mode.weight};
    if (mode.n_actors > 1)
        self->barrier = sg_barrier_init((unsigned)mode.n_actors);
    self->channels = g_new0(LpChannel *, self->ring.n_members);
    return self;
}

void
lp_communicator_runtime_free(LpCommunicatorRuntime *self)
{
    if (self == NULL)
        return;
    for (guint64 i = 0; i < self->ring.n_members; i++)
        lp_channel_free(self->channels[i]);
    g_free(self->channels);
    lp_round_plan_clear(&self->round_plan);
    g_hash_table_unref(self->known);
    lp_round_executor_free(self->round_executor);
    lp_expert_circuits_free(self->experts);
    lp_flow_class_executor_free(self->flow_class_executor);
    g_free(self->actor_member);
    lp_runtime_log_clear(&self->log);
    g_clear_pointer(&self->members, g_array_unref);
    lp_isolated_ring_clear(&self->ring);
    if (self->barrier != NULL)
        sg_barrier_destroy(self->barrier);
    g_free(self);
}

const LpCommunicator *
lp_communicator_runtime_communicator(const LpCommunicatorRuntime *self)
{
    return self->ring.communicator;
}

void
lp_communicator_runtime_set_watch(LpCommunicatorRuntime *self, LpWatch *watch, guint32 job)
{
    self->watch = watch;
    self->job = job;
}

void
lp_communicator_runtime_set_circuits(LpCommunicatorRuntime *self, LpCircuits *circuits)
{
    self->use = lp_circuit_plan_use(lp_circuits_plan(circuits), self->ring.communicator);
    self->circuits = self->use->pattern == LP_CIRCUIT_NONE ? NULL : circuits;
    if (lp_communicator_traffic(self) == LP_TRAFFIC_EP &&
        lp_circuits_steers(circuits, LP_TRAFFIC_EP) && lp_communicator_sends_inter(self) &&
        !self->mode.as_delay)
        self->experts = lp_expert_circuits_new(&self->ring, circuits);
}

void
lp_communicator_runtime_set_sharing(LpCommunicatorRuntime *self, LpFlowEngine *sharing)
{
    self->sharing = sharing;
}

void
lp_communicator_runtime_set_log(LpCommunicatorRuntime *self, LpFlowLog *log)
{
    self->log.log = log;
}

LpRuntimeLog *
lp_communicator_runtime_log(LpCommunicatorRuntime *self)
{
    return &self->log;
}

/* Of the members that stand for classes, each to the next member's class, for rings of messages. */
static void
add_class_channels(LpCommunicatorRuntime *self)
{
    const LpCommunicator *communicator = self->ring.communicator;
    const LpMemberClasses *members = &self->classes->members;
    for (guint32 i = 0; i < members->n_classes; i++) {
        guint32 member = members->first[i], rank = communicator->ranks[member];
        const LpRoute *route =
            lp_quotient_route(self->quotient, (LpConnectionKind)communicator->group, rank);
        if (route == NULL)
            continue;
        LpChannel *channel = lp_channel_new(LP_CHANNEL_DIRECT, "", route, NULL);
        lp_channel_set_watch(channel, self->watch, self->job, rank,
                             communicator->ranks[(member + 1) % self->ring.n_members]);
        lp_communicator_runtime_set_channel(self, member, channel);
        lp_channel_set_log(channel, self->class_log.log, self->class_log.weight);
    }
}

void
lp_communicator_runtime_set_classes(LpCommunicatorRuntime *self, const LpQuotient *quotient,
                                    const LpCommunicatorClass *classes)
{
    self->flow_class_executor = lp_flow_class_executor_new(quotient, classes, self->mode.n_actors,
                                                           self->job, self->sharing, self->watch);
    lp_flow_class_executor_set_log(self->flow_class_executor, self->log.log);
    self->quotient = quotient;
    self->classes = classes;
    self->class_log = self->log;
    self->class_log.weight = 1.0;
    if (self->mode.fidelity != LP_FIDELITY_MESSAGE || self->ring.communicator->exchanges)
        return;
    add_class_channels(self);
    self->actor_member = lp_quotient_rank_members(quotient, classes);
}

void
lp_communicator_runtime_add_member(LpCommunicatorRuntime *self, LpClassMember member)
{
    if (self->members == NULL)
        self->members = g_array_new(FALSE, FALSE, sizeof member);
    g_array_append_val(self->members, member);
}

void
lp_communicator_runtime_set_waits(LpCommunicatorRuntime *self, LpWaitRecord *waits)
{
    self->waits = waits;
}

void
lp_communicator_runtime_set_channel(LpCommunicatorRuntime *self, guint64 index, LpChannel *channel)
{
    self->channels[index] = channel;
    lp_channel_set_sharing(channel, self->sharing, lp_communicator_traffic(self), self);
    lp_channel_set_log(channel, self->log.log, self->log.weight);
    if (self->circuits == NULL ||
        (!lp_communicator_sends_inter(self) && self->ring.reach[index] == LP_REACH_DOMAIN))
        return;
    const LpCircuitPlan *plan = lp_circuits_plan(self->circuits);
    lp_channel_set_cap(channel, lp_circuit_plan_pattern(plan, self->use->pattern)->cap_bytes_per_s);
}

LpChannel *
lp_communicator_runtime_inbox(const LpCommunicatorRuntime *self, guint64 index)
{
    return self->channels[lp_communicator_sender_to(self, index)];
}

static const LpClassMember *
member_at(const LpCommunicatorRuntime *self, guint64 index)
{
    return &g_array_index(self->members, LpClassMember, index);
}

/* How many members the actor @index stands for. */
static guint64
n_members_of(const LpCommunicatorRuntime *self, guint64 index)
{
    return self->members == NULL ? 1 : member_at(self, index)->n;
}

/* How many ranks the actor @index stands for. */
static guint64
n_ranks_of(const LpCommunicatorRuntime *self, guint64 index)
{
    return self->members == NULL ? 1 : member_at(self, index)->n_ranks;
}

/* How long members have waited for @index, which is the last. */
static void
record_wait(LpCommunicatorRuntime *self, guint64 index, const LpOp *op)
{
    double n = (double)(self->members == NULL ? self->mode.n_actors : self->ring.n_members);
    double mean_s = simgrid_get_clock() - self->arrivals_s / n;
    LpStragglerWait what = {.job = self->job,
                            .traffic = lp_communicator_traffic(self),
                            .collective = op == NULL ? LP_WAIT_NONE : op->collective,
                            .rank = self->members == NULL ? self->ring.communicator->ranks[index]
                                                          : member_at(self, index)->rank,
                            .n_alike = self->members == NULL ? 1 : self->mode.weight};
    lp_wait_record_add(self->waits, &what, mean_s);
    self->arrivals_s = 0.0;
}

void
lp_communicator_runtime_gather(LpCommunicatorRuntime *self, guint64 index, const LpOp *op,
                               LpClock *clock)
{
    if (self->barrier == NULL)
        return;
    self->arrivals_s += simgrid_get_clock() * (double)n_members_of(self, index);
    if (clock != NULL && (self->n_arrived == 0 || lp_clock_is_after(clock, &self->latest)))
        self->latest = *clock;
    /* Nobody can overwrite it before all have read it: the next gathering needs all of them. */
    if (++self->n_arrived == self->mode.n_actors) {
        self->last = self->latest;
        self->n_arrived = 0;
        if (self->waits != NULL)
            record_wait(self, index, op);
    }
    (void)sg_barrier_wait(self->barrier);
    if (clock != NULL)
        lp_clock_take_over(clock, &self->last, simgrid_get_clock());
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
                                                  lp_flow_engine_uncontended(self->sharing));
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
    if (self->mode.as_delay) {
        self->isolated_s =
            delay_s < 0.0 ? lp_isolated_ring_time_s(&self->ring, op, self->mode.fidelity) : delay_s;
        return;
    }
    if (self->selection.is_scheduled && self->round_executor == NULL &&
        self->flow_class_executor == NULL) {
        self->round_executor = lp_round_executor_new(self->ring.n_members, self->watch, self->job);
        lp_round_executor_set_sharing(self->round_executor, self->sharing,
                                      lp_communicator_traffic(self), self);
        lp_round_executor_set_log(self->round_executor, self->log.log, self->log.weight);
    }
}

/* An op may run again and again: its round plan stays, and starts anew. */
static void
run_scheduled(LpCommunicatorRuntime *self, guint64 index)
{
    if (self->n_begun++ % self->mode.n_actors == 0)
        lp_round_executor_begin(self->round_executor, &self->round_plan);
    lp_round_executor_run(self->round_executor, index);
    (void)sg_barrier_wait(self->barrier);
}

/* On circuits that turn, what exceeds the isolated time was waiting for them. */
static void
wait_for_turns(LpCommunicatorRuntime *self, const LpOp *op, double start_s, LpClock *clock)
{
    if (lp_flow_engine_rotor(self->sharing) == NULL || clock == NULL)
        return;
    double took_s = simgrid_get_clock() - start_s;
    double wait_s = took_s - lp_isolated_ring_time_s(&self->ring, op, self->mode.fidelity);
    if (wait_s > 0.0)
        lp_clock_wait_for_circuits(clock, start_s, 0.0, start_s + wait_s);
}

static void
run_pairs_member(void *runtime, guint64 member, const LpOp *op)
{
    lp_communicator_run_pairs(runtime, member, op);
}

static void
run_by_classes(LpCommunicatorRuntime *self, guint64 index, const LpOp *op)
{
    double start_s = simgrid_get_clock();
    const LpProtocol *protocol = self->selection.protocol;
    gboolean goes_by_pairs =
        !self->selection.is_scheduled && lp_pair_flows_are_all(&self->ring, self->mode.fidelity);
    LpClassCollective collective = {.op = op,
                                    .ring = &self->ring,
                                    .protocol = protocol,
                                    .round_plan =
                                        self->selection.is_scheduled ? &self->round_plan : NULL,
                                    .run_member = goes_by_pairs ? run_pairs_member : NULL,
                                    .runtime = self};
    lp_flow_class_executor_run(self->flow_class_executor, index, collective);
    if (op->collective == LP_COLLECTIVE_ALL_TO_ALL && !self->selection.is_scheduled)
        lp_communicator_wait_for_ports(
            self, start_s + lp_flow_list_plain_wait_s(&self->ring, op, protocol));
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
    lp_watch_sleep(self->watch, left_s);
    self->n_delays++;
}

void
lp_communicator_runtime_run(LpCommunicatorRuntime *self, guint64 index, const LpOp *op,
                            double delay_s, LpClock *clock, LpOverlapMeter *meter, LpStream stream)
{
    lp_communicator_runtime_gather(self, index, op, clock);
    double start_s = simgrid_get_clock();
    prepare(self, op, delay_s);
    if (self->mode.as_delay) {
        lp_watch_sleep(self->watch, self->isolated_s);
        self->n_delays++;
    } else if (self->actor_member != NULL && !self->selection.is_scheduled) {
        lp_communicator_ring_messages(self, self->actor_member[index], op);
    } else if (self->flow_class_executor != NULL) {
        run_by_classes(self, index, op);
    } else if (op->collective == LP_COLLECTIVE_ALL_TO_ALL && !self->selection.is_scheduled) {
        lp_communicator_run_all_to_all(self, index, op, clock);
    } else {
        gboolean waits = lp_communicator_waits(self, op);
        if (waits)
            lp_communicator_acquire(self, 0, clock);
        if (self->selection.is_scheduled)
            run_scheduled(self, index);
        else if (self->mode.fidelity == LP_FIDELITY_FLOW)
            lp_communicator_ring_flow(self, index, op);
        else
            lp_communicator_ring_messages(self, index, op);
        if (waits)
            lp_communicator_release(self, 0);
    }
    if (!self->mode.as_delay)
        wait_for_table(self, start_s);
    guint64 bytes = count_traffic(self, index, op);
    if (self->mode.as_delay)
        log_delay(self, index, op, bytes, start_s);
    else
        wait_for_turns(self, op, start_s, clock);
    lp_call_times_add(self->mode.times, self->map->program, op, n_ranks_of(self, index),
                      simgrid_get_clock() - start_s);
    if (clock != NULL)
        lp_clock_charge(clock, op->term, simgrid_get_clock());
    if (meter != NULL)
        lp_overlap_meter_add_launched(meter, stream, start_s, simgrid_get_clock());
}

void
lp_communicator_runtime_add_traffic(const LpCommunicatorRuntime *self, guint64 *io_bytes)
{
    for (LpTraffic traffic = 0; traffic < LP_N_TRAFFIC; traffic++)
        io_bytes[traffic] += self->traffic_bytes[traffic];
}

void
lp_communicator_runtime_add_counts(const LpCommunicatorRuntime *self, guint64 *io_sent_bytes,
                                   guint64 *io_received_bytes, guint64 *io_n_activities)
{
    *io_n_activities += self->n_delays + self->n_pairwise;
    *io_sent_bytes += self->pairwise_bytes;
    *io_received_bytes += self->pairwise_bytes;
    if (self->round_executor != NULL) {
        *io_sent_bytes += lp_round_executor_sent_bytes(self->round_executor);
        *io_received_bytes += lp_round_executor_received_bytes(self->round_executor);
        *io_n_activities += lp_round_executor_n_activities(self->round_executor);
    }
    if (self->flow_class_executor != NULL) {
        *io_sent_bytes += lp_flow_class_executor_sent_bytes(self->flow_class_executor);
        *io_received_bytes += lp_flow_class_executor_sent_bytes(self->flow_class_executor);
        *io_n_activities += lp_flow_class_executor_n_activities(self->flow_class_executor);
    }
    for (guint64 i = 0; i < self->ring.n_members; i++) {
        const LpChannel *channel = self->channels[i];
        if (channel == NULL)
            continue;
        *io_sent_bytes += lp_channel_sent_bytes(channel);
        *io_received_bytes += lp_channel_received_bytes(channel);
        *io_n_activities += lp_channel_n_activities(channel);
    }
}
