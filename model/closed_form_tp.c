/* SPDX-License-Identifier: Apache-2.0 */
/* T_TP: the collectives of tensor parallelism. */
#include "model/closed_form.h"
#include "model/closed_form_internal.h"

double
lp_closed_form_tp_collective_s(const LpClosedFormInput *input)
{
    return lp_closed_form_ring_s(input, LP_GROUP_TP, 1.0,
                                 activations_bytes(input, input->transformer->seq));
}

/* All-reduces, or what equals them, that one block takes a micro-batch. */
static double
collectives_per_block(const LpPlan *plan)
{
    double forward = 1.0;
    double backward = plan->sequence_parallel ? 1.5 : 1.0;
    double again = plan->recompute == LP_RECOMPUTE_FULL ? 1.0 : 0.0;
    return forward + backward + again;
}

double
lp_closed_form_tp_collectives_per_layer(const LpTransformer *transformer, const LpPlan *plan)
{
    return (transformer->parallel_blocks ? 1.0 : 2.0) * collectives_per_block(plan);
}

/* Those of activations' size in layer @index, one micro-batch. */
static double
layer_collectives(const LpClosedFormInput *input, guint32 index)
{
    const LpPlan *plan = input->plan;
    LpLayer layer = lp_transformer_layer(input->transformer, index);
    double block = collectives_per_block(plan);
    double cross = layer.cross ? block : 0.0;
    if (!layer.has_experts)
        return cross + (layer.cross
                            ? 2.0 * block
                            : lp_closed_form_tp_collectives_per_layer(input->transformer, plan));
    gboolean second = !plan->sequence_parallel || input->transformer->experts.n_shared > 0;
    return cross + block + (second ? block : 0.0);
}

/* Experts divided over tp gather the tokens of all of its ranks, and scatter the sums. */
static double
layer_expert_tp_s(const LpClosedFormInput *input, guint32 index)
{
    LpLayer layer = lp_transformer_layer(input->transformer, index);
    if (!layer.has_experts || !input->plan->sequence_parallel || lp_plan_expert_tp(input->plan) < 2)
        return 0.0;
    double bytes =
        lp_transformer_expert_slots(input->transformer) * activations_bytes(input, layer.seq);
    return n_passes(input) * lp_closed_form_ring_s(input, LP_GROUP_TP, 1.0, bytes);
}

double
lp_closed_form_tp_s(const LpClosedFormInput *input)
{
    double sum_s = 0.0;
    if (degree(input, LP_AXIS_TP) < 2.0)
        return 0.0;
    for (guint32 i = 0; i < lp_transformer_n_layers(input->transformer); i++) {
        double bytes = activations_bytes(input, lp_transformer_layer(input->transformer, i).seq);
        sum_s +=
            layer_collectives(input, i) * lp_closed_form_ring_s(input, LP_GROUP_TP, 1.0, bytes) +
            layer_expert_tp_s(input, i);
    }
    return n_micro_batches(input) * sum_s / degree(input, LP_AXIS_PP);
}
