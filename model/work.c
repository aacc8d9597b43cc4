/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of kernels, one after the other. */
#include "model/work.h"

#include <math.h>

LpWork
lp_work_then(LpWork first, LpWork second)
{
    return (LpWork){.device_s = first.device_s + second.device_s,
                    .host_s = first.host_s + second.host_s,
                    .bound_s =
                        fmax(first.bound_s + second.device_s, first.host_s + second.bound_s)};
}

LpWork
lp_work_scale(LpWork work, double factor)
{
    return (LpWork){work.device_s * factor, work.host_s * factor, work.bound_s * factor};
}

double
lp_work_waited_s(const LpWork *self, double host_s, double now_s, gboolean takes_turns)
{
    return takes_turns ? self->host_s : fmax(host_s + self->bound_s - now_s - self->device_s, 0.0);
}
