/* SPDX-License-Identifier: Apache-2.0 */
/* Members of process groups. */
#include "model/plan/group.h"

#include "model/plan/plan_lora.h"

#include <math.h>

static gboolean
is_dual(const LpPlan *plan)
{
    return plan->pipeline.schedule == LP_SCHEDULE_DUALPIPE;
}

/* --- replicas: the ranks along dp and cp, and under DualPipe those of the mirrored stage --- */

/* dp and cp, the faster in rank order first. */
static void
replica_axes(const LpPlan *plan, LpAxis *out_fast, LpAxis *out_slow)
{
    gboolean cp_first = lp_plan_stride(plan, LP_AXIS_CP) < lp_plan_stride(plan, LP_AXIS_DP);
    for (guint i = 0; i < LP_N_AXES; i++)
        if (plan->order[i] == LP_AXIS_CP || plan->order[i] == LP_AXIS_DP) {
            cp_first = plan->order[i] == LP_AXIS_CP;
            break;
        }
    *out_fast = cp_first ? LP_AXIS_CP : LP_AXIS_DP;
    *out_slow = cp_first ? LP_AXIS_DP : LP_AXIS_CP;
}

static guint32
lower_stage(const LpPlan *plan, guint32 stage)
{
    return MIN(stage, plan->degree[LP_AXIS_PP] - 1 - stage);
}

static guint64
replica_index(const LpPlan *plan, guint64 rank)
{
    LpAxis fast, slow;
    replica_axes(plan, &fast, &slow);
    LpCoordinates at = lp_plan_coordinates(plan, rank);
    guint64 index = at.at[fast] + (guint64)plan->degree[fast] * at.at[slow];
    guint32 stage = at.at[LP_AXIS_PP];
    if (is_dual(plan) && stage != lower_stage(plan, stage))
        index += (guint64)plan->degree[fast] * plan->degree[slow];
    return index;
}

static guint64
replica_member(const LpPlan *plan, guint64 rank, guint64 index)
{
    LpAxis fast, slow;
    replica_axes(plan, &fast, &slow);
    LpCoordinates at = lp_plan_coordinates(plan, rank);
    guint64 n = (guint64)plan->degree[fast] * plan->degree[slow];
    if (is_dual(plan)) {
        guint32 lower = lower_stage(plan, at.at[LP_AXIS_PP]);
        at.at[LP_AXIS_PP] = index < n ? lower : plan->degree[LP_AXIS_PP] - 1 - lower;
    }
    at.at[fast] = (guint32)(index % n % plan->degree[fast]);
    at.at[slow] = (guint32)(index % n / plan->degree[fast]);
    return lp_plan_rank(plan, &at);
}

/* --- experts --- */

static gboolean
limits_nodes(const LpTransformer *transformer, const LpPlan *plan)
{
    guint32 groups = transformer->experts.n_groups, limit = transformer->experts.group_limit;
    return groups > 1 && limit > 0 && limit < groups && plan->degree[LP_AXIS_EP] % groups == 0 &&
           !plan->experts.sends_each;
}

guint32
lp_group_n_expert_nodes(const LpTransformer *transformer, const LpPlan *plan)
{
    if (limits_nodes(transformer, plan))
        return transformer->experts.n_groups;
    return MAX(plan->experts.relay, 1);
}

/* Places that top-k consecutive experts stand on, of @n_places that share them all evenly. */
static double
adjacent_places(const LpTransformer *transformer, double n_places)
{
    double slots = lp_transformer_expert_slots(transformer);
    return fmin(slots, fmax(1.0, transformer->experts.top_k * n_places / transformer->experts.n));
}

/* Places that top-k different experts stand on in the mean, drawn evenly from @n_experts that
 * @n_places share evenly: a place is missed where all are drawn from the others, with probability
 * C(n - n/p, k) / C(n, k) (hypergeometric). */
static double
drawn_places(const LpTransformer *transformer, double n_experts, double n_places)
{
    double missed = 1.0, n_others = n_experts - n_experts / n_places;
    for (guint32 k = 0; k < transformer->experts.top_k; k++)
        missed *= fmax(n_others - k, 0.0) / (n_experts - k);
    return fmin(lp_transformer_expert_slots(transformer), n_places * (1.0 - missed));
}

/* Dispatchers that relay send a token once to a rank, however many of its experts it has
 * (deepseek-ai/DeepEP, deep_ep/buffers/legacy.py: is_token_in_rank; branch hybrid-ep,
 * csrc/hybrid_ep/backend/hybrid_ep_backend.cuh: sparse_to_dense_map). */
