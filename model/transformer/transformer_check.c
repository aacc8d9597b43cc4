/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a Transformer's shape is one that exists. */
#include "model/transformer/transformer.h"

/* Counts above this are typing errors, and products of three would no longer be exact doubles. */
#define COUNT_MAX (1u << 24)
/* A kernel time is worked out for each expert's width, not for each expert. */
#define CAPACITY_FACTOR_MAX 1024.0

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
           check_optional("mtp-layers", self->n_mtp, error) &&
           check_count("hidden", self->hidden, error) &&
           check_count("heads", self->n_heads, error) &&
           check_count("kv-heads", self->n_kv_heads, error) &&
           check_count("ffn", self->ffn, error) && check_count("seq", self->seq, error) &&
           check_count("vocab", self->vocab, error) &&
           check_optional("head-width", self->head_width, error) &&
           check_optional("document", self->document, error) &&
           check_optional("window", self->window.keys, error) &&
           check_optional("window-every", self->window.every, error) &&
           check_optional("chunk", self->chunk, error) &&
           check_optional("query-rank", self->latent.query_rank, error) &&
           check_optional("kv-rank", self->latent.kv_rank, error) &&
           check_optional("rope-width", self->latent.rope_width, error) &&
           check_optional("value-width", self->latent.value_width, error) &&
           check_optional("patch", self->image.patch, error) &&
           check_optional("channels", self->image.channels, error);
}

static gboolean
check_heads(const LpTransformer *self, GError **error)
{
    if (self->head_width == 0 &&
        !check_divides("heads", self->n_heads, "hidden", self->hidden, error))
        return FALSE;
    if (!check_divides("kv-heads", self->n_kv_heads, "heads", self->n_heads, error))
        return FALSE;
    if (self->latent.kv_rank > 0) {
        if (self->latent.rope_width == 0)
            return refuse(error, "rope-width: got 0, wanted at least 1 with kv-rank");
        if (self->n_kv_heads != self->n_heads)
            return refuse(error, "kv-heads: got %u, wanted as many as heads (%u) with kv-rank",
                          self->n_kv_heads, self->n_heads);
        return TRUE;
    }
    if (self->latent.query_rank > 0 || self->latent.rope_width > 0 || self->latent.value_width > 0)
        return refuse(error, "kv-rank: got 0, wanted at least 1 with query-rank, rope-width or "
                             "value-width (multi-head latent attention)");
    return TRUE;
}

static gboolean
check_kind(const LpTransformer *self, GError **error)
{
    gboolean pair = self->kind == LP_TRANSFORMER_ENCODER_DECODER;
    if (pair && self->latent.kv_rank > 0)
        return refuse(error, "kv-rank: got %u, wanted 0 with kind encoder-decoder",
                      self->latent.kv_rank);
    if (pair && self->document > 0)
        return refuse(error, "document: got %u, wanted 0 with kind encoder-decoder",
                      self->document);
    if (pair)
        return check_count("decoder-layers", self->decoder.n_layers, error) &&
               check_count("decoder-seq", self->decoder.seq, error);
    if (self->decoder.n_layers > 0 || self->decoder.seq > 0)
        return refuse(error,
                      "decoder-layers, decoder-seq: got %u and %u, wanted neither unless "
                      "kind is encoder-decoder",
                      self->decoder.n_layers, self->decoder.seq);
    return TRUE;
}

static gboolean
check_expert_groups(const LpTransformer *self, GError **error)
{
    guint32 groups = lp_transformer_n_expert_groups(self);
    if (!check_divides("expert-groups", groups, "experts", self->experts.n, error))
        return FALSE;
    if (self->experts.group_limit > groups)
        return refuse(error, "group-limit: got %u, wanted at most expert-groups (%u)",
                      self->experts.group_limit, groups);
    guint32 reachable = self->experts.n / groups * MAX(self->experts.group_limit, 1);
    if (self->experts.group_limit > 0 && self->experts.top_k > reachable)
        return refuse(error, "top-k: got %u, wanted at most the %u experts of group-limit groups",
                      self->experts.top_k, reachable);
    return TRUE;
}

