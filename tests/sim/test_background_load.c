/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of background traffic: rates times durations, and Little's law. */
#include "sim/actors/background_load.h"

#include "tests/support/small_machine.h"
#include "tests/testlib.h"

#define ROUNDING 1e-12

/* Cards of 10 GB/s; 0 and 1 share one, 2 and 3 another, of domains of four. Messages of 10 MB take
 * 1 ms and their latency. */
static const struct {
    const char *label;
    LpPattern pattern;
    guint32 accelerators[5];
    guint n;
    LpGaps gaps;
    double gigabytes_per_s, load; /* of each sender */
    double n_ways;
    guint32 n_overloaded;
    double piled_gigabytes_per_s;
} rows[] = {
    {"by the rate", LP_PATTERN_PAIRS, {0, 4}, 2, LP_GAPS_FIXED, 2.5, 0.0, 1.0, 0, 0.0},
    {"by the load", LP_PATTERN_PAIRS, {0, 4}, 2, LP_GAPS_EXPONENTIAL, 0.0, 0.25, 1.0, 0, 0.0},
    {"one waits for another", LP_PATTERN_PAIRS, {0, 4}, 2, LP_GAPS_CLOSED, 0.0, 0.0, 1.0, 0, 0.0},
    {"two pairs", LP_PATTERN_PAIRS, {0, 4, 2, 6}, 4, LP_GAPS_FIXED, 2.5, 0.0, 2.0, 0, 0.0},
    {"more than a card has",
     LP_PATTERN_PAIRS,
     {0, 4, 1, 8},
     4,
     LP_GAPS_FIXED,
     6.0,
     0.0,
     2.0,
     1,
     2.0},
    {"what waits does not pile up",
     LP_PATTERN_PAIRS,
     {0, 4, 1, 8},
     4,
     LP_GAPS_CLOSED,
     0.0,
     0.0,
     2.0,
     0,
     0.0},
    {"of all to all", LP_PATTERN_ALL_TO_ALL, {0, 4, 8}, 3, LP_GAPS_FIXED, 2.5, 0.0, 6.0, 0, 0.0},
};

static double
rate_of(guint i, double alone_s)
{
    return rows[i].gaps == LP_GAPS_CLOSED ? 10e6 / alone_s
                                          : 1e9 * (rows[i].gigabytes_per_s + 10.0 * rows[i].load);
}

static void
test_loads(void)
{
    g_autoptr(LpMachine) machine = lp_small_machine_load_good(&lp_small_machine);
    g_autoptr(LpNetwork) network = lp_network_new(machine);
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GArray) accelerators = g_array_new(FALSE, FALSE, sizeof(guint32));
        g_array_append_vals(accelerators, rows[i].accelerators, rows[i].n);
        LpScenarioTraffic said = {.pattern = rows[i].pattern,
                                  .accelerators = accelerators,
                                  .message_bytes = 10000000,
                                  .gaps = rows[i].gaps,
                                  .rate_bytes_per_s = 1e9 * rows[i].gigabytes_per_s,
                                  .load = rows[i].load,
                                  .start_s = 1.0,
                                  .end_s = 5.0};
        g_autoptr(LpBackgroundWays) ways = lp_background_ways_new(&said, network, NULL);
        LpBackgroundLoad load = lp_background_load_find(ways, &said, network, 4.0);
        double n_messages = 0.0, n_under_way = 0.0;
        guint32 n_turns = lp_background_ways_n_turns(ways);
        for (guint32 sender = 0; sender < rows[i].n; sender++)
            for (guint32 turn = 0; lp_background_ways_sends(ways, sender) && turn < n_turns;
                 turn++) {
                guint32 receiver = lp_background_ways_receiver(ways, sender, turn);
                LpRoute route = lp_background_ways_route(ways, sender, receiver);
                double alone_s = route.latency_s + 1e-3;
                n_messages += 3.0 * rate_of(i, alone_s) / 10e6 / n_turns;
                n_under_way += alone_s * rate_of(i, alone_s) / 10e6 / n_turns;
            }
        n_under_way += 1e9 * rows[i].piled_gigabytes_per_s * 3.0 / 10e6 / 2.0;
        lp_test_close(rows[i].label, load.n_messages, n_messages, ROUNDING);
        lp_test_close(rows[i].label, load.n_under_way, n_under_way, ROUNDING);
        lp_test_close(rows[i].label, load.n_ways, rows[i].n_ways, 0.0);
        lp_test_true(rows[i].label, load.n_overloaded == rows[i].n_overloaded);
        LpBackgroundLoad none = lp_background_load_find(ways, &said, network, 0.5);
        lp_test_close("not yet", none.n_messages, 0.0, 0.0);
        LpBackgroundLoad longer = lp_background_load_find(ways, &said, network, 9.0);
        lp_test_close("to its end", longer.n_messages, n_messages * 4.0 / 3.0, ROUNDING);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {{"loads", test_loads}, {NULL, NULL}};
    return lp_test_run("load of background traffic", cases);
}
