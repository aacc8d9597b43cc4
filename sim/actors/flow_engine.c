/* SPDX-License-Identifier: Apache-2.0 */
/* Flows as senders that sleep until theirs has arrived, woken by one actor that knows when; or
 * without a sender, from their launch on. */
#include "sim/actors/flow_engine.h"

#include "sim/actors/actor_tokens.h"
#include "sim/actors/due_queue.h"
#include "sim/actors/shared_flows.h"

#include <simgrid/actor.h>
#include <simgrid/engine.h>
#include <simgrid/semaphore.h>

#include <math.h>
#include <string.h>

/* Instants that are this close are equal: rounding, not physics. */
#define SLACK 1e-12

/* What a flow is at; those with a sender only flow. */
typedef enum {
    STAGE_WAITING,
    STAGE_FLOWING,
    STAGE_LANDING
} Stage;

/* A flow under way, or idle. */
typedef struct {
    LpSharedFlow shared;     /* first: found by its address */
    LpDue due;               /* when its stage ends; numbers by when they were shared out */
    sg_sem_t arrived;        /* owned */
    LpLaunchedFlow launched; /* arrived is NULL: it has a sender */
    Stage stage;
    guint32 leg;
    double began_s, ended_s, leg_began_s, leg_alone_s; /* of one that was launched */
} Sent;

struct LpFlowEngine {
    LpRotorRun *rotor;    /* owned, or NULL */
    LpOpening *opening;   /* owned, or NULL */
    LpSharedFlows *flows; /* owned; NULL: the engine shares links, and none of what follows is */
    gboolean uncontended[LP_N_TIERS];
    LpFlowRecord *record;      /* borrowed, or NULL */
    LpEquivalenceCheck *check; /* borrowed, or NULL */
    LpDueQueue *queue;         /* owned */
    GPtrArray *idle;           /* borrowed Sent, to be used again */
    GPtrArray *all;            /* owned Sent: all ever made */
    guint64 n_sent;
    double alarm_s;    /* when the actor will look at the queue without being called */
    LpTokens *changed; /* owned */
    gboolean is_called;
};

/* --- ends --- */

/* The first flow to end, or NULL. */
static Sent *
first_due(const LpFlowEngine *self)
{
    const LpDue *first = lp_due_queue_first(self->queue);
    return first == NULL ? NULL : first->owner;
}

static void
share_out(LpFlowEngine *self)
{
    double now_s = simgrid_get_clock();
    const GPtrArray *flows = lp_shared_flows_share_out(self->flows, now_s);
    for (guint i = 0; i < flows->len; i++) {
        Sent *sent = flows->pdata[i];
        sent->due.at_s = now_s + sent->shared.rest_bytes / sent->shared.bytes_per_s;
        lp_due_queue_put(self->queue, &sent->due);
    }
}

/* --- flows --- */

static void
sent_free(Sent *self)
{
    sg_sem_destroy(self->arrived);
    g_free(self);
}

static Sent *
new_sent(LpFlowEngine *self, const LpFlow *flow)
{
    Sent *sent;
    if (self->idle->len > 0) {
        sent = g_ptr_array_steal_index_fast(self->idle, self->idle->len - 1);
    } else {
        sent = g_new0(Sent, 1);
        sent->due.owner = sent;
        sent->arrived = sg_sem_init(0);
        g_ptr_array_add(self->all, sent);
    }
    sent->shared.flow = *flow;
    sent->launched.arrived = NULL;
    sent->stage = STAGE_FLOWING;
    sent->due.number = self->n_sent++;
    return sent;
}

static void
call(LpFlowEngine *self)
{
    if (self->is_called)
        return;
    self->is_called = TRUE;
    lp_tokens_put(self->changed);
}

