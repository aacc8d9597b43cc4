/* SPDX-License-Identifier: Apache-2.0 */
/* The run of a scenario, and the runs of each of its jobs. */
#include "sim/run/scenario_simulation.h"

#include "base/c_locale.h"
#include "sim/analysis/tiers.h"
#include "sim/run/counterfactual.h"
#include "sim/run/observation.h"
#include "sim/run/job_set_quotient.h"

#include <string.h>

#define ALL_CLASSES ((1u << LP_N_TRAFFIC) - 1)

/* What a run of one job leaves behind, in a child process. */
typedef struct {
    LpRunResult result;
    LpStall stall;
} Outcome;

/* A job by itself. */
typedef struct {
    guint job;
    LpScenarioSetupScope scope;
    guint isolated;      /* classes of its traffic that take their isolated time */
    LpRunResult *result; /* borrowed: filled */
} Standalone;

/* And how it is run. */
typedef struct {
    LpScenarioSetup *scenario_setup;
    Standalone what;
    LpJobSet job_set;
    LpJobSetQuotient *quotient; /* owned; NULL: by ranks */
} StandaloneRun;

static void
standalone_run_clear(StandaloneRun *self)
{
    lp_job_set_quotient_free(self->quotient);
    lp_job_set_clear(&self->job_set);
}

static gboolean
run_cast(LpScenarioSetup *scenario_setup, LpJobSet *job_set, LpJobSetQuotient *quotient,
         const LpRunContext *context, LpRunResult *results, GError **error)
{
    if (quotient != NULL)
        return lp_job_set_quotient_run(quotient, context, results, error);
    if (!lp_scenario_setup_load(scenario_setup, error))
        return FALSE;
    lp_run_jobs(job_set->jobs, job_set->n, context, results);
    return TRUE;
}

static gboolean
run_standalone(const void *data, GByteArray *result, GError **error)
{
    const StandaloneRun *standalone_run = data;
    Outcome *outcome = (gpointer)result->data;
    g_autoptr(LpWatch) watch = NULL;
    LpJobSet job_set = standalone_run->job_set;
    LpRunContext context = {.progress = lp_child_process_report};
    if (standalone_run->what.scope == LP_SCENARIO_SCOPE_ALONE &&
        standalone_run->scenario_setup->faults != NULL) {
        watch = lp_watch_new(lp_network_n_links(standalone_run->scenario_setup->network));
        context.watch = watch;
        context.faults = standalone_run->scenario_setup->faults;
    }
    if (!run_cast(standalone_run->scenario_setup, &job_set, standalone_run->quotient, &context,
                  &outcome->result, error))
        return FALSE;
    if (watch != NULL)
        outcome->stall = lp_watch_stall(watch);
    outcome->stall.job = standalone_run->what.job;
    return TRUE;
}

/* --- one job by itself --- */

/* Of the only job of @job_set. */
static LpRunModel
model_of(const LpScenarioSetup *self, const LpJobSet *job_set)
{
    const LpRunJob *job = &job_set->jobs[0];
    return (LpRunModel){.network = self->network,
                        .map = job->map,
                        .contention = job->contention,
                        .cache = job->cache,
                        .fidelity = self->fidelity,
                        .engine_options = self->engine_options};
}

static gboolean
run_counterfactuals(const LpScenarioSetup *self, guint job, LpRunCount *runs, LpSimulation *own,
                    GError **error)
{
    g_auto(LpJobSet) job_set = lp_job_set_of(self);
    lp_job_set_add(&job_set, job, LP_SCENARIO_SCOPE_OWN, 0);
    const LpContention *contention = job_set.jobs[0].contention;
    own->isolated = job_set.jobs[0].tasks->isolated;
    own->contention =
        lp_contention_describe(contention, lp_scenario_setup_job(self, job)->map, NULL);
    own->tiers = lp_tiers_find(lp_scenario_setup_job(self, job)->map);
    LpRunModel model = model_of(self, &job_set);
    LpCounterfactuals counterfactuals;
    LpCounterfactualResults results;
    if (!lp_counterfactuals_start(&counterfactuals, &model, error))
        return FALSE;
    lp_run_count_wait(runs, counterfactuals.process);
    if (!lp_counterfactuals_finish(&counterfactuals, &results, &own->children_peak_rss_bytes,
                                   error))
        return FALSE;
    own->uncontended = results.uncontended;
    own->balanced = results.balanced;
    own->free_messages = results.free_messages;
    return TRUE;
}

