/* SPDX-License-Identifier: Apache-2.0 */
/* A study as a job array of Slurm: which parts are missing, and the script that runs one. */
#pragma once

#include "study/study_store.h"

G_BEGIN_DECLS

/** An array. Paths are absolute, but that of the study, which is as the command line has it. */
typedef struct {
    const char *program, *folder, *study; /* borrowed: the program, where it runs, STUDY.xml */
    const char *parts;                    /* borrowed: the folder that parts' stores go to */
    const char *tasks;                    /* borrowed: "0-3,7" */
    guint64 n_parts;                      /**< that the study is cut into */
    guint n_jobs;                         /**< processors of a task */
} LpSlurmArray;

/** How many parts @n_points are cut into: of @n_per_task points or, where that would be more than
 * @n_parts_max, of more points. */
guint64 lp_slurm_array_n_parts(guint64 n_points, guint64 n_per_task, guint64 n_parts_max);
/** Which of @n_parts parts of @study have points that have not ended: "0-3,7", "" if there is none.
 * @out_n: how many. Errors: LP_INPUT_ERROR_FILE. Returns: (transfer full). */
char *lp_slurm_array_missing(LpStudyStore *store, gint64 study, guint64 n_points, guint64 n_parts,
                             guint *out_n, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** The script, for sbatch. Returns: (transfer full). */
char *lp_slurm_array_script(const LpSlurmArray *self);

G_END_DECLS