static void
send_leg(LpFlowEngine *self, const LpFlow *flow, guint32 leg)
{
    Sent *sent = new_sent(self, flow);
    double start_s = simgrid_get_clock();
    gboolean meets = lp_shared_flows_enter(self->flows, &sent->shared, leg, start_s);
    double alone_s = (double)flow->bytes / sent->shared.cap_bytes_per_s;
    if (meets) {
        call(self);
        sg_sem_acquire(sent->arrived);
    } else {
        sg_actor_sleep_for(alone_s);
    }
    if (self->record != NULL)
        lp_flow_record_add(self->record, flow, leg, start_s, simgrid_get_clock(), alone_s);
    g_ptr_array_add(self->idle, sent);
}

/* --- flows without a sender --- */

static void
queue_until(LpFlowEngine *self, Sent *sent, double due_s)
{
    sent->due.at_s = due_s;
    lp_due_queue_put(self->queue, &sent->due);
    if (due_s < self->alarm_s)
        call(self);
}

static void
begin_leg(LpFlowEngine *self, Sent *sent)
{
    double now_s = simgrid_get_clock();
    sent->stage = STAGE_FLOWING;
    sent->due.number = self->n_sent++;
    sent->leg_began_s = now_s;
    gboolean meets = lp_shared_flows_enter(self->flows, &sent->shared, sent->leg, now_s);
    sent->leg_alone_s = (double)sent->shared.flow.bytes / sent->shared.cap_bytes_per_s;
    if (meets)
        call(self);
    else
        queue_until(self, sent, now_s + sent->leg_alone_s);
}

static void
end_leg(LpFlowEngine *self, Sent *sent)
{
    lp_shared_flows_leave(self->flows, &sent->shared, simgrid_get_clock());
    if (self->record != NULL)
        lp_flow_record_add(self->record, &sent->shared.flow, sent->leg, sent->leg_began_s,
                           simgrid_get_clock(), sent->leg_alone_s);
    sent->leg++;
}

static void
land(LpFlowEngine *self, Sent *sent)
{
    LpLaunchedFlow launched = sent->launched;
    double began_s = sent->began_s, ended_s = sent->ended_s;
    g_ptr_array_add(self->idle, sent);
    launched.arrived(launched.data, began_s, ended_s);
}

/* Its bytes begin to flow, or have flowed. */
static void
flow_on(LpFlowEngine *self, Sent *sent)
{
    const LpFlow *flow = &sent->shared.flow;
    if (flow->bytes > 0 && sent->leg < flow->route->n_legs) {
        begin_leg(self, sent);
        return;
    }
    sent->ended_s = simgrid_get_clock();
    sent->stage = STAGE_LANDING;
    if (sent->launched.latency_s > 0.0)
        queue_until(self, sent, sent->ended_s + sent->launched.latency_s);
    else
        land(self, sent);
}

/* Its stage has ended. */
static void
go_on(LpFlowEngine *self, Sent *sent)
{
    switch (sent->stage) {
    case STAGE_WAITING:
        sent->began_s = simgrid_get_clock();
        break;
    case STAGE_FLOWING:
        end_leg(self, sent);
        break;
    case STAGE_LANDING:
        land(self, sent);
        return;
    }
    flow_on(self, sent);
}

gboolean
lp_flow_engine_launches(const LpFlowEngine *self)
{
    return self != NULL && self->flows != NULL;
}

void
lp_flow_engine_launch(LpFlowEngine *self, const LpLaunchedFlow *flow)
{
    Sent *sent = new_sent(self, &flow->flow);
    sent->launched = *flow;
    sent->leg = 0;
    sent->stage = STAGE_WAITING;
    if (flow->wait_s > 0.0)
        queue_until(self, sent, simgrid_get_clock() + flow->wait_s);
    else
        go_on(self, sent);
}

/* --- flows of the engine, or over a rotor --- */

static gboolean
is_rotor_leg(const LpFlowEngine *self, const LpRoute *route, guint32 leg)
{
    const LpPort *from = route->legs == NULL ? route->from : route->legs[leg].from;
    return self->rotor != NULL && from->scale_out_port != G_MAXUINT32;
}

