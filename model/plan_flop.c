/* SPDX-License-Identifier: Apache-2.0 */
/* Operations of an iteration. */
#include "model/plan_flop.h"

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

/* FLOP that recomputation adds to layer @index over the global batch. */
static double
layer_recompute_flop(const LpPlan *self, const LpTransformer *transformer, guint32 index)
{
    if (self->recompute == LP_RECOMPUTE_FULL)
        return lp_transformer_layer_forward_flop(transformer, index, self->batch.global);
    if (self->recompute == LP_RECOMPUTE_LIGHT)
        return lp_transformer_latent_forward_flop(transformer, index, self->batch.global);
    /* Flash attention keeps no scores, so there are none to recompute selectively. */
    if (self->recompute == LP_RECOMPUTE_SELECTIVE && transformer->attention == LP_ATTENTION_UNFUSED)
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
