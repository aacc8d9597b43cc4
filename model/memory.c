/* SPDX-License-Identifier: Apache-2.0 */
/* States by precision, activations by Korthikanti et al. (arXiv 2205.05198), stage by stage.
 *
 * The paper counts 2-byte elements, four-fold feed-forward networks and dropout; its constants are
 * taken apart here into tensors and masks, so that other shapes and precisions follow. */
#include "model/memory.h"

#include "model/precision.h"

#include <math.h>

#define MASK_BYTES 1.0
#define FP32_BYTES 4.0

/* --- activations of one layer, one micro-batch --- */

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

/* Dropout masks that a layer keeps where its dropout acts on @n tensors of a token. */
static double
masks_bytes(const LpTransformer *transformer, double n)
{
    return lp_transformer_has_dropout(transformer) ? n * transformer->hidden * MASK_BYTES : 0.0;
}

/* The share of the tokens that norms and dropout see. */
static double
scattered(const LpPlan *plan)
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
    return (norms + masks_bytes(transformer, n_blocks)) * scattered(plan) + latent;
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
    double seen = etp > 1.0 ? slots : slots * scattered(plan);
    double returned = recompute == LP_RECOMPUTE_LIGHT
                          ? 0.0
                          : elements(plan, transformer->hidden) * slots * scattered(plan);
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
    double outer = transformer->hidden * scattered(plan) * (tp > 1.0 ? 1.0 + n_blocks : 1.0);
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

/* Equations 1 (t = 1), 2, 4: b s h (10 + 24/t + 5 a s / h t), or b s h / t (34 + 5 a s / h) under
 * sequence parallelism; with the core of attention recomputed the last part is left out (equation
 * 6). */
static double
layer_bytes(const LpTransformer *transformer, const LpPlan *plan, guint32 index,
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
    double token = outer_bytes(transformer, plan, n_attentions + 1.0, recompute) +
                   n_attentions * attention_bytes(transformer, plan, recompute) + second + scores;
    return lp_plan_tokens(plan, layer.seq) * token;
}

/* Bytes of one tensor of a micro-batch's hidden activations: 2 b s h, over tp where scattered. */
static double
hidden_bytes(const LpTransformer *transformer, const LpPlan *plan, guint32 seq)
{
    return lp_plan_tokens(plan, seq) * elements(plan, transformer->hidden) * scattered(plan);
}

double
lp_memory_layer_activations_bytes(const LpTransformer *transformer, const LpPlan *plan,
                                  guint32 index)
{
    if (plan->recompute == LP_RECOMPUTE_FULL) /* the layer's input */
        return hidden_bytes(transformer, plan, lp_transformer_layer(transformer, index).seq);
    return layer_bytes(transformer, plan, index, plan->recompute);
}

/* What one layer's recomputation brings back for the time of its backward pass. */
static double
recomputed_bytes(const LpTransformer *transformer, const LpPlan *plan, guint32 index)
{
    if (plan->recompute == LP_RECOMPUTE_NONE)
        return 0.0;
    return layer_bytes(transformer, plan, index, LP_RECOMPUTE_NONE) -
           lp_memory_layer_activations_bytes(transformer, plan, index);
}

/* --- micro-batches in flight --- */

/* Micro-batches whose activations @stage holds at once: GPipe all; ZB-H1 as many as the first stage
 * of 1F1B on all (Qi et al., arXiv 2401.10241, section 2.3). */
static double
micro_batches_in_flight(const LpPlan *plan, guint32 stage)
{
    guint32 m = lp_plan_n_micro_batches(plan), pp = plan->degree[LP_AXIS_PP];
    switch (plan->pipeline.schedule) {
    case LP_SCHEDULE_GPIPE:
        return m;
    case LP_SCHEDULE_ZERO_BUBBLE:
        return MIN(m, pp);
    default:
        return MIN(m, pp - stage);
    }
}

/* Micro-batches in flight, counted in chunks of layers. Interleaved, the first stage runs p v + p -
 * 1 chunks ahead (so that it holds L (1 + (p-1)/(p v)) layers, section 4.2.3), each later one two
 * fewer; where passes are woven, one more. DualPipe: p + 1 of both ways together (DeepSeek-V3,
 * arXiv 2412.19437, table 2). */
static double
chunks_in_flight(const LpPlan *plan, guint32 stage)
{
    double v = plan->pipeline.virtual_stages, pp = plan->degree[LP_AXIS_PP];
    double m = lp_plan_n_micro_batches(plan), woven = plan->overlap.ep ? 1.0 : 0.0;
    if (plan->pipeline.schedule == LP_SCHEDULE_DUALPIPE)
        return MIN(pp + 1.0, m);
    if (plan->pipeline.virtual_stages == 1)
        return MIN(micro_batches_in_flight(plan, stage) + woven, m);
    double ahead = pp * v + pp - 1.0 - 2.0 * stage + woven;
    return MIN(ahead, m * v);
}