static StandaloneRun
standalone_run_new(LpScenarioSetup *scenario_setup, const Standalone *what)
{
    StandaloneRun self = {.scenario_setup = scenario_setup, .what = *what};
    self.job_set = lp_job_set_of(scenario_setup);
    lp_job_set_add(&self.job_set, what->job, what->scope, what->isolated);
    if (what->isolated != 0)
        lp_run_job_idealise(&self.job_set.jobs[0]);
    return self;
}

static gboolean
finish_standalone_run(StandaloneRun *self, LpScenarioSimulation *simulation, GError **error)
{
    Outcome outcome;
    if (!lp_run_count_in_child(&simulation->runs, run_standalone, self, &outcome, sizeof outcome,
                               &simulation->children_peak_rss_bytes, error))
        return FALSE;
    /* Which ranks wait for which is told by a run of all. */
    if (self->quotient != NULL && outcome.stall.is_stalled)
        return TRUE;
    *self->what.result = outcome.result;
    return lp_scenario_setup_check_stall(self->scenario_setup, &outcome.stall,
                                         outcome.result.n_waiting, error);
}

static gboolean
is_healthy(const LpScenarioSetup *self, guint job)
{
    return self->faults == NULL && lp_scenario_setup_job(self, job)->stragglers == NULL &&
           lp_scenario_setup_job(self, job)->job->n_iterations == 1;
}

/* By classes, if that is worth it: @by_classes. Else by ranks, those runs that are not. */
static gboolean
run_standalone_if(LpScenarioSetup *self, Standalone what, gboolean by_classes,
                  LpScenarioSimulation *simulation, GError **error)
{
    gboolean is_done = what.result->n_actors > 0, good = TRUE;
    if (is_done)
        return TRUE;
    StandaloneRun standalone_run = standalone_run_new(self, &what);
    standalone_run.quotient =
        by_classes ? lp_job_set_quotient_new(&standalone_run.job_set, what.scope) : NULL;
    if (by_classes == (standalone_run.quotient != NULL))
        good = finish_standalone_run(&standalone_run, simulation, error);
    standalone_run_clear(&standalone_run);
    return good;
}

/* Runs by classes load a platform of their own, so they come before the machine is loaded; what all
 * others load is loaded once where the jobs beside each other need it too. */
static gboolean
run_standalone_runs(LpScenarioSetup *self, LpScenarioSimulation *simulation, gboolean by_classes,
                    GError **error)
{
    for (guint i = 0; i < self->jobs->len; i++) {
        LpJobResult *result = &simulation->jobs[i];
        Standalone alone = {i, LP_SCENARIO_SCOPE_ALONE, 0, &result->alone},
                   uncontended = {i, LP_SCENARIO_SCOPE_ALONE, ALL_CLASSES, &result->uncontended},
                   healthy = {i, LP_SCENARIO_SCOPE_OWN, 0, &result->own->run};
        if (!run_standalone_if(self, alone, by_classes, simulation, error))
            return FALSE;
        if (is_healthy(self, i)) {
            result->own->run = result->alone;
            result->uncontended = result->own->uncontended;
        } else if (!run_standalone_if(self, uncontended, by_classes, simulation, error) ||
                   !run_standalone_if(self, healthy, by_classes, simulation, error))
            return FALSE;
    }
    return TRUE;
}

static gboolean
explain(LpScenarioSetup *self, LpScenarioSimulation *simulation, GError **error)
{
    for (guint i = 0; i < self->jobs->len; i++) {
        LpSimulation *own = simulation->jobs[i].own = g_new0(LpSimulation, 1);
        own->circuits = g_strdup(lp_scenario_setup_job(self, i)->circuits->description);
        if (!run_counterfactuals(self, i, &simulation->runs, own, error))
            return FALSE;
        simulation->children_peak_rss_bytes += own->children_peak_rss_bytes;
    }
    return TRUE;
}

/* --- all jobs --- */

