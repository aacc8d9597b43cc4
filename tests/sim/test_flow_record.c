/* SPDX-License-Identifier: Apache-2.0 */
/* What flows met on links: by kind, from the first start to the last end, bytes by share. */
#include "sim/actors/flow_record.h"

#include "tests/support/small_machine.h"
#include "tests/testlib.h"

#define ROUNDING 1e-12

static void
test_kinds(void)
{
    g_autoptr(LpFlowRecord) record = lp_flow_record_new(1, 3);
    g_autoptr(GHashTable) kinds = g_hash_table_new(NULL, NULL);
    for (guint32 job = 0; job < 3; job++)
        for (LpTraffic traffic = 0; traffic < LP_N_TRAFFIC; traffic++) {
            guint kind = lp_flow_record_kind(record, job, traffic);
            lp_test_true("of its own", g_hash_table_add(kinds, GUINT_TO_POINTER(kind + 1)));
            lp_test_true("below their number", kind < lp_flow_record_n_kinds(record));
        }
    guint background = lp_flow_record_kind(record, LP_FLOW_BACKGROUND, 0);
    lp_test_true("background", g_hash_table_add(kinds, GUINT_TO_POINTER(background + 1)) &&
                                   background < lp_flow_record_n_kinds(record));
    lp_test_true("one whatever class",
                 lp_flow_record_kind(record, LP_FLOW_BACKGROUND, LP_TRAFFIC_DP) == background);
    lp_test_true("no others", g_hash_table_size(kinds) == lp_flow_record_n_kinds(record));
}

static const LpCrossing *
crossing(const LpFlowRecord *record, guint32 link, guint kind)
{
    static const LpCrossing none;
    return record->crossings[link] == NULL ? &none : &record->crossings[link][kind];
}

/* Two flows over one route, of which a quarter of the bytes crosses its last link. */
static void
test_crossings(void)
{
    g_autoptr(LpMachine) machine = lp_small_machine_load_good(&lp_small_machine);
    g_autoptr(LpNetwork) network = lp_network_new(machine);
    g_autoptr(LpFlowRecord) record = lp_flow_record_new(lp_network_n_links(network), 2);
    LpRoute route = lp_network_route(network, 0, 4, LP_TRAFFIC_DP);
    g_autofree double *weights = g_new(double, route.n_links);
    for (guint32 i = 0; i < route.n_links; i++)
        weights[i] = i == route.n_links - 1 ? 0.25 : 1.0;
    route.weights = weights;
    LpFlow flow = {.route = &route, .bytes = 800, .job = 1, .traffic = LP_TRAFFIC_DP};
    guint kind = lp_flow_record_kind(record, 1, LP_TRAFFIC_DP);
    lp_flow_record_add(record, &flow, 0, 3.0, 5.0, 1.0);
    lp_flow_record_add(record, &flow, 0, 2.0, 4.5, 0.5);
    lp_flow_record_add_loss(record, &flow, route.links[1], 0.75);
    lp_flow_record_add_loss(record, &flow, route.links[1], 0.5);
    guint32 n_crossed = 0;
    for (guint32 i = 0; i < route.n_links; i++) {
        const LpCrossing *at = crossing(record, route.links[i], kind);
        lp_test_true("flows", at->n_flows == 2);
        lp_test_close("bytes", at->bytes, i == route.n_links - 1 ? 400.0 : 1600.0, ROUNDING);
        lp_test_close("from the first start", at->from_s, 2.0, 0.0);
        lp_test_close("to the last end", at->to_s, 5.0, 0.0);
        lp_test_close("lost", at->lost_s, i == 1 ? 1.25 : 0.0, ROUNDING);
        lp_test_true("not the other job's",
                     crossing(record, route.links[i], lp_flow_record_kind(record, 0, LP_TRAFFIC_DP))
                             ->n_flows == 0);
    }
    for (guint32 i = 0; i < lp_network_n_links(network); i++)
        n_crossed += record->crossings[i] != NULL;
    lp_test_true("no other link", n_crossed == route.n_links);
    lp_test_close("alone", record->ideal_s[kind], 1.5, ROUNDING);
    lp_test_close("as it was", record->actual_s[kind], 4.5, ROUNDING);
    const LpFlowSlowdown *slowdowns =
        (const LpFlowSlowdown *)(gpointer)record->slowdowns[kind]->data;
    lp_test_true("two", record->slowdowns[kind]->len == 2 && slowdowns[0].n == 1);
    lp_test_close("twice as long", slowdowns[0].ratio, 2.0, ROUNDING);
    lp_test_close("five times", slowdowns[1].ratio, 5.0, ROUNDING);
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"kinds", test_kinds}, {"crossings", test_crossings}, {NULL, NULL}};
    return lp_test_run("record of flows", cases);
}