/* --- embedding and head --- */

/* The embedding's dropout mask, for one micro-batch (section 4.3). */
static double
embedding_bytes(const LpTransformer *transformer, const LpPlan *plan)
{
    double tokens =
        lp_plan_tokens(plan, transformer->seq) + lp_plan_tokens(plan, transformer->decoder.seq);
    return tokens * masks_bytes(transformer, 1.0) * scattered(plan);
}

/* The inputs of the final norm and of the output product, and the logits in fp32:
 * 4 b s h / t (1 + V/h) under sequence parallelism (section 4.3). */
static double
head_bytes(const LpTransformer *transformer, const LpPlan *plan)
{
    guint32 seq = lp_transformer_head_tokens(transformer);
    double logits = lp_plan_tokens(plan, seq) * transformer->vocab / plan->degree[LP_AXIS_TP];
    return 2.0 * hidden_bytes(transformer, plan, seq) + logits * FP32_BYTES;
}

/* --- the stage --- */

/* Calls for each layer of @stage would be slow for the deepest models: layers that are alike are
 * worked out once. */
typedef struct {
    double sum, largest;
} Layers;

typedef double (*LayerBytes)(const LpTransformer *transformer, const LpPlan *plan, guint32 index);

static Layers
over_layers(const LpTransformer *transformer, const LpPlan *plan, guint32 stage, LayerBytes bytes)
{
    Layers layers = {0.0, 0.0};
    double kinds[LP_LAYER_KINDS];
    gboolean known[LP_LAYER_KINDS] = {FALSE};
    for (guint32 chunk = 0; chunk < lp_plan_n_chunks(plan); chunk++) {
        guint32 slice = lp_plan_slice(plan, stage, chunk);
        guint32 first = lp_plan_slice_first_layer(plan, transformer, slice);
        guint32 n = lp_plan_slice_layers(plan, transformer, slice);
        for (guint32 i = first; i < first + n; i++) {
            guint kind = lp_transformer_layer_kind(transformer, i);
            if (!known[kind])
                kinds[kind] = bytes(transformer, plan, i);
            known[kind] = TRUE;
            layers.sum += kinds[kind];
            layers.largest = fmax(layers.largest, kinds[kind]);
        }
    }
    return layers;
}

static double
activations_bytes(const LpTransformer *transformer, const LpPlan *plan, guint32 stage)
{
    Layers layers = over_layers(transformer, plan, stage, lp_memory_layer_activations_bytes);
    double n_chunks = chunks_in_flight(plan, stage) / lp_plan_n_chunks(plan);
    double sum = n_chunks * layers.sum;
    if (!transformer->embedding)
        return sum;
    /* Of each way the head's stage is the last, whose micro-batches go back at once. */
    double n_micro_batches = plan->pipeline.schedule == LP_SCHEDULE_DUALPIPE
                                 ? 1.0
                                 : micro_batches_in_flight(plan, stage);
    for (guint32 chunk = 0; chunk < lp_plan_n_chunks(plan); chunk++) {
        if (lp_plan_holds_embedding(plan, stage, chunk))
            sum += n_micro_batches * embedding_bytes(transformer, plan);
        if (lp_plan_holds_head(plan, stage, chunk))
            sum += n_micro_batches * head_bytes(transformer, plan);
    }
    return sum;
}

/* What arrives from other stages: a micro-batch's activations, and its gradients. */
static double
received_bytes(const LpTransformer *transformer, const LpPlan *plan, guint32 stage)
{
    guint32 pp = plan->degree[LP_AXIS_PP];
    gboolean wraps = pp > 1 && lp_plan_n_chunks(plan) > 1;
    double messages = 0.0;
    if (stage > 0 || wraps)
        messages += 1.0;
    if (stage < pp - 1 || wraps)
        messages += 1.0;
    return messages * hidden_bytes(transformer, plan, transformer->seq);
}

/* Ring attention receives keys and values while it works on those before. */
static double
ring_bytes(const LpTransformer *transformer, const LpPlan *plan)
{
    if (plan->degree[LP_AXIS_CP] == 1 || plan->context_kind != LP_CONTEXT_RING)
        return 0.0;
    double width = lp_plan_key_width(plan, transformer) + lp_plan_value_width(plan, transformer);
    return lp_plan_tokens(plan, transformer->seq) * elements(plan, 2.0 * width);
}

/* --- states --- */

static double
total(LpParameters parameters)
{
    return parameters.dense + parameters.experts;
}

/* Gradients of several micro-batches add up whole, unless each is reduced and scattered. */
static gboolean
shards_gradients(const LpPlan *plan)
{
    return plan->zero.stage >= 2 &&
           (lp_plan_reduces_each(plan) || lp_plan_n_micro_batches(plan) == 1);
}

