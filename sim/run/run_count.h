/* SPDX-License-Identifier: Apache-2.0 */
/* How far the runs of something that takes several of them have come. */
#pragma once

#include "base/child_process.h"

G_BEGIN_DECLS

/** Runs one after the other. */
typedef struct {
    guint n_done, n_all;                                        /**< runs */
    void (*progress)(double n_done, guint64 n_all, void *data); /**< told of them; or NULL */
    void *progress_data;
} LpRunCount;

/** The present run has done so many of its steps. @data: an LpRunCount. */
void lp_run_count_report(double n_done, guint64 n_all, void *data);
/** The present run has ended. */
void lp_run_count_end(LpRunCount *self);
/** Waits for the present run's process, and tells of it meanwhile. */
void lp_run_count_wait(LpRunCount *self, LpChildProcess *process);

/** Does @work on @data in a process of its own, which is the present run; the rest is as
 * lp_child_process_finish() has it. Errors: LP_CHILD_PROCESS_ERROR. */
gboolean lp_run_count_in_child(LpRunCount *self, LpChildWork work, const void *data,
                               void *out_result, gsize size_bytes, guint64 *io_peak_rss_bytes,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
