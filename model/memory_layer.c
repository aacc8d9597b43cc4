/* SPDX-License-Identifier: Apache-2.0 */
/* Activations of a layer by Korthikanti et al. (arXiv 2205.05198).
 *
 * The paper counts 2-byte elements, four-fold feed-forward networks and dropout; its constants are
 * taken apart here into tensors and masks, so that other shapes and precisions follow. */
#include "model/memory_layer.h"

#include "model/precision.h"

#define MASK_BYTES 1.0

/* Bytes of @n elements of activations. */
static double
elements(const LpPlan *plan, double n)
{
    return n * lp_plan_activation_bytes(plan);
}

/* Bytes of @n elements that are kept as operands of products: narrow ones in the copy along the
 * columns that the weights' gradients take. */
static double
operands(const LpPlan *plan, double n)
{
    return n * lp_plan_operand_bytes(plan);
}

double
lp_memory_masks_bytes(const LpTransformer *transformer, double n)
{
    return lp_transformer_has_dropout(transformer) ? n * transformer->hidden * MASK_BYTES : 0.0;
}

double
lp_memory_scattered(const LpPlan *plan)
{
    return plan->sequence_parallel ? 1.0 / plan->degree[LP_AXIS_TP] : 1.0;
}

/* Bytes a token outside the tensor-parallel region: for each of @n_blocks the inputs of its norm
 * and of its first product, and a mask (the 10 h of equation 2 for two); compressed queries, keys
 * and values (MLA) stand whole on each rank. */
static double
outer_bytes(const LpTransformer *transformer, const LpPlan *plan, double n_blocks,
            LpRecompute recompute)
{
    double width = n_blocks * transformer->hidden;
    double norms =
        elements(plan, width) + (recompute == LP_RECOMPUTE_LIGHT ? 0.0 : operands(plan, width));
    double latent =
        elements(plan, (double)transformer->latent.query_rank + transformer->latent.kv_rank);
    return (norms + lp_memory_masks_bytes(transformer, n_blocks)) * lp_memory_scattered(plan) +
           latent;
}

/* Bytes a token of queries, keys, values and their mixture, on one rank of tp; the last product
 * takes the mixture, the core's gradient too: cast, it is kept in both forms. */
static double
attention_bytes(const LpTransformer *transformer, const LpPlan *plan, LpRecompute recompute)
{
    double mixture = lp_transformer_mixture_width(transformer) / plan->degree[LP_AXIS_TP];
    gboolean is_cast = lp_precision_is_narrow(plan->format.precision);
    double cast = is_cast ? operands(plan, mixture) : 0.0;
    if (recompute == LP_RECOMPUTE_LIGHT && transformer->latent.kv_rank > 0)
        return elements(plan, mixture) + cast;
    double queries = lp_transformer_query_width(transformer) / plan->degree[LP_AXIS_TP];
    return elements(plan, queries + mixture + lp_plan_key_width(plan, transformer) +
                              lp_plan_value_width(plan, transformer)) +
           cast;
}

/* The inputs of the activation function (two with a gate) and, unless it is computed again, of the
 * last product, of inner width @width. */
static double
inner_bytes(const LpTransformer *transformer, const LpPlan *plan, double width,
            LpRecompute recompute)
{
    double last = recompute == LP_RECOMPUTE_LIGHT ? 0.0 : operands(plan, width);
    double inputs = (lp_transformer_n_ffn_matrices(transformer) - 1.0) * width;
    return (plan->format.narrow_activations ? operands(plan, inputs) : elements(plan, inputs)) +
           last;
}

/* Bytes a token of routed and shared experts: what came to the experts in their order, what went
 * back (routing's weights have gradients by it), and their inner widths; experts divided over tp
 * see the tokens of all of its ranks. With light recomputation the weights are a factor of what is
 * computed again, and what went back is not kept (Megatron-Core, TEGroupedMLP: the probabilities go
 * into the activation function). */
static double
experts_bytes(const LpTransformer *transformer, const LpPlan *plan, LpRecompute recompute)
{
    double etp = lp_plan_expert_tp(plan), tp = plan->degree[LP_AXIS_TP];
    double slots = lp_transformer_expert_slots(transformer);
    double seen = etp > 1.0 ? slots : slots * lp_memory_scattered(plan);
    double returned = recompute == LP_RECOMPUTE_LIGHT
                          ? 0.0
                          : elements(plan, transformer->hidden) * slots * lp_memory_scattered(plan);
    double width = lp_transformer_expert_ffn(transformer);
    double shared = transformer->experts.n_shared * width / tp;
    return returned +
           seen * (operands(plan, transformer->hidden) +
                   inner_bytes(transformer, plan, width / etp, recompute)) +
           inner_bytes(transformer, plan, shared, recompute);
}

