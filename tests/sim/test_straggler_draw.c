/* SPDX-License-Identifier: Apache-2.0 */
/* Factors of slow ranks: windows of time by hand, and the distributions' means and deviations. */
#include "sim/actors/straggler.h"

#include "tests/testlib.h"

#include <math.h>

#define N_DRAWS 40000u
/* Of a mean of N_DRAWS draws of relative deviation below 0.5, five standard errors. */
#define DRAWN 0.0125
/* Of their deviation, which an exponential one's fourth moment makes uncertain by sqrt(8 / n). */
#define DEVIATION 0.07
/* A few operations. */
#define ROUNDING 1e-12

/* Three times as slow from 10 s to 16 s: 2 s of work as described are done in it. */
static void
test_window(void)
{
    static const struct {
        const char *label;
        double now_s, device_s, wanted_s; /* until it ends */
    } rows[] = {{"long before", 0.0, 4.0, 4.0},   {"until it begins", 6.0, 4.0, 4.0},
                {"into it", 8.0, 3.0, 2.0 + 3.0}, {"over it", 8.0, 6.0, 2.0 + 6.0 + 2.0},
                {"all of it", 10.0, 2.0, 6.0},    {"out of it", 13.0, 4.0, 3.0 + 3.0},
                {"when it ends", 16.0, 4.0, 4.0}, {"after it", 20.0, 4.0, 4.0}};
    LpScenarioStraggler said = {.factor = 3.0, .start_s = 10.0, .end_s = 16.0};
    g_autoptr(LpStraggler) straggler = lp_straggler_new(&said, "job", 0);
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
        lp_test_close(rows[i].label,
                      rows[i].device_s *
                          lp_straggler_draw(straggler, rows[i].now_s, rows[i].device_s),
                      rows[i].wanted_s, ROUNDING);
}

/* Means and standard deviations over the factor: normal 1 and j, lognormal 1 and
 * sqrt(exp(j^2) - 1), exponential 1 + j and j. */
static void
test_distributions(void)
{
    static const struct {
        const char *label;
        LpJitter distribution;
        double jitter, mean, deviation;
    } rows[] = {{"normal", LP_JITTER_NORMAL, 0.2, 1.0, 0.2},
                {"lognormal", LP_JITTER_LOGNORMAL, 0.4, 1.0, 0.41654636115540644},
                {"exponential", LP_JITTER_EXPONENTIAL, 0.3, 1.3, 0.3}};
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpScenarioStraggler said = {.factor = 2.0,
                                    .distribution = rows[i].distribution,
                                    .jitter = rows[i].jitter,
                                    .end_s = INFINITY,
                                    .seed = 3};
        g_autoptr(LpStraggler) straggler = lp_straggler_new(&said, "job", 5);
        double sum = 0.0, squares = 0.0, least = INFINITY;
        for (guint k = 0; k < N_DRAWS; k++) {
            double drawn = lp_straggler_draw(straggler, 1.0, 1.0) / 2.0;
            sum += drawn;
            squares += drawn * drawn;
            least = MIN(least, drawn);
        }
        double mean = sum / N_DRAWS;
        lp_test_close(rows[i].label, mean, rows[i].mean, DRAWN);
        lp_test_close(rows[i].label, sqrt(squares / N_DRAWS - mean * mean), rows[i].deviation,
                      DEVIATION);
        lp_test_true(rows[i].label,
                     rows[i].distribution == LP_JITTER_EXPONENTIAL ? least >= 1.0 : least >= 0.0);
    }
}

/* A normal one of great deviation would be negative with the probability 0.1587 of z < -1. */
static void
test_not_negative(void)
{
    LpScenarioStraggler said = {
        .factor = 1.0, .distribution = LP_JITTER_NORMAL, .jitter = 1.0, .end_s = INFINITY};
    g_autoptr(LpStraggler) straggler = lp_straggler_new(&said, "job", 0);
    guint n_zero = 0;
    gboolean positive = TRUE;
    for (guint i = 0; i < N_DRAWS; i++) {
        double drawn = lp_straggler_draw(straggler, 0.0, 1.0);
        n_zero += drawn <= 0.0;
        positive = positive && drawn >= 0.0;
    }
    lp_test_true("none is below 0", positive);
    lp_test_close("those that would be are 0", (double)n_zero / N_DRAWS, 0.15866, 0.06);
}

