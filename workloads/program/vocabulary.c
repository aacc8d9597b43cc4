/* SPDX-License-Identifier: Apache-2.0 */
/* Embedding and head, with the collectives of a divided vocabulary. */
#include "workloads/program/vocabulary.h"

#include "workloads/program/tensor_parallel.h"

#include <math.h>

/* --- embedding --- */

void
lp_vocabulary_add_embedding_forward(LpLowering *self, guint32 index)
{
    if (!self->transformer->embedding)
        return;
    guint kind = lp_transformer_layer_kind(self->transformer, index);
    lp_lowering_add_block(self, kind, LP_BLOCK_EMBEDDING, LP_PASS_FORWARD);
    /* Each rank looks up its share of the vocabulary. */
    lp_builder_add_vocabulary(&self->builder, lp_tensor_parallel_sum(self->plan),
                              lp_lowering_layer_bytes(self, index));
}

void
lp_vocabulary_add_embedding_backward(LpLowering *self, guint32 index, LpRole role)
{
    if (!self->transformer->embedding)
        return;
    guint kind = lp_transformer_layer_kind(self->transformer, index);
    if (role != LP_ROLE_WEIGHT) {
        if (self->plan->sequence_parallel)
            lp_builder_add_vocabulary(&self->builder, LP_COLLECTIVE_ALL_GATHER,
                                      lp_lowering_layer_bytes(self, index));
        lp_lowering_add_block(self, kind, LP_BLOCK_EMBEDDING, LP_PASS_BACKWARD_INPUT);
    }
    if (role != LP_ROLE_INPUT)
        lp_lowering_add_block(self, kind, LP_BLOCK_EMBEDDING, LP_PASS_BACKWARD_WEIGHT);
}

/* --- head --- */

/* The last layer's kind: its sequences are those that are predicted. */
static guint
head_kind(const LpTransformer *transformer)
{
    return lp_transformer_layer_kind(transformer, lp_transformer_n_layers(transformer) - 1);
}

static guint64
head_bytes(const LpLowering *self)
{
    return lp_lowering_wire_bytes(
        self, lp_plan_tokens(self->plan, lp_transformer_head_tokens(self->transformer)));
}

/* The loss of a divided vocabulary: the ranks share each token's largest logit, then the logit of
 * its label and the sum of its exponentials, in fp32 (Megatron-LM,
 * megatron/core/tensor_parallel/cross_entropy.py; nanotron,
 * src/nanotron/parallel/tensor_parallel/functional.py); the two sums at once where the loss is
 * fused (megatron/core/fusions/fused_cross_entropy.py). */
static void
add_loss_sums(LpLowering *self)
{
    guint64 bytes =
        4 *
        (guint64)llround(lp_plan_tokens(self->plan, lp_transformer_head_tokens(self->transformer)));
    lp_builder_add_vocabulary(&self->builder, LP_COLLECTIVE_ALL_REDUCE, bytes);
    guint32 fused = self->plan->traits[LP_TRAIT_FUSED_LOSS];
    if (fused == LP_FUSED_LOSS_IN_PLACE || fused == LP_FUSED_LOSS_NATIVE) {
        lp_builder_add_vocabulary(&self->builder, LP_COLLECTIVE_ALL_REDUCE, 2 * bytes);
    } else {
        lp_builder_add_vocabulary(&self->builder, LP_COLLECTIVE_ALL_REDUCE, bytes);
        lp_builder_add_vocabulary(&self->builder, LP_COLLECTIVE_ALL_REDUCE, bytes);
    }
}

/* All logits of the tokens that are predicted, as they leave their product. */
static guint64
logits_bytes(const LpLowering *self)
{
    const LpTransformer *transformer = self->transformer;
    double tokens = lp_plan_tokens(self->plan, lp_transformer_head_tokens(transformer));
    return (guint64)llround(tokens * transformer->vocab * lp_plan_activation_bytes(self->plan));
}

static void
add_loss(LpLowering *self)
{
    switch (self->plan->traits[LP_TRAIT_PARALLEL_LOSS]) {
    case LP_PARALLEL_LOSS_YES:
        add_loss_sums(self);
        break;
    case LP_PARALLEL_LOSS_GATHERED:
        lp_builder_add_vocabulary(&self->builder, LP_COLLECTIVE_ALL_GATHER, logits_bytes(self));
        break;
    case LP_PARALLEL_LOSS_NO:
        break;
    }
}

void
lp_vocabulary_add_head_forward(LpLowering *self)
{
    if (!self->transformer->embedding)
        return;
    if (self->plan->sequence_parallel)
        lp_builder_add_vocabulary(&self->builder, LP_COLLECTIVE_ALL_GATHER, head_bytes(self));
    lp_lowering_add_block(self, head_kind(self->transformer), LP_BLOCK_HEAD, LP_PASS_FORWARD);
    add_loss(self);
}

/* Adds the backward pass of the head, a column-parallel product like those of layers and by the
 * same software; see lp_tensor_parallel_add_backward_exit(). */
static void
add_hidden_head_backward(LpLowering *self, guint kind)
{
    LpBuilder *builder = &self->builder;
    guint gather = G_MAXUINT;
    if (lp_plan_regathers_inputs(self->plan))
        gather = lp_builder_launch_vocabulary(builder, LP_COLLECTIVE_ALL_GATHER, head_bytes(self));
    lp_lowering_add_block(self, kind, LP_BLOCK_HEAD, LP_PASS_BACKWARD_INPUT);
    lp_builder_add_join(builder, LP_STREAM_LAYER, gather, LP_TERM_TP);
    guint sum =
        lp_builder_launch_vocabulary(builder, lp_tensor_parallel_sum(self->plan), head_bytes(self));
    lp_lowering_add_block(self, kind, LP_BLOCK_HEAD, LP_PASS_BACKWARD_WEIGHT);
    lp_builder_add_join(builder, LP_STREAM_LAYER, sum, LP_TERM_TP);
}

void
lp_vocabulary_add_head_backward(LpLowering *self, LpRole role)
{
    const LpPlan *plan = self->plan;
    if (!self->transformer->embedding)
        return;
    guint kind = head_kind(self->transformer);
    gboolean sums = plan->traits[LP_TRAIT_PARALLEL_LOSS] == LP_PARALLEL_LOSS_YES;
    gboolean hides = sums && plan->overlap.tp != LP_OVERLAP_TP_NO;
    if (hides && plan->degree[LP_AXIS_TP] > 1 && role == LP_ROLE_BACKWARD) {
        add_hidden_head_backward(self, kind);
        return;
    }
    if (role != LP_ROLE_WEIGHT) {
        lp_lowering_add_block(self, kind, LP_BLOCK_HEAD, LP_PASS_BACKWARD_INPUT);
        lp_builder_add_vocabulary(&self->builder, lp_tensor_parallel_sum(plan), head_bytes(self));
    }
    if (role != LP_ROLE_INPUT) {
        if (sums && lp_plan_regathers_inputs(plan))
            lp_builder_add_vocabulary(&self->builder, LP_COLLECTIVE_ALL_GATHER, head_bytes(self));
        lp_lowering_add_block(self, kind, LP_BLOCK_HEAD, LP_PASS_BACKWARD_WEIGHT);
    }
}
