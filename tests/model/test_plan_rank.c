/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/model/shapes.h"
#include "tests/testlib.h"

static void
test_ranks(void)
{
    static const struct {
        const char *label;
        LpAxis order[LP_N_AXES];
        guint64 strides[LP_N_AXES]; /* tp, cp, ep, dp, pp */
    } rows[] = {
        {"tp first",
         {LP_AXIS_TP, LP_AXIS_CP, LP_AXIS_EP, LP_AXIS_DP, LP_AXIS_PP},
         {1, 8, 8, 8, 24}},
        {"pp first",
         {LP_AXIS_PP, LP_AXIS_DP, LP_AXIS_EP, LP_AXIS_CP, LP_AXIS_TP},
         {15, 15, 15, 5, 1}},
        {"pp before dp",
         {LP_AXIS_TP, LP_AXIS_PP, LP_AXIS_DP, LP_AXIS_CP, LP_AXIS_EP},
         {1, 120, 120, 40, 8}},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpPlan plan = lp_test_plan(8, 5, 3, 1, 3);
        for (guint j = 0; j < LP_N_AXES; j++)
            plan.order[j] = rows[i].order[j];
        for (guint axis = 0; axis < LP_N_AXES; axis++) {
            if (axis == LP_AXIS_EP) /* it adds no ranks */
                continue;
            LpCoordinates unit = {{0}};
            unit.at[axis] = 1;
            lp_test_true(rows[i].label,
                         lp_plan_stride(&plan, (LpAxis)axis) == rows[i].strides[axis] &&
                             lp_plan_rank(&plan, &unit) == rows[i].strides[axis]);
        }
        lp_test_true(rows[i].label, lp_plan_n_ranks(&plan) == 120);
        for (guint64 rank = 0; rank < lp_plan_n_ranks(&plan); rank++) {
            LpCoordinates coordinates = lp_plan_coordinates(&plan, rank);
            lp_test_true(rows[i].label, lp_plan_rank(&plan, &coordinates) == rank);
            for (guint axis = 0; axis < LP_N_AXES; axis++)
                lp_test_true(rows[i].label, coordinates.at[axis] < plan.degree[axis]);
        }
    }
}

static void
test_largest_ranks(void)
{
    LpPlan plan = lp_test_plan(1 << 8, 1 << 8, 1 << 8, 1, 1 << 24);
    guint64 last = (1 << 24) - 1;
    LpCoordinates coordinates = lp_plan_coordinates(&plan, last);
    lp_test_true("2^24 ranks", lp_plan_n_ranks(&plan) == 1 << 24);
    lp_test_true("the last one", lp_plan_rank(&plan, &coordinates) == last);
    lp_test_true("2^16 micro-batches", lp_plan_n_micro_batches(&plan) == 1 << 16);
}

/* Sets of shards are the replicas of a domain, where these divide all and there are others. */
static void
test_sets_of_domains(void)
{
    static const struct {
        const char *label;
        guint32 tp, dp, zero, ep;
        guint64 domain_size;
        guint32 degree;
    } rows[] = {
        {"hosts of 8", 1, 32, 3, 1, 8, 8},         {"tp inside", 4, 32, 3, 1, 16, 4},
        {"one domain", 1, 32, 3, 1, 32, 0},        {"a domain is tp", 8, 32, 3, 1, 8, 0},
        {"tp does not divide", 4, 32, 3, 1, 6, 0}, {"6 of 32", 1, 32, 3, 1, 6, 0},
        {"nothing is shared", 1, 32, 0, 1, 8, 0},  {"experts", 1, 32, 3, 2, 8, 0},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpPlan plan = lp_test_plan(rows[i].tp, 1, rows[i].dp, 1, rows[i].dp);
        plan.degree[LP_AXIS_EP] = rows[i].ep;
        plan.zero.stage = rows[i].zero;
        plan.zero.shard_degree = 3;
        lp_plan_shard_by_domains(&plan, rows[i].domain_size);
        lp_test_true("as stated", plan.zero.shard_degree == 3);
        plan.zero.shards_by_domain = TRUE;
        lp_plan_shard_by_domains(&plan, rows[i].domain_size);
        lp_test_true(rows[i].label, plan.zero.shard_degree == rows[i].degree);
    }
}

/* What the plan states stays; what it leaves to the accelerator follows that. */
static void
test_sums_on_cores(void)
{
    for (guint i = 0; i < 8; i++) {
        gboolean stated = (i & 1) != 0, on_cores = (i & 2) != 0, by_accelerator = (i & 4) != 0;
        LpPlan plan = lp_test_plan(1, 1, 8, 1, 8);
        plan.overlap.dp = TRUE;
        plan.overlap.dp_waits = stated;
        plan.overlap.dp_by_accelerator = by_accelerator;
        lp_plan_wait_by_accelerator(&plan, on_cores);
        lp_test_true("waits", plan.overlap.dp_waits == (by_accelerator ? on_cores : stated));
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"ranks", test_ranks},
        {"largest ranks", test_largest_ranks},
        {"sets of domains", test_sets_of_domains},
        {"sums on cores", test_sums_on_cores},
        {NULL, NULL},
    };
    return lp_test_run("plan rank", cases);
}
