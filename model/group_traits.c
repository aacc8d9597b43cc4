/* SPDX-License-Identifier: Apache-2.0 */
/* The table. */
#include "model/group_traits.h"

static const LpGroupTraits traits[] = {
    [LP_GROUP_TP] = {"tensor-parallel", "algorithm-tp", LP_AXIS_TP, LP_TRAFFIC_TP, LP_TERM_TP,
                     TRUE},
    [LP_GROUP_CP] = {"context-parallel", "algorithm-cp", LP_AXIS_CP, LP_TRAFFIC_CP, LP_TERM_CP,
                     TRUE},
    [LP_GROUP_EP] = {"expert-parallel", "algorithm-ep", LP_AXIS_EP, LP_TRAFFIC_EP, LP_TERM_EP,
                     TRUE},
    [LP_GROUP_EP_NODE] = {"expert-parallel (within nodes)", "algorithm-ep", LP_AXIS_EP,
                          LP_TRAFFIC_EP, LP_TERM_EP, TRUE},
    [LP_GROUP_EP_RAIL] = {"expert-parallel (between nodes)", "algorithm-ep", LP_AXIS_EP,
                          LP_TRAFFIC_EP, LP_TERM_EP, TRUE},
    [LP_GROUP_DP] = {"data-parallel", "algorithm-dp", LP_AXIS_DP, LP_TRAFFIC_DP, LP_TERM_DP, FALSE},
    [LP_GROUP_REPLICA] = {"replica", "algorithm-dp", LP_AXIS_DP, LP_TRAFFIC_DP, LP_TERM_DP, FALSE},
    [LP_GROUP_EXPERT_DP] = {"expert data-parallel", "algorithm-dp", LP_AXIS_DP, LP_TRAFFIC_DP,
                            LP_TERM_DP, FALSE},
    [LP_GROUP_EMBEDDING] = {"embedding", "algorithm-dp", LP_AXIS_DP, LP_TRAFFIC_EMBEDDING,
                            LP_TERM_DP, FALSE},
};

G_STATIC_ASSERT(G_N_ELEMENTS(traits) == LP_N_GROUPS);

const LpGroupTraits *
lp_group_traits(LpGroup group)
{
    g_return_val_if_fail(group < LP_N_GROUPS, NULL);
    return &traits[group];
}
