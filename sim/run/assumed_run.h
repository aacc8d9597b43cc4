/* SPDX-License-Identifier: Apache-2.0 */
/* A run by classes that what is known before it does not prove to be alike: they are assumed to be,
 * the run checks it at every instant, and what it finds apart is told apart in the next
 * (docs/architecture.md).
 *
 * Links tell none of the flows apart to begin with. (Counterexample-guided abstraction refinement:
 * Clarke, Grumberg, Jha, Lu and Veith, J. ACM 50, 2003.) */
#pragma once

#include "sim/quotient/quotient.h"
#include "sim/run/assume.h"
#include "sim/run/result.h"
#include "sim/run/run_job.h"

G_BEGIN_DECLS

/** The run that is wanted. */
typedef struct {
    const LpRunModel *model;  /* borrowed: not loaded */
    const LpQuotient *proven; /* borrowed: its classes that need no assumption */
    LpAssume assume;
    guint64 n_activities_max; /**< of all trials where it has to pay, too; 0: no limit */
    LpRunOptions told; /**< of a trial: progress and expect, called in its process; no more */
} LpAssumedInput;

/** What came of it. */
typedef struct {
    LpQuotient *quotient;   /* owned: has been checked; NULL: nothing that was tried has held, or it
                               would not have paid */
    LpRunResult run;        /**< with it */
    guint32 n_trials;       /**< runs */
    guint64 peak_rss_bytes; /**< of the largest of their processes */
} LpAssumedRun;

/** What would be tried first, without trying it: NULL if nothing. Returns: (transfer full). */
LpQuotient *lp_assumed_run_first(const LpAssumedInput *input);
/** Runs in child processes, one after the other. Errors: LP_CHILD_PROCESS_ERROR, and as
 * lp_network_load_minimal(). */
gboolean lp_assumed_run_find(const LpAssumedInput *input, LpAssumedRun *out_run,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Runs the iteration once more with @quotient, which has been checked, in this process: for
 * @options. Errors: as lp_network_load_minimal(). */
gboolean lp_assumed_run_again(const LpAssumedInput *input, const LpQuotient *quotient,
                              LpRunOptions options, LpRunResult *out_result,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
