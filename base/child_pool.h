/* SPDX-License-Identifier: Apache-2.0 */
/* Runs many functions in child processes, so many at a time. */
#pragma once

#include "base/child_process.h"

G_BEGIN_DECLS

/** What one child does. */
typedef struct {
    LpChildWork work;
    const void *data; /* borrowed */
    void *out_result; /* borrowed: filled with what it left */
    gsize size_bytes; /**< of that */
    /** borrowed: takes the error that @work gives, and further tasks begin; NULL: none does. */
    GError **out_error;
} LpChildTask;

/** How a pool of children runs. */
typedef struct {
    const char *name; /* borrowed: begins error messages */
    guint n_at_once;  /**< at least one */
    /** Told of tasks, from none on, with the shares of those that run (lp_child_process_report());
     * or NULL. */
    void (*progress)(double n_done, guint64 n_all, void *data);
    void *progress_data;
    gboolean (*is_over)(const void *data); /**< once it is true no further task begins; or NULL */
    const void *is_over_data;
} LpChildPool;

/** Runs all @n of @tasks in their order. Tasks that have not begun when the pool's is_over() holds
 * are skipped; their results stay as they were. A crash ends the children that still run.
 * @io_peak_rss_bytes: each child's peak of resident memory, bytes, is added; or NULL. Errors:
 * LP_CHILD_PROCESS_ERROR; the error of the first task, in their order, that gave one. */
gboolean lp_child_pool_run(const LpChildPool *self, const LpChildTask *tasks, guint n,
                           guint64 *io_peak_rss_bytes, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
