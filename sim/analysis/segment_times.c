/* SPDX-License-Identifier: Apache-2.0 */
/* Adds up what segments take, and averages it over chunks and stages. */
#include "sim/analysis/segment_times.h"

#include <math.h>

/* Of sums of some thousands of times. */
#define ROUNDING 1e-12

guint
lp_segment_part(const LpOp *op, gboolean *io_updates)
{
    *io_updates = *io_updates || op->term == LP_TERM_OPTIMIZER;
    guint part =
        op->kind == LP_OP_COLLECTIVE ? LP_SEGMENT_TRAFFIC + (guint)op->traffic : LP_SEGMENT_COMPUTE;
    return part + (*io_updates ? LP_SEGMENT_UPDATE : 0);
}

double
lp_segment_op_time_s(const LpSegmentTimes *self, guint32 stage, const LpOp *op)
{
    if (op->kind == LP_OP_COMPUTE || op->kind == LP_OP_LAUNCH_COMPUTE)
        return op->work.device_s;
    if (!lp_op_is_collective(op))
        return 0.0;
    return lp_isolated_rings_time_s(self->rings, stage, op, self->fidelity);
}

static gboolean
same_collective(const LpOp *a, const LpOp *b)
{
    return a != NULL && a->collective == b->collective && a->group == b->group &&
           a->bytes == b->bytes && a->weight == b->weight && a->draw == b->draw;
}

/* A layer's ops repeat: the same collective is worked out once in a row, not once a layer. */
static void
time_segment(LpSegmentTimes *self, guint index)
{
    const LpSegment *segment = lp_program_segment(self->program, index);
    LpSegmentTime *times = &self->of[index];
    const LpOp *known = NULL;
    double known_s = 0.0;
    gboolean updates = FALSE;
    for (guint i = 0; i < segment->n_ops; i++) {
        const LpOp *op = lp_program_op(self->program, segment->first_op + i);
        guint part = lp_segment_part(op, &updates);
        double time_s;
        if (!lp_op_is_collective(op)) {
            time_s = lp_segment_op_time_s(self, segment->stage, op);
            times->computing_s += time_s;
        } else {
            if (!same_collective(known, op)) {
                known = op;
                known_s = lp_segment_op_time_s(self, segment->stage, op);
            }
            time_s = known_s;
            times->collectives_s[op->term] += time_s;
        }
        if (op->kind == LP_OP_LAUNCH || op->kind == LP_OP_LAUNCH_COMPUTE) {
            times->launched_s[updates] += op->stream == LP_STREAM_DP ? time_s : 0.0;
            times->inner_s += lp_stream_is_inner(op->stream) ? time_s : 0.0;
            continue;
        }
        times->blocking_s += time_s;
        times->parts_s[part] += time_s;
    }
}

void
lp_segment_times_init(LpSegmentTimes *self, const LpProgram *program, const LpIsolatedRings *rings,
                      LpFidelity fidelity)
{
    *self = (LpSegmentTimes){.program = program,
                             .rings = rings,
                             .fidelity = fidelity,
                             .of = g_new0(LpSegmentTime, program->segments->len)};
    for (guint i = 0; i < program->steps->len; i++) {
        const LpStep *step = lp_program_step(program, i);
        if (step->kind != LP_STEP_SEGMENT)
            continue;
        LpSegmentTime *times = &self->of[step->segment];
        times->role = lp_program_segment(program, step->segment)->role;
        if (times->n_runs++ == 0)
            time_segment(self, step->segment);
    }
}

void
lp_segment_times_clear(LpSegmentTimes *self)
{
    g_clear_pointer(&self->of, g_free);
}

