/* SPDX-License-Identifier: Apache-2.0 */
/* Exact parameter and operation counts of a dense decoder-only Transformer. */
#include "model/transformer.h"

/* Counts above this are typing errors, and products of three would no longer be exact doubles. */
#define COUNT_MAX (1u << 24)

G_DEFINE_QUARK(lp_model_error, lp_model_error)

const char *const lp_ffn_kind_names[] = {"gelu", "swiglu", NULL};
const char *const lp_attention_kind_names[] = {"unfused", "flash", NULL};
const char *const lp_positions_names[] = {"learned", "rotary", NULL};

static gboolean
check_count(const char *attribute, guint32 count, GError **error)
{
    if (count >= 1 && count <= COUNT_MAX)
        return TRUE;
    g_set_error(error, LP_MODEL_ERROR, LP_MODEL_ERROR_SHAPE, "%s: got %u, wanted 1 to %u",
                attribute, count, COUNT_MAX);
    return FALSE;
}

static gboolean
check_divides(const char *attribute, guint32 divisor, const char *of, guint32 total, GError **error)
{
    if (total % divisor == 0)
        return TRUE;
    g_set_error(error, LP_MODEL_ERROR, LP_MODEL_ERROR_SHAPE,
                "%s: got %u, wanted a divisor of %s (%u)", attribute, divisor, of, total);
    return FALSE;
}

gboolean
lp_transformer_check(const LpTransformer *self, GError **error)
{
    return check_count("layers", self->n_layers, error) &&
           check_count("hidden", self->hidden, error) &&
           check_count("heads", self->n_heads, error) &&
           check_count("kv-heads", self->n_kv_heads, error) &&
           check_count("ffn", self->ffn, error) && check_count("seq", self->seq, error) &&
           check_count("vocab", self->vocab, error) &&
           check_divides("heads", self->n_heads, "hidden", self->hidden, error) &&
           check_divides("kv-heads", self->n_kv_heads, "heads", self->n_heads, error);
}

/* Width of the keys, and of the values: h kv / a. */
static double
kv_width(const LpTransformer *self)
{
    return (double)self->hidden * self->n_kv_heads / self->n_heads;
}

/* Matrices between hidden and ffn: two, or three with a gate. */
static double
n_ffn_matrices(const LpTransformer *self)
{
    return self->ffn_kind == LP_FFN_SWIGLU ? 3.0 : 2.0;
}

/* Weights of a layer's matrices: queries and projection h^2 each, keys and values, and the
 * feed-forward network's. */
static double
layer_matrix_parameters(const LpTransformer *self)
{
    double h = self->hidden;
    return 2.0 * h * h + 2.0 * h * kv_width(self) + n_ffn_matrices(self) * h * self->ffn;
}

/* One bias for each column of each matrix (GPT style), or none (Llama style). */
static double
layer_bias_parameters(const LpTransformer *self)
{
    if (self->ffn_kind == LP_FFN_SWIGLU)
        return 0.0;
    double h = self->hidden;
    return h + 2.0 * kv_width(self) + h + self->ffn + h;
}

/* LayerNorm scales and shifts (2h), RMSNorm only scales (h). */
static double
norm_parameters(const LpTransformer *self)
{
    return (self->ffn_kind == LP_FFN_SWIGLU ? 1.0 : 2.0) * self->hidden;
}

double
lp_transformer_layer_parameters(const LpTransformer *self)
{
    return layer_matrix_parameters(self) + layer_bias_parameters(self) +
           2.0 * norm_parameters(self);
}

double
lp_transformer_embedding_parameters(const LpTransformer *self)
{
    if (!self->embedding)
        return 0.0;
    double positions = self->positions == LP_POSITIONS_LEARNED ? self->seq : 0.0;
    return ((double)self->vocab + positions) * self->hidden;
}

double
lp_transformer_head_parameters(const LpTransformer *self)
{
    if (!self->embedding)
        return 0.0;
    double output = self->tied_embeddings ? 0.0 : (double)self->vocab * self->hidden;
    return norm_parameters(self) + output;
}

double
lp_transformer_parameters(const LpTransformer *self)
{
    return self->n_layers * lp_transformer_layer_parameters(self) +
           lp_transformer_embedding_parameters(self) + lp_transformer_head_parameters(self);
}

double
lp_transformer_layer_forward_flop(const LpTransformer *self, double n_sequences)
{
    return 2.0 * n_sequences * self->seq * layer_matrix_parameters(self) +
           lp_transformer_scores_forward_flop(self, n_sequences);
}

double
lp_transformer_scores_forward_flop(const LpTransformer *self, double n_sequences)
{
    return 4.0 * n_sequences * self->seq * self->seq * self->hidden;
}

double
lp_transformer_logits_forward_flop(const LpTransformer *self, double n_sequences)
{
    if (!self->embedding)
        return 0.0;
    return 2.0 * n_sequences * self->seq * self->hidden * self->vocab;
}
