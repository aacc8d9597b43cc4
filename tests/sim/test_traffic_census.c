/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes by link, pair of accelerators and class: each class counts for itself. */
#include "sim/analysis/traffic_census.h"

#include "tests/support/small_machine.h"
#include "tests/testlib.h"

/* Domains of four: one message stays in the first, one goes to the second; class k sends 2^k bytes,
 * three times where it leaves the domain. */
static void
test_links(void)
{
    static const guint64 receivers[] = {1, 5};
    g_autoptr(LpMachine) machine = lp_small_machine_load_good(&lp_small_machine);
    g_autoptr(LpNetwork) network = lp_network_new(machine);
    for (guint i = 0; i < G_N_ELEMENTS(receivers); i++) {
        LpRoute route = lp_network_route(network, 0, receivers[i], LP_TRAFFIC_DP);
        g_autoptr(LpTrafficCensus) census = lp_traffic_census_new(network);
        for (guint k = 0; k < LP_N_TRAFFIC; k++)
            lp_traffic_census_add(census, (LpTraffic)k, 0, receivers[i], &route, (double)(1u << k),
                                  3.0);
        lp_test_true("links", route.n_links > 0);
        for (guint k = 0; k < LP_N_TRAFFIC; k++) {
            double sum = 0.0, bytes = (double)(1u << k);
            for (guint32 link = 0; link < lp_network_n_links(network); link++)
                sum += lp_traffic_census_link(census, link, (LpTraffic)k);
            for (guint32 n = 0; n < route.n_links; n++) {
                LpTier tier = lp_network_link(network, route.links[n]).tier;
                double times = tier == LP_TIER_SCALE_UP ? 1.0 : 3.0;
                lp_test_close("link", lp_traffic_census_link(census, route.links[n], (LpTraffic)k),
                              times * bytes, 0.0);
                sum -= times * bytes;
            }
            lp_test_close("no other", sum, 0.0, 0.0);
            for (guint32 to = 0; to < census->n_blocks; to++)
                lp_test_close("pair", lp_traffic_census_pair(census, (LpTraffic)k, 0, to),
                              to == receivers[i] ? bytes : 0.0, 0.0);
        }
    }
}

/* Messages of one size, class and operation are counted together. */
static void
test_messages(void)
{
    g_autoptr(LpMachine) machine = lp_small_machine_load_good(&lp_small_machine);
    g_autoptr(LpNetwork) network = lp_network_new(machine);
    g_autoptr(LpTrafficCensus) census = lp_traffic_census_new(network);
    static const LpMessageCount messages[] = {{LP_TRAFFIC_DP, LP_COLLECTIVE_ALL_REDUCE, 8, 2.0},
                                              {LP_TRAFFIC_TP, LP_COLLECTIVE_ALL_REDUCE, 8, 3.0},
                                              {LP_TRAFFIC_DP, LP_COLLECTIVE_ALL_REDUCE, 9, 4.0},
                                              {LP_TRAFFIC_DP, LP_COLLECTIVE_ALL_REDUCE, 8, 5.0}};
    static const double wanted[] = {7.0, 3.0, 4.0};
    for (guint i = 0; i < G_N_ELEMENTS(messages); i++)
        lp_traffic_census_add_message(census, messages[i]);
    lp_test_true("three", census->messages->len == G_N_ELEMENTS(wanted));
    for (guint i = 0; i < MIN(census->messages->len, G_N_ELEMENTS(wanted)); i++)
        lp_test_close("n", g_array_index(census->messages, LpMessageCount, i).n, wanted[i], 0.0);
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"links", test_links}, {"messages", test_messages}, {NULL, NULL}};
    return lp_test_run("traffic census", cases);
}
