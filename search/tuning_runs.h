/* SPDX-License-Identifier: Apache-2.0 */
/* Which libraries a workload takes: mixes and single ones, simulated. */
#pragma once

#include "search/tuning.h"
#include "sim/run/simulation.h"

G_BEGIN_DECLS

/** How a choice was found. */
typedef enum {
    LP_TUNING_SINGLE,  /**< one library for all that is called */
    LP_TUNING_BY_CALL, /**< the best for each call */
    LP_TUNING_WEIGHED  /**< the best where each change of a stream costs, too */
} LpTuningKind;

/** "single", "call by call", "weighed". */
extern const char *const lp_tuning_kind_names[];

/** A choice, and the iteration with it. */
typedef struct {
    LpTuningKind kind;
    guint32 *chosen; /* owned: library, by key of the tuning */
    char *library;   /* owned: as plans take it */
    double time_s;
} LpTuningRun;

/** Simulates an iteration of @workload, of which the points of @tuning are, by the best mixes and
 * by each library that has all that it calls; one library for all first. @workload's library is
 * set. Errors: as lp_setup_new(), lp_simulation_run_in_child(). Returns: (transfer full)
 * LpTuningRun, none of two alike. */
GArray *lp_tuning_runs_new(const LpTuning *tuning, LpWorkload *workload,
                           LpSimulationOptions options, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** The run that takes least; the first of those that do. */
guint lp_tuning_runs_best(const GArray *runs);
/** The best that has a single library; G_MAXUINT: none has all. */
guint lp_tuning_runs_best_single(const GArray *runs);

G_END_DECLS
