/* SPDX-License-Identifier: Apache-2.0 */
/* Sections become stages, bodies segments and messages between them, and what operations wait for
 * becomes joins. */
#include "workloads/program/given_lowering.h"

#include "workloads/program/given_groups.h"
#include "workloads/program/given_lines.h"
#include "workloads/program/program_check.h"

#include <math.h>

/* What making the stages needs at every turn. */
typedef struct {
    const LpGivenProgram *given;      /* borrowed */
    const LpAccelerator *accelerator; /* borrowed, or NULL */
    LpPrecision precision;
    LpProgram *program;        /* borrowed */
    const LpGivenLines *lines; /* borrowed */
    const LpGivenKinds *kinds; /* borrowed */
    guint32 stage;             /* the one at hand */
    GArray **steps; /* owned, by body: LpStep, those of the stage at hand; NULL: not yet made */
    GArray **step_lines;                        /* owned, by body: guint32 */
    guint64 (*n_launched)[LP_GIVEN_QUEUES_MAX]; /* owned, by body: when run once */
    LpTerm last_term[LP_GIVEN_QUEUES_MAX];      /* of what each queue took last */
    gboolean is_used[LP_GIVEN_QUEUES_MAX];
} Builder;

/* A body that is being made. */
typedef struct {
    Builder *all;            /* borrowed */
    const LpGivenBody *body; /* borrowed */
    guint32 index;           /* of the body */
    gboolean has_segment;    /* operations go to the last segment of the program */
    guint64 *number;         /* owned, by place: launches of its queue before it */
    gboolean *is_out;        /* owned, by place */
    guint64 n_launched[LP_GIVEN_QUEUES_MAX];
    /* by queue and other queue: launches of the other that it has waited for already */
    guint64 n_awaited[LP_GIVEN_QUEUES_MAX][LP_GIVEN_QUEUES_MAX];
} Making;

/* --- operations --- */

static LpTerm
term_of(const Builder *self, const LpGivenOp *op)
{
    if (op->has_term)
        return op->term;
    switch (op->kind) {
    case LP_GIVEN_COLLECTIVE:
        return lp_group_traits(lp_given_kinds_of(self->kinds, op))->term;
    case LP_GIVEN_SEND:
    case LP_GIVEN_RECEIVE:
        return LP_TERM_PP;
    case LP_GIVEN_COMPUTE:
    case LP_GIVEN_WAIT:
    case LP_GIVEN_RUN:
        break;
    }
    return LP_TERM_COMPUTE;
}

/* A roofline: the longer of arithmetic and memory traffic, at what products and streams reach of
 * the peaks, and the launch. */
static LpWork
work_of(const Builder *self, const LpGivenOp *op)
{
    const LpAccelerator *on = self->accelerator;
    if (!op->has_rates)
        return op->work;
    if (on == NULL)
        return LP_WORK_NONE;
    double peak = lp_accelerator_peak_flop_per_s(on, self->precision);
    double time_s = fmax(op->flop / (peak * lp_accelerator_gemm_efficiency(on, self->precision)),
                         op->memory_bytes / (on->memory_bytes_per_s * on->memory_efficiency)) +
                    on->launch_s;
    double host_s = self->given->execution.host_is_free ? 0.0 : on->host_kernel_s;
    return (LpWork){.device_s = time_s, .host_s = host_s, .issue_s = host_s, .bound_s = time_s};
}

static void
append_op(Making *self, LpOp op, guint32 file_line)
{
    LpProgram *program = self->all->program;
    if (!self->has_segment) {
        LpSegment segment = {
            .role = LP_ROLE_BLOCK, .stage = self->all->stage, .first_op = program->ops->len};
        LpStep step = {.kind = LP_STEP_SEGMENT, .segment = program->segments->len};
        guint32 no_line = 0;
        g_array_append_val(program->segments, segment);
        g_array_append_val(self->all->steps[self->index], step);
        g_array_append_val(self->all->step_lines[self->index], no_line);
        self->has_segment = TRUE;
    }
    g_array_append_val(program->ops, op);
    g_array_append_val(program->given->op_line, file_line);
    g_array_index(program->segments, LpSegment, program->segments->len - 1).n_ops++;
}

