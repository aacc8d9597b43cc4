/* SPDX-License-Identifier: Apache-2.0 */
/* The double binary tree: two trees over the same nodes, each for half of the data, in which none
 * is an inner node twice. (Sanders, Speck and Traeff, Parallel Computing 35, 2009.)
 *
 * Nodes are 1 to t, in the order of a walk that sees a node between its two subtrees: odd ones are
 * leaves, and a node's distance to its children is half of its lowest bit. The second tree gives
 * node j the role t + 1 - j if t is even, and j + 1 (that of 1 to node t) if it is odd: what was
 * odd becomes even. All but the first two functions are of one tree, by role; role 0 is none. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define LP_DOUBLE_TREE_TREES 2

/** The role of @node in tree 0 or 1 of @t nodes. */
static inline guint64
lp_double_tree_role(guint tree, guint64 node, guint64 t)
{
    if (tree == 0)
        return node;
    return t % 2 == 0 ? t + 1 - node : node % t + 1;
}

/** The node that has @role. */
static inline guint64
lp_double_tree_node(guint tree, guint64 role, guint64 t)
{
    if (tree == 0)
        return role;
    return t % 2 == 0 ? t + 1 - role : (role + t - 2) % t + 1;
}

/** 0: @role is the topmost. */
static inline guint64
lp_double_tree_parent(guint64 role, guint64 t)
{
    guint64 bit = role & (~role + 1);
    guint64 up = (role ^ bit) | (bit << 1);
    return up > t ? role ^ bit : up;
}

/** 0: no such child. */
static inline guint64
lp_double_tree_right(guint64 role, guint64 t)
{
    guint64 hop = (role & (~role + 1)) / 2;
    while (hop > 0 && role + hop > t)
        hop /= 2;
    return hop > 0 ? role + hop : 0;
}

/** 0: no such child. */
static inline guint64
lp_double_tree_left(guint64 role)
{
    guint64 hop = (role & (~role + 1)) / 2;
    return hop > 0 ? role - hop : 0;
}

/** Steps from the topmost node. */
static inline guint64
lp_double_tree_depth(guint64 role, guint64 t)
{
    guint64 depth = 0;
    for (guint64 up = lp_double_tree_parent(role, t); up != 0; up = lp_double_tree_parent(up, t))
        depth++;
    return depth;
}

/** The height of the deepest node, which is to the left of the topmost one. */
static inline guint64
lp_double_tree_height(guint64 t)
{
    return t > 0 ? g_bit_storage(t) - 1 : 0;
}

static inline guint64
lp_double_tree_topmost(guint64 t)
{
    return (guint64)1 << lp_double_tree_height(t);
}

G_END_DECLS
