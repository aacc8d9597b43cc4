/* SPDX-License-Identifier: Apache-2.0 */
/* Picks blocks of a communicator, and finds the connections between them. */
#include "sim/analysis/fewer_members.h"

static gboolean
is_hierarchical(const LpCollectiveShape *shape)
{
    return shape->algorithm == LP_ALGORITHM_HIERARCHICAL;
}

guint64
lp_fewer_members_n_blocks(const LpCollectiveShape *shape)
{
    if (is_hierarchical(shape)) {
        guint32 outermost = shape->n_levels - 1;
        return shape->level_algorithm[outermost] == LP_ALGORITHM_TREE ? shape->level_size[outermost]
                                                                      : 0;
    }
    if (shape->algorithm != LP_ALGORITHM_TREE)
        return 0;
    gboolean has_chains = shape->n_channels > 1 && shape->n_intra > 0;
    return has_chains ? shape->n_members / shape->n_intra : shape->n_members;
}

/* The root keeps its place in its block, which is the one of the part that is nearest before it, or
 * that has its number. */
static LpCollectiveShape
smaller(const LpCollectiveShape *shape, guint64 block, guint64 n_blocks, guint64 stride)
{
    LpCollectiveShape few = *shape;
    few.n_members = n_blocks * block;
    few.root = shape->root / block / stride % n_blocks * block + shape->root % block;
    if (is_hierarchical(shape))
        few.level_size[shape->n_levels - 1] = n_blocks;
    return few;
}

/* Circuits that hold the members back hold the part back, too. */
static void
find_peers(LpFewerMembers *self, const LpCommunicationMap *map)
{
    LpGroup group = self->communicator.group;
    for (guint64 i = 0; i < self->shape.n_members; i++) {
        lp_collective_peers_add_shape(self->peers, map->layout, &self->communicator, &self->shape,
                                      i);
        double cap = lp_collective_peers_cap(map->peers, group, self->ranks[i]);
        if (cap > 0.0)
            lp_collective_peers_limit(self->peers, group, self->ranks[i], cap);
    }
}

void
lp_fewer_members_init(LpFewerMembers *self, const LpCommunicationMap *map,
                      const LpCommunicator *communicator, const LpCollectiveShape *shape,
                      guint64 n_blocks, guint64 stride)
{
    guint64 block = shape->n_members / lp_fewer_members_n_blocks(shape);
    *self = (LpFewerMembers){.map = *map,
                             .communicator = *communicator,
                             .shape = smaller(shape, block, n_blocks, stride)};
    self->ranks = g_new(guint32, self->shape.n_members);
    for (guint64 i = 0; i < self->shape.n_members; i++)
        self->ranks[i] = communicator->ranks[i / block * stride * block + i % block];
    self->communicator.ranks = self->ranks;
    self->communicator.n_members = (guint32)self->shape.n_members;
    self->map.peers = self->peers = lp_collective_peers_new(map->n_ranks);
    find_peers(self, map);
}

void
lp_fewer_members_clear(LpFewerMembers *self)
{
    g_clear_pointer(&self->ranks, g_free);
    g_clear_pointer(&self->peers, lp_collective_peers_free);
}
