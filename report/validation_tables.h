/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of a page on measurements. Each appends HTML to a page. */
#pragma once

#include "report/validation_report.h"

G_BEGIN_DECLS

/** The judged model's errors, a row per source, all rows last. */
void lp_validation_add_sources(GString *page, const LpValidation *self);
/** All models side by side, three rows per source, and by how much the simulation is better. */
void lp_validation_add_models(GString *page, const LpValidation *self);
/** The columns of the choice among plans, of the page and of the text; NULL-ended. */
extern const char *const lp_validation_ranking_columns[];
/** Choosing among plans, by source and model. Returns: FALSE, and adds nothing, if no rows are
 * plans for the same work. */
gboolean lp_validation_add_rankings(GString *page, const LpValidation *self);
/** The rows with the largest errors, and what may explain them. */
void lp_validation_add_worst(GString *page, const LpValidation *self);
/** The rows without a valid prediction, by reason. Returns: FALSE if there are none. */
gboolean lp_validation_add_failed(GString *page, const LpValidation *self);
/** Every row. */
void lp_validation_add_rows(GString *page, const LpValidation *self);

G_END_DECLS
