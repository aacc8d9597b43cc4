/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/model/expert_plans.h"
#include "tests/testlib.h"

#include <math.h>

#define IDENTITY 1e-12 /* the same sum in another order */

static void
check_expert_ranks(const char *label, const LpPlan *plan)
{
    guint32 etp = lp_plan_expert_tp(plan), ep = plan->degree[LP_AXIS_EP];
    guint32 replicas = lp_plan_expert_replicas(plan);
    lp_test_true(label,
                 (guint64)etp * ep * replicas * plan->degree[LP_AXIS_PP] == lp_plan_n_ranks(plan));
    for (guint64 rank = 0; rank < lp_plan_n_ranks(plan); rank++) {
        LpExpertCoordinates at = lp_plan_expert_coordinates(plan, rank);
        LpCoordinates dense = lp_plan_coordinates(plan, rank);
        lp_test_true(label, at.tp < etp && at.ep < ep && at.dp < replicas);
        lp_test_true(label, lp_plan_expert_rank(plan, dense.at[LP_AXIS_PP], at) == rank);
        /* Ranks that share an expert share their tokens too. */
        lp_test_true(label, etp == 1 || at.tp == dense.at[LP_AXIS_TP]);
    }
}

static void
test_expert_ranks(void)
{
    LpTransformer shape = lp_test_expert_shape();
    for (guint i = 0; i < G_N_ELEMENTS(lp_test_expert_rows); i++) {
        guint n_valid = 0;
        for (guint order = 0; order < LP_TEST_N_ORDERS; order++) {
            LpPlan plan = lp_test_expert_plan(i);
            lp_test_set_order(&plan, order);
            g_autoptr(GError) error = NULL;
            if (!lp_plan_check(&plan, &shape, &error)) {
                lp_test_true(lp_test_expert_rows[i].label,
                             g_str_has_prefix(error->message, "rank-order: got tp behind"));
                continue;
            }
            n_valid++;
            g_autofree char *label =
                g_strdup_printf("%s, order %u", lp_test_expert_rows[i].label, order);
            check_expert_ranks(label, &plan);
        }
        lp_test_true(lp_test_expert_rows[i].label, n_valid >= LP_TEST_N_ORDERS / 3);
    }
}

static void
test_expert_ranks_by_hand(void)
{
    /* tp 2, dp 4, pp 2 in this order; experts over 2 of dp, divided over tp: ep before dp. */
    LpPlan plan = lp_test_plan(2, 2, 4, 1, 4);
    plan.degree[LP_AXIS_EP] = 2;
    LpExpertCoordinates at = lp_plan_expert_coordinates(&plan, 13); /* stage 1, position 5 */
    lp_test_true("ep first", at.tp == 1 && at.ep == 0 && at.dp == 1);
    plan.order[2] = LP_AXIS_DP;
    plan.order[3] = LP_AXIS_EP;
    at = lp_plan_expert_coordinates(&plan, 13);
    lp_test_true("dp first", at.tp == 1 && at.ep == 1 && at.dp == 0);
}

static void
test_expert_loads(void)
{
    LpTransformer shape = lp_test_expert_shape();
    static const guint32 eps[] = {1, 2, 8, 24};
    static const double skews[] = {0.0, 0.25, 1.0, 10.0};
    for (guint i = 0; i < G_N_ELEMENTS(eps); i++)
        for (guint k = 0; k < G_N_ELEMENTS(skews); k++) {
            g_autofree char *label = g_strdup_printf("ep %u, skew %g", eps[i], skews[k]);
            LpPlan plan = lp_test_plan(1, 1, eps[i], 1, eps[i]);
            plan.degree[LP_AXIS_EP] = eps[i];
            plan.experts.skew = skews[k];
            plan.experts.seed = 7;
            double loads[24], again[24], others[24], mean = 0.0;
            lp_plan_expert_loads(&plan, &shape, loads);
            lp_plan_expert_loads(&plan, &shape, again);
            plan.experts.seed = 8;
            lp_plan_expert_loads(&plan, &shape, others);
            gboolean differ = FALSE;
            for (guint e = 0; e < eps[i]; e++) {
                lp_test_true(label, loads[e] > 0.0 && loads[e] <= eps[i]);
                lp_test_close(label, again[e], loads[e], 0.0);
                differ |= fabs(others[e] - loads[e]) > 0.0;
                mean += loads[e] / eps[i];
                if (skews[k] <= 0.0)
                    lp_test_close(label, loads[e], 1.0, 0.0);
            }
            lp_test_close(label, mean, 1.0, IDENTITY);
            lp_test_true(label, differ == (skews[k] > 0.0 && eps[i] > 1));
        }
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"expert ranks", test_expert_ranks},
        {"expert ranks by hand", test_expert_ranks_by_hand},
        {"expert loads", test_expert_loads},
        {NULL, NULL},
    };
    return lp_test_run("plan experts", cases);
}
