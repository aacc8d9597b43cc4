/* SPDX-License-Identifier: Apache-2.0 */
/* All-gathers, reduce-scatters and all-reduces of the tensor-parallel group. */
#include "workloads/program/tensor_parallel.h"

LpCollective
lp_tensor_parallel_sum(const LpPlan *plan)
{
    return plan->sequence_parallel ? LP_COLLECTIVE_REDUCE_SCATTER : LP_COLLECTIVE_ALL_REDUCE;
}

/* Collectives are split into the exchanges of a ring. */
static gboolean
is_ring(const LpPlan *plan)
{
    return plan->overlap.tp == LP_OVERLAP_TP_RING && plan->degree[LP_AXIS_TP] >= 2;
}

static void
add_collectives(LpLowering *self, LpCollective collective, guint64 bytes, guint32 n)
{
    for (guint32 i = 0; i < n; i++)
        lp_builder_add_collective(&self->builder, collective, LP_GROUP_TP, bytes);
}

/* Returns: the last of @n. */
static guint
launch_all(LpLowering *self, LpCollective collective, guint64 bytes, guint32 n)
{
    guint last = G_MAXUINT;
    for (guint32 i = 0; i < n; i++)
        last = lp_builder_add_launch(&self->builder, collective, LP_GROUP_TP, bytes);
    return last;
}

/* Adds the gather before a block's first products, which is needed only if activations are
 * scattered. Split into the exchanges of a ring, products start on the rank's own share and go on
 * as the others arrive; the last share remains when the last exchange ends (Wang et al., ASPLOS
 * 2023, section 5). */
void
lp_tensor_parallel_add_entry(LpLowering *self, LpWork entry, guint64 bytes, guint32 n)
{
    const LpPlan *plan = self->plan;
    double t = plan->degree[LP_AXIS_TP];
    if (!plan->sequence_parallel) {
        lp_lowering_add_work(self, entry);
        return;
    }
    if (!is_ring(plan)) {
        add_collectives(self, LP_COLLECTIVE_ALL_GATHER, bytes, n);
        lp_lowering_add_work(self, entry);
        return;
    }
    guint gather =
        lp_builder_add_launch(&self->builder, LP_COLLECTIVE_ALL_GATHER, LP_GROUP_TP, bytes);
    lp_lowering_add_share(self, entry, 1.0 - 1.0 / t);
    lp_builder_add_join(&self->builder, LP_STREAM_LAYER, gather, LP_TERM_TP);
    lp_lowering_add_share(self, entry, 1.0 / t);
}

static void
add_whole_exit(LpLowering *self, LpWork exit, guint64 bytes, guint32 n)
{
    lp_lowering_add_work(self, exit);
    add_collectives(self, lp_tensor_parallel_sum(self->plan), bytes, n);
}

/* The mirror image: partial sums leave as soon as the first share is there. */
void
lp_tensor_parallel_add_exit(LpLowering *self, LpWork exit, guint64 bytes, guint32 n)
{
    const LpPlan *plan = self->plan;
    double t = plan->degree[LP_AXIS_TP];
    if (!is_ring(plan)) {
        add_whole_exit(self, exit, bytes, n);
        return;
    }
    lp_lowering_add_share(self, exit, 1.0 / t);
    guint sum =
        lp_builder_add_launch(&self->builder, lp_tensor_parallel_sum(plan), LP_GROUP_TP, bytes);
    lp_lowering_add_share(self, exit, 1.0 - 1.0 / t);
    lp_builder_add_join(&self->builder, LP_STREAM_LAYER, sum, LP_TERM_TP);
}

/* The weights' gradients need the block's whole input; where only its shard was kept, the gather
 * hides behind the gradient of the activations, and the sum of that behind them (Megatron-LM). */
void
lp_tensor_parallel_add_backward_exit(LpLowering *self, LpWork exit, LpWork weight,
                                     LpSharedBytes bytes)
{
    const LpPlan *plan = self->plan;
    if (plan->overlap.tp == LP_OVERLAP_TP_NO || plan->degree[LP_AXIS_TP] < 2) {
        lp_tensor_parallel_add_exit(self, exit, bytes.input_summed, bytes.inputs.n_sums);
        lp_tensor_parallel_add_weight(self, weight, bytes);
        return;
    }
    if (is_ring(plan) &&
        plan->traits[LP_TRAIT_OVERLAP_TP_PAIRS]) { /* the gradient is a sum of several products' */
        add_whole_exit(self, exit, bytes.input_summed, bytes.inputs.n_sums);
        lp_tensor_parallel_add_weight(self, weight, bytes);
        return;
    }
    guint gather = G_MAXUINT;
    if (lp_plan_regathers_inputs(plan))
        gather =
            launch_all(self, LP_COLLECTIVE_ALL_GATHER, bytes.input_regathered, bytes.n_regathered);
    lp_lowering_add_work(self, exit);
    lp_builder_add_join(&self->builder, LP_STREAM_LAYER, gather, LP_TERM_TP);
    guint sum =
        launch_all(self, lp_tensor_parallel_sum(plan), bytes.input_summed, bytes.inputs.n_sums);
    lp_lowering_add_work(self, weight);
    lp_builder_add_join(&self->builder, LP_STREAM_LAYER, sum, LP_TERM_TP);
}

void
lp_tensor_parallel_add_weight(LpLowering *self, LpWork weight, LpSharedBytes bytes)
{
    if (lp_plan_regathers_inputs(self->plan))
        add_collectives(self, LP_COLLECTIVE_ALL_GATHER, bytes.input_regathered, bytes.n_regathered);
    lp_lowering_add_work(self, weight);
}
