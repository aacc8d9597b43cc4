/* SPDX-License-Identifier: Apache-2.0 */
/* Runs units: members, members that stand for their class, or flows that do. */
#include "sim/actors/round_executor.h"

#include "sim/actors/actor_tokens.h"
#include "sim/engine/engine.h"

#include <simgrid/actor.h>
#include <simgrid/barrier.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>

/* How a collective is run: found once for all that are alike. */
typedef struct {
    LpUnitTask task;      /* its flows are owned */
    gboolean is_launched; /* flows of classes that nobody waits for */
    guint64 n_workers;
    sg_bar_t done; /* owned: all actors and workers; NULL: one actor, or launched */
} Plan;

typedef struct {
    LpRoundExecutor *all; /* borrowed */
    guint64 index;
    const LpCollectiveCall *collective; /* borrowed: that it is in */
    LpUnitKind kind;
    /* Of the round at hand: */
    LpUnitFlow *flows; /* owned; of a row they are made as they begin */
    guint64 n_flows, next, n_under_way, n_ended, n_receives, round;
    guint32 at_once;
    /* Of all rounds, since others may send to it before it begins one: */
    guint32 *arrived;    /* owned, by round */
    double *arrives_s;   /* owned, by round: when the last of them does */
    LpTokens *completed; /* owned: wakes it when the round is complete */
    guint64 n_senders;   /* beside the unit itself */
    LpTokens *work;      /* owned: one for each sender that is to look at the flows */
    LpTokens *called;    /* owned: one for each collective, if a worker runs it; else NULL */
} Unit;

struct LpRoundExecutor {
    LpCollectiveFlows of;
    LpFlowSender sender;
    guint64 n_actors, n_called, n_workers;
    GPtrArray *units;            /* owned Unit */
    LpTransfer *transfers;       /* owned: room for those of a unit's round */
    GHashTable *plans;           /* owned: Plan by LpOp */
    const Plan *plan;            /* borrowed: of the collective at hand */
    LpCollectiveCall collective; /* that one */
    guint64 n_left;              /* flows of classes that have not arrived */
    LpTokens *ended;             /* owned: one for each actor when none is left */
    guint64 sent_bytes, received_bytes, n_activities;
};

static void
unit_free(gpointer data)
{
    Unit *self = data;
    g_free(self->flows);
    g_free(self->arrived);
    g_free(self->arrives_s);
    lp_tokens_free(self->work);
    lp_tokens_free(self->completed);
    lp_tokens_free(self->called);
    g_free(self);
}

static void
plan_free(gpointer data)
{
    Plan *self = data;
    g_array_unref(self->task.flows);
    if (self->done != NULL)
        sg_barrier_destroy(self->done);
    g_free(self);
}

LpRoundExecutor *
lp_round_executor_new(const LpCollectiveFlows *units, const LpFlowSender *sender, guint64 n_actors)
{
    LpRoundExecutor *self = g_new0(LpRoundExecutor, 1);
    self->of = *units;
    self->sender = *sender;
    self->n_actors = n_actors;
    self->units = g_ptr_array_new_with_free_func(unit_free);
    self->plans = g_hash_table_new_full(lp_op_hash, lp_op_is_alike, NULL, plan_free);
    self->ended = lp_tokens_new();
    return self;
}

void
lp_round_executor_free(LpRoundExecutor *self)
{
    if (self == NULL)
        return;
    g_ptr_array_unref(self->units);
    g_hash_table_unref(self->plans);
    lp_tokens_free(self->ended);
    g_free(self->transfers);
    g_free(self);
}

static Unit *
unit_at(LpRoundExecutor *self, guint64 index)
{
    while (self->units->len <= index) {
        Unit *unit = g_new0(Unit, 1);
        unit->all = self;
        unit->index = self->units->len;
        unit->work = lp_tokens_new();
        unit->completed = lp_tokens_new();
        g_ptr_array_add(self->units, unit);
    }
    return self->units->pdata[index];
}

/* --- arrivals --- */

/* All that it sends has been sent, and all that comes to it is on its way. */
static gboolean
is_complete(const Unit *self)
{
    return self->n_ended == self->n_flows && self->arrived[self->round] >= self->n_receives;
}

/* Something has ended: the unit is woken by the last of all that its round waits for. */
static void
tell(Unit *self)
{
    if (is_complete(self))
        lp_tokens_wake(self->completed);
}

