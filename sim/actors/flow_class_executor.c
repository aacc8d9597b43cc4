/* SPDX-License-Identifier: Apache-2.0 */
/* Collectives by classes of flows, or of members. */
#include "sim/actors/flow_class_executor.h"

#include "sim/actors/actor_tokens.h"
#include "sim/quotient/first_senders.h"

#include <simgrid/actor.h>
#include <simgrid/barrier.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>

/* A flow of a collective, after @wait_s and arriving @latency_s after its end. */
typedef struct {
    const LpRoute *route; /* borrowed from the quotient */
    guint64 bytes;
    double wait_s, latency_s;
} ClassFlow;

/* What a collective takes. */
typedef struct {
    gboolean is_chained;  /* by classes of members */
    gboolean is_launched; /* its flows have no senders */
    GArray *class_flows;  /* owned ClassFlow: else, one for each class of flows */
    guint64 n_class_flows, n_workers;
    sg_bar_t done; /* owned: all actors, and flow_class_executor that it needs; NULL: one actor, or
                      launched */
} ClassPlan;

/* A flow that has been launched. */
typedef struct {
    LpFlowClassExecutor *all;    /* borrowed */
    const ClassFlow *class_flow; /* borrowed from the class_plan */
} Launched;

typedef struct {
    LpFlowClassExecutor *all; /* borrowed */
    guint64 class_flow;
    LpTokens *called; /* owned: one for each collective that needs it */
} FlowWorker;

struct LpFlowClassExecutor {
    const LpQuotient *quotient;         /* borrowed */
    const LpCommunicatorClass *classes; /* borrowed */
    guint64 n_actors, n_called;
    GPtrArray *workers;              /* owned FlowWorker: of the class_flows from n_actors on */
    LpRoundExecutor *round_executor; /* owned */
    LpFlowEngine *sharing;           /* borrowed */
    LpWatch *watch;                  /* borrowed, or NULL */
    LpFlowLog *log;                  /* borrowed, or NULL */
    guint32 job;
    GHashTable *class_plans; /* owned: by what LpOps send, ClassPlan */
    ClassPlan *class_plan;   /* borrowed: of the collective at hand */
    LpClassCollective collective;
    guint64 n_left;  /* flows that have been launched and not arrived */
    LpTokens *ended; /* owned: one for each actor when none is left */
    guint64 sent_bytes, n_activities;
};

static LpTraffic
traffic_of(const LpFlowClassExecutor *self)
{
    return lp_group_traits(self->classes->communicator->group)->traffic;
}

static void
flow_worker_free(gpointer data)
{
    FlowWorker *self = data;
    lp_tokens_free(self->called);
    g_free(self);
}

static void
class_plan_free(gpointer data)
{
    ClassPlan *self = data;
    g_array_unref(self->class_flows);
    if (self->done != NULL)
        sg_barrier_destroy(self->done);
    g_free(self);
}

LpFlowClassExecutor *
lp_flow_class_executor_new(const LpQuotient *quotient, const LpCommunicatorClass *classes,
                           guint64 n_actors, guint32 job, LpFlowEngine *sharing, LpWatch *watch)
{
    LpFlowClassExecutor *self = g_new0(LpFlowClassExecutor, 1);
    self->quotient = quotient;
    self->classes = classes;
    self->n_actors = n_actors;
    self->workers = g_ptr_array_new_with_free_func(flow_worker_free);
    self->class_plans = g_hash_table_new_full(lp_op_hash, lp_op_is_alike, NULL, class_plan_free);
    self->sharing = sharing;
    self->watch = watch;
    self->job = job;
    self->ended = lp_tokens_new();
    self->round_executor = lp_round_executor_new(classes->members.n_classes, watch, job);
    lp_round_executor_set_sharing(self->round_executor, sharing, traffic_of(self), self);
    lp_round_executor_set_classes(self->round_executor, quotient, classes);
    return self;
}

void
lp_flow_class_executor_set_log(LpFlowClassExecutor *self, LpFlowLog *log)
{
    self->log = log;
    lp_round_executor_set_log(self->round_executor, log, 1.0);
}

void
lp_flow_class_executor_free(LpFlowClassExecutor *self)
{
    if (self == NULL)
        return;
    g_ptr_array_unref(self->workers);
    g_hash_table_unref(self->class_plans);
    lp_tokens_free(self->ended);
    lp_round_executor_free(self->round_executor);
    g_free(self);
}

static void
log_class_flow(const LpFlowClassExecutor *self, const ClassFlow *class_flow, double began_s,
               double ended_s)
{
    lp_flow_log_add(self->log, &(LpLoggedFlow){.route = class_flow->route,
                                               .bytes = (double)class_flow->bytes,
                                               .weight = 1.0,
                                               .kind = traffic_of(self),
                                               .is_flow = TRUE,
                                               .start_s = began_s,
                                               .end_s = ended_s});
}

/* --- class_plans --- */

/* Flows of one class have one route; those over one connection are flows of their own. @known:
 * connections by route, the first of each. @connection: only compared. */
