/* SPDX-License-Identifier: Apache-2.0 */
/* Members of a round plan as actors. */
#include "sim/actors/round_executor.h"

#include "sim/actors/actor_tokens.h"

#include <simgrid/actor.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>

typedef struct {
    LpRoundExecutor *all; /* borrowed */
    guint64 index;
    LpTransfer *stream; /* owned: of the round at hand */
    guint32 *n_alike;   /* owned: how many of its flows each stands for; of classes */
    guint64 n_queued, next, n_under_way, n_ended, n_receives, round;
    guint32 *arrived;    /* owned, by round */
    double *arrives_s;   /* owned, by round: when the last of them does */
    guint64 n_senders;   /* beside the member itself */
    LpTokens *work;      /* owned: one for each sender that is to look at the stream */
    LpTokens *completed; /* owned: wakes when the round is complete */
} Member;

struct LpRoundExecutor {
    guint64 n_members;
    Member *members;         /* owned */
    LpRoundPlan *round_plan; /* borrowed */
    LpWatch *watch;          /* borrowed from the run, or NULL */
    LpFlowEngine *sharing;   /* borrowed from the run, or NULL */
    LpFlowLog *log;          /* borrowed from the run, or NULL */
    double log_weight;
    LpTraffic traffic;
    const void *owner; /* of the flows */
    guint32 job;
    const LpQuotient *quotient;         /* borrowed; NULL: members stand for themselves */
    const LpCommunicatorClass *classes; /* borrowed, or NULL */
    guint64 sent_bytes, received_bytes, n_activities;
};

LpRoundExecutor *
lp_round_executor_new(guint64 n_members, LpWatch *watch, guint32 job)
{
    LpRoundExecutor *self = g_new0(LpRoundExecutor, 1);
    self->n_members = n_members;
    self->watch = watch;
    self->job = job;
    self->members = g_new0(Member, n_members);
    for (guint64 i = 0; i < n_members; i++) {
        self->members[i].all = self;
        self->members[i].index = i;
        self->members[i].work = lp_tokens_new();
        self->members[i].completed = lp_tokens_new();
    }
    return self;
}

void
lp_round_executor_set_sharing(LpRoundExecutor *self, LpFlowEngine *sharing, LpTraffic traffic,
                              const void *owner)
{
    self->sharing = sharing;
    self->traffic = traffic;
    self->owner = owner;
}

void
lp_round_executor_set_log(LpRoundExecutor *self, LpFlowLog *log, double weight)
{
    self->log = log;
    self->log_weight = weight;
}

void
lp_round_executor_set_classes(LpRoundExecutor *self, const LpQuotient *quotient,
                              const LpCommunicatorClass *classes)
{
    self->quotient = quotient;
    self->classes = classes;
}

void
lp_round_executor_free(LpRoundExecutor *self)
{
    if (self == NULL)
        return;
    for (guint64 i = 0; i < self->n_members; i++) {
        g_free(self->members[i].stream);
        g_free(self->members[i].n_alike);
        g_free(self->members[i].arrived);
        g_free(self->members[i].arrives_s);
        lp_tokens_free(self->members[i].work);
        lp_tokens_free(self->members[i].completed);
    }
    g_free(self->members);
    g_free(self);
}

void
lp_round_executor_begin(LpRoundExecutor *self, LpRoundPlan *round_plan)
{
    self->round_plan = round_plan;
    for (guint64 i = 0; i < self->n_members; i++) {
        Member *member = &self->members[i];
        guint64 n_max = lp_round_plan_transfers_max(round_plan);
        member->stream = g_renew(LpTransfer, member->stream, n_max);
        g_free(member->n_alike);
        member->n_alike = g_new0(guint32, n_max);
        g_free(member->arrived);
        g_free(member->arrives_s);
        member->arrived = g_new0(guint32, round_plan->n_rounds);
        member->arrives_s = g_new0(double, round_plan->n_rounds);
        member->round = 0; /* others may send to it before it begins */
    }
}

/* The member of the round plan that @self is, or that stands for its class. */
static guint64
place(const Member *self)
{
    const LpCommunicatorClass *classes = self->all->classes;
    return classes == NULL ? self->index : classes->members.first[self->index];
}

