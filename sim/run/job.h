/* SPDX-License-Identifier: Apache-2.0 */
/* A job of a scenario on the machine: where its ranks stand, what they send, how fast they are. */
#pragma once

#include "sim/mapping/communication_map.h"
#include "sim/actors/straggler.h"
#include "sim/analysis/contention.h"

G_BEGIN_DECLS

typedef struct {
    const LpScenarioJob *job; /* borrowed */
    guint64 n_ranks;
    guint32 *accelerators;  /* owned: by rank; NULL: rank r on r */
    LpIteration *iteration; /* owned */
    LpLibrary library;
    LpEdges *edges; /* owned, once lp_tenant_enter() has been called */
    LpPace **paces; /* owned: by rank, NULL for those as described; NULL if all are */
} LpTenant;

/** The jobs of @scenario, in its order, on different accelerators of @machine.
 * Errors: LP_SIMULATION_ERROR_FIT, LP_INPUT_ERROR, LP_ITERATION_ERROR; they name the job, and two
 * that want the same accelerator. Returns: (transfer full) array of owned LpTenant. */
GPtrArray *lp_tenants_new(const LpScenario *scenario, const LpMachine *machine,
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
guint64 lp_tenant_accelerator(const LpTenant *self, guint64 rank);
/** Finds the edges on the loaded @network, which must outlive it. Errors: as lp_edges_new(). */
gboolean lp_tenant_enter(LpTenant *self, const LpNetwork *network,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
