/* SPDX-License-Identifier: Apache-2.0 */
/* Counts what is launched and joined, step by step. */
#include "sim/analysis/idle_steps.h"

/* What a segment does to a stream. */
typedef struct {
    guint64 n_launched; /* after the last join */
    guint64 n_kept;     /* of those before it, what its joins leave at most */
    gboolean launches;
} StreamUse;

static StreamUse
find_use(const LpProgram *program, guint32 index, LpStream stream)
{
    const LpSegment *segment = lp_program_segment(program, index);
    StreamUse use = {.n_kept = G_MAXUINT64};
    for (guint i = 0; i < segment->n_ops; i++) {
        const LpOp *op = lp_program_op(program, segment->first_op + i);
        if (op->kind == LP_OP_LAUNCH && op->stream == stream) {
            use.n_launched++;
            use.launches = TRUE;
        } else if (op->kind == LP_OP_JOIN && op->stream == stream) {
            /* Those launched last are left. */
            use.n_kept = op->n_pending > use.n_launched
                             ? MIN(use.n_kept, op->n_pending - use.n_launched)
                             : 0;
            use.n_launched = MIN(use.n_launched, op->n_pending);
        }
    }
    return use;
}

static gboolean
segments_are_closed(const LpProgram *program)
{
    for (guint32 i = 0; i < program->segments->len; i++)
        for (LpStream stream = 0; stream < LP_N_STREAMS; stream++) {
            StreamUse use = find_use(program, i, stream);
            if (lp_stream_is_inner(stream) && use.n_launched > 0)
                return FALSE;
        }
    return TRUE;
}

/* Walks through a stage. Returns: whether its end finds the stream as its beginning does, so that
 * another iteration may follow. */
static gboolean
walk(const LpProgram *program, const StreamUse *uses, guint32 stage, gboolean *out_idle)
{
    const LpStageProgram *stage_program = lp_program_stage(program, stage);
    guint64 n_pending = 0;
    for (guint i = 0; i < stage_program->n_steps; i++) {
        const LpStep *step = lp_program_step(program, stage_program->first_step + i);
        if (step->kind != LP_STEP_SEGMENT)
            continue;
        const StreamUse *use = &uses[step->segment];
        out_idle[stage_program->first_step + i] = n_pending == 0 && !use->launches;
        n_pending = MIN(n_pending, use->n_kept) + use->n_launched;
    }
    return n_pending == 0;
}

gboolean *
lp_idle_steps_find(const LpProgram *program)
{
    gboolean *idle = g_new0(gboolean, program->steps->len);
    if (!segments_are_closed(program))
        return idle;
    g_autofree StreamUse *uses = g_new(StreamUse, program->segments->len);
    for (guint32 i = 0; i < program->segments->len; i++)
        uses[i] = find_use(program, i, LP_STREAM_DP);
    for (guint32 stage = 0; stage < program->pipeline.n_stages; stage++) {
        const LpStageProgram *stage_program = lp_program_stage(program, stage);
        if (!walk(program, uses, stage, idle))
            for (guint i = 0; i < stage_program->n_steps; i++)
                idle[stage_program->first_step + i] = FALSE;
    }
    return idle;
}
