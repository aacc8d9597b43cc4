/* SPDX-License-Identifier: Apache-2.0 */
/* How the families of models in Hugging Face's transformers differ (families.xml). */
#pragma once

#include "workloads/import/family_types.h"

G_BEGIN_DECLS

/** The layers in which attention is limited to a window of tokens. */
typedef enum {
    LP_FAMILY_WINDOW_NONE,
    LP_FAMILY_WINDOW_ALWAYS,  /**< in all layers, unless layer_types say otherwise, as below */
    LP_FAMILY_WINDOW_SWITCH,  /**< only with use_sliding_window, from layer max_window_layers on */
    LP_FAMILY_WINDOW_PATTERN, /**< in all but the last of each sliding_window_pattern layers */
    LP_FAMILY_WINDOW_CHUNKS,  /**< of attention_chunk_size tokens, in layers that no_rope_layers say
                                 have rotary positions, or all but the last of each
                                 no_rope_layer_interval */
} LpFamilyWindow;

/** How a family encodes positions. */
typedef enum {
    LP_FAMILY_POSITIONS_ROTARY,
    LP_FAMILY_POSITIONS_LEARNED,
    LP_FAMILY_POSITIONS_ALIBI,
    LP_FAMILY_POSITIONS_NONE,
} LpFamilyPositions;

/** One family. */
typedef struct {
    const char *model_type;   /**< as configurations name it */
    const char *architecture; /**< what the names of its classes begin with, before "For..." */
    const LpFamilyKeys *keys;
    const LpFamilyExperts *experts; /**< or NULL */
    const LpFamilyLayers *layers;   /**< or NULL: all layers have attention */
    const LpFamilyBias *bias;
    gboolean is_plain; /**< what others are like where nothing tells families apart */
    gboolean gated;    /**< three matrices in the feed-forward network, not two */
    gboolean rms_norm; /**< else LayerNorm */
    gboolean tied;     /**< what an absent tie_word_embeddings means */
    gboolean kv_required;
    gboolean latent;                /**< multi-head latent attention */
    gboolean head_norms;            /**< queries and keys are normalised head by head */
    const char *head_norms_key;     /**< or if this says so */
    gboolean multi_query;           /**< multi_query and num_kv_heads say the key-value heads */
    gboolean in_text;               /**< the shape is under text_config, if there is one */
    guint32 heads, kv_heads, vocab; /**< what absent keys mean; 0: required, of kv_heads as many as
                                       heads */
    guint32 head_width;             /**< what an absent head_dim means; 0: hidden over heads */
    guint32 seq;                    /**< what an absent key means; 0: required */
    double dropout;                 /**< what an absent key means */
    LpFamilyPositions positions;
    LpFamilyWindow window;
    guint32 window_width; /**< tokens that an absent sliding_window or attention_chunk_size means */
    guint32 window_period;    /**< what an absent period of layers means */
    const char *parallel_key; /**< attention and feed-forward side by side; NULL: never */
    gboolean parallel;        /**< what its absence means */
    const char *note;         /**< what no key says and the workload leaves out, or NULL */
} LpFamily;

/** The family at @index, in the order of their names; NULL past the last. Static. */
const LpFamily *lp_family_at(guint index);

/** The properties of a configuration of no known family that distinguish families. */
typedef struct {
    const char *name;             /**< its model_type, or "" */
    gboolean has_experts;         /**< more than one */
    gboolean is_latent;           /**< keys and values are made from one vector */
    const char *const *key_names; /**< all that it has; NULL-ended */
} LpFamilyShape;

/** The family whose shape is the nearest to @shape's, and among those the one whose name is. Whose
 * words all are in the name is nearer than one that only has the same experts. Static. */
const LpFamily *lp_family_nearest(const LpFamilyShape *shape);
/** The family whose classes @architecture ("DeepseekV3ForCausalLM") is one of; NULL: none. Static.
 */
const LpFamily *lp_family_of_architecture(const char *architecture);
/** The family of @model_type; NULL: none. Static. */
const LpFamily *lp_family_find(const char *model_type);
/** Why a known @model_type is of none; NULL: it is not known. Static. */
const char *lp_family_left_out(const char *model_type);

/** What becomes of a key that no mapping reads. */
typedef enum {
    LP_FAMILY_KEY_UNKNOWN,
    LP_FAMILY_KEY_HARMLESS, /**< it changes neither shape nor work */
    LP_FAMILY_KEY_MATTERS,  /**< unless it is off: null, false, 0, "" or empty */
} LpFamilyKeyKind;

/** What becomes of @key. @out_reason: why a key that matters is left out; static. */
LpFamilyKeyKind lp_family_key_kind(const char *key, const char **out_reason);

G_END_DECLS
