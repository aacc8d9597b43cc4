/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of blocks of self-attention: products around the core, and what is copied there. */
#include "model/kernel_attention.h"

#include "model/kernel.h"
#include "model/kernel_core.h"
#include "model/precision.h"

#include <math.h>

/* Bytes of an element of a query that is half of a complex number of fp32. */
#define COMPLEX_BYTES 4.0
#define ROTARY_PASSES(is_sliced) ((is_sliced) ? 15.0 : 10.0) /* operation by operation */

/* --- products --- */

/* Queries, keys and values of the rank's own heads out of what MLA compressed them to. */
static void
list_latent_up(LpKernelList *list, LpProduct product)
{
    const LpTransformer *shape = list->transformer;
    double own_heads = shape->n_heads / list->tp;
    double expanded = own_heads * (list->key_width * list->tp / shape->n_heads -
                                   shape->latent.rope_width + list->mixture_width / own_heads);
    if (shape->latent.query_rank > 0)
        lp_list_weight(list, "q-up", shape->latent.query_rank, list->query_width, product);
    lp_list_weight(list, "kv-up", shape->latent.kv_rank, expanded, product);
}

/* A product each for queries, keys and values; they share the cast of their input. */
static void
list_separate_qkv(LpKernelList *list, LpProduct product)
{
    double hidden = list->transformer->hidden;
    lp_list_weight(list, "q", hidden, list->query_width, product);
    list->is_cast = product == LP_PRODUCT_OUTPUT;
    lp_list_weight(list, "k", hidden, list->key_width, product);
    lp_list_weight(list, "v", hidden, list->value_width, product);
    list->is_cast = FALSE;
    if (product == LP_PRODUCT_DATA_GRADIENT)
        lp_list_input_gradients(list, 3.0);
}

/* Those that a rank compresses: its own where the compressed ones are gathered. */
static double
compressed_tokens(const LpKernelList *list)
{
    return list->plan->input_collectives == LP_INPUT_COLLECTIVES_LATENT ? list->scattered_tokens
                                                                        : list->tokens;
}

/* MLA compresses queries, keys and values first, on every rank of tp for itself, and expands them
 * to the rank's own heads (DeepSeek-V2, arXiv 2405.04434, section 2.1). */
static void
list_qkv(LpKernelList *list, LpProduct product)
{
    const LpTransformer *shape = list->transformer;
    if (shape->latent.kv_rank == 0 && list->plan->host.projections == LP_PROJECTIONS_APART) {
        list_separate_qkv(list, product);
        return;
    }
    if (shape->latent.kv_rank == 0) {
        lp_list_weight(list, "qkv", shape->hidden,
                       list->query_width + list->key_width + list->value_width, product);
        return;
    }
    if (shape->latent.query_rank == 0)
        lp_list_weight(list, "q", shape->hidden, list->query_width, product);
    double tokens = list->tokens;
    list->tokens = compressed_tokens(list);
    if (shape->latent.query_rank > 0)
        lp_list_weight(list, "q-down", shape->hidden, shape->latent.query_rank, product);
    lp_list_weight(list, "kv-down", shape->hidden,
                   (double)shape->latent.kv_rank + shape->latent.rope_width, product);
    list->tokens = tokens;
    list_latent_up(list, product);
}

void
lp_list_projection(LpKernelList *list, LpProduct product)
{
    lp_list_weight(list, "projection", list->mixture_width, list->transformer->hidden, product);
}

/* MLA normalises the compressed queries, keys and values. */
static void
list_latent_norms(LpKernelList *list, const char *name, double tensors)
{
    const LpTransformer *shape = list->transformer;
    if (shape->latent.kv_rank > 0)
        lp_list_memory(list, name,
                       tensors * compressed_tokens(list) *
                           ((double)shape->latent.query_rank + shape->latent.kv_rank) *
                           list->element_bytes);
}

/* Queries and keys are normalised head by head, by a kernel each (Megatron-Core,
 * megatron/core/transformer/attention.py: q_layernorm, k_layernorm). */
static void
list_head_norms(LpKernelList *list, const char *name, double tensors)
{
    double elements = list->tokens * (list->query_width + list->key_width);
    if (list->transformer->head_norms)
        lp_list_kernel(list, (LpKernel){.name = name,
                                        .bytes = tensors * elements * list->element_bytes,
                                        .n_launches = 2});
}

