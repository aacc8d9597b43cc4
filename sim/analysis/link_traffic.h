/* SPDX-License-Identifier: Apache-2.0 */
/* How many bytes an iteration moves over the links of each network: every byte counts at every
 * link that it crosses. */
#pragma once

#include "sim/analysis/summary.h"
#include "sim/circuits/circuit_plan.h"
#include "sim/mapping/communication_map.h"

G_BEGIN_DECLS

/** Counts all operations of all ranks of @map over their routes, whatever of it a run leaves out.
 * Collectives are counted over the connections that their algorithm uses; an all-to-all without a
 * schedule over the route of each pair of its members. What a reduction in switches sends is
 * counted between neighbours (sim/mapping/round_plan.h). @circuits: borrowed, over which
 * all-to-alls may be forwarded; NULL: none are switched. */
LpLinkTraffic lp_link_traffic_find(const LpCommunicationMap *map, const LpCircuitPlan *circuits);

G_END_DECLS
