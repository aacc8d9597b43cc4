/* SPDX-License-Identifier: Apache-2.0 */
/* Collectives among actors: gather, then a delay, or the ring over channels. */
#include "sim/actors/communicator_runtime.h"

#include "sim/actors/actor_courier.h"
#include "sim/analysis/max_min.h"

#include "sim/collectives/exchange.h"
#include "sim/collectives/ring.h"

#include <simgrid/actor.h>
#include <simgrid/barrier.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>

struct LpProcessGroup {
    const LpEdges *edges; /* borrowed */
    LpGroup kind;
    guint64 first_rank;
    LpFidelity fidelity;
    gboolean as_delay;
    guint64 n_actors, weight;
    guint64 n_arrived;
    LpClock last;     /* of the last member to arrive */
    sg_bar_t barrier; /* owned; NULL for a single actor */
    LpLonelyRing ring;
    LpChannel **channels; /* owned, by member: to the next one; NULL entries for delays */
    const LpOp *op;       /* borrowed: the collective at hand, or the last one */
    LpChoice choice;      /* of it */
    double lonely_s;      /* of it, if it takes its lonely time, */
    double near_s;        /* or what of an all-to-all stays in domains */
    LpScript script;      /* of it, if it is scheduled */
    LpCouriers *couriers; /* owned; NULL until something is */
    LpWatch *watch;       /* borrowed from the run, or NULL */
    guint32 job;
    guint64 traffic_bytes[LP_N_TRAFFIC];
    guint64 n_delays;
    guint64 pairwise_bytes, n_pairwise; /* sent without channels */
    guint64 n_begun;                    /* scheduled collectives, by every member */
};

LpProcessGroup *
lp_process_group_new(const LpEdges *edges, LpGroup kind, guint64 first_rank, guint64 n_actors,
                     gboolean as_delay, guint64 weight, LpFidelity fidelity)
{
    LpProcessGroup *self = g_new0(LpProcessGroup, 1);
    self->edges = edges;
    self->kind = kind;
    self->first_rank = first_rank;
    self->fidelity = fidelity;
    self->as_delay = as_delay;
    self->n_actors = n_actors;
    self->weight = weight;
    lp_lonely_ring_init(&self->ring, edges, kind, first_rank);
    if (n_actors > 1)
        self->barrier = sg_barrier_init((unsigned)n_actors);
    self->channels = g_new0(LpChannel *, self->ring.n_members);
    return self;
}

void
lp_process_group_free(LpProcessGroup *self)
{
    if (self == NULL)
        return;
    for (guint64 i = 0; i < self->ring.n_members; i++)
        lp_channel_free(self->channels[i]);
    g_free(self->channels);
    lp_script_clear(&self->script);
    lp_couriers_free(self->couriers);
    lp_lonely_ring_clear(&self->ring);
    if (self->barrier != NULL)
        sg_barrier_destroy(self->barrier);
    g_free(self);
}

void
lp_process_group_set_watch(LpProcessGroup *self, LpWatch *watch, guint32 job)
{
    self->watch = watch;
    self->job = job;
}

void
lp_process_group_set_channel(LpProcessGroup *self, guint64 index, LpChannel *channel)
{
    self->channels[index] = channel;
}

/* Members whose channels lead out of their domain: those of a group that does all-to-alls. */
static gboolean
sends_far(const LpProcessGroup *self)
{
    return self->ring.far_bytes_per_s != NULL && self->ring.sites.n_near < self->ring.n_members;
}

/* The member that sends to @index. */
static guint64
sender_to(const LpProcessGroup *self, guint64 index)
{
    guint64 n = self->ring.n_members, near = self->ring.sites.n_near;
    if (sends_far(self))
        return (index + n - near) % n;
    return (index + n - 1) % n;
}

LpChannel *
lp_process_group_inbox(const LpProcessGroup *self, guint64 index)
{
    return self->channels[sender_to(self, index)];
}

void
lp_process_group_gather(LpProcessGroup *self, LpClock *clock)
{
    if (self->barrier == NULL)
        return;
    /* Nobody can overwrite it before all have read it: the next gathering needs all of them. */
    if (++self->n_arrived == self->n_actors) {
        if (clock != NULL)
            self->last = *clock;
        self->n_arrived = 0;
    }
    (void)sg_barrier_wait(self->barrier);
    if (clock != NULL)
        *clock = self->last;
}

/* One step of a ring. Receives are always posted, so that what arrives meanwhile is only picked up
 * after sending, and a step takes as long as the longer of both. */
