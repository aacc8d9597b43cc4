/* SPDX-License-Identifier: Apache-2.0 */
/* Simulates a workload on a machine: the run itself, and the counterfactual runs that explain it.
 */
#pragma once

#include "sim/analysis/summary.h"
#include "sim/engine/engine_option.h"
#include "sim/fidelity.h"
#include "sim/simulation_error.h"
#include "sim/mapping/setup.h"
#include "sim/quotient/quotient_size.h"
#include "sim/run/assume.h"
#include "sim/run/result.h"
#include "workloads/program/program_error.h"

G_BEGIN_DECLS

/** What large studies leave out. Tensor-parallel collectives and traffic of less than this share of
 * theirs do not wait for each other: measured, it changes iterations by at most 0.02 %, while plans
 * over many nodes are simulated up to hundreds of times as fast. */
#define LP_SIMULATION_NEGLIGIBLE 0.05
/** And no contention where there are more shares: some half a minute of simulation. */
#define LP_SIMULATION_SHARES_MAX 4194304u

/** What is seen of a run on the machine, for the page of a run. */
typedef struct LpObservation LpObservation;

/** What a simulation would cost (sim/run/forecast.h). */
typedef struct LpForecast LpForecast;

/** How an iteration is simulated. */
typedef struct {
    LpFidelity fidelity;
    gboolean collapse; /**< leave out events that provably cannot matter */
    gboolean alone;    /**< leave out the counterfactual runs, which only explain the run */
    /** Tensor-parallel collectives and other traffic cost each other nothing if that leaves out at
     * most this share of the former's time; 0: never. With collapse. */
    double negligible;
    guint32 n_rounds;           /**< of refinement of the run's classes, LpQuotientInput.n_rounds */
    LpAssume assume;            /**< where its classes need not be proven; with collapse, without
                                     n_rounds */
    LpRunOptions run;           /**< of the run itself, not of the counterfactual ones */
    LpObservation *observation; /* borrowed: filled; or NULL. Not where every communication takes
                                   its isolated time */
    guint64 shares_max;   /**< where ranks that are simulated take part in more collectives that may
                             contend, each of them in each counted, every communication takes its
                             isolated time; 0: no limit */
    double at_most_s;     /**< it ends with LP_SIMULATION_ERROR_LIMIT as soon as it must take longer
                             than this, which may be INFINITY: LpSimulation.run.least_s then says
                             what it took at least; 0: as INFINITY, and it is not looked for */
    LpForecast *forecast; /* borrowed: filled, and nothing is run; or NULL */
} LpSimulationOptions;

/** What came of an iteration. */
typedef struct {
    gboolean is_isolated;    /**< shares_max was exceeded */
    gboolean is_alone;       /**< LpSimulationOptions.alone */
    LpRunResult run;         /**< as the machine is, or without contention if is_isolated */
    LpRunResult uncontended; /**< every communication takes its isolated time; zero, as the next
                                two, if the run was alone */
    LpRunResult balanced;    /**< uncontended, and every stage takes the mean stage's time; zero, as
                                the next one, of programs that are given */
    LpRunResult free_messages; /**< balanced, and messages between stages take no time */
    LpIsolatedCommunication isolated;
    LpTiers tiers;
    LpLinkTraffic link_traffic;      /**< 0 where no network has an energy per bit */
    LpQuotientSize quotient;         /**< of the run; zero where it was not run by classes */
    GArray *engine_options;          /* owned: LpEngineOption */
    char *contention;                /* owned: what was proven contention-free */
    char *circuits;                  /* owned: the plan of circuits; NULL: none are switched */
    guint64 children_peak_rss_bytes; /**< of the processes of the counterfactual runs, summed */
} LpSimulation;

/**
 * Simulates @setup (borrowed) in this process. The engine starts once in a process: a second run is
 * refused. Forks, so before other threads start.
 * Errors: LP_SIMULATION_ERROR, LP_CHILD_PROCESS_ERROR, LP_PROGRAM_ERROR, LP_INPUT_ERROR. Returns:
 * (transfer full).
 */
LpSimulation *lp_simulation_run(const LpSetup *setup, LpSimulationOptions options,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * As lp_simulation_run(), in a process of its own, so any number of times; a run that crashes is an
 * error of one line. Timelines, observations and times of calls cannot be had of it:
 * options.run.timeline, options.run.calls and options.observation must be NULL.
 * options.run.progress is called in the other process.
 * Errors: as lp_simulation_run(). Returns: (transfer full).
 */
LpSimulation *lp_simulation_run_in_child(const LpSetup *setup, LpSimulationOptions options,
                                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Frees @self and all that it owns; nothing if it is NULL. */
void lp_simulation_free(LpSimulation *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpSimulation, lp_simulation_free)

G_END_DECLS
