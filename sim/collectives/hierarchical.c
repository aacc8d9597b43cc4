/* SPDX-License-Identifier: Apache-2.0 */
/* Collectives level by level: each stage is the same or half of the same collective among the
 * members that differ at one level only, by that level's own algorithm.
 *
 *  all-reduce      reduce-scatter up the levels, all-reduce at the top, all-gather back down
 *  reduce-scatter  up the levels; all-gather down
 *  broadcast       from the root down the levels; reduce up to it
 *  all-to-all      up the levels: each brings blocks to where they belong there
 *  barrier         up the levels
 *
 * (All-reduce: Cho et al., BlueConnect, MLSys 2019. Broadcast and reduce: Kielmann et al.,
 * MagPIe, PPoPP 1999. All-to-all: Rajbhandari et al., DeepSpeed-MoE, ICML 2022.) */
#include "sim/collectives/algorithm.h"
#include "sim/collectives/step_schedule.h"

static gboolean
goes_down(LpCollective collective)
{
    return collective == LP_COLLECTIVE_ALL_GATHER || collective == LP_COLLECTIVE_BROADCAST;
}

static gboolean
has_root(const LpStepSchedule *self)
{
    return self->shape.collective == LP_COLLECTIVE_BROADCAST ||
           self->shape.collective == LP_COLLECTIVE_REDUCE;
}

static guint64
place_of(const LpStepSchedule *self, guint32 level, guint64 member)
{
    return member / self->pitch[level] % self->shape.level_size[level];
}

/* The first member of the group at @level that @member is in. */
static guint64
anchor_of(const LpStepSchedule *self, guint32 level, guint64 member)
{
    return member - place_of(self, level, member) * self->pitch[level];
}

/* --- switches: after the members, level by level, group by group --- */

static guint64
n_groups(const LpStepSchedule *self, guint32 level)
{
    return self->shape.n_members / self->shape.level_size[level];
}

static gboolean
has_switches(const LpStepSchedule *self, guint32 level)
{
    return self->shape.level_algorithm[level] == LP_ALGORITHM_IN_NETWORK;
}

static guint64
switch_of(const LpStepSchedule *self, guint32 level, guint64 anchor)
{
    guint64 before = self->shape.n_members, pitch = self->pitch[level];
    for (guint32 l = 0; l < level; l++)
        before += has_switches(self, l) ? n_groups(self, l) : 0;
    return before + anchor / (pitch * self->shape.level_size[level]) * pitch + anchor % pitch;
}

/* The place of a participant at a level: the member whose group it is in, and its index there. */
typedef struct {
    gboolean takes_part;
    guint64 anchor, index;
} Place;

/* A switch of the level is the participant after its group's members. */
static Place
switch_place(const LpStepSchedule *self, guint32 level, guint64 participant)
{
    Place place = {.index = self->shape.level_size[level]};
    guint64 first = switch_of(self, level, 0), pitch = self->pitch[level];
    if (!has_switches(self, level) || participant < first ||
        participant - first >= n_groups(self, level))
        return place;
    guint64 group = participant - first;
    place.takes_part = TRUE;
    place.anchor = group / pitch * pitch * self->shape.level_size[level] + group % pitch;
    return place;
}

static Place
place_at(const LpStepSchedule *self, guint32 level, guint64 participant)
{
    Place place = {TRUE, 0, 0};
    if (participant >= self->shape.n_members) {
        place = switch_place(self, level, participant);
    } else {
        place.anchor = anchor_of(self, level, participant);
        place.index = place_of(self, level, participant);
    }
    /* Below a level, only the root's place in the levels under it has anything to do. */
    guint64 pitch = self->pitch[level];
    if (has_root(self) && place.anchor % pitch != self->shape.root % pitch)
        place.takes_part = FALSE;
    return place;
}

/* --- stages --- */

/* The group's part of the buffer: a block of a block for each level below. */
static guint64
range_of(const LpStepSchedule *self, guint32 level, guint64 anchor, guint64 *out_base)
{
    guint64 bytes = self->shape.bytes;
    *out_base = 0;
    if (has_root(self) || self->shape.collective == LP_COLLECTIVE_BARRIER)
        return bytes;
    for (guint32 l = 0; l < level; l++) {
        LpBlocks blocks = lp_blocks_of(bytes, self->shape.level_size[l]);
        *out_base += lp_blocks_begin(&blocks, place_of(self, l, anchor));
        bytes = lp_blocks_bytes(&blocks, place_of(self, l, anchor));
    }
    return bytes;
}

