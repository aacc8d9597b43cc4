/* SPDX-License-Identifier: Apache-2.0 */
/* A run's flows that meet: rates by their definition and by plain filling, while flows come and go;
 * shares of ports, and what owners lose, by hand. */
#include "sim/actors/shared_flows.h"

#include "tests/sim/drawn_flows.h"
#include "tests/support/small_machine.h"
#include "tests/testlib.h"

#include <math.h>

/* Sums of as many shares as a link has flows. */
#define ROUNDING 1e-9
#define N_DRAWN 60u
#define N_TURNS 150u

typedef struct {
    LpDrawnFlows *drawn;
    LpSharedFlow *flows; /* owned */
    gboolean *is_there;  /* owned, by flow */
    double *bytes_per_s; /* owned, by link */
} Run;

/* No link carries more than it has, and each flow has a full link on which none is faster. */
static void
check_definition(const char *label, const Run *run)
{
    const LpDrawnFlows *drawn = run->drawn;
    guint32 n_links = lp_network_n_links(drawn->network);
    g_autofree double *sum = g_new0(double, n_links), *fastest = g_new0(double, n_links);
    for (guint32 i = 0; i < drawn->n; i++)
        for (guint32 k = 0; run->is_there[i] && k < drawn->routes[i].n_links; k++) {
            guint32 link = drawn->routes[i].links[k];
            sum[link] += run->flows[i].bytes_per_s;
            fastest[link] = MAX(fastest[link], run->flows[i].bytes_per_s);
        }
    gboolean feasible = TRUE, fair = TRUE;
    for (guint32 link = 0; link < n_links; link++)
        feasible = feasible && sum[link] <= run->bytes_per_s[link] * (1.0 + ROUNDING);
    for (guint32 i = 0; i < drawn->n; i++) {
        gboolean is_held = !run->is_there[i];
        for (guint32 k = 0; k < drawn->routes[i].n_links; k++) {
            guint32 link = drawn->routes[i].links[k];
            is_held = is_held || (sum[link] >= run->bytes_per_s[link] * (1.0 - ROUNDING) &&
                                  run->flows[i].bytes_per_s >= fastest[link] * (1.0 - ROUNDING));
        }
        fair = fair && is_held;
    }
    lp_test_true(label, feasible);
    lp_test_true(label, fair);
}

static void
check_filling(const char *label, const Run *run)
{
    g_autofree double *rates =
        lp_drawn_flows_rates(run->drawn, run->is_there, NULL, run->bytes_per_s);
    gboolean equal = TRUE;
    for (guint32 i = 0; i < run->drawn->n; i++)
        equal = equal && (!run->is_there[i] ||
                          fabs(run->flows[i].bytes_per_s - rates[i]) <= ROUNDING * rates[i]);
    lp_test_true(label, equal);
}

static void
start_or_end(Run *run, LpSharedFlows *shared, guint32 i, double now_s)
{
    if (run->is_there[i])
        lp_shared_flows_leave(shared, &run->flows[i], now_s);
    else
        (void)lp_shared_flows_enter(shared, &run->flows[i], 0, now_s);
    run->is_there[i] = !run->is_there[i];
}

/* Links only get narrower: what they had at first caps each flow. */
static void
narrow_link(Run *run, LpSharedFlows *shared, GRand *rand)
{
    const LpRoute *route = &run->drawn->routes[g_rand_int_range(rand, 0, (gint32)run->drawn->n)];
    guint32 link = route->links[g_rand_int_range(rand, 0, (gint32)route->n_links)];
    run->bytes_per_s[link] *= 0.75;
    lp_shared_flows_set_bandwidth(shared, link, run->bytes_per_s[link]);
}

static void
check_machine(const char *options)
{
    static const gboolean uncontended[LP_N_TIERS];
    g_autoptr(GRand) rand = g_rand_new_with_seed(5);
    g_autoptr(LpDrawnFlows) drawn = lp_drawn_flows_new(options, 1, N_DRAWN, 9);
    g_autoptr(LpSharedFlows) shared = lp_shared_flows_new(drawn->network, uncontended, NULL);
    g_autofree LpSharedFlow *flows = g_new0(LpSharedFlow, drawn->n);
    g_autofree gboolean *is_there = g_new0(gboolean, drawn->n);
    g_autofree double *bytes_per_s = lp_drawn_flows_bandwidths(drawn);
    Run run = {drawn, flows, is_there, bytes_per_s};
    for (guint32 i = 0; i < drawn->n; i++)
        flows[i].flow = (LpFlow){.route = &drawn->routes[i], .bytes = 1u << 30};
    for (guint turn = 0; turn < N_TURNS; turn++) {
        guint n = 1 + turn % 4;
        for (guint k = 0; k < n; k++)
            start_or_end(&run, shared, (guint32)g_rand_int_range(rand, 0, (gint32)drawn->n),
                         1e-3 * turn);
        if (turn % 16 == 15)
            narrow_link(&run, shared, rand);
        (void)lp_shared_flows_share_out(shared, 1e-3 * turn);
        check_definition(options, &run);
        check_filling(options, &run);
    }
}

