/* SPDX-License-Identifier: Apache-2.0 */
/* The check of gradients before they are sent. */
#include "model/times/gradient_check.h"

#include "model/times/kernel.h"
#include "model/times/layer_tensors.h"
#include "model/times/trained.h"
#include "model/plan/plan_layers.h"
#include "model/plan/plan_parameters.h"
#include "model/plan/precision.h"

#include <math.h>

LpWork
lp_gradient_check_work(const LpPlan *plan, const LpAccelerator *accelerator, double bytes)
{
    if (!plan->traits[LP_TRAIT_GRADIENT_CHECK] || plan->host.cuda_graphs)
        return LP_WORK_NONE;
    double answer = LP_FP32_BYTES;
    LpKernel norm = {.name = "gradient-norm", .bytes = bytes, .streams = TRUE};
    LpKernel is_nan = {.name = "is-nan", .bytes = answer, .waits = TRUE};
    LpKernel is_infinite = {.name = "is-inf", .bytes = answer, .n_launches = 2, .waits = TRUE};
    LpWork work = lp_kernel_work(&norm, plan, accelerator);
    work = lp_work_then(work, lp_kernel_work(&is_nan, plan, accelerator));
    return lp_work_then(work, lp_kernel_work(&is_infinite, plan, accelerator));
}

/* Stage 3 sends unit by unit, unless it gathers tensors: layers, the embedding, the head. */
static double
n_units(const LpTransformer *transformer, const LpPlan *plan, guint32 stage)
{
    double n = lp_plan_stage_layers(plan, transformer, stage);
    for (guint32 chunk = 0; transformer->embedding && chunk < lp_plan_n_chunks(plan); chunk++)
        n += (lp_plan_holds_embedding(plan, stage, chunk) ? 1.0 : 0.0) +
             (lp_plan_holds_head(plan, stage, chunk) ? 1.0 : 0.0);
    return n;
}

static double
n_buckets(const LpTransformer *transformer, const LpPlan *plan, guint32 stage, double bytes)
{
    double n = 0.0, chunk_bytes = bytes / lp_plan_n_chunks(plan);
    for (guint32 chunk = 0; chunk < lp_plan_n_chunks(plan); chunk++) {
        double bucket = lp_plan_chunk_bucket_bytes(plan, plan->format.gradient_bytes, stage, chunk);
        n += bucket > 0.0 ? ceil(chunk_bytes / bucket) : 1.0;
    }
    return fmin(n, lp_stage_tensors(transformer, plan, stage));
}

LpWork
lp_gradient_checks_work(const LpTransformer *transformer, const LpPlan *plan,
                        const LpAccelerator *accelerator, guint32 stage)
{
    LpParameters trained = lp_rank_trained(transformer, plan, stage);
    double bytes = (trained.dense + trained.experts) * plan->format.gradient_bytes;
    gboolean by_unit = plan->zero.stage == 3 && !lp_plan_gathers_tensors(plan);
    double n =
        by_unit ? n_units(transformer, plan, stage) : n_buckets(transformer, plan, stage, bytes);
    if (n < 1.0)
        return LP_WORK_NONE;
    return lp_work_scale(lp_gradient_check_work(plan, accelerator, bytes / n), n);
}
