/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of layers with experts: router, routed experts, and the sum of their results. */
#include "model/kernel.h"
#include "model/kernel_list.h"
#include "model/kernel_masks.h"
#include "model/precision.h"

#include <math.h>

/* Scores are in fp32. */
#define SCORE_BYTES 4.0
/* Counts of tokens are of 64 bits. */
#define COUNT_BYTES 8.0

/* --- router: norm, routing, and tokens sorted by expert --- */

/* A pass over a tensor of each token's hidden width for each expert slot, and one of the token: on
 * the rank that sends them, or to which their results return. A dispatcher that takes tokens where
 * they lie leaves both to the rank that they come to; products with masks take their place. */
static void
list_slots(LpKernelList *list, const char *name)
{
    if (lp_list_has_masks(list) ||
        (list->plan->experts.fused_dispatch && list->plan->degree[LP_AXIS_EP] > 1))
        return;
    lp_list_hidden(list, name, lp_transformer_expert_slots(list->transformer) + 1.0, 0.0);
}

static void
list_router(LpKernelList *list, LpProduct product)
{
    double all_tokens = list->tokens;
    list->tokens = list->scattered_tokens;
    list->wide = TRUE;
    lp_list_weight(list, "router", list->transformer->hidden, list->transformer->experts.n,
                   product);
    list->wide = FALSE;
    list->tokens = all_tokens;
}

/* What routing does besides, of scores of every token for every expert: softmax, the best of them,
 * maps of who goes where, their counts and the loss that balances them. */
static void
list_routing(LpKernelList *list, guint32 n_kernels)
{
    if (n_kernels == 0)
        return;
    double scores = list->scattered_tokens * list->transformer->experts.n;
    lp_list_kernel(list, (LpKernel){.name = "routing",
                                    .bytes = 2.0 * n_kernels * scores * SCORE_BYTES,
                                    .n_launches = n_kernels});
}

/* The kernels and collectives of a dispatcher that is made of operations (Megatron-Core,
 * megatron/core/transformer/moe/token_dispatcher.py: MoEAlltoAllTokenDispatcher.preprocess,
 * _maybe_dtoh_and_synchronize, dispatch_postprocess and combine_preprocess; Transformer Engine,
 * transformer_engine/common/triton/permutation.py: three kernels make the map of a permutation, one
 * that of sorted chunks): six sums and copies of counts, four copies to the host, and six kernels
 * of three maps. */
#define DISPATCH_KERNELS 16
/* Counts are gathered, unless buffers have one size, and weights sent; backward their gradients. */
#define DISPATCH_COLLECTIVES 2

static gboolean
has_eager_dispatch(const LpKernelList *list)
{
    return list->plan->experts.eager_dispatch && list->plan->degree[LP_AXIS_EP] > 1;
}

static void
list_small_collectives(LpKernelList *list, guint32 n)
{
    lp_list_kernel(list, (LpKernel){.name = "small-collectives",
                                    .bytes = list->transformer->experts.n * COUNT_BYTES,
                                    .n_launches = n,
                                    .collective = TRUE});
}

static void
list_eager_dispatch(LpKernelList *list)
{
    gboolean counts = list->transformer->experts.capacity_factor <= 0.0;
    if (!has_eager_dispatch(list))
        return;
    if (counts)
        lp_list_kernel(list, (LpKernel){.name = "count-tokens",
                                        .bytes = list->transformer->experts.n * COUNT_BYTES,
                                        .n_launches = DISPATCH_KERNELS,
                                        .apart = TRUE});
    list_small_collectives(list, counts ? DISPATCH_COLLECTIVES : DISPATCH_COLLECTIVES - 1);
}

/* As many tokens as come are sent, so that the host has to know how many: the counts are copied to
 * it. Where experts' buffers have one size it knows. */
static void
list_counts(LpKernelList *list)
{
    if (lp_plan_awaits_counts(list->plan, list->transformer))
        lp_list_kernel(list, (LpKernel){.name = "counts",
                                        .bytes = list->transformer->experts.n * COUNT_BYTES,
                                        .waits = TRUE});
}

static void
router_forward(LpKernelList *list)
{
    list->part = LP_PART_BEFORE;
    lp_list_norm(list, "norm");
    list_router(list, LP_PRODUCT_OUTPUT);
    list_routing(list, list->plan->experts.routing_kernels);
    list_eager_dispatch(list);
    list_counts(list);
    list_slots(list, "permute");
    lp_list_buffers_filled(list);
}

