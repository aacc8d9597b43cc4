/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters on a rank, before and after sharding. */
#include "model/plan/plan_parameters.h"

#include "model/plan/plan_experts.h"
#include "model/plan/plan_layers.h"
#include "model/plan/plan_lora.h"
#include "model/plan/plan_rank.h"

#include <math.h>

/* The parameters of a rank, one of @n: its part of @all, of which each rank holds @whole whole. */
static double
divided(double all, double whole, double n)
{
    return whole + (all - whole) / n;
}

LpParameters
lp_plan_layer_parameters(const LpPlan *self, const LpTransformer *transformer, guint32 index)
{
    double experts = lp_transformer_layer_expert_parameters(transformer, index);
    double dense = lp_transformer_layer_parameters(transformer, index) - experts;
    double whole = lp_transformer_layer_whole_parameters(transformer, index);
    double whole_experts = lp_transformer_layer_whole_expert_parameters(transformer, index);
    return (LpParameters){divided(dense, whole, self->degree[LP_AXIS_TP]),
                          divided(experts, whole_experts, lp_plan_expert_tp(self)) /
                              self->degree[LP_AXIS_EP]};
}

LpParameters
lp_plan_known_layer_parameters(const LpPlan *self, const LpTransformer *transformer, guint32 index,
                               LpLayerParameters *cache)
{
    guint kind = lp_transformer_layer_kind(transformer, index);
    if (!cache->is_known[kind])
        cache->of[kind] = lp_plan_layer_parameters(self, transformer, index);
    cache->is_known[kind] = TRUE;
    return cache->of[kind];
}

double
lp_plan_embedding_parameters(const LpPlan *self, const LpTransformer *transformer)
{
    return divided(lp_transformer_embedding_parameters(transformer),
                   lp_transformer_embedding_whole_parameters(transformer),
                   self->degree[LP_AXIS_TP]);
}

double
lp_plan_head_parameters(const LpPlan *self, const LpTransformer *transformer)
{
    return divided(lp_transformer_head_parameters(transformer),
                   lp_transformer_head_whole_parameters(transformer), self->degree[LP_AXIS_TP]);
}

/* The sequence is scattered behind the embedding, whose parameters meet all tokens. */
double
lp_plan_whole_gradients(const LpPlan *self, const LpTransformer *transformer, guint32 stage)
{
    double sum = 0.0;
    if (!self->sequence_parallel || self->degree[LP_AXIS_TP] < 2 || lp_plan_freezes(self))
        return 0.0;
    for (guint32 chunk = 0; chunk < lp_plan_n_chunks(self); chunk++) {
        guint32 slice = lp_plan_slice(self, stage, chunk);
        guint32 first = lp_plan_slice_first_layer(self, transformer, slice);
        guint32 n = lp_plan_slice_layers(self, transformer, slice);
        for (guint32 i = first; i < first + n; i++)
            sum += lp_transformer_layer_whole_parameters(transformer, i);
        if (lp_plan_holds_head(self, stage, chunk))
            sum += lp_transformer_head_whole_parameters(transformer);
    }
    return sum;
}

LpParameters
lp_plan_pooled_parameters(const LpPlan *self, LpParameters parameters)
{
    if (self->zero.shard_degree == 0)
        return parameters;
    return (LpParameters){parameters.dense + parameters.experts, 0.0};
}

LpParameters
lp_plan_sharded_parameters(const LpPlan *self, LpParameters parameters)
{
    if (self->zero.stage == 0)
        return parameters;
    double expert_sharers =
        self->zero.shard_degree > 0 ? self->zero.shard_degree : lp_plan_expert_replicas(self);
    return (LpParameters){parameters.dense / lp_plan_shard_degree(self),
                          parameters.experts / expert_sharers};
}

/* How many of @n_ranks that divide @n_heads among them hold the same head. */
static double
head_copies(double n_ranks, double n_heads)
{
    return fmax(1.0, n_ranks / n_heads);
}

/* A rank's part of @width, which is a width over all key-value heads or the number of these heads.
 */
static double
own_kv_width(const LpPlan *self, const LpTransformer *transformer, double width)
{
    double tp = self->degree[LP_AXIS_TP];
    return width * head_copies(tp, transformer->n_kv_heads) / tp;
}

