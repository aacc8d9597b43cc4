/* SPDX-License-Identifier: Apache-2.0 */
/* Where each term's traffic is narrowest, were all of it under way at once. */
#pragma once

#include "sim/mapping/communication_map.h"

G_BEGIN_DECLS

typedef struct {
    LpTier narrowest[LP_N_TERMS];  /**< tier of the link with the least bandwidth a connection */
    gboolean has_tier[LP_N_TERMS]; /**< whether the term has traffic at all */
} LpTiers;

/** Of all connections of @map. */
LpTiers lp_tiers_find(const LpCommunicationMap *map);

G_END_DECLS
