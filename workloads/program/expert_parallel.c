/* SPDX-License-Identifier: Apache-2.0 */
/* All-to-alls of tokens, and experts whose ranks share them. */
#include "workloads/program/expert_parallel.h"

/* @slots: copies that are sent of each token that the rank routes for itself. */
static void
add_exchange(LpLowering *self, LpGroup group, double slots, LpWeight weight, guint32 seq)
{
    const LpPlan *plan = self->plan;
    double tokens = lp_plan_tokens(plan, seq);
    if (plan->sequence_parallel)
        tokens /= plan->degree[LP_AXIS_TP];
    lp_builder_add_exchange(&self->builder, group, weight,
                            lp_lowering_wire_bytes(self, slots * tokens));
}

/* Tokens go to their experts (@to_experts), or results back. Limited to some nodes, a token crosses
 * to each of them once and is copied there (DeepSeek-V3, arXiv 2412.19437, section 3.2.2). */
static void
add_all_to_all(LpLowering *self, guint32 seq, gboolean to_experts)
{
    double slots = lp_transformer_expert_slots(self->transformer);
    LpWeight weight = to_experts ? LP_WEIGHT_RECEIVER : LP_WEIGHT_SENDER;
    if (lp_group_n_expert_nodes(self->transformer, self->plan) == 1) {
        add_exchange(self, LP_GROUP_EP, slots, weight, seq);
        return;
    }
    double copies = lp_group_expert_copies(self->transformer, self->plan);
    if (to_experts)
        add_exchange(self, LP_GROUP_EP_RAIL, copies, LP_WEIGHT_EVEN, seq);
    add_exchange(self, LP_GROUP_EP_NODE, slots, LP_WEIGHT_EVEN, seq);
    if (!to_experts)
        add_exchange(self, LP_GROUP_EP_RAIL, copies, LP_WEIGHT_EVEN, seq);
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
                              lp_lowering_wire_bytes(self, slots * lp_plan_tokens(plan, seq)));
}

void
lp_expert_parallel_add_experts(LpLowering *self, guint32 index, LpPass pass, gboolean weights)
{
    guint kind = lp_transformer_layer_kind(self->transformer, index);
    guint32 seq = lp_transformer_layer(self->transformer, index).seq;
    lp_lowering_meet_loads(self, index);
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
    lp_lowering_meet_loads(self, index);
    lp_builder_add_loaded(&self->builder,
                          lp_lowering_block(self, kind, LP_BLOCK_EXPERTS, LP_PASS_BACKWARD_WEIGHT));
}
