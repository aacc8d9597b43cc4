/* SPDX-License-Identifier: Apache-2.0 */
/* The members that scheduled collectives send to, and what groups that are alike have in common. */
#pragma once

#include "sim/mapping/communication_map.h"

G_BEGIN_DECLS

/** An edge to another member of the group. */
typedef struct {
    guint64 member;
    LpEdge edge;
} LpPeer;

/** Returns: (transfer full). */
LpPeers *lp_peers_new(guint64 n_ranks);
void lp_peers_free(LpPeers *self);
/** Finds the peers of all ranks in groups of kind @group for the collectives @ops (LpOp). */
void lp_peers_add(LpPeers *self, const LpEdges *edges, LpGroup group, const GArray *ops);

/** The edges of @rank to the members that scheduled collectives of @group send to: LpPeer, by
 * member; NULL if there is none. Borrowed. */
const GArray *lp_peers_get(const LpPeers *self, LpGroup group, guint64 rank);
/** The one to @member, which must be among them. Borrowed. */
const LpEdge *lp_peers_edge(const LpPeers *self, LpGroup group, guint64 rank, guint64 member);

/** A number that two groups have in common if the same collective takes the same time in both when
 * nothing else runs: their edges have equal rates and latencies and share ports alike. 0: the group
 * of @rank has no scheduled collectives. */
guint lp_peers_shape(const LpPeers *self, LpGroup group, guint64 rank);
/** What is known of a collective in groups of a shape. */
typedef enum {
    LP_PEERS_FLOW,    /**< the time it takes alone with fidelity flow, s */
    LP_PEERS_MESSAGE, /**< and with fidelity message, s */
    LP_PEERS_START    /**< LpScript.start_s */
} LpPeersFact;

/** What lp_peers_learn() was told; negative: nothing. */
double lp_peers_known_s(const LpPeers *self, guint shape, const LpOp *op, LpPeersFact fact);
void lp_peers_learn(LpPeers *self, guint shape, const LpOp *op, LpPeersFact fact, double time_s);

G_END_DECLS
