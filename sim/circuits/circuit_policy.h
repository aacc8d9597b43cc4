/* SPDX-License-Identifier: Apache-2.0 */
/* A policy of circuits: when they are set up, and which give way. One struct of functions each, in
 * a file of its own; circuit_policy.c has the list. */
#pragma once

#include "platforms/machine/circuit_switch.h"
#include "sim/circuits/circuit_state.h"

G_BEGIN_DECLS

/** The functions of the policy of @kind; NULL for LP_CIRCUIT_POLICY_STATIC, whose circuits need
 * none, and for LP_CIRCUIT_POLICY_HYBRID, which has another one's. Static. */
const LpCircuitPolicy *lp_circuit_policy_get(LpCircuitPolicyKind kind);

extern const LpCircuitPolicy lp_circuit_policy_demand;
extern const LpCircuitPolicy lp_circuit_policy_provision;
extern const LpCircuitPolicy lp_circuit_policy_phase;
extern const LpCircuitPolicy lp_circuit_policy_rotor;

G_END_DECLS
