/* SPDX-License-Identifier: Apache-2.0 */
/* Exact parameter and operation counts of a Transformer, layer by layer. */
#include "model/transformer.h"

#include <math.h>

/* Counts above this are typing errors, and products of three would no longer be exact doubles. */
#define COUNT_MAX (1u << 24)
/* A kernel time is worked out for each expert's width, not for each expert. */
#define CAPACITY_FACTOR_MAX 1024.0

G_DEFINE_QUARK(lp_model_error, lp_model_error)

const char *const lp_transformer_kind_names[] = {"decoder", "encoder", "encoder-decoder", NULL};
const char *const lp_ffn_kind_names[] = {"gelu", "swiglu", NULL};
const char *const lp_attention_kind_names[] = {"unfused", "flash", NULL};
const char *const lp_positions_names[] = {"learned", "rotary", NULL};
const char *const lp_norm_names[] = {"auto", "layernorm", "rmsnorm", NULL};
const char *const lp_bias_names[] = {"auto", "yes", "no", "qkv", NULL};
const char *const lp_dropout_names[] = {"auto", "yes", "no", NULL};

/* --- checks --- */

static gboolean refuse(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);

static gboolean
refuse(GError **error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_propagate_error(error,
                      g_error_new_valist(LP_MODEL_ERROR, LP_MODEL_ERROR_SHAPE, format, arguments));
    va_end(arguments);
    return FALSE;
}

static gboolean
check_count(const char *attribute, guint32 count, GError **error)
{
    if (count >= 1 && count <= COUNT_MAX)
        return TRUE;
    return refuse(error, "%s: got %u, wanted 1 to %u", attribute, count, COUNT_MAX);
}

static gboolean
check_optional(const char *attribute, guint32 count, GError **error)
{
    if (count <= COUNT_MAX)
        return TRUE;
    return refuse(error, "%s: got %u, wanted at most %u", attribute, count, COUNT_MAX);
}

static gboolean
check_divides(const char *attribute, guint32 divisor, const char *of, guint32 total, GError **error)
{
    if (total % divisor == 0)
        return TRUE;
    return refuse(error, "%s: got %u, wanted a divisor of %s (%u)", attribute, divisor, of, total);
}

static gboolean
check_counts(const LpTransformer *self, GError **error)
{
    return check_count("layers", self->n_layers, error) &&
           check_count("hidden", self->hidden, error) &&
           check_count("heads", self->n_heads, error) &&
           check_count("kv-heads", self->n_kv_heads, error) &&
           check_count("ffn", self->ffn, error) && check_count("seq", self->seq, error) &&
           check_count("vocab", self->vocab, error) &&
           check_optional("head-width", self->head_width, error) &&
           check_optional("window", self->window, error) &&
           check_optional("window-every", self->window_every, error) &&
           check_optional("query-rank", self->query_rank, error) &&
           check_optional("kv-rank", self->kv_rank, error) &&
           check_optional("rope-width", self->rope_width, error) &&
           check_optional("value-width", self->value_width, error) &&
           check_optional("patch", self->patch, error) &&
           check_optional("channels", self->channels, error);
}

static gboolean
check_heads(const LpTransformer *self, GError **error)
{
    if (self->head_width == 0 &&
        !check_divides("heads", self->n_heads, "hidden", self->hidden, error))
        return FALSE;
    if (!check_divides("kv-heads", self->n_kv_heads, "heads", self->n_heads, error))
        return FALSE;
    if (self->kv_rank > 0) {
        if (self->rope_width == 0)
            return refuse(error, "rope-width: got 0, wanted at least 1 with kv-rank");
        if (self->n_kv_heads != self->n_heads)
            return refuse(error, "kv-heads: got %u, wanted as many as heads (%u) with kv-rank",
                          self->n_kv_heads, self->n_heads);
        return TRUE;
    }
    if (self->query_rank > 0 || self->rope_width > 0 || self->value_width > 0)
        return refuse(error, "kv-rank: got 0, wanted at least 1 with query-rank, rope-width or "
                             "value-width (multi-head latent attention)");
    return TRUE;
}

static gboolean
check_kind(const LpTransformer *self, GError **error)
{
    gboolean pair = self->kind == LP_TRANSFORMER_ENCODER_DECODER;
    if (pair && self->kv_rank > 0)
        return refuse(error, "kv-rank: got %u, wanted 0 with kind encoder-decoder", self->kv_rank);
    if (pair)
        return check_count("decoder-layers", self->n_decoder_layers, error) &&
               check_count("decoder-seq", self->decoder_seq, error);
    if (self->n_decoder_layers > 0 || self->decoder_seq > 0)
        return refuse(error,
                      "decoder-layers, decoder-seq: got %u and %u, wanted neither unless "
                      "kind is encoder-decoder",
                      self->n_decoder_layers, self->decoder_seq);
    return TRUE;
}

