/* SPDX-License-Identifier: Apache-2.0 */
/* The members that scheduled collectives send to, and what groups that are alike have in common. */
#pragma once

#include "sim/mapping/rank_layout.h"

G_BEGIN_DECLS

typedef struct LpCollectivePeers LpCollectivePeers;

/** A connection to another member of a communicator. */
typedef struct {
    guint64 member;
    LpConnection connection;
} LpCollectivePeer;

/** Returns: (transfer full). */
LpCollectivePeers *lp_collective_peers_new(guint64 n_ranks);
void lp_collective_peers_free(LpCollectivePeers *self);
/** Finds the peers of all ranks in communicators of @group for the collectives @ops (LpOp). */
void lp_collective_peers_add(LpCollectivePeers *self, const LpRankLayout *layout, LpGroup group,
                             const GArray *ops);

/** Finds the peers of @member in @communicator for one collective, like @shape. */
void lp_collective_peers_add_shape(LpCollectivePeers *self, const LpRankLayout *layout,
                                   const LpCommunicator *communicator,
                                   const LpCollectiveShape *shape, guint64 member);

/** The connections of @rank to the members that scheduled collectives of @group send to:
 * LpCollectivePeer, by member; NULL if there is none. Borrowed. */
const GArray *lp_collective_peers_get(const LpCollectivePeers *self, LpGroup group, guint64 rank);
/** The one to @member, which must be among them. Borrowed. */
const LpConnection *lp_collective_peers_connection(const LpCollectivePeers *self, LpGroup group,
                                                   guint64 rank, guint64 member);

/** Limits all of @rank's in @group to @bytes_per_s (lp_route_limit()). */
void lp_collective_peers_limit(LpCollectivePeers *self, LpGroup group, guint64 rank,
                               double bytes_per_s);
/** Lets what @communicator's members send to their peers take the routes that it takes in @other,
 * which has the same peers. */
void lp_collective_peers_take(LpCollectivePeers *self, const LpCollectivePeers *other,
                              const LpCommunicator *communicator);
/** The rate that limits them; 0: nothing does. */
double lp_collective_peers_cap(const LpCollectivePeers *self, LpGroup group, guint64 rank);

/** The index in @peers of the peer that @connection, one of theirs, leads to. */
guint lp_collective_peers_index(const GArray *peers, const LpConnection *connection);

/** A number that two communicators have in common if the same collective takes the same time in
 * both when nothing else runs: their connections have equal rates and latencies and share ports
 * alike. 0: @communicator has no scheduled collectives. */
guint lp_collective_peers_shape(const LpCollectivePeers *self, const LpCommunicator *communicator);
G_END_DECLS
