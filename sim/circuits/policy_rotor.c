/* SPDX-License-Identifier: Apache-2.0 */
/* Nothing is asked for and nothing gives way: circuits turn by the clock (rotor.h). */
#include "sim/circuits/circuit_policy.h"

const LpCircuitPolicy lp_circuit_policy_rotor = {.name = "rotor"};
