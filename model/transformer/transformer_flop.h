/* SPDX-License-Identifier: Apache-2.0 */
/* How many operations a Transformer's matrix products take. */
#pragma once

#include "model/transformer/transformer_shape.h"

G_BEGIN_DECLS

/** FLOP of the matrix products of layer @index's forward pass over @n_sequences sequences
 * (GELU, full heads: 24 b s h^2 + 4 b s^2 h; Narayanan et al. SC 2021, section 5.1). Experts:
 * the top k, without padding. */
double lp_transformer_layer_forward_flop(const LpTransformer *self, guint32 index,
                                         double n_sequences);
/** FLOP of those of them that expand MLA's compressed queries, keys and values; 0 without MLA. */
double lp_transformer_latent_forward_flop(const LpTransformer *self, guint32 index,
                                          double n_sequences);
/** FLOP of the scores and of the product over values of layer @index, forward, cross-attention
 * included: 4 b s^2 h, the masked half included; a window counts its width. */
double lp_transformer_scores_forward_flop(const LpTransformer *self, guint32 index,
                                          double n_sequences);
/** FLOP of the logits' forward pass: 2 b s h V, for the next token and for each further one that a
 * module predicts. 0 without embedding. */
double lp_transformer_logits_forward_flop(const LpTransformer *self, double n_sequences);
/** FLOP of a vision transformer's patch embedding, forward; 0 for words, which are looked up. */
double lp_transformer_embedding_forward_flop(const LpTransformer *self, double n_sequences);

G_END_DECLS
