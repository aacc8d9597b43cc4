/* SPDX-License-Identifier: Apache-2.0 */
/* Exact parameter counts of a Transformer, layer by layer. */
#include "model/transformer/transformer_parameters.h"

#include "model/transformer/transformer_layers.h"

double
lp_transformer_compression_weights(const LpTransformer *self)
{
    if (self->latent.kv_rank == 0)
        return 0.0;
    return (double)self->hidden *
           ((double)self->latent.query_rank + self->latent.kv_rank + self->latent.rope_width);
}

double
lp_transformer_attention_weights(const LpTransformer *self)
{
    double h = self->hidden;
    double projection = lp_transformer_mixture_width(self) * h;
    if (self->latent.kv_rank == 0)
        return h * (lp_transformer_query_width(self) + lp_transformer_key_width(self) +
                    lp_transformer_value_width(self)) +
               projection;
    double from = self->latent.query_rank > 0 ? self->latent.query_rank : h;
    double expanded =
        self->n_heads * (lp_transformer_head_width(self) + lp_transformer_value_head_width(self));
    return lp_transformer_compression_weights(self) + from * lp_transformer_query_width(self) +
           self->latent.kv_rank * expanded + projection;
}

double
lp_transformer_joining_weights(const LpTransformer *self)
{
    return 2.0 * self->hidden * self->hidden;
}

double
lp_transformer_attention_parameters(const LpTransformer *self)
{
    double qkv = lp_transformer_query_width(self) + lp_transformer_key_width(self) +
                 lp_transformer_value_width(self);
    double biases = (lp_transformer_has_qkv_biases(self) ? qkv : 0.0) +
                    (lp_transformer_has_biases(self) ? self->hidden : 0.0);
    return lp_transformer_attention_weights(self) + biases;
}

double
lp_transformer_ffn_weights(const LpTransformer *self, double width)
{
    return lp_transformer_n_ffn_matrices(self) * self->hidden * width;
}

double
lp_transformer_expert_weights(const LpTransformer *self)
{
    return lp_transformer_n_ffn_matrices(self) * lp_transformer_expert_hidden(self) *
           lp_transformer_expert_ffn(self);
}

double
lp_transformer_latent_expert_weights(const LpTransformer *self)
{
    return 2.0 * self->hidden * self->experts.latent;
}

/* A feed-forward network of inner width @width: its matrices, and a bias behind each. */
static double
ffn_parameters(const LpTransformer *self, double width)
{
    double biases = lp_transformer_has_biases(self)
                        ? (lp_transformer_n_ffn_matrices(self) - 1.0) * width + self->hidden
                        : 0.0;
    return lp_transformer_ffn_weights(self, width) + biases;
}

/* LayerNorm scales and shifts (2h), RMSNorm only scales (h). */
double
lp_transformer_norm_parameters(const LpTransformer *self)
{
    return (lp_transformer_has_rms_norms(self) ? 1.0 : 2.0) * self->hidden;
}

/* A routed expert. */
static double
expert_parameters(const LpTransformer *self)
{
    double biases = lp_transformer_has_biases(self) ? (lp_transformer_n_ffn_matrices(self) - 1.0) *
                                                              lp_transformer_expert_ffn(self) +
                                                          lp_transformer_expert_hidden(self)
                                                    : 0.0;
    return lp_transformer_expert_weights(self) + biases;
}

double
lp_transformer_layer_expert_parameters(const LpTransformer *self, guint32 index)
{
    if (!lp_transformer_layer(self, index).has_experts)
        return 0.0;
    return self->experts.n * expert_parameters(self);
}

/* Weights of a layer's router, and of what compresses tokens for experts and expands results. */
static double
router_weights(const LpTransformer *self)
{
    return (double)self->hidden * self->experts.n + lp_transformer_latent_expert_weights(self);
}

static gboolean
has_attention(LpLayer layer)
{
    return layer.has_mixer && layer.mixer == 0;
}

/* Parameters of the norms of a layer; the norm of a mixer in attention's place counts with the
 * mixer. */
