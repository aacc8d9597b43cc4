/* SPDX-License-Identifier: Apache-2.0 */
/* Flows of so many bytes that begin and end, and share ports max-min fairly meanwhile
 * (sim/analysis/max_min.h), without the engine. A flow is slowed by narrow links anywhere, but only
 * ports and scale-up links are shared (sim/analysis/isolated_time.h). */
#pragma once

#include "sim/engine/network.h"

G_BEGIN_DECLS

/** What flows, from whom to whom. */
typedef struct {
    guint64 from, to, round; /**< their user's */
    double latency_s;        /**< their user's */
    double bytes;
    const LpRoute *route; /* borrowed */
} LpFairFlow;

typedef struct LpFairFlows LpFairFlows;

/** No flows yet. @network: borrowed. Returns: (transfer full). */
LpFairFlows *lp_fair_flows_new(const LpNetwork *network);
void lp_fair_flows_free(LpFairFlows *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpFairFlows, lp_fair_flows_free)

/** @flow begins. Its route's links must stay where they are. */
void lp_fair_flows_add(LpFairFlows *self, const LpFairFlow *flow);
/** The instant at which the next flow, or leg of one, ends if none begins before, @now_s being the
 * present; infinite where nothing flows. */
double lp_fair_flows_next_s(LpFairFlows *self, double now_s);
/** @elapsed_s pass, up to @now_s and at most up to lp_fair_flows_next_s(). @ended: LpFairFlow,
 * those that end now are appended. */
void lp_fair_flows_pass(LpFairFlows *self, double elapsed_s, double now_s, GArray *ended);

G_END_DECLS
