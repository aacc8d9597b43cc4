/* SPDX-License-Identifier: Apache-2.0 */
/* The plans of a search as a table. */
#pragma once

#include "report/search_report.h"

G_BEGIN_DECLS

/** Comma-separated values (RFC 4180), a row for each plan that was simulated, the best first. The
 * columns are what JSON has of a plan (lp_search_report_add_plan()): its members by their names,
 * those of "set" by theirs, those of "terms_s" with "_s" behind, those of others behind the
 * object's. Returns: (transfer full). */
char *lp_search_report_to_csv(const LpSearchReport *self);

G_END_DECLS
