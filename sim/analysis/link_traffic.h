/* SPDX-License-Identifier: Apache-2.0 */
/* How many bytes an iteration moves over the links of each network: every byte counts at every
 * link that it crosses, light from port to port over one. */
#pragma once

#include "sim/analysis/summary.h"
#include "sim/analysis/traffic_census.h"
#include "sim/circuits/circuit_plan.h"
#include "sim/mapping/communication_map.h"

G_BEGIN_DECLS

/** Counts all operations of all ranks of @map over their routes, whatever of it a run leaves out.
 * Collectives are counted over the connections that their algorithm uses; an all-to-all without a
 * schedule over the route of each pair of its members. What a reduction in switches sends is
 * counted between neighbours (sim/mapping/round_plan.h). @circuits: borrowed, over which
 * all-to-alls may be forwarded; NULL: none are switched. */
LpLinkTraffic lp_link_traffic_find(const LpCommunicationMap *map, const LpCircuitPlan *circuits);

/** Adds what lp_link_traffic_find() counts, @n_iterations times, to @io_census: link by link, pair
 * by pair and size by size. */
void lp_link_traffic_count(const LpCommunicationMap *map, const LpCircuitPlan *circuits,
                           double n_iterations, LpTrafficCensus *io_census);

G_END_DECLS
