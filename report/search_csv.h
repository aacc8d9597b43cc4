/* SPDX-License-Identifier: Apache-2.0 */
/* The plans of a search as a table. */
#pragma once

#include "report/search_report.h"

G_BEGIN_DECLS

/** Comma-separated values (RFC 4180), a row for each plan that was simulated, the fastest first:
 * its rank, machine, what was varied, time, memory, closed form, lower bound, whether it is on the
 * front, and its terms; SI units. Returns: (transfer full). */
char *lp_search_report_to_csv(const LpSearchReport *self);

G_END_DECLS
