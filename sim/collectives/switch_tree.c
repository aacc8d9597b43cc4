/* SPDX-License-Identifier: Apache-2.0 */
/* Switches inside domains and trees between them, at once: an all-reduce whose levels are
 * in-network and tree, in chunks. Each place of a domain is the head of a channel, which has an
 * equal share of the data. Every member gives a chunk to its domain's switch, the head fetches the
 * sum, the heads of the channel add it up along a double binary tree, each tree of which has half
 * of the channel's data, and on its way back down each head stores the result to all of its domain
 * through the switch. While the tree is at one chunk, switches are at others. (NCCL's NVLSTree:
 * ncclNvlsTreeSetup in src/transport/nvls.cc and the NVLS_TREE all-reduce in
 * src/device/all_reduce.h, NCCL 2.30.7; switches as in in_network.c.)
 *
 * A port within a domain so carries bytes (1 + 1/k) each way, k members being in it: all of a
 * member's data and its share of the sum. Member m has place m mod k of domain m / k; the switch of
 * domain d is participant n + d. */
#include "sim/collectives/algorithm.h"
#include "sim/collectives/double_tree.h"
#include "sim/collectives/step_pipes.h"

#define ALL_STEPS G_MAXUINT64

/* Steps before the tree: up to the switch, and to the head. */
#define TREE_FIRST 2

/* The half of a channel that one of its trees has. */
typedef struct {
    LpBlocks chunks;
    guint64 base;
} Load;

/* A way from a participant, and the step at which the first chunk takes it. */
typedef struct {
    guint64 to, first_step;
    guint lane;
    gboolean reduces;
    Load load;
} Way;

typedef void (*TakeWay)(const LpStepSchedule *self, const Way *way, gpointer data);

/* --- who sends what to whom --- */

static Load
load_of(const LpStepSchedule *self, guint64 channel, guint tree)
{
    LpBlocks channels = lp_blocks_of(self->shape.bytes, self->n_channels);
    LpBlocks halves = lp_blocks_of(lp_blocks_bytes(&channels, channel), LP_DOUBLE_TREE_TREES);
    return (Load){.base = lp_blocks_begin(&channels, channel) + lp_blocks_begin(&halves, tree),
                  .chunks = lp_blocks_of(lp_blocks_bytes(&halves, tree), self->n_chunks)};
}

static guint64
depth_of(const LpStepSchedule *self, guint64 domain, guint tree)
{
    return lp_double_tree_depth(lp_double_tree_role(tree, domain + 1, self->n_nodes),
                                self->n_nodes);
}

static guint64
first_up(const LpStepSchedule *self, guint64 depth)
{
    return TREE_FIRST + lp_double_tree_height(self->n_nodes) - depth;
}

static guint64
first_down(const LpStepSchedule *self, guint64 depth)
{
    return TREE_FIRST + lp_double_tree_height(self->n_nodes) + depth;
}

/* The head of @channel in the domain that has @role. */
static guint64
head_of(const LpStepSchedule *self, guint64 channel, guint tree, guint64 role)
{
    guint64 domain = lp_double_tree_node(tree, role, self->n_nodes) - 1;
    return domain * self->n_intra + channel;
}

/* Along a tree of its own channel, and what it stores to all. */
static void
visit_head(const LpStepSchedule *self, guint64 member, guint tree, TakeWay take, gpointer data)
{
    guint64 domain = member / self->n_intra, channel = member % self->n_intra, t = self->n_nodes;
    guint64 role = lp_double_tree_role(tree, domain + 1, t);
    guint64 depth = lp_double_tree_depth(role, t), parent = lp_double_tree_parent(role, t);
    const guint64 children[] = {lp_double_tree_left(role), lp_double_tree_right(role, t)};
    Way way = {.lane = tree, .load = load_of(self, channel, tree)};
    if (parent != 0) {
        way.to = head_of(self, channel, tree, parent);
        way.first_step = first_up(self, depth);
        way.reduces = TRUE;
        take(self, &way, data);
    }
    way.first_step = first_down(self, depth);
    way.reduces = FALSE;
    for (guint i = 0; i < G_N_ELEMENTS(children); i++)
        if (children[i] != 0) {
            way.to = head_of(self, channel, tree, children[i]);
            take(self, &way, data);
        }
    way.to = self->shape.n_members + domain;
    way.lane = 0;
    take(self, &way, data);
}

