/* SPDX-License-Identifier: Apache-2.0 */
/* The optimiser's step: the kernels that its lists have. */
#include "model/times/optimizer.h"

#include "model/times/kernel.h"
#include "model/times/layer_tensors.h"
#include "model/times/trained.h"

#include <math.h>

static double
total(LpParameters parameters)
{
    return parameters.dense + parameters.experts;
}

double
lp_optimizer_time_s(const LpTransformer *transformer, const LpPlan *plan,
                    const LpAccelerator *accelerator, guint32 stage)
{
    LpParameters all = lp_rank_trained(transformer, plan, stage);
    LpParameters layers = lp_rank_layers_trained(transformer, plan, stage);
    LpStepParameters step = {
        .all = total(all),
        .own = total(lp_plan_sharded_parameters(plan, all)),
        .own_layers = total(lp_plan_sharded_parameters(plan, layers)),
        .rank_layers = total(layers),
        .in_any_layout = accelerator->any_layout[plan->format.precision],
    };
    LpKernel kernels[LP_KERNELS_MAX];
    guint n = lp_optimizer_kernels(transformer, plan, &step, kernels);
    double sum_s = 0.0;
    for (guint i = 0; i < n; i++)
        sum_s += lp_kernel_time_s(&kernels[i], accelerator, plan->format.precision);
    return sum_s;
}

LpWork
lp_optimizer_list_copies(const LpTransformer *transformer, const LpPlan *plan,
                         const LpAccelerator *accelerator, guint32 stage)
{
    guint32 n_members = lp_plan_shard_degree(plan);
    if (!plan->traits[LP_TRAIT_GATHER_LISTS] || !lp_plan_shares_step(plan) || plan->overlap.param ||
        n_members < 2 || plan->optimizer == LP_OPTIMIZER_NONE)
        return LP_WORK_NONE;
    double bytes =
        total(lp_rank_trained(transformer, plan, stage)) * lp_plan_activation_bytes(plan);
    double copies = n_members * lp_stage_tensors(transformer, plan, stage);
    LpListCosts costs = lp_list_costs(plan, accelerator);
    double device_s = copies * costs.device_s + 2.0 * bytes * costs.byte_s;
    double host_s = copies * costs.host_s;
    return (LpWork){.device_s = device_s,
                    .host_s = host_s,
                    .issue_s = host_s,
                    .bound_s = fmax(device_s, host_s)};
}
