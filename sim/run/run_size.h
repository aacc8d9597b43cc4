/* SPDX-License-Identifier: Apache-2.0 */
/* How much a job's run makes the engine do, counted from its program before the engine starts. */
#pragma once

#include "sim/run/collective_size.h"
#include "sim/run/run_job.h"

G_BEGIN_DECLS

typedef struct {
    guint64 n_ranks;  /**< that are simulated */
    guint64 n_actors; /**< of these ranks */
    LpActivities activities;
    double lasts_s; /**< how long it takes if nothing meets or hides anything else: what the stage
                       that takes longest computes and sends, and the time in which its pipeline
                       fills */
} LpRunSize;

/** Of the run of @job by itself, or beside others. Exact up to LpActivities.n_maybe, but where
 * circuits are switched or turn: what waits for them is left out. */
LpRunSize lp_run_size(const LpRunJob *job);

G_END_DECLS
