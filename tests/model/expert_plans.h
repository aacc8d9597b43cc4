/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of experts that several tests of the model go through. */
#pragma once

#include "tests/model/shapes.h"

static const struct {
    const char *label;
    guint32 tp, cp, ep, dp, pp, expert_tp;
} lp_test_expert_rows[] = {
    {"one rank", 1, 1, 1, 1, 1, 0},
    {"ep over dp", 1, 1, 4, 8, 2, 0},
    {"ep over cp and dp", 2, 2, 4, 2, 3, 0},
    {"ep over tp, whole experts", 2, 1, 8, 4, 2, 1},
    {"ep over all of a stage", 2, 2, 12, 3, 2, 1},
    {"expert-tp", 4, 1, 2, 2, 4, 4},
    {"expert-tp by default", 4, 2, 2, 3, 1, 0},
    {"replicas only", 2, 2, 1, 3, 2, 2},
    {"whole experts by default", 4, 1, 6, 3, 2, 0},
};
/** The plan of row @row of lp_test_expert_rows. */
static inline LpPlan
lp_test_expert_plan(guint row)
{
    LpPlan plan = lp_test_plan(lp_test_expert_rows[row].tp, lp_test_expert_rows[row].pp,
                               lp_test_expert_rows[row].dp, 1, lp_test_expert_rows[row].dp);
    plan.degree[LP_AXIS_CP] = lp_test_expert_rows[row].cp;
    plan.degree[LP_AXIS_EP] = lp_test_expert_rows[row].ep;
    plan.experts.tp = lp_test_expert_rows[row].expert_tp;
    plan.sequence_parallel = TRUE;
    return plan;
}
/** 24 experts in 3 of 4 layers. */
static inline LpTransformer
lp_test_expert_shape(void)
{
    LpTransformer shape = lp_test_gpt(4, 96, 12);
    shape.seq = 48;
    shape.experts.n = 24;
    shape.experts.top_k = 3;
    shape.experts.n_dense_layers = 1;
    shape.experts.ffn = 24;
    shape.experts.n_shared = 1;
    return shape;
}
