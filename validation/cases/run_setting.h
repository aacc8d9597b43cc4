/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of a run, beyond or against its framework's habits: a row's column "set". */
#pragma once

#include "base/table.h"

G_BEGIN_DECLS

/** Whether @row may set @name to @value. What has a column of its own stands there, since rules
 * look there: a setting may say the same, or what frameworks decide where the column is empty. A
 * table without that column has no other place for it.
 * Error: LP_INPUT_ERROR_VALUE. */
gboolean lp_run_setting_check(const LpTableRow *row, const char *name, const char *value,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