static void
visit_switch(const LpStepSchedule *self, guint64 domain, TakeWay take, gpointer data)
{
    for (guint64 place = 0; place < self->n_intra; place++) {
        guint64 to = domain * self->n_intra + place;
        for (guint64 channel = 0; channel < self->n_channels; channel++)
            for (guint tree = 0; tree < LP_DOUBLE_TREE_TREES; tree++) {
                Way way = {.to = to, .first_step = 1, .load = load_of(self, channel, tree)};
                if (channel == place)
                    take(self, &way, data);
                way.first_step = first_down(self, depth_of(self, domain, tree)) + 1;
                take(self, &way, data);
            }
    }
}

static void
visit_ways(const LpStepSchedule *self, guint64 participant, TakeWay take, gpointer data)
{
    guint64 n = self->shape.n_members;
    if (participant >= n) {
        visit_switch(self, participant - n, take, data);
        return;
    }
    for (guint64 channel = 0; channel < self->n_channels; channel++)
        for (guint tree = 0; tree < LP_DOUBLE_TREE_TREES; tree++) {
            Way way = {.to = n + participant / self->n_intra,
                       .reduces = TRUE,
                       .load = load_of(self, channel, tree)};
            take(self, &way, data);
        }
    for (guint tree = 0; tree < LP_DOUBLE_TREE_TREES; tree++)
        visit_head(self, participant, tree, take, data);
}

/* --- steps --- */

static void
init(LpStepSchedule *self, guint64 largest_bytes)
{
    self->n_intra = self->n_channels = self->shape.level_size[0];
    self->n_nodes = self->shape.level_size[1];
    LpBlocks channels = lp_blocks_of(largest_bytes, self->n_channels);
    LpBlocks halves = lp_blocks_of(lp_blocks_bytes(&channels, 0), LP_DOUBLE_TREE_TREES);
    self->n_chunks = lp_chunks(lp_blocks_bytes(&halves, 0), self->shape.chunk_bytes);
    self->n_steps = self->n_chunks + TREE_FIRST + 1 + 2 * lp_double_tree_height(self->n_nodes);
}

/* A member's switch and the partners of a head in both trees, or a switch's members. */
static guint64
sends_max(const LpStepSchedule *self)
{
    return MAX(self->n_intra, 1 + 3 * LP_DOUBLE_TREE_TREES);
}

typedef struct {
    guint64 step; /* or ALL_STEPS */
    LpSink *sink;
} Moment;

static void
add_way(const LpStepSchedule *self, const Way *way, gpointer data)
{
    const Moment *moment = data;
    gboolean all = moment->step == ALL_STEPS;
    if (!all &&
        (moment->step < way->first_step || moment->step - way->first_step >= self->n_chunks))
        return;
    moment->sink->lane = all ? 0 : way->lane;
    lp_sink_add_blocks(moment->sink, way->to, &way->load.chunks, way->load.base,
                       all ? 0 : moment->step - way->first_step, all ? self->n_chunks : 1,
                       way->reduces);
}

static void
visit(const LpStepSchedule *self, guint64 participant, guint64 step, LpSink *sink)
{
    Moment moment = {step, sink};
    visit_ways(self, participant, add_way, &moment);
}

static void
visit_phase(const LpStepSchedule *self, guint64 participant, guint64 index, LpSink *sink)
{
    (void)index;
    visit(self, participant, ALL_STEPS, sink);
}

