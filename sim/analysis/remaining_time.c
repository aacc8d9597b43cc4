/* SPDX-License-Identifier: Apache-2.0 */
/* Goes through each stage's steps from the last one on, and from stage to stage along messages. */
#include "sim/analysis/remaining_time.h"

#include <math.h>

/* Joins whose launches are still looked for; one more is left out, which only shortens paths. */
#define OPEN_MAX 8

/* A join that a stream's launches lead to. */
typedef struct {
    guint n_pending; /* launches in front of it that it does not wait for */
    double least_s;  /* from the earliest launch found on, all of them and what follows the join */
} Open;

typedef struct {
    Open of[OPEN_MAX];
    guint n;
} Opens;

/* A stage, gone through as far as @next. */
typedef struct {
    guint n_left;                           /* steps */
    double least_s;                         /* from the first of those done */
    Opens opens[LP_N_STREAMS];              /* by stream */
    guint n_sent[LP_N_PIPELINE_DIRECTIONS]; /* messages gone through, by line */
    GArray
        *received[LP_N_PIPELINE_DIRECTIONS]; /* owned: double, what follows a message, last first */
    guint64 message_bytes[LP_N_PIPELINE_DIRECTIONS]; /* of the message that */
    double message_s[LP_N_PIPELINE_DIRECTIONS];      /* takes so long */
} Stage;

typedef struct {
    LpRemainingTime *result;
    const LpCommunicationMap *map; /* borrowed */
    const LpProgram *program;      /* borrowed */
    Stage *stages;                 /* owned */
} Walk;

/* --- what one thing takes --- */

static double
find_op_s(const LpOp *op, const LpProgram *program, const LpIsolatedRings *rings, guint32 stage,
          LpFidelity fidelity, gboolean sends_free)
{
    switch (op->kind) {
    case LP_OP_COMPUTE:
        return op->loaded && program->expert_loads != NULL ? 0.0 : op->work.device_s;
    case LP_OP_LAUNCH_COMPUTE:
        return op->work.device_s;
    case LP_OP_COLLECTIVE:
    case LP_OP_LAUNCH:
        return sends_free ? 0.0 : lp_isolated_rings_least_s(rings, stage, op, fidelity);
    case LP_OP_JOIN:
    case LP_OP_AWAIT:
        break;
    }
    return 0.0;
}

static double *
find_ops(const LpCommunicationMap *map, LpIsolatedCache *cache, LpFidelity fidelity,
         gboolean sends_free)
{
    const LpProgram *program = map->program;
    g_autoptr(LpIsolatedRings) rings = lp_isolated_rings_new(map, cache);
    double *op_s = g_new0(double, MAX(program->ops->len, 1));
    for (guint k = 0; k < program->segments->len; k++) {
        const LpSegment *segment = lp_program_segment(program, k);
        for (guint i = segment->first_op; i < segment->first_op + segment->n_ops; i++)
            op_s[i] = find_op_s(lp_program_op(program, i), program, rings, segment->stage, fidelity,
                                sends_free);
    }
    return op_s;
}

/* Of the fastest rank of @stage. */
static double
message_s(Walk *self, guint32 stage, const LpStep *step)
{
    Stage *own = &self->stages[stage];
    if (self->result->sends_free)
        return 0.0;
    if (own->message_bytes[step->direction] == step->bytes)
        return own->message_s[step->direction];
    double least_s = INFINITY;
    for (guint64 rank = 0; rank < self->program->n_ranks; rank++) {
        const LpConnection *connection = lp_communication_map_connection(
            self->map, (LpConnectionKind)(LP_CONNECTION_MESSAGES + step->direction), rank);
        if (lp_program_rank_stage(self->program, rank) == stage && connection->present)
            least_s = fmin(least_s, lp_isolated_message_time_s(connection, step->bytes));
    }
    own->message_bytes[step->direction] = step->bytes;
    return own->message_s[step->direction] = least_s < INFINITY ? least_s : 0.0;
}

/* --- streams --- */

static void
open_join(Opens *self, guint n_pending, double least_s)
{
    for (guint i = 0; i < self->n; i++)
        if (self->of[i].n_pending == n_pending) {
            self->of[i].least_s = fmax(self->of[i].least_s, least_s);
            return;
        }
    if (self->n < OPEN_MAX)
        self->of[self->n++] = (Open){n_pending, least_s};
}

/* A launch of @seconds in front of all that was seen. Returns: from it on, by way of joins, s. */
static double
launch(Opens *self, double seconds)
{
    double longest_s = 0.0;
    Opens before = *self;
    self->n = 0;
    for (guint i = 0; i < before.n; i++) {
        Open open = before.of[i];
        if (open.n_pending == 0) {
            open.least_s += seconds;
            longest_s = fmax(longest_s, open.least_s);
        }
        open_join(self, open.n_pending > 0 ? open.n_pending - 1 : 0, open.least_s);
    }
    return longest_s;
}