/* Bytes a token of attention scores against @keys: after softmax, and after dropout with its mask
 * (the 5 a s of equation 1). */
static double
scores_bytes(const LpTransformer *transformer, const LpPlan *plan, double keys)
{
    if (transformer->attention == LP_ATTENTION_FLASH)
        return 0.0;
    double dropped =
        lp_transformer_has_dropout(transformer) ? elements(plan, 1.0) + MASK_BYTES : 0.0;
    return transformer->n_heads * keys * (elements(plan, 1.0) + dropped) / plan->degree[LP_AXIS_TP];
}

/* Bytes a token of what alternate recomputation keeps: the layer's input, over tp the first block's
 * sum, queries, values and their mixture, and what went up; of experts what light recomputation
 * keeps. */
static double
alternate_bytes(const LpTransformer *transformer, const LpPlan *plan, LpLayer layer)
{
    double tp = plan->degree[LP_AXIS_TP], n_blocks = layer.cross ? 2.0 : 1.0;
    double outer =
        transformer->hidden * lp_memory_scattered(plan) * (tp > 1.0 ? 1.0 + n_blocks : 1.0);
    double latent = (double)transformer->latent.query_rank + transformer->latent.kv_rank;
    double heads = lp_transformer_mixture_width(transformer) / tp;
    if (transformer->latent.kv_rank == 0)
        heads +=
            lp_transformer_query_width(transformer) / tp + lp_plan_value_width(plan, transformer);
    if (layer.has_experts)
        return elements(plan, outer + latent + n_blocks * heads) +
               experts_bytes(transformer, plan, LP_RECOMPUTE_LIGHT);
    return elements(plan, outer + latent + n_blocks * heads + transformer->ffn / tp);
}

/* Bytes a token of what sequence parallelism gathers and keeps, beyond a rank's own shard of it. */
static double
kept_gathered_bytes(const LpTransformer *transformer, const LpPlan *plan, LpLayer layer)
{
    double n_blocks = (layer.cross ? 2.0 : 1.0) + (layer.has_experts ? 0.0 : 1.0);
    if (!plan->sequence_parallel || !plan->keeps_gathered)
        return 0.0;
    return n_blocks * operands(plan, transformer->hidden) * (1.0 - lp_memory_scattered(plan));
}

/* Equations 1 (t = 1), 2, 4: b s h (10 + 24/t + 5 a s / h t), or b s h / t (34 + 5 a s / h) under
 * sequence parallelism; with the core of attention recomputed the last part is left out (equation
 * 6). */
double
lp_memory_layer_bytes(const LpTransformer *transformer, const LpPlan *plan, guint32 index,
                      LpRecompute recompute)
{
    LpLayer layer = lp_transformer_layer(transformer, index);
    double n_attentions = layer.cross ? 2.0 : 1.0;
    double keys = (double)layer.keys + (layer.cross ? transformer->seq : 0.0);
    double second =
        layer.has_experts
            ? experts_bytes(transformer, plan, recompute)
            : inner_bytes(transformer, plan, (double)transformer->ffn / plan->degree[LP_AXIS_TP],
                          recompute);
    if (recompute == LP_RECOMPUTE_SELECTIVE && lp_plan_recomputes_alternate(plan))
        return lp_plan_tokens(plan, layer.seq) * alternate_bytes(transformer, plan, layer);
    double scores =
        recompute == LP_RECOMPUTE_SELECTIVE ? 0.0 : scores_bytes(transformer, plan, keys);
    double joined =
        layer.mtp ? (elements(plan, 2.0) + operands(plan, 2.0)) * transformer->hidden : 0.0;
    double token = outer_bytes(transformer, plan, n_attentions + 1.0, recompute) +
                   joined * lp_memory_scattered(plan) +
                   n_attentions * attention_bytes(transformer, plan, recompute) + second + scores +
                   kept_gathered_bytes(transformer, plan, layer);
    return lp_plan_tokens(plan, layer.seq) * token;
}

double
lp_memory_hidden_bytes(const LpTransformer *transformer, const LpPlan *plan, guint32 seq)
{
    return lp_plan_tokens(plan, seq) * elements(plan, transformer->hidden) *
           lp_memory_scattered(plan);
}
