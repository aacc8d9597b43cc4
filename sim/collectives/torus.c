/* SPDX-License-Identifier: Apache-2.0 */
/* A torus: rings in each dimension, all dimensions at once, and with two channels both ways round.
 *
 * The buffer is as many parts as there are dimensions, twice as many with two channels, of which
 * the second ones go around the other way. A part is reduce-scattered along one dimension after
 * the other, beginning with its own, and gathered back the same way, so that every dimension
 * carries some part's largest blocks at any time. (Jain and Sabharwal, Optimal bucket algorithms
 * for large MPI collectives on torus interconnects, ICS 2010; Sack and Gropp, ACM Trans. Parallel
 * Comput. 1, 2015.)
 *
 * All parts turn to their next dimension together. A stage has as many steps as the longest ring;
 * in a shorter one a block goes out in as many cells as there are steps, some of them in each step.
 * A part is as large as its own dimension is fast, so that all of them end the first stage
 * together. */
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

/* Of a stage. */
static guint64
count_steps(const LpStepSchedule *self)
{
    guint64 longest = 1;
    for (guint32 d = 0; d < self->shape.n_levels; d++)
        longest = MAX(longest, self->shape.level_size[d]);
    return longest - 1;
}

/* The share of the buffer that begins with dimension @d, whose rings carry (size - 1) / size of it
 * over the links that they have. */
static double
weight_of(const LpStepSchedule *self, guint32 d)
{
    double size = (double)self->shape.level_size[d], n_links = self->shape.level_links[d];
    return size > 1.0 ? (n_links > 0.0 ? n_links : 1.0) * size / (size - 1.0) : 0.0;
}

static void
divide(LpStepSchedule *self)
{
    double sum = 0.0, before = 0.0;
    for (guint32 d = 0; d < self->shape.n_levels; d++)
        sum += weight_of(self, d) * (double)self->n_channels;
    for (guint64 part = 0; part < n_parts(self); part++) {
        double begin = sum > 0.0 ? before * (double)self->shape.bytes / sum : 0.0;
        self->part_begin[part] = MIN((guint64)begin, self->shape.bytes);
        before += weight_of(self, dimension_of(self, part, 0));
    }
    self->part_begin[n_parts(self)] = self->shape.bytes;
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
    self->n_stage_steps = count_steps(self);
    self->n_steps =
        self->n_stage_steps * self->shape.n_levels * (scatters(self) && gathers(self) ? 2 : 1);
    divide(self);
}

static guint64
sends_max(const LpStepSchedule *self)
{
    return n_parts(self);
}

/* Stages in a row in which no partner changes: one, or the last of an all-reduce's first half and
 * the first of its second half, which have the same dimension. */
typedef struct {
    guint64 first, n;
} Stages;

static Stages
stages_in(const LpStepSchedule *self, guint64 index)
{
    guint64 turn = self->shape.n_levels - 1;
    if (!scatters(self) || !gathers(self) || index < turn)
        return (Stages){index, 1};
    return index == turn ? (Stages){turn, 2} : (Stages){index + 1, 1};
}

static guint64
n_phases(const LpStepSchedule *self)
{
    guint64 n_stages = self->n_steps > 0 ? self->n_steps / self->n_stage_steps : 0;
    return n_stages > self->shape.n_levels ? n_stages - 1 : n_stages;
}