double
lp_group_expert_ranks(const LpTransformer *transformer, const LpPlan *plan)
{
    double n_ranks = plan->degree[LP_AXIS_EP], n_experts = transformer->experts.n;
    if (plan->traits[LP_TRAIT_ADJACENT_EXPERTS] && plan->experts.relays_by_domain)
        return adjacent_places(transformer, n_ranks);
    if (!plan->experts.relays_by_domain && lp_group_n_expert_nodes(transformer, plan) == 1)
        return lp_transformer_expert_slots(transformer);
    double open = limits_nodes(transformer, plan)
                      ? (double)transformer->experts.group_limit / transformer->experts.n_groups
                      : 1.0;
    return drawn_places(transformer, open * n_experts, open * n_ranks);
}

double
lp_group_expert_copies(const LpTransformer *transformer, const LpPlan *plan)
{
    double slots = lp_transformer_expert_slots(transformer);
    double parts = lp_group_n_expert_nodes(transformer, plan);
    if (plan->traits[LP_TRAIT_ADJACENT_EXPERTS] && plan->experts.relays_by_domain)
        return adjacent_places(transformer, parts);
    if (limits_nodes(transformer, plan))
        return fmin(slots, transformer->experts.group_limit);
    return drawn_places(transformer, transformer->experts.n, parts);
}

static guint64
expert_member(const LpPlan *plan, guint64 rank, guint32 ep)
{
    LpExpertCoordinates at = lp_plan_expert_coordinates(plan, rank);
    at.ep = ep;
    return lp_plan_expert_rank(plan, lp_plan_coordinates(plan, rank).at[LP_AXIS_PP], at);
}

static guint64
expert_replica_index(const LpPlan *plan, guint64 rank)
{
    guint32 stage = lp_plan_coordinates(plan, rank).at[LP_AXIS_PP];
    gboolean upper = is_dual(plan) && stage != lower_stage(plan, stage);
    return lp_plan_expert_coordinates(plan, rank).dp +
           (upper ? lp_plan_expert_replicas(plan) / 2 : 0);
}

static guint64
expert_replica_member(const LpPlan *plan, guint64 rank, guint64 index)
{
    LpExpertCoordinates at = lp_plan_expert_coordinates(plan, rank);
    guint32 stage = lp_plan_coordinates(plan, rank).at[LP_AXIS_PP];
    guint32 n = lp_plan_expert_replicas(plan) / (is_dual(plan) ? 2 : 1);
    if (is_dual(plan)) {
        stage = lower_stage(plan, stage);
        stage = index < n ? stage : plan->degree[LP_AXIS_PP] - 1 - stage;
    }
    at.dp = (guint32)(index % n);
    return lp_plan_expert_rank(plan, stage, at);
}

/* --- embedding --- */

gboolean
lp_group_exchanges_embedding(const LpTransformer *transformer, const LpPlan *plan, guint32 stage)
{
    guint32 pp = plan->degree[LP_AXIS_PP];
    /* Under DualPipe both ends hold both, and their replicas' reduction sums the gradients. */
    return lp_transformer_copies_embedding(transformer) && pp > 1 && !is_dual(plan) &&
           !lp_plan_freezes(plan) && (stage == 0 || stage == pp - 1);
}

static guint64
stage_member(const LpPlan *plan, guint64 rank, guint32 stage)
{
    LpCoordinates at = lp_plan_coordinates(plan, rank);
    at.at[LP_AXIS_PP] = stage;
    return lp_plan_rank(plan, &at);
}

static guint64
axis_member(const LpPlan *plan, LpAxis axis, guint64 rank, guint64 index)
{
    LpCoordinates at = lp_plan_coordinates(plan, rank);
    at.at[axis] = (guint32)index;
    return lp_plan_rank(plan, &at);
}

/* --- all kinds --- */

