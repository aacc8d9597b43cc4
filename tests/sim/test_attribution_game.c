/* SPDX-License-Identifier: Apache-2.0 */
/* A game of two classes of a job, other jobs and background traffic, whose shares are counted by
 * hand. */
#include "sim/run/attribution_game.h"

#include "model/plan/group_traits.h"
#include "tests/testlib.h"

/* Players as bits. */
enum {
    DP = 1,
    EP = 2,
    OTHERS = 4,
    BACKGROUND = 8,
    N_SETS = 16
};

/* What a set adds to what its parts cost, and by how much the terms of its classes grew. */
static const struct {
    guint set;
    double dividend_s, dp_s, ep_s;
} parts[] = {{DP, 0.1, 0.1, 0.0},
             {DP | EP, 0.4, 0.03, 0.01},
             {DP | OTHERS, 0.2, 0.0, 0.0},
             {DP | EP | BACKGROUND, 0.3, 0.0, 0.0},
             {EP | OTHERS | BACKGROUND, 0.5, 0.0, 0.2}};

static void
check_pair(const LpAttribution *self, guint delayed, guint by, double wanted_s)
{
    g_autofree char *label =
        g_strdup_printf("%s by %s", lp_contender_names[delayed], lp_contender_names[by]);
    lp_test_close(label, self->pair_s[delayed][by] + 1.0, wanted_s + 1.0, 1e-12);
}

static void
test_divide(void)
{
    LpAttribution attribution = {0};
    attribution.contends[LP_TRAFFIC_DP] = attribution.contends[LP_TRAFFIC_EP] = TRUE;
    attribution.contends[LP_CONTENDER_OTHERS] = attribution.contends[LP_CONTENDER_BACKGROUND] =
        TRUE;
    g_auto(LpAttributionGame) game = lp_attribution_game(&attribution);
    lp_test_true("players", game.n == 4 && (guint)game.players[0] == LP_TRAFFIC_DP &&
                                game.players[3] == LP_CONTENDER_BACKGROUND);
    for (guint set = 0; set < N_SETS; set++)
        for (guint i = 0; i < G_N_ELEMENTS(parts); i++) {
            double *value = &game.values[set * LP_CONTENTION_GAME_COLUMNS];
            if ((parts[i].set & ~set) != 0)
                continue;
            value[0] += parts[i].dividend_s;
            value[1 + lp_traffic_term(LP_TRAFFIC_DP)] += parts[i].dp_s;
            value[1 + lp_traffic_term(LP_TRAFFIC_EP)] += parts[i].ep_s;
        }
    lp_attribution_game_divide(&game, &attribution);

    /* A lone class delays itself; a pair shares as its terms grew, 3 to 1, or equally where none
     * did; what is not the job's is not delayed, and makes no pair with its like: three pairs among
     * two classes and background, two among a class and two others. */
    check_pair(&attribution, LP_TRAFFIC_DP, LP_TRAFFIC_DP, 0.1);
    check_pair(&attribution, LP_TRAFFIC_EP, LP_TRAFFIC_EP, 0.0);
    check_pair(&attribution, LP_TRAFFIC_DP, LP_TRAFFIC_EP, 0.3 + 0.05);
    check_pair(&attribution, LP_TRAFFIC_EP, LP_TRAFFIC_DP, 0.1 + 0.05);
    check_pair(&attribution, LP_TRAFFIC_DP, LP_CONTENDER_OTHERS, 0.2);
    check_pair(&attribution, LP_TRAFFIC_DP, LP_CONTENDER_BACKGROUND, 0.1);
    check_pair(&attribution, LP_TRAFFIC_EP, LP_CONTENDER_OTHERS, 0.25);
    check_pair(&attribution, LP_TRAFFIC_EP, LP_CONTENDER_BACKGROUND, 0.1 + 0.25);
    for (LpContender i = 0; i < LP_N_CONTENDERS; i++) {
        check_pair(&attribution, LP_CONTENDER_OTHERS, i, 0.0);
        check_pair(&attribution, LP_CONTENDER_BACKGROUND, i, 0.0);
    }

    /* Shapley values: each part equally among its players. */
    lp_test_close("dp", attribution.class_s[LP_TRAFFIC_DP], 0.1 + 0.2 + 0.1 + 0.1, 1e-12);
    lp_test_close("ep", attribution.class_s[LP_TRAFFIC_EP], 0.2 + 0.1 + 0.5 / 3.0, 1e-12);
    lp_test_close("others", attribution.class_s[LP_CONTENDER_OTHERS], 0.1 + 0.5 / 3.0, 1e-12);
    lp_test_close("background", attribution.class_s[LP_CONTENDER_BACKGROUND], 0.1 + 0.5 / 3.0,
                  1e-12);
}

/* Sets without a class of the job have no value. */
static void
test_own(void)
{
    lp_test_true("a class", lp_attribution_game_has_own(1u << LP_TRAFFIC_EMBEDDING |
                                                        1u << LP_CONTENDER_BACKGROUND));
    lp_test_true("none", !lp_attribution_game_has_own(1u << LP_CONTENDER_OTHERS |
                                                      1u << LP_CONTENDER_BACKGROUND));
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"shares of pairs and classes", test_divide}, {"own", test_own}, {NULL, NULL}};
    return lp_test_run("game of contention", cases);
}
