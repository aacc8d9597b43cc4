/* SPDX-License-Identifier: Apache-2.0 */
/* Programs as data: what builders have filled in, to be read. */
#include "workloads/program/program.h"

G_DEFINE_QUARK(lp_program_error, lp_program_error)

const char *const lp_role_names[] = {"start",          "forward", "backward",
                                     "backward-input", "weight",  "forward-backward",
                                     "block",          "finish",  NULL};

LpProgram *
lp_program_new(void)
{
    LpProgram *self = g_new0(LpProgram, 1);
    self->ops = g_array_new(FALSE, FALSE, sizeof(LpOp));
    self->segments = g_array_new(FALSE, FALSE, sizeof(LpSegment));
    self->steps = g_array_new(FALSE, FALSE, sizeof(LpStep));
    self->stage_programs = g_array_new(FALSE, FALSE, sizeof(LpStageProgram));
    return self;
}

LpProgram *
lp_program_new_collective(LpCollective collective, guint64 bytes, LpGroup group,
                          LpCommunicators *communicators)
{
    LpProgram *self = lp_program_new();
    self->communicators = communicators;
    self->n_ranks = lp_communicators_n_ranks(communicators);
    self->pipeline = (LpPipeline){.n_stages = 1,
                                  .stride = self->n_ranks,
                                  .n_chunks = 1,
                                  .n_layers = 1,
                                  .n_micro_batches = 1,
                                  .virtual_stages = 1};
    LpOp op = {.kind = LP_OP_COLLECTIVE,
               .term = LP_TERM_DP,
               .collective = collective,
               .group = group,
               .traffic = LP_TRAFFIC_DP,
               .bytes = bytes};
    LpSegment segment = {.role = LP_ROLE_FINISH, .n_ops = 1};
    LpStep step = {.kind = LP_STEP_SEGMENT};
    LpStageProgram stage_program = {.n_steps = 1};
    g_array_append_val(self->ops, op);
    g_array_append_val(self->segments, segment);
    g_array_append_val(self->steps, step);
    g_array_append_val(self->stage_programs, stage_program);
    return self;
}

static void
given_ranks_free(LpGivenRanks *self)
{
    if (self == NULL)
        return;
    g_free(self->stage);
    g_free(self->first);
    g_free(self->n_ranks);
    for (LpPipelineDirection direction = 0; direction < LP_N_PIPELINE_DIRECTIONS; direction++) {
        g_free(self->to[direction]);
        g_free(self->from[direction]);
    }
    g_array_unref(self->op_line);
    g_array_unref(self->step_line);
    g_free(self);
}

void
lp_program_free(LpProgram *self)
{
    if (self == NULL)
        return;
    g_array_unref(self->ops);
    g_array_unref(self->segments);
    g_array_unref(self->steps);
    g_array_unref(self->stage_programs);
    lp_communicators_free(self->communicators);
    g_free(self->expert_loads);
    g_free(self->expert_place);
    given_ranks_free(self->given);
    g_free(self);
}

const LpSegment *
lp_program_segment(const LpProgram *self, guint index)
{
    return &g_array_index(self->segments, LpSegment, index);
}

const LpOp *
lp_program_op(const LpProgram *self, guint index)
{
    return &g_array_index(self->ops, LpOp, index);
}

const LpStageProgram *
lp_program_stage(const LpProgram *self, guint stage)
{
    return &g_array_index(self->stage_programs, LpStageProgram, stage);
}

const LpStep *
lp_program_step(const LpProgram *self, guint index)
{
    return &g_array_index(self->steps, LpStep, index);
}

double
lp_program_expert_load(const LpProgram *self, guint32 draw, guint64 rank)
{
    if (self->expert_loads == NULL)
        return 1.0;
    return self->expert_loads[(gsize)draw * self->n_expert_places + self->expert_place[rank]];
}

guint32
lp_program_n_streams(const LpProgram *self)
{
    guint32 n = 1;
    for (LpStream stream = 0; stream < LP_N_STREAMS; stream++)
        n += self->uses_stream[stream] ? 1 : 0;
    return n;
}

guint32
lp_program_rank_stage(const LpProgram *self, guint64 rank)
{
    return self->given != NULL ? self->given->stage[rank]
                               : (guint32)(rank / self->pipeline.stride % self->pipeline.n_stages);
}

