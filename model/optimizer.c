/* SPDX-License-Identifier: Apache-2.0 */
/* The optimiser's step, bound by memory. */
#include "model/optimizer.h"

#define FP32_BYTES 4.0

double
lp_optimizer_time_s(const LpTransformer *transformer, const LpPlan *plan,
                    const LpAccelerator *accelerator, guint32 stage)
{
    if (plan->optimizer == LP_OPTIMIZER_NONE)
        return 0.0;
    LpParameters own =
        lp_plan_sharded_parameters(plan, lp_plan_rank_parameters(plan, transformer, stage));
    double copy_bytes = lp_plan_activation_bytes(plan) == 2 ? 2.0 : 0.0;
    double moved_bytes = plan->format.gradient_bytes + 2.0 * FP32_BYTES +
                         2.0 * lp_plan_moment_bytes(plan) + copy_bytes;
    return (own.dense + own.experts) * moved_bytes /
               (accelerator->memory_bytes_per_s * accelerator->memory_efficiency) +
           accelerator->launch_s;
}