static void
router_backward(LpKernelList *list)
{
    list->part = LP_PART_AFTER;
    list_slots(list, "permute-backward");
    lp_list_buffers_filled_backward(list);
    if (has_eager_dispatch(list))
        list_small_collectives(list, 1);
    list_routing(list, list->plan->experts.routing_kernels / 3);
    list_router(list, LP_PRODUCT_DATA_GRADIENT);
    lp_list_norm_backward(list, "norm-backward");
}

static void
router_weights(LpKernelList *list)
{
    list_router(list, LP_PRODUCT_WEIGHT_GRADIENT);
}

static void
router_again(LpKernelList *list)
{
    list->part = LP_PART_BEFORE;
    if (lp_plan_makes_again(list->plan, LP_AGAIN_NORMS))
        lp_list_norm(list, "norm");
}

const LpBlockKernels lp_router_kernels = {
    .forward = router_forward,
    .backward_input = router_backward,
    .backward_weight = router_weights,
    .again = router_again,
};

/* --- routed experts --- */

/* The tokens that come to a rank's experts: as many as the rank sent, where all are equally loaded.
 */
static double
experts_tokens(const LpKernelList *list)
{
    double sources = lp_plan_expert_tp(list->plan) > 1 ? list->tokens : list->scattered_tokens;
    return sources * lp_transformer_expert_slots(list->transformer);
}

/* What a rank holds of each of its experts' inner width. */
static double
experts_width(const LpKernelList *list)
{
    return lp_transformer_expert_ffn(list->transformer) / (double)lp_plan_expert_tp(list->plan);
}

static double
n_own_experts(const LpKernelList *list)
{
    return (double)list->transformer->experts.n / list->plan->degree[LP_AXIS_EP];
}

/* Small kernels that one expert's operand takes to be cast: the largest value, the scale of it and
 * the cast, where a scale is the tensor's own (Transformer Engine,
 * transformer_engine/pytorch/csrc/quantizer.cpp: Float8CurrentScalingQuantizer::quantize_impl). */
static double
kernels_of_cast(const LpKernelList *list)
{
    gboolean own = list->plan->format.scaling == LP_SCALING_CURRENT &&
                   list->plan->format.precision == LP_PRECISION_FP8;
    return own ? 3.0 : 1.0;
}

/* With scales of earlier steps one kernel casts all experts' operands; all else is cast expert by
 * expert (Transformer Engine, transformer_engine/pytorch/csrc/extensions/cast.cpp:
 * multi_tensor_quantize_impl). */
static void
set_apart(const LpKernelList *list, LpKernel *kernel, double n_own)
{
    gboolean fuses = list->plan->format.precision == LP_PRECISION_FP8 &&
                     list->plan->format.scaling == LP_SCALING_DELAYED;
    kernel->apart = list->plan->experts.one_by_one;
    kernel->grouped = list->plan->experts.kernel;
    if (kernel->n_batch > 0.0 || !kernel->apart)
        return;
    kernel->apart = !fuses;
    kernel->n_launches = fuses ? 1 : (guint32)ceil(n_own * kernels_of_cast(list));
}

/* What the host does for each of narrow products' matrices besides issuing them; with those of the
 * weights' gradients it has done it already. */
static double
books_s(const LpKernelList *list, LpProduct product, double n_own)
{
    if (!list->plan->experts.one_by_one || !lp_precision_is_narrow(list->plan->format.precision))
        return 0.0;
    switch (product) {
    case LP_PRODUCT_OUTPUT:
        return n_own * LP_EXPERT_BOOKS_FORWARD_S;
    case LP_PRODUCT_DATA_GRADIENT:
        return n_own * LP_EXPERT_BOOKS_BACKWARD_S;
    case LP_PRODUCT_WEIGHT_GRADIENT:
        break;
    }
    return 0.0;
}