static const LpRoute *
route_of(const Member *self, const LpTransfer *transfer)
{
    const LpRoundExecutor *all = self->all;
    if (all->quotient == NULL)
        return &transfer->connection->route;
    const LpCommunicator *communicator = all->round_plan->communicator;
    guint64 rank = communicator->ranks[place(self)];
    const GArray *peers =
        lp_collective_peers_get(all->round_plan->map->peers, communicator->group, rank);
    guint peer = lp_collective_peers_index(peers, transfer->connection);
    return lp_quotient_peer_route(all->quotient, communicator->group, rank, peer);
}

static void
log_flow(const LpRoundExecutor *self, const LpRoute *route, guint64 bytes, double began_s,
         double ended_s)
{
    lp_flow_log_add(self->log, &(LpLoggedFlow){.route = route,
                                               .bytes = (double)bytes,
                                               .weight = self->log_weight,
                                               .kind = self->traffic,
                                               .is_flow = TRUE,
                                               .start_s = began_s,
                                               .end_s = ended_s});
}

static void
send_flow(Member *self, const LpTransfer *transfer)
{
    LpRoundExecutor *all = self->all;
    const LpRoundPlan *round_plan = all->round_plan;
    LpFlight flight = {.route = route_of(self, transfer),
                       .job = all->job,
                       .from = round_plan->communicator->ranks[place(self)],
                       .to = transfer->connection->to};
    lp_watch_depart(all->watch, &flight);
    LpFlow flow = {flight.route, transfer->bytes, all->job, all->traffic, all->owner};
    double start_s = simgrid_get_clock();
    lp_flow_engine_send(all->sharing, &flow);
    lp_watch_arrive(all->watch, &flight);
    log_flow(all, flight.route, transfer->bytes, start_s, simgrid_get_clock());
    all->n_activities += lp_route_n_flows(flight.route);
}

/* A member's flows of one class go over several connections: those over the first of them stand for
 * the others. Returns: how many flows are left of @n. */
static guint64
merge_alike(Member *self, guint64 n)
{
    guint64 n_left = 0;
    for (guint64 i = 0; i < n; i++) {
        const LpTransfer *transfer = &self->stream[i];
        const LpRoute *route = route_of(self, transfer);
        guint64 first = 0;
        while (first < n_left && (route_of(self, &self->stream[first]) != route ||
                                  self->stream[first].connection == transfer->connection))
            first++;
        if (first < n_left) {
            self->n_alike[first]++;
            continue;
        }
        self->n_alike[n_left] = 1;
        self->stream[n_left++] = *transfer;
    }
    return n_left;
}

/* All that it sends has been sent, and all that comes to it is on its way. */
static gboolean
is_complete(const Member *self)
{
    return self->n_ended == self->n_queued && self->arrived[self->round] >= self->n_receives;
}

/* Something has ended: the member is woken by the last of all that its round waits for. */
static void
tell(Member *self)
{
    if (is_complete(self))
        lp_tokens_wake(self->completed);
}

/* Of a class that is sent to by a larger one, each member gets several. */
static void
arrive(Member *self, const LpTransfer *transfer, guint32 n_alike, guint64 round)
{
    LpRoundExecutor *all = self->all;
    const LpMemberClasses *members = all->classes == NULL ? NULL : &all->classes->members;
    guint64 to = members == NULL ? transfer->to : members->of_member[transfer->to];
    Member *receiver = &all->members[to];
    receiver->arrived[round] +=
        members == NULL ? 1 : n_alike * members->n[self->index] / members->n[to];
    receiver->arrives_s[round] =
        MAX(receiver->arrives_s[round], simgrid_get_clock() + transfer->latency_s);
    tell(receiver);
}

/* --- flows that nobody waits for --- */

/* One of them. */
typedef struct {
    Member *member; /* borrowed */
    LpTransfer transfer;
    guint32 n_alike;
} PendingFlow;

static void launch(Member *self);

static void
deliver(const PendingFlow *pending)
{
    Member *self = pending->member;
    self->all->received_bytes += pending->transfer.bytes;
    arrive(self, &pending->transfer, pending->n_alike, self->round);
    self->n_ended++;
}

static void
flow_arrived(gpointer data, double began_s, double ended_s)
{
    g_autofree PendingFlow *pending = data;
    Member *self = pending->member;
    const LpRoute *route = route_of(self, &pending->transfer);
    log_flow(self->all, route, pending->transfer.bytes, began_s, ended_s);
    self->all->n_activities += lp_route_n_flows(route);
    self->n_under_way--;
    deliver(pending);
    launch(self);
    tell(self);
}