static gboolean
check_experts(const LpTransformer *self, GError **error)
{
    if (!(self->experts.capacity_factor >= 0.0 &&
          self->experts.capacity_factor <= CAPACITY_FACTOR_MAX))
        return refuse(error, "capacity-factor: got %g, wanted 0 to %g",
                      self->experts.capacity_factor, CAPACITY_FACTOR_MAX);
    if (self->experts.n == 0) {
        if (self->experts.top_k > 0 || self->experts.n_shared > 0 || self->experts.ffn > 0 ||
            self->experts.latent > 0)
            return refuse(error, "experts: got 0, wanted at least 1 with top-k, expert-ffn, "
                                 "expert-latent or shared-experts");
        return TRUE;
    }
    if (!check_count("experts", self->experts.n, error) ||
        !check_optional("expert-ffn", self->experts.ffn, error) ||
        !check_optional("expert-latent", self->experts.latent, error) ||
        !check_optional("shared-experts", self->experts.n_shared, error) ||
        !check_optional("expert-every", self->experts.every, error))
        return FALSE;
    if (self->experts.top_k == 0 || self->experts.top_k > self->experts.n)
        return refuse(error, "top-k: got %u, wanted 1 to experts (%u)", self->experts.top_k,
                      self->experts.n);
    if (lp_transformer_n_expert_layers(self) == 0)
        return refuse(error,
                      "dense-layers, expert-every: got %u and %u, wanted at least one layer "
                      "with experts among %u",
                      self->experts.n_dense_layers, lp_transformer_expert_every(self),
                      lp_transformer_n_layers(self));
    return check_expert_groups(self, error);
}

static gboolean
check_image(const LpTransformer *self, GError **error)
{
    if (self->image.patch == 0)
        return TRUE;
    if (self->kind == LP_TRANSFORMER_ENCODER_DECODER)
        return refuse(error, "patch: got %u, wanted 0 with kind encoder-decoder",
                      self->image.patch);
    if (self->n_mtp > 0)
        return refuse(error, "patch: got %u, wanted 0 with mtp-layers", self->image.patch);
    if (self->tied_embeddings)
        return refuse(error,
                      "tied-embeddings: got yes, wanted no with patch: classes are no words");
    return TRUE;
}

static gboolean
check_mtp(const LpTransformer *self, GError **error)
{
    if (self->n_mtp == 0 || (self->kind == LP_TRANSFORMER_DECODER && self->embedding))
        return TRUE;
    return refuse(error, "mtp-layers: got %u, wanted 0 unless kind is decoder, with embedding yes",
                  self->n_mtp);
}

static gboolean
has_reach(const LpTransformer *self, LpLayerWord reach)
{
    for (guint i = 0; i < self->pattern.n; i++)
        if (self->pattern.word[i] == reach)
            return TRUE;
    return FALSE;
}

static gboolean
check_reach(const LpTransformer *self, GError **error)
{
    if (self->pattern.n == 0 && self->window.keys > 0 && self->chunk > 0)
        return refuse(error,
                      "layer-pattern: got auto, wanted which layers have the window (%u) and which "
                      "the chunk (%u), such as 3*chunk+1*window",
                      self->window.keys, self->chunk);
    if (self->pattern.n > 0 && self->window.every > 1)
        return refuse(error, "window-every: got %u, wanted 1 with layer-pattern",
                      self->window.every);
    if (has_reach(self, LP_LAYER_WINDOW) && self->window.keys == 0)
        return refuse(error, "window: got 0, wanted at least 1 where layer-pattern has layers with "
                             "a window");
    if (has_reach(self, LP_LAYER_CHUNK) && self->chunk == 0)
        return refuse(error, "chunk: got 0, wanted at least 1 where layer-pattern has layers with "
                             "chunks");
    if (self->pattern.single_blocks && self->pattern.n == 0)
        return refuse(error, "single-blocks: got yes, wanted no without a layer-pattern");
    if (has_reach(self, LP_LAYER_EXPERTS) && self->experts.n == 0)
        return refuse(error, "experts: got 0, wanted at least 1 where layer-pattern has experts");
    if ((self->pattern.n_mixers > 0 || self->pattern.single_blocks ||
         has_reach(self, LP_LAYER_FFN) || has_reach(self, LP_LAYER_EXPERTS)) &&
        self->kind != LP_TRANSFORMER_DECODER)
        return refuse(error, "layer-pattern: got mixers or networks alone, wanted neither unless "
                             "kind is decoder");
    for (guint i = 0; i < self->pattern.n; i++)
        if (!check_count("layer-pattern", self->pattern.count[i], error))
            return FALSE;
    return TRUE;
}

gboolean
lp_transformer_check(const LpTransformer *self, GError **error)
{
    return check_counts(self, error) && check_heads(self, error) && check_kind(self, error) &&
           check_mtp(self, error) && check_reach(self, error) && check_experts(self, error) &&
           check_image(self, error);
}
