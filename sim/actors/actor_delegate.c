/* SPDX-License-Identifier: Apache-2.0 */
/* Collectives by classes of flows, or of members. */
#include "sim/actors/actor_delegate.h"

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
} Unit;

/* What a collective takes. */
typedef struct {
    gboolean is_chained;  /* by classes of members */
    gboolean is_launched; /* its flows have no senders */
    GArray *units;        /* owned Unit: else, one for each class of flows */
    guint64 n_units, n_delegates;
    sg_bar_t
        done; /* owned: all actors, and delegates that it needs; NULL: one actor, or launched */
} Recipe;

/* A flow that has been launched. */
typedef struct {
    LpDelegates *all; /* borrowed */
    const Unit *unit; /* borrowed from the recipe */
} Launched;

typedef struct {
    LpDelegates *all; /* borrowed */
    guint64 unit;
    LpTokens *called; /* owned: one for each collective that needs it */
} Delegate;

struct LpDelegates {
    const LpQuotient *quotient;         /* borrowed */
    const LpCommunicatorClass *classes; /* borrowed */
    guint64 n_actors, n_called;
    GPtrArray *delegates; /* owned Delegate: of the units from n_actors on */
    LpCouriers *couriers; /* owned */
    LpSharing *sharing;   /* borrowed */
    LpWatch *watch;       /* borrowed, or NULL */
    LpFlowLog *log;       /* borrowed, or NULL */
    guint32 job;
    GHashTable *recipes; /* owned: by what LpOps send, Recipe */
    Recipe *recipe;      /* borrowed: of the collective at hand */
    LpDelegated collective;
    guint64 n_left;  /* flows that have been launched and not arrived */
    LpTokens *ended; /* owned: one for each actor when none is left */
    guint64 sent_bytes, n_activities;
};

static LpTraffic
traffic_of(const LpDelegates *self)
{
    return lp_group_traits(self->classes->communicator->group)->traffic;
}

static void
delegate_free(gpointer data)
{
    Delegate *self = data;
    lp_tokens_free(self->called);
    g_free(self);
}

static void
recipe_free(gpointer data)
{
    Recipe *self = data;
    g_array_unref(self->units);
    if (self->done != NULL)
        sg_barrier_destroy(self->done);
    g_free(self);
}

LpDelegates *
lp_delegates_new(const LpQuotient *quotient, const LpCommunicatorClass *classes, guint64 n_actors,
                 guint32 job, LpSharing *sharing, LpWatch *watch)
{
    LpDelegates *self = g_new0(LpDelegates, 1);
    self->quotient = quotient;
    self->classes = classes;
    self->n_actors = n_actors;
    self->delegates = g_ptr_array_new_with_free_func(delegate_free);
    self->recipes = g_hash_table_new_full(lp_op_hash, lp_op_is_alike, NULL, recipe_free);
    self->sharing = sharing;
    self->watch = watch;
    self->job = job;
    self->ended = lp_tokens_new();
    self->couriers = lp_couriers_new(classes->members.n_classes, watch, job);
    lp_couriers_set_sharing(self->couriers, sharing, traffic_of(self), self);
    lp_couriers_set_classes(self->couriers, quotient, classes);
    return self;
}

void
lp_delegates_set_log(LpDelegates *self, LpFlowLog *log)
{
    self->log = log;
    lp_couriers_set_log(self->couriers, log, 1.0);
}

void
lp_delegates_free(LpDelegates *self)
{
    if (self == NULL)
        return;
    g_ptr_array_unref(self->delegates);
    g_hash_table_unref(self->recipes);
    lp_tokens_free(self->ended);
    lp_couriers_free(self->couriers);
    g_free(self);
}

static void
log_unit(const LpDelegates *self, const Unit *unit, double began_s, double ended_s)
{
    lp_flow_log_add(self->log, &(LpLoggedFlow){.route = unit->route,
                                               .bytes = (double)unit->bytes,
                                               .weight = 1.0,
                                               .kind = traffic_of(self),
                                               .is_flow = TRUE,
                                               .start_s = began_s,
                                               .end_s = ended_s});
}

