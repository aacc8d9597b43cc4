/* SPDX-License-Identifier: Apache-2.0 */
/* Simulates a workload on a machine: the run itself, and the counterfactual runs that explain it.
 */
#pragma once

#include "sim/run/run.h"
#include "workloads/description/workload.h"

G_BEGIN_DECLS

#define LP_SIMULATION_ERROR (lp_simulation_error_quark())
GQuark lp_simulation_error_quark(void);
typedef enum {
    LP_SIMULATION_ERROR_FIT,    /**< The workload does not fit on the machine. */
    LP_SIMULATION_ERROR_RUN,    /**< A run ended without a result. */
    LP_SIMULATION_ERROR_MEMORY, /**< The plan needs more memory than an accelerator has. */
} LpSimulationError;

typedef struct {
    LpFidelity fidelity;
    gboolean collapse; /**< leave out events that provably cannot matter */
    gboolean alone;    /**< leave out the counterfactual runs, which only explain the run */
    /** Tensor-parallel collectives and other traffic cost each other nothing if that leaves out at
     * most this share of the former's time (lp_contention_is_negligible()); 0: never. With
     * collapse. */
    double negligible;
    LpRunOptions run; /**< of the run itself, not of the counterfactual ones */
    guint64
        shares_max; /**< where ranks take part in more collectives that may contend, each of them
                       in each counted, every communication takes its isolated time; 0: no limit */
    const LpLibrary *library; /**< borrowed: in place of the plan's; NULL: the plan's */
} LpSimulationOptions;

typedef struct {
    gboolean is_isolated;      /**< shares_max was exceeded */
    LpRunResult run;           /**< as the machine is, or without contention if is_lonely */
    LpRunResult uncontended;   /**< every communication takes its isolated time; zero, as the next
                                  two, if the run was alone */
    LpRunResult balanced;      /**< uncontended, and every stage takes the mean stage's time */
    LpRunResult free_messages; /**< balanced, and messages between stages take no time */
    LpIsolatedCommunication isolated;
    LpTier tiers[LP_N_TERMS]; /**< where a term's traffic, all under way at once, is narrowest */
    gboolean has_tier[LP_N_TERMS];
    GArray *engine_options;          /* owned: LpEngineOption */
    char *contention;                /* owned: what was proven contention-free */
    guint64 children_peak_rss_bytes; /**< of the processes of the counterfactual runs, summed */
} LpSimulation;

/** Starts the engine on the machine (lp_machine_to_plain()). Once a process.
 * @engine_options: of lp_engine_options(). Error: GFileError of the temporary file. */
gboolean lp_simulation_start_engine(const LpMachine *machine, const GArray *engine_options,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** As above, but where the machine's scale-out tree falls apart into rails (lp_plain_rails()), one
 * tree a rail is loaded: for runs that send nothing from one rail to another (lp_rail_is_kept()).
 */
gboolean lp_simulation_start_engine_on_rails(const LpMachine *machine, const GArray *engine_options,
                                             GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** The communication library that the plan names, with the protocol that it names. Error:
 * LP_INPUT_ERROR_NAME. */
gboolean lp_simulation_library(const LpWorkload *workload, const LpMachine *machine,
                               LpLibrary *out_library, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** Whether @machine has an accelerator for every rank, and the placement is one.
 * Errors: LP_SIMULATION_ERROR_FIT, LP_INPUT_ERROR. */
gboolean lp_simulation_check(const LpWorkload *workload, const LpMachine *machine,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** Whether the plan fits into the memory of @machine's accelerators.
 * Error: LP_SIMULATION_ERROR_MEMORY. */
gboolean lp_simulation_check_memory(const LpWorkload *workload, const LpMachine *machine,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** Finds where each term's traffic is narrowest. */
void lp_simulation_find_tiers(LpSimulation *self, const LpCommunicationMap *map);

/**
 * Simulates; starts the engine, so once a process.
 * Errors: LP_SIMULATION_ERROR, LP_CHILD_PROCESS_ERROR, LP_PROGRAM_ERROR, LP_INPUT_ERROR. Returns:
 * (transfer full).
 */
LpSimulation *lp_simulation_run(const LpWorkload *workload, const LpMachine *machine,
                                LpSimulationOptions options,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
void lp_simulation_free(LpSimulation *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpSimulation, lp_simulation_free)

G_END_DECLS
