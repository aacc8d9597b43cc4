/* SPDX-License-Identifier: Apache-2.0 */
/* A clock: its terms sum to the instant, waits of circuits by hand, and an order that is one. */
#include "sim/actors/clock.h"

#include "tests/testlib.h"

/* Sums of a few decimal fractions. */
#define ROUNDING 1e-12

static void
check_sum(const char *label, const LpClock *clock)
{
    double sum_s = 0.0;
    for (LpTerm term = 0; term < LP_N_TERMS; term++)
        sum_s += clock->terms.s[term];
    lp_test_close(label, sum_s, clock->at_s, ROUNDING);
}

/* Time is charged to a term up to an instant; what is charged is what has passed. */
static void
test_charge(void)
{
    static const struct {
        const char *label;
        LpTerm term;
        double until_s, wanted_s; /* all that the term then has */
    } rows[] = {{"from 0 on", LP_TERM_COMPUTE, 2.0, 2.0},
                {"on", LP_TERM_TP, 2.5, 0.5},
                {"once more", LP_TERM_COMPUTE, 6.0, 5.5},
                {"no time", LP_TERM_DP, 6.0, 0.0},
                {"to the end", LP_TERM_BUBBLE, 7.0, 1.0}};
    LpClock clock = {.at_s = 0.0};
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        if (i % 2 == 0)
            lp_clock_charge(&clock, rows[i].term, rows[i].until_s);
        else
            lp_clock_charge_to(&clock, rows[i].term, 3, rows[i].until_s);
        lp_test_close(rows[i].label, clock.at_s, rows[i].until_s, 0.0);
        lp_test_close(rows[i].label, clock.terms.s[rows[i].term], rows[i].wanted_s, ROUNDING);
        check_sum(rows[i].label, &clock);
    }
}

/* Work: terms by the factor, the host's wait as host, what slows it as computing. */
static void
test_work(void)
{
    LpClock clock = {.at_s = 1.0, .terms.s = {[LP_TERM_COMPUTE] = 1.0}};
    LpTerms terms = {.s = {[LP_TERM_COMPUTE] = 2.0, [LP_TERM_OPTIMIZER] = 3.0}};
    lp_clock_spend_work(&clock, &terms, 1.5, 0.25, 0.125);
    lp_test_close("computing", clock.terms.s[LP_TERM_COMPUTE], 1.0 + 3.0 + 0.125, ROUNDING);
    lp_test_close("optimizer", clock.terms.s[LP_TERM_OPTIMIZER], 4.5, ROUNDING);
    lp_test_close("host", clock.terms.s[LP_TERM_HOST], 0.25, ROUNDING);
    lp_test_close("who spends moves it", clock.at_s, 1.0, 0.0);
}

/* Asked for at 3, up at 5 after a dead time of 2.5 s, of which 0.5 s had passed. */
static void
test_circuits(void)
{
    LpClock clock = {.at_s = 2.0, .terms.s = {[LP_TERM_COMPUTE] = 2.0}};
    lp_clock_wait_for_circuits(&clock, 3.0, 0.5, 5.0);
    lp_test_close("for a stage", clock.terms.s[LP_TERM_BUBBLE], 1.0, ROUNDING);
    lp_test_close("for circuits", clock.terms.s[LP_TERM_RECONFIGURATION], 2.0, ROUNDING);
    lp_test_close("waits", clock.circuits.wait_s, 2.0, ROUNDING);
    lp_test_close("hidden", clock.circuits.hidden_s, 0.5, ROUNDING);
    lp_test_true("counted", clock.circuits.n_waits == 1);
    check_sum("circuits", &clock);
    lp_clock_wait_for_circuits(&clock, 5.0, 4.0, 5.0);
    lp_test_true("those that stand are not waited for", clock.circuits.n_waits == 1);
    lp_test_close("and all is hidden", clock.circuits.hidden_s, 4.5, ROUNDING);
    lp_test_close("in no time", clock.at_s, 5.0, 0.0);
}

/* What another path waited for circuits beyond one's own turns into reconfiguration, but no more
 * than was spent. */
