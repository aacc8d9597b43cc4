/* SPDX-License-Identifier: Apache-2.0 */
/* Fat trees: D-mod-k, as SimGrid's FatTreeZone has it.
 *
 * Nodes of level l, ports being level 0, are numbered by the up-links that lead to them from the
 * ports below, fastest, and then by the block of ports that they serve. A route climbs to the first
 * level whose blocks hold both ports; at level l it takes the up-link that the place of the port at
 * its end says, divided by the up-links of the levels below, modulo those of this level. It comes
 * down on the same places. */
#include "platforms/plain/plane.h"

/* A link as the engine counts them: level after level, node after node, up-link after up-link. */
typedef struct {
    guint32 level; /* of the node below */
    guint64 node, up;
} Place;

static guint64
n_hosts(const LpPlainTree *self)
{
    return self->below[self->n_levels];
}

static guint64
n_nodes(const LpPlainTree *self, guint32 level)
{
    return n_hosts(self) / self->below[level] * self->ways[level];
}

static guint32
level_of(const LpPlainTree *self, guint64 pair)
{
    guint32 level = 0;
    while (pair >= self->first_link[level + 1])
        level++;
    return level;
}

static Place
find_place(const LpPlainTree *self, guint64 pair)
{
    guint32 level = level_of(self, pair);
    guint64 own = pair - self->first_link[level];
    return (Place){level, own / self->up[level], own % self->up[level]};
}

static guint64
tree_n_links(const LpPlane *self)
{
    return 2 * self->tree.first_link[self->tree.n_levels];
}

static LpLink
tree_link(const LpPlane *self, guint32 link)
{
    const LpPlainTree *tree = &self->tree;
    guint32 level = level_of(tree, link / 2);
    LpLink found = self->port;
    if (level <= tree->port_level || self->attachment == LP_ATTACHMENT_SCALE_UP)
        return found;
    if (level == tree->pcie_level)
        return (LpLink){.bytes_per_s = self->machine->pcie_bytes_per_s, .tier = LP_TIER_PCIE};
    guint32 leaf = (tree->pcie_level > 0 ? tree->pcie_level : tree->port_level) + 1;
    found.tier = level == leaf ? LP_TIER_LEAF : LP_TIER_SPINE;
    return found;
}

/* The engine numbers ports from 0 on, and switches downwards from twice the ports, below 0 where
 * there are more of them than ports. */
static gint64
engine_id(const LpPlainTree *self, guint32 level, guint64 node)
{
    if (level == 0)
        return (gint64)node;
    gint64 id = (gint64)(2 * n_hosts(self)) - 1 - (gint64)node;
    for (guint32 i = 1; i < level; i++)
        id -= (gint64)n_nodes(self, i);
    return id;
}

/* The node that the link leads up to. */
static guint64
node_above(const LpPlainTree *self, const Place *place)
{
    guint64 ways = self->ways[place->level];
    guint64 block = place->node / ways / self->down[place->level];
    return (block * self->up[place->level] + place->up) * ways + place->node % ways;
}

/* Links of one tree are counted on in the next. */
static char *
tree_name(const LpPlane *self, guint32 pair)
{
    const LpPlainTree *tree = &self->tree;
    Place place = find_place(tree, pair);
    guint64 above = node_above(tree, &place);
    return g_strdup_printf("link_from_%" G_GINT64_FORMAT "_%" G_GINT64_FORMAT "_%" G_GUINT64_FORMAT,
                           engine_id(tree, place.level, place.node),
                           engine_id(tree, place.level + 1, above),
                           self->index * tree->first_link[tree->n_levels] + pair);
}

/* The name of node @node of level @level. Below the ports nodes are paths to them, above the ports
 * PCIe switches. */
static char *
node_text(const LpPlane *self, guint32 level, guint64 node)
{
    static const char *const switches[] = {"leaf", "spine", "core switch"};
    const LpPlainTree *tree = &self->tree;
    guint32 first = (tree->pcie_level > 0 ? tree->pcie_level : tree->port_level) + 1;
    if (level < tree->port_level)
        return g_strdup_printf("path %" G_GUINT64_FORMAT, node);
    if (level == tree->port_level)
        return lp_plane_port_text(self, node);
    if (level < first)
        return g_strdup_printf("PCIe switch %" G_GUINT64_FORMAT, node);
    guint32 kind = MIN(level - first, (guint32)G_N_ELEMENTS(switches) - 1);
    return g_strdup_printf("%s%s %" G_GUINT64_FORMAT,
                           self->attachment == LP_ATTACHMENT_SCALE_UP ? "scale-up " : "",
                           switches[kind], node);
}

static void
tree_ends(const LpPlane *self, guint32 pair, char **out_ends)
{
    Place place = find_place(&self->tree, pair);
    out_ends[0] = node_text(self, place.level, place.node);
    out_ends[1] = node_text(self, place.level + 1, node_above(&self->tree, &place));
}

/* A route to the port at @position climbs over the link from @level on, or comes down it: that of
 * the node which serves @host. */
static guint32
link_at(const LpPlainTree *self, guint32 level, guint64 host, guint64 position)
{
    guint64 ways = self->ways[level], up = self->up[level];
    guint64 node = host / self->below[level] * ways + position % ways;
    return (guint32)(self->first_link[level] + node * up + position / ways % up);
}

static void
tree_route(const LpPlane *self, guint64 from, guint64 to, guint32 path, GArray *io_links)
{
    const LpPlainTree *tree = &self->tree;
    guint32 n_paths = tree->port_level > 0 ? self->machine->n_paths : 1, top = tree->port_level;
    guint64 source = from * n_paths, end = to * n_paths + path;
    /* Places are counted on from tree to tree. */
    guint64 position = self->index * n_hosts(tree) + end;
    do
        top++;
    while (source / tree->below[top] != end / tree->below[top]);
    for (guint32 level = tree->port_level; level < top; level++) {
        guint32 link = 2 * link_at(tree, level, source, position);
        g_array_append_val(io_links, link);
    }
    for (guint32 level = top; level-- > tree->port_level;) {
        guint32 link = 2 * link_at(tree, level, end, position) + 1;
        g_array_append_val(io_links, link);
    }
}

/* The ports below a leaf, which have a way up each. */
static LpPlaneBlock
tree_block(const LpPlane *self)
{
    const LpPlainTree *tree = &self->tree;
    guint32 last = MAX(tree->port_level, tree->pcie_level);
    for (guint32 level = tree->port_level; level <= last; level++)
        if (tree->up[level] != 1)
            return (LpPlaneBlock){1, 0};
    return (LpPlaneBlock){tree->below[last + 1] / tree->below[tree->port_level],
                          last - tree->port_level + 1};
}

const LpPlaneTopology lp_plane_tree = {.n_links = tree_n_links,
                                       .link = tree_link,
                                       .name = tree_name,
                                       .ends = tree_ends,
                                       .route = tree_route,
                                       .block = tree_block};
