/* SPDX-License-Identifier: Apache-2.0 */
/* Turns segments of ops into tasks: merges, and balances for the counterfactual runs. */
#include "sim/analysis/task.h"

#include "model/plan/group_traits.h"
#include "sim/collectives/exchange.h"
#include "sim/collectives/ring.h"

#include <string.h>

/* What may be merged. */
typedef struct {
    gboolean delays;             /* delays in a row become one */
    gboolean group[LP_N_GROUPS]; /* its collectives are delays */
} Merging;

/* What turning ops into tasks needs at every turn. */
typedef struct {
    LpTasks *tasks;
    const LpCommunicationMap *map; /* borrowed */
    const LpProgram *program;      /* borrowed */
    const LpIsolatedRings *rings;  /* borrowed */
    const LpSegmentTimes *times;   /* borrowed */
    Merging merging;
    const LpSegment *segment; /* the one at hand, and the factors of its times: */
    LpTaskRange *range;
    double scale[LP_N_SEGMENT_PARTS], launch_scale[LP_N_SEGMENT_PARTS];
    guint part; /* of the op at hand */
} Builder;

static gboolean
is_balanced(const Builder *self)
{
    return self->tasks->mode.level >= LP_RUN_BALANCED;
}

static void
append(Builder *self, LpTask task)
{
    g_array_append_val(self->tasks->tasks, task);
}

static LpTask *
last_task(const Builder *self)
{
    GArray *tasks = self->tasks->tasks;
    return tasks->len == self->range->first ? NULL : &g_array_index(tasks, LpTask, tasks->len - 1);
}

/* The delay to which the next one is added. */
static LpTask *
open_delay(Builder *self, gboolean loaded, guint32 draw)
{
    LpTask *last = last_task(self);
    if (self->merging.delays && last != NULL && last->kind == LP_TASK_DELAY &&
        last->loaded == loaded && last->draw == draw)
        return last;
    append(self, (LpTask){.kind = LP_TASK_DELAY, .loaded = loaded, .draw = draw});
    return last_task(self);
}

static void
append_piece(Builder *self, LpTask *delay, LpPiece piece)
{
    g_array_append_val(self->tasks->pieces, piece);
    delay->n_pieces++;
}

/* The piece to which more work is added. */
static LpPiece *
open_work(Builder *self, LpTask *delay)
{
    GArray *pieces = self->tasks->pieces;
    LpPiece *last = &g_array_index(pieces, LpPiece, pieces->len - 1);
    if (last->kind == LP_PIECE_WORK)
        return last;
    append_piece(self, delay, (LpPiece){.kind = LP_PIECE_WORK});
    return &g_array_index(pieces, LpPiece, pieces->len - 1);
}

static LpTask *
append_delay(Builder *self, LpTerm term, LpWork work, gboolean loaded, guint32 draw)
{
    LpTask *delay = open_delay(self, loaded, draw);
    LpPiece *piece = delay->n_pieces > 0 ? open_work(self, delay) : NULL;
    LpWork *sum = piece == NULL ? &delay->work : &piece->work;
    LpTerms *terms = piece == NULL ? &delay->terms : &piece->terms;
    *sum = lp_work_then(*sum, work);
    terms->s[term] += work.device_s;
    return delay;
}

/* A delay of pieces: what it held so far becomes the first. */
static LpTask *
open_pieces(Builder *self)
{
    LpTask *delay = open_delay(self, FALSE, 0);
    if (delay->n_pieces > 0)
        return delay;
    delay->first_piece = self->tasks->pieces->len;
    append_piece(self, delay,
                 (LpPiece){.kind = LP_PIECE_WORK, .work = delay->work, .terms = delay->terms});
    return delay;
}

static LpWork
collective_work(const Builder *self, const LpOp *op, double time_s)
{
    double host_s = lp_communication_map_op_host_s(self->map, op);
    return (LpWork){.device_s = time_s, .host_s = host_s, .issue_s = host_s, .bound_s = time_s};
}