/* Queries and keys are turned by a kernel each (Megatron-Core,
 * megatron/core/transformer/attention.py: apply_rotary_pos_emb; nanotron, models/llama.py:
 * flash_rotary_embedding). */
static void
list_turns(LpKernelList *list, const char *name, gboolean streams, double bytes)
{
    lp_list_kernel(list,
                   (LpKernel){.name = name, .bytes = bytes, .streams = streams, .n_launches = 2});
}

/* Rotary positions read and write queries and keys. As complex numbers of fp32, which PyTorch fuses
 * with nothing, they are made wide, multiplied, and made narrow again (torchtitan/models/llama3/
 * model.py: apply_rotary_emb; torchtitan's issue 15). Operation by operation, as halves of heads,
 * they pass the memory ten times in either pass: times the cosine 2, a half negated 1, both halves
 * joined 2, times the sine 2, summed 3 (microsoft/Megatron-DeepSpeed, megatron/model/
 * rotary_pos_embedding.py: apply_rotary_pos_emb). Gradients of halves that are slices are cleared
 * and copied into, 2 each, and both summed, 3 more (huggingface/transformers, modeling_llama.py:
 * rotate_half; PyTorch, aten/src/ATen/native/TensorShape.cpp: slice_backward). */
static void
list_rotary(LpKernelList *list)
{
    double elements = list->tokens * (list->query_width + list->key_width);
    if (list->transformer->positions != LP_POSITIONS_ROTARY)
        return;
    if (list->plan->host.eager_rotary) {
        gboolean sliced = list->plan->host.slices_halves && list->pass == LP_PASS_BACKWARD_INPUT;
        list_turns(list, "rotary", TRUE, ROTARY_PASSES(sliced) * elements * list->element_bytes);
        return;
    }
    if (!list->plan->host.complex_rotary) {
        list_turns(list, "rotary", FALSE, 2.0 * elements * list->element_bytes);
        return;
    }
    double widening_bytes = elements * (list->element_bytes + COMPLEX_BYTES);
    list_turns(list, "rotary-widen", TRUE, widening_bytes);
    list_turns(list, "rotary", TRUE, elements * 2.0 * COMPLEX_BYTES);
    list_turns(list, "rotary-narrow", TRUE, widening_bytes);
}

/* Keys and values of a head of their own for each head of queries, written out before attention's
 * core, and their gradients summed behind it. */
static void
list_repeated_heads(LpKernelList *list)
{
    double own = list->key_width + list->value_width;
    double all = list->query_width + list->mixture_width;
    if (list->plan->host.repeats_heads && own < all)
        lp_list_stream(list, "repeat-heads", list->tokens * (own + all) * list->element_bytes);
}

/* One operation at a time copies a tensor of @width a token into another layout, unless queries,
 * keys and values came by themselves, which PyTorch's attention takes as they are. */
static void
list_copy(LpKernelList *list, double width)
{
    if (list->plan->host.kernels == LP_KERNELS_EAGER &&
        list->plan->host.projections != LP_PROJECTIONS_APART)
        lp_list_memory(list, "layout", 2.0 * list->tokens * width * list->element_bytes);
}

/* Bytes that pass the memory for an element until the results of all steps of a ring are one: of
 * the first step it is read and written, of each other it and the sum so far are read and the sum
 * is written. Under a causal mask half of the other steps are of half of the tokens (Transformer
 * Engine, transformer_engine/pytorch/attention/dot_product_attention/context_parallel.py). PyTorch
 * has the sum in fp32, and of half of the tokens writes it whole (_attention.py:
 * _partial_update). */
static double
merged_bytes(const LpKernelList *list)
{
    gboolean masked = lp_list_is_half_masked(list);
    gboolean is_wide = list->plan->context_kind == LP_CONTEXT_GATHERED_RING;
    double n_more = list->plan->degree[LP_AXIS_CP] - 1.0, share = masked ? 0.75 : 1.0;
    double sum_bytes = is_wide ? LP_FP32_BYTES : list->element_bytes;
    double sum_share = is_wide ? 1.0 : share;
    return list->element_bytes + sum_bytes +
           n_more * (share * list->element_bytes + sum_share * 2.0 * sum_bytes);
}

static void
list_merge(LpKernelList *list, const char *name, double width, guint32 n_launches)
{
    lp_list_kernel(list, (LpKernel){.name = name,
                                    .bytes = list->tokens * merged_bytes(list) * width,
                                    .streams = TRUE,
                                    .n_launches = n_launches});
}

