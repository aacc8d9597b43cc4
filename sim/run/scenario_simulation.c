/* SPDX-License-Identifier: Apache-2.0 */
/* The run of a scenario, and the runs of each of its jobs. */
#include "sim/run/scenario_simulation.h"

#include "base/file.h"
#include "sim/analysis/tiers.h"
#include "sim/run/counterfactual.h"
#include "sim/engine/engine.h"
#include "sim/engine/loading.h"
#include "sim/run/job.h"
#include "sim/run/run.h"

/* What the runs share. */
typedef struct {
    const LpScenario *scenario; /* borrowed */
    LpScenarioOptions options;
    LpNetwork *network;     /* owned */
    GPtrArray *jobs;        /* owned LpJob */
    GPtrArray *backgrounds; /* owned LpBackground */
    LpFaults *faults;       /* owned, or NULL */
    guint32 *n_users;       /* owned: by link, jobs and other traffic that can be on it */
    gboolean *changes;      /* owned: by link, whether a failure changes it */
} Stage;

/* What a run leaves behind: of one job in a child process, of all in this one. */
typedef struct {
    LpRunResult result;
    LpStall stall;
} Outcome;

/* --- the stage --- */

static void
stage_clear(Stage *self)
{
    g_clear_pointer(&self->backgrounds, g_ptr_array_unref);
    g_clear_pointer(&self->faults, lp_faults_free);
    g_clear_pointer(&self->jobs, g_ptr_array_unref);
    g_clear_pointer(&self->network, lp_network_free);
    g_free(self->n_users);
    g_free(self->changes);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Stage, stage_clear)

static LpJob *
job_at(const Stage *self, guint index)
{
    return self->jobs->pdata[index];
}

static guint64
n_actors(const Stage *self, const LpMachine *machine)
{
    guint64 n = 0;
    for (guint i = 0; i < self->jobs->len; i++)
        n += 4 * job_at(self, i)->n_ranks;
    return n + self->scenario->traffic->len *
                   (lp_background_flights_max(machine->n_accelerators) + machine->n_accelerators);
}

static gboolean
add_surroundings(Stage *self, GError **error)
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
    if (fault == NULL)
        return TRUE;
    g_propagate_error(error, fault);
    return FALSE;
}

/* Adds one to the links that are marked. */
static void
count_users(Stage *self, const gboolean *marked)
{
    for (guint32 i = 0; i < lp_network_n_links(self->network); i++)
        self->n_users[i] += marked[i] ? 1 : 0;
}

