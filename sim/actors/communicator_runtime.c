/* SPDX-License-Identifier: Apache-2.0 */
/* Collectives among actors: gather, then a delay, or the ring over channels. */
#include "sim/actors/communicator_runtime.h"

#include "sim/actors/actor_courier.h"
#include "sim/actors/actor_exchange.h"
#include "sim/actors/collective_bytes.h"
#include "sim/analysis/max_min.h"

#include "sim/collectives/exchange.h"
#include "sim/collectives/ring.h"

#include <simgrid/actor.h>
#include <simgrid/barrier.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>

#include <math.h>

struct LpCommunicatorRuntime {
    const LpCommunicationMap *map; /* borrowed */
    LpRuntimeMode mode;
    guint64 n_arrived;
    LpClock last;     /* of the last member to arrive */
    sg_bar_t barrier; /* owned; NULL for a single actor */
    LpIsolatedRing ring;
    LpChannel **channels;           /* owned, by member: to the next one; NULL entries for delays */
    const LpOp *op;                 /* borrowed: the collective at hand, or the last one */
    LpAlgorithmSelection selection; /* of it */
    double isolated_s;              /* of it, if it takes its isolated time, */
    double intra_s;                 /* or what of an all-to-all stays in domains */
    LpRoundPlan round_plan;         /* of it, if it is scheduled */
    LpCouriers *couriers;           /* owned; NULL until something is */
    LpWatch *watch;                 /* borrowed from the run, or NULL */
    LpCircuits *circuits;           /* borrowed from the run; NULL: none are needed */
    const LpCircuitUse *use;        /* borrowed from the run: of them */
    LpSharing *sharing;             /* borrowed from the run, or NULL */
    LpRuntimeLog log;
    LpWaitRecord *waits; /* borrowed from the run, or NULL */
    double arrivals_s;   /* instants at which members have come, summed */
    guint32 job;
    guint64 traffic_bytes[LP_N_TRAFFIC];
    guint64 n_delays;
    guint64 pairwise_bytes, n_pairwise; /* sent without channels */
    guint64 n_begun;                    /* scheduled collectives, by every member */
};

LpCommunicatorRuntime *
lp_communicator_runtime_new(const LpCommunicationMap *map, LpIsolatedCache *cache,
                            const LpCommunicator *communicator, LpRuntimeMode mode)
{
    LpCommunicatorRuntime *self = g_new0(LpCommunicatorRuntime, 1);
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
    lp_couriers_free(self->couriers);
    lp_runtime_log_clear(&self->log);
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
}

void
lp_communicator_runtime_set_sharing(LpCommunicatorRuntime *self, LpSharing *sharing)
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

void
lp_communicator_runtime_set_waits(LpCommunicatorRuntime *self, LpWaitRecord *waits)
{
    self->waits = waits;
}

static LpTraffic
traffic_of(const LpCommunicatorRuntime *self)
{
    return lp_group_traits(self->ring.communicator->group)->traffic;
}

/* Members whose channels lead out of their domain: those of a group that does all-to-alls. */
static gboolean
sends_inter(const LpCommunicatorRuntime *self)
{
    return self->ring.inter_bytes_per_s != NULL && self->ring.sites.n_intra < self->ring.n_members;
}

void
lp_communicator_runtime_set_channel(LpCommunicatorRuntime *self, guint64 index, LpChannel *channel)
{
    self->channels[index] = channel;
    lp_channel_set_sharing(channel, self->sharing, traffic_of(self), self);
    lp_channel_set_log(channel, self->log.log, self->log.weight);
    if (self->circuits == NULL ||
        (!sends_inter(self) && self->ring.reach[index] == LP_REACH_DOMAIN))
        return;
    const LpCircuitPlan *plan = lp_circuits_plan(self->circuits);
    lp_channel_set_cap(channel, lp_circuit_plan_pattern(plan, self->use->pattern)->cap_bytes_per_s);
}

/* The member that sends to @index. */
static guint64
sender_to(const LpCommunicatorRuntime *self, guint64 index)
{
    guint64 n = self->ring.n_members, intra = self->ring.sites.n_intra;
    if (sends_inter(self))
        return (index + n - intra) % n;
    return (index + n - 1) % n;
}

LpChannel *
lp_communicator_runtime_inbox(const LpCommunicatorRuntime *self, guint64 index)
{
    return self->channels[sender_to(self, index)];
}

