/* SPDX-License-Identifier: Apache-2.0 */
/* Simulates a scenario: all jobs side by side, and each by itself to tell what the others cost it.
 */
#pragma once

#include "sim/actors/background_result.h"
#include "sim/run/run_count.h"
#include "sim/run/simulation.h"
#include "workloads/description/scenario.h"

G_BEGIN_DECLS

/** What came of a job. */
typedef struct {
    const LpScenarioJob *job; /* borrowed from the scenario */
    LpPlacement *placement;   /* owned */
    LpRunResult together;     /**< beside the others, as the scenario says */
    LpRunResult alone;        /**< without the other jobs and the traffic; slow ranks and failures
                                 stay */
    LpRunResult uncontended;  /**< alone, and every communication takes its isolated time */
    LpSimulation *own;    /* owned: one iteration alone, without slow ranks and failures, and its
                             counterfactual runs */
    char *contention;     /* owned: what was proven contention-free beside the others */
    LpTimeline *timeline; /* owned, or NULL: beside the others */
} LpJobResult;

/** What came of a scenario. */
typedef struct {
    const LpScenario *scenario; /* borrowed */
    guint n_jobs;
    LpJobResult *jobs;               /* owned, in the scenario's order */
    LpBackgroundResult *backgrounds; /* owned, in the scenario's order */
    GArray *engine_options;          /* owned: LpEngineOption */
    guint64 n_activities;            /**< of the jobs beside each other */
    LpQuotientSize quotient;         /**< of these; zero where they were not run by classes */
    guint64 children_peak_rss_bytes; /**< of the processes of the other runs, summed */
    LpRunCount runs;
} LpScenarioSimulation;

/** How a scenario is simulated. */
typedef struct {
    LpFidelity fidelity;
    gboolean collapse;          /**< leave out events that provably cannot matter */
    gboolean timelines;         /**< record them */
    LpObservation *observation; /* borrowed: filled; or NULL */
    void (*progress)(double n_done, guint64 n_all, void *data); /**< told of runs; or NULL */
    void *progress_data;
    LpForecast *forecast; /* borrowed: filled, and nothing is run; or NULL */
} LpScenarioOptions;

/**
 * Simulates; starts the engine, so once a process.
 * Errors: LP_SIMULATION_ERROR (a job does not fit; RUN: a rank waits for ever, and for whom),
 * LP_CHILD_PROCESS_ERROR, LP_PROGRAM_ERROR, LP_INPUT_ERROR: "FILE:LINE: what, got, wanted".
 * Returns: (transfer full).
 */
LpScenarioSimulation *lp_scenario_simulation_run(const LpScenario *scenario,
                                                 const LpMachine *machine,
                                                 LpScenarioOptions options,
                                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
void lp_scenario_simulation_free(LpScenarioSimulation *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpScenarioSimulation, lp_scenario_simulation_free)

G_END_DECLS
