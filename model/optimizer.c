/* SPDX-License-Identifier: Apache-2.0 */
/* The optimiser's step, bound by memory. */
#include "model/optimizer.h"

#include "model/layer_tensors.h"
#include "model/precision.h"

#include <math.h>

static double
total(LpParameters parameters)
{
    return parameters.dense + parameters.experts;
}

/* What is written of the updated weights, but for training in fp32, which has them already. */
static double
copied_bytes(const LpPlan *plan, double ends, double layers)
{
    if (lp_plan_activation_bytes(plan) > 2)
        return 0.0;
    return ends * lp_plan_activation_bytes(plan) + layers * lp_plan_parameter_wire_bytes(plan);
}

/* Of 16-bit weights both narrow copies are made; of narrow ones the second; none that products do
 * not need. */
static double
cast_bytes(const LpTransformer *transformer, const LpPlan *plan, const LpAccelerator *accelerator,
           guint32 stage)
{
    const LpPrecisionTraits *traits = lp_precision_traits(plan->format.precision);
    if (!lp_precision_is_narrow(plan->format.precision) || plan->zero.stage == 3)
        return 0.0;
    double came = lp_plan_parameter_wire_bytes(plan), copy = traits->scaled_bytes;
    double second = accelerator->any_layout[plan->format.precision] ? 0.0 : copy;
    gboolean is_copy = came < lp_plan_activation_bytes(plan); /* read, and the other written */
    double bytes = is_copy ? 2.0 * second : lp_plan_cast_reads(plan) * came + copy + second;
    return bytes * total(lp_plan_rank_layer_parameters(plan, transformer, stage));
}

/* Of an element of a gradient, as the step takes it. */
static double
own_gradient_bytes(const LpPlan *plan)
{
    return plan->format.main_gradients ? LP_FP32_BYTES : plan->format.gradient_bytes;
}

/* What is read and written of gradients before the step. */
static double
buffer_bytes(const LpPlan *plan, double all, double own)
{
    if (!plan->format.gradient_buffers)
        return 0.0;
    double passes = plan->degree[LP_AXIS_DP] * plan->degree[LP_AXIS_CP] > 1 ? 3.0 : 1.0;
    double before = plan->zero.stage == 3 ? 0.0 : passes * all;
    return before * plan->format.gradient_bytes + 3.0 * own * own_gradient_bytes(plan);
}

/* Copies in fp32 of narrower gradients; and the division by the loss' scale, which of the 16-bit
 * formats fp16 alone needs (Micikevicius et al., arXiv 1710.03740, section 3.2). */
static double
main_gradients_bytes(const LpPlan *plan, double own)
{
    double given = plan->format.gradient_bytes;
    if (!plan->format.main_gradients)
        return 0.0;
    double copy = given < LP_FP32_BYTES ? given + LP_FP32_BYTES : 0.0;
    double division = plan->format.precision == LP_PRECISION_FP16 ? 2.0 * LP_FP32_BYTES : 0.0;
    return own * (copy + division);
}

/* Copies of gradients that are summed once an iteration; those of each micro-batch stand with its
 * weights' gradients (model/kernels/standard.xml). */
static double
copies_bytes(const LpPlan *plan, double all)
{
    gboolean sums = plan->degree[LP_AXIS_DP] * plan->degree[LP_AXIS_CP] > 1;
    if (!sums || lp_plan_reduces_each(plan))
        return 0.0;
    return plan->format.gradient_copies * all * 2.0 * plan->format.gradient_bytes;
}

/* A parameter's bytes of the step: one pass over gradient, weight and moments; or, operation by
 * operation, over weights 4 times (decay 2, step 2), gradients 2, the first moment 3, the second 5
 * and the roots of the second 6 (PyTorch, torch/optim/adamw.py: _multi_tensor_adamw), with a cast
 * of gradients to the weights' format before. */
static double
step_bytes(const LpPlan *plan)
{
    gboolean is_bf16 = plan->optimizer == LP_OPTIMIZER_ADAM_BF16;
    gboolean is_adam = plan->optimizer == LP_OPTIMIZER_ADAM || is_bf16;
    double weight = is_bf16 ? lp_plan_activation_bytes(plan) : LP_FP32_BYTES;
    double moments = lp_plan_moment_bytes(plan), gradient = own_gradient_bytes(plan);
    double cast = gradient != weight ? gradient + weight : 0.0;
    if (!plan->eager_optimizer || !is_adam)
        return gradient + 2.0 * weight + 2.0 * moments;
    return cast + (4.0 + 2.0) * weight + (3.0 + 5.0 + 6.0) * moments / 2.0;
}

double
lp_optimizer_time_s(const LpTransformer *transformer, const LpPlan *plan,
                    const LpAccelerator *accelerator, guint32 stage)
{
    if (plan->optimizer == LP_OPTIMIZER_NONE)
        return 0.0;
    LpParameters all = lp_plan_rank_parameters(plan, transformer, stage);
    double own = total(lp_plan_sharded_parameters(plan, all));
    double layers = total(
        lp_plan_sharded_parameters(plan, lp_plan_rank_layer_parameters(plan, transformer, stage)));
    double bytes = own * step_bytes(plan) + copied_bytes(plan, own - layers, layers) +
                   cast_bytes(transformer, plan, accelerator, stage) +
                   buffer_bytes(plan, total(all), own) + main_gradients_bytes(plan, own) +
                   copies_bytes(plan, total(all));
    return bytes / (accelerator->memory_bytes_per_s * accelerator->memory_efficiency) +
           accelerator->launch_s;
}

LpWork
lp_optimizer_list_copies(const LpTransformer *transformer, const LpPlan *plan,
                         const LpAccelerator *accelerator, guint32 stage)
{
    guint32 n_members = lp_plan_shard_degree(plan);
    if (!plan->zero.gathers_lists || !lp_plan_shares_step(plan) || plan->overlap.param ||
        n_members < 2 || plan->optimizer == LP_OPTIMIZER_NONE)
        return LP_WORK_NONE;
    double bytes =
        total(lp_plan_rank_parameters(plan, transformer, stage)) * lp_plan_activation_bytes(plan);
    double copies = n_members * lp_stage_tensors(transformer, plan, stage);
    LpListCosts costs = lp_list_costs(plan, accelerator);
    double device_s = copies * costs.device_s + 2.0 * bytes * costs.byte_s;
    double host_s = copies * costs.host_s;
    return (LpWork){.device_s = device_s,
                    .host_s = host_s,
                    .issue_s = host_s,
                    .bound_s = fmax(device_s, host_s)};
}