/* The slowest replica decides a boundary's messages; all boundaries together, their mean. */
static double
mean_message_s(const LpCommunicationMap *map)
{
    const LpProgram *program = map->program;
    if (program->given != NULL)
        return 0.0;
    guint32 n_stages = program->pipeline.n_stages;
    g_autofree double *slowest_s = g_new0(double, (gsize)LP_N_PIPELINE_DIRECTIONS *n_stages);
    for (guint64 rank = 0; rank < map->n_ranks; rank++)
        for (guint line = 0; line < lp_program_n_lines(program); line++) {
            const LpConnection *connection = lp_communication_map_connection(
                map, (LpConnectionKind)(LP_CONNECTION_MESSAGES + line), rank);
            if (!connection->present)
                continue;
            guint32 stage = lp_program_rank_stage(program, rank);
            double *slowest = &slowest_s[line * n_stages + stage];
            *slowest = MAX(*slowest,
                           lp_isolated_message_time_s(connection, program->pipeline.message_bytes));
        }
    double sum_s = 0.0;
    guint n = 0;
    for (guint i = 0; i < LP_N_PIPELINE_DIRECTIONS * n_stages; i++) {
        sum_s += slowest_s[i];
        n += slowest_s[i] > 0.0 ? 1 : 0;
    }
    return n == 0 ? 0.0 : sum_s / n;
}

