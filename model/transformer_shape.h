/* SPDX-License-Identifier: Apache-2.0 */
/* The shape of a Transformer: what a model's configuration says of it. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define LP_MODEL_ERROR (lp_model_error_quark())
/** The domain of what is wrong with a shape or a plan. */
GQuark lp_model_error_quark(void);
typedef enum {
    LP_MODEL_ERROR_SHAPE, /**< The transformer's numbers contradict each other. */
    LP_MODEL_ERROR_PLAN,  /**< The plan does not divide, or its rules forbid it. */
} LpModelError;

/** Which halves a Transformer has. */
typedef enum {
    LP_TRANSFORMER_DECODER, /**< attention looks back only (causal) */
    LP_TRANSFORMER_ENCODER,
    LP_TRANSFORMER_ENCODER_DECODER
} LpTransformerKind;

/** The activation of the feed-forward network; SwiGLU has a gate, a third matrix. */
typedef enum {
    LP_FFN_GELU,
    LP_FFN_SWIGLU
} LpFfnKind;

/** Whether attention is one kernel that keeps no scores (Dao et al., arXiv 2205.14135). */
typedef enum {
    LP_ATTENTION_UNFUSED,
    LP_ATTENTION_FLASH
} LpAttentionKind;

/** How tokens know their places. */
typedef enum {
    LP_POSITIONS_LEARNED,
    LP_POSITIONS_ROTARY
} LpPositions;

/** Those that are "auto" follow the feed-forward kind: GPT style with GELU (layer norms, biases,
 * dropout), Llama style with SwiGLU (RMS norms, neither). */
typedef enum {
    LP_NORM_AUTO,
    LP_NORM_LAYER,
    LP_NORM_RMS
} LpNorm;

typedef enum {
    LP_BIAS_AUTO,
    LP_BIAS_YES,
    LP_BIAS_NO,
    LP_BIAS_QKV /**< on queries, keys and values only (Qwen2) */
} LpBias;

typedef enum {
    LP_DROPOUT_AUTO,
    LP_DROPOUT_YES,
    LP_DROPOUT_NO
} LpDropout;

/** Names as in the workload file, NULL-ended, indexed by the enums above. */
extern const char *const lp_transformer_kind_names[];
extern const char *const lp_ffn_kind_names[];
extern const char *const lp_attention_kind_names[];
extern const char *const lp_positions_names[];
extern const char *const lp_norm_names[];
extern const char *const lp_bias_names[];
extern const char *const lp_dropout_names[];

/** A Transformer. A count of 0 means "as usual" where a comment says so, and "none" elsewhere. */
typedef struct {
    guint32 n_layers;   /**< L; of the encoder, if there is a decoder too */
    guint32 hidden;     /**< h (d in AMPeD) */
    guint32 n_heads;    /**< a */
    guint32 n_kv_heads; /**< key-value heads; n_heads unless grouped-query attention */
    guint32 ffn;        /**< width of the feed-forward network, d_ff */
    guint32 seq;        /**< s, tokens a sequence; patches of an image */
    guint32 vocab;      /**< V, as padded; classes of a vision transformer */
    LpFfnKind ffn_kind;
    LpAttentionKind attention;
    LpPositions positions;
    gboolean tied_embeddings; /**< logits use the word embedding's weights */
    gboolean embedding; /**< FALSE: layers only, neither embedding nor logits: all stages equal */

    LpTransformerKind kind;
    guint32 n_decoder_layers, decoder_seq; /**< of an encoder-decoder: with cross-attention */
    guint32 head_width; /**< of queries and keys; 0: hidden / n_heads. MLA: without positions */
    LpNorm norm;
    LpBias bias;
    LpDropout dropout;
    gboolean parallel_blocks; /**< attention and feed-forward side by side, one residual sum */
    guint32 window;           /**< keys that a token looks back to; 0: all */
    guint32 window_every;     /**< layer i has the window if i mod this is 0; 0: as 1 */

    /* Multi-head latent attention (DeepSeek-V2, arXiv 2405.04434, section 2.1), if kv_rank > 0. */
    guint32 query_rank;  /**< of the compressed queries; 0: queries are projected directly */
    guint32 kv_rank;     /**< of the compressed keys and values */
    guint32 rope_width;  /**< of the part of a head that carries positions */
    guint32 value_width; /**< of a head's values; 0: as head_width */

    /* Mixture of experts, if n_experts > 0. */
    guint32 n_experts, top_k;
    guint32 expert_ffn;       /**< width of one expert; 0: ffn */
    guint32 n_shared_experts; /**< each token passes all of them */
    guint32 n_dense_layers;   /**< the first so many layers have no experts */
    guint32 expert_every;     /**< from there on the last layer of each so many has; 0: as 1 */
    guint32 n_expert_groups;  /**< 0: as 1 */
    guint32 group_limit;      /**< groups that a token's experts may come from; 0: all */
    double capacity_factor;   /**< tokens an expert takes over the mean; 0: as many as come */

    guint32 patch, channels; /**< of a vision transformer: width in pixels; 0 channels: 3 */
} LpTransformer;

/** What distinguishes layers of one Transformer. */
typedef struct {
    gboolean cross; /**< has a cross-attention block to the encoder's output */
    gboolean has_experts;
    gboolean causal;
    guint32 seq;  /**< tokens of a sequence */
    guint32 keys; /**< keys that attention reads for each token, at most */
} LpLayer;

/** lp_transformer_layer_kind() is below this. */
#define LP_LAYER_KINDS 8

G_END_DECLS
