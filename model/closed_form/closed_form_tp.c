/* SPDX-License-Identifier: Apache-2.0 */
/* T_TP: the collectives of tensor parallelism. */
#include "model/closed_form/closed_form_waiting.h"
#include "model/closed_form/closed_form_collective.h"
#include "model/closed_form/closed_form_counts.h"
#include "model/times/mixer.h"

#include <math.h>

double
lp_closed_form_tp_collective_s(const LpClosedFormInput *input)
{
    return lp_closed_form_ring_s(input, LP_GROUP_TP, LP_COLLECTIVE_ALL_REDUCE,
                                 activations_bytes(input, input->transformer->seq));
}

static double
one_gather_s(const LpClosedFormInput *input, double bytes)
{
    return lp_closed_form_ring_s(input, LP_GROUP_TP, LP_COLLECTIVE_ALL_GATHER, bytes);
}

/* The time of one sum, which scatters with sequence parallelism. */
static double
one_sum_s(const LpClosedFormInput *input, double bytes)
{
    return lp_closed_form_ring_s(input, LP_GROUP_TP, sum_of(input->plan->sequence_parallel), bytes);
}

/* Half of what sums and hands out. */
static double
half_sum_s(const LpClosedFormInput *input, double bytes)
{
    return (input->plan->sequence_parallel ? 1.0 : 0.5) * one_sum_s(input, bytes);
}

/* The share of layers that are recomputed whole, and so communicate again. */
static double
recomputed_share(const LpTransformer *transformer, const LpPlan *plan)
{
    return plan->recompute == LP_RECOMPUTE_FULL ? lp_plan_recomputed_share(plan, transformer) : 0.0;
}

/* The number of all-reduces, or their equivalents, of one block for a micro-batch, as the mean over
 * layers. */
static double
collectives_per_block(const LpTransformer *transformer, const LpPlan *plan)
{
    double forward = 1.0;
    double backward = lp_plan_regathers_inputs(plan) ? 1.5 : 1.0;
    return forward + backward + recomputed_share(transformer, plan);
}

/* The part of these collectives that the recomputation of layer @index omits: the sum of the
 * layer's result. */
static double
collectives_not_run(const LpTransformer *transformer, const LpPlan *plan, guint32 index)
{
    if (!lp_plan_recompute_stops_early(plan, transformer, index))
        return 0.0;
    return (plan->sequence_parallel ? 0.5 : 1.0) * recomputed_share(transformer, plan);
}

/* The collectives of a block in a pass: whether it gathers and sums. */
typedef struct {
    gboolean gathers, sums;
} Shares;

/* The collectives that a block repeats where parts of it are recomputed. Parallel blocks share the
 * gather, and their sum is not needed. */
static Shares
attention_recomputed(const LpTransformer *transformer, const LpPlan *plan, LpLayer layer)
{
    return (Shares){layer.has_mixer && lp_plan_recomputes(plan, LP_RECOMPUTED_QKV),
                    layer.has_mixer && lp_plan_recomputes_projection(plan, transformer, layer)};
}

static Shares
ffn_recomputed(const LpTransformer *transformer, const LpPlan *plan, LpLayer layer)
{
    gboolean beside = lp_plan_has_parallel_blocks(transformer, layer);
    gboolean has_gathered = beside && lp_plan_recomputes(plan, LP_RECOMPUTED_QKV);
    gboolean exists =
        layer.has_network && (!layer.has_experts || transformer->experts.n_shared > 0);
    return (Shares){exists && lp_plan_recomputes_up(plan, transformer) && !has_gathered, FALSE};
}

/* Gathers and sums, halves of an all-reduce or, without sequence parallelism, whole ones, that the
 * parts of layer @index which are made again take. */
static void
parts_collectives(const LpTransformer *transformer, const LpPlan *plan, guint32 index,
                  double *gathers, double *sums)
{
    LpLayer layer = lp_transformer_layer(transformer, index);
    Shares attention = attention_recomputed(transformer, plan, layer);
    double n_attentions = layer.cross ? 2.0 : 1.0;
    gboolean again = lp_plan_recomputes_layer(plan, transformer, index);
    *gathers = *sums = 0.0;
    double n_first = lp_plan_attention_inputs(plan).n_gathers + (layer.cross ? 1.0 : 0.0);
    if (again && plan->sequence_parallel)
        *gathers =
            n_first * attention.gathers + (ffn_recomputed(transformer, plan, layer).gathers
                                               ? lp_plan_ffn_inputs(plan, transformer).n_gathers
                                               : 0.0);
    if (again)
        *sums = n_attentions * attention.sums;
}