static gboolean
check_expert_groups(const LpTransformer *self, GError **error)
{
    guint32 groups = MAX(self->n_expert_groups, 1);
    if (!check_divides("expert-groups", groups, "experts", self->n_experts, error))
        return FALSE;
    if (self->group_limit > groups)
        return refuse(error, "group-limit: got %u, wanted at most expert-groups (%u)",
                      self->group_limit, groups);
    guint32 reachable = self->n_experts / groups * MAX(self->group_limit, 1);
    if (self->group_limit > 0 && self->top_k > reachable)
        return refuse(error, "top-k: got %u, wanted at most the %u experts of group-limit groups",
                      self->top_k, reachable);
    return TRUE;
}

static gboolean
check_experts(const LpTransformer *self, GError **error)
{
    if (!(self->capacity_factor >= 0.0 && self->capacity_factor <= CAPACITY_FACTOR_MAX))
        return refuse(error, "capacity-factor: got %g, wanted 0 to %g", self->capacity_factor,
                      CAPACITY_FACTOR_MAX);
    if (self->n_experts == 0) {
        if (self->top_k > 0 || self->n_shared_experts > 0 || self->expert_ffn > 0)
            return refuse(error, "experts: got 0, wanted at least 1 with top-k, expert-ffn or "
                                 "shared-experts");
        return TRUE;
    }
    if (!check_count("experts", self->n_experts, error) ||
        !check_count("top-k", self->top_k, error) ||
        !check_optional("expert-ffn", self->expert_ffn, error) ||
        !check_optional("shared-experts", self->n_shared_experts, error) ||
        !check_optional("expert-every", self->expert_every, error))
        return FALSE;
    if (self->top_k > self->n_experts)
        return refuse(error, "top-k: got %u, wanted at most experts (%u)", self->top_k,
                      self->n_experts);
    if (lp_transformer_n_expert_layers(self) == 0)
        return refuse(error,
                      "dense-layers, expert-every: got %u and %u, wanted at least one layer "
                      "with experts among %u",
                      self->n_dense_layers, MAX(self->expert_every, 1),
                      lp_transformer_n_layers(self));
    return check_expert_groups(self, error);
}

static gboolean
check_image(const LpTransformer *self, GError **error)
{
    if (self->patch == 0)
        return TRUE;
    if (self->kind == LP_TRANSFORMER_ENCODER_DECODER)
        return refuse(error, "patch: got %u, wanted 0 with kind encoder-decoder", self->patch);
    if (self->tied_embeddings)
        return refuse(error,
                      "tied-embeddings: got yes, wanted no with patch: classes are no words");
    return TRUE;
}

gboolean
lp_transformer_check(const LpTransformer *self, GError **error)
{
    return check_counts(self, error) && check_heads(self, error) && check_kind(self, error) &&
           check_experts(self, error) && check_image(self, error);
}

/* --- layers --- */

guint32
lp_transformer_n_layers(const LpTransformer *self)
{
    return self->n_layers + self->n_decoder_layers;
}

static gboolean
has_experts(const LpTransformer *self, guint32 index)
{
    if (self->n_experts == 0 || index < self->n_dense_layers)
        return FALSE;
    guint32 every = MAX(self->expert_every, 1);
    return (index - self->n_dense_layers) % every == every - 1;
}

