/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the cache before the plan. */
#include "sim/analysis/cached_latencies.h"

#include "sim/analysis/pipeline_start.h"
#include "sim/mapping/collective_peers.h"

static double
before_first_s(LpRoundPlan *round_plan)
{
    return lp_round_plan_wait_s(round_plan, 0);
}

static double
known_s(LpRoundPlan *round_plan, const LpOp *op, LpIsolatedCache *cache, LpIsolatedFact fact,
        double (*find_s)(LpRoundPlan *round_plan))
{
    guint shape = lp_collective_peers_shape(round_plan->map->peers, round_plan->communicator);
    double time_s;
    if (!lp_isolated_cache_find(cache, shape, op, fact, &time_s)) {
        time_s = find_s(round_plan);
        lp_isolated_cache_store(cache, shape, op, fact, time_s);
    }
    return time_s;
}

void
lp_cached_latencies_prepare(LpRoundPlan *round_plan, const LpOp *op, LpIsolatedCache *cache)
{
    lp_pipeline_start_prepare(round_plan, op, cache);
    if (round_plan->has_ring_hop)
        round_plan->ring_hop_s =
            known_s(round_plan, op, cache, LP_ISOLATED_HOP_S, lp_round_plan_ring_hop_s);
    else if (round_plan->fidelity == LP_FIDELITY_FLOW && round_plan->start_s < 0.0 &&
             round_plan->n_rounds > 0)
        round_plan->wait_s[0] = known_s(round_plan, op, cache, LP_ISOLATED_WAIT_S, before_first_s);
}
