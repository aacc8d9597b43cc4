/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels around the core that self-attention and cross-attention have alike. */
#pragma once

#include "model/kernel_list.h"

G_BEGIN_DECLS

/** Lists the product that projects the heads' mixture back. */
void lp_list_projection(LpKernelList *list, LpProduct product);
/** Lists what of @again, a set of LpAgain, comes from the core on: it, what projects out of it, and
 * the residual's sum. */
void lp_list_core_again(LpKernelList *list, guint32 again);

G_END_DECLS
