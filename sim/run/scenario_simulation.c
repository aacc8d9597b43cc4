/* SPDX-License-Identifier: Apache-2.0 */
/* The run of a scenario, and the runs of each of its jobs. */
#include "sim/run/scenario_simulation.h"

#include "sim/analysis/tiers.h"
#include "sim/run/counterfactual.h"
#include "sim/run/observation.h"
#include "sim/run/scene.h"

/* What a run leaves behind: of one job in a child process, of all in this one. */
typedef struct {
    LpRunResult result;
    LpStall stall;
} Outcome;

typedef struct {
    const LpScene *scene;
    guint job;
    LpSceneScope scope;
} Solo;

static void
run_solo(const void *data, GByteArray *result)
{
    const Solo *solo = data;
    Outcome *outcome = (gpointer)result->data;
    g_auto(LpCast) cast = lp_cast(solo->scene);
    lp_cast_add(&cast, solo->job, solo->scope, 0);
    g_autoptr(LpWatch) watch = NULL;
    LpSurroundings surroundings = {.faults = NULL};
    if (solo->scope == LP_SCENE_ALONE && solo->scene->faults != NULL) {
        watch = lp_watch_new(lp_network_n_links(solo->scene->network));
        surroundings.watch = watch;
        surroundings.faults = solo->scene->faults;
    }
    lp_run_jobs(cast.jobs, cast.n, &surroundings, &outcome->result);
    if (watch != NULL)
        outcome->stall = lp_watch_stall(watch);
    outcome->stall.job = solo->job;
}

/* --- one job by itself --- */

static gboolean
run_counterfactuals(const LpScene *self, guint job, LpSimulation *own, GError **error)
{
    g_auto(LpCast) cast = lp_cast(self);
    lp_cast_add(&cast, job, LP_SCENE_OWN, 0);
    const LpContention *contention = cast.jobs[0].contention;
    own->isolated = cast.jobs[0].tasks->isolated;
    own->contention = lp_contention_describe(contention, lp_scene_job(self, job)->map, NULL);
    own->tiers = lp_tiers_find(lp_scene_job(self, job)->map);
    LpCounterfactualInput input = {self->network,  lp_scene_job(self, job)->map,
                                   contention,     lp_scene_job(self, job)->cache,
                                   self->fidelity, self->engine_options};
    LpCounterfactuals counterfactuals;
    LpCounterfactualResults results;
    if (!lp_counterfactuals_start(&counterfactuals, &input, error) ||
        !lp_counterfactuals_finish(&counterfactuals, &results, &own->children_peak_rss_bytes,
                                   error))
        return FALSE;
    own->uncontended = results.uncontended;
    own->balanced = results.balanced;
    own->free_messages = results.free_messages;
    return TRUE;
}

static gboolean
run_alone(const LpScene *self, guint job, LpSceneScope scope, LpRunResult *out_result,
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
    return lp_scene_check_stall(self, &outcome.stall, outcome.result.n_waiting, error);
}

static gboolean
run_by_itself(const LpScene *self, guint job, LpScenarioSimulation *simulation, GError **error)
{
    LpJobResult *result = &simulation->jobs[job];
    guint64 *peak_rss_bytes = &simulation->children_peak_rss_bytes;
    gboolean is_healthy = self->faults == NULL && lp_scene_job(self, job)->stragglers == NULL &&
                          lp_scene_job(self, job)->job->n_iterations == 1;
    result->own = g_new0(LpSimulation, 1);
    result->own->circuits = g_strdup(lp_scene_job(self, job)->circuits->description);
    if (!run_alone(self, job, LP_SCENE_ALONE, &result->alone, peak_rss_bytes, error))
        return FALSE;
    result->own->run = result->alone;
    if (!is_healthy &&
        !run_alone(self, job, LP_SCENE_OWN, &result->own->run, peak_rss_bytes, error))
        return FALSE;
    if (!run_counterfactuals(self, job, result->own, error))
        return FALSE;
    *peak_rss_bytes += result->own->children_peak_rss_bytes;
    return TRUE;
}

