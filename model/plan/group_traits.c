/* SPDX-License-Identifier: Apache-2.0 */
/* The table. */
#include "model/plan/group_traits.h"

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
    [LP_GROUP_CP_HEADS] = {"context-parallel (heads)", "algorithm-cp", LP_AXIS_CP, LP_TRAFFIC_CP,
                           LP_TERM_CP, TRUE},
};

/* Programs that are given may have ranks in so many groups of a class at once. */
#define GIVEN(name, traffic, term)                                                                 \
    {                                                                                              \
        name, "algorithm", LP_AXIS_DP, traffic, term, FALSE                                        \
    }
static const LpGroupTraits given[] = {
    GIVEN("tp", LP_TRAFFIC_TP, LP_TERM_TP),
    GIVEN("tp (second)", LP_TRAFFIC_TP, LP_TERM_TP),
    GIVEN("tp (third)", LP_TRAFFIC_TP, LP_TERM_TP),
    GIVEN("tp (fourth)", LP_TRAFFIC_TP, LP_TERM_TP),
    GIVEN("cp", LP_TRAFFIC_CP, LP_TERM_CP),
    GIVEN("cp (second)", LP_TRAFFIC_CP, LP_TERM_CP),
    GIVEN("ep", LP_TRAFFIC_EP, LP_TERM_EP),
    GIVEN("ep (second)", LP_TRAFFIC_EP, LP_TERM_EP),
    GIVEN("ep (third)", LP_TRAFFIC_EP, LP_TERM_EP),
    GIVEN("ep (fourth)", LP_TRAFFIC_EP, LP_TERM_EP),
    GIVEN("dp", LP_TRAFFIC_DP, LP_TERM_DP),
    GIVEN("dp (second)", LP_TRAFFIC_DP, LP_TERM_DP),
    GIVEN("dp (third)", LP_TRAFFIC_DP, LP_TERM_DP),
    GIVEN("dp (fourth)", LP_TRAFFIC_DP, LP_TERM_DP),
    GIVEN("embedding", LP_TRAFFIC_EMBEDDING, LP_TERM_DP),
    GIVEN("embedding (second)", LP_TRAFFIC_EMBEDDING, LP_TERM_DP),
};

G_STATIC_ASSERT(G_N_ELEMENTS(traits) == LP_GROUP_GIVEN);
G_STATIC_ASSERT(G_N_ELEMENTS(given) == LP_N_GROUPS - LP_GROUP_GIVEN);
/* Sets of groups are bits. */
G_STATIC_ASSERT(LP_N_GROUPS <= 32);

const LpGroupTraits *
lp_group_traits(LpGroup group)
{
    g_return_val_if_fail(group < LP_N_GROUPS, NULL);
    return group < LP_GROUP_GIVEN ? &traits[group] : &given[group - LP_GROUP_GIVEN];
}

LpTerm
lp_traffic_term(LpTraffic traffic)
{
    static const LpTerm terms[] = {
        [LP_TRAFFIC_TP] = LP_TERM_TP, [LP_TRAFFIC_PP] = LP_TERM_PP,
        [LP_TRAFFIC_DP] = LP_TERM_DP, [LP_TRAFFIC_EP] = LP_TERM_EP,
        [LP_TRAFFIC_CP] = LP_TERM_CP, [LP_TRAFFIC_EMBEDDING] = LP_TERM_DP};
    g_return_val_if_fail(traffic < LP_N_TRAFFIC, LP_TERM_COMPUTE);
    return terms[traffic];
}
