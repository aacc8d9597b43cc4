/* SPDX-License-Identifier: Apache-2.0 */
/* One run of an iteration: builds ranks, groups and channels, runs them, and reads the result. */
#pragma once

#include "sim/actors/actor_rank.h"
#include "sim/actors/actor_background.h"
#include "sim/actors/actor_fault.h"
#include "sim/run/result.h"
#include "sim/run/run_job.h"

G_BEGIN_DECLS

/** What happens beside the jobs; each may be NULL. */
typedef struct {
    GPtrArray *backgrounds;     /* borrowed LpBackground */
    LpFaults *faults;           /* borrowed */
    LpWatch *watch;             /* borrowed; needed by the others */
    LpFlowEngine *sharing;      /* borrowed: shares links in place of the engine */
    LpWaitRecord *waits;        /* borrowed: told who waits for whom, and keeps critical paths */
    LpFlowLog *log;             /* borrowed: written */
    const LpQuotient *quotient; /* borrowed: of the run that the jobs' are parts of */
    const LpRunLimit *limit;    /* borrowed: of a single job's iteration */
    void (*progress)(double n_done, guint64 n_all, void *data);
    void (*expect)(double processor_s, guint64 n_all,
                   void *data); /**< told before: what the jobs will take,
                                   lp_run_size_processor_s(), and of how many steps */
    void *progress_data;
} LpRunContext;

/** Runs @jobs side by side, until all have ended or the watch has stopped them. Once a process.
 * @out_results: for each. */
void lp_run_jobs(const LpRunJob *jobs, guint n_jobs, const LpRunContext *context,
                 LpRunResult *out_results);

/** Runs @job's iteration alone. Once a process. */
LpRunResult lp_run_iteration(LpRunJob job, LpRunOptions options);

G_END_DECLS
