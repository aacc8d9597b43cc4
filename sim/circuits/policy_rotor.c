/* SPDX-License-Identifier: Apache-2.0 */
/* A rotor's circuits turn by the clock: nothing is requested and nothing gives way (rotor.h). */
#include "sim/circuits/circuit_policy.h"

const LpCircuitPolicy lp_circuit_policy_rotor = {.name = "rotor"};
