/* SPDX-License-Identifier: Apache-2.0 */
/* Links that lose bandwidth or die while a run goes on. */
#pragma once

#include "sim/actors/actor_circuits.h"
#include "sim/actors/actor_watch.h"
#include "sim/actors/flow_engine.h"
#include "sim/quotient/quotient.h"
#include "workloads/description/scenario.h"

G_BEGIN_DECLS

typedef struct LpFaults LpFaults;

/** The failures of @scenario on @network, both borrowed; NULL, with no error set, if there are
 * none. Error: LP_INPUT_ERROR_NAME or _VALUE: a link or port that the machine does not have.
 * Returns: (transfer full). */
LpFaults *lp_faults_new(const LpScenario *scenario, const LpNetwork *network,
                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
void lp_faults_free(LpFaults *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpFaults, lp_faults_free)

/** Marks the links that change in @io_links, by link. */
void lp_faults_mark(const LpFaults *self, gboolean *io_links);
/** Whether any of them leaves nothing of a link. */
gboolean lp_faults_any_dead(const LpFaults *self);
/** Whether any of them gives a link more than one before has left of it. */
gboolean lp_faults_any_recovers(const LpFaults *self);
/** Sets @out_changes, by link: those of one number change alike, those of 0 never. */
void lp_faults_number(const LpFaults *self, guint32 n_links, guint32 *out_changes);
/** Whether a job's circuits, those of @plan, can do without what fails. Error: as of
 * lp_lane_failures_check(). */
gboolean lp_faults_check(const LpFaults *self, const LpCircuitPlan *plan,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Whether a rotor can do without what fails. Error: as of lp_lane_failures_check_rotor(). */
gboolean lp_faults_check_rotor(const LpFaults *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** The lanes that circuits which never change are planned without. Error: LP_INPUT_ERROR_VALUE:
 * some stop later than at 0. Returns: (transfer full) LpLaneFailure. */
GArray *lp_faults_before_jobs(const LpFaults *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** A job of the run has @circuits (borrowed), which fail; what fails at 0 has failed before them.
 * Before the first of them is set up. */
void lp_faults_add_circuits(LpFaults *self, LpCircuits *circuits);
/** What they happen in; everything is borrowed. */
typedef struct {
    LpWatch *watch;
    LpFlowEngine *sharing;      /**< NULL: the engine shares links */
    const LpQuotient *quotient; /**< whose links change; NULL: the machine's do */
} LpFaultsRun;

/** Starts the actor that lets them happen, on @home. */
void lp_faults_start(LpFaults *self, const LpFaultsRun *run, struct s4u_Host *home);

G_END_DECLS
