/* SPDX-License-Identifier: Apache-2.0 */
/* Whether experts can have circuits of their own, which follow their demand. */
#pragma once

#include "sim/circuits/circuit_plan.h"

G_BEGIN_DECLS

/** Checks a hybrid that steers experts' traffic to circuits: no other traffic may want lanes where
 * experts leave their domain, and the groups that share an attachment must be in the same domains.
 * Error: LP_SIMULATION_ERROR_CIRCUITS. */
gboolean lp_expert_regions_check(const LpCircuitPlan *plan,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
