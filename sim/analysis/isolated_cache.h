/* SPDX-License-Identifier: Apache-2.0 */
/* A cache of what was worked out of collectives that meet no other traffic: communicators of one
 * shape (lp_collective_peers_shape()) need the same time, which is found once. */
#pragma once

#include "workloads/program/program.h"

G_BEGIN_DECLS

/** What is known of a collective in communicators of a shape. */
typedef enum {
    LP_ISOLATED_FLOW_S,    /**< the time it takes alone with fidelity flow, s */
    LP_ISOLATED_MESSAGE_S, /**< and with fidelity message, s */
    LP_ISOLATED_START_S,   /**< LpRoundPlan.start_s */
    LP_ISOLATED_HOP_S,     /**< LpRoundPlan.ring_hop_s */
    LP_ISOLATED_WAIT_S     /**< LpRoundPlan.wait_s before round 0 */
} LpIsolatedFact;

typedef struct LpIsolatedCache LpIsolatedCache;

/** Returns: (transfer full), empty. */
LpIsolatedCache *lp_isolated_cache_new(void);
void lp_isolated_cache_free(LpIsolatedCache *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpIsolatedCache, lp_isolated_cache_free)

/** @fact of @op, a collective, in communicators of @shape. FALSE: not known. @out_time_s: s. */
gboolean lp_isolated_cache_find(const LpIsolatedCache *self, guint shape, const LpOp *op,
                                LpIsolatedFact fact, double *out_time_s);
/** Keeps @time_s, s, as that fact. */
void lp_isolated_cache_store(LpIsolatedCache *self, guint shape, const LpOp *op,
                             LpIsolatedFact fact, double time_s);

G_END_DECLS
