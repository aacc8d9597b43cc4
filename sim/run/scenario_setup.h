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
} LpScenarioSetup;

/** How far a job's run is from the scenario. */
typedef enum {
    LP_SCENARIO_SCOPE_TOGETHER, /**< beside all others */
    LP_SCENARIO_SCOPE_ALONE,    /**< without them; slow ranks and failures stay */
    LP_SCENARIO_SCOPE_OWN,      /**< without these too */
} LpScenarioSetupScope;

/** Starts the engine, so once a process. @scenario, @machine: borrowed.
 * Errors: LP_SIMULATION_ERROR, LP_INPUT_ERROR, LP_PROGRAM_ERROR. Returns: (transfer full). */
LpScenarioSetup *lp_scenario_setup_new(const LpScenario *scenario, const LpMachine *machine,
                                       LpFidelity fidelity, gboolean collapse,
                                       GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** As lp_scenario_setup_new(), without starting the engine. Errors: as there. */
LpScenarioSetup *lp_scenario_setup_new_unloaded(const LpScenario *scenario,
                                                const LpMachine *machine, LpFidelity fidelity,
                                                gboolean collapse,
                                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Starts the engine on what its runs may send over, unless it has started. Errors: as of
 * lp_network_load(). */
gboolean lp_scenario_setup_load(LpScenarioSetup *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void lp_scenario_setup_free(LpScenarioSetup *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpScenarioSetup, lp_scenario_setup_free)

/** The job at @index. Borrowed. */
LpJob *lp_scenario_setup_job(const LpScenarioSetup *self, guint index);
/** The jobs of one run. */
typedef struct {
    const LpScenarioSetup *scenario_setup; /* borrowed */
    LpContention **contentions;            /* owned, of the owned */
    LpTasks **tasks;                       /* owned, of the owned */
    LpRunJob *jobs;                        /* owned; they borrow the above */
    guint n;
    gboolean counts_flows; /**< of a group in all steps or in none: none merges in some of them */
} LpJobSet;

/** No job of @scenario_setup, which is borrowed. */
LpJobSet lp_job_set_of(const LpScenarioSetup *scenario_setup);
/** Adds the job at @index in @scope. @isolated: classes of its traffic that meet nothing
 * (LpRunMode). */
void lp_job_set_add(LpJobSet *self, guint index, LpScenarioSetupScope scope, guint isolated);
/** Its @index-th job merges what members of a group that are of one class begin together. @of_rank:
 * classes of its ranks in this run. */
void lp_job_set_rely_on(LpJobSet *self, guint index, const guint32 *of_rank);
void lp_job_set_clear(LpJobSet *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(LpJobSet, lp_job_set_clear)

/** Fails if a run ended before its jobs. @stall: of its watch. @n_waiting: ranks that had not ended
 * of the job that it names. Error: LP_SIMULATION_ERROR_RUN. */
gboolean lp_scenario_setup_check_stall(const LpScenarioSetup *self, const LpStall *stall,
                                       guint64 n_waiting, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