/* How long members have waited for @index, which is the last. */
static void
record_wait(LpCommunicatorRuntime *self, guint64 index, const LpOp *op)
{
    double n = (double)self->mode.n_actors;
    double mean_s = simgrid_get_clock() - self->arrivals_s / n;
    lp_wait_record_add(self->waits, self->job, traffic_of(self),
                       op == NULL ? LP_WAIT_NONE : op->collective,
                       self->ring.communicator->ranks[index], mean_s);
    self->arrivals_s = 0.0;
}

void
lp_communicator_runtime_gather(LpCommunicatorRuntime *self, guint64 index, const LpOp *op,
                               LpClock *clock)
{
    if (self->barrier == NULL)
        return;
    self->arrivals_s += simgrid_get_clock();
    /* Nobody can overwrite it before all have read it: the next gathering needs all of them. */
    if (++self->n_arrived == self->mode.n_actors) {
        if (clock != NULL)
            self->last = *clock;
        self->n_arrived = 0;
        if (self->waits != NULL)
            record_wait(self, index, op);
    }
    (void)sg_barrier_wait(self->barrier);
    if (clock != NULL)
        lp_clock_take_over(clock, &self->last);
}

/* Waits until the circuits of @round stand; all members do. */
static void
acquire(LpCommunicatorRuntime *self, guint32 round, LpClock *clock)
{
    if (self->circuits == NULL)
        return;
    LpCircuitWait wait = lp_circuits_acquire(self->circuits, self->use->pattern + round,
                                             self->mode.n_actors, TRUE, self->watch);
    if (clock != NULL)
        lp_clock_wait_for_circuits(clock, wait.from_s, wait.hidden_s, wait.ready_s);
}

static void
release(LpCommunicatorRuntime *self, guint32 round)
{
    if (self->circuits != NULL)
        lp_circuits_release(self->circuits, self->use->pattern + round, self->mode.n_actors);
}

/* One step of a ring. Receives are always posted, so that what arrives meanwhile is only picked up
 * after sending, and a step takes as long as the longer of both. */
static void
exchange(LpCommunicatorRuntime *self, guint64 index, guint64 bytes, double latency_s)
{
    lp_channel_send(self->channels[index], bytes, latency_s, NULL);
    (void)lp_channel_receive(lp_communicator_runtime_inbox(self, index));
}

/* One flow an connection carries all of the collective's bytes, and the collective ends with the
 * last flow, since every block goes all the way round. */
static void
run_flow(LpCommunicatorRuntime *self, guint64 index, const LpOp *op)
{
    const LpProtocol *protocol = self->selection.protocol;
    double n_steps = (double)lp_ring_n_steps(op->collective, self->ring.n_members);
    guint64 bytes = lp_ring_member_bytes(op->collective, self->ring.n_members, op->bytes, index);
    guint64 wire_bytes = lp_protocol_wire_bytes(protocol, self->ring.reach[index], bytes);
    guint32 n_parts = self->circuits == NULL ? 1 : lp_circuits_n_parts(self->circuits);
    for (guint32 i = 0; i < n_parts; i++) {
        if (i > 0)
            (void)lp_circuits_yield(self->circuits, self->use->pattern, self->mode.n_actors, TRUE,
                                    self->watch);
        exchange(self, index, wire_bytes * (i + 1) / n_parts - wire_bytes * i / n_parts,
                 i > 0 ? 0.0
                       : protocol->base_s +
                             n_steps * lp_isolated_step_latency_s(&self->ring, protocol));
        (void)sg_barrier_wait(self->barrier);
    }
}

static void
run_messages(LpCommunicatorRuntime *self, guint64 index, const LpOp *op)
{
    const LpProtocol *protocol = self->selection.protocol;
    LpReach reach = self->ring.reach[index];
    guint64 n = self->ring.n_members, n_steps = lp_ring_n_steps(op->collective, n);
    double latency_s = lp_channel_route(self->channels[index])->latency_s + protocol->hop_s[reach];
    for (guint64 step = 0; step < n_steps; step++) {
        guint64 bytes = lp_ring_step_bytes(op->collective, n, op->bytes, index, step);
        exchange(self, index, lp_protocol_wire_bytes(protocol, reach, bytes),
                 latency_s + (step == 0 ? protocol->base_s : 0.0));
    }
}

/* --- all-to-all --- */

/* Domains at other distances that an all-to-all sends to in one of its rounds. */
typedef struct {
    guint64 first, end;
} Shifts;

