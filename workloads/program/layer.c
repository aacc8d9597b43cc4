/* SPDX-License-Identifier: Apache-2.0 */
/* Attention, cross-attention, and feed-forward or experts. */
#include "workloads/program/layer.h"

#include "workloads/program/context_parallel.h"
#include "workloads/program/dense_block.h"
#include "workloads/program/expert_parallel.h"

/* --- the block of a layer with experts --- */

/* Shared experts are a feed-forward network parallel to the routed ones. Without sequence
 * parallelism its partial sums are summed with theirs. */
static LpGradientSharing
shared_expert_sharing(const LpPlan *plan)
{
    return (LpGradientSharing){.gathers = TRUE, .sums = plan->sequence_parallel};
}

/* Partial sums of the ranks of tp, where each computes on all tokens. */
static void
add_expert_sum(LpLowering *self, guint32 index)
{
    if (!self->plan->sequence_parallel)
        lp_builder_add_collective(&self->builder, LP_COLLECTIVE_ALL_REDUCE, LP_GROUP_TP,
                                  lp_lowering_layer_bytes(self, index));
}

static void
add_expert_block_forward(LpLowering *self, guint32 index, LpPass pass)
{
    guint kind = lp_transformer_layer_kind(self->transformer, index);
    lp_lowering_add_block(self, kind, LP_BLOCK_ROUTER, pass);
    if (self->transformer->experts.n_shared > 0)
        lp_dense_block_add_forward(self, index, LP_BLOCK_SHARED, pass,
                                   shared_expert_sharing(self->plan));
    lp_lowering_need(self, LP_BLOCK_EXPERTS, LP_BLOCK_PART_INPUT_PRODUCT);
    lp_expert_parallel_add_experts(self, index, pass, FALSE);
    add_expert_sum(self, index);
    lp_lowering_add_block(self, kind, LP_BLOCK_COMBINE, pass);
}

static void
add_expert_block_backward(LpLowering *self, guint32 index, LpRole role)
{
    guint kind = lp_transformer_layer_kind(self->transformer, index);
    gboolean has_shared = self->transformer->experts.n_shared > 0;
    LpGradientSharing sharing = shared_expert_sharing(self->plan);
    if (role == LP_ROLE_WEIGHT) {
        lp_expert_parallel_add_weights(self, index);
        if (has_shared)
            lp_dense_block_add_backward(self, index, LP_BLOCK_SHARED, role, sharing);
        lp_lowering_add_block(self, kind, LP_BLOCK_ROUTER, LP_PASS_BACKWARD_WEIGHT);
        return;
    }
    lp_lowering_add_block(self, kind, LP_BLOCK_COMBINE, LP_PASS_BACKWARD_INPUT);
    lp_expert_parallel_add_experts(self, index, LP_PASS_BACKWARD_INPUT, role == LP_ROLE_BACKWARD);
    if (has_shared)
        lp_dense_block_add_backward(self, index, LP_BLOCK_SHARED, role, sharing);
    add_expert_sum(self, index);
    lp_lowering_add_block(self, kind, LP_BLOCK_ROUTER, LP_PASS_BACKWARD_INPUT);
    if (role == LP_ROLE_BACKWARD)
        lp_lowering_add_block(self, kind, LP_BLOCK_ROUTER, LP_PASS_BACKWARD_WEIGHT);
}

/* --- whole layers --- */

/* Whether the layer's result is summed over tp: nothing takes that of recomputation. */
static gboolean
sums_last(const LpLowering *self, guint32 index, LpPass pass)
{
    return pass != LP_PASS_RECOMPUTE ||
           !lp_plan_recompute_stops_early(self->plan, self->transformer, index);
}

