/* SPDX-License-Identifier: Apache-2.0 */
/* Activations of a layer: what its lists of kernels keep (model/kernels/standard.xml). */
#include "model/memory/memory_layer.h"

#include "model/times/kernel_sizes.h"
#include "model/times/mixer.h"
#include "model/plan/precision.h"

/* Of what is divided along the sequence, a rank's share. */
static double
scattered(const LpPlan *plan)
{
    return plan->sequence_parallel ? 1.0 / plan->degree[LP_AXIS_TP] : 1.0;
}

double
lp_memory_layer_bytes(const LpTransformer *transformer, const LpPlan *plan, guint32 index,
                      guint32 recomputed)
{
    double values[LP_KERNEL_SIZES_MAX];
    lp_kernel_sizes_recomputed(transformer, plan, index, LP_PASS_FORWARD, recomputed, values);
    guint32 seq = lp_transformer_layer(transformer, index).seq;
    return lp_kernel_lists_size(lp_plan_kernel_lists(plan), LP_KERNEL_KEPT_BYTES, values) +
           lp_plan_tokens(plan, seq) * lp_mixer_kept_bytes(transformer, plan, index, recomputed);
}

double
lp_memory_hidden_bytes(const LpTransformer *transformer, const LpPlan *plan, guint32 seq)
{
    return lp_plan_tokens(plan, seq) *
           ((double)transformer->hidden * lp_plan_activation_bytes(plan)) * scattered(plan);
}