/* Merged groups are alike, so that any of the stage's stands for all. */
static guint64
group_bytes(const Builder *self, const LpOp *op)
{
    guint64 rank = lp_program_stage_first(self->program, self->segment->stage);
    const LpCommunicator *communicator = lp_program_communicator(self->program, op->group, rank);
    LpAlgorithmSelection selection = lp_rank_layout_selection(self->map->layout, op, communicator);
    if (!selection.is_scheduled)
        return lp_ring_total_bytes(op->collective, communicator->n_members, op->bytes);
    LpStepSchedule schedule;
    lp_step_schedule_init(&schedule, &selection.shape);
    return lp_step_schedule_total_bytes(&schedule);
}

static void
count_merged(Builder *self, LpTask *delay, const LpOp *op)
{
    delay->gathers |= 1u << op->group;
    if (op->group == LP_GROUP_TP)
        delay->traffic_bytes[op->traffic] += group_bytes(self, op);
}

static void
append_merged_launch(Builder *self, const LpOp *op, double time_s)
{
    LpTask *delay = open_pieces(self);
    count_merged(self, delay, op);
    append_piece(self, delay,
                 (LpPiece){.kind = LP_PIECE_LAUNCH,
                           .work = {.host_s = lp_communication_map_op_host_s(self->map, op)},
                           .time_s = time_s,
                           .stream = op->stream});
}

static void
append_merged_join(Builder *self, const LpOp *op)
{
    append_piece(self, open_pieces(self),
                 (LpPiece){.kind = LP_PIECE_JOIN,
                           .term = op->term,
                           .stream = op->stream,
                           .n_pending = op->n_pending});
}

/* --- ops --- */

/* A collective on the group's channels, or of @time_s where those of the run have no others. */
static void
append_unmerged(Builder *self, LpTaskKind kind, const LpOp *op, double time_s)
{
    append(self,
           (LpTask){.kind = kind,
                    .op = op,
                    .work.host_s = lp_communication_map_op_host_s(self->map, op),
                    .delay_s = is_balanced(self) ? time_s : -1.0,
                    .library = lp_library_changes_number(&self->tasks->changes, self->map, op)});
}

static void
append_collective(Builder *self, const LpOp *op)
{
    double time_s =
        self->scale[self->part] * lp_segment_op_time_s(self->times, self->segment->stage, op);
    if (!self->merging.group[op->group]) {
        append_unmerged(self, LP_TASK_COLLECTIVE, op, time_s);
        return;
    }
    count_merged(self, append_delay(self, op->term, collective_work(self, op, time_s), FALSE, 0),
                 op);
}

static void
append_launch(Builder *self, const LpOp *op)
{
    double scale =
        op->stream == LP_STREAM_DP ? self->launch_scale[self->part] : self->scale[self->part];
    double time_s = scale * lp_segment_op_time_s(self->times, self->segment->stage, op);
    if (self->merging.group[op->group])
        append_merged_launch(self, op, time_s);
    else
        append_unmerged(self, LP_TASK_LAUNCH, op, time_s);
}

/* Whether what a join waits for has been merged: joins of a term belong to groups of that term. On
 * streams of layers the tensor-parallel group also sums gradients, which count as dp. */
static gboolean
joins_merged(const Builder *self, const LpOp *op)
{
    if (!lp_stream_is_inner(op->stream))
        return FALSE;
    for (LpGroup group = 0; group < LP_N_GROUPS; group++)
        if (lp_group_traits(group)->in_layers && lp_group_traits(group)->term == op->term)
            return self->merging.group[group];
    return self->merging.group[LP_GROUP_TP];
}

static void
append_compute(Builder *self, const LpOp *op)
{
    LpWork work = lp_work_scale(op->work, self->scale[self->part]);
    gboolean loaded = op->loaded && !is_balanced(self);
    (void)append_delay(self, op->term, work, loaded, loaded ? op->draw : 0);
}

