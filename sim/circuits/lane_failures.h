/* SPDX-License-Identifier: Apache-2.0 */
/* The lanes that stop when a part of a circuit switch, or of the optics before it, fails. */
#pragma once

#include "sim/circuits/circuit_plan.h"
#include "workloads/description/scenario_data.h"

G_BEGIN_DECLS

/** Appends (LpLaneFailure) the lanes that stop with @failure, a part of @machine's circuits, to
 * @io_lanes. Error: LP_INPUT_ERROR_VALUE: the machine has no such part, or nobody who could set
 * circuits up around it. */
gboolean lp_lane_failures_find(const LpScenarioFailure *failure, const LpMachine *machine,
                               GArray *io_lanes, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Whether @plan can do without all of @lanes (LpLaneFailure): not if a pattern needs more lanes of
 * an attachment than are left, unless a network stands beside circuits. Error:
 * LP_INPUT_ERROR_VALUE; it begins with @where. */
gboolean lp_lane_failures_check(const GArray *lanes, const LpCircuitPlan *plan, const char *where,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** The lanes of @n_attachments that have stopped, as bits, by attachment. @lanes: LpLaneFailure;
 * NULL: none. Returns: (transfer full). */
guint64 *lp_lane_failures_bits(const GArray *lanes, guint32 n_attachments);
/** Whether a rotor of @machine still joins all attachments of a switch when @lanes have stopped.
 * Error: LP_INPUT_ERROR_VALUE, which names two that it does not; @where: the failure. */
gboolean lp_lane_failures_check_rotor(const GArray *lanes, const LpMachine *machine,
                                      const char *where, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
