/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the running time of a job by what it was spent on. */
#include "sim/days/ledger.h"

#include <math.h>

static void
work(LpLedger *self, double seconds, double speed)
{
    self->pending_work_s += seconds * speed;
    self->pending_degraded_s += seconds * (1.0 - speed);
}

static void
commit(LpLedger *self, double writing_s)
{
    self->work_s += self->pending_work_s;
    self->degraded_s += self->pending_degraded_s;
    self->writing_s += writing_s;
    self->pending_work_s = self->pending_degraded_s = self->position_s = 0.0;
}

/* Within one stretch, or to its end. */
static void
run_part(LpLedger *self, const LpGoodputInput *input, double seconds, double speed)
{
    work(self, MIN(seconds, MAX(input->interval_s - self->position_s, 0.0)), speed);
    self->position_s += seconds;
}

/* All that are whole. Returns: the seconds behind them. */
static double
run_stretches(LpLedger *self, const LpGoodputInput *input, double seconds, double speed)
{
    double stretch_s = input->interval_s + input->write_s, n = floor(seconds / stretch_s);
    work(self, n * input->interval_s, speed);
    commit(self, n * input->write_s);
    return MAX(seconds - n * stretch_s, 0.0);
}

void
lp_ledger_run(LpLedger *self, const LpGoodputInput *input, double seconds, double speed)
{
    double stretch_s = input->interval_s + input->write_s;
    if (!(stretch_s > 0.0)) { /* writing takes no time, and is done all the time */
        work(self, seconds, speed);
        commit(self, 0.0);
        return;
    }
    double left_s = stretch_s - self->position_s;
    if (seconds >= left_s) {
        run_part(self, input, left_s, speed);
        commit(self, input->write_s);
        seconds -= left_s;
        if (seconds >= stretch_s)
            seconds = run_stretches(self, input, seconds, speed);
    }
    run_part(self, input, seconds, speed);
}

void
lp_ledger_interrupt(LpLedger *self)
{
    self->lost_s += self->position_s;
    self->pending_work_s = self->pending_degraded_s = self->position_s = 0.0;
}

void
lp_ledger_close(LpLedger *self, const LpGoodputInput *input)
{
    commit(self, MAX(self->position_s - input->interval_s, 0.0));
}
