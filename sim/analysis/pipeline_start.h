/* SPDX-License-Identifier: Apache-2.0 */
/* How much later than its flows a pipeline begins: until its first chunks have come through. */
#pragma once

#include "sim/analysis/isolated_cache.h"
#include "sim/mapping/round_plan.h"

G_BEGIN_DECLS

/** Where flows with fidelity flow stand for a pipeline (trees, chains, switches) or for steps over
 * connections of all kinds (Bruck's), lets the round plan begin by as much later as its steps take
 * longer, alone, than its flows: both fidelities then agree where nothing contends. Long trees
 * are continued from two shorter ones, since their time grows in proportion to their chunks; chains
 * that are long or have channels begin with a chunk of each channel, behind which the others flow.
 * Trees of more than a few hundred nodes are continued level by level from parts of them. What is
 * found is kept in @cache. */
void lp_pipeline_start_prepare(LpRoundPlan *round_plan, const LpOp *op, LpIsolatedCache *cache);

G_END_DECLS
