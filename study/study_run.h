/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the points of a study that are not in the store yet, side by side. */
#pragma once

#include "base/child_process.h"
#include "study/study_store.h"

G_BEGIN_DECLS

/** How points are run. */
typedef struct {
    /** Runs a point in a child process, which ignores the signals that end the sweep; its data are
     * the words of the point, NULL-ended. It leaves JSON. An error of LP_CHILD_PROCESS_ERROR may
     * not come again; any other says that the command refuses its inputs. */
    LpChildWork work;
    guint n_at_once;                                            /**< processes side by side */
    gboolean (*is_stopped)(void);                               /**< asked often */
    void (*progress)(double n_done, guint64 n_all, void *data); /**< or NULL */
    void *progress_data;
} LpStudyRunOptions;

/**
 * Runs what waits of @number, which is @study in @store, until all of it has ended, also what other
 * processes run, or is_stopped(). Each result is stored as it comes. Forks.
 * @out_stopped: whether points are left.
 * Errors: LP_INPUT_ERROR_FILE, LP_CHILD_PROCESS_ERROR_START; what was stored stays.
 */
gboolean lp_study_run(LpStudyStore *store, gint64 number, const LpStudy *study,
                      const LpStudyRunOptions *options, gboolean *out_stopped,
                      GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
