/* SPDX-License-Identifier: Apache-2.0 */
/* Fits constants to measured rows, and reports the errors on rows that the fit has not seen. */
#pragma once

#include "validation/calibration/fit_data.h"

G_BEGIN_DECLS

/**
 * Fits @options->constants to rows of measured training in @table, by rounds: simulate the rows,
 * search on their surrogates, simulate at the result.
 *
 * The objective is the mean over sources of the mean over their rows of a loss of
 * e = ln(predicted / measured): e^2 / 2a up to a = 0.02, which is measuring noise; |e| - a / 2 up
 * to 0.3; from there on growing as a logarithm, since such a row is wrong in another way. A source
 * counts as much as any other, however many rows it has. A pull of at most half a thousandth keeps
 * constants on which the rows say nothing where they started.
 *
 * Errors: LP_INPUT_ERROR_VALUE (no row to fit, a constant on which no row depends, a table of
 * another kind), and those of lp_runner_run(). Returns: (transfer full).
 */
LpFit *lp_fit_run(const LpTable *table, const LpFitOptions *options,
                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** @self may be NULL. */
void lp_fit_free(LpFit *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpFit, lp_fit_free)

G_END_DECLS