/* Products of all of a rank's experts at once, each with its share of the tokens that came. */
static void
list_expert_weight(LpKernelList *list, const char *name, double n_inputs, double n_outputs,
                   LpProduct product)
{
    double n_own = n_own_experts(list);
    guint before = list->n_kernels;
    double all_tokens = list->tokens;
    list->tokens = experts_tokens(list) / n_own;
    lp_list_weight(list, name, n_inputs, n_outputs, product);
    list->tokens = all_tokens;
    for (guint i = before; i < list->n_kernels; i++) {
        set_apart(list, &list->kernels[i], n_own);
        if (list->kernels[i].n_batch > 0.0)
            list->kernels[i].books_s = books_s(list, product, n_own);
        list->kernels[i].n_batch *= n_own;
        list->kernels[i].bytes *= n_own;
    }
}

static void
list_experts_up(LpKernelList *list, LpProduct product)
{
    double hidden = list->transformer->hidden, width = experts_width(list);
    gboolean gated = list->transformer->ffn_kind == LP_FFN_SWIGLU;
    if (gated && list->plan->host.projections == LP_PROJECTIONS_JOINED) {
        list_expert_weight(list, "experts-up-gate", hidden, 2.0 * width, product);
        return;
    }
    list_expert_weight(list, "experts-up", hidden, width, product);
    list->is_cast = product == LP_PRODUCT_OUTPUT; /* the same input */
    if (gated)
        list_expert_weight(list, "experts-gate", hidden, width, product);
    list->is_cast = FALSE;
}

/* The activation function and its gradient, unless the products before them end with them. */
static void
list_inner_activation(LpKernelList *list, gboolean backward)
{
    if (!list->plan->experts.fused)
        lp_list_activation(list, backward, experts_tokens(list) * experts_width(list));
}

static void
list_experts_down(LpKernelList *list, LpProduct product)
{
    list_expert_weight(list, "experts-down", experts_width(list), list->transformer->hidden,
                       product);
}

/* --- operation by operation: Megatron-Core, megatron/core/fusions/fused_bias_geglu.py
 * (weighted_bias_quick_geglu_impl) and megatron/core/transformer/moe/experts.py (_apply_bias);
 * PyTorch, torch/csrc/autograd/FunctionsManual.cpp (clamp_backward) --- */

static void
list_operations(LpKernelList *list, const char *name, double bytes, double n_small)
{
    lp_list_kernel(list, (LpKernel){.name = name,
                                    .bytes = bytes,
                                    .n_launches = (guint32)ceil(n_small / LP_SMALL_KERNELS)});
}

/* A number that becomes a tensor of the device is copied there, and the host waits for that
 * (torch/csrc/utils/tensor_new.cpp: internal_new_from_data, which blocks). */
static void
list_constant(LpKernelList *list)
{
    lp_list_kernel(list,
                   (LpKernel){.name = "constant", .bytes = list->element_bytes, .waits = TRUE});
}

/* Forward either half of the gate's and its factor's tensor is clamped, both are joined again, and
 * the offset of the factor becomes a tensor.
 * Backward the halves of the gradient stand where they are; one is compared with a limit and chosen
 * by that, the other compared with two, these joined, and chosen by that; then both are joined. */
static void
list_clamps(LpKernelList *list, gboolean backward)
{
    double elements = experts_tokens(list) * experts_width(list), element = list->element_bytes;
    if (!list->transformer->clamped || !list->plan->experts.eager ||
        list->transformer->ffn_kind != LP_FFN_SWIGLU)
        return;
    double one_limit = (element + 1.0) + (2.0 * element + 1.0);
    double two_limits = 2.0 * (element + 1.0) + 3.0 + (2.0 * element + 1.0);
    if (backward)
        list_operations(list, "clamp-backward", elements * (one_limit + two_limits + 4.0 * element),
                        7.0);
    else
        list_operations(list, "clamp", elements * 8.0 * element, 3.0);
    if (!backward)
        list_constant(list);
}

/* Forward each expert's bias is multiplied by the weights of its tokens and added, and the results
 * are joined. Backward the gradient is joined out of the experts' parts, and for each multiplied
 * and summed twice: over its tokens for the bias, and over the width for the weights. Dispatchers
 * that relay by domain (DeepEP, HybridEP) hand on weights in fp32, and then all of it is in fp32,
 * and cast at its end (megatron/core/transformer/moe/token_dispatcher.py: token_probs.float()). */
