/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics against values worked out by hand, and outcomes carried as text. */
#include "validation/prediction/score.h"

#include "tests/testlib.h"

#include <string.h>

static void
free_outcome(gpointer data)
{
    lp_outcome_free(data);
}

/* measured 1 s, predicted 1 + @error; a status other than ok is set after that. */
static void
add(GPtrArray *outcomes, const char *source, double error, LpOutcomeStatus status)
{
    LpOutcome *outcome = lp_outcome_new(LP_MEASURE_TIME, "row", source);
    outcome->measured = 1.0;
    outcome->predicted[LP_PREDICTION_SIMULATED] = 1.0 + error;
    if (status != LP_OUTCOME_OK)
        lp_outcome_fail(outcome, status, "as the test wants it");
    g_ptr_array_add(outcomes, outcome);
}

static void
test_score(void)
{
    g_autoptr(GPtrArray) outcomes = g_ptr_array_new_with_free_func(free_outcome);
    add(outcomes, "a", 0.10, LP_OUTCOME_OK);
    add(outcomes, "b", -0.90, LP_OUTCOME_OK);
    add(outcomes, "a", -0.20, LP_OUTCOME_OK);
    add(outcomes, "a", 0.30, LP_OUTCOME_OK);
    add(outcomes, "a", 0.01, LP_OUTCOME_REFUSED_MEMORY);
    LpScore a = lp_score(outcomes, "a", LP_PREDICTION_SIMULATED);
    lp_test_true("rows", a.n_rows == 4 && a.n_failed == 1 && a.n_out_of_scope == 0);
    /* |e| in order: 0.1 0.2 0.3 1; e: 0.1 -0.2 0.3 1. */
    lp_test_close("median", a.median_absolute_error, 0.25, 1e-12);
    lp_test_close("mean", a.mean_absolute_error, 0.4, 1e-12);
    lp_test_close("bias", a.bias, 0.3, 1e-12);
    /* Place 2.7 of 0 to 3. */
    lp_test_close("p90", a.p90_absolute_error, 0.3 + 0.7 * 0.7, 1e-12);
    lp_test_close("worst", a.worst_absolute_error, 1.0, 1e-12);
    LpScore all = lp_score(outcomes, NULL, LP_PREDICTION_SIMULATED);
    lp_test_true("all", all.n_rows == 5);
    lp_test_close("median of five", all.median_absolute_error, 0.3, 1e-12);
    add(outcomes, "d (composed)", 0.70, LP_OUTCOME_OK);
    ((LpOutcome *)outcomes->pdata[5])->is_apart = TRUE;
    lp_test_true("but those apart",
                 lp_score(outcomes, NULL, LP_PREDICTION_SIMULATED).n_rows == 5 &&
                     lp_score(outcomes, "d (composed)", LP_PREDICTION_SIMULATED).n_rows == 1);
    LpScore other = lp_score(outcomes, "a", LP_PREDICTION_AMPED);
    lp_test_close("no prediction counts with 1", other.mean_absolute_error, 1.0, 1e-12);
    LpScore none = lp_score(outcomes, "c", LP_PREDICTION_SIMULATED);
    lp_test_true("no rows", none.n_rows == 0 && none.mean_absolute_error == 0.0);
}

static void
test_quantile(void)
{
    static const double numbers[] = {1, 2, 4, 8};
    lp_test_close("one", lp_score_quantile(numbers, 1, 0.9), 1.0, 1e-12);
    lp_test_close("lowest", lp_score_quantile(numbers, 4, 0.0), 1.0, 1e-12);
    lp_test_close("middle", lp_score_quantile(numbers, 4, 0.5), 3.0, 1e-12);
    lp_test_close("highest", lp_score_quantile(numbers, 4, 1.0), 8.0, 1e-12);
}