LpLayer
lp_transformer_layer(const LpTransformer *self, guint32 index)
{
    gboolean in_decoder = index >= self->n_layers;
    gboolean windowed = self->window > 0 && index % MAX(self->window_every, 1) == 0;
    guint32 seq = in_decoder ? self->decoder_seq : self->seq;
    return (LpLayer){.cross = in_decoder,
                     .has_experts = has_experts(self, index),
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
    return (lp_transformer_n_layers(self) - self->n_dense_layers) / MAX(self->expert_every, 1);
}

static gboolean
is_gpt_style(const LpTransformer *self)
{
    return self->ffn_kind == LP_FFN_GELU;
}

gboolean
lp_transformer_has_dropout(const LpTransformer *self)
{
    return self->dropout == LP_DROPOUT_AUTO ? is_gpt_style(self) : self->dropout == LP_DROPOUT_YES;
}

gboolean
lp_transformer_has_biases(const LpTransformer *self)
{
    return self->bias == LP_BIAS_AUTO ? is_gpt_style(self) : self->bias == LP_BIAS_YES;
}

static gboolean
has_qkv_biases(const LpTransformer *self)
{
    return self->bias == LP_BIAS_QKV || lp_transformer_has_biases(self);
}

/* --- widths --- */

static double
head_width(const LpTransformer *self)
{
    return self->head_width > 0 ? self->head_width : (double)self->hidden / self->n_heads;
}

static double
value_head_width(const LpTransformer *self)
{
    return self->value_width > 0 ? self->value_width : head_width(self);
}

double
lp_transformer_query_width(const LpTransformer *self)
{
    return self->n_heads * (head_width(self) + self->rope_width);
}

double
lp_transformer_key_width(const LpTransformer *self)
{
    return self->n_kv_heads * (head_width(self) + self->rope_width);
}

double
lp_transformer_value_width(const LpTransformer *self)
{
    return self->n_kv_heads * value_head_width(self);
}

double
lp_transformer_mixture_width(const LpTransformer *self)
{
    return self->n_heads * value_head_width(self);
}

guint32
lp_transformer_expert_ffn(const LpTransformer *self)
{
    return self->expert_ffn > 0 ? self->expert_ffn : self->ffn;
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

/* --- parameters --- */

/* Weights of an attention block's matrices: queries, keys, values, and the projection of their
 * mixture; MLA compresses first (DeepSeek-V2, arXiv 2405.04434, equations 9 to 18). */
static double
attention_matrices(const LpTransformer *self)
{
    double h = self->hidden;
    double projection = lp_transformer_mixture_width(self) * h;
    if (self->kv_rank == 0)
        return h * (lp_transformer_query_width(self) + lp_transformer_key_width(self) +
                    lp_transformer_value_width(self)) +
               projection;
    double queries = self->query_rank > 0
                         ? self->query_rank * (h + lp_transformer_query_width(self))
                         : h * lp_transformer_query_width(self);
    double expanded = self->n_heads * (head_width(self) + value_head_width(self));
    return queries + h * (self->kv_rank + self->rope_width) + self->kv_rank * expanded + projection;
}

static double
attention_biases(const LpTransformer *self)
{
    double qkv = lp_transformer_query_width(self) + lp_transformer_key_width(self) +
                 lp_transformer_value_width(self);
    return (has_qkv_biases(self) ? qkv : 0.0) +
           (lp_transformer_has_biases(self) ? self->hidden : 0.0);
}

/* A feed-forward network of inner width @width. */
static double
ffn_matrices(const LpTransformer *self, double width)
{
    return lp_transformer_n_ffn_matrices(self) * self->hidden * width;
}

static double
ffn_biases(const LpTransformer *self, double width)
{
    if (!lp_transformer_has_biases(self))
        return 0.0;
    return (lp_transformer_n_ffn_matrices(self) - 1.0) * width + self->hidden;
}

static double
ffn_parameters(const LpTransformer *self, double width)
{
    return ffn_matrices(self, width) + ffn_biases(self, width);
}

static double
router_parameters(const LpTransformer *self)
{
    return (double)self->hidden * self->n_experts;
}

/* LayerNorm scales and shifts (2h), RMSNorm only scales (h). */
static double
norm_parameters(const LpTransformer *self)
{
    gboolean rms = self->norm == LP_NORM_AUTO ? !is_gpt_style(self) : self->norm == LP_NORM_RMS;
    return (rms ? 1.0 : 2.0) * self->hidden;
}

double
lp_transformer_layer_expert_parameters(const LpTransformer *self, guint32 index)
{
    if (!lp_transformer_layer(self, index).has_experts)
        return 0.0;
    return self->n_experts * ffn_parameters(self, lp_transformer_expert_ffn(self));
}

/* Attention blocks, the router and shared experts or the feed-forward network, and norms. */
static double
layer_dense_parameters(const LpTransformer *self, LpLayer layer)
{
    double n_attentions = layer.cross ? 2.0 : 1.0;
    double sum = n_attentions * (attention_matrices(self) + attention_biases(self)) +
                 (n_attentions + 1.0) * norm_parameters(self) + self->query_rank + self->kv_rank;
    if (!layer.has_experts)
        return sum + ffn_parameters(self, self->ffn);
    return sum + router_parameters(self) +
           self->n_shared_experts * ffn_parameters(self, lp_transformer_expert_ffn(self));
}

double
lp_transformer_layer_parameters(const LpTransformer *self, guint32 index)
{
    return layer_dense_parameters(self, lp_transformer_layer(self, index)) +
           lp_transformer_layer_expert_parameters(self, index);
}

double
lp_transformer_patch_values(const LpTransformer *self)
{
    return (double)self->patch * self->patch * (self->channels > 0 ? self->channels : 3);
}

double
lp_transformer_embedding_parameters(const LpTransformer *self)
{
    if (!self->embedding)
        return 0.0;
    double positions =
        self->positions == LP_POSITIONS_LEARNED ? (double)self->seq + self->decoder_seq : 0.0;
    /* One bias and one class token besides the patches' matrix. */
    double entries = self->patch > 0 ? lp_transformer_patch_values(self) + 2.0 : self->vocab;
    return (entries + positions) * self->hidden;
}

double
lp_transformer_head_parameters(const LpTransformer *self)
{
    if (!self->embedding)
        return 0.0;
    double output = self->tied_embeddings ? 0.0 : (double)self->vocab * self->hidden;
    double n_norms = self->kind == LP_TRANSFORMER_ENCODER_DECODER ? 2.0 : 1.0;
    return n_norms * norm_parameters(self) + output;
}

double
lp_transformer_parameters(const LpTransformer *self)
{
    double sum = lp_transformer_embedding_parameters(self) + lp_transformer_head_parameters(self);
    for (guint32 i = 0; i < lp_transformer_n_layers(self); i++)
        sum += lp_transformer_layer_parameters(self, i);
    return sum;
}

double
lp_transformer_active_parameters(const LpTransformer *self)
{
    double sum = lp_transformer_parameters(self);
    double idle = self->n_experts > 0 ? 1.0 - (double)self->top_k / self->n_experts : 0.0;
    for (guint32 i = 0; i < lp_transformer_n_layers(self); i++)
        sum -= idle * lp_transformer_layer_expert_parameters(self, i);
    return sum;
}

/* --- operations --- */

/* Weights that a token of the layer is multiplied with, outside cross-attention. */
static double
matrices_of_token(const LpTransformer *self, LpLayer layer)
{
    double sum = attention_matrices(self);
    if (!layer.has_experts)
        return sum + ffn_matrices(self, self->ffn);
    double n_experts = (double)self->top_k + self->n_shared_experts;
    return sum + router_parameters(self) +
           n_experts * ffn_matrices(self, lp_transformer_expert_ffn(self));
}

/* Cross-attention: queries and projection for the decoder's tokens, keys and values for the
 * encoder's. */
static double
cross_flop(const LpTransformer *self, double n_sequences)
{
    double h = self->hidden;
    double own = h * (lp_transformer_query_width(self) + lp_transformer_mixture_width(self));
    double others = h * (lp_transformer_key_width(self) + lp_transformer_value_width(self));
    return 2.0 * n_sequences * (self->decoder_seq * own + self->seq * others);
}

double
lp_transformer_layer_forward_flop(const LpTransformer *self, guint32 index, double n_sequences)
{
    LpLayer layer = lp_transformer_layer(self, index);
    return 2.0 * n_sequences * layer.seq * matrices_of_token(self, layer) +
           (layer.cross ? cross_flop(self, n_sequences) : 0.0) +
           lp_transformer_scores_forward_flop(self, index, n_sequences);
}

double
lp_transformer_latent_forward_flop(const LpTransformer *self, guint32 index, double n_sequences)
{
    if (self->kv_rank == 0)
        return 0.0;
    double tokens = n_sequences * lp_transformer_layer(self, index).seq;
    double expanded = self->n_heads * (head_width(self) + value_head_width(self));
    double queries = (double)self->query_rank * lp_transformer_query_width(self);
    return 2.0 * tokens * (queries + self->kv_rank * expanded);
}

double
lp_transformer_scores_forward_flop(const LpTransformer *self, guint32 index, double n_sequences)
{
    LpLayer layer = lp_transformer_layer(self, index);
    double keys = (double)layer.keys + (layer.cross ? self->seq : 0.0);
    double width = lp_transformer_query_width(self) + lp_transformer_mixture_width(self);
    return 2.0 * n_sequences * layer.seq * keys * width;
}

double
lp_transformer_logits_forward_flop(const LpTransformer *self, double n_sequences)
{
    if (!self->embedding)
        return 0.0;
    return 2.0 * n_sequences * lp_transformer_head_tokens(self) * self->hidden * self->vocab;
}

double
lp_transformer_embedding_forward_flop(const LpTransformer *self, double n_sequences)
{
    if (!self->embedding || self->patch == 0)
        return 0.0;
    return 2.0 * n_sequences * self->seq * lp_transformer_patch_values(self) * self->hidden;
}
