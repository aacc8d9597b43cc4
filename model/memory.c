/* SPDX-License-Identifier: Apache-2.0 */
/* States by precision, activations by Korthikanti et al. (arXiv 2205.05198), stage by stage.
 *
 * The paper counts 2-byte elements, four-fold feed-forward networks and dropout; its constants are
 * taken apart here into tensors and masks, so that other shapes and precisions follow. */
#include "model/memory.h"

#define MASK_BYTES 1.0
#define FP32_BYTES 4.0
/* Adam's two moments. */
#define N_MOMENTS 2.0

/* --- activations of one layer, one micro-batch --- */

static double
tokens(const LpTransformer *transformer, const LpPlan *plan)
{
    return (double)plan->micro_batch * transformer->seq;
}

/* Dropout masks that a layer keeps where its dropout acts on @n tensors; Llama style has none. */
static double
masks_bytes(const LpTransformer *transformer, double n)
{
    return transformer->ffn_kind == LP_FFN_GELU ? n * MASK_BYTES : 0.0;
}

/* Bytes a token outside the tensor-parallel region: the inputs of two norms and of the two blocks'
 * first products, two masks (the 10 h of equation 2). */
static double
outer_bytes_per_token(const LpTransformer *transformer, const LpPlan *plan)
{
    return transformer->hidden *
           (4.0 * lp_plan_activation_bytes(plan) + masks_bytes(transformer, 2.0));
}

/* Bytes a token inside it: queries, keys, values and their mixture; the inputs of the activation
 * function (two with a gate) and of the last product (the 24 h of equation 2). */
static double
inner_bytes_per_token(const LpTransformer *transformer, const LpPlan *plan)
{
    double kv_width = (double)transformer->hidden * transformer->n_kv_heads / transformer->n_heads;
    double ffn_tensors = transformer->ffn_kind == LP_FFN_SWIGLU ? 3.0 : 2.0;
    double width = 2.0 * transformer->hidden + 2.0 * kv_width + ffn_tensors * transformer->ffn;
    return width * lp_plan_activation_bytes(plan);
}

/* Bytes a token of attention scores: after softmax, and after dropout with its mask (the 5 a s of
 * equation 1). */
static double
scores_bytes_per_token(const LpTransformer *transformer, const LpPlan *plan)
{
    if (transformer->attention == LP_ATTENTION_FLASH)
        return 0.0;
    double element_bytes = lp_plan_activation_bytes(plan);
    double dropped = transformer->ffn_kind == LP_FFN_GELU ? element_bytes + MASK_BYTES : 0.0;
    return (double)transformer->n_heads * transformer->seq * (element_bytes + dropped);
}

/* Equations 1 (t = 1), 2, 4: b s h (10 + 24/t + 5 a s / h t), or b s h / t (34 + 5 a s / h) under
 * sequence parallelism; with @keeps_scores FALSE the last part is left out (equation 6). */
static double
layer_bytes(const LpTransformer *transformer, const LpPlan *plan, gboolean keeps_scores)
{
    double tp = plan->degree[LP_AXIS_TP];
    double outer = outer_bytes_per_token(transformer, plan) / (plan->sequence_parallel ? tp : 1.0);
    double inner = inner_bytes_per_token(transformer, plan) / tp;
    double scores = keeps_scores ? scores_bytes_per_token(transformer, plan) / tp : 0.0;
    return tokens(transformer, plan) * (outer + inner + scores);
}

/* Bytes of one tensor of a micro-batch's hidden activations: 2 b s h. */
static double
hidden_bytes(const LpTransformer *transformer, const LpPlan *plan)
{
    return tokens(transformer, plan) * transformer->hidden * lp_plan_activation_bytes(plan);
}

double
lp_memory_layer_activations_bytes(const LpTransformer *transformer, const LpPlan *plan)
{
    if (plan->recompute == LP_RECOMPUTE_FULL)
        return hidden_bytes(transformer, plan); /* the layer's input, on every rank in full */
    return layer_bytes(transformer, plan, plan->recompute == LP_RECOMPUTE_NONE);
}

/* What one layer's recomputation brings back for the time of its backward pass. */
static double
recomputed_bytes(const LpTransformer *transformer, const LpPlan *plan)
{
    if (plan->recompute == LP_RECOMPUTE_NONE)
        return 0.0;
    return layer_bytes(transformer, plan, TRUE) -
           lp_memory_layer_activations_bytes(transformer, plan);
}

