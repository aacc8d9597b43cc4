/* SPDX-License-Identifier: Apache-2.0 */
/* The texts on outcomes of measured rows. */
#pragma once

#include "validation/prediction/outcome.h"

G_BEGIN_DECLS

/** @value in the measure of @outcome, with its unit. Returns: (transfer full). */
char *lp_wording_value(const LpOutcome *outcome, double value);

/** The largest terms, as shares of the simulated time: "compute 80 %, tp 12 %"; "" without terms.
 * Returns: (transfer full). */
char *lp_wording_terms(const LpOutcome *outcome);

G_END_DECLS
