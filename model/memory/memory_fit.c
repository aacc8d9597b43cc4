/* SPDX-License-Identifier: Apache-2.0 */
/* The reserve, and what it leaves. */
#include "model/memory/memory_fit.h"

/* An H100's process beside PyTorch's tensors before its first all-to-all (NVIDIA/nccl, issue 1685:
 * 1.06 GB, and 4.34 GB after it). */
#define CONTEXT_BYTES 1.06e9
/* The same with one communicator that has summed, and with three or more (NVIDIA/nccl, issue
 * 864: 1.6 and about 6 GB); two are taken to be half way between. */
#define ONE_COMMUNICATOR_BYTES (1.6e9 - CONTEXT_BYTES)
#define MANY_COMMUNICATORS_BYTES (6.0e9 - CONTEXT_BYTES)
/* InternEvo's 7B over five accelerators: 49 GB are shown, and tensors take 45.4 by our count
 * (docs/guide.md); what of the difference is neither context nor communicator, over those. */
#define HOLES ((49.0 - 45.4 - 1.6) / 45.4)
/* What XLA says to have reserved of a TPU's memory where a program does not fit: 530 MiB
 * (LargeWorldModel/LWM, issue 60; 529 MiB in pytorch/xla, issue 1735). */
#define SYSTOLIC_BYTES (530.0 * 1024.0 * 1024.0)

static double
communicators_bytes(const LpPlan *plan)
{
    guint n = 0;
    for (LpAxis axis = 0; axis < LP_N_AXES; axis++)
        n += plan->degree[axis] > 1;
    if (n == 0)
        return 0.0;
    if (n == 1)
        return ONE_COMMUNICATOR_BYTES;
    return n == 2 ? 0.5 * (ONE_COMMUNICATOR_BYTES + MANY_COMMUNICATORS_BYTES)
                  : MANY_COMMUNICATORS_BYTES;
}

double
lp_memory_reserve_bytes(const LpPlan *plan, const LpAccelerator *accelerator, double total_bytes)
{
    if (plan->footprint.states_reserve)
        return plan->footprint.reserve_bytes;
    if (accelerator->tiles == LP_TILES_SYSTOLIC)
        return SYSTOLIC_BYTES;
    return CONTEXT_BYTES + communicators_bytes(plan) + HOLES * total_bytes;
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