/* Collectives of the inputs of a layer's blocks beyond one each: gathers forward, where it is
 * recomputed whole and again for the gradients of weights, and sums of their gradients. */
typedef struct {
    double gathers, sums;
} Extra;

static Extra
extra_collectives(const LpTransformer *transformer, const LpPlan *plan)
{
    LpPlanInputs attention = lp_plan_attention_inputs(plan);
    LpPlanInputs ffn = lp_plan_ffn_inputs(plan, transformer);
    double times =
        1.0 + recomputed_share(transformer, plan) + (lp_plan_regathers_inputs(plan) ? 1.0 : 0.0);
    double gathers = attention.n_gathers + ffn.n_gathers - 2.0;
    return (Extra){.gathers = plan->sequence_parallel ? gathers * times : 0.0,
                   .sums = attention.n_sums + ffn.n_sums - 2.0};
}

/* Gathers and sums of queries, keys and values of layer @index. */
static double
heads_collectives(const LpTransformer *transformer, const LpPlan *plan, guint32 index)
{
    LpLayer layer = lp_transformer_layer(transformer, index);
    gboolean again = lp_plan_recomputes_layer(plan, transformer, index) &&
                     attention_recomputed(transformer, plan, layer).gathers;
    return lp_plan_gathers_heads(plan, transformer) && lp_mixer_has_heads(transformer, plan, index)
               ? 2.0 + recomputed_share(transformer, plan) + (again ? 1.0 : 0.0)
               : 0.0;
}

/* Blocks of a layer, but for cross-attention: two, unless it is a mixer or a network alone. */
static double
mean_blocks(const LpTransformer *transformer)
{
    guint32 n_layers = lp_transformer_n_layers(transformer), n = 0;
    for (guint32 i = 0; i < n_layers; i++) {
        LpLayer layer = lp_transformer_layer(transformer, i);
        n += (layer.has_mixer ? 1u : 0u) + (layer.has_network ? 1u : 0u);
    }
    return (double)n / n_layers;
}

double
lp_closed_form_tp_collectives_per_layer(const LpTransformer *transformer, const LpPlan *plan)
{
    guint32 last = lp_transformer_n_layers(transformer) - 1;
    double gathers = 0.0, sums = 0.0;
    Extra extra = extra_collectives(transformer, plan);
    parts_collectives(transformer, plan, last, &gathers, &sums);
    return (transformer->parallel_blocks ? 0.5 : 1.0) * mean_blocks(transformer) *
               collectives_per_block(transformer, plan) -
           collectives_not_run(transformer, plan, last) + 0.5 * (gathers + extra.gathers) +
           (plan->sequence_parallel ? 0.5 : 1.0) *
               (sums + extra.sums + heads_collectives(transformer, plan, last));
}

/* Gathers for products that one block takes a micro-batch; the rest are sums. */
static double
gathers_per_block(const LpTransformer *transformer, const LpPlan *plan)
{
    if (!plan->sequence_parallel)
        return 0.0;
    return 2.0 + (lp_plan_regathers_inputs(plan) ? 1.0 : 0.0) + recomputed_share(transformer, plan);
}

/* Blocks of layer @index that gather and sum activations of a layer's size; blocks side by side
 * share their collectives. */
static double
layer_blocks(const LpClosedFormInput *input, guint32 index)
{
    const LpPlan *plan = input->plan;
    LpLayer layer = lp_transformer_layer(input->transformer, index);
    double others =
        (layer.cross ? 1.0 : 0.0) + (layer.mtp ? 1.0 : 0.0) + (layer.has_mixer ? 1.0 : 0.0);
    if (!layer.has_network)
        return others;
    gboolean network = layer.cross || !input->transformer->parallel_blocks || !layer.has_mixer;
    if (layer.has_experts)
        network = !plan->sequence_parallel || input->transformer->experts.n_shared > 0;
    return others + (network ? 1.0 : 0.0);
}

/* The collectives of one block over sequences of @seq: an all-reduce's halves, whose gathers send
 * operands of products and whose sums send activations. */
