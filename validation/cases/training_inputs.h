/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of measured training as what anybody runs: a workload, a platform and a command each. */
#pragma once

#include "validation/cases/measurements.h"

G_BEGIN_DECLS

/**
 * Writes to @folder, which is made if it is not there, for each row of @table ID.workload.xml and
 * ID.platform.xml, and to commands.sh a line for each row: the command that predicts as much as
 * lp_training_case does, to the last digit, or a comment that says why there is none. Characters of
 * an id that files should not have become "_".
 * Errors: LP_INPUT_ERROR_FILE; LP_INPUT_ERROR_VALUE where @table has no rows of training.
 */
gboolean lp_training_inputs_write(const LpTable *table, const char *folder,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
