/* SPDX-License-Identifier: Apache-2.0 */
/* Embedding and head, with the collectives of a divided vocabulary. */
#include "workloads/program/vocabulary.h"

#include "workloads/program/tensor_parallel.h"

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

void
lp_vocabulary_add_head_forward(LpLowering *self)
{
    if (!self->transformer->embedding)
        return;
    if (self->plan->sequence_parallel)
        lp_builder_add_vocabulary(&self->builder, LP_COLLECTIVE_ALL_GATHER, head_bytes(self));
    lp_lowering_add_block(self, head_kind(self->transformer), LP_BLOCK_HEAD, LP_PASS_FORWARD);
}

void
lp_vocabulary_add_head_backward(LpLowering *self, LpRole role)
{
    if (!self->transformer->embedding)
        return;
    guint kind = head_kind(self->transformer);
    if (role != LP_ROLE_WEIGHT) {
        lp_lowering_add_block(self, kind, LP_BLOCK_HEAD, LP_PASS_BACKWARD_INPUT);
        lp_builder_add_vocabulary(&self->builder, lp_tensor_parallel_sum(self->plan),
                                  head_bytes(self));
    }
    if (role != LP_ROLE_INPUT)
        lp_lowering_add_block(self, kind, LP_BLOCK_HEAD, LP_PASS_BACKWARD_WEIGHT);
}
