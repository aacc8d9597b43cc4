/* SPDX-License-Identifier: Apache-2.0 */
/* The answer of a search, as text and JSON. */
#pragma once

#include "base/json.h"
#include "search/search.h"

G_BEGIN_DECLS

/** What a search was asked, and what it found, all borrowed. */
typedef struct {
    const char *workload; /**< its name */
    const LpSearchSpace *space;
    const LpSearchResult *result;
    char **refused_machines; /**< borrowed: why, of machines that could not be made; NULL-ended */
    const LpSearchMeasure *measure;
    guint n_best;  /**< plans that are shown, at least */
    double within; /**< and those that take at most so much longer than the first */
} LpSearchReport;

/** How many of the result's runs the answer has: the best, and all on the front among others are
 * marked. */
guint lp_search_report_n_shown(const LpSearchReport *self);

/** Tables. Returns: (transfer full). */
char *lp_search_report_to_text(const LpSearchReport *self);
/** Appends run @index to @plans, an array. */
void lp_search_report_add_plan(json_t *plans, const LpSearchReport *self, guint index);
/** The same content. Returns: (transfer full). */
json_t *lp_search_report_to_json(const LpSearchReport *self);

G_END_DECLS
