/* SPDX-License-Identifier: Apache-2.0 */
/* In-network reduction: a switch, the participant after the last member, adds what members send.
 *
 * An all-reduce over NVLink (NVLS) is a member's loads and stores: it fetches its share of the sum,
 * for which the switch reads that share from every member, and stores the sum to an address that
 * the switch passes on to all. So a port carries bytes (1 + 1/n) each way: out, all of the member's
 * data and its share of the sum; in, its share and the whole sum. (Klenk et al., ISCA 2020; NVIDIA
 * PTX ISA, multimem.) Where the switches of a tree aggregate (SHARP: Graham et al., COMHPC 2016),
 * the sum comes down to all by itself, and a port carries bytes each way.
 *
 * Chunks are chunks of every block, so that a member's shares make up its block. */
#include "sim/collectives/algorithm.h"

static gboolean
has_shares(const LpStepSchedule *self)
{
    return self->shape.collective == LP_COLLECTIVE_ALL_REDUCE && !self->shape.aggregates;
}

static void
init(LpStepSchedule *self, guint64 largest_bytes)
{
    guint64 n = self->shape.n_members;
    LpBlocks blocks = lp_blocks_of(largest_bytes, n);
    guint64 chunk_bytes = self->shape.chunk_bytes;
    self->n_chunks =
        lp_chunks(lp_blocks_bytes(&blocks, 0), chunk_bytes > 0 ? MAX(chunk_bytes / n, 1) : 0);
    self->n_steps = n > 1 ? self->n_chunks + (has_shares(self) ? 3 : 1) : 0;
}

static guint64
sends_max(const LpStepSchedule *self)
{
    return self->shape.n_members;
}

/* A step, or all of them. */
typedef struct {
    guint64 step;
    gboolean whole;
} Moment;

/* The chunk whose @delay-th hop is now; FALSE: none. */
static gboolean
chunk_at(const LpStepSchedule *self, Moment moment, guint64 delay, guint64 *out_chunk)
{
    *out_chunk = moment.step - delay;
    return moment.step >= delay && *out_chunk < self->n_chunks;
}

static guint64
share_chunk_bytes(const LpStepSchedule *self, guint64 block_bytes, guint64 chunk)
{
    LpBlocks chunks = lp_blocks_of(block_bytes, self->n_chunks);
    return lp_blocks_bytes(&chunks, chunk);
}

/* A member's share of the sum: of a chunk, or all of it. */
static void
add_share(const LpStepSchedule *self, Moment moment, guint64 delay, guint64 share, guint64 to,
          LpSink *sink)
{
    guint64 chunk, begin = lp_blocks_begin(&self->blocks, share);
    guint64 bytes = lp_blocks_bytes(&self->blocks, share);
    if (moment.whole) {
        lp_sink_add(sink, to, begin, bytes, FALSE);
    } else if (chunk_at(self, moment, delay, &chunk)) {
        LpBlocks chunks = lp_blocks_of(bytes, self->n_chunks);
        lp_sink_add_blocks(sink, to, &chunks, begin, chunk, 1, FALSE);
    }
}

/* All shares. Only spans need to know where each lies. */
static void
add_all(const LpStepSchedule *self, Moment moment, guint64 delay, guint64 to, gboolean reduces,
        LpSink *sink)
{
    guint64 chunk, n = self->shape.n_members;
    const LpBlocks *blocks = &self->blocks;
    if (moment.whole || self->n_chunks == 1) {
        if (moment.whole || moment.step == delay)
            lp_sink_add(sink, to, 0, self->shape.bytes, reduces);
        return;
    }
    if (!chunk_at(self, moment, delay, &chunk))
        return;
    if (sink->spans == NULL) {
        guint64 longer = share_chunk_bytes(self, blocks->quotient + 1, chunk);
        guint64 shorter = share_chunk_bytes(self, blocks->quotient, chunk);
        lp_sink_add(sink, to, 0, blocks->remainder * longer + (n - blocks->remainder) * shorter,
                    reduces);
        return;
    }
    for (guint64 share = 0; share < n; share++) {
        LpBlocks chunks = lp_blocks_of(lp_blocks_bytes(blocks, share), self->n_chunks);
        lp_sink_add_blocks(sink, to, &chunks, lp_blocks_begin(blocks, share), chunk, 1, reduces);
    }
}

static void
add_up(const LpStepSchedule *self, guint64 member, Moment moment, LpSink *sink)
{
    guint64 to = self->shape.n_members;
    switch (self->shape.collective) {
    case LP_COLLECTIVE_ALL_GATHER:
        add_share(self, moment, 0, member, to, sink);
        return;
    case LP_COLLECTIVE_BROADCAST:
        if (member == self->shape.root)
            add_all(self, moment, 0, to, FALSE, sink);
        return;
    default:
        add_all(self, moment, 0, to, TRUE, sink);
        if (has_shares(self))
            add_share(self, moment, 2, member, to, sink);
    }
}

