/* SPDX-License-Identifier: Apache-2.0 */
/* A torus: a ring in each dimension, all dimensions at once.
 *
 * The buffer is as many parts as there are dimensions (twice as many with two channels, of which
 * the second ones go around the other way). A part is reduce-scattered along one dimension after
 * the other, beginning with its own, and gathered back the same way, so that every dimension
 * carries some part's largest blocks at any time. (Jain and Sabharwal, Optimal bucket algorithms
 * for large MPI collectives on torus interconnects, ICS 2010; Sack and Gropp, ACM Trans. Parallel
 * Comput. 1, 2015.) Parts do
 * not wait for each other where dimensions are of different lengths. */
#include "sim/collectives/algorithm.h"

static guint64
n_parts(const LpStepSchedule *self)
{
    return self->shape.n_levels * self->n_channels;
}

/* The dimension of a part's stage; stages of the second half of an all-reduce, and an all-gather's,
 * go backwards. */
static guint32
dimension_of(const LpStepSchedule *self, guint64 part, guint64 stage)
{
    return (guint32)((part + stage) % self->shape.n_levels);
}

static gboolean
scatters(const LpStepSchedule *self)
{
    return self->shape.collective != LP_COLLECTIVE_ALL_GATHER;
}

static gboolean
gathers(const LpStepSchedule *self)
{
    return self->shape.collective != LP_COLLECTIVE_REDUCE_SCATTER;
}

static guint64
half_steps(const LpStepSchedule *self)
{
    guint64 steps = 0;
    for (guint32 d = 0; d < self->shape.n_levels; d++)
        steps += self->shape.level_size[d] - 1;
    return steps;
}

/* Where a part is at a step: step @k of the ring that is @depth stages deep. */
typedef struct {
    guint64 depth, k, left; /* steps left of the ring, this one included */
    gboolean reduces;
} Moment;

static Moment
moment_of(const LpStepSchedule *self, guint64 part, guint64 step)
{
    guint64 half = half_steps(self), n = self->shape.n_levels;
    Moment moment = {.reduces = scatters(self) && step < half};
    guint64 k = scatters(self) && step >= half ? step - half : step;
    for (guint64 i = 0; i < n; i++) {
        moment.depth = moment.reduces ? i : n - 1 - i;
        guint64 length = self->shape.level_size[dimension_of(self, part, moment.depth)] - 1;
        if (k < length) {
            moment.k = k;
            moment.left = length - k;
            break;
        }
        k -= length;
    }
    return moment;
}

/* --- phases: between any two steps at which some part turns to another dimension --- */

static void
add_bound(LpStepSchedule *self, guint64 bound)
{
    guint32 i = self->n_bounds;
    while (i > 0 && self->bounds[i - 1] > bound)
        i--;
    if (i > 0 && self->bounds[i - 1] == bound)
        return;
    for (guint32 k = self->n_bounds; k > i; k--)
        self->bounds[k] = self->bounds[k - 1];
    self->bounds[i] = bound;
    self->n_bounds++;
}

static void
init(LpStepSchedule *self, guint64 largest_bytes)
{
    (void)largest_bytes;
    guint64 pitch = 1;
    for (guint32 d = 0; d < self->shape.n_levels; d++) {
        self->pitch[d] = pitch;
        pitch *= self->shape.level_size[d];
    }
    self->n_channels = MAX(self->shape.n_channels, 1);
    self->n_steps = half_steps(self) * (scatters(self) && gathers(self) ? 2 : 1);
    for (guint64 part = 0; part < self->shape.n_levels; part++)
        for (guint64 step = 0; step < self->n_steps; step += moment_of(self, part, step).left)
            add_bound(self, step);
    add_bound(self, self->n_steps);
}

static guint64
sends_max(const LpStepSchedule *self)
{
    return n_parts(self);
}

static guint64
n_phases(const LpStepSchedule *self)
{
    return self->n_bounds - 1;
}

static LpStepPhase
phase(const LpStepSchedule *self, guint64 index)
{
    guint64 n_steps = self->bounds[index + 1] - self->bounds[index];
    LpStepPhase between = {
        .first_step = self->bounds[index], .n_steps = n_steps, .n_latencies = n_steps};
    return between;
}

/* --- blocks --- */

/* A member's place on its ring, counted in the direction of the part. */
static guint64
place_of(const LpStepSchedule *self, guint64 part, guint32 dimension, guint64 member)
{
    guint64 size = self->shape.level_size[dimension];
    guint64 place = member / self->pitch[dimension] % size;
    return part < self->shape.n_levels ? place : size - 1 - place;
}