static void
init_group(const LpStepSchedule *self, const LpStepStage *stage, guint64 anchor, guint64 bytes,
           LpStepSchedule *out_group)
{
    guint32 level = stage->level;
    LpCollectiveShape shape = {.collective = stage->collective,
                               .algorithm = self->shape.level_algorithm[level],
                               .n_members = self->shape.level_size[level],
                               .bytes = bytes,
                               .chunk_bytes = self->shape.chunk_bytes,
                               .root = has_root(self) ? place_of(self, level, self->shape.root) : 0,
                               .aggregates = self->shape.aggregates};
    guint64 base, largest_bytes = range_of(self, level, 0, &base);
    lp_step_schedule_init_group(out_group, &shape, largest_bytes);
    out_group->whole = self;
    out_group->level = level;
    out_group->anchor = anchor;
}

/* The group of a stage that a participant is in, and its place there. */
static Place
enter(const LpStepSchedule *self, const LpStepStage *stage, guint64 participant,
      LpStepSchedule *out_group)
{
    Place place = place_at(self, stage->level, participant);
    guint64 base;
    if (place.takes_part)
        init_group(self, stage, place.anchor, range_of(self, stage->level, place.anchor, &base),
                   out_group);
    return place;
}

static void
add_stage(LpStepSchedule *self, LpCollective collective, guint32 level)
{
    LpStepStage *stage = &self->stages[self->n_stages++];
    stage->collective = collective;
    stage->level = level;
}

static void
add_stages(LpStepSchedule *self)
{
    LpCollective collective = self->shape.collective;
    gboolean halves = collective == LP_COLLECTIVE_ALL_REDUCE;
    guint32 n = self->shape.n_levels;
    for (guint32 i = 0; i < n; i++) {
        guint32 level = goes_down(collective) ? n - 1 - i : i;
        gboolean scatters = halves && level + 1 < n;
        add_stage(self, scatters ? LP_COLLECTIVE_REDUCE_SCATTER : collective, level);
    }
    for (guint32 level = n - 1; halves && level > 0; level--)
        add_stage(self, LP_COLLECTIVE_ALL_GATHER, level - 1);
}

static void
init(LpStepSchedule *self, guint64 largest_bytes)
{
    (void)largest_bytes;
    guint64 pitch = 1;
    for (guint32 level = 0; level < self->shape.n_levels; level++) {
        self->pitch[level] = pitch;
        pitch *= self->shape.level_size[level];
    }
    add_stages(self);
    guint64 n_phases = 0;
    for (guint32 i = 0; i < self->n_stages; i++) {
        LpStepStage *stage = &self->stages[i];
        guint64 base;
        LpStepSchedule group;
        init_group(self, stage, 0, range_of(self, stage->level, 0, &base), &group);
        stage->first_step = self->n_steps;
        stage->first_phase = n_phases;
        self->n_steps += lp_step_schedule_n_steps(&group);
        n_phases += lp_step_schedule_n_phases(&group);
        self->most_sends = MAX(self->most_sends, lp_step_schedule_sends_max(&group));
    }
    self->n_phases = n_phases;
}

static const LpStepStage *
stage_at(const LpStepSchedule *self, guint64 step)
{
    const LpStepStage *stage = &self->stages[self->n_stages - 1];
    while (stage > self->stages && stage->first_step > step)
        stage--;
    return stage;
}

static const LpStepStage *
stage_of_phase(const LpStepSchedule *self, guint64 phase)
{
    const LpStepStage *stage = &self->stages[self->n_stages - 1];
    while (stage > self->stages && stage->first_phase > phase)
        stage--;
    return stage;
}

/* Makes of a group's participants those of the whole, and of its offsets too: an all-to-all's are
 * that already. */
static LpSink
enter_sink(const LpStepSchedule *self, const LpStepStage *stage, const Place *place,
           const LpSink *outer)
{
    LpSink sink = *outer;
    sink.first = place->anchor;
    sink.stride = self->pitch[stage->level];
    sink.n_group = self->shape.level_size[stage->level];
    sink.switch_to = switch_of(self, stage->level, place->anchor);
    if (self->shape.collective != LP_COLLECTIVE_ALL_TO_ALL)
        (void)range_of(self, stage->level, place->anchor, &sink.base);
    return sink;
}

static void
leave_sink(const LpSink *inner, LpSink *outer)
{
    outer->n_sends = inner->n_sends;
    outer->bytes = inner->bytes;
}

static void
visit(const LpStepSchedule *self, guint64 member, guint64 step, LpSink *sink)
{
    LpStepSchedule group;
    const LpStepStage *stage = stage_at(self, step);
    Place place = enter(self, stage, member, &group);
    if (!place.takes_part)
        return;
    LpSink inner = enter_sink(self, stage, &place, sink);
    lp_step_schedule_visit(&group, place.index, step - stage->first_step, &inner);
    leave_sink(&inner, sink);
}