static Shifts
shifts_of(const LpCommunicatorRuntime *self, guint32 round)
{
    guint64 intra = self->ring.sites.is_regular ? self->ring.sites.n_intra : 1;
    guint64 n = self->ring.n_members / intra;
    if (self->circuits == NULL || self->use->n_rounds == 1)
        return (Shifts){1, n};
    guint64 n_lanes = lp_circuits_plan(self->circuits)->n_lanes;
    return (Shifts){MIN(1 + round * n_lanes, n), MIN(1 + (round + 1) * n_lanes, n)};
}

/* @share of @all of @bytes, as often as they are forwarded. */
static guint64
forwarded(const LpCommunicatorRuntime *self, guint64 bytes, guint64 share, guint64 all)
{
    if (self->circuits == NULL)
        return bytes;
    return (guint64)llround((double)bytes * self->use->forwarding * (double)share / (double)all);
}

/* One flow a member: all that leaves its domain goes to the next one, to the member of the same
 * place there, as libraries do that keep to the rails. Where there is no other domain, within it.
 */
static void
run_exchange_flow(LpCommunicatorRuntime *self, guint64 index, const LpOp *op, Shifts shifts)
{
    guint64 bytes = sends_inter(self) ? lp_isolated_inter_bytes(&self->ring, op, index)
                                      : lp_isolated_intra_bytes(&self->ring, op, index);
    LpReach reach = sends_inter(self) ? LP_REACH_FABRIC : LP_REACH_DOMAIN;
    if (sends_inter(self))
        bytes = forwarded(self, bytes, shifts.end - shifts.first,
                          self->ring.n_members / self->ring.sites.n_intra - 1);
    exchange(self, index, lp_protocol_wire_bytes(self->selection.protocol, reach, bytes), 0.0);
}

static void
run_exchange_round(LpCommunicatorRuntime *self, guint64 index, const LpOp *op, Shifts shifts)
{
    gboolean pairwise = !self->ring.sites.is_regular || self->map->layout->relays != NULL ||
                        (self->mode.fidelity == LP_FIDELITY_MESSAGE && sends_inter(self));
    gboolean leaves = !self->ring.sites.is_regular || sends_inter(self);
    LpExchangeRun run = {
        .ring = &self->ring,
        .op = op,
        .protocol = self->selection.protocol,
        .watch = self->watch,
        .sharing = self->sharing,
        .log = &self->log,
        .flow = {.job = self->job, .traffic = traffic_of(self), .owner = self},
        .forwarding = self->circuits == NULL ? 1.0 : self->use->forwarding,
    };
    if (leaves && lp_sharing_rotor(self->sharing) != NULL)
        lp_exchange_run_posted(&run, index);
    else if (pairwise)
        lp_exchange_run_pairwise(&run, index, shifts.first, shifts.end);
    else
        run_exchange_flow(self, index, op, shifts);
    self->pairwise_bytes += run.sent_bytes;
    self->n_pairwise += run.n_flows;
    (void)sg_barrier_wait(self->barrier);
}

/* Latency counts once, however many messages follow each other; what stays in a domain goes on
 * beside what leaves it, for as long as its ports need. */
static void
run_exchange(LpCommunicatorRuntime *self, guint64 index, const LpOp *op, LpClock *clock)
{
    guint32 n_rounds = self->circuits == NULL ? 1 : self->use->n_rounds;
    acquire(self, 0, clock);
    double start_s = simgrid_get_clock();
    double latency_s = self->selection.protocol->base_s +
                       lp_isolated_step_latency_s(&self->ring, self->selection.protocol);
    if (latency_s > 0.0) {
        lp_watch_sleep(self->watch, latency_s);
        self->n_delays++;
    }
    for (guint32 round = 0; round < n_rounds; round++) {
        if (round > 0)
            acquire(self, round, clock);
        run_exchange_round(self, index, op, shifts_of(self, round));
        if (clock != NULL && self->circuits != NULL)
            lp_clock_charge(clock, op->term, simgrid_get_clock());
        release(self, round);
    }
    if (!sends_inter(self))
        return;
    double intra_end_s = start_s + latency_s + self->intra_s;
    if (intra_end_s > simgrid_get_clock()) {
        lp_watch_sleep(self->watch, intra_end_s - simgrid_get_clock());
        self->n_delays++;
    }
}

/* --- any collective --- */

/* Where one actor stands for the whole group, it counts what all members send. Returns: the bytes,
 * of one mirror image. */