static void
add_class_flow(ClassPlan *self, GHashTable *known, const ClassFlow *class_flow,
               const void *connection)
{
    if (class_flow->route == NULL)
        return;
    const void *first = g_hash_table_lookup(known, class_flow->route);
    if (first != NULL && first != connection)
        return;
    g_hash_table_insert(known, (gpointer)(guintptr)class_flow->route,
                        (gpointer)(guintptr)connection);
    g_array_append_vals(self->class_flows, class_flow, 1);
}

/* The way that rings of neighbours and all-to-alls along the rails take. */
static const LpRoute *
plain_route(const LpFlowClassExecutor *self, guint64 member)
{
    const LpCommunicator *communicator = self->classes->communicator;
    guint64 rank = communicator->ranks[member];
    const LpRoute *inter =
        communicator->exchanges
            ? lp_quotient_route(self->quotient, lp_connection_inter_domain(communicator->group),
                                rank)
            : NULL;
    return inter != NULL
               ? inter
               : lp_quotient_route(self->quotient, (LpConnectionKind)communicator->group, rank);
}

static void
add_plain_class_flows(const LpFlowClassExecutor *self, ClassPlan *class_plan,
                      const LpClassCollective *what, GHashTable *known)
{
    double wait_s = lp_flow_list_plain_wait_s(what->ring, what->op, what->protocol);
    for (guint64 i = 0; i < what->ring->n_members; i++) {
        ClassFlow class_flow = {
            .route = plain_route(self, i),
            .bytes = lp_flow_list_plain_bytes(what->ring, what->op, what->protocol, i),
            .wait_s = wait_s};
        add_class_flow(class_plan, known, &class_flow, &self->classes->communicator->ranks[i]);
    }
}

/* Returns: whether flows have to wait for others. */
static gboolean
add_round_units(const LpFlowClassExecutor *self, ClassPlan *class_plan, LpRoundPlan *plan,
                GHashTable *known)
{
    if (plan->n_rounds > 1)
        return TRUE;
    const LpCommunicator *communicator = self->classes->communicator;
    g_autofree LpTransfer *transfers = g_new(LpTransfer, lp_round_plan_transfers_max(plan));
    double wait_s = plan->n_rounds > 0 ? lp_round_plan_wait_s(plan, 0) : 0.0;
    g_autoptr(GArray) senders =
        lp_first_senders_find(self->quotient, communicator, plan->map->peers);
    for (guint i = 0; plan->n_rounds > 0 && i < senders->len; i++) {
        guint32 member = g_array_index(senders, guint32, i), rank = communicator->ranks[member];
        guint64 n = lp_round_plan_transfers(plan, member, 0, transfers);
        const GArray *peers = lp_collective_peers_get(plan->map->peers, communicator->group, rank);
        if (n > plan->at_once)
            return TRUE;
        for (guint64 k = 0; k < n; k++) {
            guint peer = lp_collective_peers_index(peers, transfers[k].connection);
            ClassFlow class_flow = {
                lp_quotient_peer_route(self->quotient, communicator->group, rank, peer),
                transfers[k].bytes, wait_s, transfers[k].latency_s};
            add_class_flow(class_plan, known, &class_flow, transfers[k].connection);
        }
    }
    return FALSE;
}

static ClassPlan *
class_plan_new(const LpFlowClassExecutor *self, const LpClassCollective *what)
{
    ClassPlan *class_plan = g_new0(ClassPlan, 1);
    g_autoptr(GHashTable) known = g_hash_table_new(NULL, NULL);
    class_plan->class_flows = g_array_new(FALSE, FALSE, sizeof(ClassFlow));
    if (what->round_plan != NULL)
        class_plan->is_chained = add_round_units(self, class_plan, what->round_plan, known);
    else if (what->run_member != NULL)
        class_plan->is_chained = TRUE;
    else
        add_plain_class_flows(self, class_plan, what, known);
    class_plan->is_launched =
        !class_plan->is_chained && self->watch == NULL && lp_flow_engine_launches(self->sharing);
    if (class_plan->is_launched)
        return class_plan;
    class_plan->n_class_flows =
        class_plan->is_chained ? self->classes->members.n_classes : class_plan->class_flows->len;
    class_plan->n_workers = MAX(class_plan->n_class_flows, self->n_actors) - self->n_actors;
    guint64 n = self->n_actors + class_plan->n_workers;
    class_plan->done = n > 1 ? sg_barrier_init((unsigned)n) : NULL;
    return class_plan;
}

static ClassPlan *
class_plan_of(LpFlowClassExecutor *self, const LpClassCollective *what)
{
    ClassPlan *class_plan = g_hash_table_lookup(self->class_plans, what->op);
    if (class_plan == NULL) {
        class_plan = class_plan_new(self, what);
        g_hash_table_insert(self->class_plans, (gpointer)(guintptr)what->op, class_plan);
    }
    return class_plan;
}

/* --- flows without senders --- */

static void
end_all(LpFlowClassExecutor *self)
{
    for (guint64 i = 0; i < self->n_actors; i++)
        lp_tokens_put(self->ended);
}