/* @queue waits until launch @number of @other has ended, and so all before it. */
static void
wait_for(Making *self, guint32 queue, guint32 other, guint64 number, LpTerm term, guint32 file_line)
{
    guint64 *n_awaited = &self->n_awaited[queue][other];
    if (*n_awaited > number)
        return;
    *n_awaited = number + 1;
    guint n_pending = (guint)(self->n_launched[other] - number - 1);
    LpStream awaited = lp_given_queue_stream(other);
    LpOp op = {.kind = LP_OP_JOIN, .term = term, .stream = awaited, .n_pending = n_pending};
    if (queue != LP_GIVEN_COMPUTE_QUEUE)
        op = (LpOp){.kind = LP_OP_AWAIT,
                    .stream = lp_given_queue_stream(queue),
                    .awaited = awaited,
                    .n_pending = n_pending};
    append_op(self, op, file_line);
}

/* What the compute queue does stands in order with what it hands out. */
static void
wait_for_named(Making *self, const LpGivenOp *op)
{
    for (guint32 i = 0; i < op->n_after; i++) {
        guint32 place = g_array_index(self->all->given->after, guint32, op->first_after + i);
        const LpGivenOp *before = lp_given_body_op(self->body, place);
        if (before->queue != op->queue && before->queue != LP_GIVEN_COMPUTE_QUEUE &&
            before->kind != LP_GIVEN_WAIT)
            wait_for(self, op->queue, before->queue, self->number[place],
                     term_of(self->all, before), op->line);
    }
}

static void
launch(Making *self, guint place, const LpGivenOp *op)
{
    if (op->queue == LP_GIVEN_COMPUTE_QUEUE)
        return;
    self->number[place] = self->n_launched[op->queue]++;
    self->all->last_term[op->queue] = term_of(self->all, op);
    self->all->is_used[op->queue] = TRUE;
    self->all->program->uses_stream[lp_given_queue_stream(op->queue)] = TRUE;
}

static void
add_compute(Making *self, guint place, const LpGivenOp *op)
{
    LpStream stream = lp_given_queue_stream(op->queue);
    append_op(self,
              (LpOp){.kind = stream == LP_N_STREAMS ? LP_OP_COMPUTE : LP_OP_LAUNCH_COMPUTE,
                     .term = term_of(self->all, op),
                     .work = work_of(self->all, op),
                     .stream = stream == LP_N_STREAMS ? 0 : stream},
              op->line);
    launch(self, place, op);
}

/* Adds a collective. In a group of one rank it does nothing, but other operations count on its
 * launch. */
static void
add_collective(Making *self, guint place, const LpGivenOp *op)
{
    Builder *all = self->all;
    LpStream stream = lp_given_queue_stream(op->queue);
    LpGroup kind = lp_given_kinds_of(all->kinds, op);
    const GArray *ranks = all->lines->ranks->pdata[all->stage];
    gboolean is_empty = lp_communicators_of(all->program->communicators, kind,
                                            g_array_index(ranks, guint32, 0)) == NULL ||
                        (op->bytes == 0 && op->collective != LP_COLLECTIVE_BARRIER);
    if (is_empty) {
        LpGivenOp nothing = {.kind = LP_GIVEN_COMPUTE, .queue = op->queue, .line = op->line};
        if (op->queue != LP_GIVEN_COMPUTE_QUEUE)
            add_compute(self, place, &nothing);
        return;
    }
    append_op(self,
              (LpOp){.kind = stream == LP_N_STREAMS ? LP_OP_COLLECTIVE : LP_OP_LAUNCH,
                     .term = term_of(all, op),
                     .collective = op->collective,
                     .group = kind,
                     .traffic = op->has_traffic ? op->traffic : lp_group_traits(kind)->traffic,
                     .bytes = op->bytes,
                     .stream = stream},
              op->line);
    launch(self, place, op);
}

static void
add_message(Making *self, guint place, const LpGivenOp *op)
{
    Builder *all = self->all;
    LpPipelineDirection line = lp_given_lines_of(all->lines, all->stage, op);
    guint32 rank = g_array_index((const GArray *)all->lines->ranks->pdata[all->stage], guint32, 0);
    guint32 peer = (guint32)(op->peer + (op->is_relative ? (gint64)rank : 0));
    LpStep step = {.kind = op->kind == LP_GIVEN_SEND ? LP_STEP_SEND : LP_STEP_RECV,
                   .direction = line,
                   .bytes = op->bytes,
                   .peer = all->program->given->stage[peer]};
    g_array_append_val(all->steps[self->index], step);
    g_array_append_val(all->step_lines[self->index], op->line);
    self->has_segment = FALSE;
    launch(self, place, op);
}

/* Adds a wait. Operations that were launched although they stand behind the wait count among those
 * that may be left. */
