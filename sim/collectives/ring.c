/* SPDX-License-Identifier: Apache-2.0 */
/* Ring step arithmetic. */
#include "sim/collectives/ring.h"

#include "sim/collectives/algorithm.h"

guint64
lp_ring_n_steps(LpCollective collective, guint64 n)
{
    return collective == LP_COLLECTIVE_ALL_REDUCE ? 2 * (n - 1) : n - 1;
}

/* In a reduce-scatter, member i starts with block i and passes on what it has just summed: block
 * i - step. It ends up with block i + 1. An all-gather of its own starts with block i; the one
 * inside an all-reduce starts with the block that the reduce-scatter left, i + 1, which is the same
 * formula carried on over the steps. */
guint64
lp_ring_block(LpCollective collective, guint64 n, guint64 member, guint64 step)
{
    (void)collective;
    return (member + 2 * n - step % n) % n;
}

guint64
lp_ring_block_bytes(guint64 bytes, guint64 n, guint64 block)
{
    return bytes / n + (block < bytes % n ? 1 : 0);
}

guint64
lp_ring_step_bytes(LpCollective collective, guint64 n, guint64 bytes, guint64 member, guint64 step)
{
    return lp_ring_block_bytes(bytes, n, lp_ring_block(collective, n, member, step));
}

/* Over n - 1 steps a member sends every block but one: in the first half not block i + 1, in the
 * second (of an all-reduce) not block i + 2. */
guint64
lp_ring_member_bytes(LpCollective collective, guint64 n, guint64 bytes, guint64 member)
{
    if (n < 2)
        return 0;
    guint64 first = bytes - lp_ring_block_bytes(bytes, n, (member + 1) % n);
    if (collective != LP_COLLECTIVE_ALL_REDUCE)
        return first;
    return first + bytes - lp_ring_block_bytes(bytes, n, (member + 2) % n);
}

guint64
lp_ring_total_bytes(LpCollective collective, guint64 n, guint64 bytes)
{
    return lp_ring_n_steps(collective, n) * bytes;
}

/* --- rings with channels, and chains --- */

static guint64
n_domains(const LpStepSchedule *self)
{
    return self->shape.n_members / self->n_intra;
}

/* A channel walks domains of even index from place c on downwards, around to c + 1, and those of
 * odd index from c + 1 on upwards, around to c: it leaves each where it enters the next one, unless
 * an odd number of them makes the last and the first alike. */
static guint64
position(const LpStepSchedule *self, guint64 channel, guint64 member)
{
    guint64 intra = self->n_intra;
    if (n_domains(self) == 1)
        return member;
    guint64 domain = member / intra, place = member % intra, c = channel % intra;
    guint64 walked =
        domain % 2 == 0 ? (c + intra - place) % intra : (place + 2 * intra - c - 1) % intra;
    return domain * intra + walked;
}

static guint64
member_at(const LpStepSchedule *self, guint64 channel, guint64 at)
{
    guint64 intra = self->n_intra;
    if (n_domains(self) == 1)
        return at;
    guint64 domain = at / intra, walked = at % intra, c = channel % intra;
    guint64 place = domain % 2 == 0 ? (c + intra - walked) % intra : (c + 1 + walked) % intra;
    return domain * intra + place;
}

static gboolean
is_chain(const LpStepSchedule *self)
{
    return self->shape.collective == LP_COLLECTIVE_BROADCAST ||
           self->shape.collective == LP_COLLECTIVE_REDUCE;
}

/* The place of a member in the chain: a broadcast's begins with the root, a reduce's ends with it.
 */
static guint64
chain_place(const LpStepSchedule *self, guint64 channel, guint64 at)
{
    guint64 n = self->shape.n_members;
    guint64 root = position(self, channel, self->shape.root);
    guint64 skip = self->shape.collective == LP_COLLECTIVE_REDUCE ? 1 : 0;
    return (at + 2 * n - root - skip) % n;
}

