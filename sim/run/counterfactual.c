/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the counterfactuals in a process of their own. */
#include "sim/run/counterfactual.h"

#include "sim/engine/engine.h"
#include "sim/engine/loading.h"
#include "sim/simulation_error.h"

/* What comes home. */
typedef struct {
    LpCounterfactualResults results;
    char message[256]; /* empty unless they failed */
} Outcome;

enum {
    N_RUNS = 3
};

/* Nothing contends in any of the runs, so that they can go on beside each other in one engine. */
static void
run_all(const LpCounterfactualInput *input, LpCounterfactualResults *out_results)
{
    g_autoptr(LpRankEquivalence) classes =
        lp_rank_equivalence_new(input->map, input->contention, input->cache, input->fidelity);
    LpRunJob jobs[N_RUNS];
    LpTasks *tasks[N_RUNS];
    LpRunResult told[N_RUNS];
    LpSurroundings none = {.watch = NULL};
    for (guint i = 0; i < N_RUNS; i++) {
        LpRunMode mode = {
            .fidelity = input->fidelity,
            .merge = TRUE,
            .level = LP_RUN_UNCONTENDED + i,
            .alike = lp_communicators_of_one_class(input->map->communicators, classes->of_rank)};
        tasks[i] = lp_tasks_new(input->map, input->contention, input->cache, mode);
        jobs[i] = (LpRunJob){.map = input->map,
                             .contention = input->contention,
                             .cache = input->cache,
                             .tasks = tasks[i],
                             .n_iterations = 1,
                             .classes = classes};
    }
    lp_run_jobs(jobs, N_RUNS, &none, told);
    for (guint i = 0; i < N_RUNS; i++)
        lp_tasks_free(tasks[i]);
    *out_results = (LpCounterfactualResults){told[0], told[1], told[2]};
}

/* In a child process: the engine runs once a process. What was loaded before survives the fork. */
static void
run(const void *data, GByteArray *result)
{
    const LpCounterfactualInput *input = data;
    Outcome *outcome = (gpointer)result->data;
    g_autoptr(GError) error = NULL;
    if (lp_engine_has_started() ||
        lp_network_load_bare(input->network, input->engine_options, &error))
        run_all(input, &outcome->results);
    else
        g_strlcpy(outcome->message, error->message, sizeof outcome->message);
}

gboolean
lp_counterfactuals_start(LpCounterfactuals *self, const LpCounterfactualInput *input,
                         GError **error)
{
    self->process = lp_child_process_start("process of a run", run, input, sizeof(Outcome), error);
    return self->process != NULL;
}

gboolean
lp_counterfactuals_finish(LpCounterfactuals *self, LpCounterfactualResults *out_results,
                          guint64 *io_peak_rss_bytes, GError **error)
{
    Outcome outcome;
    if (!lp_child_process_finish(g_steal_pointer(&self->process), &outcome, sizeof outcome,
                                 io_peak_rss_bytes, error))
        return FALSE;
    *out_results = outcome.results;
    if (outcome.message[0] == '\0')
        return TRUE;
    g_set_error_literal(error, LP_SIMULATION_ERROR, LP_SIMULATION_ERROR_RUN, outcome.message);
    return FALSE;
}
