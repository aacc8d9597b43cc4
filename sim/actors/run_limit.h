/* SPDX-License-Identifier: Apache-2.0 */
/* A run that ends before its last event, as soon as it must take longer than it may. */
#pragma once

#include "sim/actors/equivalence_check.h"
#include "sim/analysis/remaining_time.h"

G_BEGIN_DECLS

/** What a run may take. */
typedef struct LpRunLimit {
    const LpRemainingTime *remaining; /* borrowed */
    double at_most_s;                 /**< INFINITY: any time */
    const LpEquivalenceCheck
        *check; /* borrowed: once it has failed, the run proves nothing; or NULL */
} LpRunLimit;

/** Whether a run that takes at least @least_s, s, may still be short enough. */
gboolean lp_run_limit_holds(const LpRunLimit *self, double least_s);
/** A rank begins @step, of @program, so long after the run's start: raises @io_least_s to what the
 * run takes at least. @self may be NULL. Returns: whether that is too much. */
gboolean lp_run_limit_is_passed(const LpRunLimit *self, const LpProgram *program,
                                const LpStep *step, double after_s, double *io_least_s);

G_END_DECLS