LpIsolatedCommunication
lp_segment_times_communication(const LpSegmentTimes *self, const LpCommunicationMap *map)
{
    const LpPipeline *pipeline = &self->program->pipeline;
    LpIsolatedCommunication isolated = {.message_s = mean_message_s(map)};
    for (guint i = 0; i < self->program->segments->len; i++) {
        const LpSegmentTime *times = &self->of[i];
        isolated.tp_s += times->n_runs * times->collectives_s[LP_TERM_TP];
        isolated.inner_s += times->n_runs * times->inner_s;
        isolated.ep_s += times->n_runs * times->collectives_s[LP_TERM_EP];
        isolated.cp_s += times->n_runs * times->collectives_s[LP_TERM_CP];
        isolated.dp_s += times->n_runs * times->collectives_s[LP_TERM_DP];
        isolated.computing_s += times->n_runs * times->computing_s;
    }
    isolated.tp_s /= self->program->stage_programs->len;
    isolated.inner_s /= self->program->stage_programs->len;
    isolated.ep_s /= self->program->stage_programs->len;
    isolated.cp_s /= self->program->stage_programs->len;
    isolated.dp_s /= self->program->stage_programs->len;
    isolated.computing_s /= self->program->stage_programs->len;
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

/* Blocking seconds of the mean chunk in each role, and seconds of all that the mean stage launches
 * for gradients, whose buckets may fill in any of its segments. */
struct LpSegmentMeans {
    const LpSegmentTimes *times; /* borrowed */
    double blocking_s[LP_N_ROLES];
    Average *chunk_blocking;             /* owned, by stage, role and chunk: as they are */
    double finish_s[LP_N_SEGMENT_PARTS]; /* of the finish, whose parts meet those of other stages */
    double launched_s[2];
    double *stage_launched_s[2]; /* owned, by stage: as they are */
    double *stage_scale; /* owned, by stage: where overlapped passes or halves of them stand for
                            some of its passes, and for others of another's; else 1 */
    guint n_chunks;
};

static Average *
chunk_blocking(const LpSegmentMeans *self, const LpSegment *segment)
{
    guint place = segment->stage * LP_N_ROLES + segment->role;
    return &self->chunk_blocking[(gsize)place * self->n_chunks + segment->chunk];
}

/* The mean of the chunks that have the role. */
static double
mean_blocking_s(const LpSegmentMeans *self, LpRole role, guint n_stages)
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

/* Where a stage runs some passes whole and others overlapped or in halves, the means of these roles
 * would not add up to the mean stage's time: what it runs besides the finish is scaled to that. */
static void
find_stage_scales(LpSegmentMeans *self, guint n_stages)
{
    g_autofree double *wanted_s = g_new0(double, n_stages);
    double sum_s = 0.0;
    self->stage_scale = g_new0(double, n_stages);
    for (guint stage = 0; stage < n_stages; stage++)
        for (guint place = 0; place < LP_ROLE_FINISH * self->n_chunks; place++) {
            LpSegment at = {
                .role = place / self->n_chunks, .stage = stage, .chunk = place % self->n_chunks};
            const Average *chunk = chunk_blocking(self, &at);
            sum_s += chunk->sum_s;
            wanted_s[stage] += chunk->n * self->blocking_s[at.role];
        }
    for (guint stage = 0; stage < n_stages; stage++) {
        double scale = wanted_s[stage] > 0.0 ? sum_s / n_stages / wanted_s[stage] : 1.0;
        self->stage_scale[stage] = fabs(scale - 1.0) < ROUNDING ? 1.0 : scale;
    }
}

LpSegmentMeans *
lp_segment_means_new(const LpSegmentTimes *times)
{
    const LpProgram *program = times->program;
    guint n_stages = program->stage_programs->len;
    LpSegmentMeans *self = g_new0(LpSegmentMeans, 1);
    self->times = times;
    self->n_chunks = program->pipeline.n_chunks;
    for (guint updates = 0; updates < 2; updates++)
        self->stage_launched_s[updates] = g_new0(double, n_stages);
    self->chunk_blocking = g_new0(Average, (gsize)LP_N_ROLES * n_stages * self->n_chunks);
    for (guint i = 0; i < program->segments->len; i++) {
        const LpSegmentTime *time = &times->of[i];
        const LpSegment *segment = lp_program_segment(program, i);
        if (time->n_runs == 0)
            continue;
        Average *chunk = chunk_blocking(self, segment);
        chunk->sum_s += time->n_runs * time->blocking_s;
        chunk->n += time->n_runs;
        for (guint part = 0; time->role == LP_ROLE_FINISH && part < LP_N_SEGMENT_PARTS; part++)
            self->finish_s[part] += time->parts_s[part] / n_stages;
        for (guint updates = 0; updates < 2; updates++) {
            double launched_s = time->n_runs * time->launched_s[updates];
            self->launched_s[updates] += launched_s / n_stages;
            self->stage_launched_s[updates][segment->stage] += launched_s;
        }
    }
    for (LpRole role = 0; role < LP_N_ROLES; role++)
        self->blocking_s[role] = mean_blocking_s(self, role, n_stages);
    find_stage_scales(self, n_stages);
    return self;
}

void
lp_segment_means_free(LpSegmentMeans *self)
{
    if (self == NULL)
        return;
    g_free(self->stage_launched_s[FALSE]);
    g_free(self->stage_launched_s[TRUE]);
    g_free(self->stage_scale);
    g_free(self->chunk_blocking);
    g_free(self);
}

double
lp_segment_means_scale(const LpSegmentMeans *self, guint index, guint part)
{
    const LpSegmentTime *time = &self->times->of[index];
    const LpSegment *segment = lp_program_segment(self->times->program, index);
    double wanted_s = self->stage_scale[segment->stage] * self->blocking_s[time->role],
           own_s = average_s(chunk_blocking(self, segment));
    if (time->role == LP_ROLE_FINISH) {
        wanted_s = self->finish_s[part];
        own_s = time->parts_s[part];
    }
    return own_s > 0.0 ? wanted_s / own_s : 1.0;
}

static gboolean
is_update(guint part)
{
    return part >= LP_SEGMENT_UPDATE;
}

/* A stage that launches nothing for gradients waits for what others launch in the mean. */
static double
missing_launches_s(const LpSegmentMeans *self, guint32 stage, guint part)
{
    gboolean is_missing = part % LP_SEGMENT_UPDATE == LP_SEGMENT_TRAFFIC + LP_TRAFFIC_DP &&
                          self->stage_launched_s[is_update(part)][stage] <= 0.0;
    return is_missing ? self->launched_s[is_update(part)] : 0.0;
}

double
lp_segment_means_missing_s(const LpSegmentMeans *self, guint index, guint part)
{
    const LpSegmentTime *time = &self->times->of[index];
    const LpSegment *segment = lp_program_segment(self->times->program, index);
    if (time->n_runs == 0)
        return 0.0;
    if (time->role == LP_ROLE_FINISH)
        return (time->parts_s[part] > 0.0 ? 0.0 : self->finish_s[part]) +
               missing_launches_s(self, segment->stage, part);
    gboolean is_empty = average_s(chunk_blocking(self, segment)) <= 0.0;
    return is_empty && part == LP_SEGMENT_COMPUTE
               ? self->stage_scale[segment->stage] * self->blocking_s[time->role]
               : 0.0;
}

double
lp_segment_means_launch_scale(const LpSegmentMeans *self, guint index, guint part)
{
    guint32 stage = lp_program_segment(self->times->program, index)->stage;
    double own_s = self->stage_launched_s[is_update(part)][stage];
    return own_s > 0.0 ? self->launched_s[is_update(part)] / own_s : 1.0;
}