static void
append_op(Builder *self, const LpOp *op)
{
    switch (op->kind) {
    case LP_OP_COMPUTE:
        append_compute(self, op);
        return;
    case LP_OP_COLLECTIVE:
        append_collective(self, op);
        return;
    case LP_OP_LAUNCH:
        append_launch(self, op);
        return;
    case LP_OP_LAUNCH_COMPUTE:
        append(self, (LpTask){.kind = LP_TASK_LAUNCH,
                              .op = op,
                              .work.host_s = op->work.host_s,
                              .delay_s = op->work.device_s});
        return;
    case LP_OP_AWAIT:
        append(self, (LpTask){.kind = LP_TASK_LAUNCH, .op = op});
        return;
    case LP_OP_JOIN:
        if (joins_merged(self, op))
            append_merged_join(self, op);
        else
            append(self, (LpTask){.kind = LP_TASK_JOIN, .op = op});
        return;
    }
}

/* What other stages do in parts @from to @to: a delay. */
static void
append_missing(Builder *self, guint index, const LpSegmentMeans *means, guint from, guint to)
{
    for (guint part = from; means != NULL && part < to; part++) {
        double missing_s = lp_segment_means_missing_s(means, index, part);
        guint kind = part % LP_SEGMENT_UPDATE;
        LpTerm term = kind == LP_SEGMENT_COMPUTE
                          ? LP_TERM_COMPUTE
                          : lp_traffic_term((LpTraffic)(kind - LP_SEGMENT_TRAFFIC));
        if (missing_s > 0.0)
            (void)append_delay(self, term, (LpWork){.device_s = missing_s, .bound_s = missing_s},
                               FALSE, 0);
    }
}

/* @ranges: of the tasks, by segment. @means: NULL unless the run is balanced. */
static void
build_segment(Builder *self, guint index, LpTaskRange *ranges, const LpSegmentMeans *means)
{
    self->segment = lp_program_segment(self->program, index);
    self->range = &ranges[index];
    self->range->first = self->tasks->tasks->len;
    for (guint part = 0; part < LP_N_SEGMENT_PARTS; part++) {
        self->scale[part] = means != NULL ? lp_segment_means_scale(means, index, part) : 1.0;
        self->launch_scale[part] =
            means != NULL ? lp_segment_means_launch_scale(means, index, part) : 1.0;
    }
    append_missing(self, index, means, 0, LP_SEGMENT_UPDATE);
    gboolean updates = FALSE;
    for (guint i = 0; i < self->segment->n_ops; i++) {
        const LpOp *op = lp_program_op(self->program, self->segment->first_op + i);
        self->part = lp_segment_part(op, &updates);
        append_op(self, op);
    }
    append_missing(self, index, means, LP_SEGMENT_UPDATE, LP_N_SEGMENT_PARTS);
    self->range->n = self->tasks->tasks->len - self->range->first;
}

/* Whether collectives on a stream slow the computing beside them. They do not slow communication,
 * so that a delay which holds both computing and communication could not tell by how much. */
static gboolean
slowed_by_stream(const LpProgram *program)
{
    return program->execution.slowdown > 1.0 && program->uses_stream[LP_STREAM_DP];
}

static gboolean
is_of_experts(LpGroup group)
{
    return group < LP_GROUP_GIVEN && lp_group_traits(group)->axis == LP_AXIS_EP;
}

/* A host that waits for the device goes on at its own rank's time. */
static gboolean
hosts_wait(const LpExecution *execution)
{
    return !execution->host_is_free &&
           (execution->host_sync != LP_HOST_SYNC_NONE || execution->waits_within);
}

static gboolean
goes_through_layer_stream(const LpProgram *program, LpGroup group)
{
    return lp_communicators_n(program->communicators, group) > 0 &&
           lp_communicators_get(program->communicators, group, 0)->stream == LP_STREAM_LAYER;
}

