/* SPDX-License-Identifier: Apache-2.0 */
/* What a page on a search has beyond what is printed: all plans, and the first plan's run. */
#pragma once

#include "report/search_report.h"

G_BEGIN_DECLS

/**
 * Adds to @root, what lp_search_report_to_json() gives, "candidates": all plans that were
 * simulated, as "plans" has those that are shown, each with "over_first", what it takes longer
 * than the first, a fraction, and "machine", what sets its machine's name apart; and
 * "not_simulated": of others, those of the best closed forms, "memory_bytes" and "closed_form_s".
 */
void lp_search_report_add_candidates(json_t *root, const LpSearchReport *self);

G_END_DECLS