static double
block_s(const LpClosedFormInput *input, guint32 seq)
{
    const LpPlan *plan = input->plan;
    double elements = lp_plan_tokens(plan, seq) * input->transformer->hidden;
    double gathers = gathers_per_block(input->transformer, plan);
    double sums = 2.0 * collectives_per_block(input->transformer, plan) - gathers;
    return sums * half_sum_s(input, activations_bytes(input, seq)) +
           gathers * one_gather_s(input, elements * lp_plan_gathered_wire_bytes(plan));
}

/* Experts divided over tp gather the tokens of all of its ranks, and scatter the sums. */
static double
layer_expert_tp_s(const LpClosedFormInput *input, guint32 index)
{
    LpLayer layer = lp_transformer_layer(input->transformer, index);
    if (!layer.has_experts || !input->plan->sequence_parallel || lp_plan_expert_tp(input->plan) < 2)
        return 0.0;
    double bytes = lp_transformer_expert_slots(input->transformer) *
                   wire_bytes(input, layer.seq, lp_transformer_expert_hidden(input->transformer));
    return n_passes(input) * (one_gather_s(input, bytes) + one_sum_s(input, bytes));
}

/* @n of @collective that share @width elements a token of layer @index. */
static double
latents_s(const LpClosedFormInput *input, guint32 index, double width, guint32 n,
          LpCollective collective, double element_bytes)
{
    double tokens =
        lp_plan_tokens(input->plan, lp_transformer_layer(input->transformer, index).seq);
    return n == 0 ? 0.0
                  : n * lp_closed_form_ring_s(input, LP_GROUP_TP, collective,
                                              tokens * width / n * element_bytes);
}

/* The collectives of the inputs of layer @index's attention, where MLA's latents are gathered. */
typedef struct {
    double gather_s, sum_s, regathered_s;
} LatentTimes;

static LatentTimes
latent_times(const LpClosedFormInput *input, guint32 index)
{
    const LpPlan *plan = input->plan;
    LpPlanLatentInputs in = lp_plan_latent_inputs(plan, input->transformer);
    double operand_bytes = lp_plan_gathered_wire_bytes(plan);
    const LpCollective gather = LP_COLLECTIVE_ALL_GATHER, sum = sum_of(plan->sequence_parallel);
    double gathers = plan->sequence_parallel ? 1.0 : 0.0;
    return (LatentTimes){
        gathers * latents_s(input, index, in.gathered, in.n_gathers, gather, operand_bytes),
        latents_s(input, index, in.summed, in.n_sums, sum, lp_plan_wire_bytes(plan)),
        gathers * latents_s(input, index, in.regathered, in.n_regathered, gather, operand_bytes)};
}

/* The additional time of collectives of latents, against collectives of the whole input. */
static double
latents_more_s(const LpClosedFormInput *input, guint32 index)
{
    const LpPlan *plan = input->plan;
    LpLayer layer = lp_transformer_layer(input->transformer, index);
    if (!layer.has_mixer || layer.mixer > 0 ||
        lp_plan_latent_inputs(plan, input->transformer).n_gathers == 0)
        return 0.0;
    LatentTimes own = latent_times(input, index);
    double whole_s = 0.0;
    if (plan->sequence_parallel)
        whole_s = one_gather_s(input, lp_plan_tokens(plan, layer.seq) * input->transformer->hidden *
                                          lp_plan_gathered_wire_bytes(plan));
    double whole_sum_s = one_sum_s(input, activations_bytes(input, layer.seq));
    gboolean again = lp_plan_recomputes_layer(plan, input->transformer, index) &&
                     attention_recomputed(input->transformer, plan, layer).gathers;
    double forward = 1.0 + recomputed_share(input->transformer, plan) + (again ? 1.0 : 0.0);
    return forward * (own.gather_s - whole_s) + own.sum_s - whole_sum_s +
           (lp_plan_regathers_inputs(plan) ? own.regathered_s - whole_s : 0.0);
}

/* Queries, keys and values of all heads, which the ranks of layer @index's attention have divided
 * evenly: gathered forward and where they are made again, and their gradients scattered. */
