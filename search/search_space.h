/* SPDX-License-Identifier: Apache-2.0 */
/* All plans of a search: which are legal, which fit in memory, and how fast each can be at most. */
#pragma once

#include "search/search_plan.h"

G_BEGIN_DECLS

/** Goes through all combinations, @n_at_once processes side by side, which changes nothing in the
 * result. @draft, @machines (@n_machines) and @axes, one each, are borrowed by the result.
 * @progress: called with combinations, done and all, and @data; or NULL. Forks. Errors:
 * LP_CHILD_PROCESS_ERROR. Returns: (transfer full). */
LpSearchSpace *lp_search_space_new(const LpWorkloadDraft *draft, const LpMachine *const *machines,
                                   guint n_machines, const LpSearchAxes *const *axes,
                                   gboolean ignore_memory, guint n_at_once,
                                   void (*progress)(double, guint64, void *), void *data,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
