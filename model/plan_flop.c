/* SPDX-License-Identifier: Apache-2.0 */
/* Operations of an iteration. */
#include "model/plan_flop.h"

#include "model/plan_recompute.h"

/* Backward takes two products for each of the forward pass: one for either operand's gradient. */
#define PASSES_OF_TRAINING 3.0
/* Images have no gradient. */
#define PASSES_OF_PATCHES 2.0

double
lp_plan_model_flop(const LpPlan *self, const LpTransformer *transformer)
{
    double sequences = self->batch.global;
    double layers = 0.0;
    for (guint32 i = 0; i < lp_transformer_n_layers(transformer); i++)
        layers += lp_transformer_layer_forward_flop(transformer, i, sequences);
    return PASSES_OF_TRAINING *
               (layers + lp_transformer_logits_forward_flop(transformer, sequences)) +
           PASSES_OF_PATCHES * lp_transformer_embedding_forward_flop(transformer, sequences);
}

/* The products that alternate recomputation runs again: the second, fourth and sixth of queries,
 * keys, values, projection, up, gate, down. A sum over tp is kept, and with it what the projection
 * gave. Compressed queries, keys and values are expanded again in place of the keys' product. */
static double
alternate_flop(const LpPlan *self, const LpTransformer *transformer, guint32 index)
{
    LpLayer layer = lp_transformer_layer(transformer, index);
    double n_blocks = layer.cross ? 2.0 : 1.0, weights = 0.0;
    if (transformer->latent.kv_rank == 0)
        weights += (double)transformer->hidden * transformer->n_kv_heads *
                   lp_transformer_head_width(transformer);
    if (self->degree[LP_AXIS_TP] == 1)
        weights += n_blocks * transformer->hidden * lp_transformer_mixture_width(transformer);
    if (!layer.has_experts && transformer->ffn_kind == LP_FFN_SWIGLU)
        weights += (double)transformer->hidden * transformer->ffn;
    return 2.0 * self->batch.global * layer.seq * weights +
           lp_transformer_latent_forward_flop(transformer, index, self->batch.global);
}

/* Of the forward pass of a dense layer, its last product, out of the inner width. */
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
    if (self->recompute == LP_RECOMPUTE_LIGHT)
        return lp_transformer_latent_forward_flop(transformer, index, self->batch.global);
    if (lp_plan_recomputes_alternate(self))
        return alternate_flop(self, transformer, index);
    if (lp_plan_recomputes_scores(self, transformer->attention))
        return lp_transformer_scores_forward_flop(transformer, index, self->batch.global);
    return 0.0;
}

double
lp_plan_hardware_flop(const LpPlan *self, const LpTransformer *transformer)
{
    double sum = lp_plan_model_flop(self, transformer);
    for (guint32 i = 0; i < lp_transformer_n_layers(transformer); i++)
        sum += layer_recompute_flop(self, transformer, i);
    return sum;
}
