/* SPDX-License-Identifier: Apache-2.0 */
/* The choice among plans: groups and regrets worked out by hand, and which rows are a group. */
#include "validation/prediction/ranking.h"

#include "tests/testlib.h"
#include "tests/validation/training_row.h"
#include "validation/cases/training_case.h"

#include <string.h>

static void
free_outcome(gpointer data)
{
    lp_outcome_free(data);
}

static LpOutcome *
add(GPtrArray *outcomes, const char *group, double measured_s, double simulated_s)
{
    LpOutcome *outcome = lp_outcome_new(LP_MEASURE_TIME, "row", "a");
    outcome->group = g_strdup(group);
    outcome->measured = measured_s;
    outcome->predicted[LP_PREDICTION_SIMULATED] = simulated_s;
    outcome->predicted[LP_PREDICTION_CONSISTENT] = 2.0 * measured_s;
    g_ptr_array_add(outcomes, outcome);
    return outcome;
}

/* Ten plans measured at 1.00, 1.04, 1.08 ... s, of which the prediction puts @first at the front
 * and keeps the others in their order. */
static void
add_ten(GPtrArray *outcomes, const char *group, guint first)
{
    for (guint i = 0; i < 10; i++)
        add(outcomes, group, 1.0 + 0.04 * i, i == first ? 0.5 : 1.0 + i);
}

static void
test_regret(void)
{
    g_autoptr(GPtrArray) outcomes = g_ptr_array_new_with_free_func(free_outcome);
    add_ten(outcomes, "exact", 0);
    add_ten(outcomes, "within 5 %", 1);
    add_ten(outcomes, "within 15 %", 3);
    add_ten(outcomes, "beyond", 4);
    LpRanking ranking = lp_ranking(outcomes, NULL, LP_PREDICTION_SIMULATED);
    lp_test_true("groups", ranking.n_groups == 4 && ranking.n_plans == 40);
    lp_test_close("within 5 %", ranking.within_5_percent, 0.5, 1e-12);
    lp_test_close("within 15 %", ranking.within_15_percent, 0.75, 1e-12);
    /* Of 0, 0.04, 0.12 and 0.16. */
    lp_test_close("median regret", ranking.median_regret, 0.08, 1e-12);
    /* Moving rank f + 1 to the front costs 6 (f^2 + f) / (10 * 99) of Spearman's 1. */
    lp_test_close("Spearman", ranking.mean_spearman, 1.0 - 6.0 * (2 + 12 + 20) / 990.0 / 4.0,
                  1e-12);
    /* 1.00 and 1.04 of ten. */
    lp_test_close("chance", ranking.chance_within_5_percent, 0.2, 1e-12);
    LpRanking closed = lp_ranking(outcomes, NULL, LP_PREDICTION_CONSISTENT);
    lp_test_true("a model that is always right", closed.median_regret == 0.0 &&
                                                     closed.within_5_percent == 1.0 &&
                                                     closed.mean_spearman == 1.0);
    LpRanking none = lp_ranking(outcomes, NULL, LP_PREDICTION_AMPED);
    lp_test_true("nothing told apart: the slowest counts",
                 none.within_15_percent == 0.0 && none.mean_spearman == 0.0);
    lp_test_close("the slowest takes 1.36 s", none.median_regret, 0.36, 1e-12);
}

static void
test_groups(void)
{
    g_autoptr(GPtrArray) outcomes = g_ptr_array_new_with_free_func(free_outcome);
    add(outcomes, "one plan", 1.0, 1.0);
    add(outcomes, "all alike", 1.0, 1.0);
    add(outcomes, "all alike", 1.0, 2.0);
    LpOutcome *memory = add(outcomes, "memory", 1.0, 1.0);
    memory->measure = LP_MEASURE_MEMORY;
    memory = add(outcomes, "memory", 2.0, 2.0);
    memory->measure = LP_MEASURE_MEMORY;
    add(outcomes, NULL, 1.0, 1.0);
    add(outcomes, NULL, 2.0, 2.0);
    LpRanking none = lp_ranking(outcomes, NULL, LP_PREDICTION_SIMULATED);
    lp_test_true("no choice", none.n_groups == 0 && none.n_plans == 0 && none.median_regret == 0.0);
    add(outcomes, "two", 1.0, 2.0);
    add(outcomes, "two", 1.5, 1.0);
    LpRanking two = lp_ranking(outcomes, NULL, LP_PREDICTION_SIMULATED);
    lp_test_true("two plans", two.n_groups == 1 && two.n_plans == 2);
    lp_test_close("regret", two.median_regret, 0.5, 1e-12);
    lp_test_close("the wrong way round", two.mean_spearman, -1.0, 1e-12);
    lp_test_true("another source",
                 lp_ranking(outcomes, "b", LP_PREDICTION_SIMULATED).n_groups == 0);
    LpOutcome *apart = add(outcomes, "two", 9.0, 9.0);
    apart->is_apart = TRUE;
    lp_test_true("those apart are not of all, but of their source",
                 lp_ranking(outcomes, NULL, LP_PREDICTION_SIMULATED).n_plans == 2 &&
                     lp_ranking(outcomes, "a", LP_PREDICTION_SIMULATED).n_plans == 3);
}

