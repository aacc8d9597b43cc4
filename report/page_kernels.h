/* SPDX-License-Identifier: Apache-2.0 */
/* The sections of pages on the kernels of a micro-batch. */
#pragma once

#include "report/page.h"

G_BEGIN_DECLS

/** The extent of a section on kernels. */
typedef enum {
    LP_PAGE_KERNELS_MOST, /**< the plot, and the kernels that take most */
    LP_PAGE_KERNELS_ALL   /**< besides, all in their order */
} LpPageKernels;

/** Adds a plot of a micro-batch's time by kernel, and tables of kernels; nothing where @at has
 * none. @at: JSON pointer of the object with "kernels", lp_kernel_rows_add_json(); "" for the whole
 * document. @id: prefix of the plot's. @level: of the heading. */
void lp_page_kernels_add(LpPage *self, const char *at, const char *id, guint level,
                         LpPageKernels what);

G_END_DECLS