/* As many of the flows of the round as may be under way at once. */
static void
launch(Member *self)
{
    LpRoundExecutor *all = self->all;
    while (self->next < self->n_queued && self->n_under_way < all->round_plan->at_once) {
        PendingFlow pending = {self, self->stream[self->next], self->n_alike[self->next]};
        guint64 bytes = pending.transfer.bytes;
        self->next++;
        all->sent_bytes += bytes;
        if (bytes == 0) {
            deliver(&pending);
            continue;
        }
        self->n_under_way++;
        lp_flow_engine_launch(all->sharing,
                              &(LpLaunchedFlow){.flow = {route_of(self, &pending.transfer), bytes,
                                                         all->job, all->traffic, all->owner},
                                                .arrived = flow_arrived,
                                                .data = g_memdup2(&pending, sizeof pending)});
    }
}

/* --- flows that actors wait for --- */

/* Returns: whether there was anything left to send. */
static gboolean
send_next(Member *self)
{
    if (self->next == self->n_queued)
        return FALSE;
    guint32 n_alike = self->n_alike[self->next];
    LpTransfer transfer = self->stream[self->next++];
    LpRoundExecutor *all = self->all;
    guint64 round = self->round;
    all->sent_bytes += transfer.bytes;
    if (transfer.bytes > 0)
        send_flow(self, &transfer);
    all->received_bytes += transfer.bytes;
    arrive(self, &transfer, n_alike, round);
    self->n_ended++;
    return TRUE;
}

static void
sender(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    Member *self = sg_actor_self_get_data();
    for (;;) {
        lp_tokens_take(self->work);
        while (send_next(self))
            tell(self);
    }
}

/* Senders wait for ever in the end: as daemons they do not keep the run going. */
static void
start_senders(Member *self)
{
    guint64 n = MIN(self->n_queued, self->all->round_plan->at_once);
    for (; self->n_senders + 1 < n; self->n_senders++) {
        sg_actor_t actor = sg_actor_init("sender", sg_actor_get_host(sg_actor_self()));
        sg_actor_set_data(actor, self);
        sg_actor_start_(actor, (xbt_main_func_t)sender, 0, NULL);
        sg_actor_daemonize(actor);
    }
    for (guint64 i = 1; i < n; i++)
        lp_tokens_put(self->work);
}

static void
send_all(Member *self)
{
    if (self->n_queued > 1)
        start_senders(self);
    while (send_next(self))
        continue;
}

static void
wait_until(LpRoundExecutor *self, double until_s)
{
    double left_s = until_s - simgrid_get_clock();
    if (left_s <= 0.0)
        return;
    lp_watch_sleep(self->watch, left_s);
    self->n_activities++;
}

static void
run_round(Member *self, LpRoundPlan *round_plan, guint64 round)
{
    self->round = round;
    self->n_ended = self->next = self->n_queued = 0;
    self->n_receives = lp_round_plan_n_receives(round_plan, place(self), round);
    guint64 n_sends = lp_round_plan_transfers(round_plan, place(self), round, self->stream);
    if (self->all->classes != NULL)
        n_sends = merge_alike(self, n_sends);
    wait_until(self->all, simgrid_get_clock() + lp_round_plan_wait_s(round_plan, round));
    self->n_queued = n_sends;
    if (self->all->watch == NULL && lp_flow_engine_launches(self->all->sharing))
        launch(self);
    else
        send_all(self);
    while (!is_complete(self))
        lp_tokens_take(self->completed);
    wait_until(self->all, self->arrives_s[round]);
}

void
lp_round_executor_run(LpRoundExecutor *self, guint64 index)
{
    LpRoundPlan *round_plan = self->round_plan;
    for (guint64 round = 0; round < round_plan->n_rounds; round++)
        run_round(&self->members[index], round_plan, round);
}

guint64
lp_round_executor_sent_bytes(const LpRoundExecutor *self)
{
    return self->sent_bytes;
}

guint64
lp_round_executor_received_bytes(const LpRoundExecutor *self)
{
    return self->received_bytes;
}

guint64
lp_round_executor_n_activities(const LpRoundExecutor *self)
{
    return self->n_activities;
}