/* The flow of @self has ended in @round. Rows are waited for by nobody else. */
static void
deliver(Unit *self, const LpUnitFlow *flow, guint64 round)
{
    LpRoundExecutor *all = self->all;
    all->received_bytes += flow->bytes;
    if (self->kind == LP_UNIT_ROUNDS) {
        Unit *receiver = unit_at(all, flow->to_unit);
        receiver->arrived[round] += lp_collective_flows_arrivals(&all->of, self->index, flow);
        receiver->arrives_s[round] =
            MAX(receiver->arrives_s[round], simgrid_get_clock() + flow->latency_s);
        tell(receiver);
    }
    self->n_ended++;
}

/* The next flow of @self; of a row @connection has its route. */
static LpUnitFlow
next_flow(Unit *self, LpConnection *connection)
{
    LpRoundExecutor *all = self->all;
    guint64 next = self->next++;
    LpUnitFlow flow =
        self->kind == LP_UNIT_ROW
            ? lp_collective_flows_pair(&all->of, self->collective, self->index, next, connection)
            : self->flows[next];
    all->sent_bytes += flow.bytes;
    return flow;
}

/* --- flows that nobody waits for --- */

/* One of a unit. */
typedef struct {
    Unit *unit; /* borrowed */
    LpUnitFlow flow;
    LpConnection connection; /* of a row */
} Launched;

static void launch(Unit *self);

static void
flow_arrived(gpointer data, double began_s, double ended_s)
{
    g_autofree Launched *launched = data;
    Unit *self = launched->unit;
    const LpUnitFlow *flow = &launched->flow;
    lp_flow_sender_log(&self->all->sender, flow->route, flow->bytes, began_s, ended_s);
    self->all->n_activities += flow->n_activities;
    self->n_under_way--;
    deliver(self, flow, self->round);
    launch(self);
    tell(self);
}

/* As many of the flows of the round as may be under way at once. */
static void
launch(Unit *self)
{
    LpFlowSender *sender = &self->all->sender;
    while (self->next < self->n_flows && self->n_under_way < self->at_once) {
        Launched *launched = g_new(Launched, 1);
        launched->unit = self;
        launched->flow = next_flow(self, &launched->connection);
        const LpUnitFlow *flow = &launched->flow;
        if (flow->n_activities == 0) {
            deliver(self, flow, self->round);
            g_free(launched);
            continue;
        }
        self->n_under_way++;
        LpFlow sent = lp_flow_sender_flow(sender, flow->route, flow->bytes);
        lp_flow_engine_launch(
            sender->sharing,
            &(LpLaunchedFlow){.flow = sent, .arrived = flow_arrived, .data = launched});
    }
}

/* --- flows that actors wait for --- */

/* Returns: whether there was anything left to send. */
static gboolean
send_next(Unit *self)
{
    if (self->next == self->n_flows)
        return FALSE;
    LpRoundExecutor *all = self->all;
    guint64 round = self->round;
    LpConnection connection;
    LpUnitFlow flow = next_flow(self, &connection);
    guint32 rank =
        all->of.ring->communicator->ranks[lp_collective_flows_member(&all->of, self->index)];
    if (flow.n_activities > 0)
        lp_flow_sender_send(&all->sender, flow.route, flow.bytes, rank, flow.to_rank);
    all->n_activities += flow.n_activities;
    deliver(self, &flow, round);
    return TRUE;
}

static void
start_actor(const char *name, void (*run)(int argc, char **argv), Unit *unit)
{
    lp_engine_reserve_stacks(1);
    /* They wait for ever in the end: as daemons they do not keep the run going. */
    sg_actor_t actor = sg_actor_init(name, sg_actor_get_host(sg_actor_self()));
    sg_actor_set_data(actor, unit);
    sg_actor_start_(actor, (xbt_main_func_t)run, 0, NULL);
    sg_actor_daemonize(actor);
}

static void
sending_actor(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    Unit *self = sg_actor_self_get_data();
    for (;;) {
        lp_tokens_take(self->work);
        while (send_next(self))
            tell(self);
    }
}

static void
send_all(Unit *self)
{
    guint64 n = MIN(self->n_flows, self->at_once);
    for (; self->n_senders + 1 < n; self->n_senders++)
        start_actor("sender", sending_actor, self);
    for (guint64 i = 1; i < n; i++)
        lp_tokens_put(self->work);
    while (send_next(self))
        continue;
}

