/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs of a run that do the same, so that one of them is enough. */
#pragma once

#include "sim/quotient/structure.h"

G_BEGIN_DECLS

/** Sets @out_identical (out, by job) to the first job of whose classes each job's ranks are, by
 * @lists, those of the @n jobs. Jobs that have a class of ranks in common have them all, since all
 * ranks of a job have to do with each other. Returns: FALSE if some have not. */
gboolean lp_identical_jobs_find(const LpStructure *structure, const LpFlowList *const *lists,
                                guint32 n, guint32 *out_identical) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
