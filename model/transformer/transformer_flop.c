/* SPDX-License-Identifier: Apache-2.0 */
/* Operation counts of a Transformer's matrix products, layer by layer. */
#include "model/transformer/transformer_flop.h"

#include "model/transformer/transformer_layers.h"
#include "model/transformer/transformer_parameters.h"

/* Weights that a token of the layer is multiplied with, outside cross-attention. */
static double
weights_of_token(const LpTransformer *self, LpLayer layer)
{
    gboolean has_attention = layer.has_mixer && layer.mixer == 0;
    double sum = (has_attention ? lp_transformer_attention_weights(self) : 0.0) +
                 (layer.mtp ? lp_transformer_joining_weights(self) : 0.0);
    if (!layer.has_network)
        return sum;
    if (!layer.has_experts)
        return sum + lp_transformer_ffn_weights(self, self->ffn);
    double router =
        (double)self->hidden * self->experts.n + lp_transformer_latent_expert_weights(self);
    double n_experts = (double)self->experts.top_k + self->experts.n_shared;
    if (self->experts.latent == 0)
        return sum + router +
               n_experts * lp_transformer_ffn_weights(self, lp_transformer_expert_ffn(self));
    return sum + router + self->experts.top_k * lp_transformer_expert_weights(self) +
           self->experts.n_shared *
               lp_transformer_ffn_weights(self, lp_transformer_expert_ffn(self));
}

/* Cross-attention: queries and projection for the decoder's tokens, keys and values for the
 * encoder's. */
static double
cross_flop(const LpTransformer *self, double n_sequences)
{
    double h = self->hidden;
    double own = h * (lp_transformer_query_width(self) + lp_transformer_mixture_width(self));
    double others = h * (lp_transformer_key_width(self) + lp_transformer_value_width(self));
    return 2.0 * n_sequences * (self->decoder.seq * own + self->seq * others);
}

double
lp_transformer_layer_forward_flop(const LpTransformer *self, guint32 index, double n_sequences)
{
    LpLayer layer = lp_transformer_layer(self, index);
    return 2.0 * n_sequences * layer.seq * weights_of_token(self, layer) +
           (layer.cross ? cross_flop(self, n_sequences) : 0.0) +
           (layer.mixer > 0 ? n_sequences * self->mixers[layer.mixer - 1].forward_flop : 0.0) +
           lp_transformer_scores_forward_flop(self, index, n_sequences);
}

double
lp_transformer_latent_forward_flop(const LpTransformer *self, guint32 index, double n_sequences)
{
    if (self->latent.kv_rank == 0)
        return 0.0;
    double tokens = n_sequences * lp_transformer_layer(self, index).seq;
    double expanded =
        self->n_heads * (lp_transformer_head_width(self) + lp_transformer_value_head_width(self));
    double queries = (double)self->latent.query_rank * lp_transformer_query_width(self);
    return 2.0 * tokens * (queries + self->latent.kv_rank * expanded);
}

double
lp_transformer_scores_forward_flop(const LpTransformer *self, guint32 index, double n_sequences)
{
    LpLayer layer = lp_transformer_layer(self, index);
    double keys = (double)layer.keys + (layer.cross ? self->seq : 0.0);
    double width = lp_transformer_query_width(self) + lp_transformer_mixture_width(self);
    if (!layer.has_mixer || layer.mixer > 0)
        return 0.0;
    return 2.0 * n_sequences * layer.seq * keys * width;
}

double
lp_transformer_logits_forward_flop(const LpTransformer *self, double n_sequences)
{
    if (!self->embedding)
        return 0.0;
    return 2.0 * (1.0 + self->n_mtp) * n_sequences * lp_transformer_head_tokens(self) *
           self->hidden * self->vocab;
}

double
lp_transformer_embedding_forward_flop(const LpTransformer *self, double n_sequences)
{
    if (!self->embedding || self->image.patch == 0)
        return 0.0;
    return 2.0 * n_sequences * self->seq * lp_transformer_patch_values(self) * self->hidden;
}
