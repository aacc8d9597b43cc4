/* SPDX-License-Identifier: Apache-2.0 */
/* Lanes by demand: what no allotment can beat, and what each must keep to. */
#include "sim/circuits/lane_allotment.h"

#include "tests/testlib.h"

#define LANE 50.0
#define BESIDE 100.0

/* When the last attachment has sent and received everything, s. */
static double
end_s(guint32 n, const double *demand, const guint32 *lanes)
{
    double end = 0.0;
    g_autofree double *in = g_new(double, n);
    for (guint32 a = 0; a < n; a++) {
        for (guint32 b = 0; b < n; b++)
            in[b] = demand[b * n + a];
        end = MAX(end, lp_lane_allotment_time_s(n, demand + a * n, lanes + a * n, LANE, BESIDE));
        end = MAX(end, lp_lane_allotment_time_s(n, in, lanes + a * n, LANE, BESIDE));
    }
    return end;
}

/* An attachment of all lanes' and the other network's rate. */
static double
bound_s(guint32 n, guint32 n_lanes, const double *demand)
{
    double most = 0.0;
    for (guint32 a = 0; a < n; a++) {
        double out = 0.0, in = 0.0;
        for (guint32 b = 0; b < n; b++) {
            out += demand[a * n + b];
            in += demand[b * n + a];
        }
        most = MAX(most, MAX(out, in));
    }
    return most / (n_lanes * LANE + BESIDE);
}

/* By hand: over circuits of 50 and 50 and beside them at 100, 60, 30 and 110 bytes are 200
 * together; over one of 50 alone beside 100, 10 bytes leave the circuit idle, and 200 take twice as
 * long beside. */
static void
test_time(void)
{
    double bytes[] = {60.0, 30.0, 110.0}, alone[] = {10.0, 200.0};
    guint32 lanes[] = {1, 1, 0}, one[] = {1, 0};
    lp_test_close("together", lp_lane_allotment_time_s(3, bytes, lanes, LANE, BESIDE),
                  1.1333333333333, 1e-9);
    lp_test_close("idle", lp_lane_allotment_time_s(2, alone, one, LANE, BESIDE), 2.0, 1e-9);
}

/* Even demand: with lanes for all but one peer as fast as all rates together. */
static void
test_even(void)
{
    for (guint32 n_lanes = 6; n_lanes <= 7; n_lanes++) {
        double demand[64];
        guint32 lanes[64], each[8];
        for (guint32 i = 0; i < 8; i++)
            each[i] = n_lanes;
        for (guint32 i = 0; i < 64; i++)
            demand[i] = i / 8 == i % 8 ? 0.0 : 1e6;
        lp_lane_allotment(8, each, demand, LANE, BESIDE, lanes);
        lp_test_close("even", end_s(8, demand, lanes), bound_s(8, n_lanes, demand), 1e-9);
    }
}

/* Whatever the demand: both ends of a circuit agree, nobody has more lanes than there are, none is
 * left that two could use, and nothing beats the sum of rates. */
static void
test_random(void)
{
    GRand *random = g_rand_new_with_seed(3);
    for (guint trial = 0; trial < 50; trial++) {
        guint32 n = (guint32)g_rand_int_range(random, 2, 14);
        guint32 n_lanes = (guint32)g_rand_int_range(random, 1, 9);
        g_autofree double *demand = g_new0(double, n *n);
        g_autofree guint32 *lanes = g_new(guint32, n * n);
        guint32 each[14];
        for (guint32 i = 0; i < n; i++)
            each[i] = n_lanes;
        for (guint32 a = 0; a < n; a++)
            for (guint32 b = 0; b < n; b++)
                demand[a * n + b] = a == b ? 0.0 : g_rand_double_range(random, 1.0, 1e6);
        lp_lane_allotment(n, each, demand, LANE, BESIDE, lanes);
        guint32 n_unfinished = 0;
        for (guint32 a = 0; a < n; a++) {
            guint32 used = 0;
            for (guint32 b = 0; b < n; b++) {
                used += lanes[a * n + b];
                lp_test_true("symmetric", lanes[a * n + b] == lanes[b * n + a]);
            }
            lp_test_true("lanes", used <= n_lanes && lanes[a * n + a] == 0);
            n_unfinished += used < n_lanes;
        }
        lp_test_true("none left", n_unfinished <= 1);
        lp_test_true("bound", end_s(n, demand, lanes) >= bound_s(n, n_lanes, demand) * (1 - 1e-9));
    }
    g_rand_free(random);
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"time", test_time}, {"even", test_even}, {"random", test_random}, {NULL, NULL}};
    return lp_test_run("lane allotments", cases);
}