static void
add_wait(Making *self, guint place, const LpGivenOp *op)
{
    guint64 n_left = op->n_left;
    for (guint i = place + 1; i < self->body->ops->len; i++)
        n_left += self->is_out[i] && lp_given_body_op(self->body, i)->queue == op->waited;
    LpStream awaited = lp_given_queue_stream(op->waited), stream = lp_given_queue_stream(op->queue);
    LpTerm term = op->has_term ? op->term : self->all->last_term[op->waited];
    self->all->program->uses_stream[awaited] = TRUE;
    LpOp made = {.kind = LP_OP_JOIN, .term = term, .stream = awaited, .n_pending = (guint)n_left};
    if (op->queue != LP_GIVEN_COMPUTE_QUEUE) {
        self->all->program->uses_stream[stream] = TRUE;
        made = (LpOp){
            .kind = LP_OP_AWAIT, .stream = stream, .awaited = awaited, .n_pending = (guint)n_left};
    }
    append_op(self, made, op->line);
}

/* --- bodies --- */

static void make_body(Builder *self, guint32 index);

static void
add_run(Making *self, const LpGivenOp *op)
{
    Builder *all = self->all;
    if (all->steps[op->body] == NULL)
        make_body(all, op->body);
    GArray *steps = all->steps[self->index];
    const GArray *repeated = all->steps[op->body];
    for (guint32 time = 0; time < op->times; time++) {
        guint first = steps->len;
        g_array_append_vals(steps, repeated->data, repeated->len);
        g_array_append_vals(all->step_lines[self->index], all->step_lines[op->body]->data,
                            repeated->len);
        for (guint i = first; op->times > 1 && i < steps->len; i++)
            g_array_index(steps, LpStep, i).micro_batch = time;
    }
    for (guint32 queue = 1; queue < LP_GIVEN_QUEUES_MAX; queue++)
        self->n_launched[queue] += op->times * all->n_launched[op->body][queue];
    self->has_segment = FALSE;
}

static void
add(Making *self, guint place)
{
    const LpGivenOp *op = lp_given_body_op(self->body, place);
    wait_for_named(self, op);
    switch (op->kind) {
    case LP_GIVEN_COMPUTE:
        add_compute(self, place, op);
        break;
    case LP_GIVEN_COLLECTIVE:
        add_collective(self, place, op);
        break;
    case LP_GIVEN_SEND:
    case LP_GIVEN_RECEIVE:
        add_message(self, place, op);
        break;
    case LP_GIVEN_WAIT:
        add_wait(self, place, op);
        break;
    case LP_GIVEN_RUN:
        add_run(self, op);
        break;
    }
    self->is_out[place] = TRUE;
}

/* The steps of body @index in the stage at hand. It has an order: that was checked. */
static void
make_body(Builder *self, guint32 index)
{
    const LpGivenBody *body = lp_given_program_body(self->given, index);
    g_autoptr(GArray) order = lp_given_program_order(self->given, body, NULL);
    g_return_if_fail(order != NULL);
    self->steps[index] = g_array_new(FALSE, FALSE, sizeof(LpStep));
    self->step_lines[index] = g_array_new(FALSE, FALSE, sizeof(guint32));
    g_autofree guint64 *number = g_new0(guint64, body->ops->len);
    g_autofree gboolean *is_out = g_new0(gboolean, body->ops->len);
    Making making = {.all = self, .body = body, .index = index, .number = number, .is_out = is_out};
    for (guint i = 0; i < order->len; i++)
        add(&making, g_array_index(order, guint32, i));
    for (guint32 queue = 0; queue < LP_GIVEN_QUEUES_MAX; queue++)
        self->n_launched[index][queue] = making.n_launched[queue];
}

/* --- stages --- */

/* An iteration ends when all queues have. */
static void
add_end(Builder *self)
{
    LpProgram *program = self->program;
    LpSegment segment = {
        .role = LP_ROLE_FINISH, .stage = self->stage, .first_op = program->ops->len};
    for (guint32 queue = 1; queue < LP_GIVEN_QUEUES_MAX; queue++) {
        LpOp op = {.kind = LP_OP_JOIN,
                   .term = self->last_term[queue],
                   .stream = lp_given_queue_stream(queue)};
        guint32 no_line = 0;
        if (!self->is_used[queue])
            continue;
        g_array_append_val(program->ops, op);
        g_array_append_val(program->given->op_line, no_line);
        segment.n_ops++;
    }
    LpStep step = {.kind = LP_STEP_SEGMENT, .segment = program->segments->len};
    guint32 no_line = 0;
    g_array_append_val(program->segments, segment);
    g_array_append_val(program->steps, step);
    g_array_append_val(program->given->step_line, no_line);
}

