/* SPDX-License-Identifier: Apache-2.0 */
/* The check of gradients before they are sent. */
#include "model/gradient_check.h"

#include "model/kernel.h"
#include "model/layer_tensors.h"
#include "model/plan_parameters.h"
#include "model/precision.h"

#include <math.h>

LpWork
lp_gradient_check_work(const LpPlan *plan, const LpAccelerator *accelerator, double bytes)
{
    if (!plan->host.checks_gradients || plan->host.cuda_graphs)
        return LP_WORK_NONE;
    double answer = LP_FP32_BYTES;
    LpKernel norm = {.name = "gradient-norm", .bytes = bytes, .streams = TRUE};
    LpKernel is_nan = {.name = "is-nan", .bytes = answer, .waits = TRUE};
    LpKernel is_infinite = {.name = "is-inf", .bytes = answer, .n_launches = 2, .waits = TRUE};
    LpWork work = lp_kernel_work(&norm, plan, accelerator);
    work = lp_work_then(work, lp_kernel_work(&is_nan, plan, accelerator));
    return lp_work_then(work, lp_kernel_work(&is_infinite, plan, accelerator));
}

LpWork
lp_gradient_checks_work(const LpTransformer *transformer, const LpPlan *plan,
                        const LpAccelerator *accelerator, guint32 stage)
{
    double gradient_bytes = plan->format.gradient_bytes;
    double bytes = lp_plan_stage_parameters(plan, transformer, stage) * gradient_bytes;
    double n = 0.0, chunk_bytes = bytes / lp_plan_n_chunks(plan);
    for (guint32 chunk = 0; chunk < lp_plan_n_chunks(plan); chunk++) {
        double bucket = lp_plan_chunk_bucket_bytes(plan, gradient_bytes, stage, chunk);
        n += bucket > 0.0 ? ceil(chunk_bytes / bucket) : 1.0;
    }
    n = fmin(n, lp_stage_tensors(transformer, plan, stage));
    if (n < 1.0)
        return LP_WORK_NONE;
    return lp_work_scale(lp_gradient_check_work(plan, accelerator, bytes / n), n);
}
