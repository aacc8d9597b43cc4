/* SPDX-License-Identifier: Apache-2.0 */
/* Attention, cross-attention, and feed-forward or experts. */
#include "workloads/program/layer.h"

#include "workloads/program/context_parallel.h"
#include "workloads/program/dense_block.h"
#include "workloads/program/expert_parallel.h"

/* --- the block of a layer with experts --- */

/* Shared experts are a feed-forward network beside the others. Without sequence parallelism its
 * partial sums are summed with those of the routed ones. */
static LpSharing
shared_expert_sharing(const LpPlan *plan)
{
    return (LpSharing){.gathers = TRUE, .sums = plan->sequence_parallel};
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
    lp_expert_parallel_add_experts(self, index, pass, FALSE);
    add_expert_sum(self, index);
    lp_lowering_add_block(self, kind, LP_BLOCK_COMBINE, pass);
}

static void
add_expert_block_backward(LpLowering *self, guint32 index, LpRole role)
{
    guint kind = lp_transformer_layer_kind(self->transformer, index);
    gboolean has_shared = self->transformer->experts.n_shared > 0;
    LpSharing sharing = shared_expert_sharing(self->plan);
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

/* Whether attention and feed-forward stand side by side, and share their collectives. */
static gboolean
is_parallel(const LpTransformer *transformer, LpLayer layer)
{
    return transformer->parallel_blocks && !layer.has_experts && !layer.cross;
}

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
    gboolean parallel = is_parallel(self->transformer, layer);
    if (layer.mtp)
        lp_dense_block_add_forward(self, index, LP_BLOCK_MTP, pass, (LpSharing){TRUE, TRUE});
    lp_dense_block_add_forward(self, index, LP_BLOCK_ATTENTION, pass, (LpSharing){TRUE, !parallel});
    if (layer.cross)
        lp_dense_block_add_forward(self, index, LP_BLOCK_CROSS, pass, (LpSharing){TRUE, TRUE});
    if (layer.has_experts)
        add_expert_block_forward(self, index, pass);
    else
        lp_dense_block_add_forward(self, index, LP_BLOCK_FFN, pass,
                                   (LpSharing){!parallel, sums_last(self, index, pass)});
}

void
lp_layer_add_forward(LpLowering *self, guint32 index)
{
    add_forward(self, index, LP_PASS_FORWARD);
}

/* Light recomputation needs nothing of other ranks: what it starts from is kept on each. Alternate
 * recomputation needs a block's gathered input, which the weights' gradients have gathered anyway.
 */
static void
add_light_recomputation(LpLowering *self, guint kind)
{
    static const LpBlock blocks[] = {LP_BLOCK_MTP,   LP_BLOCK_ATTENTION, LP_BLOCK_CROSS,
                                     LP_BLOCK_FFN,   LP_BLOCK_ROUTER,    LP_BLOCK_EXPERTS,
                                     LP_BLOCK_SHARED};
    for (guint i = 0; i < G_N_ELEMENTS(blocks); i++)
        lp_lowering_add_block(self, kind, blocks[i], LP_PASS_RECOMPUTE);
}

/* Selective recomputation runs the cores of attention and cross-attention again. */
static void
add_selective_recomputation(LpLowering *self, guint32 index)
{
    static const LpBlock blocks[] = {LP_BLOCK_ATTENTION, LP_BLOCK_CROSS};
    guint kind = lp_transformer_layer_kind(self->transformer, index);
    guint32 seq = lp_transformer_layer(self->transformer, index).seq;
    for (guint i = 0; i < G_N_ELEMENTS(blocks); i++)
        lp_context_parallel_add_core_again(
            self, lp_lowering_part(self, kind, blocks[i], LP_PASS_RECOMPUTE, LP_PART_CORE), seq);
}

static void
add_recomputation(LpLowering *self, guint32 index)
{
    if (self->plan->recompute == LP_RECOMPUTE_LIGHT || lp_plan_recomputes_alternate(self->plan))
        add_light_recomputation(self, lp_transformer_layer_kind(self->transformer, index));
    else if (self->plan->recompute == LP_RECOMPUTE_FULL)
        add_forward(self, index, LP_PASS_RECOMPUTE);
    else
        add_selective_recomputation(self, index);
}

void
lp_layer_add_backward(LpLowering *self, guint32 index, LpRole role)
{
    LpLayer layer = lp_transformer_layer(self->transformer, index);
    gboolean parallel = is_parallel(self->transformer, layer);
    if (role != LP_ROLE_WEIGHT && lp_plan_recomputes_layer(self->plan, self->transformer, index))
        add_recomputation(self, index);
    if (layer.has_experts)
        add_expert_block_backward(self, index, role);
    else
        lp_dense_block_add_backward(self, index, LP_BLOCK_FFN, role, (LpSharing){TRUE, !parallel});
    if (layer.cross)
        lp_dense_block_add_backward(self, index, LP_BLOCK_CROSS, role, (LpSharing){TRUE, TRUE});
    lp_dense_block_add_backward(self, index, LP_BLOCK_ATTENTION, role,
                                (LpSharing){!parallel, TRUE});
    if (layer.mtp)
        lp_dense_block_add_backward(self, index, LP_BLOCK_MTP, role, (LpSharing){TRUE, TRUE});
}
