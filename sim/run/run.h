/* SPDX-License-Identifier: Apache-2.0 */
/* One run of an iteration: builds ranks, groups and channels, runs them, and reads the result. */
#pragma once

#include "sim/actors/actor_rank.h"
#include "sim/actors/actor_background.h"
#include "sim/actors/actor_fault.h"
#include "sim/analysis/rank_equivalence.h"

G_BEGIN_DECLS

/** What a run says of a job. Plain data: it travels between processes. */
typedef struct {
    double iteration_time_s; /**< of several iterations the mean, as for all that follows */
    LpTerms terms;           /**< along the critical path; they sum to iteration_time_s */
    guint64 rank;            /**< the rank of the last event */
    double overlap_s; /**< seconds in which that rank's communication was in flight unwaited for */
    double inner_s;   /**< its collectives inside layers that were launched, hidden or not */
    double slowed_s;  /**< what communication beside it added to that rank's computing */
    /** On the wire, all ranks; not told by runs in which ranks stand for classes. */
    guint64 traffic_bytes[LP_N_TRAFFIC];
    guint64 sent_bytes, received_bytes; /**< through the simulated channels, all iterations */
    guint64 n_actors;
    guint64 n_activities;  /**< engine activities, all iterations: delays and flows */
    double start_s, end_s; /**< of the job, on the engine's clock */
    guint64 n_waiting;     /**< ranks that never ended, since the run stopped (LpStall) */
} LpRunResult;

typedef struct {
    LpTimeline *timeline; /* borrowed: filled for the first replica, or NULL */
    void (*progress)(guint64 n_done, guint64 n_all, void *data); /**< or NULL */
    void *progress_data;
} LpRunOptions;

/** Number of actors that a run with @proof makes. */
guint64 lp_run_n_actors(const LpProgram *program, const LpContention *contention);

/** A job of a run. */
typedef struct {
    const LpCommunicationMap *map;  /* borrowed */
    const LpContention *contention; /* borrowed */
    LpIsolatedCache *cache;         /* borrowed */
    const LpTasks *tasks;           /* borrowed */
    double start_s;
    guint32 n_iterations;
    LpStraggler *const
        *stragglers;      /* borrowed: by rank, NULL entries for those as described; or NULL */
    LpTimeline *timeline; /* borrowed, or NULL */
    const LpRankEquivalence
        *classes; /* borrowed: one rank of each is enough in uncontended runs; or NULL */
} LpRunJob;

/** What happens beside the jobs; each may be NULL. */
typedef struct {
    GPtrArray *backgrounds; /* borrowed LpBackground */
    LpFaults *faults;       /* borrowed */
    LpWatch *watch;         /* borrowed; needed by the others */
    void (*progress)(guint64 n_done, guint64 n_all, void *data);
    void *progress_data;
} LpSurroundings;

/** Runs @jobs side by side, until all have ended or the watch has stopped them. Once a process.
 * @out_results: for each. */
void lp_run_jobs(const LpRunJob *jobs, guint n_jobs, const LpSurroundings *surroundings,
                 LpRunResult *out_results);

/** Runs one job's iteration alone. Once a process. */
LpRunResult lp_run_iteration(const LpCommunicationMap *map, const LpContention *contention,
                             LpIsolatedCache *cache, const LpTasks *tasks, LpRunOptions options);

G_END_DECLS
