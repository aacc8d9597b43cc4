/* SPDX-License-Identifier: Apache-2.0 */
/* Adds what has passed to what must follow. */
#include "sim/actors/run_limit.h"

/* Times of collectives are sums in another order than the run's. */
#define ROUNDING 1e-6

static double
with_margin(double seconds)
{
    return (1.0 - ROUNDING) * seconds;
}

gboolean
lp_run_limit_holds(const LpRunLimit *self, double least_s)
{
    return with_margin(least_s) <= self->at_most_s;
}

gboolean
lp_run_limit_is_passed(const LpRunLimit *self, const LpProgram *program, const LpStep *step,
                       double after_s, double *io_least_s)
{
    if (self == NULL || lp_equivalence_check_has_failed(self->check))
        return FALSE;
    gsize index = (gsize)(step - lp_program_step(program, 0));
    double least_s = after_s + self->remaining->least_s[index];
    *io_least_s = MAX(*io_least_s, with_margin(least_s));
    return !lp_run_limit_holds(self, least_s);
}
