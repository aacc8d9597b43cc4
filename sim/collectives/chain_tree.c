/* SPDX-License-Identifier: Apache-2.0 */
/* Trees between domains, chains inside: each channel has a share of the data, and in every domain a
 * chain of all members, from a head on around the domain. The heads are a double binary tree, each
 * tree of which has half of the channel's data. A chunk is summed along the chain to the head, up
 * the tree, and comes back down the tree and the chain.
 *
 * The heads of the channels stand evenly around a domain, so that all its ports are in use. (NCCL's
 * tree between nodes: connectTrees in src/graph/connect.cc, runTreeUpDown and runTreeSplit in
 * src/device/all_reduce.h, NCCL 2.30.7.)
 *
 * Member m has place m mod n_near of domain m / n_near. It first sends up when the first chunk has
 * come from the end of its chain, or from the deepest node of the tree. */
#include "sim/collectives/algorithm.h"
#include "sim/collectives/double_tree.h"
#include "sim/collectives/step_pipes.h"

#define ALL_STEPS G_MAXUINT64

/* --- who talks to whom in one tree of one channel --- */

/* A partner, and the step at which the first chunk goes to it, or comes from it. */
typedef struct {
    guint64 partner, first_step;
    guint lane;
    gboolean reduces;
} Link;

/* The links of a member: at most a parent, two children and a neighbour, or two neighbours in a
 * chain. */
typedef struct {
    Link link[4];
    guint n;
} Links;

/* A domain in a tree, which is the same for all channels. */
typedef struct {
    guint64 domain;
    guint tree;
    guint64 role, depth;
    guint64 parent, left, right; /* roles; 0: none */
} Node;

/* The place of a member in the tree. */
typedef struct {
    const Node *node; /* borrowed */
    guint64 head;     /* its place in the domain, the channel's */
    guint64 walked;   /* along the chain, from the head */
} Stand;

/* The domain of @member, in both trees. Returns: its place in the domain. */
static guint64
find_nodes(const LpStepSchedule *self, guint64 member, Node out_nodes[LP_DOUBLE_TREE_TREES])
{
    guint64 domain = member / self->n_intra, t = self->n_nodes;
    for (guint tree = 0; tree < LP_DOUBLE_TREE_TREES; tree++) {
        guint64 role = lp_double_tree_role(tree, domain + 1, t);
        out_nodes[tree] = (Node){.domain = domain,
                                 .tree = tree,
                                 .role = role,
                                 .depth = lp_double_tree_depth(role, t),
                                 .parent = lp_double_tree_parent(role, t),
                                 .left = lp_double_tree_left(role),
                                 .right = lp_double_tree_right(role, t)};
    }
    return member % self->n_intra;
}

/* Asked for every step of every member: comparisons in place of remainders. */
static Stand
stand_of(const LpStepSchedule *self, guint64 channel, const Node *node, guint64 place)
{
    guint64 intra = self->n_intra, head = channel * intra / self->n_channels;
    Stand stand = {.node = node, .head = head};
    stand.walked = place >= head ? place - head : place + intra - head;
    return stand;
}

static guint64
in_chain(const LpStepSchedule *self, const Stand *stand, guint64 walked)
{
    guint64 intra = self->n_intra, place = stand->head + walked;
    return stand->node->domain * intra + (place < intra ? place : place - intra);
}

static guint64
in_tree(const LpStepSchedule *self, const Stand *stand, guint64 role)
{
    guint64 domain = lp_double_tree_node(stand->node->tree, role, self->n_nodes) - 1;
    return domain * self->n_intra + stand->head;
}

/* The step at which a member at this place sends the first chunk towards the topmost head. */
static guint64
first_up(const LpStepSchedule *self, guint64 walked, guint64 depth)
{
    guint64 height = lp_double_tree_height(self->n_nodes), chain = self->n_intra - 1;
    return walked > 0 ? chain - walked : chain + height - depth;
}

static guint64
first_down(const LpStepSchedule *self, guint64 walked, guint64 depth)
{
    return self->n_intra - 1 + lp_double_tree_height(self->n_nodes) + depth + walked;
}

