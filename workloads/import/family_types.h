/* SPDX-License-Identifier: Apache-2.0 */
/* What families say of sizes, experts, layers and biases. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** Names of the keys of a shape. Several joined by "|" are tried in turn; NULL: there is none. */
typedef struct {
    const char *layers, *hidden, *heads, *kv_heads, *ffn, *seq, *vocab, *activation, *dropout;
} LpFamilyKeys;

/** Keys of a mixture of experts; NULL where the family has no such thing. */
typedef struct {
    const char *experts, *top_k;
    const char *width;        /**< of an expert; NULL: as the feed-forward network's */
    const char *shared;       /**< how many shared experts */
    const char *shared_width; /**< or how wide they are together */
    gboolean has_shared;      /**< or always one */
    const char *latent;       /**< width that tokens are compressed to for them */
    const char *dense_width;  /**< the feed-forward network's width where there are no experts */
    const char *dense;        /**< how many layers at the beginning are dense */
    const char *dense_list;   /**< or which layers are */
    const char *every;        /**< a mixture each so many layers, or a list with 1 for each that has
                                 one */
    gboolean every_is_first;  /**< those whose index is a multiple; else the last of each so many */
    const char *offset;       /**< or from this layer on, counted from 0 */
    /** What an absent topk_method means, where there are n_group and topk_group; else NULL. */
    const char *method;
} LpFamilyExperts;

/** A size of a mixer: an attribute, its key, and what an absent one, or "auto", means; 0: the
 * attribute is left out, but for sizes in an object, which are required. Without keys it is always
 * that. */
typedef struct {
    const char *attribute, *keys;
    guint32 fallback;
} LpFamilySize;

/** Which layers have a mixer in attention's place, said in one of these ways; else all have. */
typedef struct {
    const char *mixer;     /**< what layer-pattern calls it */
    const char *attention; /**< and layers with attention */
    const char *letters;   /**< Megatron-Core's letters, a block each */
    const char *types;     /**< a list of texts */
    const char *indices;   /**< a list of layers with attention, counted from 0 */
    const char *interval;  /**< each so many-th layer has attention */
    guint32 every;         /**< what its absence means; 0: none */
    const char *offset; /**< the first of these, counted from 0; NULL: the last of each so many */
    guint32 first;      /**< what its absence means */
    const char *object; /**< with "full_attn_layers", counted from 1, and the sizes' keys */
    gboolean single_blocks; /**< there are no networks */
    LpFamilySize sizes[8];
} LpFamilyLayers;

/** Biases: a key and what its absence means, or no key and always that. */
typedef struct {
    const char *attention_key;
    gboolean attention;
    gboolean attention_output; /**< attention's biases include the output projection's */
    const char *ffn_key;
    gboolean ffn;
} LpFamilyBias;

G_END_DECLS
