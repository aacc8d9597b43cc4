/* SPDX-License-Identifier: Apache-2.0 */
/* "lightpath sweep --slurm": a study on a cluster. */
#pragma once

#include "study/study_store.h"

G_BEGIN_DECLS

/** What is to run there. */
typedef struct {
    LpStudyStore *store; /* borrowed, and what is below */
    gint64 number;       /**< of the study in the store */
    guint64 n_points;
    const char *study, *path; /* of the study and of the store, as the command line has them */
    guint n_jobs;             /**< processors of a task */
    guint n_per_task;         /**< points */
    gboolean write_only;
} LpSweepSlurm;

/** Merges the parts that tasks have brought to the folder STORE.parts. Errors:
 * LP_INPUT_ERROR_FILE. */
gboolean lp_sweep_slurm_collect(LpStudyStore *store, const char *path,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Writes STORE.sbatch for the parts that have points left, submits it, and says so on standard
 * output. @out_done: nothing is left, and nothing was done. Errors: LP_INPUT_ERROR_FILE; where the
 * array that was submitted last still has tasks. */
gboolean lp_sweep_slurm_submit(const LpSweepSlurm *self, gboolean *out_done,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
