/* SPDX-License-Identifier: Apache-2.0 */
/* Intervals between checkpoints: Daly's published ones, and what follows by analysis. */
#include "model/reliability/checkpoint.h"

#include "tests/testlib.h"

#include <math.h>

#define MINUTE 60.0
#define HOUR 3600.0

/* Captions of figures 3 to 5 of Daly, FGCS 22(3), 2006: the optimum with delta = 5 min, printed in
 * minutes. */
static void
test_daly(void)
{
    static const struct {
        const char *label;
        double mtbf_s, printed_min, digits_min;
    } rows[] = {{"M = 24 h", 24 * HOUR, 117, 0.5},
                {"M = 6 h", 6 * HOUR, 57, 0.5},
                {"M = 15 min", 15 * MINUTE, 9.1, 0.05}};
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        double daly_s = lp_checkpoint_daly_s(5 * MINUTE, 1.0 / rows[i].mtbf_s);
        lp_test_true(rows[i].label,
                     fabs(daly_s / MINUTE - rows[i].printed_min) <= rows[i].digits_min);
        /* A series of three terms beside the root itself. */
        lp_test_close(rows[i].label, lp_checkpoint_optimum_s(5 * MINUTE, 1.0 / rows[i].mtbf_s),
                      daly_s, 0.005);
    }
}

static double
work(double interval_s, double write_s, double restart_s, double rate)
{
    LpCheckpointing job = {interval_s, write_s, restart_s, rate};
    return lp_checkpoint_shares(&job).work;
}

/* No interval nearby gives more work, whatever a restart takes. */
static void
test_optimum(void)
{
    static const double writes_s[] = {0.1, 3.0, 300.0, 7200.0};
    for (gsize i = 0; i < G_N_ELEMENTS(writes_s); i++)
        for (double restart_s = 0.0; restart_s < 4000.0; restart_s += 1999.0) {
            double rate = 1.0 / (3.0 * HOUR);
            double best_s = lp_checkpoint_optimum_s(writes_s[i], rate);
            double best = work(best_s, writes_s[i], restart_s, rate);
            for (double factor = 0.9; factor < 1.11; factor += 0.05)
                lp_test_true("best", work(best_s * factor, writes_s[i], restart_s, rate) <=
                                         best * (1.0 + 1e-15));
        }
}

/* Rare failures and quick writing: the optimum is Young's, and what is lost is delta / tau for
 * writing and tau / 2M for work, equal parts. */
static void
test_young(void)
{
    double rate = 1.0 / 1e9, write_s = 1.0;
    double interval_s = lp_checkpoint_young_s(write_s, rate);
    lp_test_close("Young", interval_s, sqrt(2e9), 1e-15);
    lp_test_close("optimum", lp_checkpoint_optimum_s(write_s, rate), interval_s, 1e-4);
    LpCheckpointing job = {interval_s, write_s, 0.0, rate};
    LpCheckpointShares shares = lp_checkpoint_shares(&job);
    lp_test_close("writing", shares.writing, write_s / interval_s, 1e-4);
    lp_test_close("lost work", shares.lost_work, interval_s / 2e9, 1e-4);
}

/* Shares sum to 1; nothing fails: work is 1 less checkpoints; failures cost at least a restart. */
static void
test_shares(void)
{
    static const struct {
        const char *label;
        LpCheckpointing job;
    } rows[] = {{"usual", {1800, 60, 600, 1e-4}},
                {"no restart", {1800, 60, 0, 1e-4}},
                {"no writing", {1800, 0, 600, 1e-4}},
                {"all the time", {0, 0, 600, 1e-4}},
                {"often", {1800, 60, 600, 1e-2}},
                {"never", {1800, 60, 600, 0}},
                {"without checkpoints", {(double)INFINITY, 60, 600, 1e-4}}};
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpCheckpointShares s = lp_checkpoint_shares(&rows[i].job);
        lp_test_close(rows[i].label, s.work + s.writing + s.lost_work + s.restart, 1.0, 1e-12);
        lp_test_true(rows[i].label, s.work >= 0.0 && s.writing >= 0.0 && s.lost_work >= -1e-15);
    }
    lp_test_close("never", lp_checkpoint_shares(&rows[5].job).work, 1800.0 / 1860.0, 1e-15);
    lp_test_close("all lost", lp_checkpoint_shares(&rows[6].job).work, 0.0, 0.0);
    lp_test_close("all the time", lp_checkpoint_shares(&rows[3].job).work, exp(-0.06), 1e-14);
    lp_test_true("no failures", isinf(lp_checkpoint_optimum_s(60, 0)) &&
                                    isinf(lp_checkpoint_daly_s(60, 0)) &&
                                    isinf(lp_checkpoint_young_s(60, 0)));
    lp_test_close("free writing", lp_checkpoint_optimum_s(0, 1e-4), 0.0, 0.0);
    lp_test_close("slow writing", lp_checkpoint_daly_s(3e4, 1e-4), 1e4, 1e-15);
}

int
main(void)
{
    static const LpTestCase cases[] = {{"daly", test_daly},
                                       {"optimum", test_optimum},
                                       {"young", test_young},
                                       {"shares", test_shares},
                                       {NULL, NULL}};
    return lp_test_run("checkpoint", cases);
}