static gboolean
merges_apart(const LpKernelList *list)
{
    return list->plan->context_kind == LP_CONTEXT_RING;
}

/* What scores were of all, in fp32 for each query and head (Transformer Engine, as above). Forward
 * a copy of the first step's, which those of each other are merged into between the steps; backward
 * a copy of the second half's. PyTorch's compiled kernel has it in that of the mixture. */
static void
list_ring_scales(LpKernelList *list, double passes, guint32 n_launches)
{
    double scales = list->tokens * list->transformer->n_heads / list->tp;
    if (merges_apart(list))
        lp_list_kernel(list, (LpKernel){.name = "ring-scales",
                                        .bytes = passes * scales * LP_FP32_BYTES,
                                        .streams = TRUE,
                                        .n_launches = n_launches});
}

/* Keys and values are sent as one tensor; mixtures are merged, each weighed by what its scores were
 * of all, in a kernel for each step. */
static void
list_ring(LpKernelList *list)
{
    double pairs = list->key_width + list->value_width;
    guint32 n_steps = lp_list_n_ring_steps(list);
    if (n_steps == 1)
        return;
    lp_list_stream(list, "ring-join", list->tokens * 2.0 * pairs * list->element_bytes);
    list_ring_scales(list, 2.0 + 3.0 * (n_steps - 1.0), n_steps);
    list_merge(list, "ring-merge", list->mixture_width, n_steps);
}

/* Keys and values are copied to where they are sent from. Of each step the gradients of queries are
 * merged by one kernel and those of keys and values by another, and under a causal mask once in a
 * ring, at a step that depends on the rank, a half of either by one more (Transformer Engine, as
 * above: AttnFuncWithCPAndKVP2P.backward, dq and dkv); PyTorch's compiled program has one. */
static void
list_ring_backward(LpKernelList *list)
{
    double pairs = list->key_width + list->value_width;
    guint32 n_steps = lp_list_n_ring_steps(list);
    if (n_steps == 1)
        return;
    guint32 halves = lp_list_is_half_masked(list) ? 1 : 0;
    if (merges_apart(list))
        lp_list_stream(list, "ring-join", list->tokens * 2.0 * pairs * list->element_bytes);
    if (halves > 0)
        list_ring_scales(list, 1.0, 1);
    list_merge(list, "ring-merge-gradients", list->query_width + pairs,
               merges_apart(list) ? 2 * n_steps + halves : n_steps);
}

/* Queries, keys and values come out of one product and are copied apart, keys and values twice
 * more, around the rotary positions (nanotron 0.4, models/llama.py, CausalSelfAttention). */
static void
list_copies_of_qkv(LpKernelList *list)
{
    double pairs = list->key_width + list->value_width;
    list_copy(list, list->query_width + pairs);
    list_copy(list, pairs);
    list_copy(list, pairs);
}

/* --- self-attention --- */

static void
attention_forward(LpKernelList *list)
{
    list->part = LP_PART_BEFORE;
    lp_list_norm(list, "norm");
    list->part = LP_PART_ENTRY;
    lp_list_reorder_each(list, lp_plan_attention_inputs(list->plan).n_gathers, TRUE);
    list_qkv(list, LP_PRODUCT_OUTPUT);
    list->part = LP_PART_INNER;
    list_latent_norms(list, "latent-norm", 2.0);
    list_copies_of_qkv(list);
    list_head_norms(list, "head-norms", 2.0);
    list_rotary(list);
    list_repeated_heads(list);
    list_ring(list);
    lp_list_core(list);
    list_copy(list, list->mixture_width); /* into the order of the tokens */
    list->part = LP_PART_EXIT;
    lp_list_projection(list, LP_PRODUCT_OUTPUT);
    lp_list_reorder(list, TRUE);
    list->part = LP_PART_AFTER;
    lp_list_residual(list);
}

