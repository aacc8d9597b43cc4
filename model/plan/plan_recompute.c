/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a layer that recomputation runs again. */
#include "model/plan/plan_recompute.h"

#include "model/plan/plan_lora.h"

/* The place of layer @index in its slice. */
static guint32
place_in_slice(const LpPlan *self, const LpTransformer *transformer, guint32 index)
{
    guint32 first = 0;
    for (guint32 slice = 0; slice < lp_plan_n_slices(self); slice++) {
        guint32 n = lp_plan_slice_layers(self, transformer, slice);
        if (index - first < n)
            return index - first;
        first += n;
    }
    return index - first;
}

/* Layers that are recomputed of the first @n. */
static guint64
n_recomputed(LpRecomputeLayers layers, guint64 n)
{
    return (2 * n * layers.part + layers.of) / (2 * (guint64)layers.of);
}

gboolean
lp_plan_recomputes_layer(const LpPlan *self, const LpTransformer *transformer, guint32 index)
{
    LpRecomputeLayers layers = self->recompute_layers;
    if (self->recompute == LP_RECOMPUTE_NONE)
        return FALSE;
    if (layers.first > 0)
        return place_in_slice(self, transformer, index) < layers.first;
    return layers.of == 0 || n_recomputed(layers, index + 1ull) > n_recomputed(layers, index);
}

gboolean
lp_plan_repeats_layer(const LpPlan *self, const LpTransformer *transformer, guint32 index)
{
    return self->recompute == LP_RECOMPUTE_FULL &&
           lp_plan_recomputes_layer(self, transformer, index);
}

double
lp_plan_recomputed_share(const LpPlan *self, const LpTransformer *transformer)
{
    LpRecomputeLayers layers = self->recompute_layers;
    guint32 n = lp_transformer_n_layers(transformer);
    if (self->recompute == LP_RECOMPUTE_NONE)
        return 0.0;
    if (layers.first == 0)
        return layers.of == 0 ? 1.0 : (double)n_recomputed(layers, n) / n;
    double sum = 0.0;
    for (guint32 slice = 0; slice < lp_plan_n_slices(self); slice++)
        sum += MIN(layers.first, lp_plan_slice_layers(self, transformer, slice));
    return sum / n;
}

guint32
lp_plan_recomputed_parts(const LpPlan *self)
{
    guint32 parts = self->selective != 0 ? self->selective : LP_RECOMPUTED_CORE;
    if (self->recompute == LP_RECOMPUTE_LIGHT)
        return LP_RECOMPUTED_LIGHT;
    if (self->recompute != LP_RECOMPUTE_SELECTIVE)
        return 0;
    if ((parts & LP_RECOMPUTED_NO_SUMS) != 0 && self->degree[LP_AXIS_TP] > 1)
        parts &= ~(guint32)LP_RECOMPUTED_PROJECTION;
    return parts;
}

gboolean
lp_plan_recomputes(const LpPlan *self, guint32 parts)
{
    return (lp_plan_recomputed_parts(self) & parts) == parts;
}

gboolean
lp_plan_fuses_attention(const LpPlan *self, LpAttentionKind attention)
{
    return attention == LP_ATTENTION_FLASH &&
           self->host.attention_kernel != LP_ATTENTION_KERNEL_UNFUSED;
}

gboolean
lp_plan_recomputes_core(const LpPlan *self, LpAttentionKind attention)
{
    return lp_plan_recomputes(self, LP_RECOMPUTED_ATTENTION) ||
           (lp_plan_recomputes(self, LP_RECOMPUTED_CORE) &&
            !lp_plan_fuses_attention(self, attention));
}

gboolean
lp_plan_has_parallel_blocks(const LpTransformer *transformer, LpLayer layer)
{
    return transformer->parallel_blocks && layer.has_mixer && layer.has_network &&
           !layer.has_experts && !layer.cross;
}

gboolean
lp_plan_recomputes_projection(const LpPlan *self, const LpTransformer *transformer, LpLayer layer)
{
    gboolean beside = lp_plan_has_parallel_blocks(transformer, layer);
    return lp_plan_recomputes(self, LP_RECOMPUTED_PROJECTION) && !beside;
}

gboolean
lp_plan_recomputes_up(const LpPlan *self, const LpTransformer *transformer)
{
    guint32 gate = transformer->ffn_kind == LP_FFN_SWIGLU ? LP_RECOMPUTED_GATE : 0;
    return lp_plan_recomputes(self, LP_RECOMPUTED_UP | gate);
}

gboolean
lp_plan_recompute_stops_early(const LpPlan *self, const LpTransformer *transformer, guint32 index)
{
    return self->recompute == LP_RECOMPUTE_FULL && self->traits[LP_TRAIT_EARLY_STOP] &&
           !lp_transformer_has_dropout(transformer) &&
           lp_transformer_layer(transformer, index).has_network &&
           !lp_transformer_layer(transformer, index).has_experts;
}

gboolean
lp_plan_regathers_inputs(const LpPlan *self)
{
    gboolean is_kept =
        self->recompute == LP_RECOMPUTE_LIGHT || !lp_plan_recomputes(self, LP_RECOMPUTED_NORMS);
    guint32 first_products =
        LP_ADAPTED_QUERIES | LP_ADAPTED_KEYS | LP_ADAPTED_VALUES | LP_ADAPTED_UP | LP_ADAPTED_GATE;
    if (lp_plan_freezes(self) && !lp_plan_adapts(self, first_products))
        return FALSE;
    return self->sequence_parallel && (!self->traits[LP_TRAIT_KEEP_GATHERED] || !is_kept);
}
