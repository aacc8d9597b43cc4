/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of kernels, one after the other. */
#include "model/times/work.h"

#include <math.h>

/* Products of 2 x 2 matrices over (max, +): rows are where a run ends, on the device and on the
 * host, columns where it starts. A host that never waits owes nothing to the device's start. */
LpWork
lp_work_then(LpWork first, LpWork second)
{
    double first_span_s = first.device_s + first.idle_s,
           second_span_s = second.device_s + second.idle_s;
    LpWork sum = {.device_s = first.device_s + second.device_s,
                  .host_s = first.host_s + second.host_s,
                  .issue_s = first.issue_s + second.issue_s,
                  .bound_s = fmax(first.bound_s + second_span_s, first.host_s + second.bound_s),
                  .idle_s = first.idle_s + second.idle_s,
                  .waits = first.waits || second.waits};
    if (first.waits) {
        sum.idle_s = fmax(sum.idle_s, first.wait_s + second.bound_s - sum.device_s);
        sum.wait_s = first.wait_s + second.host_s;
    }
    if (second.waits) {
        sum.host_s = fmax(sum.host_s, first.bound_s + second.wait_s);
        sum.wait_s = fmax(sum.wait_s, first_span_s + second.wait_s);
    }
    return sum;
}

LpWork
lp_work_scale(LpWork work, double factor)
{
    return (LpWork){.device_s = work.device_s * factor,
                    .host_s = work.host_s * factor,
                    .issue_s = work.issue_s * factor,
                    .bound_s = work.bound_s * factor,
                    .idle_s = work.idle_s * factor,
                    .wait_s = work.wait_s * factor,
                    .waits = work.waits};
}

double
lp_work_waited_s(const LpWork *self, double host_s, double now_s, gboolean is_host_synchronous)
{
    return is_host_synchronous
               ? self->issue_s
               : fmax(host_s + self->bound_s - now_s - self->device_s, self->idle_s);
}

double
lp_work_host_end_s(const LpWork *self, double host_s, double now_s)
{
    double end_s = host_s + self->host_s;
    return self->waits ? fmax(end_s, now_s + self->wait_s) : end_s;
}