static void
test_follow(void)
{
    static const struct {
        const char *label;
        double own_s, other_s, start_s, wanted_s;
    } rows[] = {{"more than its own", 1.0, 1.5, 6.0, 0.5},
                {"no more than spent", 1.0, 9.0, 6.0, 4.0},
                {"less than its own", 2.0, 1.0, 6.0, 0.0}};
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpClock clock = {.at_s = 10.0, .terms.s = {[LP_TERM_PP] = 10.0}};
        clock.circuits.wait_s = rows[i].own_s;
        LpCircuitPath other = {.n_waits = 7, .wait_s = rows[i].other_s, .hidden_s = 0.125};
        lp_clock_follow(&clock, &other, LP_TERM_PP, rows[i].start_s);
        lp_test_close(rows[i].label, clock.terms.s[LP_TERM_RECONFIGURATION], rows[i].wanted_s,
                      ROUNDING);
        lp_test_close(rows[i].label, clock.terms.s[LP_TERM_PP], 10.0 - rows[i].wanted_s, ROUNDING);
        lp_test_close(rows[i].label, clock.circuits.wait_s, rows[i].other_s, 0.0);
        lp_test_true(rows[i].label, clock.circuits.n_waits == 7);
        check_sum(rows[i].label, &clock);
    }
}

/* Who waits for the last goes on along its path, of its own stage, and rounding is computing. */
static void
test_take_over(void)
{
    LpClock own = {.at_s = 1.0, .terms.s = {[LP_TERM_TP] = 1.0}, .stage = 2};
    LpClock last = {.at_s = 4.0,
                    .terms.s = {[LP_TERM_COMPUTE] = 3.0, [LP_TERM_EP] = 1.0},
                    .overlap.in_flight_s = 0.5,
                    .circuits.wait_s = 0.25,
                    .stage = 5};
    lp_clock_take_over(&own, &last, 4.125);
    lp_test_true("its stage is its own", own.stage == 2);
    lp_test_close("nothing of its own path", own.terms.s[LP_TERM_TP], 0.0, 0.0);
    lp_test_close("the other's", own.terms.s[LP_TERM_EP], 1.0, 0.0);
    lp_test_close("rounding", own.terms.s[LP_TERM_COMPUTE], 3.125, ROUNDING);
    lp_test_close("beside it", own.overlap.in_flight_s, 0.5, 0.0);
    lp_test_close("circuits", own.circuits.wait_s, 0.25, 0.0);
    lp_test_true("the path is the other's, too", own.path_is_shared);
    lp_test_close("now", own.at_s, 4.125, 0.0);
    check_sum("take over", &own);
}

/* The later is after; at one instant, to LP_CLOCK_TIE, the one that has more of the first term that
 * differs, then of what is hidden, launched inside layers, slowed. Never both. */
static void
test_order(void)
{
    static const LpClock base = {.at_s = 10.0,
                                 .terms.s = {[LP_TERM_COMPUTE] = 6.0, [LP_TERM_TP] = 4.0}};
    LpClock rows[7];
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
        rows[i] = base;
    /* From the first to the last, each is after all before it. */
    rows[1].overlap.slowed_s = 0.5;
    rows[2].overlap.inner_s = 0.25;
    rows[3].overlap.in_flight_s = 2.0;
    rows[3].overlap.exposed_s = 1.5;
    rows[4].terms.s[LP_TERM_TP] = 4.5;
    rows[5].terms.s[LP_TERM_COMPUTE] = 6.5;
    rows[6].at_s = 10.0 + 1e-7;
    rows[6].terms.s[LP_TERM_COMPUTE] = 0.0;
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
        for (guint k = 0; k < G_N_ELEMENTS(rows); k++) {
            g_autofree char *label = g_strdup_printf("%u after %u", i, k);
            lp_test_true(label, lp_clock_is_after(&rows[i], &rows[k]) == (i > k));
        }
    LpClock rounded = base;
    rounded.at_s = 10.0 + 1e-12;
    lp_test_true("rounding is not later",
                 !lp_clock_is_after(&rounded, &base) && !lp_clock_is_after(&base, &rounded));
    /* Exposed communication is not hidden. */
    LpClock exposed = base;
    exposed.overlap.in_flight_s = exposed.overlap.exposed_s = 3.0;
    lp_test_true("exposed is not hidden",
                 !lp_clock_is_after(&exposed, &base) && !lp_clock_is_after(&base, &exposed));
}

int
main(void)
{
    static const LpTestCase cases[] = {{"charge", test_charge},
                                       {"work", test_work},
                                       {"circuits", test_circuits},
                                       {"follow", test_follow},
                                       {"take over", test_take_over},
                                       {"order", test_order},
                                       {NULL, NULL}};
    return lp_test_run("clock", cases);
}
