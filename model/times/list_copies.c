/* SPDX-License-Identifier: Apache-2.0 */
/* Slices that the host makes and the device copies. */
#include "model/times/list_copies.h"

#include <math.h>

LpListCosts
lp_list_costs(const LpPlan *plan, const LpAccelerator *accelerator)
{
    double host_s = fmin(accelerator->loop.slice_s, accelerator->host_kernel_s);
    return (LpListCosts){
        .host_s = plan->host.cuda_graphs ? 0.0 : host_s,
        .device_s = fmin(accelerator->loop.slice_launch_s, accelerator->launch_s),
        .byte_s = 1.0 / (accelerator->memory_bytes_per_s * accelerator->memory_efficiency)};
}

LpWork
lp_list_views_work(const LpListCosts *self, double n_members, double bytes)
{
    double clear_s = bytes * self->byte_s, slices_s = n_members * self->host_s;
    return (LpWork){.device_s = clear_s,
                    .host_s = clear_s + slices_s,
                    .issue_s = slices_s,
                    .bound_s = clear_s,
                    .wait_s = clear_s + slices_s,
                    .waits = TRUE};
}

LpWork
lp_list_copies_work(const LpListCosts *self, double n_members, double bytes)
{
    double time_s = n_members * self->device_s + 2.0 * bytes * self->byte_s;
    return (LpWork){.device_s = time_s, .bound_s = time_s};
}

LpWork
lp_list_sum_work(const LpListCosts *self, double n_members, double bytes)
{
    double host_s = n_members * self->host_s;
    double time_s = n_members * self->device_s + 4.0 * bytes * self->byte_s;
    return (LpWork){
        .device_s = time_s, .host_s = host_s, .issue_s = host_s, .bound_s = fmax(time_s, host_s)};
}
