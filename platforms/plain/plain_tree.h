/* SPDX-License-Identifier: Apache-2.0 */
/* The fat tree of a plain platform: that of the machine, and switches below it for paths and PCIe
 * links. */
#pragma once

#include "platforms/machine/machine.h"

G_BEGIN_DECLS

#define LP_PLAIN_TREE_LEVELS_MAX (LP_FAT_TREE_LEVELS_MAX + 2)

/** Links by level, from the hosts up: a node above those of a level has down[] to the level below,
 * each node below has up[]. Those of paths and the PCIe links have one up. */
typedef struct {
    guint32 n_levels; /**< 0: the network is no fat tree */
    guint64 down[LP_PLAIN_TREE_LEVELS_MAX];
    guint32 up[LP_PLAIN_TREE_LEVELS_MAX];
    /** Hosts below a node at the lower end of a level's links, ways that lead up to it, and links
     * of the levels below. */
    guint64 below[LP_PLAIN_TREE_LEVELS_MAX + 1], ways[LP_PLAIN_TREE_LEVELS_MAX + 1];
    guint64 first_link[LP_PLAIN_TREE_LEVELS_MAX + 1];
    guint32 port_level; /**< of the links that are ports: 1 above a level of paths, else 0 */
    guint32 pcie_level; /**< of the PCIe links; 0: there are none */
} LpPlainTree;

/** The tree that plane @plane of the network of @attachment is to the engine. */
LpPlainTree lp_plain_tree(const LpMachine *machine, LpAttachment attachment, guint32 plane);

/** Whether routes begin and end with a link that only chooses the path. */
gboolean lp_plain_has_paths(const LpMachine *self);
/** Whether the second link of a route, and the last but one, are PCIe links; the links of
 * lp_plain_has_paths() not counted. */
gboolean lp_plain_has_pcie(const LpMachine *self);

G_END_DECLS