static void
add_down(const LpStepSchedule *self, guint64 member, Moment moment, LpSink *sink)
{
    gboolean is_root = member == self->shape.root;
    LpCollective collective = self->shape.collective;
    if ((collective == LP_COLLECTIVE_BROADCAST && is_root) ||
        (collective == LP_COLLECTIVE_REDUCE && !is_root))
        return;
    if (collective == LP_COLLECTIVE_REDUCE_SCATTER || has_shares(self))
        add_share(self, moment, 1, member, member, sink);
    if (collective != LP_COLLECTIVE_REDUCE_SCATTER)
        add_all(self, moment, has_shares(self) ? 3 : 1, member, FALSE, sink);
}

static void
visit_moment(const LpStepSchedule *self, guint64 member, Moment moment, LpSink *sink)
{
    guint64 n = self->shape.n_members;
    if (member < n) {
        add_up(self, member, moment, sink);
        return;
    }
    sink->grouped = TRUE;
    for (guint64 to = 0; to < n; to++)
        add_down(self, to, moment, sink);
    sink->grouped = FALSE;
}

static void
visit(const LpStepSchedule *self, guint64 member, guint64 step, LpSink *sink)
{
    visit_moment(self, member, (Moment){.step = step}, sink);
}

static void
visit_phase(const LpStepSchedule *self, guint64 member, guint64 phase, LpSink *sink)
{
    (void)phase;
    visit_moment(self, member, (Moment){.whole = TRUE}, sink);
}

static guint64
receives_at(const LpStepSchedule *self, guint64 member, Moment moment)
{
    guint64 n = self->shape.n_members, received = 0;
    LpSink sink = lp_sink_plain();
    if (member < n) {
        add_down(self, member, moment, &sink);
        return sink.bytes > 0 ? 1 : 0;
    }
    for (guint64 from = 0; from < n; from++) {
        guint64 before = sink.bytes;
        add_up(self, from, moment, &sink);
        received += sink.bytes > before ? 1 : 0;
    }
    return received;
}

static guint64
n_receives(const LpStepSchedule *self, guint64 member, guint64 step)
{
    return receives_at(self, member, (Moment){.step = step});
}

static guint64
phase_n_receives(const LpStepSchedule *self, guint64 member, guint64 phase)
{
    (void)phase;
    return receives_at(self, member, (Moment){.whole = TRUE});
}

static guint64
n_phases(const LpStepSchedule *self)
{
    return self->n_steps > 0 ? 1 : 0;
}

/* The bytes that a port carries while only one of its directions is in use. In an all-reduce by
 * shares a chunk goes out for up to three steps before the sum comes in equally wide, and the sum
 * comes in after it. */
static guint64
fill_bytes(const LpStepSchedule *self)
{
    guint64 share = share_chunk_bytes(self, lp_blocks_bytes(&self->blocks, 0), 0);
    guint64 chunk = MIN(share * self->shape.n_members, self->shape.bytes);
    if (self->shape.collective == LP_COLLECTIVE_REDUCE_SCATTER ||
        self->shape.collective == LP_COLLECTIVE_ALL_GATHER)
        return share;
    if (!has_shares(self))
        return chunk;
    return self->n_chunks == 1 ? chunk + share : MIN(self->n_chunks, 3) * chunk - share;
}

static LpStepPhase
phase(const LpStepSchedule *self, guint64 index)
{
    (void)index;
    LpStepPhase all = {.n_steps = self->n_steps,
                       .n_latencies = self->n_steps - (self->n_chunks - 1),
                       .fill_bytes = fill_bytes(self)};
    return all;
}

static guint64
total_bytes(const LpStepSchedule *self)
{
    guint64 n = self->shape.n_members, bytes = self->shape.bytes;
    if (n == 1)
        return 0;
    if (self->shape.collective == LP_COLLECTIVE_ALL_GATHER ||
        self->shape.collective == LP_COLLECTIVE_BROADCAST)
        return bytes;
    return n * bytes + (has_shares(self) ? bytes : 0);
}

const LpAlgorithmClass lp_in_network_class = {.init = init,
                                              .sends_max = sends_max,
                                              .visit = visit,
                                              .n_receives = n_receives,
                                              .phase_n_receives = phase_n_receives,
                                              .n_phases = n_phases,
                                              .phase = phase,
                                              .visit_phase = visit_phase,
                                              .total_bytes = total_bytes};
