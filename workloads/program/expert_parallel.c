/* SPDX-License-Identifier: Apache-2.0 */
/* All-to-alls of tokens, and experts whose ranks share them. */
#include "workloads/program/expert_parallel.h"

#include <math.h>

/* Bytes of @slots copies of each token that the rank routes for itself. */
static guint64
exchange_bytes(const LpLowering *self, double slots, guint32 seq, gboolean to_experts)
{
    const LpPlan *plan = self->plan;
    double tokens = lp_plan_tokens(plan, seq);
    if (plan->sequence_parallel)
        tokens /= plan->degree[LP_AXIS_TP];
    double element_bytes =
        to_experts ? lp_plan_dispatch_wire_bytes(plan) : lp_plan_wire_bytes(plan);
    return (guint64)llround(slots * tokens * lp_transformer_expert_hidden(self->transformer) *
                            element_bytes);
}

/* Limited to some nodes, a token crosses to each of them once and is copied there, while others are
 * still on their way: both halves are under way at once (DeepSeek-V3, arXiv 2412.19437, section
 * 3.2.2). */
static void
add_relayed(LpLowering *self, guint32 seq, gboolean to_experts)
{
    double slots = lp_group_expert_ranks(self->transformer, self->plan);
    double copies = lp_group_expert_copies(self->transformer, self->plan);
    guint between =
        lp_builder_add_launch(&self->builder, LP_COLLECTIVE_ALL_TO_ALL, LP_GROUP_EP_RAIL,
                              exchange_bytes(self, copies, seq, to_experts));
    guint within = lp_builder_add_launch(&self->builder, LP_COLLECTIVE_ALL_TO_ALL, LP_GROUP_EP_NODE,
                                         exchange_bytes(self, slots, seq, to_experts));
    lp_builder_add_join(&self->builder, LP_STREAM_LAYER, between, LP_TERM_EP);
    lp_builder_add_join(&self->builder, LP_STREAM_RELAY, within, LP_TERM_EP);
}

/* Tokens go to their experts (@to_experts), or results back. */
static void
add_all_to_all(LpLowering *self, guint32 seq, gboolean to_experts)
{
    if (lp_group_n_expert_nodes(self->transformer, self->plan) > 1) {
        add_relayed(self, seq, to_experts);
        return;
    }
    double slots = lp_group_expert_ranks(self->transformer, self->plan);
    lp_builder_add_exchange(&self->builder, LP_GROUP_EP,
                            to_experts ? LP_WEIGHT_RECEIVER : LP_WEIGHT_SENDER,
                            exchange_bytes(self, slots, seq, to_experts));
}

/* Experts that are divided over tp see the tokens of all of its ranks. */
static void
add_expert_tp(LpLowering *self, guint32 seq, LpCollective collective)
{
    const LpPlan *plan = self->plan;
    if (!plan->sequence_parallel || lp_plan_expert_tp(plan) < 2)
        return;
    double slots = lp_transformer_expert_slots(self->transformer);
    lp_builder_add_collective(&self->builder, collective, LP_GROUP_TP,
                              (guint64)llround(slots * lp_plan_tokens(plan, seq) *
                                               lp_transformer_expert_hidden(self->transformer) *
                                               lp_plan_wire_bytes(plan)));
}

void
lp_expert_parallel_add_experts(LpLowering *self, guint32 index, LpPass pass, gboolean weights)
{
    guint kind = lp_transformer_layer_kind(self->transformer, index);
    guint32 seq = lp_transformer_layer(self->transformer, index).seq;
    lp_lowering_use_expert_loads(self, index);
    add_all_to_all(self, seq, TRUE);
    add_expert_tp(self, seq, LP_COLLECTIVE_ALL_GATHER);
    lp_builder_add_loaded(&self->builder, lp_lowering_block(self, kind, LP_BLOCK_EXPERTS, pass));
    if (weights)
        lp_expert_parallel_add_weights(self, index);
    add_expert_tp(self, seq, LP_COLLECTIVE_REDUCE_SCATTER);
    add_all_to_all(self, seq, FALSE);
}

void
lp_expert_parallel_add_weights(LpLowering *self, guint32 index)
{
    guint kind = lp_transformer_layer_kind(self->transformer, index);
    lp_lowering_use_expert_loads(self, index);
    lp_builder_add_loaded(&self->builder,
                          lp_lowering_block(self, kind, LP_BLOCK_EXPERTS, LP_PASS_BACKWARD_WEIGHT));
}

void
lp_expert_parallel_add_recomputed(LpLowering *self, guint32 index)
{
    guint kind = lp_transformer_layer_kind(self->transformer, index);
    LpWork work = lp_lowering_block(self, kind, LP_BLOCK_EXPERTS, LP_PASS_RECOMPUTE);
    lp_lowering_use_expert_loads(self, index);
    if (lp_plan_recomputes_up(self->plan, self->transformer))
        lp_builder_add_loaded(&self->builder, work);
    else
        lp_lowering_add_work(self, work);
}
