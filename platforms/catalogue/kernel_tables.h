/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of measured kernels (platforms/kernels.xml, and the user's file before it). */
#pragma once

#include "model/times/measured_kernels.h"

G_BEGIN_DECLS

/** The accelerator of a table that holds for every accelerator. */
#define LP_KERNEL_TABLE_ANY "any"

/** Gives @accelerator, as the catalogue has it, the rate of products and the measured kernels of
 * its tables, which live as long as the program. Its name is then marked as modified. Errors:
 * LP_INPUT_ERROR, "FILE:LINE: got, wanted". */
gboolean lp_kernel_tables_apply(LpAccelerator *accelerator,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** The measured kernels that @text, a file of tables that messages call @path, has of @accelerator,
 * as the catalogue has it. Errors: LP_INPUT_ERROR, "FILE:LINE: got, wanted". Returns: (transfer
 * full). */
LpMeasuredKernels *lp_kernel_tables_parse(const char *path, const char *text,
                                          const LpAccelerator *accelerator,
                                          GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** Checks that each table is of one of @names, NULL-ended. Errors: LP_INPUT_ERROR, "FILE:LINE: got,
 * wanted". */
gboolean lp_kernel_tables_check(const char *const *names, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
