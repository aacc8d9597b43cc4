/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the algorithm, and puts its pieces together. */
#include "sim/collectives/step_schedule.h"

#include "sim/collectives/algorithm.h"

static const LpAlgorithmClass *const classes[LP_N_ALGORITHMS] = {
    [LP_ALGORITHM_RING] = &lp_ring_class,
    [LP_ALGORITHM_TREE] = &lp_tree_class,
    [LP_ALGORITHM_DOUBLING] = &lp_doubling_class,
    [LP_ALGORITHM_HALVING] = &lp_halving_class,
    [LP_ALGORITHM_BRUCK] = &lp_bruck_class,
    [LP_ALGORITHM_PAIRWISE] = &lp_pairwise_class,
    [LP_ALGORITHM_DIRECT] = &lp_direct_class,
    [LP_ALGORITHM_TORUS] = &lp_torus_class,
    [LP_ALGORITHM_IN_NETWORK] = &lp_in_network_class,
    [LP_ALGORITHM_HIERARCHICAL] = &lp_hierarchical_class,
    [LP_ALGORITHM_LISTED] = &lp_listed_class,
};

gboolean
lp_step_schedule_is_fluid(const LpStepSchedule *self)
{
    return self->shape.algorithm == LP_ALGORITHM_TORUS &&
           self->shape.collective == LP_COLLECTIVE_ALL_TO_ALL;
}

gboolean
lp_step_schedule_is_switch_tree(const LpStepSchedule *self)
{
    const LpCollectiveShape *shape = &self->shape;
    return shape->algorithm == LP_ALGORITHM_HIERARCHICAL && shape->n_levels == 2 &&
           shape->collective == LP_COLLECTIVE_ALL_REDUCE && shape->chunk_bytes > 0 &&
           !shape->aggregates && shape->level_algorithm[0] == LP_ALGORITHM_IN_NETWORK &&
           shape->level_algorithm[1] == LP_ALGORITHM_TREE;
}

const LpAlgorithmClass *
lp_step_schedule_class(const LpStepSchedule *self)
{
    gboolean has_chains = self->shape.algorithm == LP_ALGORITHM_TREE && self->shape.n_channels > 1;
    if (lp_step_schedule_is_fluid(self))
        return &lp_torus_exchange_class;
    if (lp_step_schedule_is_switch_tree(self))
        return &lp_switch_tree_class;
    return has_chains ? &lp_chain_tree_class : classes[self->shape.algorithm];
}

/* --- sinks and sources --- */

LpSink
lp_sink_plain(void)
{
    LpSink sink = {.only = LP_SINK_ANY, .stride = 1, .n_group = G_MAXUINT64};
    return sink;
}

static void
add_send(LpSink *self, guint64 to, guint64 bytes)
{
    for (guint64 i = self->n_sends; i > 0; i--) {
        if (self->sends[i - 1].to == to && self->sends[i - 1].lane == self->lane) {
            self->sends[i - 1].bytes += bytes;
            return;
        }
        if (self->grouped)
            break;
    }
    LpSend send = {to, bytes, self->lane};
    self->sends[self->n_sends++] = send;
}

void
lp_sink_add(LpSink *self, guint64 to, guint64 offset, guint64 bytes, gboolean reduces)
{
    guint64 participant = to == self->n_group ? self->switch_to : self->first + to * self->stride;
    gboolean is_other =
        self->only != LP_SINK_ANY && (participant != self->only || self->lane != self->only_lane);
    if (bytes == 0 || is_other)
        return;
    self->bytes += bytes;
    if (self->sends != NULL)
        add_send(self, participant, bytes);
    if (self->spans != NULL) {
        LpSpan span = {self->base + offset, bytes, reduces};
        g_array_append_val(self->spans, span);
    }
}

void
lp_sink_add_blocks(LpSink *self, guint64 to, const LpBlocks *blocks, guint64 base, guint64 first,
                   guint64 count, gboolean reduces)
{
    guint64 straight = MIN(count, blocks->n - first);
    guint64 begin = lp_blocks_begin(blocks, first);
    guint64 end = lp_blocks_begin(blocks, first + straight);
    lp_sink_add(self, to, base + begin, end - begin, reduces);
    if (straight < count)
        lp_sink_add(self, to, base, lp_blocks_begin(blocks, count - straight), reduces);
}

