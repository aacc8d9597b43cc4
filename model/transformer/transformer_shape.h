/* SPDX-License-Identifier: Apache-2.0 */
/* The shape of a Transformer, as a model's configuration describes it. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** The domain of what is wrong with a shape or a plan. */
#define LP_MODEL_ERROR (lp_model_error_quark())
GQuark lp_model_error_quark(void);

/** Codes of LP_MODEL_ERROR. */
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
    LP_POSITIONS_ROTARY,
    LP_POSITIONS_NONE /**< by the order in which mixers take them (Nemotron-H) */
} LpPositions;

/** The normalisation of a layer's input. This and the next two: those that are "auto" follow the
 * feed-forward kind: GPT style with GELU (layer norms, biases, dropout), Llama style with SwiGLU
 * (RMS norms, neither). */
typedef enum {
    LP_NORM_AUTO,
    LP_NORM_LAYER,
    LP_NORM_RMS
} LpNorm;

/** Which products add a bias. */
typedef enum {
    LP_BIAS_AUTO,
    LP_BIAS_YES,
    LP_BIAS_NO,
    LP_BIAS_QKV /**< on queries, keys and values only (Qwen2) */
} LpBias;

/** Whether layers drop out in training. */
typedef enum {
    LP_DROPOUT_AUTO,
    LP_DROPOUT_YES,
    LP_DROPOUT_NO
} LpDropout;

/** What a pattern says of a layer: how far back its attention looks, that it is a network alone, or
 * which mixer of lists of kernels it has in attention's place. */
typedef enum {
    LP_LAYER_FULL,
    LP_LAYER_WINDOW,  /**< so many keys: a sliding window */
    LP_LAYER_CHUNK,   /**< as far as the chunk of the sequence that a token stands in (Llama 4) */
    LP_LAYER_FFN,     /**< a feed-forward network alone (Nemotron-H) */
    LP_LAYER_EXPERTS, /**< experts alone */
    LP_LAYER_MIXER    /**< and above: a mixer by its index */
} LpLayerWord;

/** Names as in the workload file, NULL-ended, indexed by the enums above. */
extern const char *const lp_transformer_kind_names[];
extern const char *const lp_ffn_kind_names[];
extern const char *const lp_attention_kind_names[];
extern const char *const lp_positions_names[];
extern const char *const lp_norm_names[];
extern const char *const lp_bias_names[];
extern const char *const lp_dropout_names[];
extern const char *const lp_layer_word_names[]; /**< up to LP_LAYER_EXPERTS */

/** The decoder of an encoder-decoder, whose layers have cross-attention too. All 0 for others. */
typedef struct {
    guint32 n_layers, seq;
} LpTransformerDecoder;

/** Sliding-window attention, if keys > 0. */
typedef struct {
    guint32 keys;  /**< that a token looks back to; 0: all */
    guint32 every; /**< without a pattern, layer i has the window if i mod this is 0; 0: as 1 */
} LpTransformerWindow;

/** Runs of layers that a pattern has room for. */
#define LP_LAYER_RUNS_MAX 128u
/** Mixers besides attention that one model has, at most. */
#define LP_MIXERS_MAX 6u
/** Sizes that lists of kernels may ask of a shape, at most. */
#define LP_SHAPE_SIZES_MAX 48u

/** How layers follow each other, if n > 0: runs of layers that are alike, from the first layer on,
 * and over again until there are no more layers. */
typedef struct {
    guint32 n;                        /**< runs; 0: as LpTransformerWindow and chunk say */
    guint32 count[LP_LAYER_RUNS_MAX]; /**< layers of each run, at least 1 */
    guint8 word[LP_LAYER_RUNS_MAX];   /**< LpLayerWord */
    gboolean single_blocks; /**< a layer is one block: what mixes tokens has no network behind it */
    guint32 n_mixers;
    const char *mixer[LP_MIXERS_MAX]; /**< names, interned */
} LpLayerPattern;

/** A mixer that takes attention's place in some layers: what follows from its list of kernels
 * (model/times/mixer.h). */
typedef struct {
    double parameters;      /**< of its block, with the norm before it */
    double whole;           /**< of them, those that each rank of tp holds whole */
    double forward_flop;    /**< of the products of a sequence's forward pass */
    double recomputed_flop; /**< of those that the plan's recomputation of parts runs again */
} LpMixer;

/** Multi-head latent attention (MLA: DeepSeek-V2, arXiv 2405.04434, section 2.1), if kv_rank > 0.
 */
typedef struct {
    guint32 query_rank;  /**< of the compressed queries; 0: queries are projected directly */
    guint32 kv_rank;     /**< of the compressed keys and values */
    guint32 rope_width;  /**< of the part of a head that carries positions */
    guint32 value_width; /**< of a head's values; 0: lp_transformer_value_head_width() says */
} LpTransformerLatent;