/* What is drawn follows from the seed, the job and the rank. */
static void
test_seeds(void)
{
    static const struct {
        const char *label, *job;
        guint32 seed;
        guint64 rank;
        gboolean alike; /* with the first */
    } rows[] = {{"the first", "a", 1, 2, TRUE},     {"once more", "a", 1, 2, TRUE},
                {"another job", "b", 1, 2, FALSE},  {"another seed", "a", 2, 2, FALSE},
                {"another rank", "a", 1, 3, FALSE}, {"as if swapped", "a", 2, 1, FALSE}};
    double first = 0.0;
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpScenarioStraggler said = {.factor = 1.0,
                                    .distribution = LP_JITTER_LOGNORMAL,
                                    .jitter = 0.5,
                                    .end_s = INFINITY,
                                    .seed = rows[i].seed};
        g_autoptr(LpStraggler) straggler = lp_straggler_new(&said, rows[i].job, rows[i].rank);
        double drawn = lp_straggler_draw(straggler, 0.0, 1.0);
        first = i == 0 ? drawn : first;
        lp_test_true(rows[i].label, (fabs(drawn - first) < ROUNDING) == rows[i].alike);
    }
}

/* Those of one number do the same to every rank, unless they draw. */
static void
test_numbers(void)
{
    static const struct {
        const char *label;
        LpScenarioStraggler said;
        guint32 number;
        gboolean is_same; /* for every rank */
    } rows[] = {
        {"the first", {.factor = 2.0, .end_s = INFINITY}, 0, TRUE},
        {"another factor", {.factor = 3.0, .end_s = INFINITY}, 1, TRUE},
        {"another start", {.factor = 2.0, .start_s = 1.0, .end_s = INFINITY}, 2, TRUE},
        {"another end", {.factor = 2.0, .end_s = 9.0}, 3, TRUE},
        {"the first again", {.factor = 2.0, .end_s = INFINITY}, 0, TRUE},
        {"no jitter",
         {.factor = 2.0, .distribution = LP_JITTER_NORMAL, .end_s = INFINITY},
         0,
         TRUE},
        {"jitter",
         {.factor = 2.0, .distribution = LP_JITTER_NORMAL, .jitter = 0.1, .end_s = INFINITY},
         0,
         FALSE}};
    g_auto(LpNumbering) numbering;
    lp_numbering_init(&numbering);
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(LpStraggler) straggler = lp_straggler_new(&rows[i].said, "job", i);
        lp_test_true(rows[i].label, lp_straggler_number(straggler, &numbering) == rows[i].is_same);
        lp_test_true(rows[i].label, lp_numbering_end(&numbering) == rows[i].number);
    }
}

/* Four kernels of 1 s each, which the host issues in 0.25 s each and waits for at the end: the last
 * ends 4.25 s after the host's begin. At half the speed, that is 8.25 s. */
static void
test_work(void)
{
    LpWork work = {.device_s = 4.0,
                   .host_s = 1.0,
                   .issue_s = 1.0,
                   .bound_s = 4.25,
                   .wait_s = 4.0,
                   .waits = TRUE};
    LpWork slow = lp_straggler_slow(work, 2.0, 0.25);
    lp_test_close("kernels", slow.device_s, 8.0, ROUNDING);
    lp_test_close("the last one's end", slow.bound_s, 8.25, ROUNDING);
    lp_test_close("the host's wait", slow.wait_s, 8.0, ROUNDING);
    lp_test_close("the host is as fast", slow.host_s, 1.0, 0.0);
    lp_test_close("in issuing", slow.issue_s, 1.0, 0.0);
    lp_test_true("it waits", slow.waits);
    LpWork fast = lp_straggler_slow(work, 0.5, 0.25);
    lp_test_close("faster kernels", fast.device_s, 2.0, ROUNDING);
    lp_test_close("do not make the host faster", fast.bound_s, 4.25, ROUNDING);
    lp_test_close("nor its wait shorter", fast.wait_s, 4.0, ROUNDING);
    LpWork same = lp_straggler_slow(work, 1.0, 0.25);
    lp_test_close("as described", same.bound_s, 4.25, 0.0);
    /* The host issues as slowly as 2 s a kernel: what the device waits for hides what it loses. */
    LpWork bound = {.device_s = 4.0, .host_s = 8.0, .issue_s = 8.0, .bound_s = 9.0};
    lp_test_close("hidden behind the host", lp_straggler_slow(bound, 1.5, 2.0).bound_s, 9.0,
                  ROUNDING);
}

int
main(void)
{
    static const LpTestCase cases[] = {{"window", test_window},
                                       {"distributions", test_distributions},
                                       {"not negative", test_not_negative},
                                       {"seeds", test_seeds},
                                       {"numbers", test_numbers},
                                       {"work", test_work},
                                       {NULL, NULL}};
    return lp_test_run("straggler's factors", cases);
}
