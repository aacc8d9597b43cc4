/* SPDX-License-Identifier: Apache-2.0 */
/* Embedding and head: what divides the vocabulary over the tensor-parallel group. Nothing for a
 * model whose vocabulary is left out (embedding="no"). */
#pragma once

#include "workloads/program/lowering.h"

G_BEGIN_DECLS

/** Embeds the sequences of layer @index: a decoder beside an encoder has its own. */
void lp_vocabulary_add_embedding_forward(LpLowering *self, guint32 index);
/** The backward pass of that. @role: as lp_layer_add_backward(). */
void lp_vocabulary_add_embedding_backward(LpLowering *self, guint32 index, LpRole role);
/** Logits and loss of the tokens that are predicted. */
void lp_vocabulary_add_head_forward(LpLowering *self);
/** The backward pass of that. @role: as lp_layer_add_backward(). */
void lp_vocabulary_add_head_backward(LpLowering *self, LpRole role);

G_END_DECLS
