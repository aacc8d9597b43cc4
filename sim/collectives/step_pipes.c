/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of ways by member, each made when it is first asked for. */
#include "sim/collectives/step_pipes.h"

#include "sim/collectives/algorithm.h"

struct LpStepPipes {
    LpStepSchedule schedule;
    GArray **of_member; /* owned, of owned GArray of LpStepPipe; NULL: not asked for yet */
};

LpStepPipes *
lp_step_pipes_new(const LpStepSchedule *schedule)
{
    if (lp_step_schedule_class(schedule)->add_pipes == NULL)
        return NULL;
    LpStepPipes *self = g_new0(LpStepPipes, 1);
    self->schedule = *schedule;
    self->of_member = g_new0(GArray *, lp_step_schedule_n_participants(schedule));
    return self;
}

void
lp_step_pipes_free(LpStepPipes *self)
{
    if (self == NULL)
        return;
    for (guint64 i = 0; i < lp_step_schedule_n_participants(&self->schedule); i++)
        g_clear_pointer(&self->of_member[i], g_array_unref);
    g_free(self->of_member);
    g_free(self);
}

static gboolean
are_alike(const LpStepPipe *one, const LpStepPipe *other)
{
    return one->to == other->to && one->lane == other->lane &&
           one->first_step == other->first_step && one->chunks.n == other->chunks.n &&
           one->chunks.quotient == other->chunks.quotient &&
           one->chunks.remainder == other->chunks.remainder;
}

void
lp_step_pipes_add(GArray *io_pipes, const LpStepPipe *pipe)
{
    for (guint i = 0; i < io_pipes->len; i++) {
        LpStepPipe *known = &g_array_index(io_pipes, LpStepPipe, i);
        if (are_alike(known, pipe)) {
            known->n_alike++;
            return;
        }
    }
    LpStepPipe new = *pipe;
    new.n_alike = 1;
    g_array_append_val(io_pipes, new);
}

static const GArray *
pipes_of(LpStepPipes *self, guint64 member)
{
    GArray **pipes = &self->of_member[member];
    if (*pipes == NULL) {
        *pipes = g_array_new(FALSE, FALSE, sizeof(LpStepPipe));
        lp_step_schedule_class(&self->schedule)->add_pipes(&self->schedule, member, *pipes);
    }
    return *pipes;
}

guint64
lp_step_pipes_sends(LpStepPipes *self, guint64 member, guint64 step, LpSend *out_sends)
{
    const GArray *pipes = pipes_of(self, member);
    LpSink sink = lp_sink_plain();
    sink.sends = out_sends;
    for (guint i = 0; i < pipes->len; i++) {
        const LpStepPipe *pipe = &g_array_index(pipes, LpStepPipe, i);
        if (step < pipe->first_step || step - pipe->first_step >= pipe->chunks.n)
            continue;
        sink.lane = pipe->lane;
        lp_sink_add(&sink, pipe->to, 0,
                    pipe->n_alike * lp_blocks_bytes(&pipe->chunks, step - pipe->first_step), FALSE);
    }
    return sink.n_sends;
}

gboolean
lp_step_pipes_opens(LpStepPipes *self, guint64 member, guint64 step, const LpSend *send)
{
    const GArray *pipes = pipes_of(self, member);
    for (guint i = 0; i < pipes->len; i++) {
        const LpStepPipe *pipe = &g_array_index(pipes, LpStepPipe, i);
        if (pipe->to == send->to && pipe->lane == send->lane && pipe->first_step == step)
            return TRUE;
    }
    return FALSE;
}
