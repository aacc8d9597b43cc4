/* SPDX-License-Identifier: Apache-2.0 */
/* What replicas exchange: sums of gradients, and shares of parameters. */
#include "workloads/program/gradient_sync.h"

#include <math.h>

static const LpPlan *
plan_of(const LpLowering *self)
{
    return self->plan;
}

/* @waits: the compute stream goes on only when it has ended. Returns: the launch's number. */
static guint
add(LpLowering *self, LpCollective collective, LpGroup group, double bytes, gboolean waits)
{
    guint64 rounded = (guint64)llround(bytes);
    if (waits || lp_group_stream(self->plan, group) == LP_N_STREAMS) {
        lp_lowering_add_collective(self, collective, group, rounded);
        return G_MAXUINT;
    }
    return lp_lowering_add_launch(self, collective, group, rounded);
}

/* Stages 1 and 2 need only each rank's own share of the sum; DeepSpeed sums all of it (Anthony et
 * al., arXiv 2408.10197, table of volumes). */
static LpCollective
sum_collective(const LpPlan *plan)
{
    gboolean whole = plan->zero == 0 || plan->zero_variant == LP_ZERO_DEEPSPEED;
    return whole ? LP_COLLECTIVE_ALL_REDUCE : LP_COLLECTIVE_REDUCE_SCATTER;
}

/* Sharded in sets, each set sums its own gradients, and the shares are summed over the sets (hybrid
 * sharding: Zhao et al., PyTorch FSDP, arXiv 2304.11277, section 3.2.2). */
static void
reduce(LpLowering *self, LpParameters parameters)
{
    const LpPlan *plan = plan_of(self);
    gboolean waits = !plan->overlap_dp;
    LpParameters pooled = lp_plan_pooled_parameters(plan, parameters);
    double dense = pooled.dense * plan->gradient_bytes;
    double experts = pooled.experts * plan->gradient_bytes;
    (void)add(self, sum_collective(plan), LP_GROUP_DP, dense, waits);
    (void)add(self, LP_COLLECTIVE_ALL_REDUCE, LP_GROUP_REPLICA, dense / lp_plan_shard_degree(plan),
              waits);
    (void)add(self, sum_collective(plan), LP_GROUP_EXPERT_DP, experts, waits);
}

void
lp_gradient_buckets_flush(LpGradientBuckets *self)
{
    if (self->filled.dense + self->filled.experts > 0.0)
        reduce(self->lowering, self->filled);
    self->filled = (LpParameters){0.0, 0.0};
}

void
lp_gradient_buckets_fill(LpGradientBuckets *self, LpParameters parameters)
{
    const LpPlan *plan = plan_of(self->lowering);
    self->filled.dense += parameters.dense;
    self->filled.experts += parameters.experts;
    double bytes = (self->filled.dense + self->filled.experts) * plan->gradient_bytes;
    /* Stage 3 reduces what it has gathered: unit by unit. */
    if (plan->zero == 3 || (plan->bucket_bytes > 0.0 && bytes >= plan->bucket_bytes))
        lp_gradient_buckets_flush(self);
}

static guint
gather(LpLowering *self, LpParameters parameters, gboolean waits)
{
    const LpPlan *plan = plan_of(self);
    LpParameters pooled = lp_plan_pooled_parameters(plan, parameters);
    double element_bytes = lp_plan_activation_bytes(plan);
    guint last =
        add(self, LP_COLLECTIVE_ALL_GATHER, LP_GROUP_DP, pooled.dense * element_bytes, waits);
    guint second = add(self, LP_COLLECTIVE_ALL_GATHER, LP_GROUP_EXPERT_DP,
                       pooled.experts * element_bytes, waits);
    return second != G_MAXUINT ? second : last;
}

guint
lp_gradient_sync_launch_gather(LpLowering *self, LpParameters parameters)
{
    return gather(self, parameters, FALSE);
}

void
lp_gradient_sync_gather(LpLowering *self, LpParameters parameters)
{
    (void)gather(self, parameters, TRUE);
}