static void
add_stage(Builder *self, guint32 stage)
{
    LpProgram *program = self->program;
    guint n_bodies = self->given->bodies->len;
    guint32 section = g_array_index(self->lines->section, guint32, stage);
    guint32 body = lp_given_program_section(self->given, section)->body;
    LpStageProgram stage_program = {.first_step = program->steps->len};
    self->stage = stage;
    self->steps = g_new0(GArray *, n_bodies);
    self->step_lines = g_new0(GArray *, n_bodies);
    self->n_launched = g_malloc0_n(n_bodies, sizeof *self->n_launched);
    for (guint32 queue = 0; queue < LP_GIVEN_QUEUES_MAX; queue++) {
        self->last_term[queue] = LP_TERM_DP;
        self->is_used[queue] = FALSE;
    }
    make_body(self, body);
    g_array_append_vals(program->steps, self->steps[body]->data, self->steps[body]->len);
    g_array_append_vals(program->given->step_line, self->step_lines[body]->data,
                        self->step_lines[body]->len);
    add_end(self);
    stage_program.n_steps = program->steps->len - stage_program.first_step;
    g_array_append_val(program->stage_programs, stage_program);
    for (guint i = 0; i < n_bodies; i++)
        if (self->steps[i] != NULL) {
            g_array_unref(self->steps[i]);
            g_array_unref(self->step_lines[i]);
        }
    g_free(self->steps);
    g_free(self->step_lines);
    g_free(self->n_launched);
}

static void
place_ranks(LpProgram *program, const LpGivenLines *lines)
{
    LpGivenRanks *given = program->given;
    guint n_stages = lines->section->len;
    given->stage = g_new0(guint32, program->n_ranks);
    given->first = g_new0(guint64, n_stages);
    given->n_ranks = g_new0(guint64, n_stages);
    for (guint32 stage = 0; stage < n_stages; stage++) {
        const GArray *ranks = lines->ranks->pdata[stage];
        given->first[stage] = G_MAXUINT64;
        given->n_ranks[stage] = ranks->len;
        for (guint i = 0; i < ranks->len; i++) {
            guint32 rank = g_array_index(ranks, guint32, i);
            given->stage[rank] = stage;
            given->first[stage] = MIN(given->first[stage], rank);
        }
    }
}

/* An iteration of no time has no rates, and nothing can be compared with it. */
static gboolean
takes_time(const LpProgram *program)
{
    for (guint i = 0; i < program->ops->len; i++) {
        const LpOp *op = lp_program_op(program, i);
        if (lp_op_is_collective(op) || op->work.device_s > 0.0)
            return TRUE;
    }
    for (guint i = 0; i < program->steps->len; i++)
        if (lp_program_step(program, i)->kind == LP_STEP_SEND)
            return TRUE;
    return FALSE;
}

LpProgram *
lp_given_lowering_program(const LpGivenProgram *given, const LpAccelerator *accelerator,
                          const LpPlan *plan, GError **error)
{
    g_autoptr(LpProgram) program = lp_program_new();
    program->n_ranks = given->n_ranks;
    program->execution = given->execution;
    program->execution.slowdown = plan->overlap.slowdown;
    program->execution.change = plan->library.change;
    program->given = g_new0(LpGivenRanks, 1);
    program->given->op_line = g_array_new(FALSE, FALSE, sizeof(guint32));
    program->given->step_line = g_array_new(FALSE, FALSE, sizeof(guint32));
    g_autoptr(LpGivenKinds) kinds = lp_given_kinds_new(given, &program->communicators, error);
    g_autoptr(LpGivenLines) lines =
        kinds == NULL ? NULL : lp_given_lines_new(given, program->given, error);
    if (lines == NULL)
        return NULL;
    place_ranks(program, lines);
    program->pipeline = (LpPipeline){.n_stages = lines->section->len,
                                     .stride = 1,
                                     .n_chunks = 1,
                                     .n_layers = 1,
                                     .n_micro_batches = 1,
                                     .virtual_stages = 1};
    Builder builder = {.given = given,
                       .accelerator = accelerator,
                       .precision = plan->format.precision,
                       .program = program,
                       .lines = lines,
                       .kinds = kinds};
    for (guint32 stage = 0; stage < lines->section->len; stage++)
        add_stage(&builder, stage);
    if (!lp_program_check(program, given, &plan->library.picks, error))
        return NULL;
    if (accelerator != NULL && !takes_time(program)) {
        (void)lp_given_program_fail(given, 1, error,
                                    "<program>: got no operation that takes time, wanted one that "
                                    "takes time");
        return NULL;
    }
    return g_steal_pointer(&program);
}