static void
add_link(Links *links, guint64 partner, guint64 first_step, guint lane, gboolean reduces)
{
    links->link[links->n++] = (Link){partner, first_step, lane, reduces};
}

static Links
links_out(const LpStepSchedule *self, const Stand *stand)
{
    Links links = {.n = 0};
    const Node *node = stand->node;
    guint64 up = first_up(self, stand->walked, node->depth);
    guint64 down = first_down(self, stand->walked, node->depth);
    gboolean heads = stand->walked == 0;
    if (!heads)
        add_link(&links, in_chain(self, stand, stand->walked - 1), up, 0, TRUE);
    if (heads && node->parent != 0)
        add_link(&links, in_tree(self, stand, node->parent), up, node->tree, TRUE);
    if (heads && node->left != 0)
        add_link(&links, in_tree(self, stand, node->left), down, node->tree, FALSE);
    if (heads && node->right != 0)
        add_link(&links, in_tree(self, stand, node->right), down, node->tree, FALSE);
    if (stand->walked + 1 < self->n_intra)
        add_link(&links, in_chain(self, stand, stand->walked + 1), down, 0, FALSE);
    return links;
}

static Links
links_in(const LpStepSchedule *self, const Stand *stand)
{
    Links links = {.n = 0};
    const Node *node = stand->node;
    guint64 from_child = first_up(self, 0, node->depth + 1);
    gboolean heads = stand->walked == 0;
    if (stand->walked + 1 < self->n_intra)
        add_link(&links, in_chain(self, stand, stand->walked + 1),
                 first_up(self, stand->walked + 1, node->depth), 0, TRUE);
    if (heads && node->left != 0)
        add_link(&links, in_tree(self, stand, node->left), from_child, node->tree, TRUE);
    if (heads && node->right != 0)
        add_link(&links, in_tree(self, stand, node->right), from_child, node->tree, TRUE);
    if (heads && node->parent != 0)
        add_link(&links, in_tree(self, stand, node->parent), first_down(self, 0, node->depth - 1),
                 node->tree, FALSE);
    if (!heads)
        add_link(&links, in_chain(self, stand, stand->walked - 1),
                 first_down(self, stand->walked - 1, node->depth), 0, FALSE);
    return links;
}

/* --- steps --- */

/* All members go up and down. */
static void
init(LpStepSchedule *self, guint64 largest_bytes)
{
    guint64 n = self->shape.n_members;
    self->n_channels = self->shape.n_channels;
    self->n_intra = self->shape.n_intra > 0 ? self->shape.n_intra : n;
    self->n_nodes = n / self->n_intra;
    LpBlocks channels = lp_blocks_of(largest_bytes, self->n_channels);
    LpBlocks halves = lp_blocks_of(lp_blocks_bytes(&channels, 0), LP_DOUBLE_TREE_TREES);
    self->n_chunks = lp_chunks(lp_blocks_bytes(&halves, 0), self->shape.chunk_bytes);
    guint64 way = 2 * (self->n_intra - 1 + lp_double_tree_height(self->n_nodes));
    self->n_steps = way > 0 ? self->n_chunks + way - 1 : 0;
}

/* Two neighbours in all chains, and the partners of a head in both trees. Heads of several channels
 * at one place have the same. */
static guint64
sends_max(const LpStepSchedule *self)
{
    (void)self;
    return 2 + 3 * LP_DOUBLE_TREE_TREES;
}

/* The bytes that a tree of a channel carries. */
typedef struct {
    LpBlocks chunks;
    guint64 base;
} Load;

static LpBlocks
channels_of(const LpStepSchedule *self)
{
    return lp_blocks_of(self->shape.bytes, self->n_channels);
}

static Load
load_of(const LpStepSchedule *self, const LpBlocks *channels, guint64 channel, guint tree)
{
    LpBlocks halves = lp_blocks_of(lp_blocks_bytes(channels, channel), LP_DOUBLE_TREE_TREES);
    Load load = {.base = lp_blocks_begin(channels, channel) + lp_blocks_begin(&halves, tree),
                 .chunks = lp_blocks_of(lp_blocks_bytes(&halves, tree), self->n_chunks)};
    return load;
}