static double
heads_s(const LpClosedFormInput *input, guint32 index)
{
    const LpTransformer *shape = input->transformer;
    LpLayer layer = lp_transformer_layer(shape, index);
    if (!lp_plan_gathers_heads(input->plan, shape) ||
        !lp_mixer_has_heads(shape, input->plan, index))
        return 0.0;
    double bytes = wire_bytes(input, layer.seq,
                              lp_transformer_query_width(shape) + lp_transformer_key_width(shape) +
                                  lp_transformer_value_width(shape));
    return (heads_collectives(shape, input->plan, index) - 1.0) * one_gather_s(input, bytes) +
           lp_closed_form_ring_s(input, LP_GROUP_TP, LP_COLLECTIVE_REDUCE_SCATTER, bytes);
}

/* --- what is hidden --- */

static double
part_s(const LpClosedFormInput *input, guint32 index, LpBlock block, LpPass pass, LpBlockPart part)
{
    return lp_block_part_work(input->transformer, input->plan, input->accelerator, index, block,
                              pass, part)
        .device_s;
}

/* The time that a ring of exchanges hides behind products. Of a gather the products of the last
 * share wait for the last exchange; of a sum the products of the first share come before the first
 * exchange. */
static double
ring_hidden_s(const LpClosedFormInput *input, double comm_s, double product_s)
{
    if (input->plan->overlap.tp != LP_OVERLAP_TP_RING)
        return 0.0;
    return fmin(comm_s, product_s * (1.0 - 1.0 / degree(input, LP_AXIS_TP)));
}

static double
forward_hidden_s(const LpClosedFormInput *input, guint32 index, LpBlock block, LpPass pass,
                 Shares shares, double gather_s, double sum_s)
{
    double hidden_s = 0.0;
    if (shares.gathers)
        hidden_s += ring_hidden_s(input, gather_s,
                                  part_s(input, index, block, pass, LP_BLOCK_PART_INPUT_PRODUCT));
    if (shares.sums)
        hidden_s += ring_hidden_s(input, sum_s,
                                  part_s(input, index, block, pass, LP_BLOCK_PART_OUTPUT_PRODUCT));
    return hidden_s;
}

/* The second gather hides behind the gradient of the activations, and their sum behind that of the
 * weights, where both stand in one pass. */
static double
backward_hidden_s(const LpClosedFormInput *input, guint32 index, LpBlock block, Shares shares,
                  double gather_s, double sum_s)
{
    const LpPass pass = LP_PASS_BACKWARD_INPUT;
    double exit_s = part_s(input, index, block, pass, LP_BLOCK_PART_OUTPUT_PRODUCT), hidden_s = 0.0;
    if (shares.gathers)
        hidden_s += ring_hidden_s(input, gather_s,
                                  part_s(input, index, block, pass, LP_BLOCK_PART_INPUT_PRODUCT));
    if (!shares.sums || (input->plan->overlap.tp == LP_OVERLAP_TP_RING &&
                         input->plan->traits[LP_TRAIT_OVERLAP_TP_PAIRS]))
        return hidden_s;
    if (input->plan->pipeline.schedule == LP_SCHEDULE_ZERO_BUBBLE)
        return hidden_s + ring_hidden_s(input, sum_s, exit_s);
    double weight_s = lp_block_work(input->transformer, input->plan, input->accelerator, index,
                                    block, LP_PASS_BACKWARD_WEIGHT)
                          .device_s;
    double regathered_s = lp_plan_regathers_inputs(input->plan) ? gather_s : 0.0;
    return hidden_s + fmin(regathered_s, exit_s) + fmin(sum_s, weight_s);
}

static double
block_hidden_s(const LpClosedFormInput *input, guint32 index, LpBlock block, Shares forward,
               Shares backward, Shares again)
{
    const LpPlan *plan = input->plan;
    LpLayer layer = lp_transformer_layer(input->transformer, index);
    double elements = lp_plan_tokens(plan, layer.seq) * input->transformer->hidden;
    double whole_s = 0.0;
    if (plan->sequence_parallel)
        whole_s = one_gather_s(input, elements * lp_plan_gathered_wire_bytes(plan));
    double whole_sum_s = one_sum_s(input, activations_bytes(input, layer.seq));
    double regathered_s = whole_s, input_sum_s = whole_sum_s;
    if (block == LP_BLOCK_ATTENTION && layer.mixer == 0 &&
        lp_plan_latent_inputs(plan, input->transformer).n_sums > 0) {
        regathered_s = latent_times(input, index).regathered_s;
        input_sum_s = latent_times(input, index).sum_s;
    }
    double hidden_s =
        forward_hidden_s(input, index, block, LP_PASS_FORWARD, forward, whole_s, whole_sum_s) +
        backward_hidden_s(input, index, block, backward, regathered_s, input_sum_s);
    return hidden_s + lp_plan_recomputed_share(plan, input->transformer) *
                          forward_hidden_s(input, index, block, LP_PASS_RECOMPUTE,
                                           recomputes_all(input) ? forward : again, whole_s,
                                           whole_sum_s);
}