static void
visit_phase(const LpStepSchedule *self, guint64 member, guint64 phase, LpSink *sink)
{
    LpStepSchedule group;
    const LpStepStage *stage = stage_of_phase(self, phase);
    Place place = enter(self, stage, member, &group);
    if (!place.takes_part)
        return;
    LpSink inner = enter_sink(self, stage, &place, sink);
    lp_step_schedule_visit_phase(&group, place.index, phase - stage->first_phase, &inner);
    leave_sink(&inner, sink);
}

static guint64
n_receives(const LpStepSchedule *self, guint64 member, guint64 step)
{
    LpStepSchedule group;
    const LpStepStage *stage = stage_at(self, step);
    Place place = enter(self, stage, member, &group);
    return place.takes_part
               ? lp_step_schedule_n_receives(&group, place.index, step - stage->first_step)
               : 0;
}

static guint64
phase_n_receives(const LpStepSchedule *self, guint64 member, guint64 phase)
{
    LpStepSchedule group;
    const LpStepStage *stage = stage_of_phase(self, phase);
    Place place = enter(self, stage, member, &group);
    return place.takes_part
               ? lp_step_schedule_phase_n_receives(&group, place.index, phase - stage->first_phase)
               : 0;
}

static guint64
n_phases(const LpStepSchedule *self)
{
    return self->n_phases;
}

/* The phase of the group with the most bytes. */
static LpStepPhase
phase(const LpStepSchedule *self, guint64 index)
{
    const LpStepStage *stage = stage_of_phase(self, index);
    LpStepSchedule group;
    guint64 base;
    init_group(self, stage, 0, range_of(self, stage->level, 0, &base), &group);
    LpStepPhase inner = lp_step_schedule_phase(&group, index - stage->first_phase);
    inner.first_step += stage->first_step;
    return inner;
}

static guint64
sends_max(const LpStepSchedule *self)
{
    return self->most_sends;
}

static void
visit_owned(const LpStepSchedule *self, guint64 member, LpSink *sink)
{
    guint64 base, bytes = range_of(self, self->shape.n_levels, member, &base);
    lp_sink_add(sink, member, base, bytes, FALSE);
}

/* --- totals --- */

static guint64
group_bytes(const LpStepSchedule *self, const LpStepStage *stage, guint64 bytes)
{
    LpStepSchedule group;
    init_group(self, stage, 0, bytes, &group);
    return lp_step_schedule_total_bytes(&group);
}

/* A block crosses a level if its two members differ there: each sends all but a share. */
static guint64
crossing_bytes(const LpStepSchedule *self, guint32 level)
{
    guint64 n = self->shape.n_members;
    return (n - n_groups(self, level)) * self->shape.bytes;
}

/* Groups of a level have parts of two lengths, or, with a root, the one that it is in has all. */
static guint64
stage_bytes(const LpStepSchedule *self, const LpStepStage *stage)
{
    guint64 pitch = self->pitch[stage->level], bytes = self->shape.bytes;
    guint64 groups = n_groups(self, stage->level);
    if (has_root(self))
        return groups / pitch * group_bytes(self, stage, bytes);
    if (self->shape.collective == LP_COLLECTIVE_BARRIER)
        return groups * group_bytes(self, stage, bytes);
    LpBlocks parts = lp_blocks_of(bytes, pitch);
    return groups / pitch *
           (parts.remainder * group_bytes(self, stage, parts.quotient + 1) +
            (pitch - parts.remainder) * group_bytes(self, stage, parts.quotient));
}

static guint64
summed_bytes(const LpStepSchedule *self, const LpStepStage *stage)
{
    guint64 end =
        stage == &self->stages[self->n_stages - 1] ? self->n_phases : stage[1].first_phase;
    LpSink sink = lp_sink_plain();
    for (guint64 member = 0; member < self->shape.n_members; member++)
        for (guint64 index = stage->first_phase; index < end; index++)
            visit_phase(self, member, index, &sink);
    return sink.bytes;
}

static guint64
total_bytes(const LpStepSchedule *self)
{
    guint64 total = 0;
    for (guint32 i = 0; i < self->n_stages; i++) {
        const LpStepStage *stage = &self->stages[i];
        gboolean exchanges = self->shape.collective == LP_COLLECTIVE_ALL_TO_ALL;
        gboolean forwards = self->shape.level_algorithm[stage->level] == LP_ALGORITHM_BRUCK;
        if (exchanges && forwards)
            total += summed_bytes(self, stage);
        else
            total += exchanges ? crossing_bytes(self, stage->level) : stage_bytes(self, stage);
    }
    return total;
}

const LpAlgorithmClass lp_hierarchical_class = {.init = init,
                                                .sends_max = sends_max,
                                                .visit = visit,
                                                .n_receives = n_receives,
                                                .phase_n_receives = phase_n_receives,
                                                .n_phases = n_phases,
                                                .phase = phase,
                                                .visit_phase = visit_phase,
                                                .visit_owned = visit_owned,
                                                .total_bytes = total_bytes};
