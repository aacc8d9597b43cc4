/* SPDX-License-Identifier: Apache-2.0 */
/* Turns segments of ops into tasks: merges, and balances for the counterfactual runs. */
#include "sim/analysis/task.h"

#include "sim/collectives/exchange.h"
#include "sim/collectives/ring.h"

/* A segment's blocking ops: compute, and the collectives of each traffic class. */
enum {
    PART_COMPUTE,
    PART_TRAFFIC,
    N_PARTS = PART_TRAFFIC + LP_N_TRAFFIC
};

static guint
part_of(const LpOp *op)
{
    return op->kind == LP_OP_COLLECTIVE ? PART_TRAFFIC + (guint)op->traffic : PART_COMPUTE;
}

/* A segment's times, without other traffic and in the slowest groups. */
typedef struct {
    LpRole role;
    guint n_runs; /* in one iteration */
    double blocking_s, launched_s, inner_s;
    double parts_s[N_PARTS]; /* of blocking_s */
    double collectives_s[LP_N_TERMS];
} SegmentTimes;

/* What turning ops into tasks needs at every turn. */
typedef struct {
    LpTasks *tasks;
    const LpCommunicationMap *map;     /* borrowed */
    const LpProgram *program;          /* borrowed */
    const LpIsolatedRings *rings;      /* borrowed */
    SegmentTimes *times;               /* owned, by segment */
    gboolean merge;                    /* delays in a row become one */
    gboolean merge_group[LP_N_GROUPS]; /* its collectives are delays */
    const LpSegment *segment;          /* the one at hand, and the factors of its times: */
    LpTaskRange *range;
    double scale[N_PARTS], launch_scale;
} Builder;

static gboolean
is_balanced(const Builder *self)
{
    return self->tasks->mode.level >= LP_RUN_BALANCED;
}

static double
op_time_s(const Builder *self, guint32 stage, const LpOp *op)
{
    if (op->kind == LP_OP_COMPUTE)
        return op->work.device_s;
    if (op->kind == LP_OP_JOIN)
        return 0.0;
    return lp_isolated_rings_time_s(self->rings, stage, op, self->tasks->mode.fidelity);
}

static gboolean
same_collective(const LpOp *a, const LpOp *b)
{
    return a != NULL && a->collective == b->collective && a->group == b->group &&
           a->bytes == b->bytes && a->weight == b->weight;
}

/* A layer's ops repeat: the same collective is worked out once in a row, not once a layer. */
static void
time_segment(Builder *self, guint index)
{
    const LpSegment *segment = lp_program_segment(self->program, index);
    SegmentTimes *times = &self->times[index];
    const LpOp *known = NULL;
    double known_s = 0.0;
    for (guint i = 0; i < segment->n_ops; i++) {
        const LpOp *op = lp_program_op(self->program, segment->first_op + i);
        double time_s;
        if (op->kind == LP_OP_COMPUTE || op->kind == LP_OP_JOIN) {
            time_s = op_time_s(self, segment->stage, op);
        } else {
            if (!same_collective(known, op)) {
                known = op;
                known_s = op_time_s(self, segment->stage, op);
            }
            time_s = known_s;
            times->collectives_s[op->term] += time_s;
        }
        if (op->kind == LP_OP_LAUNCH) {
            times->launched_s += op->stream == LP_STREAM_DP ? time_s : 0.0;
            times->inner_s += op->stream == LP_STREAM_LAYER ? time_s : 0.0;
            continue;
        }
        times->blocking_s += time_s;
        times->parts_s[part_of(op)] += time_s;
    }
}

static void
time_segments(Builder *self)
{
    for (guint i = 0; i < self->program->steps->len; i++) {
        const LpStep *step = lp_program_step(self->program, i);
        if (step->kind != LP_STEP_SEGMENT)
            continue;
        SegmentTimes *times = &self->times[step->segment];
        times->role = lp_program_segment(self->program, step->segment)->role;
        if (times->n_runs++ == 0)
            time_segment(self, step->segment);
    }
}

