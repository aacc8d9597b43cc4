/* SPDX-License-Identifier: Apache-2.0 */
/* What one collective makes the engine do, counted without an engine from the flows that actors are
 * given (sim/actors/collective_flows.h). */
#pragma once

#include "sim/analysis/isolated_time.h"
#include "sim/quotient/quotient.h"

G_BEGIN_DECLS

/** Activities of an engine. */
typedef struct {
    guint64 n_delays; /**< of known number: computing, latencies, collectives by themselves */
    guint64 n_flows;
    guint64 n_arrivals; /**< waits for what is still on its way when all else has ended: there
                           may be fewer */
    guint64 n_maybe; /**< waits: there may be as many more, where hosts are behind or what stays in
                             domains takes longest: mostly there are few */
    guint64 n_calls; /**< no activities: collectives, once for each actor that takes part */
} LpActivities;

/** As many as are to be expected, and at least and at most. */
guint64 lp_activities_n(const LpActivities *self);
guint64 lp_activities_min(const LpActivities *self);
guint64 lp_activities_max(const LpActivities *self);
/** Adds @times @other. */
void lp_activities_add(LpActivities *self, const LpActivities *other, guint64 times);

/** Who runs it. All are borrowed. */
typedef struct {
    const LpIsolatedRing *ring;
    LpFidelity fidelity;
    guint64 n_actors;
    gboolean as_delay;                  /**< it takes its isolated time, and sends nothing */
    const LpQuotient *quotient;         /**< NULL: members stand for themselves */
    const LpCommunicatorClass *classes; /**< of that, for the ring's communicator; or NULL */
} LpCollectiveActors;

/** Of one @op of @actors. Circuits that are switched are left out: as if they stood. */
LpActivities lp_collective_size(const LpCollectiveActors *actors, const LpOp *op);

G_END_DECLS
