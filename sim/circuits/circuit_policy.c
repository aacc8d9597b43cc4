/* SPDX-License-Identifier: Apache-2.0 */
/* The list of policies. */
#include "sim/circuits/circuit_policy.h"

const LpCircuitPolicy *
lp_circuit_policy_get(LpCircuitPolicyKind kind)
{
    static const LpCircuitPolicy *const policies[] = {
        [LP_CIRCUIT_POLICY_STATIC] = NULL,
        [LP_CIRCUIT_POLICY_DEMAND] = &lp_circuit_policy_demand,
        [LP_CIRCUIT_POLICY_PROVISION] = &lp_circuit_policy_provision,
        [LP_CIRCUIT_POLICY_PHASE] = &lp_circuit_policy_phase,
        [LP_CIRCUIT_POLICY_ROTOR] = &lp_circuit_policy_rotor,
        [LP_CIRCUIT_POLICY_HYBRID] = NULL};
    G_STATIC_ASSERT(G_N_ELEMENTS(policies) == LP_N_CIRCUIT_POLICIES);
    return policies[kind];
}
