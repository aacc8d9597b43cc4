/* SPDX-License-Identifier: Apache-2.0 */
/* The layers of a Transformer, and their widths. */
#include "model/transformer/transformer_layers.h"

G_DEFINE_QUARK(lp_model_error, lp_model_error)

const char *const lp_layer_word_names[] = {"full", "window", "chunk", "ffn", "experts", NULL};

void
lp_transformer_resolve(LpTransformer *self)
{
    if (self->n_kv_heads == 0)
        self->n_kv_heads = self->n_heads;
    if (self->ffn == 0)
        self->ffn = 4 * self->hidden;
    if (self->norm == LP_NORM_AUTO)
        self->norm = lp_transformer_has_rms_norms(self) ? LP_NORM_RMS : LP_NORM_LAYER;
    if (self->bias == LP_BIAS_AUTO)
        self->bias = lp_transformer_has_biases(self) ? LP_BIAS_YES : LP_BIAS_NO;
    if (self->dropout == LP_DROPOUT_AUTO)
        self->dropout = lp_transformer_has_dropout(self) ? LP_DROPOUT_YES : LP_DROPOUT_NO;
    if (self->head_width == 0 && self->n_heads > 0 && self->hidden % self->n_heads == 0)
        self->head_width = self->hidden / self->n_heads;
    self->window.every = MAX(self->window.every, 1);
    if (self->experts.n > 0)
        self->experts.ffn = lp_transformer_expert_ffn(self);
    self->experts.every = lp_transformer_expert_every(self);
    self->experts.n_groups = lp_transformer_n_expert_groups(self);
    if (self->experts.group_limit == 0)
        self->experts.group_limit = self->experts.n_groups;
    if (self->image.channels == 0)
        self->image.channels = 3;
}

/* --- layers --- */

guint32
lp_transformer_n_layers(const LpTransformer *self)
{
    return self->n_layers + self->decoder.n_layers + self->n_mtp;
}

static guint
pattern_word(const LpLayerPattern *pattern, guint32 index)
{
    guint64 period = 0;
    for (guint i = 0; i < pattern->n; i++)
        period += pattern->count[i];
    guint64 at = index % period;
    guint run = 0;
    while (at >= pattern->count[run])
        at -= pattern->count[run++];
    return pattern->word[run];
}

/* Without a pattern, chunks are those of all layers. */
static guint
layer_word(const LpTransformer *self, guint32 index)
{
    if (self->pattern.n > 0)
        return pattern_word(&self->pattern, index);
    if (self->chunk > 0)
        return LP_LAYER_CHUNK;
    gboolean windowed = self->window.keys > 0 && index % MAX(self->window.every, 1) == 0;
    return windowed ? LP_LAYER_WINDOW : LP_LAYER_FULL;
}

/* Keys for a token, on average, where @all tokens are cut into chunks of @chunk, and into what is
 * left. */
static guint32
mean_keys(guint64 all, guint64 chunk)
{
    guint64 rest = all % chunk;
    return (guint32)(((all - rest) * chunk + rest * rest + all - 1) / all);
}

/* After the dense layers each so many-th has experts. */
static gboolean
has_experts(const LpTransformer *self, guint32 index, guint word)
{
    guint32 every = lp_transformer_expert_every(self);
    if (self->experts.n == 0 || word == LP_LAYER_FFN || word == LP_LAYER_EXPERTS)
        return self->experts.n > 0 && word == LP_LAYER_EXPERTS;
    return index >= self->experts.n_dense_layers &&
           (index - self->experts.n_dense_layers) % every == every - 1;
}

LpLayer
lp_transformer_layer(const LpTransformer *self, guint32 index)
{
    gboolean in_decoder = self->decoder.n_layers > 0 && index >= self->n_layers;
    guint32 seq = in_decoder ? self->decoder.seq : self->seq;
    guint32 span = self->document > 0 ? MIN(self->document, seq) : seq;
    gboolean mtp = index >= lp_transformer_n_layers(self) - self->n_mtp;
    guint word = mtp && self->pattern.single_blocks ? LP_LAYER_FULL : layer_word(self, index);
    gboolean is_network = word == LP_LAYER_FFN || word == LP_LAYER_EXPERTS;
    gboolean has_network = mtp || is_network || !self->pattern.single_blocks;
    gboolean windowed =
        word == LP_LAYER_WINDOW && self->window.keys > 0 && self->window.keys < span;
    gboolean chunked = word == LP_LAYER_CHUNK && self->chunk > 0 && self->chunk < span;
    return (LpLayer){.cross = in_decoder,
                     .has_mixer = !is_network,
                     .has_network = has_network,
                     .has_experts = has_network && (mtp && self->pattern.single_blocks
                                                        ? self->experts.n > 0
                                                        : has_experts(self, index, word)),
                     .mixer = word >= LP_LAYER_MIXER ? word - LP_LAYER_MIXER + 1 : 0,
                     .mtp = mtp,
                     .causal = in_decoder || self->kind == LP_TRANSFORMER_DECODER,
                     .seq = seq,
                     .span = chunked ? self->chunk : span,
                     .keys = windowed  ? self->window.keys
                             : chunked ? mean_keys(span, self->chunk)
                                       : span,
                     .windowed = windowed,
                     .chunked = chunked};
}

