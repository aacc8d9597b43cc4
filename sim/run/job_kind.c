/* SPDX-License-Identifier: Apache-2.0 */
/* Describes programs and tasks field by field. */
#include "sim/run/job_kind.h"

static void
add_work(LpNumbering *kinds, LpWork work)
{
    lp_numbering_add_number(kinds, work.device_s);
    lp_numbering_add_number(kinds, work.host_s);
    lp_numbering_add_number(kinds, work.bound_s);
    lp_numbering_add_number(kinds, work.idle_s);
    lp_numbering_add_number(kinds, work.wait_s);
    lp_numbering_add_count(kinds, work.waits ? 1 : 0);
}

static void
add_terms(LpNumbering *kinds, const LpTerms *terms)
{
    for (LpTerm term = 0; term < LP_N_TERMS; term++)
        lp_numbering_add_number(kinds, terms->s[term]);
}

static void
add_counts(LpNumbering *kinds, const guint64 *counts, guint n)
{
    for (guint i = 0; i < n; i++)
        lp_numbering_add_count(kinds, counts[i]);
}

static void
add_op(LpNumbering *kinds, const LpOp *op)
{
    guint64 counts[] = {op->kind,       op->term,   op->loaded ? 1 : 0, op->draw,
                        op->collective, op->group,  op->weight,         op->traffic,
                        op->bytes,      op->stream, op->n_pending,      op->awaited};
    add_counts(kinds, counts, G_N_ELEMENTS(counts));
    add_work(kinds, op->work);
}

static void
add_ops(LpNumbering *kinds, const LpProgram *program)
{
    lp_numbering_add_count(kinds, program->ops->len);
    for (guint i = 0; i < program->ops->len; i++)
        add_op(kinds, lp_program_op(program, i));
    lp_numbering_add_count(kinds, program->segments->len);
    for (guint i = 0; i < program->segments->len; i++) {
        const LpSegment *segment = lp_program_segment(program, i);
        guint64 counts[] = {segment->role, segment->stage, segment->chunk, segment->first_op,
                            segment->n_ops};
        add_counts(kinds, counts, G_N_ELEMENTS(counts));
    }
}

static void
add_steps(LpNumbering *kinds, const LpProgram *program)
{
    lp_numbering_add_count(kinds, program->stage_programs->len);
    for (guint i = 0; i < program->stage_programs->len; i++)
        lp_numbering_add_count(kinds, lp_program_stage(program, i)->n_steps);
    lp_numbering_add_count(kinds, program->steps->len);
    for (guint i = 0; i < program->steps->len; i++) {
        const LpStep *step = lp_program_step(program, i);
        guint64 counts[] = {step->kind,  step->direction, step->segment,    step->peer,
                            step->chunk, step->bytes,     step->micro_batch};
        add_counts(kinds, counts, G_N_ELEMENTS(counts));
    }
}

static void
add_traits(LpNumbering *kinds, const LpProgram *program)
{
    const LpPipeline *pipeline = &program->pipeline;
    const LpExecution *execution = &program->execution;
    guint64 counts[] = {program->n_ranks,         pipeline->n_stages,
                        pipeline->stride,         pipeline->n_chunks,
                        pipeline->n_layers,       pipeline->n_micro_batches,
                        pipeline->virtual_stages, pipeline->both_ways ? 1 : 0,
                        pipeline->message_bytes,  execution->host_is_free ? 1 : 0,
                        execution->host_sync,     execution->waits_within ? 1 : 0,
                        execution->checks,        execution->change};
    add_counts(kinds, counts, G_N_ELEMENTS(counts));
    lp_numbering_add_number(kinds, execution->collective_host_s);
    lp_numbering_add_number(kinds, execution->slowdown);
    for (LpStream stream = 0; stream < LP_N_STREAMS; stream++)
        lp_numbering_add_count(kinds, program->uses_stream[stream] ? 1 : 0);
}

/* Of all draws that operations meet. */
static void
add_loads(LpNumbering *kinds, const LpProgram *program)
{
    guint32 n_draws = 0;
    for (guint i = 0; i < program->ops->len; i++)
        n_draws = MAX(n_draws, lp_program_op(program, i)->draw + 1);
    lp_numbering_add_count(kinds, program->n_expert_places);
    for (guint32 i = 0; program->expert_loads != NULL && i < n_draws * program->n_expert_places;
         i++)
        lp_numbering_add_number(kinds, program->expert_loads[i]);
}

static void
add_tasks(LpNumbering *kinds, const LpTasks *tasks, const LpProgram *program)
{
    const LpOp *ops = lp_program_op(program, 0);
    lp_numbering_add_count(kinds, tasks->tasks->len);
    for (guint i = 0; i < tasks->tasks->len; i++) {
        const LpTask *task = &g_array_index(tasks->tasks, LpTask, i);
        guint64 counts[] = {task->kind,
                            task->gathers,
                            task->loaded ? 1 : 0,
                            task->draw,
                            task->first_piece,
                            task->n_pieces,
                            task->op == NULL ? G_MAXUINT64 : (guint64)(task->op - ops)};
        add_counts(kinds, counts, G_N_ELEMENTS(counts));
        add_counts(kinds, task->traffic_bytes, LP_N_TRAFFIC);
        add_work(kinds, task->work);
        add_terms(kinds, &task->terms);
        lp_numbering_add_number(kinds, task->delay_s);
    }
    for (guint i = 0; i < program->segments->len; i++) {
        lp_numbering_add_count(kinds, tasks->ranges[i].first);
        lp_numbering_add_count(kinds, tasks->ranges[i].n);
    }
}

static void
add_pieces(LpNumbering *kinds, const LpTasks *tasks)
{
    lp_numbering_add_count(kinds, tasks->pieces->len);
    lp_numbering_add_number(kinds, tasks->message_host_s);
    for (guint i = 0; i < tasks->pieces->len; i++) {
        const LpPiece *piece = &g_array_index(tasks->pieces, LpPiece, i);
        guint64 counts[] = {piece->kind, piece->term, piece->stream, piece->n_pending};
        add_counts(kinds, counts, G_N_ELEMENTS(counts));
        add_work(kinds, piece->work);
        add_terms(kinds, &piece->terms);
        lp_numbering_add_number(kinds, piece->time_s);
    }
}

guint32
lp_job_kind(LpNumbering *kinds, const LpRunJob *job)
{
    const LpProgram *program = job->map->program;
    lp_numbering_add_number(kinds, job->start_s);
    lp_numbering_add_count(kinds, job->n_iterations);
    add_traits(kinds, program);
    add_ops(kinds, program);
    add_steps(kinds, program);
    add_loads(kinds, program);
    add_tasks(kinds, job->tasks, program);
    add_pieces(kinds, job->tasks);
    return lp_numbering_end(kinds);
}