/* --- all jobs --- */

static void
observe(const LpScene *self, const LpRunResult *results, const LpFlowLog *log, LpObservation *out)
{
    double end_s = 0.0;
    for (guint i = 0; i < self->jobs->len; i++) {
        const LpJob *job = lp_scene_job(self, i);
        lp_observation_add_job(out, job->circuits, self->network, job->job->n_iterations);
        end_s = MAX(end_s, results[i].end_s);
    }
    lp_observation_finish(out, log, self->network, end_s);
}

static gboolean
run_together(const LpScene *self, LpScenarioSimulation *simulation, LpScenarioOptions options,
             GError **error)
{
    g_auto(LpCast) cast = lp_cast(self);
    for (guint i = 0; i < self->jobs->len; i++) {
        lp_cast_add(&cast, i, LP_SCENE_TOGETHER, 0);
        simulation->jobs[i].contention =
            lp_contention_describe(cast.jobs[i].contention, lp_scene_job(self, i)->map, NULL);
        if (options.timelines)
            simulation->jobs[i].timeline = cast.jobs[i].timeline = lp_timeline_new();
    }
    g_autoptr(LpWatch) watch = NULL;
    if (self->faults != NULL || self->backgrounds->len > 0)
        watch = lp_watch_new(lp_network_n_links(self->network));
    g_autoptr(LpFlowLog) log = options.observation == NULL ? NULL : lp_flow_log_new(self->network);
    LpSurroundings surroundings = {.backgrounds = self->backgrounds,
                                   .faults = self->faults,
                                   .watch = watch,
                                   .log = log,
                                   .progress = options.progress,
                                   .progress_data = options.progress_data};
    g_autofree LpRunResult *results = g_new0(LpRunResult, cast.n);
    lp_run_jobs(cast.jobs, cast.n, &surroundings, results);
    for (guint i = 0; i < cast.n; i++) {
        simulation->jobs[i].together = results[i];
        simulation->n_activities += results[i].n_activities;
    }
    if (log != NULL)
        observe(self, results, log, options.observation);
    for (guint i = 0; i < self->backgrounds->len; i++)
        simulation->backgrounds[i] = lp_background_result(self->backgrounds->pdata[i]);
    LpStall stall = watch == NULL ? (LpStall){0} : lp_watch_stall(watch);
    return lp_scene_check_stall(self, &stall, stall.is_stalled ? results[stall.job].n_waiting : 0,
                                error);
}

static LpScenarioSimulation *
new_simulation(const LpScene *self)
{
    LpScenarioSimulation *simulation = g_new0(LpScenarioSimulation, 1);
    simulation->scenario = self->scenario;
    simulation->engine_options = g_array_ref(self->engine_options);
    simulation->n_jobs = self->jobs->len;
    simulation->jobs = g_new0(LpJobResult, self->jobs->len);
    simulation->backgrounds = g_new0(LpBackgroundResult, self->scenario->traffic->len);
    for (guint i = 0; i < self->jobs->len; i++) {
        const LpJob *at = lp_scene_job(self, i);
        simulation->jobs[i].job = at->job;
        simulation->jobs[i].placement = lp_placement_dup(at->setup->placement);
    }
    return simulation;
}

LpScenarioSimulation *
lp_scenario_simulation_run(const LpScenario *scenario, const LpMachine *machine,
                           LpScenarioOptions options, GError **error)
{
    g_autoptr(LpScene) scene =
        lp_scene_new(scenario, machine, options.fidelity, options.collapse, error);
    if (scene == NULL)
        return NULL;
    g_autoptr(LpScenarioSimulation) self = new_simulation(scene);
    for (guint i = 0; i < scene->jobs->len; i++)
        if (!run_by_itself(scene, i, self, error))
            return NULL;
    return run_together(scene, self, options, error) ? g_steal_pointer(&self) : NULL;
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