guint64
lp_group_size(const LpTransformer *transformer, const LpPlan *plan, LpGroup group)
{
    guint32 nodes = lp_group_n_expert_nodes(transformer, plan);
    switch (group) {
    case LP_GROUP_TP:
        return plan->degree[LP_AXIS_TP];
    case LP_GROUP_CP:
        return plan->degree[LP_AXIS_CP];
    case LP_GROUP_EP:
        return plan->degree[LP_AXIS_EP];
    case LP_GROUP_EP_NODE:
        return nodes > 1 ? plan->degree[LP_AXIS_EP] / nodes : 1;
    case LP_GROUP_EP_RAIL:
        return nodes;
    case LP_GROUP_DP:
        return lp_plan_shard_degree(plan);
    case LP_GROUP_REPLICA:
        return lp_plan_n_replicas(plan) / lp_plan_shard_degree(plan);
    case LP_GROUP_EXPERT_DP:
        return transformer->experts.n > 0 ? lp_plan_expert_replicas(plan) : 1;
    case LP_GROUP_CP_HEADS:
        return transformer->pattern.n_mixers > 0 ? plan->degree[LP_AXIS_CP] : 1;
    case LP_GROUP_EMBEDDING:
        return MIN(plan->degree[LP_AXIS_PP], 2);
    default: /* of no plan */
        return 1;
    }
}

guint64
lp_group_member(const LpTransformer *transformer, const LpPlan *plan, LpGroup group, guint64 rank,
                guint64 index)
{
    guint64 size = lp_group_size(transformer, plan, group);
    guint64 own = lp_group_index(transformer, plan, group, rank);
    switch (group) {
    case LP_GROUP_TP:
        return axis_member(plan, LP_AXIS_TP, rank, index);
    case LP_GROUP_CP:
    case LP_GROUP_CP_HEADS:
        return axis_member(plan, LP_AXIS_CP, rank, index);
    case LP_GROUP_EP:
        return expert_member(plan, rank, (guint32)index);
    case LP_GROUP_EP_NODE: {
        guint32 ep = lp_plan_expert_coordinates(plan, rank).ep;
        return expert_member(plan, rank, (guint32)(ep - own + index));
    }
    case LP_GROUP_EP_RAIL: {
        guint32 width = plan->degree[LP_AXIS_EP] / (guint32)size;
        guint32 ep = lp_plan_expert_coordinates(plan, rank).ep;
        return expert_member(plan, rank, (guint32)(ep % width + index * width));
    }
    case LP_GROUP_DP:
        return replica_member(plan, rank, replica_index(plan, rank) - own + index);
    case LP_GROUP_REPLICA: {
        guint64 width = lp_plan_shard_degree(plan);
        return replica_member(plan, rank, replica_index(plan, rank) % width + index * width);
    }
    case LP_GROUP_EXPERT_DP:
        return expert_replica_member(plan, rank, index);
    case LP_GROUP_EMBEDDING:
        return stage_member(plan, rank, index == 0 ? 0 : plan->degree[LP_AXIS_PP] - 1);
    default:
        break;
    }
    g_assert_not_reached();
}

guint64
lp_group_index(const LpTransformer *transformer, const LpPlan *plan, LpGroup group, guint64 rank)
{
    guint64 size = lp_group_size(transformer, plan, group);
    switch (group) {
    case LP_GROUP_TP:
        return lp_plan_coordinates(plan, rank).at[LP_AXIS_TP];
    case LP_GROUP_CP:
    case LP_GROUP_CP_HEADS:
        return lp_plan_coordinates(plan, rank).at[LP_AXIS_CP];
    case LP_GROUP_EP:
        return lp_plan_expert_coordinates(plan, rank).ep;
    case LP_GROUP_EP_NODE:
        return lp_plan_expert_coordinates(plan, rank).ep % size;
    case LP_GROUP_EP_RAIL:
        return lp_plan_expert_coordinates(plan, rank).ep / (plan->degree[LP_AXIS_EP] / size);
    case LP_GROUP_DP:
        return replica_index(plan, rank) % size;
    case LP_GROUP_REPLICA:
        return replica_index(plan, rank) / lp_plan_shard_degree(plan);
    case LP_GROUP_EXPERT_DP:
        return expert_replica_index(plan, rank);
    case LP_GROUP_EMBEDDING:
        return lp_plan_coordinates(plan, rank).at[LP_AXIS_PP] == 0 ? 0 : 1;
    default:
        break;
    }
    g_assert_not_reached();
}

gboolean
lp_group_exists(const LpTransformer *transformer, const LpPlan *plan, LpGroup group, guint64 rank)
{
    if (lp_group_size(transformer, plan, group) < 2)
        return FALSE;
    switch (group) {
    case LP_GROUP_EP:
        return lp_group_n_expert_nodes(transformer, plan) == 1;
    case LP_GROUP_EMBEDDING:
        return lp_group_exchanges_embedding(transformer, plan,
                                            lp_plan_coordinates(plan, rank).at[LP_AXIS_PP]);
    default:
        return TRUE;
    }
}
