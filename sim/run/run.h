/* SPDX-License-Identifier: Apache-2.0 */
/* One run of an iteration: builds ranks, groups and channels, runs them, and reads the result. */
#pragma once

#include "sim/actors/actor_rank.h"
#include "sim/actors/actor_background.h"
#include "sim/actors/actor_fault.h"
#include "sim/analysis/rank_equivalence.h"
#include "sim/run/result.h"

G_BEGIN_DECLS

/** Number of actors that a run with @contention makes. */
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
    LpCallTimes *calls;   /* borrowed: prepared for the program, or NULL */
    const LpCircuitPlan *circuits; /* borrowed: those that are switched; NULL: none are, and none
                                      in counterfactual runs */
    gboolean turns; /**< its circuits turn by themselves; not in counterfactual runs */
    const LpRankEquivalence
        *classes; /* borrowed: one rank of each is enough in uncontended runs; or NULL */
    const LpQuotient *quotient; /* borrowed, loaded: one rank of each of its classes is enough in
                                   runs as they are; or NULL */
} LpRunJob;

/** Its circuits stand whenever they are wanted. */
static inline void
lp_run_job_idealise(LpRunJob *self)
{
    self->circuits = NULL;
    self->turns = FALSE;
}

/** What happens beside the jobs; each may be NULL. */
typedef struct {
    GPtrArray *backgrounds;     /* borrowed LpBackground */
    LpFaults *faults;           /* borrowed */
    LpWatch *watch;             /* borrowed; needed by the others */
    LpSharing *sharing;         /* borrowed: shares links in place of the engine */
    LpWaitRecord *waits;        /* borrowed: told who waits for whom, and keeps critical paths */
    LpFlowLog *log;             /* borrowed: written */
    const LpQuotient *quotient; /* borrowed: of the run that the jobs' are parts of */
    void (*progress)(guint64 n_done, guint64 n_all, void *data);
    void *progress_data;
} LpSurroundings;

/** Runs @jobs side by side, until all have ended or the watch has stopped them. Once a process.
 * @out_results: for each. */
void lp_run_jobs(const LpRunJob *jobs, guint n_jobs, const LpSurroundings *surroundings,
                 LpRunResult *out_results);

/** Runs one job's iteration alone, over @circuits (or NULL) if they are switched, or by the classes
 * of @quotient, or NULL. Once a process. */
LpRunResult lp_run_iteration(const LpCommunicationMap *map, const LpCircuitPlan *circuits,
                             const LpContention *contention, LpIsolatedCache *cache,
                             const LpTasks *tasks, const LpQuotient *quotient,
                             LpRunOptions options);

G_END_DECLS
