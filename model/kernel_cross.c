/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of blocks of cross-attention: queries of the decoder's tokens, keys and values of the
 * encoder's. */
#include "model/kernel_attention.h"
#include "model/kernel_core.h"

/* What follows is of the encoder's tokens. Returns: the decoder's, to be put back. */
static double
turn_to_encoder(LpKernelList *list)
{
    double own_tokens = list->tokens;
    list->tokens = lp_plan_tokens(list->plan, list->transformer->seq);
    return own_tokens;
}

static void
list_cross_qkv(LpKernelList *list, LpProduct product)
{
    lp_list_weight(list, "q", list->transformer->hidden, list->query_width, product);
    double own_tokens = turn_to_encoder(list);
    lp_list_weight(list, "kv", list->transformer->hidden, list->key_width + list->value_width,
                   product);
    list->tokens = own_tokens;
}

static void
list_cross_join(LpKernelList *list)
{
    double own_tokens = turn_to_encoder(list);
    lp_list_core_join(list, list->key_width + list->value_width, 2);
    list->tokens = own_tokens;
}

static void
look_at_encoder(LpKernelList *list)
{
    list->layer.keys = list->transformer->seq;
    list->layer.causal = FALSE;
}

static void
cross_forward(LpKernelList *list)
{
    look_at_encoder(list);
    list->part = LP_PART_BEFORE;
    lp_list_norm(list, "norm");
    list->part = LP_PART_ENTRY;
    lp_list_reorder(list, TRUE);
    list_cross_qkv(list, LP_PRODUCT_OUTPUT);
    lp_list_core(list);
    list->part = LP_PART_EXIT;
    lp_list_projection(list, LP_PRODUCT_OUTPUT);
    lp_list_reorder(list, TRUE);
    list->part = LP_PART_AFTER;
    lp_list_residual(list);
}

static void
cross_backward(LpKernelList *list)
{
    look_at_encoder(list);
    list->part = LP_PART_BEFORE;
    lp_list_residual_backward(list);
    list->part = LP_PART_ENTRY;
    lp_list_reorder(list, TRUE);
    lp_list_projection(list, LP_PRODUCT_DATA_GRADIENT);
    lp_list_core_backward(list);
    list_cross_join(list);
    list->part = LP_PART_EXIT;
    list_cross_qkv(list, LP_PRODUCT_DATA_GRADIENT);
    lp_list_reorder(list, !list->plan->overlap.tp_pairs);
    list->part = LP_PART_AFTER;
    lp_list_norm_backward(list, "norm-backward");
}

static void
cross_weights(LpKernelList *list)
{
    lp_list_reorder_again(list, 1);
    lp_list_projection(list, LP_PRODUCT_WEIGHT_GRADIENT);
    list_cross_qkv(list, LP_PRODUCT_WEIGHT_GRADIENT);
}

static void
cross_again(LpKernelList *list)
{
    guint32 again = lp_plan_parts_again(list->plan);
    look_at_encoder(list);
    list->part = LP_PART_BEFORE;
    if ((again & LP_AGAIN_NORMS) != 0)
        lp_list_norm(list, "norm");
    list->part = LP_PART_ENTRY;
    if (lp_plan_makes_again(list->plan, LP_AGAIN_QKV)) {
        lp_list_reorder(list, TRUE);
        list_cross_qkv(list, LP_PRODUCT_OUTPUT);
    }
    lp_list_core_again(list, again);
}

const LpBlockKernels lp_cross_attention_kernels = {
    .forward = cross_forward,
    .backward_input = cross_backward,
    .backward_weight = cross_weights,
    .again = cross_again,
};
