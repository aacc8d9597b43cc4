/* SPDX-License-Identifier: Apache-2.0 */
/* Circuits for a whole job, from its traffic matrix: the policy "static", and any policy whose
 * circuits would never finish changing. */
#pragma once

#include "sim/circuits/circuit_plan.h"
#include "sim/mapping/relay_paths.h"

G_BEGIN_DECLS

/** The circuits of @plan that stand for the whole job: first those that join attachments which
 * nothing joins yet, by the bytes that they would carry, so that all that send to each other can
 * reach each other; then more of the same order while lanes are left. What has none of its own is
 * forwarded. @failed: LpLaneFailure, lanes that they do without; NULL: none. Errors:
 * LP_SIMULATION_ERROR_CIRCUITS where something can reach nothing. Returns: (transfer full). */
LpRelayPaths *lp_fixed_circuits_new(const LpCircuitPlan *plan, const GArray *failed,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
