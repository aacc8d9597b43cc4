/* SPDX-License-Identifier: Apache-2.0 */
/* Which ranks of a stage share experts. */
#include "model/plan/plan_experts.h"

#include "model/plan/plan_rank.h"

guint32
lp_plan_expert_tp(const LpPlan *self)
{
    if (self->experts.tp > 0)
        return self->experts.tp;
    guint64 n = (guint64)self->degree[LP_AXIS_CP] * self->degree[LP_AXIS_DP];
    return n % self->degree[LP_AXIS_EP] == 0 ? self->degree[LP_AXIS_TP] : 1;
}

/* Ranks of one stage that hold the same experts. */
static guint32
stage_expert_replicas(const LpPlan *self)
{
    guint64 stage_ranks = lp_plan_n_ranks(self) / self->degree[LP_AXIS_PP];
    return (guint32)(stage_ranks / ((guint64)lp_plan_expert_tp(self) * self->degree[LP_AXIS_EP]));
}

guint32
lp_plan_expert_replicas(const LpPlan *self)
{
    return stage_expert_replicas(self) * (self->pipeline.schedule == LP_SCHEDULE_DUALPIPE ? 2 : 1);
}

static gboolean
ep_comes_before_dp(const LpPlan *self)
{
    for (guint i = 0; i < LP_N_AXES; i++)
        if (self->order[i] == LP_AXIS_EP || self->order[i] == LP_AXIS_DP)
            return self->order[i] == LP_AXIS_EP;
    return TRUE;
}

/* Domains that an ep group spans, ranks packed. */
static guint64
n_domains(const LpPlan *self, guint64 domain_size)
{
    guint64 ep = self->degree[LP_AXIS_EP];
    guint64 n_between = ep_comes_before_dp(self) ? 1 : stage_expert_replicas(self);
    return ep * lp_plan_expert_tp(self) * n_between / MAX(domain_size, 1);
}

void
lp_plan_relay_by_domains(LpPlan *self, guint64 domain_size)
{
    if (!self->experts.relays_by_domain)
        return;
    guint64 parts = n_domains(self, domain_size);
    self->experts.relay = parts >= 2 && self->degree[LP_AXIS_EP] % parts == 0 ? (guint32)parts : 1;
}

gboolean
lp_plan_can_overlap_passes(const LpPlan *self)
{
    LpPipelineSchedule schedule = self->pipeline.schedule;
    gboolean is_one = self->degree[LP_AXIS_PP] == 1 && schedule == LP_SCHEDULE_1F1B;
    return self->degree[LP_AXIS_EP] > 1 && self->zero.stage < 3 &&
           self->zero.gradient_sync != LP_GRADIENT_SYNC_EACH &&
           (is_one || schedule == LP_SCHEDULE_INTERLEAVED || schedule == LP_SCHEDULE_DUALPIPE);
}

gboolean
lp_plan_awaits_counts(const LpPlan *self, const LpTransformer *transformer)
{
    return self->traits[LP_TRAIT_COUNT_SYNC] && transformer->experts.n > 0 &&
           transformer->experts.capacity_factor <= 0.0;
}

void
lp_plan_overlap_passes_by_domains(LpPlan *self, guint64 domain_size)
{
    if (self->overlap.ep_by_domain)
        self->overlap.ep = lp_plan_can_overlap_passes(self) && n_domains(self, domain_size) >= 2;
}

LpExpertCoordinates
lp_plan_expert_coordinates(const LpPlan *self, guint64 rank)
{
    guint32 etp = lp_plan_expert_tp(self), ep = self->degree[LP_AXIS_EP];
    guint32 replicas = stage_expert_replicas(self);
    guint64 stride = lp_plan_stride(self, LP_AXIS_PP), pp = self->degree[LP_AXIS_PP];
    /* Ranks of a stage count in rank order, with the pipeline's axis taken out. */
    guint64 position = rank % stride + rank / (stride * pp) * stride, rest = position / etp;
    LpExpertCoordinates at = {.tp = (guint32)(position % etp)};
    gboolean ep_first = ep_comes_before_dp(self);
    at.ep = (guint32)(ep_first ? rest % ep : rest / replicas);
    at.dp = (guint32)(ep_first ? rest / ep : rest % replicas);
    return at;
}

guint64
lp_plan_expert_rank(const LpPlan *self, guint32 stage, LpExpertCoordinates at)
{
    guint64 etp = lp_plan_expert_tp(self), ep = self->degree[LP_AXIS_EP];
    guint64 rest = ep_comes_before_dp(self) ? at.ep + ep * at.dp
                                            : at.dp + (guint64)stage_expert_replicas(self) * at.ep;
    guint64 position = at.tp + etp * rest;
    guint64 stride = lp_plan_stride(self, LP_AXIS_PP);
    return position % stride + (position / stride * self->degree[LP_AXIS_PP] + stage) * stride;
}