/* --- micro-batches in flight --- */

/* Micro-batches whose activations @stage holds at once. */
static double
micro_batches_in_flight(const LpPlan *plan, guint32 stage)
{
    guint32 n_micro_batches = lp_plan_n_micro_batches(plan);
    if (plan->schedule == LP_SCHEDULE_GPIPE)
        return n_micro_batches;
    return MIN(n_micro_batches, plan->degree[LP_AXIS_PP] - stage);
}

/* The same in chunks of layers: interleaved, the first stage runs p v + p - 1 chunks ahead (so that
 * it holds L (1 + (p-1)/(p v)) layers, section 4.2.3), each later one two fewer. */
static double
chunks_in_flight(const LpPlan *plan, guint32 stage)
{
    double v = plan->virtual_stages;
    if (plan->virtual_stages == 1)
        return micro_batches_in_flight(plan, stage);
    double pp = plan->degree[LP_AXIS_PP];
    double ahead = pp * v + pp - 1.0 - 2.0 * stage;
    return MIN(ahead, lp_plan_n_micro_batches(plan) * v);
}

/* --- embedding and head --- */

/* The embedding's dropout mask, for one micro-batch (section 4.3). */
static double
embedding_bytes(const LpTransformer *transformer, const LpPlan *plan)
{
    double share = plan->sequence_parallel ? plan->degree[LP_AXIS_TP] : 1.0;
    return tokens(transformer, plan) * transformer->hidden * masks_bytes(transformer, 1.0) / share;
}

/* The inputs of the final norm and of the output product, and the logits in fp32:
 * 4 b s h / t (1 + V/h) under sequence parallelism (section 4.3). */
static double
head_bytes(const LpTransformer *transformer, const LpPlan *plan)
{
    double tp = plan->degree[LP_AXIS_TP];
    double share = plan->sequence_parallel ? tp : 1.0;
    double logits = tokens(transformer, plan) * transformer->vocab / tp * FP32_BYTES;
    return 2.0 * hidden_bytes(transformer, plan) / share + logits;
}

/* --- the stage --- */

static double
activations_bytes(const LpTransformer *transformer, const LpPlan *plan, guint32 stage)
{
    double chunk_layers =
        (double)lp_plan_stage_layers(plan, transformer, stage) / plan->virtual_stages;
    double sum = chunks_in_flight(plan, stage) * chunk_layers *
                 lp_memory_layer_activations_bytes(transformer, plan);
    if (!transformer->embedding)
        return sum;
    double n_micro_batches = micro_batches_in_flight(plan, stage);
    if (stage == 0)
        sum += n_micro_batches * embedding_bytes(transformer, plan);
    if (stage == plan->degree[LP_AXIS_PP] - 1)
        sum += n_micro_batches * head_bytes(transformer, plan);
    return sum;
}

/* What arrives from other stages: a micro-batch's activations, and its gradients. */
static double
received_bytes(const LpTransformer *transformer, const LpPlan *plan, guint32 stage)
{
    guint32 pp = plan->degree[LP_AXIS_PP];
    gboolean wraps = pp > 1 && plan->virtual_stages > 1;
    double messages = 0.0;
    if (stage > 0 || wraps)
        messages += 1.0;
    if (stage < pp - 1 || wraps)
        messages += 1.0;
    double share = plan->sequence_parallel ? plan->degree[LP_AXIS_TP] : 1.0;
    return messages * hidden_bytes(transformer, plan) / share;
}

LpMemory
lp_memory_of_stage(const LpTransformer *transformer, const LpPlan *plan, guint32 stage)
{
    double parameters = lp_plan_stage_parameters(plan, transformer, stage);
    double weight_bytes = lp_plan_activation_bytes(plan);
    /* Where training computes in 2 bytes, the optimiser keeps its own fp32 weights. */
    double master_bytes = weight_bytes < FP32_BYTES ? FP32_BYTES : 0.0;
    return (LpMemory){
        .weights_bytes = parameters * weight_bytes,
        .gradients_bytes = parameters * plan->gradient_bytes,
        .optimizer_bytes = parameters * (master_bytes + N_MOMENTS * FP32_BYTES),
        .activations_bytes = activations_bytes(transformer, plan, stage),
        .buffers_bytes =
            received_bytes(transformer, plan, stage) + recomputed_bytes(transformer, plan),
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