/* Messages from @from to @to at @step: at most one of each lane. */
static guint64
n_between(const LpStepSchedule *self, guint64 from, guint64 to, guint64 step)
{
    guint64 n = 0;
    for (guint lane = 0; lane < LP_DOUBLE_TREE_TREES; lane++) {
        g_autoptr(GArray) spans = g_array_new(FALSE, FALSE, sizeof(LpSpan));
        LpSink sink = lp_sink_plain();
        sink.only = to;
        sink.only_lane = lane;
        sink.spans = spans;
        visit(self, from, step, &sink);
        n += spans->len > 0 ? 1 : 0;
    }
    return n;
}

static guint64
n_receives(const LpStepSchedule *self, guint64 participant, guint64 step)
{
    guint64 n = self->shape.n_members, n_sources = 0, t = self->n_nodes;
    if (participant >= n) {
        for (guint64 place = 0; place < self->n_intra; place++)
            n_sources +=
                n_between(self, (participant - n) * self->n_intra + place, participant, step);
        return n_sources;
    }
    LpSources sources = {.n = 0};
    guint64 domain = participant / self->n_intra, channel = participant % self->n_intra;
    lp_sources_add(&sources, n + domain);
    for (guint tree = 0; tree < LP_DOUBLE_TREE_TREES; tree++) {
        guint64 role = lp_double_tree_role(tree, domain + 1, t);
        const guint64 roles[] = {lp_double_tree_parent(role, t), lp_double_tree_left(role),
                                 lp_double_tree_right(role, t)};
        for (guint i = 0; i < G_N_ELEMENTS(roles); i++)
            if (roles[i] != 0)
                lp_sources_add(&sources, head_of(self, channel, tree, roles[i]));
    }
    for (guint i = 0; i < sources.n; i++)
        n_sources += n_between(self, sources.from[i], participant, step);
    return n_sources;
}

static guint64
phase_n_receives(const LpStepSchedule *self, guint64 participant, guint64 index)
{
    (void)index;
    return n_receives(self, participant, ALL_STEPS);
}

typedef struct {
    guint64 step;
    const LpSend *send;
    gboolean opens;
} Opening;

static void
compare_way(const LpStepSchedule *self, const Way *way, gpointer data)
{
    (void)self;
    Opening *opening = data;
    opening->opens =
        opening->opens || (way->to == opening->send->to && way->lane == opening->send->lane &&
                           way->first_step == opening->step);
}

static gboolean
opens(const LpStepSchedule *self, guint64 participant, guint64 step, const LpSend *send)
{
    Opening opening = {step, send, FALSE};
    visit_ways(self, participant, compare_way, &opening);
    return opening.opens;
}

static void
add_pipe(const LpStepSchedule *self, const Way *way, gpointer data)
{
    (void)self;
    g_array_append_vals((GArray *)data,
                        &(LpStepPipe){.to = way->to,
                                      .lane = way->lane,
                                      .first_step = way->first_step,
                                      .chunks = way->load.chunks},
                        1);
}

static void
add_pipes(const LpStepSchedule *self, guint64 participant, GArray *io_pipes)
{
    visit_ways(self, participant, add_pipe, io_pipes);
}

/* --- phases --- */

static guint64
n_phases(const LpStepSchedule *self)
{
    return self->n_steps > 0 ? 1 : 0;
}

/* The first chunk is on one link after the other. */
static LpStepPhase
phase(const LpStepSchedule *self, guint64 index)
{
    (void)index;
    guint64 n_latencies = self->n_steps - (self->n_chunks - 1);
    Load load = load_of(self, 0, 0);
    return (LpStepPhase){.n_steps = self->n_steps,
                         .n_latencies = n_latencies,
                         .fill_bytes = (n_latencies - 1) * lp_blocks_bytes(&load.chunks, 0)};
}

const LpAlgorithmClass lp_switch_tree_class = {.init = init,
                                               .sends_max = sends_max,
                                               .visit = visit,
                                               .n_receives = n_receives,
                                               .phase_n_receives = phase_n_receives,
                                               .add_pipes = add_pipes,
                                               .opens = opens,
                                               .n_phases = n_phases,
                                               .phase = phase,
                                               .visit_phase = visit_phase};