/* A plan measured three times counts as its mean, 1.2 s, and so is slower than another's 1.1. */
static void
test_repeated(void)
{
    g_autoptr(GPtrArray) outcomes = g_ptr_array_new_with_free_func(free_outcome);
    static const double measured_s[] = {1.0, 1.1, 1.5};
    for (guint i = 0; i < G_N_ELEMENTS(measured_s); i++)
        add(outcomes, "work", measured_s[i], 1.0)->predicted[LP_PREDICTION_CONSISTENT] = 3.0;
    LpRanking one = lp_ranking(outcomes, NULL, LP_PREDICTION_SIMULATED);
    lp_test_true("one plan is no group", one.n_groups == 0);
    add(outcomes, "work", 1.1, 2.0);
    LpRanking two = lp_ranking(outcomes, NULL, LP_PREDICTION_SIMULATED);
    lp_test_true("two plans", two.n_groups == 1 && two.n_plans == 2);
    lp_test_close("regret", two.median_regret, 1.2 / 1.1 - 1.0, 1e-12);
    /* Only one of three models says the same of this one: another plan. */
    add(outcomes, "work", 1.3, 1.0)->predicted[LP_PREDICTION_CONSISTENT] = 4.0;
    LpRanking three = lp_ranking(outcomes, NULL, LP_PREDICTION_SIMULATED);
    lp_test_true("three plans", three.n_plans == 3);
    lp_test_close("of those that the simulation cannot tell apart the slowest", three.median_regret,
                  1.3 / 1.1 - 1.0, 1e-12);
}

/* What fails ranks last, and is not taken to be the same plan. */
static void
test_failed(void)
{
    g_autoptr(GPtrArray) outcomes = g_ptr_array_new_with_free_func(free_outcome);
    for (guint i = 0; i < 2; i++)
        lp_outcome_fail(add(outcomes, "work", 1.0 + i, 0.1), LP_OUTCOME_FAILED, "no");
    add(outcomes, "work", 1.25, 5.0);
    LpRanking ranking = lp_ranking(outcomes, NULL, LP_PREDICTION_SIMULATED);
    lp_test_true("three plans", ranking.n_plans == 3);
    lp_test_close("the only one with a prediction", ranking.median_regret, 0.25, 1e-12);
}

/* The group of a row with @changes. Returns: (transfer full). */
static char *
group_of(const char *changes)
{
    g_autoptr(LpTable) table = lp_training_row_table(changes);
    g_autoptr(LpOutcome) outcome = lp_outcome_new(LP_MEASURE_TIME, "row", "a");
    lp_training_case.describe(lp_table_row(table, 0), outcome);
    return g_strdup(outcome->group);
}

static void
test_which_rows(void)
{
    static const struct {
        const char *changes;
        gboolean is_alike;
    } rows[] = {
        {"tp=4;pp=2;dp=16;cp=2;ep=2", TRUE},
        {"micro_batch=1;virtual_stages=2", TRUE},
        {"recompute=none;zero=3;sequence_parallel=yes", TRUE},
        {"set=schedule=zero-bubble shard-degree=8 cp-kind=gather", TRUE},
        {"iteration_s=77;note=slow", TRUE},
        {"seq=4096", FALSE},
        {"global_batch=48", FALSE},
        {"accelerators=4096", FALSE},
        {"accelerator=h100-sxm", FALSE},
        {"precision=fp8", FALSE},
        {"framework=nanotron", FALSE},
        {"set=kernels=eager", FALSE},
        {"set=overlap-tp=yes", FALSE},
        {"framework=megatron-core;where=26.06.01 NeMo Container", FALSE},
        {"layers=7", FALSE},
        {"nics_per_domain=1", FALSE},
    };
    g_autofree char *base = group_of("");
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *group = group_of(rows[i].changes);
        lp_test_true(rows[i].changes, (strcmp(group, base) == 0) == rows[i].is_alike);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"regret", test_regret}, {"groups", test_groups},         {"repeated", test_repeated},
        {"failed", test_failed}, {"which rows", test_which_rows}, {NULL, NULL},
    };
    return lp_test_run("ranking", cases);
}
