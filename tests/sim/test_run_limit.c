/* SPDX-License-Identifier: Apache-2.0 */
/* A run ends early once what has passed and what must follow exceed what it may take. */
#include "sim/actors/run_limit.h"

#include "tests/testlib.h"

#include <math.h>

/* What sums of times in another order may differ by: a run is not ended for it. */
#define MARGIN 1e-6

static void
test_steps(void)
{
    static const struct {
        const char *label;
        guint step;
        double after_s, at_most_s;
        gboolean is_passed;
    } rows[] = {{"in time", 0, 1.0, 11.5, FALSE},
                {"too late", 0, 2.0, 11.5, TRUE},
                {"of another step", 1, 2.0, 11.5, FALSE},
                {"which is later", 1, 8.0, 11.5, TRUE},
                {"rounding", 0, 1.0, 11.0 * (1.0 - 0.5 * MARGIN), FALSE},
                {"more than rounding", 0, 1.0, 11.0 * (1.0 - 2.0 * MARGIN), TRUE},
                {"any time", 0, 1e9, INFINITY, FALSE}};
    double least_s[] = {10.0, 4.0};
    LpRemainingTime remaining = {.least_s = least_s};
    g_autoptr(LpProgram) program = lp_program_new();
    g_array_set_size(program->steps, G_N_ELEMENTS(least_s));
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpRunLimit limit = {&remaining, rows[i].at_most_s, NULL};
        double known_s = 0.0, wanted_s = rows[i].after_s + least_s[rows[i].step];
        const LpStep *step = lp_program_step(program, rows[i].step);
        lp_test_true(rows[i].label, lp_run_limit_is_passed(&limit, program, step, rows[i].after_s,
                                                           &known_s) == rows[i].is_passed);
        lp_test_close(rows[i].label, known_s, wanted_s, 1.01 * MARGIN);
        lp_test_true("a bound from below", known_s < wanted_s);
        known_s = 1e12;
        (void)lp_run_limit_is_passed(&limit, program, step, rows[i].after_s, &known_s);
        lp_test_close("more is known", known_s, 1e12, 0.0);
    }
}

static void
test_holds(void)
{
    LpRunLimit limit = {.at_most_s = 2.0};
    lp_test_true("shorter", lp_run_limit_holds(&limit, 1.0));
    lp_test_true("as long", lp_run_limit_holds(&limit, 2.0));
    lp_test_true("longer", !lp_run_limit_holds(&limit, 2.0 * (1.0 + 2.0 * MARGIN)));
}

static gboolean
never(gconstpointer data, guint32 link)
{
    (void)data;
    (void)link;
    return FALSE;
}

/* Without a limit nothing is too long; nor once the run proves nothing. */
static void
test_none(void)
{
    double least_s[] = {10.0}, known_s = 0.0;
    LpRemainingTime remaining = {.least_s = least_s};
    guint32 first[] = {0, 1}, first_link[] = {0, 1}, links[] = {0};
    LpLinkSets ways = {.n = 1, .first = first, .first_link = first_link, .links = links};
    g_autoptr(LpEquivalenceCheck) check = lp_equivalence_check_new(&ways, FALSE);
    g_autoptr(LpProgram) program = lp_program_new();
    g_array_set_size(program->steps, 1);
    const LpStep *step = lp_program_step(program, 0);
    LpRunLimit limit = {&remaining, 1.0, check};
    lp_test_true("no limit", !lp_run_limit_is_passed(NULL, program, step, 1.0, &known_s));
    lp_test_true("proven", lp_run_limit_is_passed(&limit, program, step, 1.0, &known_s));
    lp_equivalence_check_rate(check, 0, never, NULL, 1.0);
    known_s = 0.0;
    lp_test_true("not proven", !lp_run_limit_is_passed(&limit, program, step, 1.0, &known_s));
    lp_test_close("nor known", known_s, 0.0, 0.0);
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"steps", test_steps}, {"holds", test_holds}, {"none", test_none}, {NULL, NULL}};
    return lp_test_run("run limit", cases);
}
