/* SPDX-License-Identifier: Apache-2.0 */
/* The page of a search. */
#pragma once

#include "base/json.h"

G_BEGIN_DECLS

/**
 * The page of @document: what "search" prints with --format=json, with "candidates" and
 * "not_simulated" (lp_search_report_add_candidates()) and, where a plan was simulated, "first",
 * what "simulate" prints of the first plan, and "observed". @vega: the library of plots
 * (lp_vega_load()). Returns: (transfer full).
 */
char *lp_page_of_search(const json_t *document, const char *vega);

G_END_DECLS
