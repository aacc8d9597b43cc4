/* SPDX-License-Identifier: Apache-2.0 */
/* What compare runs on each machine, as processes of their own, and what they say. */
#pragma once

#include "base/child_process.h"
#include "base/json.h"

G_BEGIN_DECLS

/** The workload on one machine. */
typedef struct {
    const char *platform;    /**< borrowed */
    LpChildProcess *process; /**< owned, while it runs */
    json_t *result;          /**< owned: what simulate says */
    json_t *contention;      /**< owned: what contention says, or NULL */
} LpComparisonRun;

/** What all runs have in common: options of simulate and contention, as text; NULL: not said. */
typedef struct {
    const char *workload;        /**< borrowed, as all below */
    const char *const *settings; /**< NULL-ended, or NULL */
    const char *fidelity, *collapse, *n_runs;
    gboolean ignore_memory, cost;
    gboolean contention; /**< whether contention runs, too */
} LpComparisonOptions;

/** An empty list of LpComparisonRun, which frees what they own. Returns: (transfer full). */
GArray *lp_comparison_runs_new(void);

/** Runs all of @runs, as many at a time as there are processors. Results stand in the order of
 * @runs, whichever ends first. Errors: LP_INPUT_ERROR_USAGE as the run had it; any other as
 * LP_SIMULATION_ERROR_RUN, with its message. */
gboolean lp_comparison_runs_run(GArray *runs, const LpComparisonOptions *options, GError **error);

G_END_DECLS