/* Whether a delay that all members of a group begin when the last one may, takes as long as one in
 * which they wait for the last later. Members that do the same do so anyway. Of others a hidden
 * collective lets the first go on by itself; and where hosts are ready at different times, each
 * collective waits for the last host. */
static gboolean
members_start_together(const Builder *self, const LpContention *contention, LpGroup group)
{
    LpRunMode mode = self->tasks->mode;
    return mode.level >= LP_RUN_BALANCED || (mode.alike & (1u << group)) != 0 ||
           (group == LP_GROUP_TP && contention->tp_mirrored) ||
           (!goes_through_layer_stream(self->program, group) &&
            !hosts_wait(&self->program->execution));
}

/* Where nothing contends, the other collectives inside layers take known times too, if all groups
 * of a kind are alike; those of ep together, since they share joins. */
static void
merge_others(const Builder *self, const LpContention *contention, Merging *io_merging)
{
    static const LpGroup context[] = {LP_GROUP_CP, LP_GROUP_CP_HEADS};
    gboolean can = io_merging->delays && (self->tasks->mode.level >= LP_RUN_UNCONTENDED) &&
                   (self->program->expert_loads == NULL || is_balanced(self));
    gboolean alike = can;
    for (LpGroup group = LP_GROUP_TP; group < LP_N_GROUPS; group++)
        if (is_of_experts(group))
            alike = alike && members_start_together(self, contention, group) &&
                    (is_balanced(self) || lp_isolated_rings_uniform(self->rings, group));
    for (LpGroup group = LP_GROUP_TP; group < LP_N_GROUPS; group++)
        if (is_of_experts(group))
            io_merging->group[group] = alike;
    for (guint i = 0; i < G_N_ELEMENTS(context); i++)
        io_merging->group[context[i]] =
            can && members_start_together(self, contention, context[i]) &&
            (is_balanced(self) || lp_isolated_rings_uniform(self->rings, context[i]));
}

static gboolean
has_overlapped_exchanges(const LpProgram *program)
{
    for (LpGroup group = LP_GROUP_TP; group < LP_N_GROUPS; group++)
        if (is_of_experts(group) && goes_through_layer_stream(program, group))
            return TRUE;
    return FALSE;
}

/* Whether members of a tensor-parallel group compute for different times, since their experts are
 * not the same: their hosts then are not ready at the same time either, and each collective waits
 * for the last of them. */
static gboolean
has_uneven_hosts(const LpProgram *program)
{
    const LpCommunicators *communicators = program->communicators;
    if (program->expert_loads == NULL || program->execution.host_is_free)
        return FALSE;
    for (guint k = 0; k < lp_communicators_n(communicators, LP_GROUP_TP); k++) {
        const LpCommunicator *group = lp_communicators_get(communicators, LP_GROUP_TP, k);
        for (guint32 i = 1; i < group->n_members; i++)
            if (program->expert_place[group->ranks[i]] != program->expert_place[group->ranks[0]])
                return TRUE;
    }
    return FALSE;
}

/* Whether collectives inside layers, which are not merged, slow what computes beside them: what of
 * a row of kernels waits for the host is not slowed, which their sum could not tell. */
static gboolean
slowed_within(const Builder *self, const Merging *merging)
{
    const LpExecution *execution = &self->program->execution;
    if (execution->slowdown <= 1.0 || execution->host_is_free)
        return FALSE;
    for (LpGroup group = LP_GROUP_TP; group < LP_N_GROUPS; group++)
        if (goes_through_layer_stream(self->program, group) && !merging->group[group])
            return TRUE;
    return FALSE;
}

