/* SPDX-License-Identifier: Apache-2.0 */
/* Activations of a layer by Korthikanti et al. (arXiv 2205.05198).
 *
 * The paper counts 2-byte elements, four-fold feed-forward networks and dropout; its constants are
 * taken apart here into tensors and masks, so that other shapes and precisions follow. */
#include "model/memory_layer.h"

#include "model/precision.h"

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
    return lp_transformer_has_dropout(transformer) ? n * transformer->hidden * LP_MASK_BYTES : 0.0;
}

double
lp_memory_scattered(const LpPlan *plan)
{
    return plan->sequence_parallel ? 1.0 / plan->degree[LP_AXIS_TP] : 1.0;
}

/* Whether all of @parts are among @again, that are not kept. */
static gboolean
drops(guint32 again, guint32 parts)
{
    return (again & parts) == parts;
}

/* Bytes a token outside the tensor-parallel region: for each of @n_blocks the inputs of its norm
 * and of its first product, and a mask (the 10 h of equation 2 for two); compressed queries, keys
 * and values (MLA) stand whole on each rank, unless they are gathered compressed. The sum before a
 * block is not kept if the projection into it is run again; if only the sum is, what came over tp
 * is kept in its place. */
static double
outer_bytes(const LpTransformer *transformer, const LpPlan *plan, double n_blocks, guint32 again)
{
    double hidden = transformer->hidden, latent = 0.0;
    gboolean sums = drops(again, LP_AGAIN_PROJECTION | LP_AGAIN_RESIDUAL);
    double norms = elements(plan, (sums ? 1.0 : n_blocks) * hidden) +
                   (drops(again, LP_AGAIN_NORMS) ? 0.0 : operands(plan, n_blocks * hidden));
    if (!drops(again, LP_AGAIN_QKV))
        latent =
            elements(plan, (double)transformer->latent.query_rank + transformer->latent.kv_rank) *
            (plan->input_collectives == LP_INPUT_COLLECTIVES_LATENT ? lp_memory_scattered(plan)
                                                                    : 1.0);
    return (norms + lp_memory_masks_bytes(transformer, n_blocks)) * lp_memory_scattered(plan) +
           latent;
}

/* What norms of queries and keys take is kept beside what comes out of them. */
static double
normed_width(const LpTransformer *transformer, const LpPlan *plan, guint32 again)
{
    double queries = lp_transformer_query_width(transformer) / plan->degree[LP_AXIS_TP];
    return (drops(again, LP_AGAIN_QUERIES) ? 0.0 : queries) +
           (drops(again, LP_AGAIN_KEYS) ? 0.0 : lp_plan_key_width(plan, transformer));
}

/* Bytes a token of queries, keys, values and their mixture, on one rank of tp; the last product
 * takes the mixture, the core's gradient too: cast, it is kept in both forms. */
static double
attention_bytes(const LpTransformer *transformer, const LpPlan *plan, guint32 again)
{
    double tp = plan->degree[LP_AXIS_TP];
    gboolean latent = transformer->latent.kv_rank > 0, all = drops(again, LP_AGAIN_QKV);
    gboolean expanded = latent && (all || drops(again, LP_AGAIN_LATENT));
    gboolean is_cast = lp_precision_is_narrow(plan->format.precision);
    double mixture = lp_transformer_mixture_width(transformer) / tp, width = 0.0;
    if (drops(again, LP_AGAIN_ATTENTION))
        mixture = 0.0;
    if (latent ? !expanded : !drops(again, LP_AGAIN_QUERIES))
        width += lp_transformer_query_width(transformer) / tp;
    if (latent ? !expanded : !drops(again, LP_AGAIN_KEYS))
        width += lp_plan_key_width(plan, transformer);
    if (latent ? !expanded : !drops(again, LP_AGAIN_VALUES))
        width += lp_plan_value_width(plan, transformer);
    if (transformer->head_norms && !latent)
        width += normed_width(transformer, plan, again);
    return elements(plan, width + mixture) + (is_cast ? operands(plan, mixture) : 0.0);
}

/* The inputs of the activation function (two with a gate) and, unless it is computed again, of the
 * last product, of inner width @width. */
static double
inner_bytes(const LpTransformer *transformer, const LpPlan *plan, double width, guint32 again)
{
    gboolean gated = transformer->ffn_kind == LP_FFN_SWIGLU;
    double last = drops(again, LP_AGAIN_ACTIVATION) ? 0.0 : operands(plan, width);
    double n_inputs = (drops(again, LP_AGAIN_UP) ? 0.0 : 1.0) +
                      (gated && !drops(again, LP_AGAIN_GATE) ? 1.0 : 0.0);
    double inputs = n_inputs * width;
    return (plan->format.narrow_activations ? operands(plan, inputs) : elements(plan, inputs)) +
           last;
}