static double
layer_hidden_s(const LpClosedFormInput *input, guint32 index)
{
    LpLayer layer = lp_transformer_layer(input->transformer, index);
    gboolean parallel = lp_plan_has_parallel_blocks(input->transformer, layer);
    const Shares both = {TRUE, TRUE}, first = {TRUE, !parallel}, second = {!parallel, TRUE};
    const Shares none = {FALSE, FALSE},
                 network = ffn_recomputed(input->transformer, input->plan, layer);
    const Shares attention = attention_recomputed(input->transformer, input->plan, layer);
    double hidden_s = 0.0;
    if (layer.has_mixer)
        hidden_s += block_hidden_s(input, index, LP_BLOCK_ATTENTION, first, second, attention);
    if (layer.cross)
        hidden_s += block_hidden_s(input, index, LP_BLOCK_CROSS, both, both, attention);
    if (layer.mtp)
        hidden_s += block_hidden_s(input, index, LP_BLOCK_MTP, both, both, none);
    if (!layer.has_network)
        return hidden_s;
    if (!layer.has_experts)
        return hidden_s + block_hidden_s(input, index, LP_BLOCK_FFN, second, first, network);
    const Shares shared = {TRUE, input->plan->sequence_parallel};
    if (input->transformer->experts.n_shared > 0)
        hidden_s += block_hidden_s(input, index, LP_BLOCK_SHARED, shared, shared, network);
    return hidden_s;
}

double
lp_closed_form_tp_hidden_s(const LpClosedFormInput *input)
{
    const LpTransformer *shape = input->transformer;
    double kinds_s[LP_LAYER_KINDS], sum_s = 0.0;
    gboolean known[LP_LAYER_KINDS] = {FALSE};
    if (degree(input, LP_AXIS_TP) < 2.0 || input->plan->overlap.tp == LP_OVERLAP_TP_NO)
        return 0.0;
    for (guint32 i = 0; i < lp_transformer_n_layers(shape); i++) {
        guint kind = lp_transformer_layer_kind(shape, i);
        if (!known[kind])
            kinds_s[kind] = layer_hidden_s(input, i);
        known[kind] = TRUE;
        sum_s += kinds_s[kind];
    }
    return n_micro_batches(input) * sum_s / degree(input, LP_AXIS_PP);
}

/* @gathers of operands of products and @sums, over sequences of @seq. */
static double
halves_s(const LpClosedFormInput *input, guint32 seq, double gathers, double sums)
{
    const LpPlan *plan = input->plan;
    double elements = lp_plan_tokens(plan, seq) * input->transformer->hidden;
    return gathers * one_gather_s(input, elements * lp_plan_gathered_wire_bytes(plan)) +
           sums * one_sum_s(input, activations_bytes(input, seq));
}

/* The collectives of what is made again of layer @index, and of inputs that are gathered one by
 * one, over sequences of @seq. */
static double
more_s(const LpClosedFormInput *input, guint32 index, guint32 seq)
{
    double gathers = 0.0, sums = 0.0;
    Extra extra = extra_collectives(input->transformer, input->plan);
    parts_collectives(input->transformer, input->plan, index, &gathers, &sums);
    return halves_s(input, seq, gathers + extra.gathers, sums + extra.sums);
}

double
lp_closed_form_tp_s(const LpClosedFormInput *input)
{
    double all_s = 0.0;
    if (degree(input, LP_AXIS_TP) < 2.0)
        return 0.0;
    for (guint32 i = 0; i < lp_transformer_n_layers(input->transformer); i++) {
        guint32 seq = lp_transformer_layer(input->transformer, i).seq;
        double less = 2.0 * collectives_not_run(input->transformer, input->plan, i);
        all_s += layer_blocks(input, i) * block_s(input, seq) + layer_expert_tp_s(input, i) -
                 less * half_sum_s(input, activations_bytes(input, seq)) + more_s(input, i, seq) +
                 latents_more_s(input, i) + heads_s(input, i);
    }
    return n_micro_batches(input) * all_s / degree(input, LP_AXIS_PP);
}
