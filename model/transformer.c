/* SPDX-License-Identifier: Apache-2.0 */
/* The layers of a Transformer, and their widths. */
#include "model/transformer.h"

G_DEFINE_QUARK(lp_model_error, lp_model_error)

const char *const lp_transformer_kind_names[] = {"decoder", "encoder", "encoder-decoder", NULL};
const char *const lp_ffn_kind_names[] = {"gelu", "swiglu", NULL};
const char *const lp_attention_kind_names[] = {"unfused", "flash", NULL};
const char *const lp_positions_names[] = {"learned", "rotary", NULL};
const char *const lp_norm_names[] = {"auto", "layernorm", "rmsnorm", NULL};
const char *const lp_bias_names[] = {"auto", "yes", "no", "qkv", NULL};
const char *const lp_dropout_names[] = {"auto", "yes", "no", NULL};

/* --- layers --- */

guint32
lp_transformer_n_layers(const LpTransformer *self)
{
    return self->n_layers + self->n_decoder_layers;
}

LpLayer
lp_transformer_layer(const LpTransformer *self, guint32 index)
{
    gboolean in_decoder = index >= self->n_layers;
    guint32 every = lp_transformer_expert_every(self);
    gboolean has_experts = self->n_experts > 0 && index >= self->n_dense_layers &&
                           (index - self->n_dense_layers) % every == every - 1;
    gboolean windowed = self->window > 0 && index % MAX(self->window_every, 1) == 0;
    guint32 seq = in_decoder ? self->decoder_seq : self->seq;
    return (LpLayer){.cross = in_decoder,
                     .has_experts = has_experts,
                     .causal = in_decoder || self->kind == LP_TRANSFORMER_DECODER,
                     .seq = seq,
                     .keys = windowed ? MIN(self->window, seq) : seq};
}

guint
lp_transformer_layer_kind(const LpTransformer *self, guint32 index)
{
    LpLayer layer = lp_transformer_layer(self, index);
    return (layer.cross ? 4u : 0u) + (layer.has_experts ? 2u : 0u) +
           (layer.keys < layer.seq ? 1u : 0u);
}

guint32
lp_transformer_n_expert_layers(const LpTransformer *self)
{
    if (self->n_experts == 0 || self->n_dense_layers >= lp_transformer_n_layers(self))
        return 0;
    return (lp_transformer_n_layers(self) - self->n_dense_layers) /
           lp_transformer_expert_every(self);
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
    return self->value_width > 0 ? self->value_width : lp_transformer_head_width(self);
}

double
lp_transformer_query_width(const LpTransformer *self)
{
    return self->n_heads * (lp_transformer_head_width(self) + self->rope_width);
}

double
lp_transformer_key_width(const LpTransformer *self)
{
    return self->n_kv_heads * (lp_transformer_head_width(self) + self->rope_width);
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
    return self->expert_ffn > 0 ? self->expert_ffn : self->ffn;
}

guint32
lp_transformer_expert_every(const LpTransformer *self)
{
    return MAX(self->expert_every, 1);
}

guint32
lp_transformer_n_expert_groups(const LpTransformer *self)
{
    return MAX(self->n_expert_groups, 1);
}

double
lp_transformer_n_ffn_matrices(const LpTransformer *self)
{
    return self->ffn_kind == LP_FFN_SWIGLU ? 3.0 : 2.0;
}

guint32
lp_transformer_head_tokens(const LpTransformer *self)
{
    if (self->patch > 0)
        return 1;
    return self->kind == LP_TRANSFORMER_ENCODER_DECODER ? self->decoder_seq : self->seq;
}

double
lp_transformer_expert_slots(const LpTransformer *self)
{
    return self->top_k * (self->capacity_factor > 0.0 ? self->capacity_factor : 1.0);
}