/* The slowest replica decides a boundary's messages; all boundaries together, their mean. */
static double
mean_message_s(const LpCommunicationMap *map)
{
    const LpProgram *program = map->program;
    guint32 n_stages = program->pipeline.n_stages;
    g_autofree double *slowest_s = g_new0(double, (gsize)LP_N_LINES *n_stages);
    for (guint64 rank = 0; rank < map->n_ranks; rank++)
        for (guint line = 0; line < LP_N_LINES; line++) {
            const LpConnection *connection = lp_communication_map_connection(
                map, (LpConnectionKind)(LP_CONNECTION_LINE + line), rank);
            if (!connection->present)
                continue;
            guint32 stage = lp_program_rank_stage(program, rank);
            double *slowest = &slowest_s[line * n_stages + stage];
            *slowest = MAX(*slowest,
                           lp_isolated_message_time_s(connection, program->pipeline.message_bytes));
        }
    double sum_s = 0.0;
    guint n = 0;
    for (guint i = 0; i < LP_N_LINES * n_stages; i++) {
        sum_s += slowest_s[i];
        n += slowest_s[i] > 0.0 ? 1 : 0;
    }
    return n == 0 ? 0.0 : sum_s / n;
}

static LpIsolatedCommunication
isolated_communication(const Builder *self, const LpCommunicationMap *map)
{
    const LpPipeline *pipeline = &self->program->pipeline;
    LpIsolatedCommunication isolated = {.message_s = mean_message_s(map)};
    for (guint i = 0; i < self->program->segments->len; i++) {
        const SegmentTimes *times = &self->times[i];
        isolated.tp_s += times->n_runs * times->collectives_s[LP_TERM_TP];
        isolated.inner_s += times->n_runs * times->inner_s;
        isolated.ep_s += times->n_runs * times->collectives_s[LP_TERM_EP];
        isolated.cp_s += times->n_runs * times->collectives_s[LP_TERM_CP];
        isolated.dp_s += times->n_runs * times->collectives_s[LP_TERM_DP];
    }
    isolated.tp_s /= self->program->stage_programs->len;
    isolated.inner_s /= self->program->stage_programs->len;
    isolated.ep_s /= self->program->stage_programs->len;
    isolated.cp_s /= self->program->stage_programs->len;
    isolated.dp_s /= self->program->stage_programs->len;
    if (pipeline->n_stages > 1)
        isolated.pp_s =
            2.0 * pipeline->n_micro_batches * pipeline->virtual_stages * isolated.message_s;
    return isolated;
}

/* Of all runs of a chunk's segments in one role. */
typedef struct {
    double sum_s;
    guint n;
} Average;

static double
average_s(const Average *self)
{
    return self->n == 0 ? 0.0 : self->sum_s / self->n;
}

/* What balancing aims at: blocking seconds of the mean chunk in each role, and launched seconds of
 * the mean stage, whose buckets may fill in any of its segments. */
typedef struct {
    double blocking_s[LP_N_ROLES];
    Average *chunk_blocking;  /* owned, by stage, role and chunk: as they are */
    double finish_s[N_PARTS]; /* of the finish, whose parts meet those of other stages */
    double launched_s;
    double *stage_launched_s; /* owned, by stage: as they are */
    guint n_chunks;
} Means;

static Average *
chunk_blocking(const Means *self, const LpSegment *segment)
{
    guint place = segment->stage * LP_N_ROLES + segment->role;
    return &self->chunk_blocking[(gsize)place * self->n_chunks + segment->chunk];
}

/* The mean of the chunks that have the role. */
static double
mean_blocking_s(const Means *self, LpRole role, guint n_stages)
{
    Average mean = {0.0, 0};
    for (guint place = 0; place < n_stages * self->n_chunks; place++) {
        LpSegment at = {
            .role = role, .stage = place / self->n_chunks, .chunk = place % self->n_chunks};
        const Average *chunk = chunk_blocking(self, &at);
        mean.sum_s += average_s(chunk);
        mean.n += chunk->n > 0 ? 1 : 0;
    }
    return average_s(&mean);
}