/* --- recipes --- */

/* Flows of one class have one route; those over one connection are flows of their own. @known:
 * connections by route, the first of each. @connection: only compared. */
static void
add_unit(Recipe *self, GHashTable *known, const Unit *unit, const void *connection)
{
    if (unit->route == NULL)
        return;
    const void *first = g_hash_table_lookup(known, unit->route);
    if (first != NULL && first != connection)
        return;
    g_hash_table_insert(known, (gpointer)(guintptr)unit->route, (gpointer)(guintptr)connection);
    g_array_append_vals(self->units, unit, 1);
}

/* The way that rings of neighbours and all-to-alls along the rails take. */
static const LpRoute *
plain_route(const LpDelegates *self, guint64 member)
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
add_plain_units(const LpDelegates *self, Recipe *recipe, const LpDelegated *what, GHashTable *known)
{
    double wait_s = lp_flow_list_plain_wait_s(what->ring, what->op, what->protocol);
    for (guint64 i = 0; i < what->ring->n_members; i++) {
        Unit unit = {.route = plain_route(self, i),
                     .bytes = lp_flow_list_plain_bytes(what->ring, what->op, what->protocol, i),
                     .wait_s = wait_s};
        add_unit(recipe, known, &unit, &self->classes->communicator->ranks[i]);
    }
}

/* Returns: whether flows have to wait for others. */
static gboolean
add_round_units(const LpDelegates *self, Recipe *recipe, LpRoundPlan *plan, GHashTable *known)
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
            Unit unit = {lp_quotient_peer_route(self->quotient, communicator->group, rank, peer),
                         transfers[k].bytes, wait_s, transfers[k].latency_s};
            add_unit(recipe, known, &unit, transfers[k].connection);
        }
    }
    return FALSE;
}

static Recipe *
recipe_new(const LpDelegates *self, const LpDelegated *what)
{
    Recipe *recipe = g_new0(Recipe, 1);
    g_autoptr(GHashTable) known = g_hash_table_new(NULL, NULL);
    recipe->units = g_array_new(FALSE, FALSE, sizeof(Unit));
    if (what->round_plan != NULL)
        recipe->is_chained = add_round_units(self, recipe, what->round_plan, known);
    else if (what->run_member != NULL)
        recipe->is_chained = TRUE;
    else
        add_plain_units(self, recipe, what, known);
    recipe->is_launched =
        !recipe->is_chained && self->watch == NULL && lp_sharing_launches(self->sharing);
    if (recipe->is_launched)
        return recipe;
    recipe->n_units = recipe->is_chained ? self->classes->members.n_classes : recipe->units->len;
    recipe->n_delegates = MAX(recipe->n_units, self->n_actors) - self->n_actors;
    guint64 n = self->n_actors + recipe->n_delegates;
    recipe->done = n > 1 ? sg_barrier_init((unsigned)n) : NULL;
    return recipe;
}

static Recipe *
recipe_of(LpDelegates *self, const LpDelegated *what)
{
    Recipe *recipe = g_hash_table_lookup(self->recipes, what->op);
    if (recipe == NULL) {
        recipe = recipe_new(self, what);
        g_hash_table_insert(self->recipes, (gpointer)(guintptr)what->op, recipe);
    }
    return recipe;
}

/* --- flows without senders --- */

static void
end_all(LpDelegates *self)
{
    for (guint64 i = 0; i < self->n_actors; i++)
        lp_tokens_put(self->ended);
}

static void
unit_arrived(gpointer data, double began_s, double ended_s)
{
    g_autofree Launched *launched = data;
    LpDelegates *self = launched->all;
    const Unit *unit = launched->unit;
    log_unit(self, unit, began_s, ended_s);
    self->sent_bytes += unit->bytes;
    self->n_activities += 1u + (unit->wait_s > 0.0 ? 1u : 0u) + (unit->latency_s > 0.0 ? 1u : 0u);
    if (--self->n_left == 0)
        end_all(self);
}

