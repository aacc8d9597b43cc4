/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of feed-forward networks: dense, or all shared experts as one. */
#include "model/kernel.h"
#include "model/kernel_list.h"

static LpPlanInputs
inputs(const LpKernelList *list)
{
    return lp_plan_ffn_inputs(list->plan, list->transformer);
}

/* --- a network of inner width @width on all tokens --- */

static void
list_up(LpKernelList *list, double width, LpProduct product)
{
    double hidden = list->transformer->hidden;
    gboolean is_gated = list->transformer->ffn_kind == LP_FFN_SWIGLU;
    if (is_gated && list->plan->host.projections == LP_PROJECTIONS_JOINED) {
        lp_list_weight(list, "up-gate", hidden, 2.0 * width, product);
        return;
    }
    lp_list_weight(list, "up", hidden, width, product);
    if (!is_gated)
        return;
    list->is_cast = product == LP_PRODUCT_OUTPUT; /* the same input */
    lp_list_weight(list, "gate", hidden, width, product);
    list->is_cast = FALSE;
    if (product == LP_PRODUCT_DATA_GRADIENT)
        lp_list_input_gradients(list, 2.0);
}

/* What the last product takes. */
static void
network_inner(LpKernelList *list, double width)
{
    list->part = LP_PART_ENTRY;
    lp_list_reorder_each(list, inputs(list).n_gathers, TRUE);
    list_up(list, width, LP_PRODUCT_OUTPUT);
    list->part = LP_PART_INNER;
    lp_list_activation(list, FALSE, list->tokens * width);
}

static void
network_forward(LpKernelList *list, double width)
{
    network_inner(list, width);
    list->part = LP_PART_EXIT;
    lp_list_weight(list, "down", width, list->transformer->hidden, LP_PRODUCT_OUTPUT);
    lp_list_reorder(list, TRUE);
}

/* @bias_width: of the bias in its middle; 0: none is counted. */
static void
network_backward(LpKernelList *list, double width, double bias_width)
{
    list->part = LP_PART_ENTRY;
    lp_list_reorder(list, TRUE);
    lp_list_weight(list, "down", width, list->transformer->hidden, LP_PRODUCT_DATA_GRADIENT);
    list->part = LP_PART_INNER;
    lp_list_activation(list, TRUE, list->tokens * width);
    if (bias_width > 0.0)
        lp_list_bias_gradient(list, bias_width);
    list->part = LP_PART_EXIT;
    list_up(list, width, LP_PRODUCT_DATA_GRADIENT);
    lp_list_reorder_each(list, inputs(list).n_sums, !list->plan->overlap.tp_pairs);
}

static void
network_weights(LpKernelList *list, double width)
{
    lp_list_reorder_again(list, inputs(list).n_gathers);
    lp_list_weight(list, "down", width, list->transformer->hidden, LP_PRODUCT_WEIGHT_GRADIENT);
    list_up(list, width, LP_PRODUCT_WEIGHT_GRADIENT);
}

/* --- the feed-forward block of a dense layer --- */

static void
ffn_forward(LpKernelList *list)
{
    list->part = LP_PART_BEFORE;
    lp_list_norm(list, "norm");
    network_forward(list, list->transformer->ffn / list->tp);
    list->part = LP_PART_AFTER;
    lp_list_residual(list);
}

/* All but the last product and what follows it: the gradient of its weights takes its input, cast
 * where it is narrow. */
static void
ffn_early(LpKernelList *list)
{
    double width = list->transformer->ffn / list->tp;
    list->part = LP_PART_BEFORE;
    lp_list_norm(list, "norm");
    network_inner(list, width);
    lp_list_cast(list, list->tokens * width);
}

static void
ffn_backward(LpKernelList *list)
{
    double width = list->transformer->ffn / list->tp;
    list->part = LP_PART_BEFORE;
    lp_list_residual_backward(list);
    lp_list_bias_gradient(list, list->transformer->hidden);
    network_backward(list, width, width);
    list->part = LP_PART_AFTER;
    lp_list_norm_backward(list, "norm-backward");
}

static void
ffn_weights(LpKernelList *list)
{
    network_weights(list, list->transformer->ffn / list->tp);
}

/* What goes up, through the gate and into the last product, as far as it is made again; where it
 * all is, the input of the last product is cast, too. */
static void
network_again(LpKernelList *list, double width)
{
    const LpTransformer *shape = list->transformer;
    gboolean up = lp_plan_recomputes_up(list->plan, shape);
    gboolean activation = lp_plan_makes_again(list->plan, LP_AGAIN_ACTIVATION);
    if (up) {
        list->part = LP_PART_ENTRY;
        lp_list_reorder_each(list, inputs(list).n_gathers, TRUE);
        list_up(list, width, LP_PRODUCT_OUTPUT);
    }
    list->part = LP_PART_INNER;
    if (!up && lp_plan_makes_again(list->plan, LP_AGAIN_UP))
        lp_list_weight(list, "up", shape->hidden, width, LP_PRODUCT_OUTPUT);
    if (!up && lp_plan_makes_again(list->plan, LP_AGAIN_GATE) && shape->ffn_kind == LP_FFN_SWIGLU)
        lp_list_weight(list, "gate", shape->hidden, width, LP_PRODUCT_OUTPUT);
    if (activation)
        lp_list_activation(list, FALSE, list->tokens * width);
    if (up && activation)
        lp_list_cast(list, list->tokens * width);
}

static void
ffn_again(LpKernelList *list)
{
    list->part = LP_PART_BEFORE;
    if (lp_plan_makes_again(list->plan, LP_AGAIN_NORMS))
        lp_list_norm(list, "norm");
    network_again(list, list->transformer->ffn / list->tp);
}

const LpBlockKernels lp_ffn_kernels = {
    .forward = ffn_forward,
    .backward_input = ffn_backward,
    .backward_weight = ffn_weights,
    .again = ffn_again,
    .early = ffn_early,
};

/* --- shared experts: all together are one network --- */

static double
shared_width(const LpKernelList *list)
{
    return (double)list->transformer->experts.n_shared *
           lp_transformer_expert_ffn(list->transformer) / list->tp;
}

static void
shared_forward(LpKernelList *list)
{
    if (list->transformer->experts.n_shared > 0)
        network_forward(list, shared_width(list));
}

static void
shared_backward(LpKernelList *list)
{
    if (list->transformer->experts.n_shared > 0)
        network_backward(list, shared_width(list), 0.0);
}

static void
shared_weights(LpKernelList *list)
{
    if (list->transformer->experts.n_shared > 0)
        network_weights(list, shared_width(list));
}

static void
shared_again(LpKernelList *list)
{
    if (list->transformer->experts.n_shared > 0)
        network_again(list, shared_width(list));
}

const LpBlockKernels lp_shared_experts_kernels = {
    .forward = shared_forward,
    .backward_input = shared_backward,
    .backward_weight = shared_weights,
    .again = shared_again,
};
