/* SPDX-License-Identifier: Apache-2.0 */
/* A job of a scenario on the machine: where its ranks stand, what they send, how fast they are. */
#pragma once

#include "sim/mapping/communication_map.h"
#include "sim/mapping/setup.h"
#include "workloads/description/scenario.h"
#include "sim/actors/straggler.h"
#include "sim/analysis/contention.h"
#include "sim/analysis/isolated_cache.h"
#include "sim/circuits/circuit_map.h"
#include "workloads/program/training_program.h"

G_BEGIN_DECLS

typedef struct {
    const LpScenarioJob *job; /* borrowed */
    guint64 n_ranks;
    LpSetup *setup;                  /* owned */
    LpProgram *program;              /* owned */
    LpCircuitMap *circuits;          /* owned, once lp_job_enter() has been called */
    const LpCommunicationMap *map;   /* borrowed from that */
    LpIsolatedCache *cache;          /* owned: of times on that map */
    LpCircuitMap *impaired;          /* owned: that circuits which never change have after failures;
                                        NULL: as circuits */
    LpIsolatedCache *impaired_cache; /* owned: of times on that; NULL without it */
    LpStraggler **stragglers; /* owned: by rank, NULL for those as described; NULL if all are */
} LpJob;

/** The jobs of @scenario, in its order, on different accelerators of @machine.
 * Errors: LP_SIMULATION_ERROR_FIT, LP_INPUT_ERROR, LP_PROGRAM_ERROR; they name the job, and two
 * that want the same accelerator. Returns: (transfer full) array of owned LpJob. */
GPtrArray *lp_jobs_new(const LpScenario *scenario, const LpMachine *machine,
                       GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Finds the connections on the loaded @network, which must outlive it. Errors: as
 * lp_circuit_map_new(). */
gboolean lp_job_enter(LpJob *self, const LpNetwork *network,
                      GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** Plans circuits that never change without @failed (LpLaneFailure), for runs with failures;
 * nothing where there are no such circuits. After lp_job_enter(). Errors: as of that. */
gboolean lp_job_impair(LpJob *self, const LpNetwork *network, const GArray *failed,
                       GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
