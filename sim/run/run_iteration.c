/* SPDX-License-Identifier: Apache-2.0 */
/* One job with nothing beside it. */
#include "sim/run/run.h"

LpRunResult
lp_run_iteration(const LpCommunicationMap *map, const LpCircuitPlan *circuits,
                 const LpContention *contention, LpIsolatedCache *cache, const LpTasks *tasks,
                 const LpQuotient *quotient, LpRunOptions options)
{
    LpRunJob job = lp_run_job(map, circuits, contention, cache, tasks, quotient);
    job.timeline = options.timeline;
    job.calls = options.calls;
    LpRunContext none = {.log = options.log,
                         .limit = options.limit,
                         .progress = options.progress,
                         .expect = options.expect,
                         .progress_data = options.progress_data};
    LpRunResult result;
    lp_run_jobs(&job, 1, &none, &result);
    return result;
}
