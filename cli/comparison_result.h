/* SPDX-License-Identifier: Apache-2.0 */
/* Runs on several machines beside each other, for programs and for people. */
#pragma once

#include "base/json.h"
#include "workloads/description/workload.h"

G_BEGIN_DECLS

/** What @runs, LpComparisonRun that have their results, say, each against the first: keys "runs",
 * "speedup", "largest_change", and "contention_s" if they have it. Returns: (transfer full). */
json_t *lp_comparison_to_json(const GArray *runs);

/** The same as a table, below @workload and its plan; @whole_plan: all its attributes, not only
 * those that were given. Returns: (transfer full). */
char *lp_comparison_to_text(const GArray *runs, const LpWorkload *workload, gboolean whole_plan);

G_END_DECLS
