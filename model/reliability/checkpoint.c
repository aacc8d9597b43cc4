/* SPDX-License-Identifier: Apache-2.0 */
/* Checkpoints of a job that failures interrupt. */
#include "model/reliability/checkpoint.h"

#include <math.h>

double
lp_checkpoint_young_s(double write_s, double failures_per_s)
{
    return failures_per_s > 0.0 ? sqrt(2.0 * write_s / failures_per_s) : (double)INFINITY;
}

double
lp_checkpoint_daly_s(double write_s, double failures_per_s)
{
    if (!(failures_per_s > 0.0))
        return (double)INFINITY;
    double ratio = write_s * failures_per_s / 2.0;
    if (ratio >= 1.0)
        return 1.0 / failures_per_s;
    return lp_checkpoint_young_s(write_s, failures_per_s) *
               (1.0 + sqrt(ratio) / 3.0 + ratio / 9.0) -
           write_s;
}

/* f(x) = exp(-x - d) - 1 + x, of x = tau / M and d = delta / M, is 0 once in (0, 1), rises, and is
 * convex: Newton's steps from above it never pass the root. */
double
lp_checkpoint_optimum_s(double write_s, double failures_per_s)
{
    if (!(failures_per_s > 0.0))
        return (double)INFINITY;
    double d = write_s * failures_per_s;
    double x = fmin(1.0, sqrt(2.0 * d));
    for (guint step = 0; step < 64 && x > 0.0; step++) {
        /* expm1: f is a small difference where writing takes little time. */
        double next = x - (expm1(-x - d) + x) / -expm1(-x - d);
        if (!(next < x))
            break;
        x = next;
    }
    return x / failures_per_s;
}

static LpCheckpointShares
shares_without_failures(const LpCheckpointing *self)
{
    double work = isinf(self->interval_s) || self->write_s <= 0.0
                      ? 1.0
                      : self->interval_s / (self->interval_s + self->write_s);
    return (LpCheckpointShares){.work = work, .writing = 1.0 - work};
}

LpCheckpointShares
lp_checkpoint_shares(const LpCheckpointing *self)
{
    double rate = self->failures_per_s;
    if (!(rate > 0.0))
        return shares_without_failures(self);
    double stretch = (self->interval_s + self->write_s) * rate;
    double restarts = expm1(self->restart_s * rate);
    /* Times are in units of M. A stretch takes whole in all, of which failed attempts and their
     * restarts take the rest. With stretch 0 writing all the time takes no time, and nothing is
     * lost. */
    double failures = expm1(stretch);
    if (!(failures > 0.0))
        return (LpCheckpointShares){.work = 1.0 / (1.0 + restarts),
                                    .restart = restarts / (1.0 + restarts),
                                    .failures_per_s = rate};
    if (isinf(failures))
        return (LpCheckpointShares){.lost_work = 1.0 / (1.0 + restarts),
                                    .restart = restarts / (1.0 + restarts),
                                    .failures_per_s = rate};
    double whole = failures * (1.0 + restarts);
    return (LpCheckpointShares){
        .work = self->interval_s * rate / whole,
        .writing = self->write_s * rate / whole,
        .lost_work = (failures - stretch) / whole,
        .restart = failures * restarts / whole,
        .failures_per_s = rate,
    };
}
