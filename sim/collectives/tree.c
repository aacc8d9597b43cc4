/* SPDX-License-Identifier: Apache-2.0 */
/* The double binary tree among members that are all alike. An all-reduce has all of them in its
 * trees, and goes up and down; a broadcast and a reduce have all but the root, which serves both
 * trees' topmost nodes. */
#include "sim/collectives/algorithm.h"
#include "sim/collectives/double_tree.h"

/* --- members in both trees --- */

static gboolean
is_rooted(const LpStepSchedule *self)
{
    return self->shape.collective != LP_COLLECTIVE_ALL_REDUCE;
}

/* The role of a member in a tree; 0: the root outside. */
static guint64
role_of(const LpStepSchedule *self, guint tree, guint64 member)
{
    guint64 n = self->shape.n_members, t = self->n_nodes;
    guint64 node = is_rooted(self) ? (member + n - self->shape.root) % n : member + 1;
    return node == 0 ? 0 : lp_double_tree_role(tree, node, t);
}

static guint64
member_of(const LpStepSchedule *self, guint tree, guint64 role)
{
    guint64 n = self->shape.n_members, t = self->n_nodes;
    guint64 node = role == 0 ? 0 : lp_double_tree_node(tree, role, t);
    return is_rooted(self) ? (node + self->shape.root) % n : node - 1;
}

/* The neighbours of a node in one tree, as roles. */
typedef struct {
    guint64 role, depth;
    gboolean has_parent;
    guint64 parent;
    guint n_children;
    guint64 child[2];
} Place;

static Place
place_of(const LpStepSchedule *self, guint tree, guint64 member)
{
    guint64 t = self->n_nodes, role = role_of(self, tree, member);
    Place place = {.role = role};
    if (role == 0) {
        place.child[place.n_children++] = lp_double_tree_topmost(t);
        return place;
    }
    place.parent = lp_double_tree_parent(role, t);
    place.depth = lp_double_tree_depth(role, t);
    place.has_parent = place.parent != 0 || is_rooted(self);
    guint64 left = lp_double_tree_left(role), right = lp_double_tree_right(role, t);
    if (left != 0)
        place.child[place.n_children++] = left;
    if (right != 0)
        place.child[place.n_children++] = right;
    return place;
}

/* --- steps --- */

static void
init(LpStepSchedule *self, guint64 largest_bytes)
{
    guint64 n = self->shape.n_members;
    self->n_nodes = is_rooted(self) ? n - 1 : n;
    LpBlocks halves = lp_blocks_of(largest_bytes, LP_DOUBLE_TREE_TREES);
    self->n_chunks = lp_chunks(lp_blocks_bytes(&halves, 0), self->shape.chunk_bytes);
    guint64 height = lp_double_tree_height(self->n_nodes);
    guint64 chain = is_rooted(self) ? height : 2 * height - 1;
    self->n_steps = n > 1 ? self->n_chunks + chain : 0;
}

static guint64
sends_max(const LpStepSchedule *self)
{
    (void)self;
    return 3 * LP_DOUBLE_TREE_TREES;
}

/* The step at which a member sends the first chunk up: when those below it have. */
static guint64
first_up(const LpStepSchedule *self, const Place *place)
{
    return lp_double_tree_height(self->n_nodes) - place->depth;
}

static guint64
first_down(const LpStepSchedule *self, const Place *place)
{
    if (is_rooted(self))
        return place->role == 0 ? 0 : place->depth + 1;
    return lp_double_tree_height(self->n_nodes) + place->depth;
}

/* The chunk that a tree carries in one direction at a step, or all of them if @whole. */
typedef struct {
    LpBlocks chunks;
    guint64 base, step;
    gboolean whole;
} Load;

static void
add_load(const Load *load, guint64 first_step, guint64 to, gboolean reduces, LpSink *sink)
{
    guint64 n = load->chunks.n;
    if (load->whole)
        lp_sink_add_blocks(sink, to, &load->chunks, load->base, 0, n, reduces);
    else if (load->step >= first_step && load->step - first_step < n)
        lp_sink_add_blocks(sink, to, &load->chunks, load->base, load->step - first_step, 1,
                           reduces);
}

static void
fill_load(const LpStepSchedule *self, guint tree, Load *load)
{
    LpBlocks halves = lp_blocks_of(self->shape.bytes, LP_DOUBLE_TREE_TREES);
    load->base = lp_blocks_begin(&halves, tree);
    load->chunks = lp_blocks_of(lp_blocks_bytes(&halves, tree), self->n_chunks);
}

