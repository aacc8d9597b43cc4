/* SPDX-License-Identifier: Apache-2.0 */
/* Counts what is trained. */
#include "model/times/trained.h"

#include "model/times/kernel.h"

LpParameters
lp_layer_adapters(const LpTransformer *transformer, const LpPlan *plan, guint32 index)
{
    LpParameters sum = {0.0, 0.0};
    for (guint block = LP_BLOCK_ATTENTION; block < LP_BLOCK_HEAD && lp_plan_freezes(plan);
         block++) {
        LpKernel kernels[LP_KERNELS_MAX];
        guint n = lp_block_kernels(transformer, plan, index, (LpBlock)block,
                                   LP_PASS_BACKWARD_WEIGHT, kernels);
        double *part = block == LP_BLOCK_EXPERTS ? &sum.experts : &sum.dense;
        for (guint i = 0; i < n; i++)
            *part += kernels[i].m * kernels[i].n * kernels[i].n_batch;
    }
    return sum;
}

LpParameters
lp_layer_trained(const LpTransformer *transformer, const LpPlan *plan, guint32 index)
{
    return lp_plan_freezes(plan) ? lp_layer_adapters(transformer, plan, index)
                                 : lp_plan_layer_parameters(plan, transformer, index);
}

double
lp_end_trained(const LpPlan *plan, double parameters)
{
    return lp_plan_freezes(plan) ? 0.0 : parameters;
}

/* Adds the adapters of layer @index to @sum; those of its kind are kept. */
static void
add_adapters(LpParameters *sum, LpLayerParameters *known, const LpTransformer *transformer,
             const LpPlan *plan, guint32 index)
{
    guint kind = lp_transformer_layer_kind(transformer, index);
    if (!known->is_known[kind])
        known->of[kind] = lp_layer_adapters(transformer, plan, index);
    known->is_known[kind] = TRUE;
    sum->dense += known->of[kind].dense;
    sum->experts += known->of[kind].experts;
}

LpParameters
lp_adapters(const LpTransformer *transformer, const LpPlan *plan)
{
    LpParameters sum = {0.0, 0.0};
    LpLayerParameters known = {.is_known = {FALSE}};
    for (guint32 i = 0; i < lp_transformer_n_layers(transformer) && lp_plan_freezes(plan); i++)
        add_adapters(&sum, &known, transformer, plan, i);
    return sum;
}

LpParameters
lp_rank_layers_trained(const LpTransformer *transformer, const LpPlan *plan, guint32 stage)
{
    LpParameters sum = {0.0, 0.0};
    LpLayerParameters known = {.is_known = {FALSE}};
    if (!lp_plan_freezes(plan))
        return lp_plan_rank_layer_parameters(plan, transformer, stage);
    for (guint32 chunk = 0; chunk < lp_plan_n_chunks(plan); chunk++) {
        guint32 slice = lp_plan_slice(plan, stage, chunk);
        guint32 first = lp_plan_slice_first_layer(plan, transformer, slice);
        guint32 n = lp_plan_slice_layers(plan, transformer, slice);
        for (guint32 i = first; i < first + n; i++)
            add_adapters(&sum, &known, transformer, plan, i);
    }
    return sum;
}

LpParameters
lp_rank_trained(const LpTransformer *transformer, const LpPlan *plan, guint32 stage)
{
    return lp_plan_freezes(plan) ? lp_rank_layers_trained(transformer, plan, stage)
                                 : lp_plan_rank_parameters(plan, transformer, stage);
}
