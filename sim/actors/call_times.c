/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of seconds and calls. */
#include "sim/actors/call_times.h"

LpCallTimes *
lp_call_times_new(void)
{
    LpCallTimes *self = g_new0(LpCallTimes, 1);
    self->of_op = g_array_new(FALSE, TRUE, sizeof(LpCallTime));
    return self;
}

void
lp_call_times_free(LpCallTimes *self)
{
    if (self == NULL)
        return;
    g_array_unref(self->of_op);
    g_free(self);
}

void
lp_call_times_prepare(LpCallTimes *self, const LpProgram *program)
{
    g_array_set_size(self->of_op, program->ops->len);
}

void
lp_call_times_add(LpCallTimes *self, const LpProgram *program, const LpOp *op, guint64 n,
                  double time_s)
{
    if (self == NULL)
        return;
    gsize index = (gsize)(op - lp_program_op(program, 0));
    LpCallTime *time = &g_array_index(self->of_op, LpCallTime, index);
    time->sum_s += (double)n * time_s;
    time->n += n;
}

static double
mean_s(const LpCallTime *time)
{
    return time->n == 0 ? 0.0 : time->sum_s / (double)time->n;
}

double
lp_call_times_mean_s(const LpCallTimes *self, guint index)
{
    return index < self->of_op->len ? mean_s(&g_array_index(self->of_op, LpCallTime, index)) : 0.0;
}

double
lp_call_times_message_s(const LpCallTimes *self)
{
    return mean_s(&self->message);
}