static LpStepPhase
phase(const LpStepSchedule *self, guint64 index)
{
    Stages stages = stages_in(self, index);
    guint64 n_steps = stages.n * self->n_stage_steps;
    LpStepPhase between = {.first_step = stages.first * self->n_stage_steps,
                           .n_steps = n_steps,
                           .n_latencies = n_steps};
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

/* The range of a part that is left after the stages above @depth. */
static guint64
range_of(const LpStepSchedule *self, guint64 part, guint64 depth, guint64 member, guint64 *out_base)
{
    guint64 bytes = self->part_begin[part + 1] - self->part_begin[part];
    *out_base = self->part_begin[part];
    for (guint64 stage = 0; stage < depth; stage++) {
        guint32 dimension = dimension_of(self, part, stage);
        LpBlocks blocks = lp_blocks_of(bytes, self->shape.level_size[dimension]);
        guint64 place = place_of(self, part, dimension, member);
        *out_base += lp_blocks_begin(&blocks, place);
        bytes = lp_blocks_bytes(&blocks, place);
    }
    return bytes;
}

/* Where a part is in a stage: in the ring that is @depth stages deep. */
typedef struct {
    guint64 depth;
    gboolean reduces;
} Place;

static Place
place_in(const LpStepSchedule *self, guint64 stage)
{
    guint64 n = self->shape.n_levels;
    if (scatters(self) && stage < n)
        return (Place){.depth = stage, .reduces = TRUE};
    return (Place){.depth = n - 1 - (scatters(self) ? stage - n : stage)};
}

/* The blocks of a step: from block i - 1 downwards to leave block i, from block i
 * to gather it. Of as many cells a block as the stage has steps, a step sends as many as the ring
 * has steps, all of which came in the steps before. */
static void
visit_part(const LpStepSchedule *self, guint64 part, guint64 member, guint64 step, LpSink *sink)
{
    Place at = place_in(self, step / self->n_stage_steps);
    guint32 dimension = dimension_of(self, part, at.depth);
    guint64 size = self->shape.level_size[dimension], n_cells = self->n_stage_steps, base;
    guint64 bytes = range_of(self, part, at.depth, member, &base);
    guint64 first = step % n_cells * (size - 1), end = first + size - 1;
    guint64 to = neighbour_of(self, part, dimension, member, FALSE);
    guint64 place = place_of(self, part, dimension, member) + (at.reduces ? size - 1 : size);
    LpBlocks blocks = lp_blocks_of(bytes, size);
    for (guint64 k = first / n_cells; k * n_cells < end; k++) {
        guint64 block = (place - k) % size;
        LpBlocks cells = lp_blocks_of(lp_blocks_bytes(&blocks, block), n_cells);
        guint64 from = MAX(first, k * n_cells) - k * n_cells,
                till = MIN(end - k * n_cells, n_cells);
        guint64 begin = lp_blocks_begin(&cells, from);
        lp_sink_add(sink, to, base + lp_blocks_begin(&blocks, block) + begin,
                    lp_blocks_begin(&cells, till) - begin, at.reduces);
    }
}

static void
visit(const LpStepSchedule *self, guint64 member, guint64 step, LpSink *sink)
{
    for (guint64 part = 0; part < n_parts(self); part++)
        visit_part(self, part, member, step, sink);
}

/* A stage sends all blocks but one. */
static void
visit_stage(const LpStepSchedule *self, guint64 part, guint64 member, guint64 stage, LpSink *sink)
{
    Place at = place_in(self, stage);
    guint32 dimension = dimension_of(self, part, at.depth);
    guint64 size = self->shape.level_size[dimension], base;
    LpBlocks blocks = lp_blocks_of(range_of(self, part, at.depth, member, &base), size);
    guint64 first = place_of(self, part, dimension, member) + (at.reduces ? 1 : 2);
    lp_sink_add_blocks(sink, neighbour_of(self, part, dimension, member, FALSE), &blocks, base,
                       first % size, size - 1, at.reduces);
}

static void
visit_phase(const LpStepSchedule *self, guint64 member, guint64 index, LpSink *sink)
{
    Stages stages = stages_in(self, index);
    for (guint64 part = 0; part < n_parts(self); part++)
        for (guint64 i = 0; i < stages.n; i++)
            visit_stage(self, part, member, stages.first + i, sink);
}

/* Each part's own neighbour is asked for that part alone. */
static guint64
n_receives(const LpStepSchedule *self, guint64 member, guint64 step)
{
    LpSources sources = {.n = 0};
    guint64 depth = place_in(self, step / self->n_stage_steps).depth;
    for (guint64 part = 0; part < n_parts(self); part++) {
        guint64 from = neighbour_of(self, part, dimension_of(self, part, depth), member, TRUE);
        LpSink sink = lp_sink_plain();
        visit_part(self, part, from, step, &sink);
        if (sink.bytes > 0)
            lp_sources_add(&sources, from);
    }
    return sources.n;
}

static guint64
phase_n_receives(const LpStepSchedule *self, guint64 member, guint64 index)
{
    LpSources sources = {.n = 0};
    Stages stages = stages_in(self, index);
    guint64 depth = place_in(self, stages.first).depth;
    for (guint64 part = 0; part < n_parts(self); part++) {
        guint64 from = neighbour_of(self, part, dimension_of(self, part, depth), member, TRUE);
        LpSink sink = lp_sink_plain();
        for (guint64 i = 0; i < stages.n; i++)
            visit_stage(self, part, from, stages.first + i, &sink);
        if (sink.bytes > 0)
            lp_sources_add(&sources, from);
    }
    return sources.n;
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
