/* SPDX-License-Identifier: Apache-2.0 */
/* A scenario on the loaded machine: its jobs in their places, what else is there, and what of it
 * each run may leave out. */
#pragma once

#include "sim/run/job.h"
#include "sim/run/run.h"

G_BEGIN_DECLS

/** What the runs of a scenario share. */
typedef struct {
    const LpScenario *scenario; /* borrowed */
    LpFidelity fidelity;
    gboolean collapse;      /**< leave out events that provably cannot matter */
    GArray *engine_options; /* owned: LpEngineOption */
    LpNetwork *network;     /* owned */
    GPtrArray *jobs;        /* owned LpJob */
    GPtrArray *backgrounds; /* owned LpBackground */
    LpFaults *faults;       /* owned, or NULL */
    guint32 *n_users;       /* owned: by link, jobs and other traffic that can be on it */
    gboolean *changes;      /* owned: by link, whether a failure changes it */
} LpScene;

/** How far a job's run is from the scenario. */
typedef enum {
    LP_SCENE_TOGETHER, /**< beside all others */
    LP_SCENE_ALONE,    /**< without them; slow ranks and failures stay */
    LP_SCENE_OWN,      /**< without these too */
} LpSceneScope;

/** Starts the engine, so once a process. @scenario, @machine: borrowed.
 * Errors: LP_SIMULATION_ERROR, LP_INPUT_ERROR, LP_PROGRAM_ERROR. Returns: (transfer full). */
LpScene *lp_scene_new(const LpScenario *scenario, const LpMachine *machine, LpFidelity fidelity,
                      gboolean collapse, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** As lp_scene_new(), without starting the engine. Errors: as there. */
LpScene *lp_scene_new_unloaded(const LpScenario *scenario, const LpMachine *machine,
                               LpFidelity fidelity, gboolean collapse,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Starts the engine on what its runs may send over, unless it has started. Errors: as of
 * lp_network_load(). */
gboolean lp_scene_load(LpScene *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void lp_scene_free(LpScene *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpScene, lp_scene_free)

/** The job at @index. Borrowed. */
LpJob *lp_scene_job(const LpScene *self, guint index);
/** The jobs of one run. */
typedef struct {
    const LpScene *scene;       /* borrowed */
    LpContention **contentions; /* owned, of the owned */
    LpTasks **tasks;            /* owned, of the owned */
    LpRunJob *jobs;             /* owned; they borrow the above */
    guint n;
    gboolean counts_flows; /**< of a group in all steps or in none: none merges in some of them */
} LpCast;

/** No job of @scene, which is borrowed. */
LpCast lp_cast(const LpScene *scene);
/** Adds the job at @index in @scope. @isolated: classes of its traffic that meet nothing
 * (LpRunMode). */
void lp_cast_add(LpCast *self, guint index, LpSceneScope scope, guint isolated);
/** Its @index-th job merges what members of a group that are of one class begin together. @of_rank:
 * classes of its ranks in this run. */
void lp_cast_rely_on(LpCast *self, guint index, const guint32 *of_rank);
void lp_cast_clear(LpCast *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(LpCast, lp_cast_clear)

/** Fails if a run ended before its jobs. @stall: of its watch. @n_waiting: ranks that had not ended
 * of the job that it names. Error: LP_SIMULATION_ERROR_RUN. */
gboolean lp_scene_check_stall(const LpScene *self, const LpStall *stall, guint64 n_waiting,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
