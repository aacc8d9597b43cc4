/* SPDX-License-Identifier: Apache-2.0 */
/* Which rows of a table constants are fitted on, and which are left out to test the fit. */
#pragma once

#include "validation/calibration/fit_data.h"

G_BEGIN_DECLS

/** Puts the rows of @table that @options choose into @fit's rows and other_rows, as surrogates in
 * the order of the table, and counts those left out. Only rows that a fitted constant has an effect
 * on take part. */
void lp_fitted_rows_choose(LpFit *fit, const LpTable *table, const LpFitOptions *options);
/** Whether each fitted constant has an effect on a row to fit. Errors: LP_INPUT_ERROR_VALUE, which
 * names the constant that has not. */
gboolean lp_fitted_rows_check(const LpFit *fit, const LpTable *table,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
