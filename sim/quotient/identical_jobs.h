/* SPDX-License-Identifier: Apache-2.0 */
/* Finds jobs of a run that do the same, so that one of them represents the others. */
#pragma once

#include "sim/quotient/structure.h"

G_BEGIN_DECLS

/** For each job, sets @out_identical (out, by job) to the first job whose ranks are of the same
 * classes. @lists: of the @n jobs. All ranks of a job communicate with each other, so jobs that
 * share one class of ranks share all of them. Returns: FALSE if some do not. */
gboolean lp_identical_jobs_find(const LpStructure *structure, const LpFlowList *const *lists,
                                guint32 n, guint32 *out_identical) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