static guint64
count_traffic(LpCommunicatorRuntime *self, guint64 index, const LpOp *op)
{
    const LpRoundPlan *round_plan = self->selection.is_scheduled ? &self->round_plan : NULL;
    guint64 bytes = self->mode.n_actors == self->ring.n_members
                        ? lp_collective_member_bytes(&self->ring, round_plan, op, index)
                        : lp_collective_total_bytes(&self->ring, round_plan, op);
    self->traffic_bytes[op->traffic] += bytes * self->mode.weight;
    return bytes;
}

/* The first member of all that run it makes a collective ready: nobody is in the last one any more,
 * since all have come for this one. */
static void
prepare(LpCommunicatorRuntime *self, const LpOp *op, double delay_s)
{
    if (self->op == op)
        return;
    self->op = op;
    self->selection = lp_rank_layout_selection(self->map->layout, op, self->ring.communicator);
    if (self->selection.is_scheduled) {
        lp_round_plan_clear(&self->round_plan);
        lp_round_plan_init(&self->round_plan, self->map, op, self->ring.communicator,
                           self->mode.fidelity);
        if (!self->mode.as_delay)
            lp_max_min_prepare(&self->round_plan, op, self->ring.cache);
    }
    if (self->mode.as_delay) {
        self->isolated_s =
            delay_s < 0.0 ? lp_isolated_ring_time_s(&self->ring, op, self->mode.fidelity) : delay_s;
        return;
    }
    if (op->collective == LP_COLLECTIVE_ALL_TO_ALL && !self->selection.is_scheduled)
        self->intra_s = lp_isolated_intra_time_s(&self->ring, op, self->selection.protocol);
    if (self->selection.is_scheduled && self->couriers == NULL) {
        self->couriers = lp_couriers_new(self->ring.n_members, self->watch, self->job);
        lp_couriers_set_sharing(self->couriers, self->sharing, traffic_of(self), self);
        lp_couriers_set_log(self->couriers, self->log.log, self->log.weight);
    }
}

/* An op may run again and again: its round plan stays, and starts anew. */
static void
run_scheduled(LpCommunicatorRuntime *self, guint64 index)
{
    if (self->n_begun++ % self->mode.n_actors == 0)
        lp_couriers_begin(self->couriers, &self->round_plan);
    lp_couriers_run(self->couriers, index);
    (void)sg_barrier_wait(self->barrier);
}

/* On circuits that turn, what exceeds the isolated time was waiting for them. */
static void
wait_for_turns(LpCommunicatorRuntime *self, const LpOp *op, double start_s, LpClock *clock)
{
    if (lp_sharing_rotor(self->sharing) == NULL || clock == NULL)
        return;
    double took_s = simgrid_get_clock() - start_s;
    double wait_s = took_s - lp_isolated_ring_time_s(&self->ring, op, self->mode.fidelity);
    if (wait_s > 0.0)
        lp_clock_wait_for_circuits(clock, start_s, 0.0, start_s + wait_s);
}

void
lp_communicator_runtime_run(LpCommunicatorRuntime *self, guint64 index, const LpOp *op,
                            double delay_s, LpClock *clock, LpMeter *meter, LpStream stream)
{
    lp_communicator_runtime_gather(self, index, op, clock);
    double start_s = simgrid_get_clock();
    prepare(self, op, delay_s);
    if (self->mode.as_delay) {
        lp_watch_sleep(self->watch, self->isolated_s);
        self->n_delays++;
    } else if (op->collective == LP_COLLECTIVE_ALL_TO_ALL && !self->selection.is_scheduled) {
        run_exchange(self, index, op, clock);
    } else {
        acquire(self, 0, clock);
        if (self->selection.is_scheduled)
            run_scheduled(self, index);
        else if (self->mode.fidelity == LP_FIDELITY_FLOW)
            run_flow(self, index, op);
        else
            run_messages(self, index, op);
        release(self, 0);
    }
    guint64 bytes = count_traffic(self, index, op);
    if (self->mode.as_delay)
        lp_runtime_log_delay(&self->log, index, op->traffic, (double)bytes, start_s,
                             simgrid_get_clock());
    else
        wait_for_turns(self, op, start_s, clock);
    lp_call_times_add(self->mode.times, self->map->program, op, simgrid_get_clock() - start_s);
    if (clock != NULL)
        lp_clock_charge(clock, op->term, simgrid_get_clock());
    if (meter != NULL)
        lp_meter_add_launched(meter, stream, start_s, simgrid_get_clock());
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
    if (self->couriers != NULL) {
        *io_sent_bytes += lp_couriers_sent_bytes(self->couriers);
        *io_received_bytes += lp_couriers_received_bytes(self->couriers);
        *io_n_activities += lp_couriers_n_activities(self->couriers);
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
