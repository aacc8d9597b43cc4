/* SPDX-License-Identifier: Apache-2.0 */
/* Waits of a round plan that follow from all that its group sends: worked out once for all
 * collectives that are alike, in communicators of one shape. */
#pragma once

#include "sim/analysis/isolated_cache.h"
#include "sim/mapping/round_plan.h"

G_BEGIN_DECLS

/** Gives @round_plan, that of @op, when its pipeline starts (lp_pipeline_start_prepare()), else the
 * latency of its rings' steps or what it waits before its first round, out of @cache, where what is
 * found is kept. */
void lp_cached_latencies_prepare(LpRoundPlan *round_plan, const LpOp *op, LpIsolatedCache *cache);

G_END_DECLS
