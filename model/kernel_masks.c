/* SPDX-License-Identifier: Apache-2.0 */
/* Experts' buffers of one size, filled and emptied by products with masks of each sequence's tokens
 * and of all experts' slots for them (GShard, arXiv 2006.16668, algorithm 2). */
#include "model/kernel_masks.h"

/* A byte says whether a token has a slot. */
#define SLOT_BYTES 1.0

gboolean
lp_list_has_masks(const LpKernelList *list)
{
    return list->plan->experts.masks && list->transformer->experts.capacity_factor > 0.0;
}

/* A sequence's positions on the rank. */
static double
n_positions(const LpKernelList *list)
{
    return list->scattered_tokens / list->plan->batch.micro;
}

/* All experts' slots for them. */
static double
n_slots(const LpKernelList *list)
{
    return n_positions(list) * lp_transformer_expert_slots(list->transformer);
}

/* For each sequence, of (@rows, @inner) and (@inner, @columns), in the plan's format (MaxText,
 * src/maxtext/layers/moe.py: get_einsum). */
static void
list_product(LpKernelList *list, const char *name, double rows, double inner, double columns)
{
    double n = list->plan->batch.micro;
    lp_list_cast(list, n * inner * (rows + columns));
    lp_list_gemm(list, name, rows, inner, columns, n);
}

static void
list_masks(LpKernelList *list, const char *name, double bytes)
{
    lp_list_memory(list, name, list->scattered_tokens * n_slots(list) * bytes);
}

void
lp_list_buffers_filled(LpKernelList *list)
{
    if (!lp_list_has_masks(list))
        return;
    list_masks(list, "masks", list->element_bytes + SLOT_BYTES);
    list_product(list, "fill-buffers", n_slots(list), n_positions(list), list->transformer->hidden);
}

void
lp_list_buffers_filled_backward(LpKernelList *list)
{
    if (lp_list_has_masks(list))
        list_product(list, "fill-buffers-gradient", n_positions(list), n_slots(list),
                     list->transformer->hidden);
}

void
lp_list_buffers_emptied(LpKernelList *list)
{
    if (lp_list_has_masks(list))
        list_product(list, "empty-buffers", n_positions(list), n_slots(list),
                     list->transformer->hidden);
}

/* The gradients of results, and of what they are weighed by, which the mask holds. */
void
lp_list_buffers_emptied_backward(LpKernelList *list)
{
    if (!lp_list_has_masks(list))
        return;
    list_product(list, "empty-buffers-gradient", n_slots(list), n_positions(list),
                 list->transformer->hidden);
    list_product(list, "mask-gradient", n_positions(list), list->transformer->hidden,
                 n_slots(list));
    list_masks(list, "masks-backward", list->element_bytes);
}