static void
observe(const LpScenarioSetup *self, const LpRunResult *results, LpFlowLog *log, LpObservation *out)
{
    double end_s = 0.0;
    for (guint i = 0; i < self->jobs->len; i++) {
        const LpJob *job = lp_scenario_setup_job(self, i);
        lp_observation_add_job(out, job->impaired != NULL ? job->impaired : job->circuits,
                               self->network, job->job->n_iterations);
        end_s = MAX(end_s, results[i].end_s);
    }
    lp_observation_finish(out, log, self->network, end_s);
}

static LpJobSet
cast_all(const LpScenarioSetup *self, LpScenarioSimulation *simulation, LpScenarioOptions options)
{
    LpJobSet job_set = lp_job_set_of(self);
    for (guint i = 0; i < self->jobs->len; i++) {
        lp_job_set_add(&job_set, i, LP_SCENARIO_SCOPE_TOGETHER, 0);
        if (options.timelines)
            simulation->jobs[i].timeline = job_set.jobs[i].timeline = lp_timeline_new();
    }
    return job_set;
}

static void
describe(LpScenarioSimulation *simulation, const LpJobSet *job_set,
         const LpJobSetQuotient *quotient)
{
    if (quotient != NULL)
        simulation->quotient = lp_job_set_quotient_size(quotient);
    for (guint i = 0; i < job_set->n; i++) {
        g_autofree char *ranks =
            quotient == NULL ? NULL : lp_job_set_quotient_describe(quotient, i);
        simulation->jobs[i].contention =
            lp_contention_describe(job_set->jobs[i].contention, job_set->jobs[i].map, ranks);
    }
}

static gboolean
run_together(LpScenarioSetup *self, LpJobSet *job_set, LpJobSetQuotient *quotient,
             LpScenarioSimulation *simulation, LpScenarioOptions options, GError **error)
{
    g_autoptr(LpWatch) watch = NULL;
    if (self->faults != NULL || self->backgrounds->len > 0)
        watch = lp_watch_new(lp_network_n_links(self->network));
    g_autoptr(LpFlowLog) log = options.observation == NULL ? NULL : lp_flow_log_new(self->network);
    LpRunContext context = {.backgrounds = self->backgrounds,
                            .faults = self->faults,
                            .watch = watch,
                            .log = log,
                            .progress = options.progress != NULL ? lp_run_count_report : NULL,
                            .progress_data = &simulation->runs};
    g_autofree LpRunResult *results = g_new0(LpRunResult, job_set->n);
    if (!run_cast(self, job_set, quotient, &context, results, error))
        return FALSE;
    for (guint i = 0; i < job_set->n; i++) {
        simulation->jobs[i].together = results[i];
        simulation->n_activities += results[i].n_activities;
    }
    if (log != NULL)
        observe(self, results, log, options.observation);
    for (guint i = 0; i < self->backgrounds->len; i++)
        simulation->backgrounds[i] = lp_background_result(self->backgrounds->pdata[i]);
    LpStall stall = watch == NULL ? (LpStall){0} : lp_watch_stall(watch);
    return lp_scenario_setup_check_stall(
        self, &stall, stall.is_stalled ? results[stall.job].n_waiting : 0, error);
}

/* --- all jobs, where they may not end --- */

/* A run by classes that links may stop: it does not say who waits for whom. */
typedef struct {
    LpScenarioSetup *scenario_setup;
    LpJobSetQuotient *quotient;
    guint n_jobs;
} Attempt;

/* Leaves whether the run was stopped, the results of jobs and those of other traffic. */
static gboolean
run_attempt(const void *data, GByteArray *result, GError **error)
{
    const Attempt *attempt = data;
    GPtrArray *backgrounds = attempt->scenario_setup->backgrounds;
    g_autoptr(LpWatch) watch = lp_watch_new(lp_network_n_links(attempt->scenario_setup->network));
    LpRunContext context = {.backgrounds = backgrounds,
                            .faults = attempt->scenario_setup->faults,
                            .watch = watch,
                            .progress = lp_child_process_report};
    g_autofree LpRunResult *results = g_new0(LpRunResult, attempt->n_jobs);
    if (!lp_job_set_quotient_run(attempt->quotient, &context, results, error))
        return FALSE;
    LpStall stall = lp_watch_stall(watch);
    gboolean is_stopped = stall.is_stalled || stall.is_overloaded;
    g_byte_array_set_size(result, 0);
    g_byte_array_append(result, (const guint8 *)&is_stopped, sizeof is_stopped);
    g_byte_array_append(result, (const guint8 *)results, attempt->n_jobs * sizeof *results);
    for (guint i = 0; i < backgrounds->len; i++) {
        LpBackgroundResult background = lp_background_result(backgrounds->pdata[i]);
        g_byte_array_append(result, (const guint8 *)&background, sizeof background);
    }
    return TRUE;
}

