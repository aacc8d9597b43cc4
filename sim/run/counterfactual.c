/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the counterfactuals in a process of their own. */
#include "sim/run/counterfactual.h"

#include "sim/engine/engine.h"
#include "sim/engine/loading.h"
#include "sim/simulation_error.h"

enum {
    N_RUNS = 3
};

/* The runs, which share what says which ranks are alike. */
typedef struct {
    guint n; /* a program that is given has no mean stage that others could be compared with */
    LpRankEquivalence *classes; /* owned */
    LpTasks *tasks[N_RUNS];     /* owned */
    LpRunJob jobs[N_RUNS];
} Runs;

static Runs
runs_new(const LpRunModel *model)
{
    const LpCommunicators *communicators = model->map->communicators;
    Runs self = {.classes = lp_rank_equivalence_new(model->map, model->contention, model->cache,
                                                    model->fidelity)};
    self.n = model->map->program->given != NULL ? 1 : N_RUNS;
    for (guint i = 0; i < self.n; i++) {
        LpRunMode mode = {.merge = TRUE,
                          .level = LP_RUN_UNCONTENDED + i,
                          .alike =
                              lp_communicators_of_one_class(communicators, self.classes->of_rank)};
        self.tasks[i] = lp_run_model_tasks(model, mode);
        self.jobs[i] = lp_run_job(model, self.tasks[i], NULL);
        lp_run_job_idealise(&self.jobs[i]);
        self.jobs[i].classes = self.classes;
    }
    return self;
}

static void
runs_clear(Runs *self)
{
    for (guint i = 0; i < N_RUNS; i++)
        lp_tasks_free(self->tasks[i]);
    lp_rank_equivalence_free(self->classes);
}

/* Nothing contends in any of the runs, so that they can go on beside each other in one engine. */
static void
run_all(const LpRunModel *model, LpCounterfactualResults *out_results)
{
    LpRunResult told[N_RUNS] = {{0}};
    LpRunContext none = {.progress = lp_child_process_report};
    Runs runs = runs_new(model);
    lp_run_jobs(runs.jobs, runs.n, &none, told);
    runs_clear(&runs);
    *out_results = (LpCounterfactualResults){told[0], told[1], told[2]};
}

void
lp_counterfactuals_forecast(const LpRunModel *model, guint32 job, LpForecast *io_forecast)
{
    static const char *const names[N_RUNS] = {"uncontended", "balanced", "free messages"};
    Runs runs = runs_new(model);
    for (guint i = 0; i < runs.n; i++)
        lp_forecast_add(io_forecast, names[i], job, &runs.jobs[i], 1);
    runs_clear(&runs);
}

/* In a child process: the engine runs once a process. What was loaded before survives the fork. */
static gboolean
run(const void *data, GByteArray *result, GError **error)
{
    const LpRunModel *model = data;
    if (!lp_engine_has_started() &&
        !lp_network_load_minimal(model->network, model->engine_options, error))
        return FALSE;
    run_all(model, (gpointer)result->data);
    return TRUE;
}

gboolean
lp_counterfactuals_start(LpCounterfactuals *self, const LpRunModel *model, GError **error)
{
    self->process = lp_child_process_start("process of a run", run, model,
                                           sizeof(LpCounterfactualResults), error);
    return self->process != NULL;
}

gboolean
lp_counterfactuals_finish(LpCounterfactuals *self, LpCounterfactualResults *out_results,
                          guint64 *io_peak_rss_bytes, GError **error)
{
    return lp_child_process_finish(g_steal_pointer(&self->process), out_results,
                                   sizeof *out_results, io_peak_rss_bytes, error);
}
