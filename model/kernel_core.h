/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of attention's core: all between queries, keys, values and their mixture. */
#pragma once

#include "model/kernel_list.h"

G_BEGIN_DECLS

/** Lists those of the forward pass, as LP_PART_CORE: one where they are fused. */
void lp_list_core(LpKernelList *list);
/** Lists those of the gradients of the activations, as LP_PART_CORE. */
void lp_list_core_backward(LpKernelList *list);
/** Adds the join of the gradients of @n tensors, @width elements a token in all, which are slices
 * of one product's result, where the core has layouts of its own. */
void lp_list_core_join(LpKernelList *list, double width, guint32 n);

G_END_DECLS
