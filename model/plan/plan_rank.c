/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks and their places on the axes of parallelism. */
#include "model/plan/plan_rank.h"

/* Ranks along @axis; experts are spread over ranks of other axes and add none. */
static guint32
extent(const LpPlan *self, LpAxis axis)
{
    return axis == LP_AXIS_EP ? 1 : self->degree[axis];
}

guint64
lp_plan_n_ranks(const LpPlan *self)
{
    guint64 n_ranks = 1;
    for (guint axis = 0; axis < LP_N_AXES; axis++)
        n_ranks *= extent(self, (LpAxis)axis);
    return n_ranks;
}

guint64
lp_plan_rank(const LpPlan *self, const LpCoordinates *coordinates)
{
    guint64 rank = 0;
    guint64 stride = 1;
    for (guint i = 0; i < LP_N_AXES; i++) {
        if (self->order[i] == LP_AXIS_EP)
            continue;
        rank += coordinates->at[self->order[i]] * stride;
        stride *= self->degree[self->order[i]];
    }
    return rank;
}

LpCoordinates
lp_plan_coordinates(const LpPlan *self, guint64 rank)
{
    LpCoordinates coordinates = {{0}};
    for (guint i = 0; i < LP_N_AXES; i++) {
        guint32 n = extent(self, self->order[i]);
        coordinates.at[self->order[i]] = (guint32)(rank % n);
        rank /= n;
    }
    return coordinates;
}

guint64
lp_plan_stride(const LpPlan *self, LpAxis axis)
{
    guint64 stride = 1;
    for (guint i = 0; self->order[i] != axis; i++)
        stride *= extent(self, self->order[i]);
    return stride;
}

guint32
lp_plan_n_replicas(const LpPlan *self)
{
    guint32 holders = self->pipeline.schedule == LP_SCHEDULE_DUALPIPE ? 2 : 1;
    return self->degree[LP_AXIS_DP] * self->degree[LP_AXIS_CP] * holders;
}

guint32
lp_plan_shard_degree(const LpPlan *self)
{
    return self->zero.shard_degree > 0 ? self->zero.shard_degree : lp_plan_n_replicas(self);
}

/* Replicas are numbered after the axes that come before them in the rank order. */
void
lp_plan_shard_by_domains(LpPlan *self, guint64 domain_size)
{
    if (!self->zero.shards_by_domain)
        return;
    guint64 between = 1;
    for (guint i = 0; i < LP_N_AXES; i++) {
        if (self->order[i] == LP_AXIS_DP || self->order[i] == LP_AXIS_CP)
            break;
        if (self->order[i] != LP_AXIS_EP)
            between *= self->degree[self->order[i]];
    }
    guint64 n = lp_plan_n_replicas(self), inside = domain_size / between;
    gboolean may = self->zero.stage > 0 && self->degree[LP_AXIS_EP] == 1 &&
                   self->pipeline.schedule != LP_SCHEDULE_DUALPIPE;
    gboolean divides = domain_size % between == 0 && inside > 1 && inside < n && n % inside == 0;
    self->zero.shard_degree = may && divides ? (guint32)inside : 0;
}

void
lp_plan_wait_by_accelerator(LpPlan *self, gboolean sums_on_cores)
{
    if (self->overlap.dp_by_accelerator)
        self->overlap.dp_waits = sums_on_cores;
}
