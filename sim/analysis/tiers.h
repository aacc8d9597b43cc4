/* SPDX-License-Identifier: Apache-2.0 */
/* Where each term's traffic is narrowest, were all of it under way at once. */
#pragma once

#include "sim/analysis/summary.h"
#include "sim/mapping/communication_map.h"

G_BEGIN_DECLS

/** Of all connections of @map. */
LpTiers lp_tiers_find(const LpCommunicationMap *map);

G_END_DECLS