/* --- units --- */

/* Makes @self ready for another collective, before any unit begins it. */
static void
reset(Unit *self, LpUnitKind kind, const LpCollectiveCall *collective, guint64 n_rounds)
{
    self->kind = kind;
    self->collective = collective;
    g_free(self->arrived);
    g_free(self->arrives_s);
    self->arrived = g_new0(guint32, n_rounds);
    self->arrives_s = g_new0(double, n_rounds);
    self->round = 0;
}

/* Waits @wait_s, has @n_flows under way, and waits for what comes. */
static void
run_round(Unit *self, double wait_s, guint64 n_flows)
{
    LpRoundExecutor *all = self->all;
    lp_flow_sender_sleep(&all->sender, simgrid_get_clock() + wait_s, &all->n_activities);
    self->n_flows = n_flows;
    if (lp_flow_sender_launches(&all->sender))
        launch(self);
    else
        send_all(self);
    while (!is_complete(self))
        lp_tokens_take(self->completed);
    lp_flow_sender_sleep(&all->sender, self->arrives_s[self->round], &all->n_activities);
}

static void
run_rounds(Unit *self)
{
    LpRoundExecutor *all = self->all;
    LpRoundPlan *plan = self->collective->plan;
    self->at_once = plan->at_once;
    for (guint64 round = 0; round < plan->n_rounds; round++) {
        self->round = round;
        self->n_ended = self->next = self->n_flows = 0;
        self->n_receives = lp_round_plan_n_receives(
            plan, lp_collective_flows_member(&all->of, self->index), round);
        guint64 n = lp_collective_flows_round(&all->of, plan, self->index, round, all->transfers,
                                              self->flows);
        run_round(self, lp_round_plan_wait_s(plan, round), n);
    }
}

/* Where the engine shares links each port has one message in and one out at any time. */
static void
run_row(Unit *self, double wait_s, guint64 first, guint64 end)
{
    const LpRoundExecutor *all = self->all;
    self->at_once = lp_flow_engine_launches(all->sender.sharing)
                        ? lp_collective_flows_at_once(&all->of, self->collective)
                        : 1;
    self->next = self->n_ended = self->n_flows = first;
    self->n_receives = 0;
    run_round(self, wait_s, end);
}

void
lp_round_executor_run_row(LpRoundExecutor *self, guint64 index, const LpCollectiveCall *collective,
                          guint64 first, guint64 end)
{
    Unit *unit = unit_at(self, index);
    reset(unit, LP_UNIT_ROW, collective, 1);
    run_row(unit, 0.0, first, end);
}

/* --- flows of classes --- */

/* One that nobody waits for. */
typedef struct {
    LpRoundExecutor *all;   /* borrowed */
    const LpUnitFlow *flow; /* borrowed from the plan */
} LaunchedClass;

static void
count_class_flow(LpRoundExecutor *self, const LpUnitFlow *flow)
{
    self->sent_bytes += flow->bytes;
    self->received_bytes += flow->bytes;
    self->n_activities += flow->n_activities;
}

/* @n of them, the last of which wakes all actors. */
static void
end_class_flows(LpRoundExecutor *self, guint64 n)
{
    self->n_left -= n;
    for (guint64 i = 0; self->n_left == 0 && i < self->n_actors; i++)
        lp_tokens_put(self->ended);
}

static void
class_flow_arrived(gpointer data, double began_s, double ended_s)
{
    g_autofree LaunchedClass *launched = data;
    LpRoundExecutor *self = launched->all;
    const LpUnitFlow *flow = launched->flow;
    lp_flow_sender_log(&self->sender, flow->route, flow->bytes, began_s, ended_s);
    count_class_flow(self, flow);
    end_class_flows(self, 1);
}

static void
launch_class_flows(LpRoundExecutor *self)
{
    const GArray *flows = self->plan->task.flows;
    self->n_left = flows->len;
    if (flows->len == 0)
        end_class_flows(self, 0);
    for (guint i = 0; i < flows->len; i++) {
        LaunchedClass launched = {self, &g_array_index(flows, LpUnitFlow, i)};
        LpLaunchedFlow flow = {
            .flow = lp_flow_sender_flow(&self->sender, launched.flow->route, launched.flow->bytes),
            .wait_s = self->plan->task.wait_s,
            .latency_s = launched.flow->latency_s,
            .arrived = class_flow_arrived,
            .data = g_memdup2(&launched, sizeof launched)};
        lp_flow_engine_launch(self->sender.sharing, &flow);
    }
}

