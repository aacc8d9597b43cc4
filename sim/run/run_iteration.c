/* SPDX-License-Identifier: Apache-2.0 */
/* One job with nothing beside it. */
#include "sim/run/run.h"

LpRunResult
lp_run_iteration(LpRunJob job, LpRunOptions options)
{
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