static void
add_forward(LpLowering *self, guint32 index, LpPass pass)
{
    LpLayer layer = lp_transformer_layer(self->transformer, index);
    gboolean parallel = lp_plan_has_parallel_blocks(self->transformer, layer);
    if (layer.mtp)
        lp_dense_block_add_forward(self, index, LP_BLOCK_MTP, pass,
                                   (LpGradientSharing){TRUE, TRUE});
    if (layer.has_mixer)
        lp_dense_block_add_forward(self, index, LP_BLOCK_ATTENTION, pass,
                                   (LpGradientSharing){TRUE, !parallel});
    if (layer.cross)
        lp_dense_block_add_forward(self, index, LP_BLOCK_CROSS, pass,
                                   (LpGradientSharing){TRUE, TRUE});
    if (layer.has_experts)
        add_expert_block_forward(self, index, pass);
    else if (layer.has_network)
        lp_dense_block_add_forward(self, index, LP_BLOCK_FFN, pass,
                                   (LpGradientSharing){!parallel, sums_last(self, index, pass)});
}

void
lp_layer_add_forward(LpLowering *self, guint32 index)
{
    add_forward(self, index, LP_PASS_FORWARD);
}

/* Adds the recomputation of a layer from what is kept. A block's input is gathered if all of its
 * first products are run again (some find what the weights' gradients have gathered anyway), and
 * its result is summed if its last one is. Experts find the tokens that came to them. */
static void
add_recomputed_parts(LpLowering *self, guint32 index)
{
    const LpTransformer *transformer = self->transformer;
    const LpPlan *plan = self->plan;
    const LpPass pass = LP_PASS_RECOMPUTE;
    guint kind = lp_transformer_layer_kind(transformer, index);
    LpLayer layer = lp_transformer_layer(transformer, index);
    gboolean gathers = lp_plan_recomputes(plan, LP_RECOMPUTED_QKV);
    gboolean gathers_up = lp_plan_recomputes_up(plan, transformer);
    LpGradientSharing attention = {gathers,
                                   lp_plan_recomputes_projection(plan, transformer, layer)};
    lp_lowering_add_block(self, kind, LP_BLOCK_MTP, pass);
    if (layer.has_mixer)
        lp_dense_block_add_forward(self, index, LP_BLOCK_ATTENTION, pass, attention);
    if (layer.cross)
        lp_dense_block_add_forward(self, index, LP_BLOCK_CROSS, pass, attention);
    if (!layer.has_network)
        return;
    if (!layer.has_experts) {
        gboolean has_gathered = lp_plan_has_parallel_blocks(transformer, layer) && gathers;
        lp_dense_block_add_forward(self, index, LP_BLOCK_FFN, pass,
                                   (LpGradientSharing){gathers_up && !has_gathered, FALSE});
        return;
    }
    lp_lowering_add_block(self, kind, LP_BLOCK_ROUTER, pass);
    lp_expert_parallel_add_recomputed(self, index);
    if (transformer->experts.n_shared > 0)
        lp_dense_block_add_forward(self, index, LP_BLOCK_SHARED, pass,
                                   (LpGradientSharing){gathers_up, FALSE});
}

static void
add_recomputation(LpLowering *self, guint32 index)
{
    if (self->plan->recompute == LP_RECOMPUTE_FULL)
        add_forward(self, index, LP_PASS_RECOMPUTE);
    else
        add_recomputed_parts(self, index);
}

void
lp_layer_add_backward(LpLowering *self, guint32 index, LpRole role)
{
    LpLayer layer = lp_transformer_layer(self->transformer, index);
    gboolean parallel = lp_plan_has_parallel_blocks(self->transformer, layer);
    if (role != LP_ROLE_WEIGHT && lp_plan_recomputes_layer(self->plan, self->transformer, index))
        add_recomputation(self, index);
    if (layer.has_experts)
        add_expert_block_backward(self, index, role);
    else if (layer.has_network)
        lp_dense_block_add_backward(self, index, LP_BLOCK_FFN, role,
                                    (LpGradientSharing){TRUE, !parallel});
    if (layer.cross)
        lp_dense_block_add_backward(self, index, LP_BLOCK_CROSS, role,
                                    (LpGradientSharing){TRUE, TRUE});
    if (layer.has_mixer)
        lp_dense_block_add_backward(self, index, LP_BLOCK_ATTENTION, role,
                                    (LpGradientSharing){!parallel, TRUE});
    if (layer.mtp)
        lp_dense_block_add_backward(self, index, LP_BLOCK_MTP, role,
                                    (LpGradientSharing){TRUE, TRUE});
}
