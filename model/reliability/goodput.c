/* SPDX-License-Identifier: Apache-2.0 */
/* Goodput over days, in closed form. */
#include "model/reliability/goodput.h"

#include "model/reliability/availability.h"

#include <math.h>

const char *const lp_part_names[] = {"accelerator", "host", "card",     "link",
                                     "switch",      "ocs",  "software", NULL};
const char *const lp_effect_names[] = {"block", "job", "machine", "slow", NULL};
const char *const lp_packing_names[] = {"any", "fixed", "contiguous", "pods", "rings", NULL};
const char *const lp_regroup_names[] = {"never", "free", NULL};
const char *const lp_loss_names[] = {"checkpointing", "lost_work", "restart", "waiting",
                                     "degraded",      "idle",      NULL};
G_STATIC_ASSERT(G_N_ELEMENTS(lp_part_names) == LP_N_PARTS + 1);
G_STATIC_ASSERT(G_N_ELEMENTS(lp_effect_names) == LP_N_EFFECTS + 1);
G_STATIC_ASSERT(G_N_ELEMENTS(lp_packing_names) == LP_N_PACKINGS + 1);
G_STATIC_ASSERT(G_N_ELEMENTS(lp_regroup_names) == LP_N_REGROUPS + 1);
G_STATIC_ASSERT(G_N_ELEMENTS(lp_loss_names) == LP_N_LOSSES + 1);

double
lp_fleet_interruptions_per_s(const LpFleet *self)
{
    double rate = 0.0;
    for (LpGoodputPart i = 0; i < LP_N_PARTS; i++) {
        const LpFailingParts *parts = &self->parts[i];
        guint64 n = parts->effect == LP_EFFECT_BLOCK ? self->slice_blocks : 1;
        if (parts->effect != LP_EFFECT_SLOW)
            rate += (double)(parts->count * n) / parts->mtbf_s;
    }
    return rate;
}

double
lp_fleet_failures_per_s(const LpFleet *self)
{
    double rate = 0.0;
    for (LpGoodputPart i = 0; i < LP_N_PARTS; i++) {
        const LpFailingParts *parts = &self->parts[i];
        guint64 n = parts->effect == LP_EFFECT_BLOCK ? self->n_blocks
                    : parts->effect == LP_EFFECT_JOB ? self->n_slices
                                                     : 1;
        rate += (double)(parts->count * n) / (parts->mtbf_s + parts->repair_s);
    }
    return rate;
}

static double
availability_of(const LpFleet *self, LpEffect effect)
{
    double product = 1.0;
    for (LpGoodputPart i = 0; i < LP_N_PARTS; i++) {
        const LpFailingParts *parts = &self->parts[i];
        if (parts->effect == effect)
            product *= pow(lp_availability(parts->mtbf_s, parts->repair_s), (double)parts->count);
    }
    return product;
}

double
lp_fleet_block_availability(const LpFleet *self)
{
    return availability_of(self, LP_EFFECT_BLOCK);
}

double
lp_fleet_machine_availability(const LpFleet *self)
{
    return availability_of(self, LP_EFFECT_MACHINE);
}

double
lp_fleet_speed(const LpFleet *self)
{
    double speed = 1.0;
    for (LpGoodputPart i = 0; i < LP_N_PARTS; i++) {
        const LpFailingParts *parts = &self->parts[i];
        double up = lp_availability(parts->mtbf_s, parts->repair_s);
        if (parts->effect == LP_EFFECT_SLOW)
            speed *= pow(up + (1.0 - up) / parts->slowdown, (double)parts->count);
    }
    return speed;
}

gsize
lp_goodput_workspace(const LpFleet *self)
{
    if (self->packing == LP_PACKING_RINGS)
        return lp_availability_ring_workspace(self->n_blocks, self->group_blocks, self->hops);
    if (self->packing != LP_PACKING_PODS)
        return 0;
    guint64 n_pods = self->n_blocks / self->pod_blocks;
    return (n_pods + 1) * (self->pod_blocks / self->group_blocks) + 2;
}

gboolean
lp_goodput_is_closed(const LpFleet *self)
{
    return self->packing != LP_PACKING_CONTIGUOUS;
}

gboolean
lp_goodput_is_exact(const LpFleet *self)
{
    return lp_goodput_is_closed(self) && (self->packing != LP_PACKING_RINGS ||
                                          self->n_slices == 1 || self->regroup == LP_REGROUP_FREE);
}

/* E(slices that are there), while no part of the machine's stops all. */
static double
mean_slices(const LpFleet *self, double *workspace)
{
    double p = lp_fleet_block_availability(self);
    guint64 n = self->n_blocks, k = self->slice_blocks, m = self->n_slices;
    switch (self->packing) {
    case LP_PACKING_FIXED:
        return lp_availability_fixed_slices(n, k, m, p);
    case LP_PACKING_PODS:
        return lp_availability_pod_slices(n / self->pod_blocks, self->pod_blocks,
                                          self->group_blocks, k / self->group_blocks, m, p,
                                          workspace);
    case LP_PACKING_RINGS:
        return lp_availability_ring_slices(n, self->group_blocks, self->hops,
                                           k / self->group_blocks, m, p, workspace);
    case LP_PACKING_ANY:
    case LP_PACKING_CONTIGUOUS:
    case LP_N_PACKINGS:
        break;
    }
    return lp_availability_slices(n, k, m, p);
}

LpGoodput
lp_goodput(const LpGoodputInput *self, double *workspace)
{
    const LpFleet *fleet = &self->fleet;
    LpCheckpointing job = {self->interval_s, self->write_s, self->restart_s,
                           lp_fleet_interruptions_per_s(fleet)};
    LpCheckpointShares shares = lp_checkpoint_shares(&job);
    double slices = mean_slices(fleet, workspace) * lp_fleet_machine_availability(fleet);
    double meant = (double)fleet->n_slices * fleet->slice_share;
    double running = slices * fleet->slice_share;
    double speed = lp_fleet_speed(fleet);
    LpGoodput result = {
        .goodput = running * shares.work * speed,
        .availability = slices / (double)fleet->n_slices,
        .interruptions = slices * shares.failures_per_s * self->period_s,
    };
    result.slice_goodput = result.goodput / meant;
    result.loss[LP_LOSS_CHECKPOINTING] = running * shares.writing;
    result.loss[LP_LOSS_LOST_WORK] = running * shares.lost_work;
    result.loss[LP_LOSS_RESTART] = running * shares.restart;
    result.loss[LP_LOSS_WAITING] = meant - running;
    result.loss[LP_LOSS_DEGRADED] = running * shares.work * (1.0 - speed);
    result.loss[LP_LOSS_IDLE] = 1.0 - meant;
    return result;
}
