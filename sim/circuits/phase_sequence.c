/* SPDX-License-Identifier: Apache-2.0 */
/* Reads phases from programs, and follows a rank through them. */
#include "sim/circuits/phase_sequence.h"

/* Phases farther ahead than this are as good as never. */
#define LOOK_AHEAD 64u

static LpPhase *
phase(const LpPhaseSequence *self, guint index)
{
    return &g_array_index(self->phases, LpPhase, index);
}

static void
append(LpPhaseSequence *self, guint32 pattern, guint32 n_uses)
{
    if (pattern == LP_CIRCUIT_NONE)
        return;
    GArray *phases = self->initial;
    LpPhase *last = phases->len > 0 ? &g_array_index(phases, LpPhase, phases->len - 1) : NULL;
    if (last != NULL && last->pattern == pattern) {
        last->n_left += n_uses;
        return;
    }
    LpPhase made = {pattern, n_uses};
    g_array_append_val(phases, made);
}

/* A sequence being read. Launches at the end of a segment wait for the step behind it: a message to
 * another stage goes before them, since that stage waits for it. */
typedef struct {
    const LpCircuitPlan *plan; /* borrowed */
    guint64 rank;
    GArray *launched; /* owned: guint32, patterns launched since the last other operation */
} Reader;

static void
flush(LpPhaseSequence *self, Reader *reader)
{
    for (guint i = 0; i < reader->launched->len; i++)
        append(self, g_array_index(reader->launched, guint32, i), 1);
    g_array_set_size(reader->launched, 0);
}

static void
append_op(LpPhaseSequence *self, Reader *reader, const LpOp *op)
{
    if (op->kind != LP_OP_LAUNCH)
        flush(self, reader);
    const LpCommunicator *communicator =
        lp_op_is_collective(op)
            ? lp_program_communicator(reader->plan->map->program, op->group, reader->rank)
            : NULL;
    if (communicator == NULL)
        return;
    const LpCircuitUse *use = lp_circuit_plan_use(reader->plan, communicator);
    for (guint32 round = 0; use->pattern != LP_CIRCUIT_NONE && round < use->n_rounds; round++) {
        guint32 pattern = use->pattern + round;
        if (op->kind == LP_OP_LAUNCH)
            g_array_append_val(reader->launched, pattern);
        else
            append(self, pattern, 1);
    }
}

static void
append_step(LpPhaseSequence *self, Reader *reader, const LpStep *step)
{
    const LpProgram *program = reader->plan->map->program;
    if (step->kind == LP_STEP_SEND) {
        append(self, reader->plan->direction_pattern[step->direction][reader->rank], 1);
    } else if (step->kind == LP_STEP_RECV) {
        guint64 sender = lp_program_message_sender(program, step->direction, reader->rank);
        flush(self, reader);
        append(self, reader->plan->direction_pattern[step->direction][sender], 1);
    } else {
        const LpSegment *segment = lp_program_segment(program, step->segment);
        for (guint i = 0; i < segment->n_ops; i++)
            append_op(self, reader, lp_program_op(program, segment->first_op + i));
    }
}

static void
begin(LpPhaseSequence *self)
{
    g_array_set_size(self->phases, 0);
    g_array_append_vals(self->phases, self->initial->data, self->initial->len);
    self->first = 0;
}

void
lp_phase_sequence_init(LpPhaseSequence *self, const LpCircuitPlan *plan, guint64 rank)
{
    const LpProgram *program = plan->map->program;
    const LpStageProgram *steps = lp_program_stage(program, lp_program_rank_stage(program, rank));
    self->initial = g_array_new(FALSE, FALSE, sizeof(LpPhase));
    Reader reader = {plan, rank, g_array_new(FALSE, FALSE, sizeof(guint32))};
    for (guint i = 0; i < steps->n_steps; i++)
        append_step(self, &reader, lp_program_step(program, steps->first_step + i));
    flush(self, &reader);
    g_array_unref(reader.launched);
    self->phases = g_array_sized_new(FALSE, FALSE, sizeof(LpPhase), self->initial->len);
    begin(self);
}

void
lp_phase_sequence_clear(LpPhaseSequence *self)
{
    g_clear_pointer(&self->initial, g_array_unref);
    g_clear_pointer(&self->phases, g_array_unref);
}

guint32
lp_phase_sequence_next(const LpPhaseSequence *self)
{
    return self->first < self->phases->len ? phase(self, self->first)->pattern : LP_CIRCUIT_NONE;
}

guint32
lp_phase_sequence_ahead(const LpPhaseSequence *self, guint ahead)
{
    guint index = self->first + ahead;
    return index < self->phases->len ? phase(self, index)->pattern : LP_CIRCUIT_NONE;
}

/* Streams run beside each other, so that a use may end before one that stands ahead of it. */
void
lp_phase_sequence_use(LpPhaseSequence *self, guint32 pattern)
{
    for (guint i = self->first; i < self->phases->len; i++) {
        LpPhase *at = phase(self, i);
        if (at->pattern != pattern || at->n_left == 0)
            continue;
        at->n_left--;
        break;
    }
    while (self->first < self->phases->len && phase(self, self->first)->n_left == 0)
        self->first++;
    if (self->first == self->phases->len)
        begin(self);
}

guint
lp_phase_sequence_distance(const LpPhaseSequence *self, guint32 pattern)
{
    guint end = MIN(self->phases->len, self->first + LOOK_AHEAD);
    for (guint i = self->first; i < end; i++)
        if (phase(self, i)->pattern == pattern && phase(self, i)->n_left > 0)
            return i - self->first;
    return G_MAXUINT;
}