static void
visit_tree(const LpStepSchedule *self, guint tree, guint64 member, Load *load, LpSink *sink)
{
    fill_load(self, tree, load);
    Place place = place_of(self, tree, member);
    if (self->shape.collective != LP_COLLECTIVE_BROADCAST && place.has_parent)
        add_load(load, first_up(self, &place), member_of(self, tree, place.parent), TRUE, sink);
    if (self->shape.collective == LP_COLLECTIVE_REDUCE)
        return;
    for (guint i = 0; i < place.n_children; i++)
        add_load(load, first_down(self, &place), member_of(self, tree, place.child[i]), FALSE,
                 sink);
}

static void
visit(const LpStepSchedule *self, guint64 member, guint64 step, LpSink *sink)
{
    Load load = {.step = step};
    for (guint tree = 0; tree < LP_DOUBLE_TREE_TREES; tree++)
        visit_tree(self, tree, member, &load, sink);
}

static void
visit_phase(const LpStepSchedule *self, guint64 member, guint64 phase, LpSink *sink)
{
    (void)phase;
    Load load = {.whole = TRUE};
    for (guint tree = 0; tree < LP_DOUBLE_TREE_TREES; tree++)
        visit_tree(self, tree, member, &load, sink);
}

/* Adds the messages from a node above or below, in one tree. */
static void
add_source(const LpStepSchedule *self, guint tree, const Load *load, guint64 first_step,
           guint64 role, LpSources *received)
{
    LpSink sink = lp_sink_plain();
    add_load(load, first_step, 0, FALSE, &sink);
    if (sink.bytes > 0)
        lp_sources_add(received, member_of(self, tree, role));
}

static void
add_tree_sources(const LpStepSchedule *self, guint tree, guint64 member, Load *load,
                 LpSources *received)
{
    fill_load(self, tree, load);
    Place place = place_of(self, tree, member);
    Place above = {.role = place.parent, .depth = place.depth - 1};
    Place below = {.depth = place.role == 0 ? 0 : place.depth + 1};
    if (self->shape.collective != LP_COLLECTIVE_REDUCE && place.has_parent)
        add_source(self, tree, load, first_down(self, &above), place.parent, received);
    if (self->shape.collective == LP_COLLECTIVE_BROADCAST)
        return;
    for (guint i = 0; i < place.n_children; i++)
        add_source(self, tree, load, first_up(self, &below), place.child[i], received);
}

static guint64
receives_in(const LpStepSchedule *self, guint64 member, Load *load)
{
    LpSources received = {.n = 0};
    for (guint tree = 0; tree < LP_DOUBLE_TREE_TREES; tree++)
        add_tree_sources(self, tree, member, load, &received);
    return received.n;
}

static guint64
n_receives(const LpStepSchedule *self, guint64 member, guint64 step)
{
    Load load = {.step = step};
    return receives_in(self, member, &load);
}

static guint64
phase_n_receives(const LpStepSchedule *self, guint64 member, guint64 phase)
{
    (void)phase;
    Load load = {.whole = TRUE};
    return receives_in(self, member, &load);
}

static guint64
n_phases(const LpStepSchedule *self)
{
    return self->n_steps > 0 ? 1 : 0;
}

/* Chunks that the busiest port of each step carries, summed over the steps of an all-reduce, less
 * those that the busiest port carries in all. In the full pipeline that is four a step, of an inner
 * node: one up and two down in its tree, one up in the other; while only sums go up, or only
 * results down, two, the two children's, but one where the topmost node has one child. A single
 * chunk has no full pipeline. A test compares. */
static guint64
extra_chunks(const LpStepSchedule *self)
{
    guint64 n = self->n_nodes, height = lp_double_tree_height(n);
    if (is_rooted(self))
        return 2 * height;
    if (height < 2)
        return n == 3 ? 1 : 0;
    gboolean one_child = lp_double_tree_topmost(n) == n;
    return 4 * height - (self->n_chunks > 1 || one_child ? 6 : 4);
}

static LpStepPhase
phase(const LpStepSchedule *self, guint64 index)
{
    (void)index;
    LpStepPhase all = {.n_steps = self->n_steps,
                       .n_latencies = self->n_steps - (self->n_chunks - 1)};
    LpBlocks halves = lp_blocks_of(self->shape.bytes, LP_DOUBLE_TREE_TREES);
    LpBlocks chunks = lp_blocks_of(lp_blocks_bytes(&halves, 0), self->n_chunks);
    all.fill_bytes = extra_chunks(self) * lp_blocks_bytes(&chunks, 0);
    return all;
}

const LpAlgorithmClass lp_tree_class = {.init = init,
                                        .sends_max = sends_max,
                                        .visit = visit,
                                        .n_receives = n_receives,
                                        .phase_n_receives = phase_n_receives,
                                        .n_phases = n_phases,
                                        .phase = phase,
                                        .visit_phase = visit_phase,
                                        .total_bytes = lp_least_total_bytes};