double
lp_plan_key_width(const LpPlan *self, const LpTransformer *transformer)
{
    return own_kv_width(self, transformer, lp_transformer_key_width(transformer));
}

double
lp_plan_value_width(const LpPlan *self, const LpTransformer *transformer)
{
    return own_kv_width(self, transformer, lp_transformer_value_width(transformer));
}

double
lp_plan_exchanged_width(const LpPlan *self, const LpTransformer *transformer)
{
    double tp = self->degree[LP_AXIS_TP], cp = self->degree[LP_AXIS_CP];
    if (self->traits[LP_TRAIT_REPEAT_HEADS])
        return (lp_transformer_query_width(transformer) +
                lp_transformer_mixture_width(transformer)) /
               tp;
    double own_heads = own_kv_width(self, transformer, transformer->n_kv_heads);
    double copies = self->context_kind == LP_CONTEXT_ULYSSES ? head_copies(cp, own_heads) : 1.0;
    return copies * (lp_plan_key_width(self, transformer) + lp_plan_value_width(self, transformer));
}

double
lp_plan_tied_copy_parameters(const LpPlan *self, const LpTransformer *transformer)
{
    /* DualPipe's first and last stages stand on the same ranks. */
    gboolean apart =
        self->degree[LP_AXIS_PP] > 1 && self->pipeline.schedule != LP_SCHEDULE_DUALPIPE;
    gboolean copy = lp_transformer_copies_embedding(transformer) && apart;
    return copy ? (double)transformer->vocab * transformer->hidden : 0.0;
}

static LpParameters
chunk_layer_parameters(const LpPlan *self, const LpTransformer *transformer, guint32 stage,
                       guint32 chunk, LpLayerParameters *cache)
{
    guint32 slice = lp_plan_slice(self, stage, chunk);
    guint32 first = lp_plan_slice_first_layer(self, transformer, slice);
    guint32 n = lp_plan_slice_layers(self, transformer, slice);
    LpParameters sum = {0.0, 0.0};
    for (guint32 i = first; i < first + n; i++) {
        LpParameters layer = lp_plan_known_layer_parameters(self, transformer, i, cache);
        sum.dense += layer.dense;
        sum.experts += layer.experts;
    }
    return sum;
}

/* Of the layers of a chunk, with embedding on the first and head on the last; a word embedding that
 * both need (lp_transformer_copies_embedding()) stands on both if they are on different ranks. */
static LpParameters
chunk_parameters(const LpPlan *self, const LpTransformer *transformer, guint32 stage, guint32 chunk,
                 LpLayerParameters *cache)
{
    double ends = 0.0;
    if (lp_plan_holds_embedding(self, stage, chunk))
        ends += lp_plan_embedding_parameters(self, transformer);
    if (lp_plan_holds_head(self, stage, chunk))
        ends += lp_plan_head_parameters(self, transformer) +
                lp_plan_tied_copy_parameters(self, transformer) / self->degree[LP_AXIS_TP];
    LpParameters sum = chunk_layer_parameters(self, transformer, stage, chunk, cache);
    sum.dense += ends;
    return sum;
}

LpParameters
lp_plan_rank_layer_parameters(const LpPlan *self, const LpTransformer *transformer, guint32 stage)
{
    LpParameters sum = {0.0, 0.0};
    LpLayerParameters cache = {.is_known = {FALSE}};
    for (guint32 chunk = 0; chunk < lp_plan_n_chunks(self); chunk++) {
        LpParameters part = chunk_layer_parameters(self, transformer, stage, chunk, &cache);
        sum.dense += part.dense;
        sum.experts += part.experts;
    }
    return sum;
}

LpParameters
lp_plan_rank_parameters(const LpPlan *self, const LpTransformer *transformer, guint32 stage)
{
    LpParameters sum = {0};
    LpLayerParameters cache = {.is_known = {FALSE}};
    for (guint32 chunk = 0; chunk < lp_plan_n_chunks(self); chunk++) {
        LpParameters part = chunk_parameters(self, transformer, stage, chunk, &cache);
        sum.dense += part.dense;
        sum.experts += part.experts;
    }
    return sum;
}

double
lp_plan_stage_parameters(const LpPlan *self, const LpTransformer *transformer, guint32 stage)
{
    LpParameters parameters = lp_plan_rank_parameters(self, transformer, stage);
    return parameters.dense + parameters.experts;
}
