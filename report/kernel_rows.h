/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of a micro-batch, as rows of a table and as JSON. */
#pragma once

#include "report/report_data.h"

#include "base/json.h"

G_BEGIN_DECLS

/** Sets "kernels" of @object, a list: those that a micro-batch runs in all layers, embeddings and
 * heads, on one rank of each stage; and "kernels_s", the sum of their times. */
void lp_kernel_rows_add_json(json_t *object, const LpReport *self);
/** Appends the same as a table, and their sum. */
void lp_kernel_rows_append_text(GString *out, const LpReport *self);

G_END_DECLS