static void
test_drawn(void)
{
    for (guint i = 0; lp_drawn_flows_machines[i] != NULL; i++)
        check_machine(lp_drawn_flows_machines[i]);
}

/* Of domains of four with two cards of 10 GB/s: 0 and 1 have one, 2 and 3 the other. Two flows from
 * 0 and 1, or a third from 0, with all tiers contended or none. */
static void
test_owners(void)
{
    static const struct {
        const char *label;
        guint n;
        guint64 second;
        gboolean one_owner, uncontended;
        double gigabytes_per_s, lost_s; /* of each, in 2 s */
    } rows[] = {{"they share a card", 2, 1, FALSE, FALSE, 5.0, 1.0},
                {"three do", 3, 1, FALSE, FALSE, 10.0 / 3.0, 4.0 / 3.0},
                {"of one owner they lose nothing to others", 2, 1, TRUE, FALSE, 5.0, 0.0},
                {"uncontended, they do not meet", 2, 1, FALSE, TRUE, 10.0, 0.0},
                {"but their own do", 2, 1, TRUE, TRUE, 5.0, 0.0},
                {"cards of their own", 2, 2, FALSE, FALSE, 10.0, 0.0}};
    g_autoptr(LpMachine) machine = lp_small_machine_load_good(&lp_small_machine);
    g_autoptr(LpNetwork) network = lp_network_new(machine);
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        gboolean uncontended[LP_N_TIERS];
        for (LpTier tier = 0; tier < LP_N_TIERS; tier++)
            uncontended[tier] = rows[i].uncontended;
        LpRoute routes[] = {
            lp_network_route(network, 0, 4, LP_TRAFFIC_DP),
            lp_network_route(network, rows[i].second, 4 + rows[i].second, LP_TRAFFIC_DP),
            lp_network_route(network, 0, 8, LP_TRAFFIC_DP)};
        g_autoptr(LpFlowRecord) record = lp_flow_record_new(lp_network_n_links(network), 1);
        g_autoptr(LpSharedFlows) shared = lp_shared_flows_new(network, uncontended, record);
        LpSharedFlow flows[3] = {{.number = 0}};
        for (guint k = 0; k < rows[i].n; k++) {
            flows[k].flow = (LpFlow){.route = &routes[k],
                                     .bytes = 40000000000u,
                                     .traffic = LP_TRAFFIC_DP,
                                     .owner = &routes[rows[i].one_owner ? 0 : k]};
            (void)lp_shared_flows_enter(shared, &flows[k], 0, 1.0);
        }
        lp_test_true(rows[i].label, lp_shared_flows_share_out(shared, 1.0)->len == rows[i].n);
        lp_test_true("no change", lp_shared_flows_share_out(shared, 1.0)->len == 0);
        double lost_s = 0.0;
        for (guint k = 0; k < rows[i].n; k++) {
            double rate = 1e9 * rows[i].gigabytes_per_s;
            lp_test_close(rows[i].label, flows[k].bytes_per_s, rate, ROUNDING);
            lp_shared_flows_leave(shared, &flows[k], 3.0);
            lp_test_close(rows[i].label, flows[k].rest_bytes, 40e9 - 2.0 * rate, ROUNDING);
        }
        for (guint32 link = 0; link < lp_network_n_links(network); link++)
            lost_s += record->crossings[link] == NULL
                          ? 0.0
                          : record->crossings[link][LP_TRAFFIC_DP].lost_s;
        lp_test_close(rows[i].label, lost_s, rows[i].n * rows[i].lost_s, ROUNDING);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"drawn", test_drawn}, {"owners", test_owners}, {NULL, NULL}};
    return lp_test_run("shared flows", cases);
}
