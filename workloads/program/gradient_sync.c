/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of gradients over the data-parallel groups. */
#include "workloads/program/gradient_sync.h"

#include "model/times/gradient_check.h"
#include "model/times/layer_tensors.h"

#include <math.h>

/* @bytes of gradients: behind what follows, if the plan hides them. */
static void
add(LpLowering *self, LpCollective collective, LpGroup group, double bytes)
{
    guint64 rounded = (guint64)llround(bytes);
    const LpPlanOverlap *overlap = &self->plan->overlap;
    if (overlap->dp && (!overlap->dp_waits || group == LP_GROUP_REPLICA))
        (void)lp_builder_add_launch(&self->builder, collective, group, rounded);
    else
        lp_builder_add_collective(&self->builder, collective, group, rounded);
}

static LpCollective
sum_collective(const LpPlan *plan)
{
    return lp_plan_all_reduces_gradients(plan) ? LP_COLLECTIVE_ALL_REDUCE
                                               : LP_COLLECTIVE_REDUCE_SCATTER;
}

/* Sharded in sets, each set sums its own gradients, and the shares are summed over the sets (hybrid
 * sharding: Zhao et al., PyTorch FSDP, arXiv 2304.11277, section 3.2.2). */
static void
reduce(LpLowering *self, LpParameters parameters)
{
    const LpPlan *plan = self->plan;
    LpParameters pooled = lp_plan_pooled_parameters(plan, parameters);
    double dense = pooled.dense * plan->format.gradient_bytes;
    double experts = pooled.experts * plan->format.gradient_bytes;
    double n_members = (double)lp_group_size(self->transformer, plan, LP_GROUP_DP);
    if (lp_plan_gathers_tensor_lists(plan) && n_members > 1.0)
        lp_builder_add_compute(&self->builder, LP_TERM_COMPUTE,
                               lp_list_sum_work(&self->list_costs, n_members, dense));
    add(self, sum_collective(plan), LP_GROUP_DP, dense);
    add(self, LP_COLLECTIVE_ALL_REDUCE, LP_GROUP_REPLICA, dense / lp_plan_shard_degree(plan));
    add(self, sum_collective(plan), LP_GROUP_EXPERT_DP, experts);
}

/* Before gradients of @parameters are sent, of a bucket. */
static void
check(LpLowering *self, double parameters)
{
    double bytes = parameters * self->plan->format.gradient_bytes;
    lp_builder_add_compute(&self->builder, LP_TERM_COMPUTE,
                           lp_gradient_check_work(self->plan, self->accelerator, bytes));
}

/* Checks what is in the bucket, and @n_wide buckets of @wide parameters in 16 bits, and sends all
 * together. */
static void
flush(LpGradientBuckets *self, double wide, guint n_wide)
{
    double narrow = self->filled.dense + self->filled.experts;
    if (narrow <= 0.0 && n_wide == 0)
        return;
    if (narrow > 0.0)
        check(self->lowering, narrow);
    for (guint i = 0; i < n_wide; i++)
        check(self->lowering, wide / n_wide);
    reduce(self->lowering, (LpParameters){self->filled.dense + wide, self->filled.experts});
    self->filled = (LpParameters){0.0, 0.0};
}

void
lp_gradient_buckets_flush(LpGradientBuckets *self)
{
    flush(self, 0.0, 0);
}

/* @parameters fill the bucket, which is reduced when it is full, or, of stage 3 tensor by tensor,
 * before it overflows (deepspeed/runtime/zero/stage3.py:
 * reduce_independent_p_g_buckets_and_remove_grads): rounding aside, as sums of shares have it. */
static void
fill(LpGradientBuckets *self, LpParameters parameters)
{
    const LpPlan *plan = self->lowering->plan;
    double gradient_bytes = plan->format.gradient_bytes;
    double bucket = self->bucket_bytes;
    double more = (parameters.dense + parameters.experts) * gradient_bytes;
    double bytes = (self->filled.dense + self->filled.experts) * gradient_bytes + more;
    gboolean before = lp_plan_gathers_tensors(plan);
    if (before && bucket > 0.0 && bytes > bucket * (1.0 + 1e-9))
        lp_gradient_buckets_flush(self);
    self->filled.dense += parameters.dense;
    self->filled.experts += parameters.experts;
    if (!before && bucket > 0.0 && bytes >= bucket * (1.0 - 1e-9))
        lp_gradient_buckets_flush(self);
}

