/* SPDX-License-Identifier: Apache-2.0 */
/* The shape of a Transformer, and its parameter and operation counts. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define LP_MODEL_ERROR (lp_model_error_quark())
GQuark lp_model_error_quark(void);
typedef enum {
    LP_MODEL_ERROR_SHAPE, /**< The transformer's numbers contradict each other. */
    LP_MODEL_ERROR_PLAN,  /**< The plan does not divide, or its rules forbid it. */
} LpModelError;

typedef enum {
    LP_FFN_GELU,
    LP_FFN_SWIGLU
} LpFfnKind;
typedef enum {
    LP_ATTENTION_UNFUSED,
    LP_ATTENTION_FLASH
} LpAttentionKind;
typedef enum {
    LP_POSITIONS_LEARNED,
    LP_POSITIONS_ROTARY
} LpPositions;

/** Names as in the workload file, NULL-ended, indexed by the enums above. */
extern const char *const lp_ffn_kind_names[];
extern const char *const lp_attention_kind_names[];
extern const char *const lp_positions_names[];

/** A dense decoder-only Transformer. */
typedef struct {
    guint32 n_layers;   /**< L */
    guint32 hidden;     /**< h (d in AMPeD) */
    guint32 n_heads;    /**< a */
    guint32 n_kv_heads; /**< key-value heads; n_heads unless grouped-query attention */
    guint32 ffn;        /**< width of the feed-forward network, d_ff */
    guint32 seq;        /**< s, tokens a sequence */
    guint32 vocab;      /**< V, as padded */
    LpFfnKind ffn_kind;
    LpAttentionKind attention;
    LpPositions positions;
    gboolean tied_embeddings; /**< logits use the word embedding's weights */
    gboolean embedding; /**< FALSE: layers only, neither embedding nor logits: all stages equal */
} LpTransformer;

/** Checks that the shape is one that exists: heads divide hidden, key-value heads divide heads,
 * every count at least 1 and at most 2^24. Error: LP_MODEL_ERROR_SHAPE, naming the attribute as the
 * workload file does. */
gboolean lp_transformer_check(const LpTransformer *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** Parameters of one layer: attention, feed-forward, two norms; biases with GELU (GPT style), none
 * with SwiGLU (Llama style). GPT: 12 h^2 + 13 h. */
double lp_transformer_layer_parameters(const LpTransformer *self);
/** Word embedding (V h) and, if learned, positions (s h). 0 without embedding. */
double lp_transformer_embedding_parameters(const LpTransformer *self);
/** Final norm, and the output matrix unless tied. 0 without embedding. */
double lp_transformer_head_parameters(const LpTransformer *self);
double lp_transformer_parameters(const LpTransformer *self);

/** FLOP of the matrix products of one layer's forward pass over @n_sequences sequences
 * (GELU, full heads: 24 b s h^2 + 4 b s^2 h; Narayanan et al. SC 2021, section 5.1). */
double lp_transformer_layer_forward_flop(const LpTransformer *self, double n_sequences);
/** FLOP of the scores and of the product over values, forward: 4 b s^2 h. */
double lp_transformer_scores_forward_flop(const LpTransformer *self, double n_sequences);
/** FLOP of the logits' forward pass: 2 b s h V. 0 without embedding. */
double lp_transformer_logits_forward_flop(const LpTransformer *self, double n_sequences);

G_END_DECLS
