/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs and context on the loaded machine, and which links they share. */
#include "sim/run/scenario_setup.h"

#include "sim/engine/engine.h"
#include "sim/engine/loading.h"
#include "sim/run/run_routes.h"
#include "sim/simulation_error.h"

void
lp_scenario_setup_free(LpScenarioSetup *self)
{
    if (self == NULL)
        return;
    g_clear_pointer(&self->backgrounds, g_ptr_array_unref);
    g_clear_pointer(&self->faults, lp_faults_free);
    g_clear_pointer(&self->jobs, g_ptr_array_unref);
    g_clear_pointer(&self->network, lp_network_free);
    g_free(self->n_users);
    g_free(self->changes);
    g_clear_pointer(&self->engine_options, g_array_unref);
    g_free(self);
}
LpJob *
lp_scenario_setup_job(const LpScenarioSetup *self, guint index)
{
    return self->jobs->pdata[index];
}

static guint64
n_actors(const LpScenarioSetup *self, const LpMachine *machine)
{
    guint64 n = 0;
    for (guint i = 0; i < self->jobs->len; i++)
        n += lp_run_actors_max(lp_scenario_setup_job(self, i)->map, FALSE);
    return n + self->scenario->traffic->len *
                   (lp_background_flights_max(machine->n_accelerators) + machine->n_accelerators);
}

/* What circuits that are switched, that turn, and that never change do about failures. */
static gboolean
plan_around(LpScenarioSetup *self, GError **error)
{
    const LpMachine *machine = lp_network_machine(self->network);
    gboolean is_fixed = lp_circuit_switch_is_fixed(&machine->circuits);
    g_autoptr(GArray) failed = is_fixed ? lp_faults_before_jobs(self->faults, error) : NULL;
    if (is_fixed && failed == NULL)
        return FALSE;
    if (lp_circuit_switch_is_rotor(&machine->circuits))
        return lp_faults_check_rotor(self->faults, error);
    for (guint i = 0; i < self->jobs->len; i++) {
        LpJob *job = lp_scenario_setup_job(self, i);
        const LpCircuitPlan *plan = job->circuits->switched;
        if ((is_fixed && !lp_job_impair(job, self->network, failed, error)) ||
            (plan != NULL && !lp_faults_check(self->faults, plan, error)))
            return FALSE;
    }
    return TRUE;
}

static gboolean
add_context(LpScenarioSetup *self, GError **error)
{
    self->backgrounds = g_ptr_array_new_with_free_func((GDestroyNotify)lp_background_free);
    for (guint i = 0; i < self->scenario->traffic->len; i++) {
        LpBackground *background =
            lp_background_new(self->scenario->traffic->pdata[i], self->network, i, error);
        if (background == NULL)
            return FALSE;
        g_ptr_array_add(self->backgrounds, background);
    }
    GError *fault = NULL;
    self->faults = lp_faults_new(self->scenario, self->network, &fault);
    if (fault != NULL) {
        g_propagate_error(error, fault);
        return FALSE;
    }
    return self->faults == NULL || plan_around(self, error);
}

/* What a job has with all that @scope lets happen. */
static const LpCircuitMap *
circuits_in(const LpJob *job, LpScenarioSetupScope scope)
{
    return scope != LP_SCENARIO_SCOPE_OWN && job->impaired != NULL ? job->impaired : job->circuits;
}

static LpIsolatedCache *
cache_in(const LpJob *job, LpScenarioSetupScope scope)
{
    return scope != LP_SCENARIO_SCOPE_OWN && job->impaired != NULL ? job->impaired_cache
                                                                   : job->cache;
}

/* Adds one to the links that are marked. */
static void
count_users(LpScenarioSetup *self, const gboolean *marked)
{
    for (guint32 i = 0; i < lp_network_n_links(self->network); i++)
        self->n_users[i] += marked[i] ? 1 : 0;
}

static void
find_users(LpScenarioSetup *self)
{
    guint32 n_links = lp_network_n_links(self->network);
    self->n_users = g_new0(guint32, n_links);
    self->changes = g_new0(gboolean, n_links);
    for (guint i = 0; i < self->jobs->len; i++) {
        g_autofree gboolean *marked = g_new0(gboolean, n_links);
        lp_contention_mark_links(
            circuits_in(lp_scenario_setup_job(self, i), LP_SCENARIO_SCOPE_TOGETHER)->map,
            self->fidelity, marked);
        count_users(self, marked);
    }
    for (guint i = 0; i < self->backgrounds->len; i++) {
        g_autofree gboolean *marked = g_new0(gboolean, n_links);
        lp_background_mark(self->backgrounds->pdata[i], marked);
        count_users(self, marked);
    }
    if (self->faults != NULL)
        lp_faults_mark(self->faults, self->changes);
}