/* The chunk of @load that goes over a link at @step, or all of them. */
static void
add_load(const LpStepSchedule *self, const Load *load, const Link *link, guint64 step, LpSink *sink)
{
    gboolean all = step == ALL_STEPS;
    if (!all && (step < link->first_step || step - link->first_step >= self->n_chunks))
        return;
    sink->lane = all ? 0 : link->lane;
    lp_sink_add_blocks(sink, link->partner, &load->chunks, load->base,
                       all ? 0 : step - link->first_step, all ? self->n_chunks : 1, link->reduces);
}

/* A member's stands, tree after tree of channel after channel, and what these carry. */
typedef struct {
    const LpStepSchedule *schedule; /* borrowed */
    Node nodes[LP_DOUBLE_TREE_TREES];
    LpBlocks channels;
    guint64 place, channel;
    guint tree;
} Walk;

static Walk
walk_of(const LpStepSchedule *self, guint64 member)
{
    Walk walk = {.schedule = self, .channels = channels_of(self)};
    walk.place = find_nodes(self, member, walk.nodes);
    return walk;
}

/* Returns: whether there was another. @out_stand borrows from @self. */
static gboolean
walk_on(Walk *self, Stand *out_stand, Load *out_load)
{
    if (self->channel == self->schedule->n_channels)
        return FALSE;
    *out_stand = stand_of(self->schedule, self->channel, &self->nodes[self->tree], self->place);
    *out_load = load_of(self->schedule, &self->channels, self->channel, self->tree);
    self->tree = (self->tree + 1) % LP_DOUBLE_TREE_TREES;
    if (self->tree == 0)
        self->channel++;
    return TRUE;
}

static void
visit(const LpStepSchedule *self, guint64 member, guint64 step, LpSink *sink)
{
    Stand stand;
    Load load;
    for (Walk walk = walk_of(self, member); walk_on(&walk, &stand, &load);) {
        Links links = links_out(self, &stand);
        for (guint i = 0; i < links.n; i++)
            add_load(self, &load, &links.link[i], step, sink);
    }
}

/* The channels whose head is at @place: [@out_first, @out_end). */
static void
headed_by(const LpStepSchedule *self, guint64 place, guint64 *out_first, guint64 *out_end)
{
    guint64 intra = self->n_intra;
    *out_first = (place * self->n_channels + intra - 1) / intra;
    *out_end = ((place + 1) * self->n_channels + intra - 1) / intra;
}

/* The bytes of the channels of other members. */
static guint64
bytes_of_others(const LpStepSchedule *self, const LpBlocks *channels, guint64 place)
{
    guint64 first, end;
    headed_by(self, place, &first, &end);
    return self->shape.bytes - (lp_blocks_begin(channels, end) - lp_blocks_begin(channels, first));
}

/* A member sends along the chains all of which it is not the head, and all of which it is not the
 * end, whose head is next to it; and along the trees what it is the head of. */
static void
visit_phase(const LpStepSchedule *self, guint64 member, guint64 index, LpSink *sink)
{
    (void)index;
    guint64 intra = self->n_intra, place = member % intra, first, end;
    guint64 before = place > 0 ? place - 1 : intra - 1, next = place + 1 < intra ? place + 1 : 0;
    LpBlocks channels = channels_of(self);
    Walk walk = walk_of(self, member);
    Stand stand;
    Load load;
    sink->lane = 0;
    headed_by(self, place, &first, &end);
    if (intra > 1) {
        lp_sink_add(sink, member - place + before, 0, bytes_of_others(self, &channels, place),
                    TRUE);
        lp_sink_add(sink, member - place + next, 0, bytes_of_others(self, &channels, next), FALSE);
    }
    for (walk.channel = first; walk.channel < end && walk_on(&walk, &stand, &load);) {
        Links links = links_out(self, &stand);
        for (guint i = 0; i < links.n; i++)
            if (links.link[i].partner / intra != stand.node->domain)
                add_load(self, &load, &links.link[i], ALL_STEPS, sink);
    }
}

