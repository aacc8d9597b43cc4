/* SPDX-License-Identifier: Apache-2.0 */
/* The program is known: circuits are set up ahead, phase after phase, as far as lanes are free that
 * no nearer phase wants; and what gives way is what will be wanted last (Belady, IBM Systems
 * Journal 5(2), 1966: least replacements). */
#include "sim/circuits/circuit_policy.h"

#include <math.h>

#define PHASES_AHEAD 4u

/* The nearest phase of all who use a circuit decides. */
static double
nearness(const LpCircuitState *state, guint32 circuit)
{
    guint distance = lp_circuit_state_distance(state, circuit);
    return distance == G_MAXUINT ? -INFINITY : -(double)distance;
}

static void
prepare_ahead(LpCircuitState *state, guint64 rank, double now_s)
{
    for (guint ahead = 0; ahead < PHASES_AHEAD; ahead++) {
        guint32 pattern = lp_circuit_state_pattern_ahead(state, rank, ahead);
        if (pattern == LP_CIRCUIT_NONE)
            return;
        if (ahead == 0 && !lp_circuit_state_all_come_to(state, pattern))
            return;
        if (ahead == 0)
            lp_circuit_state_prepare(state, pattern, now_s);
        else
            lp_circuit_state_prepare_on_idle(state, pattern, now_s);
    }
}

const LpCircuitPolicy lp_circuit_policy_phase = {
    .name = "phase", .after_use = prepare_ahead, .keep = nearness};
