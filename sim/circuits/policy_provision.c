/* SPDX-License-Identifier: Apache-2.0 */
/* The circuits of a rank's next phase are requested as soon as the last byte of its phase has left;
 * they are set up when all ranks that share them have come so far (Opus, arXiv 2602.12521). */
#include "sim/circuits/circuit_policy.h"

static void
provision_next(LpCircuitState *state, guint64 rank, double now_s)
{
    guint32 next = lp_circuit_state_next_pattern(state, rank);
    if (next != LP_CIRCUIT_NONE && lp_circuit_state_all_come_to(state, next))
        lp_circuit_state_prepare(state, next, now_s);
}

const LpCircuitPolicy lp_circuit_policy_provision = {
    .name = "provision", .after_use = provision_next, .keep = lp_circuit_state_last_use_s};
