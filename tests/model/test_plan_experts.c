/* SPDX-License-Identifier: Apache-2.0 */
#include "model/plan/plan_routing.h"
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

/* Overlapped where a group spans domains and the plan lets it. */
static void
test_weaving_by_domains(void)
{
    static const struct {
        const char *label;
        guint32 pp, ep, zero;
        LpPipelineSchedule schedule;
        guint64 domain_size;
        gboolean overlaps;
    } rows[] = {
        {"one stage, two domains", 1, 16, 1, LP_SCHEDULE_1F1B, 8, TRUE},
        {"in one domain", 1, 8, 1, LP_SCHEDULE_1F1B, 8, FALSE},
        {"half a domain", 1, 8, 1, LP_SCHEDULE_1F1B, 64, FALSE},
        {"no experts' group", 1, 1, 1, LP_SCHEDULE_1F1B, 1, FALSE},
        {"stages in turn", 2, 16, 1, LP_SCHEDULE_1F1B, 8, FALSE},
        {"interleaved", 2, 16, 1, LP_SCHEDULE_INTERLEAVED, 8, TRUE},
        {"all is sharded", 1, 16, 3, LP_SCHEDULE_1F1B, 8, FALSE},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpPlan plan = lp_test_plan(1, rows[i].pp, 16, 1, 64);
        plan.degree[LP_AXIS_EP] = rows[i].ep;
        plan.zero.stage = rows[i].zero;
        plan.pipeline.schedule = rows[i].schedule;
        plan.pipeline.virtual_stages = rows[i].schedule == LP_SCHEDULE_INTERLEAVED ? 2 : 1;
        plan.overlap.ep_by_domain = TRUE;
        lp_plan_overlap_passes_by_domains(&plan, rows[i].domain_size);
        lp_test_true(rows[i].label, plan.overlap.ep == rows[i].overlaps);
        plan.overlap.ep_by_domain = FALSE;
        plan.overlap.ep = TRUE;
        lp_plan_overlap_passes_by_domains(&plan, rows[i].domain_size);
        lp_test_true(rows[i].label, plan.overlap.ep);
    }
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
            plan.experts.draws = LP_ROUTING_ITERATION;
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

/* Every layer with experts and every micro-batch has a draw of its own; the first is that of the
 * iteration. */
static void
test_expert_draws(void)
{
    LpTransformer shape = lp_test_expert_shape();
    LpPlan plan = lp_test_plan(1, 1, 4, 1, 16);
    plan.degree[LP_AXIS_EP] = 4;
    lp_test_true("even", lp_plan_n_expert_draws(&plan, &shape) == 1);
    plan.experts.skew = 0.5;
    shape.experts.capacity_factor = 1.25;
    lp_test_true("padded to one size", !lp_plan_has_expert_loads(&plan, &shape) &&
                                           lp_plan_n_expert_draws(&plan, &shape) == 1);
    shape.experts.capacity_factor = 0.0;
    guint32 n_layers = 0, m = lp_plan_n_micro_batches(&plan);
    g_autofree gboolean *seen = g_new0(gboolean, lp_transformer_n_layers(&shape) * m);
    guint64 n = lp_plan_n_expert_draws(&plan, &shape);
    for (guint32 layer = 0; layer < lp_transformer_n_layers(&shape); layer++) {
        if (!lp_transformer_layer(&shape, layer).has_experts)
            continue;
        n_layers++;
        for (guint32 k = 0; k < m; k++) {
            guint32 draw = lp_plan_expert_draw(&plan, &shape, layer, k);
            lp_test_true("each its own", draw < n && !seen[draw]);
            seen[draw] = TRUE;
        }
    }
    lp_test_true("layers and micro-batches", n_layers > 1 && m > 1 && n == n_layers * m);
    g_autofree double *all = g_new(double, n * 4);
    double once[4];
    lp_plan_expert_loads(&plan, &shape, all);
    for (guint64 draw = 0; draw < n; draw++)
        lp_test_close("mean",
                      all[4 * draw] + all[4 * draw + 1] + all[4 * draw + 2] + all[4 * draw + 3],
                      4.0, IDENTITY);
    plan.experts.draws = LP_ROUTING_LAYER;
    lp_test_true("layers", lp_plan_n_expert_draws(&plan, &shape) == n_layers);
    plan.experts.draws = LP_ROUTING_ITERATION;
    lp_plan_expert_loads(&plan, &shape, once);
    for (guint i = 0; i < 4; i++) {
        lp_test_close("first", all[i], once[i], 0.0);
        lp_test_true("second", fabs(all[4 + i] - once[i]) > 0.0);
    }
}

/* A table's layers and micro-batches begin again where it has fewer. */
static void
test_expert_table(void)
{
    LpTransformer shape = lp_test_expert_shape();
    guint32 n_experts = shape.experts.n;
    LpPlan plan = lp_test_plan(1, 1, 2, 1, 8);
    plan.degree[LP_AXIS_EP] = 2;
    g_autofree double *counts = g_new(double, 2 * n_experts);
    for (guint32 e = 0; e < n_experts; e++) {
        counts[e] = e < n_experts / 2 ? 3.0 : 1.0; /* layer 0: 1.5 and 0.5 of the mean */
        counts[n_experts + e] = e < n_experts / 2 ? 0.0 : 5.0;
    }
    LpRoutingTable table = {2, 1, n_experts, counts};
    plan.experts.table = &table;
    plan.experts.skew = 1.0;
    guint32 m = lp_plan_n_micro_batches(&plan);
    guint64 n = lp_plan_n_expert_draws(&plan, &shape);
    g_autofree double *loads = g_new(double, n * 2);
    lp_plan_expert_loads(&plan, &shape, loads);
    for (guint64 draw = 0; draw < n; draw++) {
        gboolean odd = draw / m % 2 == 1;
        lp_test_close("first rank", loads[2 * draw], odd ? 0.0 : 1.5, IDENTITY);
        lp_test_close("second rank", loads[2 * draw + 1], odd ? 2.0 : 0.5, IDENTITY);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"expert ranks", test_expert_ranks},
        {"expert ranks by hand", test_expert_ranks_by_hand},
        {"weaving by domains", test_weaving_by_domains},
        {"expert loads", test_expert_loads},
        {"expert draws", test_expert_draws},
        {"expert table", test_expert_table},
        {NULL, NULL},
    };
    return lp_test_run("plan experts", cases);
}
