/* SPDX-License-Identifier: Apache-2.0 */
/* T_DP: the gradients' reduction, and ZeRO's gathers of parameters. */
#include "model/closed_form.h"
#include "model/closed_form_internal.h"

/* Parameters of the mean stage. */
static LpParameters
mean_parameters(const LpClosedFormInput *input)
{
    const LpTransformer *shape = input->transformer;
    const LpPlan *plan = input->plan;
    double holders = plan->pipeline.schedule == LP_SCHEDULE_DUALPIPE ? 2.0 : 1.0;
    double share = holders / degree(input, LP_AXIS_PP);
    LpParameters sum = {.dense = (lp_transformer_embedding_parameters(shape) +
                                  lp_transformer_head_parameters(shape)) /
                                 degree(input, LP_AXIS_TP)};
    for (guint32 i = 0; i < lp_transformer_n_layers(shape); i++) {
        LpParameters layer = lp_plan_layer_parameters(plan, shape, i);
        sum.dense += layer.dense;
        sum.experts += layer.experts;
    }
    return lp_plan_pooled_parameters(plan, (LpParameters){sum.dense * share, sum.experts * share});
}

/* @share of an all-reduce of each kind of parameters, in @n_parts pieces with latencies each. */
static double
replicas_s(const LpClosedFormInput *input, double share, double element_bytes, double n_parts)
{
    LpParameters parameters = mean_parameters(input);
    double n_expert_parts =
        n_parts > 1.0 ? lp_transformer_n_expert_layers(input->transformer) : 1.0;
    double dense_s = n_parts * lp_closed_form_ring_s(input, LP_GROUP_DP, share,
                                                     parameters.dense * element_bytes / n_parts);
    if (parameters.experts <= 0.0)
        return dense_s;
    return dense_s + n_expert_parts *
                         lp_closed_form_ring_s(input, LP_GROUP_EXPERT_DP, share,
                                               parameters.experts * element_bytes / n_expert_parts);
}

double
lp_closed_form_dp_s(const LpClosedFormInput *input)
{
    const LpPlan *plan = input->plan;
    /* Stage 3 works unit by unit: layers, the embedding, the head. */
    double n_units =
        lp_transformer_n_layers(input->transformer) + (input->transformer->embedding ? 2.0 : 0.0);
    double n_parts = plan->zero.stage == 3 ? n_units : 1.0;
    double weight_bytes = lp_plan_activation_bytes(plan);
    gboolean whole = plan->zero.stage == 0 || plan->zero.variant == LP_ZERO_DEEPSPEED;
    /* Sets of shards (hybrid sharding) sum their shares among each other. */
    double set_bytes =
        mean_parameters(input).dense * plan->format.gradient_bytes / lp_plan_shard_degree(plan);
    double sets_s =
        n_parts * lp_closed_form_ring_s(input, LP_GROUP_REPLICA, 1.0, set_bytes / n_parts);
    double gradients_s =
        replicas_s(input, whole ? 1.0 : 0.5, plan->format.gradient_bytes, n_parts) + sets_s;
    double n_sums = lp_plan_reduces_each(plan) ? n_micro_batches(input) : 1.0;
    double n_gathers = plan->zero.stage == 0 ? 0.0 : 1.0;
    if (plan->zero.stage == 3)
        n_gathers = n_micro_batches(input) * (plan->zero.keeps_parameters ? 1.0 : 2.0);
    return n_sums * gradients_s + n_gathers * replicas_s(input, 0.5, weight_bytes, n_parts);
}