static double
layer_norm_parameters(const LpTransformer *self, LpLayer layer)
{
    double n_norms = (has_attention(layer) ? 1.0 : 0.0) + (layer.cross ? 1.0 : 0.0) +
                     (layer.has_network ? 1.0 : 0.0) + (layer.mtp ? 3.0 : 0.0);
    double latents = (double)self->latent.query_rank + self->latent.kv_rank;
    return n_norms * lp_transformer_norm_parameters(self) + (has_attention(layer) ? latents : 0.0);
}

double
lp_transformer_layer_whole_parameters(const LpTransformer *self, guint32 index)
{
    LpLayer layer = lp_transformer_layer(self, index);
    double n_networks = layer.has_experts ? self->experts.n_shared : layer.has_network ? 1.0 : 0.0;
    double n_sums = (has_attention(layer) ? 1.0 : 0.0) + (layer.cross ? 1.0 : 0.0) + n_networks;
    return layer_norm_parameters(self, layer) +
           (has_attention(layer) ? lp_transformer_compression_weights(self) : 0.0) +
           (lp_transformer_has_biases(self) ? n_sums * self->hidden : 0.0) +
           (layer.has_experts ? router_weights(self) : 0.0) +
           (layer.mixer > 0 ? self->mixers[layer.mixer - 1].whole : 0.0);
}

double
lp_transformer_layer_whole_expert_parameters(const LpTransformer *self, guint32 index)
{
    gboolean has_biases = lp_transformer_has_biases(self);
    gboolean has_experts = lp_transformer_layer(self, index).has_experts;
    return has_experts && has_biases ? (double)self->experts.n * lp_transformer_expert_hidden(self)
                                     : 0.0;
}

/* Attention blocks or what stands in their place, the router and shared experts or the feed-forward
 * network, and norms. */
static double
layer_dense_parameters(const LpTransformer *self, LpLayer layer)
{
    double n_attentions = (has_attention(layer) ? 1.0 : 0.0) + (layer.cross ? 1.0 : 0.0);
    double sum = n_attentions * lp_transformer_attention_parameters(self) +
                 layer_norm_parameters(self, layer) +
                 (layer.mtp ? lp_transformer_joining_weights(self) : 0.0) +
                 (layer.mixer > 0 ? self->mixers[layer.mixer - 1].parameters : 0.0);
    if (!layer.has_network)
        return sum;
    if (!layer.has_experts)
        return sum + ffn_parameters(self, self->ffn);
    return sum + router_weights(self) +
           self->experts.n_shared * ffn_parameters(self, lp_transformer_expert_ffn(self));
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
    return (double)self->image.patch * self->image.patch *
           (self->image.channels > 0 ? self->image.channels : 3);
}

static double
position_entries(const LpTransformer *self)
{
    return self->positions == LP_POSITIONS_LEARNED ? (double)self->seq + self->decoder.seq : 0.0;
}

double
lp_transformer_embedding_whole_parameters(const LpTransformer *self)
{
    if (self->embedding && self->image.patch == 0)
        return position_entries(self) * self->hidden;
    return lp_transformer_embedding_parameters(self);
}

double
lp_transformer_embedding_parameters(const LpTransformer *self)
{
    if (!self->embedding)
        return 0.0;
    /* One bias and one class token besides the patches' matrix. */
    double entries = self->image.patch > 0 ? lp_transformer_patch_values(self) + 2.0 : self->vocab;
    return (entries + position_entries(self)) * self->hidden;
}

double
lp_transformer_head_parameters(const LpTransformer *self)
{
    if (!self->embedding)
        return 0.0;
    double output = self->tied_embeddings ? 0.0 : (double)self->vocab * self->hidden;
    return lp_transformer_head_whole_parameters(self) + output;
}

double
lp_transformer_head_whole_parameters(const LpTransformer *self)
{
    double n_norms = self->kind == LP_TRANSFORMER_ENCODER_DECODER ? 2.0 : 1.0;
    return self->embedding ? n_norms * lp_transformer_norm_parameters(self) : 0.0;
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
    double idle = self->experts.n > 0 ? 1.0 - (double)self->experts.top_k / self->experts.n : 0.0;
    for (guint32 i = 0; i < lp_transformer_n_layers(self); i++)
        sum -= idle * lp_transformer_layer_expert_parameters(self, i);
    return sum;
}