static void
run_class_flow(LpRoundExecutor *self, const LpUnitFlow *flow)
{
    lp_flow_sender_sleep(&self->sender, simgrid_get_clock() + self->plan->task.wait_s, NULL);
    lp_flow_sender_send(&self->sender, flow->route, flow->bytes, 0, 0);
    lp_flow_sender_sleep(&self->sender, simgrid_get_clock() + flow->latency_s, NULL);
    count_class_flow(self, flow);
}

/* --- collectives --- */

static const Plan *
plan_of(LpRoundExecutor *self, const LpCollectiveCall *collective)
{
    Plan *plan = g_hash_table_lookup(self->plans, collective->op);
    if (plan != NULL)
        return plan;
    plan = g_new0(Plan, 1);
    plan->task = lp_collective_flows_task(&self->of, collective);
    plan->is_launched = plan->task.kind == LP_UNIT_FLOW && lp_flow_sender_launches(&self->sender);
    plan->n_workers = MAX(plan->task.n_units, self->n_actors) - self->n_actors;
    guint64 n = self->n_actors + plan->n_workers;
    plan->done = n > 1 && !plan->is_launched ? sg_barrier_init((unsigned)n) : NULL;
    g_hash_table_insert(self->plans, (gpointer)(guintptr)collective->op, plan);
    return plan;
}

static void
run_unit(LpRoundExecutor *self, guint64 index)
{
    const LpUnitTask *task = &self->plan->task;
    if (task->kind == LP_UNIT_ROUNDS)
        run_rounds(unit_at(self, index));
    else if (task->kind == LP_UNIT_ROW)
        run_row(unit_at(self, index), task->wait_s, 0, task->n_row);
    else
        run_class_flow(self, &g_array_index(task->flows, LpUnitFlow, index));
}

static void
worker_actor(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    Unit *self = sg_actor_self_get_data();
    for (;;) {
        lp_tokens_take(self->called);
        sg_bar_t done = self->all->plan->done;
        run_unit(self->all, self->index);
        (void)sg_barrier_wait(done);
    }
}

/* The first actor that comes makes ready for all. */
static void
begin(LpRoundExecutor *self, const LpCollectiveCall *collective)
{
    const Plan *plan = self->plan = plan_of(self, collective);
    self->collective = *collective;
    if (plan->is_launched) {
        launch_class_flows(self);
        return;
    }
    gboolean has_rounds = plan->task.kind == LP_UNIT_ROUNDS;
    guint64 n_flows = has_rounds ? lp_round_plan_transfers_max(collective->plan) : 0;
    self->transfers = g_renew(LpTransfer, self->transfers, n_flows);
    for (guint64 i = 0; i < plan->task.n_units && plan->task.kind != LP_UNIT_FLOW; i++) {
        Unit *unit = unit_at(self, i);
        reset(unit, plan->task.kind, &self->collective,
              has_rounds ? collective->plan->n_rounds : 1);
        unit->flows = g_renew(LpUnitFlow, unit->flows, n_flows);
    }
    for (; self->n_workers < plan->n_workers; self->n_workers++) {
        Unit *unit = unit_at(self, self->n_actors + self->n_workers);
        unit->called = lp_tokens_new();
        start_actor("worker", worker_actor, unit);
    }
    for (guint64 i = 0; i < plan->n_workers; i++)
        lp_tokens_put(unit_at(self, self->n_actors + i)->called);
}

void
lp_round_executor_run(LpRoundExecutor *self, guint64 actor, const LpCollectiveCall *collective)
{
    if (self->n_called++ % self->n_actors == 0)
        begin(self, collective);
    const Plan *plan = self->plan;
    if (plan->is_launched) {
        lp_tokens_take(self->ended);
        return;
    }
    if (actor < plan->task.n_units)
        run_unit(self, actor);
    if (plan->done != NULL)
        (void)sg_barrier_wait(plan->done);
}

void
lp_round_executor_add_counts(const LpRoundExecutor *self, guint64 *io_sent_bytes,
                             guint64 *io_received_bytes, guint64 *io_n_activities)
{
    *io_sent_bytes += self->sent_bytes;
    *io_received_bytes += self->received_bytes;
    *io_n_activities += self->n_activities;
}
