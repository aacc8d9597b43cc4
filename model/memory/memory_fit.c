/* SPDX-License-Identifier: Apache-2.0 */
/* The reserve, and what it leaves. */
#include "model/memory/memory_fit.h"

/* Two kinds are taken to be half way between one and three. */
static double
communicators_bytes(const LpPlan *plan, const LpAcceleratorReserve *reserve)
{
    guint n = 0;
    for (LpAxis axis = 0; axis < LP_N_AXES; axis++)
        n += plan->degree[axis] > 1;
    if (n < 2)
        return n * reserve->communicator_bytes;
    return n == 2 ? 0.5 * (reserve->communicator_bytes + reserve->communicators_bytes)
                  : reserve->communicators_bytes;
}

double
lp_memory_reserve_bytes(const LpPlan *plan, const LpAccelerator *accelerator, double total_bytes)
{
    const LpAcceleratorReserve *reserve = &accelerator->reserve;
    if (plan->footprint.states_reserve)
        return plan->footprint.reserve_bytes;
    return reserve->context_bytes + communicators_bytes(plan, reserve) +
           reserve->holes * total_bytes;
}

LpMemoryFit
lp_memory_fit(const LpMemory *memory, const LpPlan *plan, const LpAccelerator *accelerator)
{
    LpMemoryFit self = {.total_bytes = lp_memory_sum(memory),
                        .capacity_bytes = accelerator->memory_bytes};
    self.reserve_bytes = lp_memory_reserve_bytes(plan, accelerator, self.total_bytes);
    self.spare_bytes = self.capacity_bytes - self.total_bytes - self.reserve_bytes;
    self.fits = self.spare_bytes >= 0.0;
    return self;
}
