/* SPDX-License-Identifier: Apache-2.0 */
/* Operations of an iteration. */
#include "model/plan/plan_flop.h"

#include "model/plan/plan_lora.h"
#include "model/plan/plan_recompute.h"

/* Backward takes two products for each of the forward pass: one for either operand's gradient. */
#define PASSES_OF_TRAINING 3.0
/* Frozen weights have no gradient. */
#define PASSES_OF_FROZEN 2.0
/* Images have no gradient. */
#define PASSES_OF_PATCHES 2.0

/* Of frozen weights no gradient is made; operations of adapters are left out. */
static double
frozen_flop(const LpPlan *self, const LpTransformer *transformer)
{
    double sequences = self->batch.global;
    double layers = 0.0;
    for (guint32 i = 0; i < lp_transformer_n_layers(transformer); i++)
        layers += PASSES_OF_FROZEN * lp_transformer_layer_forward_flop(transformer, i, sequences) +
                  (PASSES_OF_TRAINING - PASSES_OF_FROZEN) *
                      lp_transformer_scores_forward_flop(transformer, i, sequences);
    return layers + PASSES_OF_FROZEN * lp_transformer_logits_forward_flop(transformer, sequences) +
           lp_transformer_embedding_forward_flop(transformer, sequences);
}

double
lp_plan_model_flop(const LpPlan *self, const LpTransformer *transformer)
{
    double sequences = self->batch.global;
    double layers = 0.0;
    if (lp_plan_freezes(self))
        return frozen_flop(self, transformer);
    for (guint32 i = 0; i < lp_transformer_n_layers(transformer); i++)
        layers += lp_transformer_layer_forward_flop(transformer, i, sequences);
    return PASSES_OF_TRAINING *
               (layers + lp_transformer_logits_forward_flop(transformer, sequences)) +
           PASSES_OF_PATCHES * lp_transformer_embedding_forward_flop(transformer, sequences);
}

/* FLOP of queries, keys and values of layer @index, those of @parts: MLA's are compressed and
 * expanded, or only expanded; those of cross-attention are of the decoder's and the encoder's
 * tokens, and made again only all together. */
static double
qkv_flop(const LpTransformer *transformer, guint32 index, guint32 parts, double n_sequences)
{
    LpLayer layer = lp_transformer_layer(transformer, index);
    gboolean all = (parts & LP_RECOMPUTED_QKV) == LP_RECOMPUTED_QKV;
    double hidden = transformer->hidden, q = lp_transformer_query_width(transformer);
    double k = lp_transformer_key_width(transformer), v = lp_transformer_value_width(transformer);
    double weights = 0.0;
    if (transformer->latent.kv_rank > 0) {
        double queries = transformer->latent.query_rank > 0 ? transformer->latent.query_rank : q;
        double compressed =
            queries + transformer->latent.kv_rank + (double)transformer->latent.rope_width;
        double expanded = lp_transformer_latent_forward_flop(transformer, index, n_sequences);
        return (all ? 2.0 * n_sequences * layer.seq * hidden * compressed : 0.0) +
               (all || (parts & LP_RECOMPUTED_LATENT) != 0 ? expanded : 0.0);
    }
    weights += (parts & LP_RECOMPUTED_QUERIES) != 0 ? q : 0.0;
    weights += (parts & LP_RECOMPUTED_KEYS) != 0 ? k : 0.0;
    weights += (parts & LP_RECOMPUTED_VALUES) != 0 ? v : 0.0;
    double cross = layer.cross && all ? layer.seq * q + transformer->seq * (k + v) : 0.0;
    return 2.0 * n_sequences * hidden * (layer.seq * weights + cross);
}

/* The operations of the products into the inner widths of layer @index, and of the gate, as far as
 * they are recomputed; of experts they are recomputed only all together. */
static double
up_flop(const LpPlan *self, const LpTransformer *transformer, guint32 index)
{
    LpLayer layer = lp_transformer_layer(transformer, index);
    gboolean gated = transformer->ffn_kind == LP_FFN_SWIGLU;
    gboolean up = lp_plan_recomputes(self, LP_RECOMPUTED_UP),
             all = lp_plan_recomputes_up(self, transformer);
    gboolean gate = gated && lp_plan_recomputes(self, LP_RECOMPUTED_GATE);
    double products = (up ? 1.0 : 0.0) + (gate ? 1.0 : 0.0), width = transformer->ffn;
    if (layer.has_experts) {
        double expert = lp_transformer_expert_ffn(transformer);
        width = transformer->experts.n_shared * expert;
        width += all ? transformer->experts.top_k * expert : 0.0;
    }
    return 2.0 * self->batch.global * layer.seq * transformer->hidden * products * width;
}

/* FLOP of the parts of a mixer in attention's place that are made again, a sequence. */
static double
recomputed_flop(const LpTransformer *transformer, LpLayer layer)
{
    return layer.mixer > 0 ? transformer->mixers[layer.mixer - 1].recomputed_flop : 0.0;
}

/* FLOP of the parts of layer @index that are made again. */
static double
parts_flop(const LpPlan *self, const LpTransformer *transformer, guint32 index)
{
    LpLayer layer = lp_transformer_layer(transformer, index);
    double n_blocks = layer.cross ? 2.0 : 1.0, n_sequences = self->batch.global;
    double sum = layer.has_network ? up_flop(self, transformer, index) : 0.0;
    if (!layer.has_mixer || layer.mixer > 0)
        return sum + n_sequences * recomputed_flop(transformer, layer);
    sum = qkv_flop(transformer, index, lp_plan_recomputed_parts(self), n_sequences) + sum;
    if (lp_plan_recomputes_core(self, transformer->attention))
        sum += lp_transformer_scores_forward_flop(transformer, index, n_sequences);
    if (lp_plan_recomputes_projection(self, transformer, layer))
        sum += 2.0 * n_sequences * layer.seq * n_blocks * transformer->hidden *
               lp_transformer_mixture_width(transformer);
    return sum;
}

/* The operations of the last product of a dense layer's forward pass, which has the inner width as
 * its sums. */
static double
last_product_flop(const LpPlan *self, const LpTransformer *transformer, guint32 index)
{
    LpLayer layer = lp_transformer_layer(transformer, index);
    return 2.0 * self->batch.global * layer.seq * transformer->hidden * transformer->ffn;
}

/* FLOP that recomputation adds to layer @index over the global batch. */
static double
layer_recompute_flop(const LpPlan *self, const LpTransformer *transformer, guint32 index)
{
    if (!lp_plan_recomputes_layer(self, transformer, index))
        return 0.0;
    if (self->recompute == LP_RECOMPUTE_FULL)
        return lp_transformer_layer_forward_flop(transformer, index, self->batch.global) -
               (lp_plan_recompute_stops_early(self, transformer, index)
                    ? last_product_flop(self, transformer, index)
                    : 0.0);
    return parts_flop(self, transformer, index);
}

double
lp_plan_hardware_flop(const LpPlan *self, const LpTransformer *transformer)
{
    double sum = lp_plan_model_flop(self, transformer);
    for (guint32 i = 0; i < lp_transformer_n_layers(transformer); i++)
        sum += layer_recompute_flop(self, transformer, i);
    return sum;
}
