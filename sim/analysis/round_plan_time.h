/* SPDX-License-Identifier: Apache-2.0 */
/* How long a collective takes that meets no other: its round plan followed by all members, with
 * flows that share links max-min fairly, as the engine does it, and without the engine.
 *
 * The engine shares links in the same way, but runs once a process: these times are wanted by the
 * thousand before it starts, in every process that explains a run. */
#pragma once

#include "sim/analysis/isolated_cache.h"
#include "sim/mapping/round_plan.h"

G_BEGIN_DECLS

/** Seconds from the moment at which all members begin until the last of them has ended. Flows share
 * ports alone (sim/analysis/fair_flows.h): the counterfactual keeps every port's own serialisation
 * (sim/analysis/isolated_time.h). */
double lp_round_plan_time_s(LpRoundPlan *round_plan);

G_END_DECLS