static void
list_weighted_biases(LpKernelList *list, gboolean backward)
{
    double elements = experts_tokens(list) * list->transformer->hidden;
    double element = list->element_bytes, n_own = n_own_experts(list);
    if (!lp_transformer_has_biases(list->transformer) || !list->plan->experts.eager)
        return;
    gboolean wide = list->plan->experts.relays_by_domain && element < SCORE_BYTES;
    double sums = wide ? SCORE_BYTES : element; /* bytes of a product with such a weight */
    double casts = wide ? element + SCORE_BYTES : 0.0;
    if (backward)
        list_operations(list, "weighted-bias-backward",
                        elements * (wide ? 2.0 * casts + 6.0 * sums : 8.0 * element),
                        (wide ? 5.0 : 4.0) * n_own + 1.0);
    else
        list_operations(list, "weighted-bias", elements * (element + 5.0 * sums + casts),
                        2.0 * n_own + (wide ? 2.0 : 1.0));
}

/* Tokens that came from all ranks are put in the order of the experts, and back. */
static void
list_sort(LpKernelList *list, const char *name)
{
    lp_list_memory(list, name,
                   2.0 * experts_tokens(list) * list->transformer->hidden * list->element_bytes);
}

/* Each expert's tokens become whole blocks of a narrow format by a copy of all, and are themselves
 * again by another (Megatron-Core, megatron/core/transformer/moe/experts.py: TEGroupedMLP, with
 * Transformer Engine's Fp8Padding and Fp8Unpadding). Buffers of one size are whole blocks. */
static void
list_padding(LpKernelList *list, const char *name)
{
    if (list->plan->experts.padded && lp_precision_is_narrow(list->plan->format.precision) &&
        list->transformer->experts.capacity_factor <= 0.0)
        list_sort(list, name);
}

static void
experts_forward(LpKernelList *list)
{
    list->part = LP_PART_INNER;
    list_sort(list, "sort");
    list_padding(list, "pad");
    list_experts_up(list, LP_PRODUCT_OUTPUT);
    list_clamps(list, FALSE);
    list_inner_activation(list, FALSE);
    list->is_cast = list->plan->experts.fused;
    list_experts_down(list, LP_PRODUCT_OUTPUT);
    list->is_cast = FALSE;
    list_weighted_biases(list, FALSE);
    list_padding(list, "unpad");
    list_sort(list, "sort-back");
}

static void
experts_backward(LpKernelList *list)
{
    list->part = LP_PART_INNER;
    list_sort(list, "sort-back-backward");
    list_padding(list, "unpad-backward");
    list_weighted_biases(list, TRUE);
    list_experts_down(list, LP_PRODUCT_DATA_GRADIENT);
    list_inner_activation(list, TRUE);
    list_clamps(list, TRUE);
    list->is_cast = list->plan->experts.fused;
    list_experts_up(list, LP_PRODUCT_DATA_GRADIENT);
    list->is_cast = FALSE;
    list_padding(list, "pad-backward");
    list_sort(list, "sort-backward");
}

static void
experts_weights(LpKernelList *list)
{
    list_experts_down(list, LP_PRODUCT_WEIGHT_GRADIENT);
    list_experts_up(list, LP_PRODUCT_WEIGHT_GRADIENT);
}

/* Out of the tokens that came, which are kept. */
static void
experts_again(LpKernelList *list)
{
    list->part = LP_PART_INNER;
    if (lp_plan_recomputes_up(list->plan, list->transformer))
        list_experts_up(list, LP_PRODUCT_OUTPUT);
    if (!lp_plan_makes_again(list->plan, LP_AGAIN_ACTIVATION))
        return;
    list_clamps(list, FALSE);
    lp_list_activation(list, FALSE, experts_tokens(list) * experts_width(list));
}

const LpBlockKernels lp_experts_kernels = {
    .forward = experts_forward,
    .backward_input = experts_backward,
    .backward_weight = experts_weights,
    .again = experts_again,
};

/* --- the experts' results summed by token, and the residual --- */

static void
combine_forward(LpKernelList *list)
{
    list->part = LP_PART_AFTER;
    list_slots(list, "unpermute");
    lp_list_buffers_emptied(list);
    lp_list_residual(list);
}

static void
combine_backward(LpKernelList *list)
{
    list->part = LP_PART_BEFORE;
    lp_list_residual_backward(list);
    list_slots(list, "unpermute-backward");
    lp_list_buffers_emptied_backward(list);
}

const LpBlockKernels lp_combine_kernels = {
    .forward = combine_forward,
    .backward_input = combine_backward,
};
