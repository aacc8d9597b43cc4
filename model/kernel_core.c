/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of attention's core. */
#include "model/kernel_core.h"

#include "model/precision.h"

/* (queries, head)(head, keys), where all of a rank's heads are @width wide */
static void
list_scores(LpKernelList *list, const char *name, double width)
{
    lp_list_gemm(list, name, list->n_queries, width * list->tp / list->transformer->n_heads,
                 list->layer.keys, list->n_score_sets);
}

/* (queries, keys)(keys, head) */
static void
list_values(LpKernelList *list, const char *name, double width)
{
    lp_list_gemm(list, name, list->n_queries, list->layer.keys,
                 width * list->tp / list->transformer->n_heads, list->n_score_sets);
}

/* @tensors of attention matrices, and @masks, pass the memory once each. */
static void
list_on_scores(LpKernelList *list, const char *name, double tensors, double masks)
{
    double elements = list->n_score_sets * list->n_queries * list->layer.keys;
    lp_list_memory(list, name, elements * (tensors * list->element_bytes + masks * LP_MASK_BYTES));
}

/* What the product of the scores adds to is written, and read by it (PyTorch, torch.baddbmm: biases
 * are copied into the result first). */
static void
list_biases(LpKernelList *list)
{
    if (list->plan->host.biases_scores)
        list_on_scores(list, "score-biases", 2.0, 0.0);
}

/* It reads @n_read tensors of scores, or of those alone that the mask leaves, and writes one whole
 * (Megatron-LM of 2020 to 2023, megatron/fused_kernels/scaled_upper_triang_masked_softmax.h). */
static void
list_softmax(LpKernelList *list, const char *name, double n_read)
{
    gboolean skips = list->plan->host.triangular_softmax && list->layer.causal;
    list_on_scores(list, name, n_read * (skips ? 0.5 : 1.0) + 1.0, 0.0);
}

/* Copies of @n tensors, @width elements a token in all, into another layout. One operation at a
 * time has its own copies, which kernel_attention.c lists. */
static void
list_layout(LpKernelList *list, const char *name, double width, guint32 n)
{
    if (list->plan->host.copies_core && list->plan->host.kernels != LP_KERNELS_EAGER)
        lp_list_kernel(list, (LpKernel){.name = name,
                                        .bytes = 2.0 * list->tokens * width * list->element_bytes,
                                        .n_launches = n});
}

/* Whether sequences have to be turned outermost for a kernel that wants them so. */
static gboolean
turns_sequences(const LpKernelList *list)
{
    return list->plan->batch.micro > 1 && list->plan->host.layout == LP_LAYOUT_SEQUENCE_FIRST;
}

/* Queries, keys and values are copied where sequences are turned outermost, and else where they
 * still are slices of a product's result: neither turned by positions nor repeated. */
static void
list_layout_of_qkv(LpKernelList *list)
{
    const LpPlanHost *host = &list->plan->host;
    double keys = host->repeats_heads ? list->query_width : list->key_width;
    double values = host->repeats_heads ? list->mixture_width : list->value_width;
    if (turns_sequences(list) || list->transformer->positions != LP_POSITIONS_ROTARY)
        list_layout(list, "core-layout", list->query_width + keys, 2);
    if (turns_sequences(list) || !host->repeats_heads)
        list_layout(list, "core-layout", values, 1);
}

/* A fused kernel takes and gives tensors of sequences, where all else has tokens outermost
 * (Megatron-LM of 2023, megatron/model/transformer.py, ParallelAttention: rearrange(...)
 * .contiguous() of queries, keys, values, and of their mixture, whose gradient the kernel copies
 * likewise). */
static void
list_fused(LpKernelList *list)
{
    list_layout_of_qkv(list);
    lp_list_flash(list, FALSE);
    if (turns_sequences(list))
        list_layout(list, "core-layout-back", list->mixture_width, 1);
}

void
lp_list_core_join(LpKernelList *list, double width, guint32 n)
{
    if (list->plan->host.projections != LP_PROJECTIONS_APART)
        list_layout(list, "core-join", width, n);
}

void
lp_list_core(LpKernelList *list)
{
    list->part = LP_PART_CORE;
    if (lp_plan_fuses_attention(list->plan, list->transformer->attention)) {
        list_fused(list);
        return;
    }
    list_biases(list);
    list_scores(list, "scores", list->query_width);
    list_softmax(list, "softmax", 1.0);
    if (lp_transformer_has_dropout(list->transformer))
        list_on_scores(list, "attention-dropout", 2.0, 1.0);
    list_values(list, "values", list->mixture_width);
    /* Heads were outermost (the same file, CoreAttention: context_layer.permute().contiguous()). */
    list_layout(list, "core-layout-back", list->mixture_width, 1);
}

void
lp_list_core_backward(LpKernelList *list)
{
    list->part = LP_PART_CORE;
    if (lp_plan_fuses_attention(list->plan, list->transformer->attention)) {
        if (turns_sequences(list))
            list_layout(list, "core-layout-back", list->mixture_width, 1);
        lp_list_flash(list, TRUE);
        return;
    }
    list_scores(list, "values-gradient-weights", list->mixture_width); /* do v': (s, h/a)(h/a, s) */
    list_values(list, "values-gradient-values", list->mixture_width);  /* p' do: (s, s)(s, h/a) */
    if (lp_transformer_has_dropout(list->transformer))
        list_on_scores(list, "attention-dropout-backward", 2.0, 1.0);
    list_softmax(list, "softmax-backward", 2.0);
    list_values(list, "scores-gradient-queries", list->query_width);
    list_values(list, "scores-gradient-keys", list->query_width);
}
