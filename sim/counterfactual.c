/* SPDX-License-Identifier: Apache-2.0 */
/* Runs each counterfactual in a process of its own. */
#include "sim/counterfactual.h"

typedef struct {
    const LpEdges *edges; /* borrowed */
    const LpProof *proof; /* borrowed */
    LpRunMode mode;
} Work;

static void
run(const void *data, void *out)
{
    const Work *work = data;
    g_autoptr(LpTasks) tasks = lp_tasks_new(work->edges, work->proof, work->mode);
    *(LpRunResult *)out =
        lp_world_run(work->edges, work->proof, tasks, (LpRunOptions){NULL, NULL, NULL});
}

gboolean
lp_counterfactuals_start(LpCounterfactuals *self, const LpEdges *edges, const LpProof *proof,
                         LpFidelity fidelity, GError **error)
{
    Work work = {edges, proof, {.fidelity = fidelity, .merge = TRUE, .uncontended = TRUE}};
    for (guint i = 0; i < LP_N_COUNTERFACTUALS; i++) {
        work.mode.balanced = i >= 1;
        work.mode.free_messages = i >= 2;
        if (lp_child_start(&self->children[i], run, &work, sizeof(LpRunResult), error))
            continue;
        LpRunResult dropped;
        guint64 unused = 0;
        while (i-- > 0)
            (void)!lp_child_finish(&self->children[i], &dropped, sizeof dropped, &unused, NULL);
        return FALSE;
    }
    return TRUE;
}

gboolean
lp_counterfactuals_finish(LpCounterfactuals *self, LpCounterfactualResults *out_results,
                          guint64 *io_peak_rss_bytes, GError **error)
{
    LpRunResult *const results[] = {&out_results->uncontended, &out_results->balanced,
                                    &out_results->free_messages};
    gboolean good = TRUE;
    for (guint i = 0; i < LP_N_COUNTERFACTUALS; i++)
        good = lp_child_finish(&self->children[i], results[i], sizeof(LpRunResult),
                               io_peak_rss_bytes, good ? error : NULL) &&
               good;
    return good;
}