static guint64
n_receives(const LpStepSchedule *self, guint64 member, guint64 step)
{
    LpSources sources[LP_DOUBLE_TREE_TREES] = {{.n = 0}};
    Stand stand;
    Load load;
    for (Walk walk = walk_of(self, member); walk_on(&walk, &stand, &load);) {
        Links links = links_in(self, &stand);
        for (guint i = 0; i < links.n; i++) {
            LpSink sink = lp_sink_plain();
            add_load(self, &load, &links.link[i], step, &sink);
            if (sink.bytes > 0)
                lp_sources_add(&sources[sink.lane], links.link[i].partner);
        }
    }
    return sources[0].n + sources[1].n;
}

static guint64
phase_n_receives(const LpStepSchedule *self, guint64 member, guint64 index)
{
    (void)index;
    return n_receives(self, member, ALL_STEPS);
}

static gboolean
opens(const LpStepSchedule *self, guint64 member, guint64 step, const LpSend *send)
{
    Stand stand;
    Load load;
    for (Walk walk = walk_of(self, member); walk_on(&walk, &stand, &load);) {
        Links links = links_out(self, &stand);
        for (guint i = 0; i < links.n; i++) {
            const Link *link = &links.link[i];
            if (link->partner == send->to && link->lane == send->lane && link->first_step == step)
                return TRUE;
        }
    }
    return FALSE;
}

/* Adds the pipes of a member in the order of visit(). */
static void
add_pipes(const LpStepSchedule *self, guint64 member, GArray *io_pipes)
{
    Stand stand;
    Load load;
    for (Walk walk = walk_of(self, member); walk_on(&walk, &stand, &load);) {
        Links links = links_out(self, &stand);
        for (guint i = 0; i < links.n; i++)
            g_array_append_vals(io_pipes,
                                &(LpStepPipe){.to = links.link[i].partner,
                                              .lane = links.link[i].lane,
                                              .first_step = links.link[i].first_step,
                                              .chunks = load.chunks},
                                1);
    }
}

/* --- phases --- */

static guint64
n_phases(const LpStepSchedule *self)
{
    return self->n_steps > 0 ? 1 : 0;
}

/* Chunks that the busiest port of each step carries, summed over the steps, less those that the
 * busiest port carries in all. While trees fill and empty, heads are at work but not all of a
 * domain's chains; and with fewer channels than members, only some ports are, while chains fill and
 * empty. Counted step by step on long pipelines, and fitted: short ones are up to twelve chunks
 * off, as a test shows. */
static guint64
extra_chunks(const LpStepSchedule *self)
{
    guint64 height = lp_double_tree_height(self->n_nodes);
    guint64 channels = MIN(self->n_intra, self->n_channels);
    guint64 tree = height > 1 ? (height - 1) * (channels + 2) : 0;
    return 4 * (self->n_intra - channels) + tree;
}

static LpStepPhase
phase(const LpStepSchedule *self, guint64 index)
{
    (void)index;
    LpStepPhase all = {.n_steps = self->n_steps,
                       .n_latencies = self->n_steps - (self->n_chunks - 1)};
    LpBlocks channels = channels_of(self);
    Load load = load_of(self, &channels, 0, 0);
    all.fill_bytes = extra_chunks(self) * lp_blocks_bytes(&load.chunks, 0);
    return all;
}

const LpAlgorithmClass lp_chain_tree_class = {.init = init,
                                              .sends_max = sends_max,
                                              .visit = visit,
                                              .n_receives = n_receives,
                                              .phase_n_receives = phase_n_receives,
                                              .add_pipes = add_pipes,
                                              .opens = opens,
                                              .n_phases = n_phases,
                                              .phase = phase,
                                              .visit_phase = visit_phase,
                                              .total_bytes = lp_least_total_bytes};
