/* SPDX-License-Identifier: Apache-2.0 */
/* Games whose values are known by hand. */
#include "sim/analysis/shapley.h"

#include "tests/testlib.h"

/* The glove game: one left glove, two right ones, a pair is worth 1. The
 * left one is worth 2/3, each right one 1/6. Player 0 has the left one. */
static void
test_gloves(void)
{
    double values[8] = {0, 0, 0, 1, 0, 1, 0, 1};
    static const double dividends[8] = {0, 0, 0, 1, 0, 1, 0, -1};
    lp_shapley_dividends(values, 3, 1);
    for (guint set = 0; set < 8; set++)
        lp_test_close("dividend", values[set], dividends[set], 1e-15);
    double shares[3];
    lp_shapley_values(values, 3, shares);
    lp_test_close("left", shares[0], 2.0 / 3.0, 1e-15);
    lp_test_close("right", shares[1], 1.0 / 6.0, 1e-15);
    lp_test_close("other right", shares[2], 1.0 / 6.0, 1e-15);
}

/* The airport game: a runway costs what its longest user needs, here
 * 1, 3 and 7: 1/3; 1/3 + 2/2; 1/3 + 2/2 + 4. */
static void
test_airport(void)
{
    double values[8] = {0, 1, 3, 3, 7, 7, 7, 7};
    double shares[3];
    lp_shapley_dividends(values, 3, 1);
    lp_shapley_values(values, 3, shares);
    lp_test_close("short", shares[0], 1.0 / 3.0, 1e-15);
    lp_test_close("middle", shares[1], 4.0 / 3.0, 1e-15);
    lp_test_close("long", shares[2], 16.0 / 3.0, 1e-15);
}

/* Six users of 40 to 90, as
 * math.techqa.club/calculate-the-shapley-value-of-the-airport-game-4152535 has it: 40, 52, 67, 87,
 * 117 and 177 sixths. */
static void
test_larger_airport(void)
{
    static const double sixths[6] = {40, 52, 67, 87, 117, 177};
    double values[64] = {0}, shares[6];
    for (guint set = 0; set < 64; set++)
        for (guint player = 0; player < 6; player++)
            if ((set & (1u << player)) != 0)
                values[set] = 40.0 + 10.0 * player;
    lp_shapley_dividends(values, 6, 1);
    lp_shapley_values(values, 6, shares);
    for (guint player = 0; player < 6; player++)
        lp_test_close("six users", shares[player], sixths[player] / 6.0, 1e-12);
}

/* Whatever the values, shares sum to that of all; two games beside each other do not mix. */
static void
test_sum(void)
{
    enum {
        N = 5,
        SETS = 1 << N
    };
    double values[2 * SETS];
    double all[2];
    GRand *generator = g_rand_new_with_seed(3);
    for (guint i = 0; i < 2 * SETS; i++)
        values[i] = i < 2 ? 0.0 : g_rand_double(generator);
    g_rand_free(generator);
    for (guint game = 0; game < 2; game++) {
        all[game] = values[2 * (SETS - 1) + game];
        lp_shapley_dividends(values + game, N, 2);
    }
    for (guint game = 0; game < 2; game++) {
        double dividends[SETS], shares[N], sum = 0.0;
        for (guint set = 0; set < SETS; set++)
            dividends[set] = values[2 * set + game];
        lp_shapley_values(dividends, N, shares);
        for (guint i = 0; i < N; i++)
            sum += shares[i];
        lp_test_close("sum", sum, all[game], 1e-12);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {{"gloves", test_gloves},
                                       {"airport", test_airport},
                                       {"larger airport", test_larger_airport},
                                       {"sum", test_sum},
                                       {NULL, NULL}};
    return lp_test_run("shapley", cases);
}
