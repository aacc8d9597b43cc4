/* SPDX-License-Identifier: Apache-2.0 */
/* A circuit is asked for when its first byte wants to leave, and not before; what was used longest
 * ago gives way. */
#include "sim/circuits/circuit_policy.h"

const LpCircuitPolicy lp_circuit_policy_demand = {
    .name = "demand", .after_use = NULL, .keep = lp_circuit_state_last_use_s};