static Means
mean_times(const Builder *self)
{
    guint n_stages = self->program->stage_programs->len;
    guint n_chunks = self->program->pipeline.n_chunks;
    Means means = {.stage_launched_s = g_new0(double, n_stages),
                   .chunk_blocking = g_new0(Average, (gsize)LP_N_ROLES * n_stages * n_chunks),
                   .n_chunks = n_chunks};
    for (guint i = 0; i < self->program->segments->len; i++) {
        const SegmentTimes *times = &self->times[i];
        const LpSegment *segment = lp_program_segment(self->program, i);
        if (times->n_runs == 0)
            continue;
        Average *chunk = chunk_blocking(&means, segment);
        chunk->sum_s += times->n_runs * times->blocking_s;
        chunk->n += times->n_runs;
        for (guint part = 0; times->role == LP_ROLE_FINISH && part < N_PARTS; part++)
            means.finish_s[part] += times->parts_s[part] / n_stages;
        means.launched_s += times->launched_s / n_stages;
        means.stage_launched_s[segment->stage] += times->launched_s;
    }
    for (LpRole role = 0; role < LP_N_ROLES; role++)
        means.blocking_s[role] = mean_blocking_s(&means, role, n_stages);
    return means;
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
open_delay(Builder *self, gboolean loaded)
{
    LpTask *last = last_task(self);
    if (self->merge && last != NULL && last->kind == LP_TASK_DELAY && last->loaded == loaded)
        return last;
    append(self, (LpTask){.kind = LP_TASK_DELAY, .loaded = loaded});
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
append_delay(Builder *self, LpTerm term, LpWork work, gboolean loaded)
{
    LpTask *delay = open_delay(self, loaded);
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
    LpTask *delay = open_delay(self, FALSE);
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
    return (LpWork){time_s, lp_communication_map_op_host_s(self->map, op), time_s};
}

/* Merged groups are alike, so that any of the stage's stands for all. */
static guint64
group_bytes(const Builder *self, const LpOp *op)
{
    guint64 rank = lp_program_stage_mate(self->program, 0, self->segment->stage);
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
                           .work = {0.0, lp_communication_map_op_host_s(self->map, op), 0.0},
                           .time_s = time_s,
                           .stream = op->stream});
}

static void
append_merged_join(Builder *self, const LpOp *op)
{
    append_piece(self, open_pieces(self),
                 (LpPiece){.kind = LP_PIECE_JOIN, .term = op->term, .n_pending = op->n_pending});
}

/* --- ops --- */

static void
append_collective(Builder *self, const LpOp *op)
{
    double time_s = self->scale[part_of(op)] * op_time_s(self, self->segment->stage, op);
    if (!self->merge_group[op->group]) {
        append(self, (LpTask){.kind = LP_TASK_COLLECTIVE,
                              .op = op,
                              .work.host_s = lp_communication_map_op_host_s(self->map, op),
                              .delay_s = is_balanced(self) ? time_s : -1.0});
        return;
    }
    count_merged(self, append_delay(self, op->term, collective_work(self, op, time_s), FALSE), op);
}

static void
append_launch(Builder *self, const LpOp *op)
{
    double scale = op->stream == LP_STREAM_DP ? self->launch_scale : self->scale[PART_COMPUTE];
    double time_s = scale * op_time_s(self, self->segment->stage, op);
    if (self->merge_group[op->group])
        append_merged_launch(self, op, time_s);
    else
        append(self, (LpTask){.kind = LP_TASK_LAUNCH,
                              .op = op,
                              .work.host_s = lp_communication_map_op_host_s(self->map, op),
                              .delay_s = is_balanced(self) ? time_s : -1.0});
}

/* Whether what a join waits for has been merged: joins of a term belong to groups of that term. */
static gboolean
joins_merged(const Builder *self, const LpOp *op)
{
    if (op->stream != LP_STREAM_LAYER)
        return FALSE;
    for (LpGroup group = 0; group < LP_N_GROUPS; group++)
        if (lp_group_traits(group)->term == op->term)
            return self->merge_group[group];
    return FALSE;
}

static void
append_compute(Builder *self, const LpOp *op)
{
    LpWork work = lp_work_scale(op->work, self->scale[PART_COMPUTE]);
    (void)append_delay(self, op->term, work, op->loaded && !is_balanced(self));
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
    case LP_OP_JOIN:
        if (joins_merged(self, op))
            append_merged_join(self, op);
        else
            append(self, (LpTask){.kind = LP_TASK_JOIN, .op = op});
        return;
    }
}

/* The factor that gives a part of a segment the mean chunk's time. Passes keep their proportions,
 * but in the finish each part is balanced: it waits for other stages. */
static double
balance(const SegmentTimes *times, const LpSegment *segment, const Means *means, guint part)
{
    double wanted_s = means->blocking_s[times->role],
           own_s = average_s(chunk_blocking(means, segment));
    if (times->role == LP_ROLE_FINISH) {
        wanted_s = means->finish_s[part];
        own_s = times->parts_s[part];
    }
    return own_s > 0.0 ? wanted_s / own_s : 1.0;
}

static void
build_segment(Builder *self, guint index, const Means *means)
{
    const SegmentTimes *times = &self->times[index];
    self->segment = lp_program_segment(self->program, index);
    self->range = &self->tasks->ranges[index];
    self->range->first = self->tasks->tasks->len;
    for (guint part = 0; part < N_PARTS; part++)
        self->scale[part] = is_balanced(self) ? balance(times, self->segment, means, part) : 1.0;
    self->launch_scale = 1.0;
    if (is_balanced(self) && times->launched_s > 0.0)
        self->launch_scale = means->launched_s / means->stage_launched_s[self->segment->stage];
    for (guint i = 0; i < self->segment->n_ops; i++)
        append_op(self, lp_program_op(self->program, self->segment->first_op + i));
    self->range->n = self->tasks->tasks->len - self->range->first;
}

