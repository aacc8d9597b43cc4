/* SPDX-License-Identifier: Apache-2.0 */
/* One run of an iteration: builds ranks, groups and channels, runs them, and reads the result. */
#pragma once

#include "sim/actor_rank.h"
#include "sim/class.h"

G_BEGIN_DECLS

/** What a run says. Plain data: it travels between processes. */
typedef struct {
    double iteration_time_s;
    LpTerms terms;    /**< along the critical path; they sum to iteration_time_s */
    guint64 rank;     /**< the rank of the last event */
    double overlap_s; /**< seconds in which that rank's communication was in flight unwaited for */
    double inner_s;   /**< its collectives inside layers that were launched, hidden or not */
    double slowed_s;  /**< what communication beside it added to that rank's computing */
    /** On the wire, all ranks; not told by runs in which ranks stand for classes. */
    guint64 traffic_bytes[LP_N_TRAFFIC];
    guint64 sent_bytes, received_bytes; /**< through the simulated channels */
    guint64 n_actors;
    guint64 n_activities; /**< engine activities: delays and flows */
} LpRunResult;

typedef struct {
    LpTimeline *timeline; /* borrowed: filled for the first replica, or NULL */
    void (*progress)(guint64 n_done, guint64 n_all, void *data); /**< or NULL */
    void *progress_data;
    const LpClasses *classes; /* borrowed: an uncontended run simulates one rank of each; or NULL */
} LpRunOptions;

/** Number of actors that a run with @proof makes. */
guint64 lp_world_n_actors(const LpIteration *iteration, const LpProof *proof);

typedef struct LpWorld LpWorld;

/** Makes all that a run needs. Of uncontended runs several can wait for one lp_engine_run(), since
 * none can touch another. All arguments: borrowed, must outlive it. Returns: (transfer full). */
LpWorld *lp_world_new(const LpEdges *edges, const LpProof *proof, const LpTasks *tasks,
                      LpRunOptions options);
/** After lp_engine_run(). @self: (transfer full). */
LpRunResult lp_world_finish(LpWorld *self);

/** Runs the iteration. Once a process. */
LpRunResult lp_world_run(const LpEdges *edges, const LpProof *proof, const LpTasks *tasks,
                         LpRunOptions options);

G_END_DECLS
