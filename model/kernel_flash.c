/* SPDX-License-Identifier: Apache-2.0 */
/* The core of attention as one fused kernel. */
#include "model/kernel.h"
#include "model/kernel_list.h"
#include "model/precision.h"

#include <math.h>

/* Products of scores or values. Backward it computes the scores anew (Dao, arXiv 2307.08691,
 * section 4.1). */
#define FORWARD_PRODUCTS 2.0
#define BACKWARD_PRODUCTS 5.0
/* Tiles of a fused kernel, in tokens. */
#define FLASH_TILE 128.0
/* Queries of a block, two tiles: with them a score under a window of 128 takes 1.5 and 1.1 times as
 * long as under a causal mask alone, forward and backward, if heads of 64 take as long as those of
 * 128 (GB200, 16 bits; results as below: gpt_oss and llama3.1). */
#define WINDOW_BLOCK 256.0
/* Of 8 bits it takes as long for a score as one of 16 bits with heads of this width, whatever the
 * width: exponentials and conversions bound it, not products. GB200 and GB300, 4,096 tokens under a
 * causal mask, forward and backward: heads of 128 take 1.03 and 1.01 of that, heads of 192 and 128
 * 1.05 and 1.02 (NVIDIA/cudnn-frontend, benchmark/sdpa_benchmark_training/results, April 2026:
 * llama3.1 and dsv3, mxfp8). */
#define NARROW_HEAD_WIDTH 128.0

static gboolean
is_narrow_attention(const LpKernelList *list)
{
    return list->plan->format.narrow_attention &&
           lp_precision_is_narrow(list->plan->format.precision) &&
           lp_plan_attention_kernel(list->plan) == LP_ATTENTION_KERNEL_VENDOR;
}

/* What is worked out under a window, of the scores in it: a block takes the keys of all its
 * queries.
 */
static double
window_share(const LpKernelList *list)
{
    if (!list->layer.causal || !list->layer.windowed)
        return 1.0;
    return fmin(list->layer.span, list->layer.keys + WINDOW_BLOCK) / list->layer.keys;
}

/* What a causal mask leaves of the scores: half of the square, and half of the diagonal tiles (Dao,
 * arXiv 2307.08691, section 3.1). */
static double
masked_share(const LpKernelList *list)
{
    return fmin(1.0, 0.5 + 0.5 * FLASH_TILE / list->layer.span);
}

/* The backward kernel of 8 bits does not skip what is outside of a window (GB200 and GB300, a
 * window of 128: 3.6 times as long for twice the tokens, 4.5 and 4.2 times that of 16 bits at
 * 4,096; results as above: gpt_oss). */
static double
narrow_share(const LpKernelList *list, double head_width, double share, gboolean backward)
{
    double all = (double)list->layer.span / list->layer.keys;
    if (backward && list->layer.causal && list->layer.windowed)
        share = all * masked_share(list);
    return share * NARROW_HEAD_WIDTH / head_width;
}

/* Operands in 8 bits, along rows and along columns: queries, keys and values for both passes, the
 * mixture's gradient for the backward one. */
static void
list_cast(LpKernelList *list, double width)
{
    const LpPrecisionTraits *traits = lp_precision_traits(LP_PRECISION_MXFP8);
    if (is_narrow_attention(list))
        lp_list_memory(list, "cast",
                       list->tokens * width * (list->element_bytes + 2.0 * traits->scaled_bytes));
}

gboolean
lp_list_is_half_masked(const LpKernelList *list)
{
    return list->layer.causal && !list->layer.windowed;
}

guint32
lp_list_n_ring_steps(const LpKernelList *list)
{
    LpContextKind kind = list->plan->context_kind;
    return kind == LP_CONTEXT_RING || kind == LP_CONTEXT_GATHERED_RING
               ? list->plan->degree[LP_AXIS_CP]
               : 1;
}

/* It moves a tensor each of queries, keys, values and their mixture, backward also of their
 * gradients, and no scores. */
void
lp_list_flash(LpKernelList *list, gboolean backward)
{
    double products = backward ? BACKWARD_PRODUCTS : FORWARD_PRODUCTS;
    double tensors = backward ? 2.0 : 1.0;
    double heads = list->transformer->n_heads / list->tp;
    double head_width = 0.5 * (list->query_width + list->mixture_width) / heads;
    double width = list->query_width + list->key_width + list->value_width + list->mixture_width;
    double share = lp_list_is_half_masked(list) ? masked_share(list) : window_share(list);
    if (is_narrow_attention(list))
        share = narrow_share(list, head_width, share, backward);
    list_cast(list, backward ? list->mixture_width
                             : list->query_width + list->key_width + list->value_width);
    lp_list_kernel(list, (LpKernel){.name = "flash",
                                    .m = list->n_queries,
                                    .k = products * head_width,
                                    .n = list->layer.keys,
                                    .n_batch = list->n_score_sets,
                                    .bytes = tensors * list->tokens * width * list->element_bytes,
                                    .share = share,
                                    .head_width = is_narrow_attention(list) ? 0.0 : head_width,
                                    .fused = TRUE,
                                    .n_launches = lp_list_n_ring_steps(list),
                                    .attention = lp_plan_attention_kernel(list->plan)});
}