/* Gradients and parameters on their way slow what computes beside them, and not what communicates:
 * a delay that holds both could not tell. */
static gboolean
slowed_by_stream(const LpProgram *program)
{
    return program->execution.slowdown > 1.0 && program->uses_stream[LP_STREAM_DP];
}

/* Where nothing contends, the other collectives inside layers take known times too, if all groups
 * of a kind are alike; those of ep together, since they share joins. */
static void
merge_others(Builder *self)
{
    static const LpGroup experts[] = {LP_GROUP_EP, LP_GROUP_EP_NODE, LP_GROUP_EP_RAIL};
    gboolean can = self->merge && (self->tasks->mode.level >= LP_RUN_UNCONTENDED) &&
                   (self->program->expert_loads == NULL || is_balanced(self));
    gboolean alike = can;
    for (guint i = 0; i < G_N_ELEMENTS(experts); i++)
        alike = alike && (is_balanced(self) || lp_isolated_rings_uniform(self->rings, experts[i]));
    for (guint i = 0; i < G_N_ELEMENTS(experts); i++)
        self->merge_group[experts[i]] = alike;
    self->merge_group[LP_GROUP_CP] =
        can && (is_balanced(self) || lp_isolated_rings_uniform(self->rings, LP_GROUP_CP));
}

static gboolean
goes_through_layer_stream(const LpProgram *program, LpGroup group)
{
    return lp_communicators_n(program->communicators, group) > 0 &&
           lp_communicators_get(program->communicators, group, 0)->stream == LP_STREAM_LAYER;
}

static gboolean
has_woven_exchanges(const LpProgram *program)
{
    return goes_through_layer_stream(program, LP_GROUP_EP) ||
           goes_through_layer_stream(program, LP_GROUP_EP_NODE) ||
           goes_through_layer_stream(program, LP_GROUP_EP_RAIL);
}

LpTasks *
lp_tasks_new(const LpCommunicationMap *map, const LpContention *contention, LpIsolatedCache *cache,
             LpRunMode mode)
{
    const LpProgram *program = map->program;
    guint n_segments = program->segments->len;
    LpTasks *self = g_new0(LpTasks, 1);
    self->mode = mode;
    self->tasks = g_array_new(FALSE, FALSE, sizeof(LpTask));
    self->pieces = g_array_new(FALSE, FALSE, sizeof(LpPiece));
    self->ranges = g_new0(LpTaskRange, n_segments);
    self->message_host_s = lp_communication_map_message_host_s(map);

    g_autoptr(LpIsolatedRings) rings = lp_isolated_rings_new(map, cache);
    g_autofree SegmentTimes *times = g_new0(SegmentTimes, n_segments);
    Builder builder = {
        .tasks = self, .map = map, .program = program, .rings = rings, .times = times};
    gboolean has_tp = lp_communicators_n(program->communicators, LP_GROUP_TP) > 0;
    gboolean tp_hidden =
        mode.level >= LP_RUN_UNCONTENDED || contention->all_private[LP_GROUP_TP] || !has_tp;
    /* Where tp traffic is seen by others, the run keeps the very steps that it has without merging:
     * contended runs amplify even a rounding error. */
    builder.merge = mode.merge && !mode.has_stragglers && tp_hidden && !slowed_by_stream(program);
    builder.merge_group[LP_GROUP_TP] =
        builder.merge && has_tp &&
        (mode.level >= LP_RUN_BALANCED || lp_isolated_rings_uniform(rings, LP_GROUP_TP));
    merge_others(&builder);
    /* Woven all-to-alls hold the stream while hidden collectives of tp wait for it. */
    if (goes_through_layer_stream(program, LP_GROUP_TP) && has_woven_exchanges(program) &&
        !builder.merge_group[LP_GROUP_EP])
        builder.merge_group[LP_GROUP_TP] = FALSE;
    time_segments(&builder);
    self->isolated = isolated_communication(&builder, map);
    Means means = mean_times(&builder);
    for (guint i = 0; i < n_segments; i++)
        build_segment(&builder, i, &means);
    g_free(means.stage_launched_s);
    g_free(means.chunk_blocking);
    return self;
}

void
lp_tasks_free(LpTasks *self)
{
    if (self == NULL)
        return;
    g_array_unref(self->tasks);
    g_array_unref(self->pieces);
    g_free(self->ranges);
    g_free(self);
}