static void
launch_all(LpDelegates *self)
{
    const GArray *units = self->recipe->units;
    self->n_left = units->len;
    if (units->len == 0)
        end_all(self);
    for (guint i = 0; i < units->len; i++) {
        const Unit *unit = &g_array_index(units, Unit, i);
        Launched launched = {self, unit};
        LpLaunchedFlow flow = {
            .flow = {unit->route, unit->bytes, self->job, traffic_of(self), self},
            .wait_s = unit->wait_s,
            .latency_s = unit->latency_s,
            .arrived = unit_arrived,
            .data = g_memdup2(&launched, sizeof launched)};
        lp_sharing_launch(self->sharing, &flow);
    }
}

/* --- actors --- */

static void
wait(LpDelegates *self, double wait_s)
{
    if (wait_s <= 0.0)
        return;
    lp_watch_sleep(self->watch, wait_s);
    self->n_activities++;
}

static void
run_member(LpDelegates *self, guint64 class)
{
    const LpDelegated *what = &self->collective;
    if (what->round_plan != NULL)
        lp_couriers_run(self->couriers, class);
    else
        what->run_member(what->runtime, self->classes->members.first[class], what->op);
}

static void
run_unit(LpDelegates *self, guint64 number)
{
    if (self->recipe->is_chained) {
        run_member(self, number);
        return;
    }
    const Unit *unit = &g_array_index(self->recipe->units, Unit, number);
    wait(self, unit->wait_s);
    LpFlow flow = {unit->route, unit->bytes, self->job, traffic_of(self), self};
    LpFlight flight = {.route = unit->route, .job = self->job};
    lp_watch_depart(self->watch, &flight);
    double start_s = simgrid_get_clock();
    lp_sharing_send(self->sharing, &flow);
    lp_watch_arrive(self->watch, &flight);
    log_unit(self, unit, start_s, simgrid_get_clock());
    wait(self, unit->latency_s);
    self->sent_bytes += unit->bytes;
    self->n_activities++;
}

static void
delegate(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    Delegate *self = sg_actor_self_get_data();
    for (;;) {
        lp_tokens_take(self->called);
        sg_bar_t done = self->all->recipe->done;
        run_unit(self->all, self->unit);
        (void)sg_barrier_wait(done);
    }
}

/* They wait for ever in the end: as daemons they do not keep the run going. */
static void
add_delegate(LpDelegates *self)
{
    Delegate *one = g_new(Delegate, 1);
    *one = (Delegate){self, self->n_actors + self->delegates->len, lp_tokens_new()};
    g_ptr_array_add(self->delegates, one);
    sg_actor_t actor = sg_actor_init("delegate", sg_actor_get_host(sg_actor_self()));
    sg_actor_set_data(actor, one);
    sg_actor_start_(actor, (xbt_main_func_t)delegate, 0, NULL);
    sg_actor_daemonize(actor);
}

static void
begin(LpDelegates *self, const LpDelegated *collective)
{
    self->collective = *collective;
    self->recipe = recipe_of(self, collective);
    if (self->recipe->is_launched) {
        launch_all(self);
        return;
    }
    if (self->recipe->is_chained && collective->round_plan != NULL)
        lp_couriers_begin(self->couriers, collective->round_plan);
    while (self->delegates->len < self->recipe->n_delegates)
        add_delegate(self);
    for (guint64 i = 0; i < self->recipe->n_delegates; i++)
        lp_tokens_put(((const Delegate *)self->delegates->pdata[i])->called);
}

void
lp_delegates_run(LpDelegates *self, guint64 actor, LpDelegated collective)
{
    if (self->n_called++ % self->n_actors == 0)
        begin(self, &collective);
    if (self->recipe->is_launched) {
        lp_tokens_take(self->ended);
        return;
    }
    sg_bar_t done = self->recipe->done;
    if (actor < self->recipe->n_units)
        run_unit(self, actor);
    if (done != NULL)
        (void)sg_barrier_wait(done);
}

guint64
lp_delegates_sent_bytes(const LpDelegates *self)
{
    return self->sent_bytes + lp_couriers_sent_bytes(self->couriers);
}

guint64
lp_delegates_n_activities(const LpDelegates *self)
{
    return self->n_activities + lp_couriers_n_activities(self->couriers);
}