static guint64
neighbour_of(const LpStepSchedule *self, guint64 part, guint32 dimension, guint64 member,
             gboolean before)
{
    guint64 size = self->shape.level_size[dimension], pitch = self->pitch[dimension];
    guint64 place = member / pitch % size;
    gboolean up = (part < self->shape.n_levels) != before;
    guint64 next = up ? (place + 1) % size : (place + size - 1) % size;
    return member - place * pitch + next * pitch;
}

/* What is left of a part after the stages above @depth. */
static guint64
range_of(const LpStepSchedule *self, guint64 part, guint64 depth, guint64 member, guint64 *out_base)
{
    LpBlocks parts = lp_blocks_of(self->shape.bytes, n_parts(self));
    guint64 bytes = lp_blocks_bytes(&parts, part);
    *out_base = lp_blocks_begin(&parts, part);
    for (guint64 stage = 0; stage < depth; stage++) {
        guint32 dimension = dimension_of(self, part, stage);
        LpBlocks blocks = lp_blocks_of(bytes, self->shape.level_size[dimension]);
        guint64 place = place_of(self, part, dimension, member);
        *out_base += lp_blocks_begin(&blocks, place);
        bytes = lp_blocks_bytes(&blocks, place);
    }
    return bytes;
}

/* The blocks of @count steps of a ring: from block i - 1 downwards to leave block i, from block i
 * to gather it. */
static void
visit_part(const LpStepSchedule *self, guint64 part, guint64 member, guint64 step, guint64 count,
           LpSink *sink)
{
    Moment moment = moment_of(self, part, step);
    guint32 dimension = dimension_of(self, part, moment.depth);
    guint64 size = self->shape.level_size[dimension], base;
    guint64 bytes = range_of(self, part, moment.depth, member, &base);
    LpBlocks blocks = lp_blocks_of(bytes, size);
    guint64 place = place_of(self, part, dimension, member);
    guint64 last = moment.k + count - 1 + (moment.reduces ? 1 : 0);
    lp_sink_add_blocks(sink, neighbour_of(self, part, dimension, member, FALSE), &blocks, base,
                       (place + 2 * size - last) % size, count, moment.reduces);
}

static void
visit(const LpStepSchedule *self, guint64 member, guint64 step, LpSink *sink)
{
    for (guint64 part = 0; part < n_parts(self); part++)
        visit_part(self, part, member, step, 1, sink);
}

static void
visit_phase(const LpStepSchedule *self, guint64 member, guint64 index, LpSink *sink)
{
    guint64 begin = self->bounds[index], count = self->bounds[index + 1] - begin;
    for (guint64 part = 0; part < n_parts(self); part++)
        visit_part(self, part, member, begin, count, sink);
}

/* Each part's own neighbour is asked for that part alone. */
static guint64
receives_in(const LpStepSchedule *self, guint64 member, guint64 step, guint64 count)
{
    LpSources heard = {.n = 0};
    for (guint64 part = 0; part < n_parts(self); part++) {
        guint32 dimension = dimension_of(self, part, moment_of(self, part, step).depth);
        guint64 from = neighbour_of(self, part, dimension, member, TRUE);
        LpSink sink = lp_sink_plain();
        visit_part(self, part, from, step, count, &sink);
        if (sink.bytes > 0)
            lp_sources_add(&heard, from);
    }
    return heard.n;
}

static guint64
n_receives(const LpStepSchedule *self, guint64 member, guint64 step)
{
    return receives_in(self, member, step, 1);
}

static guint64
phase_n_receives(const LpStepSchedule *self, guint64 member, guint64 index)
{
    guint64 begin = self->bounds[index];
    return receives_in(self, member, begin, self->bounds[index + 1] - begin);
}

static void
visit_owned(const LpStepSchedule *self, guint64 member, LpSink *sink)
{
    for (guint64 part = 0; part < n_parts(self); part++) {
        guint64 base, bytes = range_of(self, part, self->shape.n_levels, member, &base);
        lp_sink_add(sink, member, base, bytes, FALSE);
    }
}

const LpAlgorithmClass lp_torus_class = {.init = init,
                                         .sends_max = sends_max,
                                         .visit = visit,
                                         .n_receives = n_receives,
                                         .phase_n_receives = phase_n_receives,
                                         .n_phases = n_phases,
                                         .phase = phase,
                                         .visit_phase = visit_phase,
                                         .visit_owned = visit_owned,
                                         .total_bytes = lp_least_total_bytes};
