/* SPDX-License-Identifier: Apache-2.0 */
/* How far the runs of something that takes several of them have come. */
#include "sim/run/run_count.h"

void
lp_run_count_report(double n_done, guint64 n_all, void *data)
{
    const LpRunCount *self = data;
    double share = n_all == 0 ? 0.0 : MIN(n_done / (double)n_all, 1.0);
    if (self->progress != NULL)
        self->progress(MIN(self->n_done + share, self->n_all), self->n_all, self->progress_data);
}

void
lp_run_count_end(LpRunCount *self)
{
    self->n_done++;
    lp_run_count_report(0.0, 1, self);
}

void
lp_run_count_wait(LpRunCount *self, LpChildProcess *process)
{
    lp_child_process_wait(process, self->progress != NULL ? lp_run_count_report : NULL, self);
    lp_run_count_end(self);
}

gboolean
lp_run_count_in_child(LpRunCount *self, LpChildWork work, const void *data, void *out_result,
                      gsize size_bytes, guint64 *io_peak_rss_bytes, GError **error)
{
    LpChildProcess *child =
        lp_child_process_start("process of a run", work, data, size_bytes, error);
    if (child == NULL)
        return FALSE;
    lp_run_count_wait(self, child);
    return lp_child_process_finish(child, out_result, size_bytes, io_peak_rss_bytes, error);
}
