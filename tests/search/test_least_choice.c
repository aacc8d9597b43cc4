/* SPDX-License-Identifier: Apache-2.0 */
/* The least choice against all choices, on drawn problems; and what is too wide for a table. */
#include "search/least_choice.h"

#include "tests/testlib.h"

#include <math.h>

#define N_MAX 6
#define CHOICES_MAX 4

/* Of all choices. */
static double
least_of_all(const LpLeastChoice *problem)
{
    double least = INFINITY;
    guint32 chosen[N_MAX];
    guint64 n_all = 1;
    for (guint i = 0; i < problem->n; i++)
        n_all *= problem->n_choices;
    for (guint64 index = 0; index < n_all; index++) {
        guint64 rest = index;
        for (guint i = 0; i < problem->n; i++, rest /= problem->n_choices)
            chosen[i] = (guint32)(rest % problem->n_choices);
        least = fmin(least, lp_least_choice_cost(problem, chosen));
    }
    return least;
}

static void
test_drawn(void)
{
    g_autoptr(GRand) generator = g_rand_new_with_seed(41);
    for (guint draw = 0; draw < 500; draw++) {
        double cost[N_MAX * CHOICES_MAX], differs[N_MAX * N_MAX];
        guint32 chosen[N_MAX];
        LpLeastChoice problem = {.n = (guint)g_rand_int_range(generator, 1, N_MAX + 1),
                                 .n_choices =
                                     (guint)g_rand_int_range(generator, 1, CHOICES_MAX + 1),
                                 .cost = cost,
                                 .differs = differs};
        for (guint i = 0; i < problem.n * problem.n_choices; i++)
            cost[i] = i % problem.n_choices > 0 && g_rand_double(generator) < 0.2
                          ? INFINITY
                          : g_rand_double(generator);
        for (guint i = 0; i < problem.n * problem.n; i++)
            differs[i] = g_rand_double(generator) < 0.5 ? 0.0 : 0.5 * g_rand_double(generator);
        lp_test_true("found", lp_least_choice_find(&problem, chosen));
        lp_test_close("least", lp_least_choice_cost(&problem, chosen), least_of_all(&problem),
                      1e-12);
    }
}

/* A chain of any length is narrow; what all hangs together is not. */
static void
test_width(void)
{
    enum {
        N = 40
    };
    double cost[N * 4] = {0.0}, chain[N * N] = {0.0}, all[N * N];
    guint32 chosen[N];
    for (guint i = 0; i < N; i++) {
        cost[i * 4 + i % 4] = -1.0;
        chain[i * N + (i + 1) % N] = 10.0;
    }
    for (guint i = 0; i < N * N; i++)
        all[i] = 1.0;
    LpLeastChoice narrow = {N, 4, cost, chain}, wide = {N, 4, cost, all};
    lp_test_true("narrow", lp_least_choice_find(&narrow, chosen));
    lp_test_close("one for all", lp_least_choice_cost(&narrow, chosen), -N / 4.0, 1e-12);
    lp_test_true("wide", !lp_least_choice_find(&wide, chosen));
}

/* A thing without a choice has none; nothing to choose is chosen. */
static void
test_edges(void)
{
    const double cost[] = {INFINITY, INFINITY}, differs[] = {0.0};
    guint32 chosen[1];
    LpLeastChoice none = {1, 2, cost, differs}, empty = {0, 2, cost, differs};
    lp_test_true("none", !lp_least_choice_find(&none, chosen));
    lp_test_true("empty", lp_least_choice_find(&empty, chosen));
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"drawn", test_drawn}, {"width", test_width}, {"edges", test_edges}, {NULL, NULL}};
    return lp_test_run("least choice", cases);
}
