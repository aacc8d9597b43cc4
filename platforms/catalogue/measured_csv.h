/* SPDX-License-Identifier: Apache-2.0 */
/* Measured kernels in CSV, as their tables in XML. */
#pragma once

#include "base/table.h"
#include "model/times/accelerator.h"

G_BEGIN_DECLS

/** A table for @accelerator of the rows of @table, whose columns are kernel (a LpMeasuredKind's
 * name, or "named"), m, k, n, count, bytes, precision, share, head_width, whose, name, size, and
 * what was measured, in one of seconds, tflops (of what a mask leaves), GBps (of bytes) and
 * of_peak. @is_alone: measured before a limit of power lowers the clock.
 * Errors: LP_INPUT_ERROR, "FILE:LINE: column: got, wanted". Returns: (transfer full), XML. */
char *lp_measured_csv_to_xml(const LpTable *table, const LpAccelerator *accelerator,
                             gboolean is_alone, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
