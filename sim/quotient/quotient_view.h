/* SPDX-License-Identifier: Apache-2.0 */
/* How a run shares links, as far as its quotient depends on it. */
#pragma once

#include "platforms/machine/tier.h"

G_BEGIN_DECLS

/** All 0: the engine does, and everything contends. */
typedef struct {
    gboolean is_apart;     /**< links are shared without the engine (sim/actors/flow_engine.h) */
    gboolean knows_owners; /**< is_apart, and it matters how many flows of one communicator are on
                              a link, and which of its links holds a flow back */
    gboolean uncontended[LP_N_TIERS]; /**< is_apart, and flows of different owners do not meet there
                                       */
} LpQuotientView;

G_END_DECLS