/* By link, what can be on it or happen to it that is not the job's; NULL: nothing. Returns:
 * (transfer full). */
static gboolean *
background_links(const LpScenarioSetup *self, guint job, LpScenarioSetupScope scope)
{
    if (scope == LP_SCENARIO_SCOPE_OWN)
        return NULL;
    guint32 n_links = lp_network_n_links(self->network);
    g_autofree gboolean *own = g_new0(gboolean, n_links);
    lp_contention_mark_links(circuits_in(lp_scenario_setup_job(self, job), scope)->map,
                             self->fidelity, own);
    gboolean *background = g_new0(gboolean, n_links);
    for (guint32 i = 0; i < n_links; i++)
        background[i] = self->changes[i] || (scope == LP_SCENARIO_SCOPE_TOGETHER &&
                                             self->n_users[i] > (own[i] ? 1u : 0u));
    return background;
}

static LpContention *
new_contention(const LpScenarioSetup *self, guint job, LpScenarioSetupScope scope)
{
    const LpJob *at = lp_scenario_setup_job(self, job);
    const LpCircuitMap *circuits = circuits_in(at, scope);
    /* Message by message members of a ring that wait for a slow one have gone some steps by then.
     */
    gboolean in_steps = self->fidelity == LP_FIDELITY_MESSAGE && scope != LP_SCENARIO_SCOPE_OWN &&
                        at->stragglers != NULL;
    if (!self->collapse || in_steps)
        return lp_contention_new_nothing(circuits->map);
    g_autofree gboolean *background = background_links(self, job, scope);
    LpContention *contention = lp_contention_new(circuits->map, self->fidelity, background);
    lp_contention_open_circuits(contention, circuits->map, circuits->switched);
    /* Ranks of different speed are no replicas. */
    if (scope != LP_SCENARIO_SCOPE_OWN && at->stragglers != NULL)
        contention->tp_mirrored = FALSE;
    return contention;
}

static LpTasks *
new_tasks(const LpScenarioSetup *self, guint job, LpScenarioSetupScope scope,
          const LpContention *contention, guint isolated)
{
    const LpJob *at = lp_scenario_setup_job(self, job);
    LpRunMode mode = {.fidelity = self->fidelity,
                      .merge = self->collapse,
                      .isolated = isolated,
                      .has_stragglers = scope != LP_SCENARIO_SCOPE_OWN && at->stragglers != NULL};
    return lp_tasks_new(circuits_in(at, scope)->map, contention, cache_in(at, scope), mode);
}

static LpRunJob
run_job(const LpScenarioSetup *self, guint job, LpScenarioSetupScope scope,
        const LpContention *contention, const LpTasks *tasks)
{
    const LpJob *at = lp_scenario_setup_job(self, job);
    return (LpRunJob){
        .map = circuits_in(at, scope)->map,
        .circuits = circuits_in(at, scope)->switched,
        .is_rotor = lp_circuit_switch_is_rotor(&lp_network_machine(at->map->network)->circuits),
        .contention = contention,
        .cache = cache_in(at, scope),
        .tasks = tasks,
        .start_s = scope == LP_SCENARIO_SCOPE_OWN ? 0.0 : at->job->start_s,
        .n_iterations = scope == LP_SCENARIO_SCOPE_OWN ? 1 : at->job->n_iterations,
        .stragglers = scope == LP_SCENARIO_SCOPE_OWN ? NULL : at->stragglers};
}

LpJobSet
lp_job_set_of(const LpScenarioSetup *scenario_setup)
{
    guint n = scenario_setup->jobs->len;
    return (LpJobSet){
        scenario_setup, g_new0(LpContention *, n), g_new0(LpTasks *, n), g_new0(LpRunJob, n), 0,
        FALSE};
}

void
lp_job_set_add(LpJobSet *self, guint index, LpScenarioSetupScope scope, guint isolated)
{
    LpContention *contention = new_contention(self->scenario_setup, index, scope);
    contention->tp_private_when_idle = contention->tp_private_when_idle && !self->counts_flows;
    LpTasks *tasks = new_tasks(self->scenario_setup, index, scope, contention, isolated);
    self->contentions[self->n] = contention;
    self->tasks[self->n] = tasks;
    self->jobs[self->n++] = run_job(self->scenario_setup, index, scope, contention, tasks);
}

void
lp_job_set_rely_on(LpJobSet *self, guint index, const guint32 *of_rank)
{
    LpRunJob *job = &self->jobs[index];
    LpRunMode mode = job->tasks->mode;
    mode.alike = lp_communicators_of_one_class(job->map->communicators, of_rank);
    LpTasks *tasks = lp_tasks_new(job->map, job->contention, job->cache, mode);
    lp_tasks_free(self->tasks[index]);
    job->tasks = self->tasks[index] = tasks;
}