/* --- steps --- */

static void
go_through_segment(Walk *self, Stage *stage, const LpSegment *segment)
{
    for (guint i = segment->n_ops; i-- > 0;) {
        const LpOp *op = lp_program_op(self->program, segment->first_op + i);
        double seconds = self->result->op_s[segment->first_op + i];
        if (op->kind == LP_OP_JOIN)
            open_join(&stage->opens[op->stream], op->n_pending, stage->least_s);
        else if (op->kind == LP_OP_COMPUTE || op->kind == LP_OP_COLLECTIVE)
            stage->least_s += seconds;
        else
            stage->least_s = fmax(stage->least_s, launch(&stage->opens[op->stream], seconds));
    }
}

/* Returns: FALSE while it is not known what follows the message. */
static gboolean
go_through_send(Walk *self, guint32 index, const LpStep *step)
{
    Stage *stage = &self->stages[index];
    const GArray *received = self->stages[step->peer].received[step->direction];
    guint n = stage->n_sent[step->direction];
    if (n >= received->len)
        return FALSE;
    stage->n_sent[step->direction]++;
    double sent_s = message_s(self, index, step), own_s = 0.0;
    LpStream stream = lp_program_message_stream(self->program, step->direction);
    if (stream == LP_N_STREAMS)
        stage->least_s += sent_s;
    else
        own_s = launch(&stage->opens[stream], sent_s);
    double there_s = sent_s + g_array_index(received, double, n);
    stage->least_s = fmax(stage->least_s, fmax(own_s, there_s));
    return TRUE;
}

static gboolean
go_through_step(Walk *self, guint32 index, const LpStep *step)
{
    Stage *stage = &self->stages[index];
    switch (step->kind) {
    case LP_STEP_SEGMENT:
        go_through_segment(self, stage, lp_program_segment(self->program, step->segment));
        return TRUE;
    case LP_STEP_SEND:
        return go_through_send(self, index, step);
    case LP_STEP_RECV:
        g_array_append_val(stage->received[step->direction], stage->least_s);
        return TRUE;
    }
    return TRUE;
}

/* Goes on with a stage as far as possible. Returns: whether there was anything. */
static gboolean
go_on(Walk *self, guint32 index)
{
    Stage *stage = &self->stages[index];
    guint first = lp_program_stage(self->program, index)->first_step, n_before = stage->n_left;
    while (stage->n_left > 0 &&
           go_through_step(self, index, lp_program_step(self->program, first + stage->n_left - 1)))
        self->result->least_s[first + --stage->n_left] = stage->least_s;
    return stage->n_left < n_before;
}

static void
walk(Walk *self)
{
    guint32 n_stages = self->program->pipeline.n_stages;
    for (guint32 i = 0; i < n_stages; i++) {
        self->stages[i].n_left = lp_program_stage(self->program, i)->n_steps;
        for (LpPipelineDirection line = 0; line < lp_program_n_lines(self->program); line++) {
            self->stages[i].received[line] = g_array_new(FALSE, FALSE, sizeof(double));
            self->stages[i].message_bytes[line] = G_MAXUINT64;
        }
    }
    for (gboolean any = TRUE; any;) {
        any = FALSE;
        for (guint32 i = n_stages; i-- > 0;)
            any = go_on(self, i) || any;
    }
    for (guint32 i = 0; i < n_stages; i++) {
        self->result->whole_s = fmax(self->result->whole_s, self->stages[i].least_s);
        for (LpPipelineDirection line = 0; line < lp_program_n_lines(self->program); line++)
            g_array_unref(self->stages[i].received[line]);
    }
}

LpRemainingTime *
lp_remaining_time_new(const LpCommunicationMap *map, LpIsolatedCache *cache, LpFidelity fidelity,
                      gboolean sends_free)
{
    LpRemainingTime *self = g_new0(LpRemainingTime, 1);
    self->sends_free = sends_free;
    self->op_s = find_ops(map, cache, fidelity, sends_free);
    self->least_s = g_new0(double, MAX(map->program->steps->len, 1));
    g_autofree Stage *stages = g_new0(Stage, map->program->pipeline.n_stages);
    Walk all = {.result = self, .map = map, .program = map->program, .stages = stages};
    walk(&all);
    return self;
}

void
lp_remaining_time_free(LpRemainingTime *self)
{
    if (self == NULL)
        return;
    g_free(self->least_s);
    g_free(self->op_s);
    g_free(self);
}