static void
read_attempt(const guint8 *bytes, LpScenarioSimulation *simulation, guint n_backgrounds)
{
    for (guint i = 0; i < simulation->n_jobs; i++, bytes += sizeof(LpRunResult)) {
        memcpy(&simulation->jobs[i].together, bytes, sizeof(LpRunResult));
        simulation->n_activities += simulation->jobs[i].together.n_activities;
    }
    for (guint i = 0; i < n_backgrounds; i++, bytes += sizeof(LpBackgroundResult))
        memcpy(&simulation->backgrounds[i], bytes, sizeof(LpBackgroundResult));
}

/* @out_ended: FALSE where a run of all ranks has to tell why it did not end. */
static gboolean
attempt(LpScenarioSetup *self, LpJobSetQuotient *quotient, LpScenarioSimulation *simulation,
        gboolean *out_ended, GError **error)
{
    Attempt data = {self, quotient, self->jobs->len};
    guint n_backgrounds = self->backgrounds->len;
    gsize size = sizeof(gboolean) + data.n_jobs * sizeof(LpRunResult) +
                 n_backgrounds * sizeof(LpBackgroundResult);
    g_autofree guint8 *bytes = g_malloc0(size);
    gboolean is_stopped;
    if (!lp_run_count_in_child(&simulation->runs, run_attempt, &data, bytes, size,
                               &simulation->children_peak_rss_bytes, error))
        return FALSE;
    memcpy(&is_stopped, bytes, sizeof is_stopped);
    *out_ended = !is_stopped;
    if (*out_ended)
        read_attempt(bytes + sizeof is_stopped, simulation, n_backgrounds);
    return TRUE;
}

/* --- everything --- */

/* By ranks where the observation or a timeline wants every flow, or has to come home. */
static LpJobSetQuotient *
find_quotient(LpJobSet *job_set, LpScenarioOptions options, gboolean may_stop)
{
    if (options.observation != NULL || (may_stop && options.timelines))
        return NULL;
    return lp_job_set_quotient_new(job_set, LP_SCENARIO_SCOPE_TOGETHER);
}

static void
forecast_cast(LpJobSet *job_set, const LpJobSetQuotient *quotient, const char *name, guint32 job,
              LpForecast *io_forecast)
{
    if (quotient != NULL)
        lp_job_set_quotient_forecast(quotient, name, job, io_forecast);
    else
        lp_forecast_add(io_forecast, name, job, job_set->jobs, job_set->n);
}

static void
forecast_standalone(LpScenarioSetup *self, Standalone what, const char *name,
                    LpForecast *io_forecast)
{
    StandaloneRun standalone_run = standalone_run_new(self, &what);
    standalone_run.quotient = lp_job_set_quotient_new(&standalone_run.job_set, what.scope);
    forecast_cast(&standalone_run.job_set, standalone_run.quotient, name, what.job, io_forecast);
    standalone_run_clear(&standalone_run);
}

