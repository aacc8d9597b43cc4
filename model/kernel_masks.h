/* SPDX-License-Identifier: Apache-2.0 */
/* Products with masks that fill and empty the buffers of experts. Internal: kernel*.c only. */
#pragma once

#include "model/kernel_list.h"

G_BEGIN_DECLS

/** Whether experts' buffers are filled by products with masks, not by copies. */
gboolean lp_list_has_masks(const LpKernelList *list);
/** Adds what brings tokens into buffers, if masks do. */
void lp_list_buffers_filled(LpKernelList *list);
void lp_list_buffers_filled_backward(LpKernelList *list);
/** Adds what brings the weighed sums of results out of buffers, if masks do. */
void lp_list_buffers_emptied(LpKernelList *list);
void lp_list_buffers_emptied_backward(LpKernelList *list);

G_END_DECLS