/** Mixture of experts, if n > 0. */
typedef struct {
    guint32 n;        /**< E, routed experts */
    guint32 top_k;    /**< routed experts that a token goes to */
    guint32 ffn;      /**< width of one expert; 0: that of the dense layers */
    guint32 latent;   /**< width that tokens are compressed to for routed experts; 0: hidden */
    guint32 n_shared; /**< shared experts: each token passes all of them */
    guint32 n_dense_layers; /**< the first so many layers have no experts */
    guint32 every;          /**< from there on the last layer of each so many has; 0: as 1 */
    guint32 n_groups;       /**< that experts are dealt to; 0: as 1 */
    guint32 group_limit;    /**< groups that a token's experts may come from; 0: all */
    double capacity_factor; /**< tokens an expert takes over the mean; 0: as many as come */
} LpTransformerExperts;

/** A vision transformer's input, if patch > 0. */
typedef struct {
    guint32 patch;    /**< width in pixels */
    guint32 channels; /**< of a pixel; 0: 3 */
} LpTransformerImage;

/** A Transformer as it is given. Where a member says what 0 stands for, lp_transformer_resolve()
 * puts the value in force in its place, but for latent.value_width and experts.capacity_factor,
 * which outputs repeat as given. The functions of model/transformer/transformer.h take both,
 * n_kv_heads and ffn only as resolved. Elsewhere a count of 0 is none. */
typedef struct {
    guint32 n_layers;   /**< L; of the encoder, if there is a decoder too */
    guint32 n_mtp;      /**< modules that predict further tokens, behind the layers: each joins what
                           came with the next tokens' embeddings, and is a layer with a pass through
                           the shared head (DeepSeek-V3, arXiv 2412.19437, section 2.2) */
    guint32 hidden;     /**< h (d in AMPeD) */
    guint32 n_heads;    /**< a */
    guint32 n_kv_heads; /**< key-value heads; 0: n_heads. Fewer: grouped-query attention */
    guint32 head_width; /**< of queries and keys; 0: hidden / n_heads. MLA: without positions */
    guint32 ffn;        /**< width of the feed-forward network, d_ff; 0: 4 hidden */
    guint32 seq;        /**< s, tokens a sequence; patches of an image */
    guint32 document;   /**< tokens of each of the documents that are packed into a sequence, of
                           which attention sees one; 0: a sequence is one */
    guint32 vocab;      /**< V, as padded; classes of a vision transformer */
    LpTransformerKind kind;
    LpFfnKind ffn_kind;
    LpAttentionKind attention;
    LpPositions positions;
    LpNorm norm;
    LpBias bias;
    LpDropout dropout;
    gboolean tied_embeddings; /**< logits use the word embedding's weights */
    gboolean embedding;  /**< FALSE: layers only, neither embedding nor logits: all stages equal */
    gboolean head_norms; /**< queries and keys are normalised head by head (Qwen3) */
    gboolean clamped;    /**< what the gate's function and its factor take is limited (GPT-OSS) */
    gboolean parallel_blocks; /**< attention and feed-forward side by side, one residual sum */
    LpTransformerDecoder decoder;
    LpTransformerWindow window;
    guint32 chunk; /**< tokens of each of the chunks that a sequence is cut into for attention, in
                      layers that are chunked; 0: a sequence is one */
    LpLayerPattern pattern;
    LpMixer mixers[LP_MIXERS_MAX];
    guint32 sizes[LP_SHAPE_SIZES_MAX]; /**< that lists of kernels ask for, LP_SHAPE_SIZES */
    LpTransformerLatent latent;
    LpTransformerExperts experts;
    LpTransformerImage image;
} LpTransformer;

/** What distinguishes layers of one Transformer. */
typedef struct {
    gboolean cross;       /**< has a cross-attention block to the encoder's output */
    gboolean has_mixer;   /**< has attention, or what stands in its place */
    gboolean has_network; /**< has a feed-forward network or experts */
    gboolean has_experts;
    guint mixer;  /**< 0: attention; else 1 + the index of the mixer in its place */
    gboolean mtp; /**< that of a module that predicts further tokens */
    gboolean causal;
    guint32 seq;  /**< tokens of a sequence */
    guint32 span; /**< tokens of it that see each other: all, or those of a document or chunk */
    guint32 keys; /**< keys that attention reads for a token, at most: on average over the
                     chunks, of which the last may be shorter */
    gboolean windowed; /**< keys < span: a window hides some of what a causal mask leaves */
    gboolean chunked;  /**< a chunk is narrower than what would see each other without it */
} LpLayer;

/** lp_transformer_layer_kind() is below this. */
#define LP_LAYER_KINDS 96
/** Kinds that one Transformer has, at most. */
#define LP_LAYER_ROWS 32

G_END_DECLS