static double
layer_parameters(const LpTransformer *transformer, const LpPlan *plan, guint32 index)
{
    return total(lp_plan_layer_parameters(plan, transformer, index));
}

/* Bytes of weights that stay on a rank: @layers' and @ends'. Narrow products need both copies of a
 * layer's (model/precision.h): in place of 16 bits with narrow-parameters, else beside them. Of
 * shards there is one, and what is gathered is cast when it is used. */
static double
weights_bytes(const LpPlan *plan, double layers, double ends)
{
    double wide = lp_plan_activation_bytes(plan);
    double copies = 2.0 * lp_plan_operand_bytes(plan);
    if (plan->zero.stage == 3)
        return ends * wide + layers * lp_plan_parameter_wire_bytes(plan);
    if (!lp_precision_is_narrow(plan->format.precision))
        return (ends + layers) * wide;
    return ends * wide + layers * (copies + (plan->format.narrow_parameters ? 0.0 : wide));
}

/* What ZeRO stage 3 has gathered at once: the layer at work and those ahead, or all; and a layer's
 * gradients, or a bucket of them, before they are scattered. */
static double
gathered_bytes(const LpTransformer *transformer, const LpPlan *plan, guint32 stage)
{
    if (plan->zero.stage != 3)
        return 0.0;
    Layers layers = over_layers(transformer, plan, stage, layer_parameters);
    double n_ahead = plan->overlap.param ? plan->zero.prefetch + 1.0 : 1.0;
    double gathered =
        plan->zero.keeps_parameters ? layers.sum : fmin(n_ahead * layers.largest, layers.sum);
    double gradients = layers.largest * plan->format.gradient_bytes;
    double bucket = lp_plan_bucket_bytes(plan, plan->format.gradient_bytes);
    if (bucket > 0.0)
        gradients = fmin(gradients, bucket);
    return gathered * lp_plan_parameter_wire_bytes(plan) +
           (shards_gradients(plan) ? gradients : 0.0);
}

/* Bytes a parameter of the optimiser's states: its moments, and fp32 weights where training
 * computes in 2 bytes (Micikevicius et al., arXiv 1710.03740). */
static double
optimizer_bytes_per_parameter(const LpPlan *plan)
{
    if (plan->optimizer == LP_OPTIMIZER_NONE)
        return 0.0;
    double master = lp_plan_activation_bytes(plan) < FP32_BYTES ? FP32_BYTES : 0.0;
    return master + lp_plan_moment_bytes(plan);
}

LpMemory
lp_memory_of_stage(const LpTransformer *transformer, const LpPlan *plan, guint32 stage)
{
    LpParameters whole = lp_plan_rank_parameters(plan, transformer, stage);
    LpParameters share = lp_plan_sharded_parameters(plan, whole);
    LpParameters layers = lp_plan_rank_layer_parameters(plan, transformer, stage);
    gboolean shards = plan->zero.stage == 3;
    double held = total(shards ? share : whole);
    double held_layers = total(shards ? lp_plan_sharded_parameters(plan, layers) : layers);
    Layers recomputed = over_layers(transformer, plan, stage, recomputed_bytes);
    return (LpMemory){
        .weights_bytes = weights_bytes(plan, held_layers, held - held_layers),
        .gradients_bytes =
            total(shards_gradients(plan) ? share : whole) * plan->format.gradient_bytes,
        .optimizer_bytes = total(share) * optimizer_bytes_per_parameter(plan),
        .activations_bytes = activations_bytes(transformer, plan, stage),
        .buffers_bytes = received_bytes(transformer, plan, stage) + recomputed.largest +
                         ring_bytes(transformer, plan) + gathered_bytes(transformer, plan, stage),
    };
}

double
lp_memory_sum(const LpMemory *self)
{
    return self->weights_bytes + self->gradients_bytes + self->optimizer_bytes +
           self->activations_bytes + self->buffers_bytes;
}

LpMemory
lp_memory_fullest(const LpTransformer *transformer, const LpPlan *plan)
{
    LpMemory fullest = lp_memory_of_stage(transformer, plan, 0);
    for (guint32 stage = 1; stage < plan->degree[LP_AXIS_PP]; stage++) {
        LpMemory memory = lp_memory_of_stage(transformer, plan, stage);
        if (lp_memory_sum(&memory) > lp_memory_sum(&fullest))
            fullest = memory;
    }
    return fullest;
}

double
lp_memory_checkpoint_bytes(const LpTransformer *transformer, const LpPlan *plan)
{
    return lp_transformer_parameters(transformer) *
           (lp_plan_activation_bytes(plan) + optimizer_bytes_per_parameter(plan));
}