void
lp_sources_add(LpSources *self, guint64 from)
{
    for (guint i = 0; i < self->n; i++)
        if (self->from[i] == from)
            return;
    g_assert(self->n < LP_SOURCES_MAX);
    self->from[self->n++] = from;
}

/* --- what algorithms share --- */

guint64
lp_chunks(guint64 bytes, guint64 chunk_bytes)
{
    if (chunk_bytes == 0 || bytes <= chunk_bytes)
        return 1;
    return bytes / chunk_bytes + (bytes % chunk_bytes != 0 ? 1 : 0);
}

guint64
lp_least_total_bytes(const LpStepSchedule *self)
{
    guint64 half = (self->shape.n_members - 1) * self->shape.bytes;
    return self->shape.collective == LP_COLLECTIVE_ALL_REDUCE ? 2 * half : half;
}

void
lp_step_schedule_visit(const LpStepSchedule *self, guint64 member, guint64 step, LpSink *sink)
{
    lp_step_schedule_class(self)->visit(self, member, step, sink);
}

void
lp_step_schedule_visit_phase(const LpStepSchedule *self, guint64 member, guint64 phase,
                             LpSink *sink)
{
    const LpAlgorithmClass *class = lp_step_schedule_class(self);
    if (class->visit_phase != NULL)
        class->visit_phase(self, member, phase, sink);
    else
        class->visit(self, member, phase, sink);
}

/* --- shapes --- */

void
lp_step_schedule_init_group(LpStepSchedule *self, const LpCollectiveShape *shape,
                            guint64 largest_bytes)
{
    LpStepSchedule empty = {.shape = *shape, .n_channels = 1, .n_chunks = 1};
    *self = empty;
    if (shape->collective == LP_COLLECTIVE_BARRIER) {
        self->shape.bytes = MAX(shape->bytes, 1);
        largest_bytes = MAX(largest_bytes, 1);
    }
    self->blocks = lp_blocks_of(self->shape.bytes, shape->n_members);
    lp_step_schedule_class(self)->init(self, largest_bytes);
}

void
lp_step_schedule_init(LpStepSchedule *self, const LpCollectiveShape *shape)
{
    lp_step_schedule_init_group(self, shape, shape->bytes);
}

/* --- steps --- */

guint64
lp_step_schedule_n_participants(const LpStepSchedule *self)
{
    const LpCollectiveShape *shape = &self->shape;
    guint64 n = shape->n_members;
    if (shape->algorithm == LP_ALGORITHM_IN_NETWORK)
        return n + 1;
    for (guint32 level = 0;
         shape->algorithm == LP_ALGORITHM_HIERARCHICAL && level < shape->n_levels; level++)
        if (shape->level_algorithm[level] == LP_ALGORITHM_IN_NETWORK)
            n += shape->n_members / shape->level_size[level];
    return n;
}

guint64
lp_step_schedule_n_steps(const LpStepSchedule *self)
{
    return self->n_steps;
}

guint64
lp_step_schedule_sends_max(const LpStepSchedule *self)
{
    const LpAlgorithmClass *class = lp_step_schedule_class(self);
    return class->sends_max != NULL ? class->sends_max(self) : 1;
}

guint64
lp_step_schedule_sends(const LpStepSchedule *self, guint64 member, guint64 step, LpSend *out_sends)
{
    if (self->is_plain)
        return lp_ring_plain_sends(self, member, step, out_sends);
    LpSink sink = lp_sink_plain();
    sink.sends = out_sends;
    lp_step_schedule_visit(self, member, step, &sink);
    return sink.n_sends;
}

void
lp_step_schedule_active(const LpStepSchedule *self, guint64 member, guint64 *out_first,
                        guint64 *out_end)
{
    *out_first = 0;
    *out_end = self->n_steps;
    if (lp_step_schedule_class(self)->active != NULL)
        lp_step_schedule_class(self)->active(self, member, out_first, out_end);
}

void
lp_step_schedule_spans(const LpStepSchedule *self, guint64 member, guint64 step, guint64 send,
                       GArray *out_spans)
{
    g_autofree LpSend *sends = g_new(LpSend, lp_step_schedule_sends_max(self));
    guint64 n_sends = lp_step_schedule_sends(self, member, step, sends);
    g_return_if_fail(send < n_sends);
    LpSink sink = lp_sink_plain();
    sink.only = sends[send].to;
    sink.only_lane = sends[send].lane;
    sink.spans = out_spans;
    lp_step_schedule_visit(self, member, step, &sink);
}

/* Counts the sources of @member in @step that, by @visit, send to it in @place, a step or a phase.
 */
