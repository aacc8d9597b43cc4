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

/* Nothing contends in any of the runs, so that they can go on beside each other in one engine. */
static void
run(const void *data, void *out)
{
    const Work *work = data;
    LpCounterfactualResults *results = out;
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
    *results = (LpCounterfactualResults){told[0], told[1], told[2]};
}

gboolean
lp_counterfactuals_start(LpCounterfactuals *self, const LpCommunicationMap *map,
                         const LpContention *contention, LpIsolatedCache *cache,
                         LpFidelity fidelity, GError **error)
{
    Work work = {map, contention, cache, fidelity};
    return lp_child_start(&self->child, run, &work, sizeof(LpCounterfactualResults), error);
}

gboolean
lp_counterfactuals_finish(LpCounterfactuals *self, LpCounterfactualResults *out_results,
                          guint64 *io_peak_rss_bytes, GError **error)
{
    return lp_child_finish(&self->child, out_results, sizeof *out_results, io_peak_rss_bytes,
                           error);
}
