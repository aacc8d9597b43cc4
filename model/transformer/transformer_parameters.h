/* SPDX-License-Identifier: Apache-2.0 */
/* How many parameters a Transformer has. */
#pragma once

#include "model/transformer/transformer_shape.h"

G_BEGIN_DECLS

/** Weights of the matrices of one attention block: queries, keys, values, and the projection of
 * their mixture. MLA compresses first (DeepSeek-V2, arXiv 2405.04434, equations 9 to 18). */
double lp_transformer_attention_weights(const LpTransformer *self);
/** The parameters of one attention block without its norms. */
double lp_transformer_attention_parameters(const LpTransformer *self);
/** Parameters of one norm of the width of activations: LayerNorm scales and shifts (2h), RMSNorm
 * only scales (h). */
double lp_transformer_norm_parameters(const LpTransformer *self);
/** Weights of the matrix by which a module that predicts further tokens joins what came with their
 * embeddings: 2 h^2. */
double lp_transformer_joining_weights(const LpTransformer *self);
/** Weights of the matrices of a feed-forward network of inner width @width. */
double lp_transformer_ffn_weights(const LpTransformer *self, double width);
/** Weights of the matrices of one routed expert. */
double lp_transformer_expert_weights(const LpTransformer *self);
/** Weights by which a layer compresses tokens for its routed experts, and expands their results; 0
 * unless they are compressed. */
double lp_transformer_latent_expert_weights(const LpTransformer *self);
/** Parameters of layer @index: attention, feed-forward or experts, norms, biases.
 * GPT: 12 h^2 + 13 h (Narayanan et al., SC 2021, equation 2). */
double lp_transformer_layer_parameters(const LpTransformer *self, guint32 index);
/** The parameters of all routed experts of layer @index, which expert parallelism divides; 0 for a
 * layer without experts. */
double lp_transformer_layer_expert_parameters(const LpTransformer *self, guint32 index);
/** Weights by which MLA compresses queries, keys and values; 0 without it. */
double lp_transformer_compression_weights(const LpTransformer *self);
/** The parameters of layer @index, without routed experts, that each tensor-parallel rank holds
 * whole: norms, biases added to sums over the group, the router, MLA's compression (Megatron-Core:
 * megatron/core/extensions/transformer_engine.py, TELinear with parallel_mode "duplicated";
 * megatron/core/transformer/moe/router.py). */
double lp_transformer_layer_whole_parameters(const LpTransformer *self, guint32 index);
/** What each rank that shares a routed expert of layer @index holds whole of all of them: biases
 * added to sums. */
double lp_transformer_layer_whole_expert_parameters(const LpTransformer *self, guint32 index);
/** What each tensor-parallel rank holds whole of the embedding: positions, and all of a vision
 * transformer's (megatron/core/models/vision/clip_vit_model.py). */
double lp_transformer_embedding_whole_parameters(const LpTransformer *self);
/** What each tensor-parallel rank holds whole of the head: final norms. */
double lp_transformer_head_whole_parameters(const LpTransformer *self);
/** Values of one patch of an image: width squared, times channels. */
double lp_transformer_patch_values(const LpTransformer *self);
/** Word embedding (V h) and, if learned, positions (s h); a vision transformer's patch embedding,
 * class token and positions. 0 without embedding. */
double lp_transformer_embedding_parameters(const LpTransformer *self);
/** Final norm, and the output matrix unless tied. 0 without embedding. */
double lp_transformer_head_parameters(const LpTransformer *self);
/** The number of parameters of the model, each counted once. */
double lp_transformer_parameters(const LpTransformer *self);
/** Parameters that one token uses: of routed experts only the top k. */
double lp_transformer_active_parameters(const LpTransformer *self);

G_END_DECLS