void
lp_job_set_clear(LpJobSet *self)
{
    for (guint i = 0; i < self->n; i++) {
        lp_contention_free(self->contentions[i]);
        lp_tasks_free(self->tasks[i]);
    }
    g_free(self->contentions);
    g_free(self->tasks);
    g_free(self->jobs);
}

/* --- runs that do not end --- */

static gboolean
fail_overloaded(const LpScenarioSetup *self, const LpStall *stall, GError **error)
{
    const LpScenarioTraffic *traffic = self->scenario->traffic->pdata[stall->job];
    g_set_error(error, LP_SIMULATION_ERROR, LP_SIMULATION_ERROR_RUN,
                "%s: traffic \"%s\": got ever more messages under way by %g s, wanted a load that "
                "the network can carry",
                traffic->where, traffic->name, stall->at_s);
    return FALSE;
}

gboolean
lp_scenario_setup_check_stall(const LpScenarioSetup *self, const LpStall *stall, guint64 n_waiting,
                              GError **error)
{
    if (stall->is_overloaded)
        return fail_overloaded(self, stall, error);
    if (!stall->is_stalled)
        return TRUE;
    const LpJob *at = lp_scenario_setup_job(self, stall->job);
    g_set_error(error, LP_SIMULATION_ERROR, LP_SIMULATION_ERROR_RUN,
                "%s: job \"%s\": rank %" G_GUINT64_FORMAT " waits for ever for a message of rank "
                "%" G_GUINT64_FORMAT ", held by link \"%s\", dead since %g s (%" G_GUINT64_FORMAT
                " messages held and %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
                " ranks stopped at %g s)",
                at->job->where, at->job->name, stall->to, stall->from,
                stall->has_link ? lp_network_link_name(self->network, stall->link) : "none",
                stall->died_s, stall->n_flights, n_waiting, at->n_ranks, stall->at_s);
    return FALSE;
}

/* --- making it --- */

/* Whether none of its jobs needs routes of the engine, also in a run without the others. */
static gboolean
all_are_apart(const LpScenarioSetup *self)
{
    gboolean all = self->jobs->len > 0;
    for (guint i = 0; i < self->jobs->len; i++)
        all = all &&
              lp_communication_map_is_separate(lp_scenario_setup_job(self, i)->map, self->fidelity);
    return all;
}

/* For all runs of its jobs, which load nothing again. Background sends to whom it draws, and
 * failures are told to links by their names in the machine. */
gboolean
lp_scenario_setup_load(LpScenarioSetup *self, GError **error)
{
    if (lp_engine_has_started())
        return TRUE;
    const LpMachine *machine = lp_network_machine(self->network);
    gboolean has_others = machine->circuits.is_present || self->scenario->traffic->len > 0 ||
                          self->scenario->failures->len > 0;
    if (!has_others && all_are_apart(self))
        return lp_network_load_minimal(self->network, self->engine_options, error);
    g_autoptr(LpRouteUse) use = lp_route_use_new(self->network);
    if (has_others)
        lp_route_use_add_all(use);
    for (guint i = 0; i < self->jobs->len; i++)
        lp_run_routes_add(use, lp_scenario_setup_job(self, i)->map, NULL, self->fidelity);
    return lp_network_load_used(self->network, use, self->engine_options, error);
}

LpScenarioSetup *
lp_scenario_setup_new_unloaded(const LpScenario *scenario, const LpMachine *machine,
                               LpFidelity fidelity, gboolean collapse, GError **error)
{
    GPtrArray *jobs = lp_jobs_new(scenario, machine, error);
    if (jobs == NULL)
        return NULL;
    g_autoptr(LpScenarioSetup) self = g_new0(LpScenarioSetup, 1);
    *self = (LpScenarioSetup){
        .scenario = scenario, .fidelity = fidelity, .collapse = collapse, .jobs = jobs};
    self->network = lp_network_new(machine);
    for (guint i = 0; i < jobs->len; i++)
        if (!lp_job_enter(lp_scenario_setup_job(self, i), self->network, error))
            return NULL;
    self->engine_options = lp_engine_options(n_actors(self, machine));
    if (!add_context(self, error))
        return NULL;
    find_users(self);
    return g_steal_pointer(&self);
}

LpScenarioSetup *
lp_scenario_setup_new(const LpScenario *scenario, const LpMachine *machine, LpFidelity fidelity,
                      gboolean collapse, GError **error)
{
    g_autoptr(LpScenarioSetup) self =
        lp_scenario_setup_new_unloaded(scenario, machine, fidelity, collapse, error);
    return self != NULL && lp_scenario_setup_load(self, error) ? g_steal_pointer(&self) : NULL;
}
