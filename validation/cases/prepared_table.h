/* SPDX-License-Identifier: Apache-2.0 */
/* Tables in columns of their own, restated by validation/prepare.py. */
#pragma once

#include "base/table.h"

G_BEGIN_DECLS

/** The table of @rows, the content of @path, restated by python3 and the scripts that the program
 * holds. Errors: LP_INPUT_ERROR: what the script says, or that there is no python3. Returns:
 * (transfer full). */
LpTable *lp_prepared_table_new(const char *path, GBytes *rows,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