/* Up to 31 layers of attention and a network; above, others: of these no decoder has any. */
guint
lp_transformer_layer_kind(const LpTransformer *self, guint32 index)
{
    LpLayer layer = lp_transformer_layer(self, index);
    guint experts = layer.has_experts ? 1 : 0, mtp = layer.mtp ? 1 : 0;
    guint reach = layer.chunked ? 2 : layer.windowed ? 1 : 0;
    if (layer.has_mixer && layer.has_network && layer.mixer == 0)
        return (layer.chunked ? 16u : 0u) + (layer.mtp ? 8u : 0u) + (layer.cross ? 4u : 0u) +
               (layer.has_experts ? 2u : 0u) + (layer.windowed ? 1u : 0u);
    guint mixer = !layer.has_mixer ? 0 : layer.mixer == 0 ? 1 + reach : 3 + layer.mixer;
    return 32 + (mixer * 3 + (layer.has_network ? 1 + experts : 0)) * 2 + mtp;
}

guint32
lp_transformer_n_expert_layers(const LpTransformer *self)
{
    guint32 n = 0;
    for (guint32 i = 0; self->experts.n > 0 && i < lp_transformer_n_layers(self); i++)
        n += lp_transformer_layer(self, i).has_experts ? 1u : 0u;
    return n;
}

gboolean
lp_transformer_copies_embedding(const LpTransformer *self)
{
    return self->embedding && (self->tied_embeddings || self->n_mtp > 0);
}

gboolean
lp_transformer_has_dropout(const LpTransformer *self)
{
    return self->dropout == LP_DROPOUT_AUTO ? self->ffn_kind == LP_FFN_GELU
                                            : self->dropout == LP_DROPOUT_YES;
}

gboolean
lp_transformer_has_rms_norms(const LpTransformer *self)
{
    return self->norm == LP_NORM_AUTO ? self->ffn_kind != LP_FFN_GELU : self->norm == LP_NORM_RMS;
}

gboolean
lp_transformer_has_biases(const LpTransformer *self)
{
    return self->bias == LP_BIAS_AUTO ? self->ffn_kind == LP_FFN_GELU : self->bias == LP_BIAS_YES;
}

gboolean
lp_transformer_has_qkv_biases(const LpTransformer *self)
{
    return self->bias == LP_BIAS_QKV || lp_transformer_has_biases(self);
}

/* --- widths --- */

double
lp_transformer_head_width(const LpTransformer *self)
{
    return self->head_width > 0 ? self->head_width : (double)self->hidden / self->n_heads;
}

double
lp_transformer_value_head_width(const LpTransformer *self)
{
    return self->latent.value_width > 0 ? self->latent.value_width
                                        : lp_transformer_head_width(self);
}

double
lp_transformer_query_width(const LpTransformer *self)
{
    return self->n_heads * (lp_transformer_head_width(self) + self->latent.rope_width);
}

double
lp_transformer_key_width(const LpTransformer *self)
{
    return self->n_kv_heads * (lp_transformer_head_width(self) + self->latent.rope_width);
}

double
lp_transformer_value_width(const LpTransformer *self)
{
    return self->n_kv_heads * lp_transformer_value_head_width(self);
}

double
lp_transformer_mixture_width(const LpTransformer *self)
{
    return self->n_heads * lp_transformer_value_head_width(self);
}

guint32
lp_transformer_expert_ffn(const LpTransformer *self)
{
    return self->experts.ffn > 0 ? self->experts.ffn : self->ffn;
}

guint32
lp_transformer_expert_hidden(const LpTransformer *self)
{
    return self->experts.latent > 0 ? self->experts.latent : self->hidden;
}

guint32
lp_transformer_expert_every(const LpTransformer *self)
{
    return MAX(self->experts.every, 1);
}

guint32
lp_transformer_n_expert_groups(const LpTransformer *self)
{
    return MAX(self->experts.n_groups, 1);
}

double
lp_transformer_n_ffn_matrices(const LpTransformer *self)
{
    return self->ffn_kind == LP_FFN_SWIGLU ? 3.0 : 2.0;
}

guint32
lp_transformer_head_tokens(const LpTransformer *self)
{
    if (self->image.patch > 0)
        return 1;
    return self->kind == LP_TRANSFORMER_ENCODER_DECODER ? self->decoder.seq : self->seq;
}

double
lp_transformer_expert_slots(const LpTransformer *self)
{
    return self->experts.top_k *
           (self->experts.capacity_factor > 0.0 ? self->experts.capacity_factor : 1.0);
}
