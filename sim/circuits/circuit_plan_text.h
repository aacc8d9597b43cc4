/* SPDX-License-Identifier: Apache-2.0 */
/* Describes the circuits that a job uses, as text. */
#pragma once

#include "sim/circuits/circuit_plan.h"

G_BEGIN_DECLS

/** A few words for people: patterns by traffic, lanes, how all-to-alls go. Returns: (transfer
 * full). */
char *lp_circuit_plan_describe(const LpCircuitPlan *self);

G_END_DECLS
