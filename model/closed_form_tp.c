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

/* Gathers for products that one block takes a micro-batch; the rest are sums. */
static double
gathers_per_block(const LpPlan *plan)
{
    if (!plan->sequence_parallel)
        return 0.0;
    return plan->recompute == LP_RECOMPUTE_FULL ? 4.0 : 3.0;
}

/* Blocks of layer @index that gather and sum activations of a layer's size; blocks side by side
 * share their collectives. */
static double
layer_blocks(const LpClosedFormInput *input, guint32 index)
{
    const LpPlan *plan = input->plan;
    LpLayer layer = lp_transformer_layer(input->transformer, index);
    double cross = layer.cross ? 1.0 : 0.0;
    if (!layer.has_experts)
        return cross + (layer.cross || !input->transformer->parallel_blocks ? 2.0 : 1.0);
    gboolean second = !plan->sequence_parallel || input->transformer->experts.n_shared > 0;
    return cross + 1.0 + (second ? 1.0 : 0.0);
}

/* The collectives of one block over sequences of @seq: an all-reduce's halves, whose gathers send
 * operands of products and whose sums send activations. */
static double
block_s(const LpClosedFormInput *input, guint32 seq)
{
    const LpPlan *plan = input->plan;
    double elements = lp_plan_tokens(plan, seq) * input->transformer->hidden;
    double gathers = gathers_per_block(plan);
    double sums = 2.0 * collectives_per_block(plan) - gathers;
    return sums * lp_closed_form_ring_s(input, LP_GROUP_TP, 0.5, activations_bytes(input, seq)) +
           gathers * lp_closed_form_ring_s(input, LP_GROUP_TP, 0.5,
                                           elements * lp_plan_gathered_wire_bytes(plan));
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
        guint32 seq = lp_transformer_layer(input->transformer, i).seq;
        sum_s += layer_blocks(input, i) * block_s(input, seq) + layer_expert_tp_s(input, i);
    }
    return n_micro_batches(input) * sum_s / degree(input, LP_AXIS_PP);
}