static void
exchange(LpProcessGroup *self, guint64 index, guint64 bytes, double latency_s)
{
    lp_channel_send(self->channels[index], bytes, latency_s);
    (void)lp_channel_receive(lp_process_group_inbox(self, index));
}

/* One flow an edge carries all of the collective's bytes, and the collective ends with the last
 * flow, since every block goes all the way round. */
static void
run_flow(LpProcessGroup *self, guint64 index, const LpOp *op)
{
    const LpProtocol *protocol = self->choice.protocol;
    double n_steps = (double)lp_ring_n_steps(op->collective, self->ring.n_members);
    guint64 bytes = lp_ring_member_bytes(op->collective, self->ring.n_members, op->bytes, index);
    exchange(self, index, lp_protocol_wire_bytes(protocol, self->ring.reach[index], bytes),
             protocol->base_s + n_steps * lp_lonely_step_latency_s(&self->ring, protocol));
    (void)sg_barrier_wait(self->barrier);
}

static void
run_messages(LpProcessGroup *self, guint64 index, const LpOp *op)
{
    const LpProtocol *protocol = self->choice.protocol;
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

static const double *
loads(const LpProcessGroup *self)
{
    return self->ring.loads;
}

/* One message to member @to, from port to port. */
static void
send_pairwise(LpProcessGroup *self, guint64 index, guint64 to, const LpOp *op)
{
    guint64 bytes = lp_exchange_pair_bytes(op, loads(self), self->ring.n_members, index, to);
    const LpIteration *iteration = self->edges->iteration;
    guint64 from = lp_iteration_group_member(iteration, self->kind, self->first_rank, index);
    LpEdge edge =
        lp_edges_between(self->edges, (LpEdgeKind)self->kind, from,
                         lp_iteration_group_member(iteration, self->kind, self->first_rank, to));
    LpFlight flight = {.route = &edge.route, .job = self->job, .from = from, .to = edge.to};
    bytes = lp_protocol_wire_bytes(self->choice.protocol, lp_edge_reach(&edge), bytes);
    lp_watch_depart(self->watch, &flight);
    lp_route_send(&edge.route, bytes);
    lp_watch_arrive(self->watch, &flight);
    self->pairwise_bytes += bytes;
    self->n_pairwise += lp_route_n_flows(&edge.route);
}

/* Domain after domain, and in each every member in turn: at any time each port has one message in
 * and one out. Groups that stand in no order go by pairs altogether. */
static void
run_pairwise(LpProcessGroup *self, guint64 index, const LpOp *op)
{
    guint64 n = self->ring.n_members;
    guint64 near = self->ring.sites.is_regular ? self->ring.sites.n_near : 1;
    for (guint64 shift = 1; shift < n / near; shift++)
        for (guint64 turn = 0; turn < near; turn++) {
            guint64 domain = (index / near + shift) % (n / near);
            send_pairwise(self, index, domain * near + (index + turn) % near, op);
        }
}

/* One flow a member: all that leaves its domain goes to the next one, to the member of the same
 * place there, as libraries do that keep to the rails. Where there is no other domain, within it.
 */
static void
run_exchange_flow(LpProcessGroup *self, guint64 index, const LpOp *op)
{
    guint64 bytes = sends_far(self) ? lp_lonely_far_bytes(&self->ring, op, index)
                                    : lp_lonely_near_bytes(&self->ring, op, index);
    LpReach reach = sends_far(self) ? LP_REACH_FABRIC : LP_REACH_DOMAIN;
    exchange(self, index, lp_protocol_wire_bytes(self->choice.protocol, reach, bytes), 0.0);
}

/* Latency counts once, however many messages follow each other; what stays in a domain goes on
 * beside what leaves it, for as long as its ports need. */
static void
run_exchange(LpProcessGroup *self, guint64 index, const LpOp *op)
{
    double start_s = simgrid_get_clock();
    double latency_s = self->choice.protocol->base_s +
                       lp_lonely_step_latency_s(&self->ring, self->choice.protocol);
    if (latency_s > 0.0) {
        lp_watch_sleep(self->watch, latency_s);
        self->n_delays++;
    }
    gboolean pairwise =
        !self->ring.sites.is_regular || (self->fidelity == LP_FIDELITY_MESSAGE && sends_far(self));
    if (pairwise)
        run_pairwise(self, index, op);
    else
        run_exchange_flow(self, index, op);
    (void)sg_barrier_wait(self->barrier);
    if (!sends_far(self))
        return;
    double near_end_s = start_s + latency_s + self->near_s;
    if (near_end_s > simgrid_get_clock()) {
        lp_watch_sleep(self->watch, near_end_s - simgrid_get_clock());
        self->n_delays++;
    }
}

/* --- any collective --- */

static guint64
member_bytes(const LpProcessGroup *self, guint64 index, const LpOp *op)
{
    guint64 n = self->ring.n_members;
    if (self->choice.is_scheduled)
        return lp_script_member_bytes(&self->script, index);
    if (op->collective == LP_COLLECTIVE_ALL_TO_ALL)
        return (n - 1) * lp_exchange_block_bytes(op, loads(self), n, index);
    return lp_ring_member_bytes(op->collective, n, op->bytes, index);
}

static guint64
total_bytes(const LpProcessGroup *self, const LpOp *op)
{
    guint64 n = self->ring.n_members;
    if (self->choice.is_scheduled)
        return lp_schedule_total_bytes(&self->script.schedule);
    return op->collective == LP_COLLECTIVE_ALL_TO_ALL
               ? lp_exchange_total_bytes(op, n)
               : lp_ring_total_bytes(op->collective, n, op->bytes);
}

/* A lone actor stands for the whole group. */
static void
count_traffic(LpProcessGroup *self, guint64 index, const LpOp *op)
{
    guint64 bytes = self->n_actors == self->ring.n_members ? member_bytes(self, index, op)
                                                           : total_bytes(self, op);
    self->traffic_bytes[op->traffic] += bytes * self->weight;
}

/* The first member of all that run it makes a collective ready: nobody is in the last one any more,
 * since all have come for this one. */
static void
prepare(LpProcessGroup *self, const LpOp *op, double delay_s)
{
    if (self->op == op)
        return;
    self->op = op;
    self->choice = lp_edges_choice(self->edges, op, self->first_rank);
    if (self->choice.is_scheduled) {
        lp_script_clear(&self->script);
        lp_script_init(&self->script, self->edges, op, self->first_rank, self->fidelity);
        if (!self->as_delay)
            lp_fluid_prepare(&self->script, op);
    }
    if (self->as_delay) {
        self->lonely_s =
            delay_s < 0.0 ? lp_lonely_ring_time_s(&self->ring, op, self->fidelity) : delay_s;
        return;
    }
    if (op->collective == LP_COLLECTIVE_ALL_TO_ALL && !self->choice.is_scheduled)
        self->near_s = lp_lonely_near_time_s(&self->ring, op, self->choice.protocol);
    if (self->choice.is_scheduled && self->couriers == NULL)
        self->couriers = lp_couriers_new(self->ring.n_members, self->watch, self->job);
}

/* The same op may run again and again: its script stays, and starts anew. */
static void
run_scheduled(LpProcessGroup *self, guint64 index)
{
    if (self->n_begun++ % self->n_actors == 0)
        lp_couriers_begin(self->couriers, &self->script);
    lp_couriers_run(self->couriers, index);
    (void)sg_barrier_wait(self->barrier);
}

void
lp_process_group_run(LpProcessGroup *self, guint64 index, const LpOp *op, double delay_s,
                     LpClock *clock, LpMeter *meter, LpQueue queue)
{
    lp_process_group_gather(self, clock);
    double start_s = simgrid_get_clock();
    prepare(self, op, delay_s);
    if (self->as_delay) {
        lp_watch_sleep(self->watch, self->lonely_s);
        self->n_delays++;
    } else if (self->choice.is_scheduled) {
        run_scheduled(self, index);
    } else if (op->collective == LP_COLLECTIVE_ALL_TO_ALL) {
        run_exchange(self, index, op);
    } else if (self->fidelity == LP_FIDELITY_FLOW) {
        run_flow(self, index, op);
    } else {
        run_messages(self, index, op);
    }
    count_traffic(self, index, op);
    if (clock != NULL)
        lp_clock_charge(clock, op->term, simgrid_get_clock());
    if (meter != NULL)
        lp_meter_add_launched(meter, queue, start_s, simgrid_get_clock());
}

void
lp_process_group_add_traffic(const LpProcessGroup *self, guint64 *io_bytes)
{
    for (LpTraffic traffic = 0; traffic < LP_N_TRAFFIC; traffic++)
        io_bytes[traffic] += self->traffic_bytes[traffic];
}

void
lp_process_group_add_counts(const LpProcessGroup *self, guint64 *io_sent_bytes,
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