static void
test_spearman(void)
{
    static const double up[] = {1, 2, 3, 4}, far[] = {10, 20, 1e9, 1e12}, down[] = {4, 3, 2, 1};
    static const double ties[] = {1, 2, 2, 3}, even[] = {5, 5, 5, 5};
    lp_test_close("same order", lp_score_spearman(up, far, 4), 1.0, 1e-12);
    lp_test_close("reverse", lp_score_spearman(up, down, 4), -1.0, 1e-12);
    /* Ranks 1 2.5 2.5 4 against 1 2 3 4: 4.5 / sqrt(4.5 * 5). */
    lp_test_close("ties", lp_score_spearman(ties, up, 4), 0.9486832980505138, 1e-12);
    lp_test_true("all equal", lp_score_spearman(even, up, 4) == 0.0);
    lp_test_true("none", lp_score_spearman(up, up, 0) == 0.0);
}

static void
test_worst(void)
{
    g_autoptr(GPtrArray) outcomes = g_ptr_array_new_with_free_func(free_outcome);
    add(outcomes, "a", 0.1, LP_OUTCOME_OK);
    add(outcomes, "b", 0.5, LP_OUTCOME_FAILED);
    add(outcomes, "c", -0.3, LP_OUTCOME_OK);
    add(outcomes, "d", 0.2, LP_OUTCOME_OK);
    g_autoptr(GPtrArray) worst = lp_score_worst(outcomes, 2, LP_PREDICTION_SIMULATED);
    g_autoptr(GPtrArray) sources = lp_score_sources(outcomes);
    lp_test_true("two", worst->len == 2);
    lp_test_text("first", ((LpOutcome *)worst->pdata[0])->source, "c");
    lp_test_text("second", ((LpOutcome *)worst->pdata[1])->source, "d");
    lp_test_true("sources", sources->len == 4);
}

static void
test_text(void)
{
    g_autoptr(LpOutcome) one = lp_outcome_new(LP_MEASURE_TIME, "i", "s");
    g_autoptr(LpOutcome) other = lp_outcome_new(LP_MEASURE_TIME, "i", "s");
    one->measured = 1.0 / 3.0;
    one->predicted[LP_PREDICTION_AMPED] = 0.1;
    one->has_terms = TRUE;
    one->terms.s[LP_TERM_HOST] = 2.0 / 7.0;
    one->group = g_strdup("a 'group'");
    lp_outcome_infer(one, "a %d \"quote\"\n", 1);
    lp_outcome_fail(one, LP_OUTCOME_REFUSED_MEMORY, "of\ntwo lines");
    lp_outcome_fail(one, LP_OUTCOME_FAILED, "the first counts");
    g_autofree char *text = lp_outcome_to_text(one);
    lp_test_true("read", lp_outcome_from_text(other, text));
    g_autofree char *again = lp_outcome_to_text(other);
    lp_test_text("the same again", again, text);
    lp_test_text("one line", other->reason, "of two lines");
    lp_test_true("to the bit", other->measured == one->measured &&
                                   other->terms.s[LP_TERM_HOST] == one->terms.s[LP_TERM_HOST]);
    static const char *const bad[] = {"",
                                      "nonsense",
                                      "(uint32 0, 1.0)",
                                      "(9, 1.0, nothing, 'x', [1.0, 1.0, 1.0], [], [])",
                                      "(0, 1.0, nothing, nothing, [1.0], [], [])",
                                      "(0, nan, nothing, nothing, [1.0, 1.0, 1.0], [], [])",
                                      "(1, 1.0, nothing, nothing, [1.0, 1.0, 1.0], [], [])",
                                      "(0, 1.0, nothing, nothing, [1.0, 1.0, 1.0], [1.0], [])"};
    for (guint i = 0; i < G_N_ELEMENTS(bad); i++)
        lp_test_true(bad[i], !lp_outcome_from_text(other, bad[i]));
    g_autofree char *untouched = lp_outcome_to_text(other);
    lp_test_text("left as it was", untouched, text);
}

int
main(void)
{
    static const LpTestCase cases[] = {{"score", test_score},       {"quantile", test_quantile},
                                       {"spearman", test_spearman}, {"worst", test_worst},
                                       {"text", test_text},         {NULL, NULL}};
    return lp_test_run("score", cases);
}