static void
post_leg(LpFlowEngine *self, const LpFlow *flow, guint32 leg, sg_sem_t arrived)
{
    const LpRoute *route = flow->route;
    LpLeg ends =
        route->legs == NULL ? (LpLeg){.from = route->from, .to = route->to} : route->legs[leg];
    lp_rotor_run_post(self->rotor, ends.from, ends.to, flow->bytes, arrived);
}

static void
send_in_engine(LpFlowEngine *self, const LpFlow *flow, guint32 leg)
{
    if (self->opening != NULL)
        lp_opening_send_leg(self->opening, flow->route, leg, flow->bytes);
    else
        lp_route_send_leg(flow->route, leg, flow->bytes);
}

/* Over a rotor, or as the engine does beside it. */
static void
send_turning(LpFlowEngine *self, const LpFlow *flow, guint32 n_legs)
{
    for (guint32 leg = 0; leg < n_legs; leg++) {
        if (!is_rotor_leg(self, flow->route, leg)) {
            send_in_engine(self, flow, leg);
            continue;
        }
        sg_sem_t arrived = sg_sem_init(0);
        post_leg(self, flow, leg, arrived);
        sg_sem_acquire(arrived);
        sg_sem_destroy(arrived);
    }
}

void
lp_flow_engine_post(LpFlowEngine *self, const LpFlow *flow, sg_sem_t arrived)
{
    guint32 last = flow->route->n_legs - 1;
    gboolean goes_on = flow->bytes > 0 && is_rotor_leg(self, flow->route, last);
    send_turning(self, flow, flow->bytes == 0 ? 0 : goes_on ? last : last + 1);
    if (goes_on)
        post_leg(self, flow, last, arrived);
    else
        sg_sem_release(arrived);
}

void
lp_flow_engine_send(LpFlowEngine *self, const LpFlow *flow)
{
    const LpRoute *route = flow->route;
    if (self == NULL) {
        lp_route_send(route, flow->bytes);
        return;
    }
    if (flow->bytes == 0)
        return;
    if (self->flows == NULL) {
        send_turning(self, flow, route->n_legs);
        return;
    }
    for (guint32 leg = 0; leg < route->n_legs; leg++)
        send_leg(self, flow, leg);
}

void
lp_flow_engine_set_bandwidth(LpFlowEngine *self, guint32 link, double bytes_per_s)
{
    if (self == NULL || self->flows == NULL)
        return;
    lp_shared_flows_set_bandwidth(self->flows, link, bytes_per_s);
    call(self);
}

/* --- the actor --- */

static void
end_due(LpFlowEngine *self)
{
    double until_s = simgrid_get_clock();
    until_s += MAX(SLACK, SLACK * until_s);
    for (Sent *sent; (sent = first_due(self)) != NULL && sent->due.at_s <= until_s;) {
        lp_due_queue_take_first(self->queue);
        if (sent->launched.arrived != NULL) {
            go_on(self, sent);
            continue;
        }
        lp_shared_flows_leave(self->flows, &sent->shared, simgrid_get_clock());
        sg_sem_release(sent->arrived);
    }
}

static void
wait_for_change(LpFlowEngine *self)
{
    const Sent *first = first_due(self);
    double left_s = first == NULL ? INFINITY : first->due.at_s - simgrid_get_clock();
    self->alarm_s = first == NULL ? INFINITY : first->due.at_s;
    if (first == NULL)
        lp_tokens_take(self->changed);
    else if (left_s > 0.0)
        (void)lp_tokens_take_within(self->changed, left_s);
    self->is_called = FALSE;
    self->alarm_s = -INFINITY; /* it looks before it waits again */
}

/* Turns in which no flow begins, before an instant counts as over. */
#define N_QUIET_TURNS 2

/* Lets others do what they do at this instant: a check takes shares that hold for no time, while
 * some of those who do the same have and others have not, for a difference between them. */