static void
forecast_all(LpScenarioSetup *self, LpScenarioSimulation *simulation, LpScenarioOptions options)
{
    gboolean may_stop = self->faults != NULL && lp_faults_any_dead(self->faults);
    g_auto(LpJobSet) all = cast_all(self, simulation, options);
    g_autoptr(LpJobSetQuotient) quotient = find_quotient(&all, options, may_stop);
    forecast_cast(&all, quotient, "simulated", G_MAXUINT32, options.forecast);
    if (quotient != NULL)
        options.forecast->quotient = lp_job_set_quotient_size(quotient);
    lp_forecast_add_traffic(options.forecast, self->backgrounds);
    for (guint i = 0; i < self->jobs->len; i++) {
        Standalone alone = {i, LP_SCENARIO_SCOPE_ALONE, 0, NULL},
                   uncontended = {i, LP_SCENARIO_SCOPE_ALONE, ALL_CLASSES, NULL},
                   healthy = {i, LP_SCENARIO_SCOPE_OWN, 0, NULL};
        forecast_standalone(self, alone, "alone", options.forecast);
        if (!is_healthy(self, i)) {
            forecast_standalone(self, uncontended, "without contention", options.forecast);
            forecast_standalone(self, healthy, "healthy", options.forecast);
        }
        g_auto(LpJobSet) job_set = lp_job_set_of(self);
        lp_job_set_add(&job_set, i, LP_SCENARIO_SCOPE_OWN, 0);
        LpRunModel model = model_of(self, &job_set);
        lp_counterfactuals_forecast(&model, i, options.forecast);
    }
}

/* All beside each other, and of each job what run_standalone_runs() and explain() run. */
static guint
n_runs(const LpScenarioSetup *self)
{
    guint n = 1;
    for (guint i = 0; i < self->jobs->len; i++)
        n += is_healthy(self, i) ? 2 : 4;
    return n;
}

static gboolean
run_all(LpScenarioSetup *self, LpScenarioSimulation *simulation, LpScenarioOptions options,
        GError **error)
{
    gboolean may_stop = self->faults != NULL && lp_faults_any_dead(self->faults), ended = FALSE;
    simulation->runs = (LpRunCount){.n_all = n_runs(self),
                                    .progress = options.progress,
                                    .progress_data = options.progress_data};
    lp_run_count_report(0.0, 1, &simulation->runs);
    if (!explain(self, simulation, error) || !run_standalone_runs(self, simulation, TRUE, error))
        return FALSE;
    g_auto(LpJobSet) job_set = cast_all(self, simulation, options);
    g_autoptr(LpJobSetQuotient) quotient = find_quotient(&job_set, options, may_stop);
    describe(simulation, &job_set, quotient);
    if (quotient != NULL && may_stop) {
        if (!attempt(self, quotient, simulation, &ended, error))
            return FALSE;
        g_clear_pointer(&quotient, lp_job_set_quotient_free);
    }
    if (quotient == NULL && !ended && !lp_scenario_setup_load(self, error))
        return FALSE;
    if (!run_standalone_runs(self, simulation, FALSE, error) ||
        !(ended || run_together(self, &job_set, quotient, simulation, options, error)))
        return FALSE;
    lp_run_count_end(&simulation->runs);
    return TRUE;
}

static LpScenarioSimulation *
new_simulation(const LpScenarioSetup *self)
{
    LpScenarioSimulation *simulation = g_new0(LpScenarioSimulation, 1);
    simulation->scenario = self->scenario;
    simulation->engine_options = g_array_ref(self->engine_options);
    simulation->n_jobs = self->jobs->len;
    simulation->jobs = g_new0(LpJobResult, self->jobs->len);
    simulation->backgrounds = g_new0(LpBackgroundResult, self->scenario->traffic->len);
    for (guint i = 0; i < self->jobs->len; i++) {
        const LpJob *at = lp_scenario_setup_job(self, i);
        simulation->jobs[i].job = at->job;
        simulation->jobs[i].placement = lp_placement_dup(at->setup->placement);
    }
    return simulation;
}

LpScenarioSimulation *
lp_scenario_simulation_run(const LpScenario *scenario, const LpMachine *machine,
                           LpScenarioOptions options, GError **error)
{
    g_auto(LpCLocale) locale = lp_c_locale_begin();
    g_autoptr(LpScenarioSetup) scenario_setup = lp_scenario_setup_new_unloaded(
        scenario, machine, options.fidelity, options.collapse, error);
    if (scenario_setup == NULL)
        return NULL;
    g_autoptr(LpScenarioSimulation) self = new_simulation(scenario_setup);
    if (options.forecast != NULL) {
        forecast_all(scenario_setup, self, options);
        return g_steal_pointer(&self);
    }
    return run_all(scenario_setup, self, options, error) ? g_steal_pointer(&self) : NULL;
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
