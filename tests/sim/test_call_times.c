/* SPDX-License-Identifier: Apache-2.0 */
/* Means of calls, over ranks that are stood for. */
#include "sim/actors/call_times.h"

#include "tests/testlib.h"

/* Sums of a few decimal fractions. */
#define ROUNDING 1e-12

static void
test_means(void)
{
    static const struct {
        const char *label;
        guint op;
        guint64 n;
        double time_s;
        double wanted_s; /* the mean then */
    } rows[] = {{"the first", 1, 1, 4.0, 4.0},
                {"of three ranks", 1, 3, 2.0, 2.5},
                {"of another operation", 2, 2, 8.0, 8.0},
                {"of none", 2, 0, 100.0, 8.0},
                {"in no time", 1, 4, 0.0, 1.25}};
    g_autoptr(LpProgram) program = lp_program_new();
    g_array_set_size(program->ops, 3);
    g_autoptr(LpCallTimes) times = lp_call_times_new();
    lp_test_close("nothing is known", lp_call_times_mean_s(times, 0), 0.0, 0.0);
    lp_call_times_prepare(times, program);
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        lp_call_times_add(times, program, lp_program_op(program, rows[i].op), rows[i].n,
                          rows[i].time_s);
        lp_test_close(rows[i].label, lp_call_times_mean_s(times, rows[i].op), rows[i].wanted_s,
                      ROUNDING);
    }
    lp_test_close("never called", lp_call_times_mean_s(times, 0), 0.0, 0.0);
    lp_test_close("beyond the program", lp_call_times_mean_s(times, 3), 0.0, 0.0);
    lp_call_times_add(NULL, program, lp_program_op(program, 0), 1, 1.0);
    lp_test_close("nobody is told", lp_call_times_mean_s(times, 0), 0.0, 0.0);
}

static void
test_messages(void)
{
    g_autoptr(LpCallTimes) times = lp_call_times_new();
    lp_test_close("no message", lp_call_times_message_s(times), 0.0, 0.0);
    times->message = (LpCallTime){3.0, 4};
    lp_test_close("the mean", lp_call_times_message_s(times), 0.75, ROUNDING);
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"means", test_means}, {"messages", test_messages}, {NULL, NULL}};
    return lp_test_run("call times", cases);
}