static void
attention_backward(LpKernelList *list)
{
    double qkv_width = list->query_width + list->key_width + list->value_width;
    list->part = LP_PART_BEFORE;
    lp_list_residual_backward(list);
    lp_list_bias_gradient(list, list->transformer->hidden);
    list->part = LP_PART_ENTRY;
    lp_list_reorder(list, TRUE);
    lp_list_projection(list, LP_PRODUCT_DATA_GRADIENT);
    list_copy(list, list->mixture_width);
    lp_list_core_backward(list);
    list->part = LP_PART_INNER;
    list_ring_backward(list);
    list_repeated_heads(list);
    list_rotary(list);
    list_head_norms(list, "head-norms-backward", 3.0);
    list_copies_of_qkv(list);
    lp_list_core_join(list, qkv_width, 3);
    list_latent_norms(list, "latent-norm-backward", 3.0);
    if (lp_transformer_has_qkv_biases(list->transformer))
        lp_list_memory(list, "bias-gradient", list->tokens * qkv_width * list->element_bytes);
    list->part = LP_PART_EXIT;
    list_qkv(list, LP_PRODUCT_DATA_GRADIENT);
    lp_list_reorder_each(list, lp_plan_attention_inputs(list->plan).n_sums,
                         !list->plan->overlap.tp_pairs);
    list->part = LP_PART_AFTER;
    lp_list_norm_backward(list, "norm-backward");
}

static void
attention_weights(LpKernelList *list)
{
    lp_list_reorder_again(list, lp_plan_attention_inputs(list->plan).n_gathers);
    lp_list_projection(list, LP_PRODUCT_WEIGHT_GRADIENT);
    list_qkv(list, LP_PRODUCT_WEIGHT_GRADIENT);
}

/* Those of queries, keys and values that are made again while others are kept; their input was
 * gathered for the gradients of the weights anyway. */
static void
list_some_qkv(LpKernelList *list, guint32 again)
{
    double hidden = list->transformer->hidden;
    if (list->transformer->latent.kv_rank > 0) {
        list_latent_up(list, LP_PRODUCT_OUTPUT);
        return;
    }
    if ((again & LP_AGAIN_QUERIES) != 0)
        lp_list_weight(list, "q", hidden, list->query_width, LP_PRODUCT_OUTPUT);
    if ((again & LP_AGAIN_KEYS) != 0)
        lp_list_weight(list, "k", hidden, list->key_width, LP_PRODUCT_OUTPUT);
    if ((again & LP_AGAIN_VALUES) != 0)
        lp_list_weight(list, "v", hidden, list->value_width, LP_PRODUCT_OUTPUT);
}

static void
list_qkv_again(LpKernelList *list, guint32 again)
{
    gboolean has_latent = list->transformer->latent.kv_rank > 0;
    gboolean all = (again & LP_AGAIN_QKV) == LP_AGAIN_QKV;
    if (all) {
        list->part = LP_PART_ENTRY;
        lp_list_reorder_each(list, lp_plan_attention_inputs(list->plan).n_gathers, TRUE);
        list_qkv(list, LP_PRODUCT_OUTPUT);
    }
    list->part = LP_PART_INNER;
    if (!all && (again & (has_latent ? LP_AGAIN_LATENT : LP_AGAIN_QKV)) == 0)
        return;
    list_latent_norms(list, "latent-norm", 2.0);
    if (!all)
        list_some_qkv(list, again);
    list_copies_of_qkv(list);
    list_head_norms(list, "head-norms", 2.0);
    list_rotary(list);
    list_repeated_heads(list);
}

void
lp_list_core_again(LpKernelList *list, guint32 again)
{
    list->part = LP_PART_INNER;
    if ((again & LP_AGAIN_ATTENTION) != 0)
        list_ring(list);
    if (lp_plan_recomputes_core(list->plan, list->transformer->attention))
        lp_list_core(list);
    if ((again & (LP_AGAIN_ATTENTION | LP_AGAIN_RESIDUAL)) != 0)
        list_copy(list, list->mixture_width);
    list->part = LP_PART_EXIT;
    if (lp_plan_recomputes_projection(list->plan, list->transformer, list->layer)) {
        lp_list_projection(list, LP_PRODUCT_OUTPUT);
        lp_list_reorder(list, TRUE);
    }
    list->part = LP_PART_AFTER;
    if ((again & LP_AGAIN_RESIDUAL) != 0)
        lp_list_residual(list);
}

static void
attention_again(LpKernelList *list)
{
    guint32 again = lp_plan_parts_again(list->plan);
    list->part = LP_PART_BEFORE;
    if ((again & LP_AGAIN_NORMS) != 0)
        lp_list_norm(list, "norm");
    list_qkv_again(list, again);
    lp_list_core_again(list, again);
}

const LpBlockKernels lp_attention_kernels = {
    .forward = attention_forward,
    .backward_input = attention_backward,
    .backward_weight = attention_weights,
    .again = attention_again,
};
