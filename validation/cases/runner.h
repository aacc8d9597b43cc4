/* SPDX-License-Identifier: Apache-2.0 */
/* Predicts the rows of a table, each in a process of its own, several side by side. */
#pragma once

#include "validation/cases/case.h"

G_BEGIN_DECLS

/** Limits, s, of a row's processor time and of its wall-clock time, beyond which it has failed. The
 * latter is for processes that wait, and far above the former, so that a busy machine does not
 * decide what fails. */
#define LP_RUNNER_LIMIT_S 120.0
#define LP_RUNNER_LIMIT_WALL_S 1200.0
/** Limit, bytes, of the address space of a row's process, beyond which it has failed. */
#define LP_RUNNER_LIMIT_BYTES (16ull << 30)

/** What to run, and how. */
typedef struct {
    guint n_jobs;        /**< processes side by side, at least 1 */
    double limit_wall_s; /**< in place of LP_RUNNER_LIMIT_WALL_S; 0: that */
    const char *resume;  /**< folder in which finished rows are kept, and looked up; or NULL */
    GError **out_unkept; /**< set where a row cannot be kept; NULL: that is an error */
    const char *version; /**< what a result depends on besides the row: program and data */
    const GArray *rows;  /**< guint, borrowed: the rows of the table to run; NULL: all */
    const LpConstants *constants; /**< borrowed: in place of the shipped ones; NULL: none */
    gboolean (*is_stopped)(void); /**< once it is true what still runs is ended; or NULL */
    void (*progress)(double n_done, guint64 n_all, void *data); /**< or NULL */
    void *progress_data;
} LpRunnerOptions;

/**
 * Predicts rows of @table. An outcome for each row, in the order of the file or of options->rows
 * (where it was stopped, of those that have ended),
 * whatever becomes of its process: a crash or a process that takes too long is a failed row. A kept
 * row is written whole or not at all, under a name that depends on what the row says and on the
 * version; rows whose process gave no result are not kept. Errors: LP_INPUT_ERROR_FILE (the
 * folder), LP_INPUT_ERROR_VALUE (no such kind of rows), LP_CHILD_PROCESS_ERROR_START (no more
 * processes). Returns: (transfer full) LpOutcome *, owned.
 */
GPtrArray *lp_runner_run(const LpTable *table, const LpRunnerOptions *options,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