/* @idle: of steps at which no gradients or parameters are under way. */
static Merging
find_merging(const Builder *self, const LpContention *contention, gboolean idle)
{
    const LpProgram *program = self->program;
    LpRunMode mode = self->tasks->mode;
    Merging merging = {.delays = FALSE};
    gboolean has_tp = lp_communicators_n(program->communicators, LP_GROUP_TP) > 0;
    gboolean tp_hidden = mode.level >= LP_RUN_UNCONTENDED || !has_tp ||
                         contention->all_private[LP_GROUP_TP] ||
                         (idle && contention->tp_private_when_idle);
    /* Where tp traffic is seen by others, the run keeps the very steps that it has without merging:
     * contended runs amplify even a rounding error. */
    merging.delays = mode.merge && !mode.has_stragglers && tp_hidden &&
                     (idle || !slowed_by_stream(program)) &&
                     (mode.level >= LP_RUN_BALANCED || !has_uneven_hosts(program));
    merging.group[LP_GROUP_TP] =
        merging.delays && has_tp && members_start_together(self, contention, LP_GROUP_TP) &&
        (mode.level >= LP_RUN_BALANCED || lp_isolated_rings_uniform(self->rings, LP_GROUP_TP));
    merge_others(self, contention, &merging);
    if (slowed_within(self, &merging))
        merging = (Merging){.delays = FALSE};
    if (self->tasks->changes.happen) /* a delay does not say whose its collectives are */
        memset(merging.group, 0, sizeof merging.group);
    /* Overlapped all-to-alls hold the stream while hidden collectives of tp wait for it. */
    if (goes_through_layer_stream(program, LP_GROUP_TP) && has_overlapped_exchanges(program) &&
        !merging.group[LP_GROUP_EP])
        merging.group[LP_GROUP_TP] = FALSE;
    return merging;
}

static void
build(Builder *self, const LpContention *contention, const LpSegmentMeans *means)
{
    LpTasks *tasks = self->tasks;
    guint n_segments = self->program->segments->len;
    self->merging = find_merging(self, contention, FALSE);
    for (guint i = 0; i < n_segments; i++)
        build_segment(self, i, tasks->ranges, means);
    Merging busy = self->merging;
    self->merging = find_merging(self, contention, TRUE);
    if (memcmp(&busy, &self->merging, sizeof busy) == 0)
        return;
    tasks->idle = lp_idle_steps_find(self->program);
    tasks->idle_ranges = g_new0(LpTaskRange, n_segments);
    for (guint i = 0; i < n_segments; i++)
        build_segment(self, i, tasks->idle_ranges, means);
}

LpTasks *
lp_tasks_new(const LpCommunicationMap *map, const LpContention *contention, LpIsolatedCache *cache,
             LpRunMode mode)
{
    const LpProgram *program = map->program;
    LpTasks *self = g_new0(LpTasks, 1);
    self->mode = mode;
    self->tasks = g_array_new(FALSE, FALSE, sizeof(LpTask));
    self->pieces = g_array_new(FALSE, FALSE, sizeof(LpPiece));
    self->ranges = g_new0(LpTaskRange, program->segments->len);
    self->message_host_s = map->program->execution.collective_host_s;
    self->changes = lp_library_changes_find(map);

    g_autoptr(LpIsolatedRings) rings = lp_isolated_rings_new(map, cache);
    LpSegmentTimes times;
    lp_segment_times_init(&times, program, rings, mode.fidelity);
    Builder builder = {
        .tasks = self, .map = map, .program = program, .rings = rings, .times = &times};
    self->isolated = lp_segment_times_communication(&times, map);
    g_autoptr(LpSegmentMeans) means = is_balanced(&builder) ? lp_segment_means_new(&times) : NULL;
    build(&builder, contention, means);
    lp_segment_times_clear(&times);
    return self;
}

LpTaskRange
lp_tasks_of_step(const LpTasks *self, const LpProgram *program, const LpStep *step)
{
    gsize index = (gsize)(step - lp_program_step(program, 0));
    return self->idle != NULL && self->idle[index] ? self->idle_ranges[step->segment]
                                                   : self->ranges[step->segment];
}

void
lp_tasks_free(LpTasks *self)
{
    if (self == NULL)
        return;
    g_array_unref(self->tasks);
    g_array_unref(self->pieces);
    g_free(self->ranges);
    g_free(self->idle_ranges);
    g_free(self->idle);
    g_free(self);
}