static void
init(LpStepSchedule *self, guint64 largest_bytes)
{
    guint64 n = self->shape.n_members;
    self->n_channels = MAX(self->shape.n_channels, 1);
    gboolean ordered = self->n_channels > 1 && self->shape.n_intra > 0;
    self->n_intra = ordered ? self->shape.n_intra : n;
    self->is_plain = self->n_channels == 1 && !is_chain(self);
    if (!is_chain(self)) {
        self->n_steps = lp_ring_n_steps(self->shape.collective, n);
        return;
    }
    LpBlocks channels = lp_blocks_of(largest_bytes, self->n_channels);
    self->n_chunks = lp_chunks(lp_blocks_bytes(&channels, 0), self->shape.chunk_bytes);
    self->n_steps = n > 1 ? self->n_chunks + n - 2 : 0;
}

static guint64
ring_sends_max(const LpStepSchedule *self)
{
    return self->n_channels;
}

/* The part of the buffer that a channel carries. */
typedef struct {
    guint64 base, bytes;
} Part;

static Part
part_of(const LpStepSchedule *self, guint64 channel)
{
    LpBlocks channels = lp_blocks_of(self->shape.bytes, self->n_channels);
    Part part = {lp_blocks_begin(&channels, channel), lp_blocks_bytes(&channels, channel)};
    return part;
}

/* Steps [@begin, @end) of one half of a collective: a reduce-scatter begins with block i - 1, so
 * that block i arrives last; an all-gather with block i. */
static void
visit_half(const LpStepSchedule *self, guint64 channel, guint64 at, guint64 begin, guint64 end,
           gboolean reduces, LpSink *sink)
{
    guint64 n = self->shape.n_members;
    Part part = part_of(self, channel);
    LpBlocks blocks = lp_blocks_of(part.bytes, n);
    guint64 last = (at + 2 * n - (end - 1) - (reduces ? 1 : 0)) % n;
    lp_sink_add_blocks(sink, member_at(self, channel, (at + 1) % n), &blocks, part.base, last,
                       end - begin, reduces);
}

static void
visit_chain(const LpStepSchedule *self, guint64 channel, guint64 at, guint64 step, LpSink *sink)
{
    guint64 n = self->shape.n_members, place = chain_place(self, channel, at);
    if (place == n - 1 || step < place || step - place >= self->n_chunks)
        return;
    Part part = part_of(self, channel);
    LpBlocks chunks = lp_blocks_of(part.bytes, self->n_chunks);
    lp_sink_add_blocks(sink, member_at(self, channel, (at + 1) % n), &chunks, part.base,
                       step - place, 1, self->shape.collective == LP_COLLECTIVE_REDUCE);
}

static void
visit_channel(const LpStepSchedule *self, guint64 channel, guint64 at, guint64 step, LpSink *sink)
{
    guint64 half = self->shape.n_members - 1;
    gboolean gathers = self->shape.collective == LP_COLLECTIVE_ALL_GATHER || step >= half;
    guint64 k = step >= half ? step - half : step;
    if (is_chain(self))
        visit_chain(self, channel, at, step, sink);
    else
        visit_half(self, channel, at, k, k + 1, !gathers, sink);
}

static void
visit(const LpStepSchedule *self, guint64 member, guint64 step, LpSink *sink)
{
    for (guint64 channel = 0; channel < self->n_channels; channel++)
        visit_channel(self, channel, position(self, channel, member), step, sink);
}

/* A chain's member has the chunks only once, and a while after the root. */
static void
active(const LpStepSchedule *self, guint64 member, guint64 *out_first, guint64 *out_end)
{
    if (!is_chain(self))
        return;
    guint64 first = G_MAXUINT64, last = 0;
    for (guint64 channel = 0; channel < self->n_channels; channel++) {
        guint64 place = chain_place(self, channel, position(self, channel, member));
        first = MIN(first, place);
        last = MAX(last, place);
    }
    *out_first = first;
    *out_end = last + self->n_chunks;
}