static void
find_users(Stage *self)
{
    guint32 n_links = lp_network_n_links(self->network);
    self->n_users = g_new0(guint32, n_links);
    self->changes = g_new0(gboolean, n_links);
    for (guint i = 0; i < self->jobs->len; i++) {
        g_autofree gboolean *marked = g_new0(gboolean, n_links);
        lp_contention_mark_links(job_at(self, i)->map, self->options.fidelity, marked);
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

/* --- runs --- */

/* How far a job's run is from the scenario. */
typedef enum {
    SCOPE_TOGETHER, /* beside all others */
    SCOPE_ALONE,    /* without them; slow ranks and failures stay */
    SCOPE_OWN,      /* without these too */
} Scope;

/* By link, what can be on it or happen to it that is not the job's; NULL: nothing. Returns:
 * (transfer full). */
static gboolean *
foreign_links(const Stage *self, guint job, Scope scope)
{
    if (scope == SCOPE_OWN)
        return NULL;
    guint32 n_links = lp_network_n_links(self->network);
    g_autofree gboolean *own = g_new0(gboolean, n_links);
    lp_contention_mark_links(job_at(self, job)->map, self->options.fidelity, own);
    gboolean *foreign = g_new0(gboolean, n_links);
    for (guint32 i = 0; i < n_links; i++)
        foreign[i] =
            self->changes[i] || (scope == SCOPE_TOGETHER && self->n_users[i] > (own[i] ? 1u : 0u));
    return foreign;
}

static LpContention *
new_contention(const Stage *self, guint job, Scope scope)
{
    const LpJob *at = job_at(self, job);
    if (!self->options.collapse)
        return lp_contention_new_nothing(at->map);
    g_autofree gboolean *foreign = foreign_links(self, job, scope);
    LpContention *contention = lp_contention_new(at->map, self->options.fidelity, foreign);
    lp_contention_open_circuits(contention, at->circuits->switched);
    /* Ranks of different speed are no mirror images. */
    if (scope != SCOPE_OWN && at->stragglers != NULL)
        contention->tp_mirrored = FALSE;
    return contention;
}

static LpTasks *
new_tasks(const Stage *self, guint job, Scope scope, const LpContention *contention)
{
    const LpJob *at = job_at(self, job);
    LpRunMode mode = {.fidelity = self->options.fidelity,
                      .merge = self->options.collapse,
                      .has_stragglers = scope != SCOPE_OWN && at->stragglers != NULL};
    return lp_tasks_new(at->map, contention, at->cache, mode);
}

static LpRunJob
run_job(const Stage *self, guint job, Scope scope, const LpContention *contention,
        const LpTasks *tasks)
{
    const LpJob *at = job_at(self, job);
    return (LpRunJob){.map = at->map,
                      .circuits = at->circuits->switched,
                      .contention = contention,
                      .cache = at->cache,
                      .tasks = tasks,
                      .start_s = scope == SCOPE_OWN ? 0.0 : at->job->start_s,
                      .n_iterations = scope == SCOPE_OWN ? 1 : at->job->n_iterations,
                      .stragglers = scope == SCOPE_OWN ? NULL : at->stragglers};
}

typedef struct {
    const Stage *stage;
    guint job;
    Scope scope;
} Solo;

static void
run_solo(const void *data, GByteArray *result)
{
    const Solo *solo = data;
    Outcome *outcome = (gpointer)result->data;
    g_autoptr(LpContention) contention = new_contention(solo->stage, solo->job, solo->scope);
    g_autoptr(LpTasks) tasks = new_tasks(solo->stage, solo->job, solo->scope, contention);
    g_autoptr(LpWatch) watch = NULL;
    LpSurroundings surroundings = {.faults = NULL};
    if (solo->scope == SCOPE_ALONE && solo->stage->faults != NULL) {
        watch = lp_watch_new(lp_network_n_links(solo->stage->network));
        surroundings.watch = watch;
        surroundings.faults = solo->stage->faults;
    }
    LpRunJob job = run_job(solo->stage, solo->job, solo->scope, contention, tasks);
    lp_run_jobs(&job, 1, &surroundings, &outcome->result);
    if (watch != NULL)
        outcome->stall = lp_watch_stall(watch);
    outcome->stall.job = solo->job;
}

/* --- runs that do not end --- */

static gboolean
fail_flooded(const Stage *self, const LpStall *stall, GError **error)
{
    const LpScenarioTraffic *traffic = self->scenario->traffic->pdata[stall->job];
    g_set_error(error, LP_SIMULATION_ERROR, LP_SIMULATION_ERROR_RUN,
                "%s: traffic \"%s\": got ever more messages under way by %g s, wanted a load that "
                "the network can carry",
                traffic->where, traffic->name, stall->at_s);
    return FALSE;
}

static gboolean
check_stall(const Stage *self, const LpStall *stall, const LpRunResult *results, GError **error)
{
    if (stall->is_flooded)
        return fail_flooded(self, stall, error);
    if (!stall->is_stalled)
        return TRUE;
    const LpJob *at = job_at(self, stall->job);
    g_set_error(error, LP_SIMULATION_ERROR, LP_SIMULATION_ERROR_RUN,
                "%s: job \"%s\": rank %" G_GUINT64_FORMAT " waits for ever for a message of rank "
                "%" G_GUINT64_FORMAT ", held by link \"%s\", dead since %g s (%" G_GUINT64_FORMAT
                " messages held and %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
                " ranks stopped at %g s)",
                at->job->where, at->job->name, stall->to, stall->from,
                stall->has_link ? lp_network_link_name(self->network, stall->link) : "none",
                stall->died_s, stall->n_flights, results[0].n_waiting, at->n_ranks, stall->at_s);
    return FALSE;
}

/* --- one job by itself --- */

static gboolean
run_counterfactuals(const Stage *self, guint job, LpSimulation *own, GError **error)
{
    g_autoptr(LpContention) contention = new_contention(self, job, SCOPE_OWN);
    g_autoptr(LpTasks) tasks = new_tasks(self, job, SCOPE_OWN, contention);
    own->isolated = tasks->isolated;
    own->contention = lp_contention_describe(contention, job_at(self, job)->map);
    own->tiers = lp_tiers_find(job_at(self, job)->map);
    LpCounterfactuals counterfactuals;
    LpCounterfactualResults results;
    if (!lp_counterfactuals_start(&counterfactuals, job_at(self, job)->map, contention,
                                  job_at(self, job)->cache, self->options.fidelity, error) ||
        !lp_counterfactuals_finish(&counterfactuals, &results, &own->children_peak_rss_bytes,
                                   error))
        return FALSE;
    own->uncontended = results.uncontended;
    own->balanced = results.balanced;
    own->free_messages = results.free_messages;
    return TRUE;
}

static gboolean
run_alone(const Stage *self, guint job, Scope scope, LpRunResult *out_result,
          guint64 *io_peak_rss_bytes, GError **error)
{
    Solo solo = {self, job, scope};
    Outcome outcome;
    LpChildProcess *child =
        lp_child_process_start("process of a run", run_solo, &solo, sizeof outcome, error);
    if (child == NULL ||
        !lp_child_process_finish(child, &outcome, sizeof outcome, io_peak_rss_bytes, error))
        return FALSE;
    *out_result = outcome.result;
    return check_stall(self, &outcome.stall, &outcome.result, error);
}

static gboolean
run_by_itself(const Stage *self, guint job, LpScenarioSimulation *simulation, GError **error)
{
    LpJobResult *result = &simulation->jobs[job];
    guint64 *peak_rss_bytes = &simulation->children_peak_rss_bytes;
    gboolean is_healthy = self->faults == NULL && job_at(self, job)->stragglers == NULL &&
                          job_at(self, job)->job->n_iterations == 1;
    result->own = g_new0(LpSimulation, 1);
    if (!run_alone(self, job, SCOPE_ALONE, &result->alone, peak_rss_bytes, error))
        return FALSE;
    result->own->run = result->alone;
    if (!is_healthy && !run_alone(self, job, SCOPE_OWN, &result->own->run, peak_rss_bytes, error))
        return FALSE;
    if (!run_counterfactuals(self, job, result->own, error))
        return FALSE;
    *peak_rss_bytes += result->own->children_peak_rss_bytes;
    return TRUE;
}

/* --- all jobs --- */

typedef struct {
    LpContention **contentions; /* owned, of the owned */
    LpTasks **tasks;
    LpRunJob *jobs;
    guint n;
} Cast;

static void
cast_clear(Cast *self)
{
    for (guint i = 0; i < self->n; i++) {
        lp_contention_free(self->contentions[i]);
        lp_tasks_free(self->tasks[i]);
    }
    g_free(self->contentions);
    g_free(self->tasks);
    g_free(self->jobs);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Cast, cast_clear)

static void
gather_cast(const Stage *self, LpScenarioSimulation *simulation, Cast *out_cast)
{
    guint n = self->jobs->len;
    *out_cast = (Cast){g_new0(LpContention *, n), g_new0(LpTasks *, n), g_new0(LpRunJob, n), n};
    for (guint i = 0; i < n; i++) {
        out_cast->contentions[i] = new_contention(self, i, SCOPE_TOGETHER);
        out_cast->tasks[i] = new_tasks(self, i, SCOPE_TOGETHER, out_cast->contentions[i]);
        out_cast->jobs[i] =
            run_job(self, i, SCOPE_TOGETHER, out_cast->contentions[i], out_cast->tasks[i]);
        simulation->jobs[i].contention =
            lp_contention_describe(out_cast->contentions[i], job_at(self, i)->map);
        if (self->options.timelines)
            simulation->jobs[i].timeline = out_cast->jobs[i].timeline = lp_timeline_new();
    }
}

static gboolean
run_together(const Stage *self, LpScenarioSimulation *simulation, GError **error)
{
    g_auto(Cast) cast = {0};
    gather_cast(self, simulation, &cast);
    g_autoptr(LpWatch) watch = NULL;
    if (self->faults != NULL || self->backgrounds->len > 0)
        watch = lp_watch_new(lp_network_n_links(self->network));
    LpSurroundings surroundings = {.backgrounds = self->backgrounds,
                                   .faults = self->faults,
                                   .watch = watch,
                                   .progress = self->options.progress,
                                   .progress_data = self->options.progress_data};
    g_autofree LpRunResult *results = g_new0(LpRunResult, cast.n);
    lp_run_jobs(cast.jobs, cast.n, &surroundings, results);
    for (guint i = 0; i < cast.n; i++) {
        simulation->jobs[i].together = results[i];
        simulation->n_activities += results[i].n_activities;
    }
    for (guint i = 0; i < self->backgrounds->len; i++)
        simulation->backgrounds[i] = lp_background_result(self->backgrounds->pdata[i]);
    LpStall stall = watch == NULL ? (LpStall){0} : lp_watch_stall(watch);
    return check_stall(self, &stall, stall.is_stalled ? &results[stall.job] : NULL, error);
}

static LpScenarioSimulation *
new_simulation(const Stage *self)
{
    LpScenarioSimulation *simulation = g_new0(LpScenarioSimulation, 1);
    simulation->scenario = self->scenario;
    simulation->n_jobs = self->jobs->len;
    simulation->jobs = g_new0(LpJobResult, self->jobs->len);
    simulation->backgrounds = g_new0(LpBackgroundResult, self->scenario->traffic->len);
    for (guint i = 0; i < self->jobs->len; i++) {
        const LpJob *at = job_at(self, i);
        simulation->jobs[i].job = at->job;
        simulation->jobs[i].placement = lp_placement_dup(at->setup->placement);
    }
    return simulation;
}

LpScenarioSimulation *
lp_scenario_simulation_run(const LpScenario *scenario, const LpMachine *machine,
                           LpScenarioOptions options, GError **error)
{
    g_auto(Stage) stage = {.scenario = scenario, .options = options};
    stage.jobs = lp_jobs_new(scenario, machine, error);
    if (stage.jobs == NULL)
        return NULL;
    g_autoptr(LpScenarioSimulation) self = new_simulation(&stage);
    self->engine_options = lp_engine_options(n_actors(&stage, machine));
    if (!lp_engine_load(machine, self->engine_options, error))
        return NULL;
    stage.network = lp_network_new(machine);
    for (guint i = 0; i < stage.jobs->len; i++)
        if (!lp_job_enter(job_at(&stage, i), stage.network, error))
            return NULL;
    if (!add_surroundings(&stage, error))
        return NULL;
    find_users(&stage);
    for (guint i = 0; i < stage.jobs->len; i++)
        if (!run_by_itself(&stage, i, self, error))
            return NULL;
    return run_together(&stage, self, error) ? g_steal_pointer(&self) : NULL;
}

void
lp_scenario_simulation_free(LpScenarioSimulation *self)
{
    if (self == NULL)
        return;
    for (guint i = 0; i < self->n_jobs; i++) {
        lp_placement_free(self->jobs[i].placement);
        g_free(self->jobs[i].contention);
        lp_simulation_free(self->jobs[i].own);
        lp_timeline_free(self->jobs[i].timeline);
    }
    g_free(self->jobs);
    g_free(self->backgrounds);
    if (self->engine_options != NULL)
        g_array_unref(self->engine_options);
    g_free(self);
}
