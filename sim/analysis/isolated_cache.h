/* SPDX-License-Identifier: Apache-2.0 */
/* A cache of what was worked out of collectives that meet no other traffic: communicators of one
 * shape (lp_collective_peers_shape()) need the same time, which is found once. */
#pragma once

#include "model/network/library.h"
#include "sim/collectives/collective_shape.h"

G_BEGIN_DECLS

/** What is known of a collective in communicators of a shape. */
typedef enum {
    LP_ISOLATED_FLOW_S,    /**< the time it takes alone with fidelity flow, s */
    LP_ISOLATED_MESSAGE_S, /**< and with fidelity message, s */
    LP_ISOLATED_START_S,   /**< LpRoundPlan.start_s */
    LP_ISOLATED_HOP_S,     /**< LpRoundPlan.ring_hop_s */
    LP_ISOLATED_WAIT_S     /**< LpRoundPlan.wait_s before round 0 */
} LpIsolatedFact;

/** A collective that is followed step by step: what decides how long that takes. All fields are as
 * wide, so that the bytes of equal ones are equal. */
typedef struct {
    guint64 shape; /**< of the communicator, lp_collective_peers_shape() */
    guint64 group, collective, weight, draw, bytes;             /**< as in LpOp */
    guint64 algorithm, n_levels, chunk_bytes, n_channels, root; /**< as in LpCollectiveShape */
    guint64 level_algorithm[LP_STEP_SCHEDULE_LEVELS_MAX];
    guint64 protocol, list;   /**< where they stand in memory */
    guint64 n_blocks, stride; /**< of a part of the communicator (sim/analysis/fewer_members.h); 0:
                                 all of it */
} LpIsolatedSteps;

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

/** Of @op, run as @of in a communicator of @shape and with @protocol. */
LpIsolatedSteps lp_isolated_steps_of(guint shape, const LpOp *op, const LpCollectiveShape *of,
                                     const LpProtocol *protocol);
/** What @steps take, s, as lp_isolated_cache_find(). */
gboolean lp_isolated_cache_find_steps(const LpIsolatedCache *self, const LpIsolatedSteps *steps,
                                      double *out_time_s);
void lp_isolated_cache_store_steps(LpIsolatedCache *self, const LpIsolatedSteps *steps,
                                   double time_s);

G_END_DECLS