/* Visits the sends of a channel in all steps. */
static void
visit_whole_channel(const LpStepSchedule *self, guint64 channel, guint64 at, LpSink *sink)
{
    guint64 n = self->shape.n_members;
    if (is_chain(self)) {
        if (chain_place(self, channel, at) < n - 1)
            lp_sink_add(sink, member_at(self, channel, (at + 1) % n), 0,
                        part_of(self, channel).bytes, FALSE);
        return;
    }
    if (self->shape.collective != LP_COLLECTIVE_ALL_GATHER)
        visit_half(self, channel, at, 0, n - 1, TRUE, sink);
    if (self->shape.collective != LP_COLLECTIVE_REDUCE_SCATTER)
        visit_half(self, channel, at, 0, n - 1, FALSE, sink);
}

static void
visit_phase(const LpStepSchedule *self, guint64 member, guint64 index, LpSink *sink)
{
    (void)index;
    for (guint64 channel = 0; channel < self->n_channels; channel++)
        visit_whole_channel(self, channel, position(self, channel, member), sink);
}

#define ALL_STEPS G_MAXUINT64

/* Each channel's predecessor is asked for that channel alone. */
static guint64
receives_in(const LpStepSchedule *self, guint64 member, guint64 step)
{
    guint64 n = self->shape.n_members;
    LpSources sources = {.n = 0};
    for (guint64 channel = 0; channel < self->n_channels; channel++) {
        guint64 at = (position(self, channel, member) + n - 1) % n;
        LpSink sink = lp_sink_plain();
        if (step == ALL_STEPS)
            visit_whole_channel(self, channel, at, &sink);
        else
            visit_channel(self, channel, at, step, &sink);
        if (sink.bytes > 0)
            lp_sources_add(&sources, member_at(self, channel, at));
    }
    return sources.n;
}

static guint64
n_receives(const LpStepSchedule *self, guint64 member, guint64 step)
{
    return receives_in(self, member, step);
}

static guint64
phase_n_receives(const LpStepSchedule *self, guint64 member, guint64 index)
{
    (void)index;
    return receives_in(self, member, ALL_STEPS);
}

static guint64
n_phases(const LpStepSchedule *self)
{
    return self->n_steps > 0 ? 1 : 0;
}

/* The channels of a chain pass through a domain over the same ports. */
static LpStepPhase
phase(const LpStepSchedule *self, guint64 index)
{
    (void)index;
    LpStepPhase all = {.n_steps = self->n_steps, .n_latencies = self->n_steps};
    LpBlocks chunks = lp_blocks_of(self->shape.bytes, self->n_chunks);
    if (!is_chain(self))
        return all;
    all.n_latencies = self->n_steps - (self->n_chunks - 1);
    all.runs_one_way = self->n_channels == 1;
    all.fill_bytes = (self->shape.n_members - 2) * lp_blocks_bytes(&chunks, 0);
    return all;
}

static void
visit_owned(const LpStepSchedule *self, guint64 member, LpSink *sink)
{
    for (guint64 channel = 0; channel < self->n_channels; channel++) {
        Part part = part_of(self, channel);
        LpBlocks blocks = lp_blocks_of(part.bytes, self->shape.n_members);
        lp_sink_add_blocks(sink, member, &blocks, part.base, position(self, channel, member), 1,
                           FALSE);
    }
}

const LpAlgorithmClass lp_ring_class = {.init = init,
                                        .sends_max = ring_sends_max,
                                        .visit = visit,
                                        .active = active,
                                        .n_receives = n_receives,
                                        .phase_n_receives = phase_n_receives,
                                        .n_phases = n_phases,
                                        .phase = phase,
                                        .visit_phase = visit_phase,
                                        .visit_owned = visit_owned,
                                        .total_bytes = lp_least_total_bytes};
