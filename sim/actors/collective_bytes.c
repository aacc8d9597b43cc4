/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes of rings, all-to-alls and schedules. */
#include "sim/actors/collective_bytes.h"

#include "sim/collectives/exchange.h"
#include "sim/collectives/ring.h"

guint64
lp_collective_member_bytes(const LpIsolatedRing *ring, const LpRoundPlan *round_plan,
                           const LpOp *op, guint64 index)
{
    guint64 n = ring->n_members;
    if (round_plan != NULL)
        return lp_round_plan_member_bytes(round_plan, index);
    if (op->collective == LP_COLLECTIVE_ALL_TO_ALL)
        return (n - 1) * lp_exchange_block_bytes(op, lp_op_loads(op, ring->communicator), n, index);
    return lp_ring_member_bytes(op->collective, n, op->bytes, index);
}

guint64
lp_collective_total_bytes(const LpIsolatedRing *ring, const LpRoundPlan *round_plan, const LpOp *op)
{
    guint64 n = ring->n_members;
    if (round_plan != NULL)
        return lp_step_schedule_total_bytes(&round_plan->schedule);
    return op->collective == LP_COLLECTIVE_ALL_TO_ALL
               ? lp_exchange_total_bytes(op, n)
               : lp_ring_total_bytes(op->collective, n, op->bytes);
}
