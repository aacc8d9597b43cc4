/* SPDX-License-Identifier: Apache-2.0 */
/* Goes through the parts of a space side by side, each in a process of its own. */
#pragma once

#include "search/search_plan.h"

G_BEGIN_DECLS

/** How the parts of a space are gone through. */
typedef struct {
    guint n; /**< parts */
    /** Adds to @space, empty but for what it borrows, what it finds in part @index. */
    void (*walk)(LpSearchSpace *space, guint index, const void *data);
    const void *data; /* borrowed */
    guint n_at_once;  /**< processes; 1: none but this one */
    void (*progress)(double n_considered, guint64 n_all, void *data); /**< or NULL */
    guint64 n_all;
    void *progress_data;
} LpSearchParts;

/** Adds all parts to @space, in their order. Errors: LP_CHILD_PROCESS_ERROR. */
gboolean lp_search_parts_run(const LpSearchParts *self, LpSearchSpace *space,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
