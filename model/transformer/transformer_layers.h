/* SPDX-License-Identifier: Apache-2.0 */
/* A Transformer's shape, checked; its layers and their widths. */
#pragma once

#include "model/transformer/transformer_shape.h"

G_BEGIN_DECLS

/** Checks that the shape is one that exists: heads divide hidden, key-value heads divide heads,
 * every count at least 1 and at most 2^24, experts and their groups agree. Error:
 * LP_MODEL_ERROR_SHAPE, naming the attribute as the workload file does. */
gboolean lp_transformer_check(const LpTransformer *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** Replaces each 0 and "auto" of the shape by the value that it means; other members stay. A head
 * width that is no whole number stays 0, and is refused by lp_transformer_check(). */
void lp_transformer_resolve(LpTransformer *self);

/** Layers of encoder and decoder, and those of modules that predict further tokens. */
guint32 lp_transformer_n_layers(const LpTransformer *self);
/** Layer @index, the encoder's first, those of modules that predict further tokens last. */
LpLayer lp_transformer_layer(const LpTransformer *self, guint32 index);
/** A number below LP_LAYER_KINDS, equal for layers that are alike. */
guint lp_transformer_layer_kind(const LpTransformer *self, guint32 index);
/** Layers with experts. */
guint32 lp_transformer_n_expert_layers(const LpTransformer *self);
/** Whether the last of several stages needs the word embedding too: logits are made with its
 * weights, or modules that predict further tokens look words up (Megatron-Core,
 * megatron/core/distributed/finalize_model_grads.py: _allreduce_word_embedding_grads). */
gboolean lp_transformer_copies_embedding(const LpTransformer *self);
/** Whether layers drop out: as the shape says, else GPT style does. */
gboolean lp_transformer_has_dropout(const LpTransformer *self);
/** Whether norms scale only (RMSNorm), in place of scaling and shifting (LayerNorm). */
gboolean lp_transformer_has_rms_norms(const LpTransformer *self);
/** Whether the products other than queries, keys and values have biases. */
gboolean lp_transformer_has_biases(const LpTransformer *self);
/** Whether queries, keys and values have biases. */
gboolean lp_transformer_has_qkv_biases(const LpTransformer *self);

/** Width of one head's queries and keys, without the part that carries positions under MLA:
 * head_width, else hidden / n_heads. */
double lp_transformer_head_width(const LpTransformer *self);
/** Width of one head's values: latent.value_width, else that of its keys. */
double lp_transformer_value_head_width(const LpTransformer *self);
/** Width of the queries over all heads, and of keys, were there as many heads. MLA: positions
 * included. */
double lp_transformer_query_width(const LpTransformer *self);
/** Width of the keys over all key-value heads. MLA: positions included, all heads. */
double lp_transformer_key_width(const LpTransformer *self);
/** Width of the values over all key-value heads. MLA: all heads. */
double lp_transformer_value_width(const LpTransformer *self);
/** Width of the mixture of values, which the projection takes, over all heads. */
double lp_transformer_mixture_width(const LpTransformer *self);
/** The width of a token at the routed experts: the width to which it is compressed (latent experts
 * of Nemotron 3; Megatron-Core's moe_latent_size), or hidden. */
guint32 lp_transformer_expert_hidden(const LpTransformer *self);
/** Inner width of one expert: experts.ffn, else ffn. */
guint32 lp_transformer_expert_ffn(const LpTransformer *self);
/** The interval between layers with experts, counted from the last of the first dense layers:
 * experts.every, at least 1. */
guint32 lp_transformer_expert_every(const LpTransformer *self);
/** Groups that the experts are dealt to: experts.n_groups, at least 1. */
guint32 lp_transformer_n_expert_groups(const LpTransformer *self);
/** Matrices between hidden and ffn: two, or three with a gate. */
double lp_transformer_n_ffn_matrices(const LpTransformer *self);
/** Sequence positions of the logits: one of an image, else the (decoder's) sequence. */
guint32 lp_transformer_head_tokens(const LpTransformer *self);
/** Experts' slots that tokens of one sequence position occupy: top_k, times the capacity factor
 * where buffers are padded to it. */
double lp_transformer_expert_slots(const LpTransformer *self);

G_END_DECLS
