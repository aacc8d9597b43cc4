/* SPDX-License-Identifier: Apache-2.0 */
/* Names of tiers, and on which of them flows meet as a rule. */
#include "platforms/machine/tier.h"

const char *const lp_tier_names[] = {"scale_up", "port",  "leaf",   "spine", "pcie",
                                     "torus",    "local", "global", NULL};

gboolean
lp_tier_is_shared(LpTier tier)
{
    return tier == LP_TIER_PORT || tier == LP_TIER_SCALE_UP || tier == LP_TIER_PCIE;
}