static void
unit_arrived(gpointer data, double began_s, double ended_s)
{
    g_autofree Launched *launched = data;
    LpFlowClassExecutor *self = launched->all;
    const ClassFlow *class_flow = launched->class_flow;
    log_class_flow(self, class_flow, began_s, ended_s);
    self->sent_bytes += class_flow->bytes;
    self->n_activities +=
        1u + (class_flow->wait_s > 0.0 ? 1u : 0u) + (class_flow->latency_s > 0.0 ? 1u : 0u);
    if (--self->n_left == 0)
        end_all(self);
}

static void
launch_all(LpFlowClassExecutor *self)
{
    const GArray *class_flows = self->class_plan->class_flows;
    self->n_left = class_flows->len;
    if (class_flows->len == 0)
        end_all(self);
    for (guint i = 0; i < class_flows->len; i++) {
        const ClassFlow *class_flow = &g_array_index(class_flows, ClassFlow, i);
        Launched launched = {self, class_flow};
        LpLaunchedFlow flow = {
            .flow = {class_flow->route, class_flow->bytes, self->job, traffic_of(self), self},
            .wait_s = class_flow->wait_s,
            .latency_s = class_flow->latency_s,
            .arrived = unit_arrived,
            .data = g_memdup2(&launched, sizeof launched)};
        lp_flow_engine_launch(self->sharing, &flow);
    }
}

/* --- actors --- */

static void
wait(LpFlowClassExecutor *self, double wait_s)
{
    if (wait_s <= 0.0)
        return;
    lp_watch_sleep(self->watch, wait_s);
    self->n_activities++;
}

static void
run_member(LpFlowClassExecutor *self, guint64 class)
{
    const LpClassCollective *what = &self->collective;
    if (what->round_plan != NULL)
        lp_round_executor_run(self->round_executor, class);
    else
        what->run_member(what->runtime, self->classes->members.first[class], what->op);
}

static void
run_class_flow(LpFlowClassExecutor *self, guint64 number)
{
    if (self->class_plan->is_chained) {
        run_member(self, number);
        return;
    }
    const ClassFlow *class_flow = &g_array_index(self->class_plan->class_flows, ClassFlow, number);
    wait(self, class_flow->wait_s);
    LpFlow flow = {class_flow->route, class_flow->bytes, self->job, traffic_of(self), self};
    LpFlight flight = {.route = class_flow->route, .job = self->job};
    lp_watch_depart(self->watch, &flight);
    double start_s = simgrid_get_clock();
    lp_flow_engine_send(self->sharing, &flow);
    lp_watch_arrive(self->watch, &flight);
    log_class_flow(self, class_flow, start_s, simgrid_get_clock());
    wait(self, class_flow->latency_s);
    self->sent_bytes += class_flow->bytes;
    self->n_activities++;
}

static void
flow_worker(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    FlowWorker *self = sg_actor_self_get_data();
    for (;;) {
        lp_tokens_take(self->called);
        sg_bar_t done = self->all->class_plan->done;
        run_class_flow(self->all, self->class_flow);
        (void)sg_barrier_wait(done);
    }
}

/* They wait for ever in the end: as daemons they do not keep the run going. */
static void
add_worker(LpFlowClassExecutor *self)
{
    FlowWorker *one = g_new(FlowWorker, 1);
    *one = (FlowWorker){self, self->n_actors + self->workers->len, lp_tokens_new()};
    g_ptr_array_add(self->workers, one);
    sg_actor_t actor = sg_actor_init("flow_worker", sg_actor_get_host(sg_actor_self()));
    sg_actor_set_data(actor, one);
    sg_actor_start_(actor, (xbt_main_func_t)flow_worker, 0, NULL);
    sg_actor_daemonize(actor);
}

static void
begin(LpFlowClassExecutor *self, const LpClassCollective *collective)
{
    self->collective = *collective;
    self->class_plan = class_plan_of(self, collective);
    if (self->class_plan->is_launched) {
        launch_all(self);
        return;
    }
    if (self->class_plan->is_chained && collective->round_plan != NULL)
        lp_round_executor_begin(self->round_executor, collective->round_plan);
    while (self->workers->len < self->class_plan->n_workers)
        add_worker(self);
    for (guint64 i = 0; i < self->class_plan->n_workers; i++)
        lp_tokens_put(((const FlowWorker *)self->workers->pdata[i])->called);
}

void
lp_flow_class_executor_run(LpFlowClassExecutor *self, guint64 actor, LpClassCollective collective)
{
    if (self->n_called++ % self->n_actors == 0)
        begin(self, &collective);
    if (self->class_plan->is_launched) {
        lp_tokens_take(self->ended);
        return;
    }
    sg_bar_t done = self->class_plan->done;
    if (actor < self->class_plan->n_class_flows)
        run_class_flow(self, actor);
    if (done != NULL)
        (void)sg_barrier_wait(done);
}

guint64
lp_flow_class_executor_sent_bytes(const LpFlowClassExecutor *self)
{
    return self->sent_bytes + lp_round_executor_sent_bytes(self->round_executor);
}

guint64
lp_flow_class_executor_n_activities(const LpFlowClassExecutor *self)
{
    return self->n_activities + lp_round_executor_n_activities(self->round_executor);
}
