/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of layers with experts: router, routed experts, and the sum of their results. */
#include "model/kernel.h"
#include "model/kernel_list.h"

/* Scores are in fp32. */
#define SCORE_BYTES 4.0

/* --- router: norm, routing, and tokens sorted by expert --- */

/* A pass over a tensor of each token's hidden width for each expert slot, and one of the token. */
static void
list_slots(LpKernelList *list, const char *name)
{
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

static void
router_forward(LpKernelList *list)
{
    list->part = LP_PART_BEFORE;
    lp_list_hidden(list, "norm", 2.0, 0.0);
    list_router(list, LP_PRODUCT_OUTPUT);
    list_routing(list, list->plan->experts.routing_kernels);
    list_slots(list, "permute");
}

static void
router_backward(LpKernelList *list)
{
    list->part = LP_PART_AFTER;
    list_slots(list, "permute-backward");
    list_routing(list, list->plan->experts.routing_kernels / 3);
    list_router(list, LP_PRODUCT_DATA_GRADIENT);
    lp_list_hidden(list, "norm-backward", 3.0, 0.0);
}

static void
router_weights(LpKernelList *list)
{
    list_router(list, LP_PRODUCT_WEIGHT_GRADIENT);
}

static void
router_light(LpKernelList *list)
{
    list->part = LP_PART_BEFORE;
    lp_list_hidden(list, "norm", 2.0, 0.0);
}

const LpBlockKernels lp_router_kernels = {
    .forward = router_forward,
    .backward_input = router_backward,
    .backward_weight = router_weights,
    .light = router_light,
    .alternate = router_light,
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

/* Products of all of a rank's experts at once, each with its share of the tokens that came. */
static void
list_expert_weight(LpKernelList *list, const char *name, double n_inputs, double n_outputs,
                   LpProduct product)
{
    double n_own = (double)list->transformer->experts.n / list->plan->degree[LP_AXIS_EP];
    guint before = list->n_kernels;
    double all_tokens = list->tokens;
    list->tokens = experts_tokens(list) / n_own;
    lp_list_weight(list, name, n_inputs, n_outputs, product);
    list->tokens = all_tokens;
    for (guint i = before; i < list->n_kernels; i++) {
        list->kernels[i].apart = list->kernels[i].n_batch > 0.0 && list->plan->experts.one_by_one;
        list->kernels[i].n_batch *= n_own;
        list->kernels[i].bytes *= n_own;
    }
}

static void
list_experts_up(LpKernelList *list, LpProduct product)
{
    double hidden = list->transformer->hidden, width = experts_width(list);
    list_expert_weight(list, "experts-up", hidden, width, product);
    if (list->transformer->ffn_kind == LP_FFN_SWIGLU)
        list_expert_weight(list, "experts-gate", hidden, width, product);
}

static void
list_experts_down(LpKernelList *list, LpProduct product)
{
    list_expert_weight(list, "experts-down", experts_width(list), list->transformer->hidden,
                       product);
}

/* Tokens that came from all ranks are put in the order of the experts, and back. */
static void
list_sort(LpKernelList *list, const char *name)
{
    lp_list_memory(list, name,
                   2.0 * experts_tokens(list) * list->transformer->hidden * list->element_bytes);
}

static void
experts_forward(LpKernelList *list)
{
    list->part = LP_PART_INNER;
    list_sort(list, "sort");
    list_experts_up(list, LP_PRODUCT_OUTPUT);
    lp_list_activation(list, FALSE, experts_tokens(list) * experts_width(list));
    list_experts_down(list, LP_PRODUCT_OUTPUT);
    list_sort(list, "sort-back");
}

static void
experts_backward(LpKernelList *list)
{
    list->part = LP_PART_INNER;
    list_sort(list, "sort-back-backward");
    list_experts_down(list, LP_PRODUCT_DATA_GRADIENT);
    lp_list_activation(list, TRUE, experts_tokens(list) * experts_width(list));
    list_experts_up(list, LP_PRODUCT_DATA_GRADIENT);
    list_sort(list, "sort-backward");
}

static void
experts_weights(LpKernelList *list)
{
    list_experts_down(list, LP_PRODUCT_WEIGHT_GRADIENT);
    list_experts_up(list, LP_PRODUCT_WEIGHT_GRADIENT);
}

static void
experts_light(LpKernelList *list)
{
    list->part = LP_PART_INNER;
    lp_list_activation(list, FALSE, experts_tokens(list) * experts_width(list));
}

const LpBlockKernels lp_experts_kernels = {
    .forward = experts_forward,
    .backward_input = experts_backward,
    .backward_weight = experts_weights,
    .light = experts_light,
    .alternate = experts_light,
};

/* --- the experts' results summed by token, and the residual --- */

static void
combine_forward(LpKernelList *list)
{
    list->part = LP_PART_AFTER;
    list_slots(list, "unpermute");
    lp_list_residual(list);
}

static void
combine_backward(LpKernelList *list)
{
    list->part = LP_PART_BEFORE;
    lp_list_residual_backward(list);
    list_slots(list, "unpermute-backward");
}

const LpBlockKernels lp_combine_kernels = {
    .forward = combine_forward,
    .backward_input = combine_backward,
};
