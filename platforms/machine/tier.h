/* SPDX-License-Identifier: Apache-2.0 */
/* The tiers of links that a route leads over. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** The level of the network to which a link belongs. */
typedef enum {
    LP_TIER_SCALE_UP,
    LP_TIER_PORT,
    LP_TIER_LEAF,
    LP_TIER_SPINE,
    LP_TIER_PCIE,   /**< shared by ports of a domain */
    LP_TIER_TORUS,  /**< every link of a torus */
    LP_TIER_LOCAL,  /**< between routers of a dragonfly's group */
    LP_TIER_GLOBAL, /**< between groups */
    LP_N_TIERS
} LpTier;

/** "scale_up" "port" "leaf" "spine" "pcie" ...; NULL-ended. */
extern const char *const lp_tier_names[];

/** Whether flows of one collective that meet on such a link count as its own cost: on ports and
 * PCIe links. */
gboolean lp_tier_is_shared(LpTier tier);

G_END_DECLS
