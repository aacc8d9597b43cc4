/* SPDX-License-Identifier: Apache-2.0 */
/* What a job can send over. */
#pragma once

#include "sim/engine/route_use.h"
#include "sim/run/run_job.h"

G_BEGIN_DECLS

/** Adds to @use what runs of the job of @map send over at most, with @fidelity: the connections of
 * all ranks, all members that scheduled collectives send to, and all pairs where all-to-alls go
 * pair by pair; and the ports of all ranks. @contention: borrowed, leaves out what is private or
 * mirrors other ranks, for runs that merge; NULL: nothing is left out. Too many pairs to look at
 * count as the whole machine. */
void lp_run_routes_add(LpRouteUse *use, const LpCommunicationMap *map,
                       const LpContention *contention, LpFidelity fidelity);

/** Loads the network of @model for runs of its job alone: as much of it as they use, or all where
 * that is faster. Errors: as of lp_network_load(). */
gboolean lp_run_routes_load(const LpRunModel *model, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
