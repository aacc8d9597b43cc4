/* SPDX-License-Identifier: Apache-2.0 */
/* Makes communicators, gathers their members, and counts what they sent. */
#include "sim/actors/communicator_runtime.h"

#include "sim/actors/communicator_state.h"

#include <simgrid/barrier.h>
#include <simgrid/engine.h>

LpCommunicatorRuntime *
lp_communicator_runtime_new(const LpCommunicationMap *map, LpIsolatedCache *cache,
                            const LpCommunicator *communicator, LpRuntimeMode mode,
                            const LpFlowSender *sender)
{
    LpCommunicatorRuntime *self = g_new0(LpCommunicatorRuntime, 1);
    self->known = g_hash_table_new_full(lp_op_hash, lp_op_is_alike, NULL, g_free);
    self->map = map;
    self->mode = mode;
    lp_isolated_ring_init(&self->ring, map, cache, communicator);
    self->sender = *sender;
    self->sender.log_weight = (double)mode.weight;
    self->sender.traffic = lp_communicator_traffic(self);
    self->sender.owner = self;
    self->log = (LpRuntimeLog){.log = sender->log,
                               .map = map,
                               .communicator = communicator,
                               .weight = (double)mode.weight};
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
    lp_round_executor_free(self->executor);
    lp_expert_circuits_free(self->experts);
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

const LpFlowSender *
lp_communicator_runtime_sender(const LpCommunicatorRuntime *self)
{
    return &self->sender;
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
        lp_channel_set_flow_sender(channel, &self->sender, rank,
                                   communicator->ranks[(member + 1) % self->ring.n_members]);
        lp_communicator_runtime_set_channel(self, member, channel);
    }
}

void
lp_communicator_runtime_set_classes(LpCommunicatorRuntime *self, const LpQuotient *quotient,
                                    const LpCommunicatorClass *classes)
{
    self->quotient = quotient;
    self->classes = classes;
    self->sender.log_weight = 1.0; /* the log counts flows of classes as often as there are */
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

/* --- who comes --- */

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

/* How long members have waited for @index, which is the last. */
static void
record_wait(LpCommunicatorRuntime *self, guint64 index, const LpOp *op)
{
    double n = (double)(self->members == NULL ? self->mode.n_actors : self->ring.n_members);
    double mean_s = simgrid_get_clock() - self->arrivals_s / n;
    LpStragglerWait what = {.job = self->sender.job,
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

/* --- what was sent --- */

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
    *io_n_activities += self->n_delays + self->n_posted;
    *io_sent_bytes += self->posted_bytes;
    *io_received_bytes += self->posted_bytes;
    if (self->executor != NULL)
        lp_round_executor_add_counts(self->executor, io_sent_bytes, io_received_bytes,
                                     io_n_activities);
    for (guint64 i = 0; i < self->ring.n_members; i++) {
        const LpChannel *channel = self->channels[i];
        if (channel == NULL)
            continue;
        *io_sent_bytes += lp_channel_sent_bytes(channel);
        *io_received_bytes += lp_channel_received_bytes(channel);
        *io_n_activities += lp_channel_n_activities(channel);
    }
}