/* A tensor of @parameters that stays in 16 bits fills a bucket of its kind. */
static void
fill_wide(LpGradientBuckets *self, double parameters)
{
    const LpPlan *plan = self->lowering->plan;
    double gradient_bytes = plan->format.gradient_bytes;
    double bucket = self->bucket_bytes;
    gboolean is_full = bucket > 0.0 && self->wide_filled * gradient_bytes >= bucket * (1.0 - 1e-9);
    if (self->n_wide == 0 || is_full) {
        self->n_wide++;
        self->wide_filled = 0.0;
    }
    self->wide += parameters;
    self->wide_filled += parameters;
}

/* Adds the gradients of @unit, a layer, to buckets, tensor by tensor; gradients that stay in 16
 * bits have buckets of their own. */
static void
fill_layer(LpGradientBuckets *self, const LpUnit *unit)
{
    const LpPlan *plan = self->lowering->plan;
    LpLayerTensors tensors = lp_layer_tensors(self->lowering->transformer, plan, unit->layer);
    for (guint i = 0; i < tensors.n; i++) {
        double dense = tensors.share[i] * unit->trained.dense;
        if (lp_unit_has_wide_tensor(unit, plan, &tensors, i))
            fill_wide(self, dense);
        else
            fill(self, (LpParameters){dense, 0.0});
    }
    fill(self, (LpParameters){0.0, unit->trained.experts});
}

void
lp_gradient_buckets_fill(LpGradientBuckets *self, const LpUnit *unit)
{
    const LpPlan *plan = self->lowering->plan;
    gboolean by_unit = plan->zero.stage == 3 && !lp_plan_gathers_tensors(plan);
    gboolean is_cut = unit->kind == LP_UNIT_LAYER && !by_unit && self->bucket_bytes > 0.0;
    if (lp_unit_is_wide(unit, plan))
        fill_wide(self, unit->trained.dense);
    else if (is_cut)
        fill_layer(self, unit);
    else
        fill(self, unit->trained);
    /* Stage 3 reduces what it has gathered: unit by unit. */
    if (by_unit)
        lp_gradient_buckets_flush(self);
}

void
lp_gradient_buckets_begin_chunk(LpGradientBuckets *self, guint32 stage, guint32 chunk)
{
    const LpPlan *plan = self->lowering->plan;
    self->bucket_bytes =
        lp_plan_chunk_bucket_bytes(plan, plan->format.gradient_bytes, stage, chunk);
}

/* Ends a chunk: the remaining gradients in 16 bits go together with the remaining narrow ones. */
void
lp_gradient_buckets_end_chunk(LpGradientBuckets *self)
{
    if (self->n_wide > 0 || self->lowering->plan->traits[LP_TRAIT_FIRST_BUCKETS])
        flush(self, self->wide, self->n_wide);
    self->wide = self->wide_filled = 0.0;
    self->n_wide = 0;
}

gboolean
lp_gradient_sync_is_early(const LpPlan *plan)
{
    return plan->overlap.dp || plan->zero.stage == 3 || lp_plan_reduces_each(plan);
}

void
lp_gradient_sync_add_whole(LpLowering *self, guint32 stage)
{
    double bytes = lp_plan_whole_gradients(self->plan, self->transformer, stage) *
                   self->plan->format.gradient_bytes;
    lp_builder_add_whole_gradients(&self->builder, (guint64)llround(bytes));
}

void
lp_gradient_sync_add_embedding(LpLowering *self, guint32 stage)
{
    const LpPlan *plan = self->plan;
    const LpTransformer *shape = self->transformer;
    if (!lp_group_exchanges_embedding(shape, plan, stage))
        return;
    double bytes = (double)shape->vocab * shape->hidden / plan->degree[LP_AXIS_TP] *
                   plan->format.gradient_bytes;
    lp_builder_add_collective(&self->builder, LP_COLLECTIVE_ALL_REDUCE, LP_GROUP_EMBEDDING,
                              (guint64)llround(bytes));
}
