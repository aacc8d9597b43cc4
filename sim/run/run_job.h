/* SPDX-License-Identifier: Apache-2.0 */
/* A job of a run, and which of its ranks are simulated. */
#pragma once

#include "sim/actors/call_times.h"
#include "sim/actors/straggler.h"
#include "sim/actors/timeline.h"
#include "sim/analysis/rank_equivalence.h"
#include "sim/analysis/task.h"
#include "sim/quotient/quotient.h"

G_BEGIN_DECLS

/** Number of actors that a run with @contention makes. */
guint64 lp_run_n_actors(const LpProgram *program, const LpContention *contention);

/** Actors of ranks and of the sends of their collectives in any run over @map, at most: those that
 * the engine's settings must do for (lp_engine_options()). @is_launched: links are shared without
 * the engine, and nobody watches: no flow has an actor. */
guint64 lp_run_actors_max(const LpCommunicationMap *map, gboolean is_launched);

/** What is constant in the run of an iteration, and in all runs that explain it: made once, then
 * only read. All is borrowed. */
typedef struct {
    LpNetwork *network; /* of the map; a run loads it */
    const LpCommunicationMap *map;
    const LpCircuitPlan *circuits; /**< that are switched; NULL: none are */
    const LpContention *contention;
    LpIsolatedCache *cache; /**< gathers what is worked out */
    LpFidelity fidelity;
    const GArray *engine_options; /**< of lp_engine_options() */
} LpRunModel;

/** The tasks of @self in runs of @mode. Returns: (transfer full). */
LpTasks *lp_run_model_tasks(const LpRunModel *self, LpRunMode mode);

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
    gboolean is_rotor; /**< its circuits turn by themselves; not in counterfactual runs */
    const LpRankEquivalence
        *classes; /* borrowed: one rank of each is enough in uncontended runs; or NULL */
    const LpQuotient *quotient; /* borrowed, loaded: one rank of each of its classes is enough in
                                   runs as they are; or NULL */
} LpRunJob;

/** One iteration of @model by itself, from the start, or by the classes of @quotient, or NULL. All
 * are borrowed. */
LpRunJob lp_run_job(const LpRunModel *model, const LpTasks *tasks, const LpQuotient *quotient);

/** Its circuits stand whenever they are wanted. */
static inline void
lp_run_job_idealise(LpRunJob *self)
{
    self->circuits = NULL;
    self->is_rotor = FALSE;
}

/** What says which ranks are enough, borrowed; NULL: nothing does. But for a quotient's, ranks of a
 * class behave alike only where nothing contends, and only if none is slower. */
const LpRankEquivalence *lp_run_job_classes(const LpRunJob *self);
/** The quotient by which the run goes: none in counterfactual runs. Borrowed, or NULL. */
const LpQuotient *lp_run_job_quotient(const LpRunJob *self);
/** Whether @rank has actors of its own. */
gboolean lp_run_job_simulates(const LpRunJob *self, guint64 rank);
guint64 lp_run_job_n_actors(const LpRunJob *self);

G_END_DECLS