/* Bytes a token of routed and shared experts: what came to the experts in their order, what went
 * back (routing's weights have gradients by it), and their inner widths; experts divided over tp
 * see the tokens of all of its ranks. Where activation functions are computed again the weights are
 * a factor of what is, and what went back is not kept (Megatron-Core, TEGroupedMLP: the
 * probabilities go into the activation function). Routed experts' inner widths go all together. */
static double
experts_bytes(const LpTransformer *transformer, const LpPlan *plan, guint32 again)
{
    double etp = lp_plan_expert_tp(plan), tp = plan->degree[LP_AXIS_TP];
    double slots = lp_transformer_expert_slots(transformer);
    double seen = etp > 1.0 ? slots : slots * lp_memory_scattered(plan);
    gboolean gated = transformer->ffn_kind == LP_FFN_SWIGLU;
    gboolean all = drops(again, gated ? LP_AGAIN_UP | LP_AGAIN_GATE : LP_AGAIN_UP);
    guint32 together = all ? again : again & ~(guint32)(LP_AGAIN_UP | LP_AGAIN_GATE);
    double returned = drops(again, LP_AGAIN_ACTIVATION)
                          ? 0.0
                          : elements(plan, transformer->hidden) * slots * lp_memory_scattered(plan);
    double width = lp_transformer_expert_ffn(transformer);
    double shared = transformer->experts.n_shared * width / tp;
    return returned +
           seen * (operands(plan, transformer->hidden) +
                   inner_bytes(transformer, plan, width / etp, together)) +
           inner_bytes(transformer, plan, shared, again);
}

/* Bytes a token of attention scores against @keys: after softmax, and after dropout with its mask
 * (the 5 a s of equation 1). */
static double
scores_bytes(const LpTransformer *transformer, const LpPlan *plan, double keys)
{
    if (lp_plan_fuses_attention(plan, transformer->attention))
        return 0.0;
    double dropped =
        lp_transformer_has_dropout(transformer) ? elements(plan, 1.0) + LP_MASK_BYTES : 0.0;
    return transformer->n_heads * keys * (elements(plan, 1.0) + dropped) / plan->degree[LP_AXIS_TP];
}

/* Bytes a token of what sequence parallelism gathers and keeps, beyond a rank's own shard of it. */
static double
kept_gathered_bytes(const LpTransformer *transformer, const LpPlan *plan, LpLayer layer)
{
    double n_inputs = (layer.cross ? 1.0 : 0.0) + lp_plan_attention_inputs(plan).n_gathers +
                      (layer.has_experts ? 0.0 : lp_plan_ffn_inputs(plan, transformer).n_gathers);
    if (!plan->sequence_parallel || !plan->keeps_gathered)
        return 0.0;
    return n_inputs * operands(plan, transformer->hidden) * (1.0 - lp_memory_scattered(plan));
}

/* Equations 1 (t = 1), 2, 4: b s h (10 + 24/t + 5 a s / h t), or b s h / t (34 + 5 a s / h) under
 * sequence parallelism; with the core of attention recomputed the last part is left out (equation
 * 6). */
double
lp_memory_layer_bytes(const LpTransformer *transformer, const LpPlan *plan, guint32 index,
                      guint32 again)
{
    LpLayer layer = lp_transformer_layer(transformer, index);
    double n_attentions = layer.cross ? 2.0 : 1.0;
    double keys = (double)layer.keys + (layer.cross ? transformer->seq : 0.0);
    double second = layer.has_experts
                        ? experts_bytes(transformer, plan, again)
                        : inner_bytes(transformer, plan,
                                      (double)transformer->ffn / plan->degree[LP_AXIS_TP], again);
    double scores = (again & (LP_AGAIN_CORE | LP_AGAIN_ATTENTION)) != 0
                        ? 0.0
                        : scores_bytes(transformer, plan, keys);
    double joined =
        layer.mtp ? (elements(plan, 2.0) + operands(plan, 2.0)) * transformer->hidden : 0.0;
    double token = outer_bytes(transformer, plan, n_attentions + 1.0, again) +
                   joined * lp_memory_scattered(plan) +
                   n_attentions * attention_bytes(transformer, plan, again) + second + scores;
    if (again == 0 || !lp_plan_gathers_again(plan))
        token += kept_gathered_bytes(transformer, plan, layer);
    return lp_plan_tokens(plan, layer.seq) * token;
}

double
lp_memory_hidden_bytes(const LpTransformer *transformer, const LpPlan *plan, guint32 seq)
{
    return lp_plan_tokens(plan, seq) * elements(plan, transformer->hidden) *
           lp_memory_scattered(plan);
}
