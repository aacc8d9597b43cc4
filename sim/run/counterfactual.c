/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the counterfactuals in a process of their own. */
#include "sim/run/counterfactual.h"

typedef struct {
    const LpCommunicationMap *map;  /* borrowed */
    const LpContention *contention; /* borrowed */
    LpIsolatedCache *cache;         /* borrowed */
    LpFidelity fidelity;
} Work;

enum {
    N_RUNS = 3
};

/* In a child process: the engine runs once a process, and a loaded platform survives a fork, so
 * that nothing is loaded again. Nothing contends in any of the runs, so that they can go on beside
 * each other in one engine. */
static void
run(const void *data, GByteArray *result)
{
    const Work *work = data;
    g_autoptr(LpRankEquivalence) classes =
        lp_rank_equivalence_new(work->map, work->contention, work->cache, work->fidelity);
    LpRunJob jobs[N_RUNS];
    LpTasks *tasks[N_RUNS];
    LpRunResult told[N_RUNS];
    LpSurroundings none = {.watch = NULL};
    for (guint i = 0; i < N_RUNS; i++) {
        LpRunMode mode = {
            .fidelity = work->fidelity, .merge = TRUE, .level = LP_RUN_UNCONTENDED + i};
        tasks[i] = lp_tasks_new(work->map, work->contention, work->cache, mode);
        jobs[i] = (LpRunJob){.map = work->map,
                             .contention = work->contention,
                             .cache = work->cache,
                             .tasks = tasks[i],
                             .n_iterations = 1,
                             .classes = classes};
    }
    lp_run_jobs(jobs, N_RUNS, &none, told);
    for (guint i = 0; i < N_RUNS; i++)
        lp_tasks_free(tasks[i]);
    *(LpCounterfactualResults *)(gpointer)result->data =
        (LpCounterfactualResults){told[0], told[1], told[2]};
}

gboolean
lp_counterfactuals_start(LpCounterfactuals *self, const LpCommunicationMap *map,
                         const LpContention *contention, LpIsolatedCache *cache,
                         LpFidelity fidelity, GError **error)
{
    Work work = {map, contention, cache, fidelity};
    self->process = lp_child_process_start("process of a run", run, &work,
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