static void
settle(LpFlowEngine *self)
{
    for (guint n_quiet = 0; n_quiet < N_QUIET_TURNS;) {
        guint64 n = self->n_sent;
        sg_actor_yield();
        n_quiet = self->n_sent == n ? n_quiet + 1 : 0;
    }
}

static void
sharing_actor(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    LpFlowEngine *self = sg_actor_self_get_data();
    while (!lp_equivalence_check_is_over(self->check)) {
        wait_for_change(self);
        end_due(self);
        if (self->check != NULL)
            settle(self);
        share_out(self);
    }
    sg_actor_kill_all();
}

void
lp_flow_engine_start(LpFlowEngine *self, struct s4u_Host *home)
{
    if (self->rotor != NULL)
        lp_rotor_run_start(self->rotor, home);
    if (self->opening != NULL)
        lp_opening_start(self->opening, home);
    if (self->flows == NULL)
        return;
    sg_actor_t actor = sg_actor_init("sharing", home);
    sg_actor_set_data(actor, self);
    sg_actor_start_(actor, (xbt_main_func_t)sharing_actor, 0, NULL);
    sg_actor_daemonize(actor);
}

/* @solver: (transfer full). */
static LpFlowEngine *
new_sharing(LpSharedFlows *flows, LpFlowRecord *record)
{
    LpFlowEngine *self = g_new0(LpFlowEngine, 1);
    self->flows = flows;
    self->record = record;
    self->alarm_s = -INFINITY;
    self->queue = lp_due_queue_new();
    self->idle = g_ptr_array_new();
    self->all = g_ptr_array_new_with_free_func((GDestroyNotify)sent_free);
    self->changed = lp_tokens_new();
    return self;
}

LpFlowEngine *
lp_flow_engine_new(const LpNetwork *network, const gboolean *uncontended, LpFlowRecord *record)
{
    LpFlowEngine *self = new_sharing(lp_shared_flows_new(network, uncontended, record), record);
    lp_flow_engine_set_uncontended(self, uncontended);
    return self;
}

void
lp_flow_engine_set_uncontended(LpFlowEngine *self, const gboolean *uncontended)
{
    memcpy(self->uncontended, uncontended, sizeof self->uncontended);
}

const gboolean *
lp_flow_engine_uncontended(const LpFlowEngine *self)
{
    return self == NULL ? NULL : self->uncontended;
}

LpFlowEngine *
lp_flow_engine_new_lossy(const LpNetwork *network)
{
    static const gboolean none[LP_N_TIERS] = {FALSE};
    gboolean is_lossy = lp_network_machine(network)->incast_loss > 0.0;
    return is_lossy ? lp_flow_engine_new(network, none, NULL) : NULL;
}

LpFlowEngine *
lp_flow_engine_new_of_classes(const LpQuotient *quotient, LpFlowRecord *record,
                              LpEquivalenceCheck *check)
{
    LpFlowEngine *self =
        new_sharing(lp_shared_flows_new_of_classes(quotient, record, check), record);
    self->check = check;
    return self;
}

LpFlowEngine *
lp_flow_engine_new_of_engine(LpRotorRun *rotor, LpOpening *opening)
{
    LpFlowEngine *self = g_new0(LpFlowEngine, 1);
    self->rotor = rotor;
    self->opening = opening;
    return self;
}

LpOpening *
lp_flow_engine_opening(const LpFlowEngine *self)
{
    return self == NULL ? NULL : self->opening;
}

LpRotorRun *
lp_flow_engine_rotor(const LpFlowEngine *self)
{
    return self == NULL ? NULL : self->rotor;
}

void
lp_flow_engine_free(LpFlowEngine *self)
{
    if (self == NULL)
        return;
    lp_rotor_run_free(self->rotor);
    lp_opening_free(self->opening);
    g_clear_pointer(&self->queue, lp_due_queue_free);
    g_clear_pointer(&self->idle, g_ptr_array_unref);
    g_clear_pointer(&self->all, g_ptr_array_unref);
    lp_shared_flows_free(self->flows);
    lp_tokens_free(self->changed);
    g_free(self);
}
