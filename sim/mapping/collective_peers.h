/* SPDX-License-Identifier: Apache-2.0 */
/* The members that scheduled collectives send to, and what groups that are alike have in common. */
#pragma once

#include "sim/mapping/communication_map.h"

G_BEGIN_DECLS

/** An connection to another member of the group. */
typedef struct {
    guint64 member;
    LpConnection connection;
} LpCollectivePeer;

/** Returns: (transfer full). */
LpCollectivePeers *lp_collective_peers_new(guint64 n_ranks);
void lp_collective_peers_free(LpCollectivePeers *self);
/** Finds the peers of all ranks in groups of kind @group for the collectives @ops (LpOp). */
void lp_collective_peers_add(LpCollectivePeers *self, const LpCommunicationMap *map, LpGroup group,
                             const GArray *ops);

/** The connections of @rank to the members that scheduled collectives of @group send to:
 * LpCollectivePeer, by member; NULL if there is none. Borrowed. */
const GArray *lp_collective_peers_get(const LpCollectivePeers *self, LpGroup group, guint64 rank);
/** The one to @member, which must be among them. Borrowed. */
const LpConnection *lp_collective_peers_edge(const LpCollectivePeers *self, LpGroup group,
                                             guint64 rank, guint64 member);

/** A number that two groups have in common if the same collective takes the same time in both when
 * nothing else runs: their connections have equal rates and latencies and share ports alike. 0: the
 * group of @rank has no scheduled collectives. */
guint lp_collective_peers_shape(const LpCollectivePeers *self, LpGroup group, guint64 rank);
/** What is known of a collective in groups of a shape. */
typedef enum {
    LP_COLLECTIVE_PEERS_FLOW,    /**< the time it takes alone with fidelity flow, s */
    LP_COLLECTIVE_PEERS_MESSAGE, /**< and with fidelity message, s */
    LP_COLLECTIVE_PEERS_START    /**< LpRoundPlan.start_s */
} LpCollectivePeersFact;

/** What lp_collective_peers_learn() was told; negative: nothing. */
double lp_collective_peers_known_s(const LpCollectivePeers *self, guint shape, const LpOp *op,
                                   LpCollectivePeersFact fact);
void lp_collective_peers_learn(LpCollectivePeers *self, guint shape, const LpOp *op,
                               LpCollectivePeersFact fact, double time_s);

G_END_DECLS
