/* SPDX-License-Identifier: Apache-2.0 */
/* Rates of rotors against what is published of them; times against each other. What a rotor that is
 * simulated slot by slot takes is in tests/sim/test_rotor.c. */
#include "model/network/rotor_cycle.h"

#include "tests/testlib.h"

#define RATE 25e9

static LpRotorCycle
cycle_of(guint32 n_joined, guint32 n_lanes, guint32 n_hops, double dead_s)
{
    return (LpRotorCycle){.n_joined = n_joined,
                          .n_lanes = n_lanes,
                          .n_hops = n_hops,
                          .slot_s = 100e-6,
                          .dead_s = dead_s,
                          .lane_share = 1.0 / n_lanes};
}

/* Uniform traffic gets the duty cycle, a permutation 1 / (n - 1) of it over one circuit, since u of
 * n
 * - 1 matchings stand at a time and a lane has 1 / u of the rate, and half of n / (n - 1) over two
 * (Mellette et al., SIGCOMM 2017, section 3). */
static void
test_shares(void)
{
    for (guint32 n = 4; n <= 64; n *= 4)
        for (guint32 lanes = 1; lanes <= 3; lanes++)
            for (guint32 hops = 1; hops <= 2; hops++) {
                LpRotorCycle cycle = cycle_of(n, lanes, hops, lanes == n - 1 ? 0.0 : 10e-6);
                double duty = lanes == n - 1 ? 1.0 : 0.9;
                lp_test_close("all", lp_rotor_cycle_share(&cycle, n - 1), duty, 1e-12);
                lp_test_close("one", lp_rotor_cycle_share(&cycle, 1),
                              hops == 1 ? duty / (n - 1) : duty * n / (2.0 * (n - 1)), 1e-12);
            }
    LpRotorCycle odd = cycle_of(5, 1, 1, 0.0);
    lp_test_close("one of five pauses", lp_rotor_cycle_share(&odd, 4), 0.8, 1e-12);
    odd.n_joined = 1;
    lp_test_true("nobody to meet", lp_rotor_cycle_n_matchings(&odd) == 0);
}

/* Whole slotfuls without dead time take whole cycles; many take what the rate says; and one peer
 * gets a small message after a transfer, and half a cycle on the way. */
static void
test_times(void)
{
    LpRotorCycle cycle = cycle_of(16, 1, 1, 0.0);
    double slot_bytes = 100e-6 * RATE;
    lp_test_close("a cycle", lp_rotor_cycle_s(&cycle), 1.5e-3, 1e-12);
    for (guint32 k = 1; k <= 3; k++)
        lp_test_close("whole cycles", lp_rotor_cycle_mean_s(&cycle, k * slot_bytes, 15, RATE),
                      k * 1.5e-3, 1e-12);
    double wait_s = 1.4e-3 * 1.4e-3 / (2 * 1.5e-3);
    lp_test_close("a small message", lp_rotor_cycle_mean_s(&cycle, 1.0, 1, RATE), wait_s, 1e-6);
    for (guint32 hops = 1; hops <= 2; hops++)
        for (guint32 peers = 1; peers <= 15; peers += 7) {
            cycle = cycle_of(16, 1, hops, 10e-6);
            double bytes = 1e5 * slot_bytes;
            lp_test_close("many", lp_rotor_cycle_mean_s(&cycle, bytes, peers, RATE),
                          peers * bytes / (RATE * lp_rotor_cycle_share(&cycle, peers)), 1e-4);
        }
}

/* More bytes never take less, and a second circuit never more. */
static void
test_order(void)
{
    for (guint32 peers = 1; peers <= 15; peers += 2) {
        double before_s = 0.0;
        for (double bytes = 1e3; bytes < 1e9; bytes *= 1.5) {
            LpRotorCycle one = cycle_of(16, 2, 1, 20e-6), two = cycle_of(16, 2, 2, 20e-6);
            double one_s = lp_rotor_cycle_mean_s(&one, bytes, peers, RATE);
            double two_s = lp_rotor_cycle_mean_s(&two, bytes, peers, RATE);
            lp_test_true("grows", two_s >= before_s);
            lp_test_true("two hops", two_s <= one_s * (1 + 1e-12));
            before_s = two_s;
        }
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"shares", test_shares}, {"times", test_times}, {"order", test_order}, {NULL, NULL}};
    return lp_test_run("rotor cycles", cases);
}
