/* SPDX-License-Identifier: Apache-2.0 */
/* A part of a communicator that runs the same collective: what a tree of thousands takes is told
 * from those of fewer. */
#pragma once

#include "sim/mapping/communication_map.h"

G_BEGIN_DECLS

/** Blocks are what the outermost tree has for nodes: members, domains with their chains, or groups
 * of the inner levels. Must stay where it is while it is used. */
typedef struct {
    LpCommunicationMap map;      /**< of the part: its peers are its own */
    LpCommunicator communicator; /**< of the part: its ranks are its own */
    LpCollectiveShape shape;     /**< of the part */
    guint32 *ranks;              /* owned */
    LpCollectivePeers *peers;    /* owned */
} LpFewerMembers;

/** Blocks of @shape; 0 where its outermost level is no tree. */
guint64 lp_fewer_members_n_blocks(const LpCollectiveShape *shape);
/** The first @n_blocks of every @stride blocks of @communicator, over the links that join them.
 * @map, @communicator: borrowed. */
void lp_fewer_members_init(LpFewerMembers *self, const LpCommunicationMap *map,
                           const LpCommunicator *communicator, const LpCollectiveShape *shape,
                           guint64 n_blocks, guint64 stride);
void lp_fewer_members_clear(LpFewerMembers *self);

G_END_DECLS