guint64
lp_program_stage_ranks(const LpProgram *self, guint32 stage)
{
    return self->given != NULL ? self->given->n_ranks[stage]
                               : self->n_ranks / self->pipeline.n_stages;
}

guint64
lp_program_stage_first(const LpProgram *self, guint32 stage)
{
    return self->given != NULL ? self->given->first[stage] : stage * self->pipeline.stride;
}

/* --- lines --- */

guint
lp_program_n_lines(const LpProgram *self)
{
    return self->given != NULL ? self->given->n_lines : LP_DIRECTION_GIVEN;
}

gboolean
lp_program_has_messages(const LpProgram *self)
{
    if (self->given == NULL)
        return self->pipeline.n_stages > 1;
    for (LpPipelineDirection direction = 0; direction < LP_N_PIPELINE_DIRECTIONS; direction++)
        if (self->given->to[direction] != NULL)
            return TRUE;
    return FALSE;
}

/* The rank of @stage whose position on all other axes is that of @rank. */
static guint64
stage_mate(const LpProgram *self, guint64 rank, guint32 stage)
{
    guint64 stride = self->pipeline.stride;
    return rank - lp_program_rank_stage(self, rank) * stride + stage * stride;
}

/* The neighbour of @rank that it sends to on @direction, or (@back) that sends to it. Only chunks
 * of virtual stages make the line of stages a ring; only DualPipe sends both ways. */
static guint64
neighbour(const LpProgram *self, LpPipelineDirection direction, guint64 rank, gboolean back)
{
    const LpPipeline *pipeline = &self->pipeline;
    guint32 n = pipeline->n_stages, stage = lp_program_rank_stage(self, rank);
    gboolean up = direction == LP_DIRECTION_FORWARD_UP || direction == LP_DIRECTION_BACKWARD_UP;
    gboolean to_next =
        (direction == LP_DIRECTION_FORWARD || direction == LP_DIRECTION_BACKWARD_UP) != back;
    gboolean at_end = stage == (to_next ? n - 1 : 0);
    if (n == 1 || direction >= LP_DIRECTION_GIVEN || (at_end && pipeline->virtual_stages == 1) ||
        (up && !pipeline->both_ways))
        return G_MAXUINT64;
    return stage_mate(self, rank, (stage + (to_next ? 1 : n - 1)) % n);
}

guint64
lp_program_message_receiver(const LpProgram *self, LpPipelineDirection direction, guint64 rank)
{
    if (self->given == NULL)
        return neighbour(self, direction, rank, FALSE);
    return self->given->to[direction] == NULL ? G_MAXUINT64 : self->given->to[direction][rank];
}

guint64
lp_program_message_sender(const LpProgram *self, LpPipelineDirection direction, guint64 rank)
{
    if (self->given == NULL)
        return neighbour(self, direction, rank, TRUE);
    return self->given->from[direction] == NULL ? G_MAXUINT64 : self->given->from[direction][rank];
}

LpStream
lp_program_message_stream(const LpProgram *self, LpPipelineDirection direction)
{
    if (self->given != NULL)
        return self->given->stream[direction];
    return self->uses_stream[LP_STREAM_PP] ? LP_STREAM_PP : LP_N_STREAMS;
}

GArray *
lp_program_collectives(const LpProgram *self, LpGroup group)
{
    GArray *ops = g_array_new(FALSE, FALSE, sizeof(LpOp));
    for (guint i = 0; i < self->ops->len; i++) {
        const LpOp *op = lp_program_op(self, i);
        gboolean is_new = lp_op_is_collective(op) && op->group == group;
        for (guint k = 0; is_new && k < ops->len; k++) {
            const LpOp *known = &g_array_index(ops, LpOp, k);
            is_new = known->collective != op->collective || known->bytes != op->bytes ||
                     known->weight != op->weight ||
                     (self->expert_loads != NULL && known->draw != op->draw);
        }
        if (is_new)
            g_array_append_vals(ops, op, 1);
    }
    return ops;
}

const LpCommunicator *
lp_program_communicator(const LpProgram *self, LpGroup group, guint64 rank)
{
    return lp_communicators_of(self->communicators, group, rank);
}