static guint64
count_senders(const LpStepSchedule *self, guint64 member, guint64 step, guint64 place,
              void (*visit)(const LpStepSchedule *self, guint64 member, guint64 place,
                            LpSink *sink))
{
    LpSources sources = {.n = 0};
    lp_step_schedule_class(self)->sources(self, member, step, &sources);
    guint64 n = 0;
    for (guint i = 0; i < sources.n; i++) {
        LpSink sink = lp_sink_plain();
        sink.only = member;
        visit(self, sources.from[i], place, &sink);
        n += sink.bytes > 0 ? 1 : 0;
    }
    return n;
}

guint64
lp_step_schedule_n_receives(const LpStepSchedule *self, guint64 member, guint64 step)
{
    const LpAlgorithmClass *class = lp_step_schedule_class(self);
    if (self->is_plain) {
        LpSend send;
        guint64 before = (member > 0 ? member : self->shape.n_members) - 1;
        return lp_ring_plain_sends(self, before, step, &send);
    }
    if (class->n_receives != NULL)
        return class->n_receives(self, member, step);
    return count_senders(self, member, step, step, class->visit);
}

gboolean
lp_step_schedule_opens(const LpStepSchedule *self, guint64 member, guint64 step, const LpSend *send)
{
    const LpAlgorithmClass *class = lp_step_schedule_class(self);
    return class->opens == NULL || class->opens(self, member, step, send);
}

/* --- buffers --- */

guint64
lp_step_schedule_logical_bytes(const LpStepSchedule *self)
{
    gboolean pairs = self->shape.collective == LP_COLLECTIVE_ALL_TO_ALL;
    return self->shape.bytes * (pairs ? self->shape.n_members : 1);
}

void
lp_step_schedule_owned(const LpStepSchedule *self, guint64 member, GArray *out_spans)
{
    LpSink sink = lp_sink_plain();
    sink.spans = out_spans;
    if (lp_step_schedule_class(self)->visit_owned != NULL)
        lp_step_schedule_class(self)->visit_owned(self, member, &sink);
    else
        lp_sink_add_blocks(&sink, member, &self->blocks, 0, member, 1, FALSE);
}

/* --- phases --- */

guint64
lp_step_schedule_n_phases(const LpStepSchedule *self)
{
    const LpAlgorithmClass *class = lp_step_schedule_class(self);
    return class->n_phases != NULL ? class->n_phases(self) : self->n_steps;
}

LpStepPhase
lp_step_schedule_phase(const LpStepSchedule *self, guint64 phase)
{
    const LpAlgorithmClass *class = lp_step_schedule_class(self);
    if (class->phase != NULL)
        return class->phase(self, phase);
    LpStepPhase step = {.first_step = phase, .n_steps = 1, .n_latencies = 1};
    return step;
}

guint64
lp_step_schedule_phase_sends(const LpStepSchedule *self, guint64 member, guint64 phase,
                             LpSend *out_sends)
{
    LpSink sink = lp_sink_plain();
    sink.sends = out_sends;
    lp_step_schedule_visit_phase(self, member, phase, &sink);
    return sink.n_sends;
}

guint64
lp_step_schedule_phase_n_receives(const LpStepSchedule *self, guint64 member, guint64 phase)
{
    const LpAlgorithmClass *class = lp_step_schedule_class(self);
    if (class->phase_n_receives != NULL)
        return class->phase_n_receives(self, member, phase);
    if (class->n_phases == NULL)
        return lp_step_schedule_n_receives(self, member, phase);
    return count_senders(self, member, class->phase(self, phase).first_step, phase,
                         class->visit_phase);
}

/* --- totals --- */

guint64
lp_step_schedule_member_bytes(const LpStepSchedule *self, guint64 member)
{
    LpSink sink = lp_sink_plain();
    guint64 n_phases = lp_step_schedule_n_phases(self);
    for (guint64 phase = 0; phase < n_phases; phase++)
        lp_step_schedule_visit_phase(self, member, phase, &sink);
    return sink.bytes;
}

guint64
lp_step_schedule_total_bytes(const LpStepSchedule *self)
{
    if (lp_step_schedule_class(self)->total_bytes != NULL)
        return lp_step_schedule_class(self)->total_bytes(self);
    guint64 total = 0;
    for (guint64 member = 0; member < self->shape.n_members; member++)
        total += lp_step_schedule_member_bytes(self, member);
    return total;
}
