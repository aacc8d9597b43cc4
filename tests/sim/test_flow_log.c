/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes in bins of time: none is lost, each is where its flow was, however wide bins become. */
#include "sim/actors/flow_log.h"

#include "tests/sim/job_flows.h"
#include "tests/support/small_machine.h"
#include "tests/testlib.h"

/* Sums of as many parts as there are bins. */
#define ROUNDING 1e-12

static LpMachine *machine;
static LpNetwork *network;

/* The first of the tests, which the others need. */
static void
test_machine(void)
{
    machine = lp_small_machine_load_good(&lp_small_machine);
    network = lp_network_new(machine);
}

static double
sum(const LpFlowSeries *series, guint first, guint end)
{
    double bytes = 0.0;
    for (guint i = first; series != NULL && i < end; i++)
        bytes += series->bytes[i];
    return bytes;
}

/* Two flows of 1000 and 500 bytes, from 2 s to 4 s and from 4 s to 7 s; the first stands for three.
 * Then one in no time makes the log as long as rows say. */
static void
test_bytes(void)
{
    static const double ends_s[] = {8.0, 64.0, 1000.0, 1e6};
    LpRoute route = lp_network_route(network, 0, 4, LP_TRAFFIC_DP);
    LpTier tier = lp_network_link(network, route.links[0]).tier;
    guint32 n_of_tier = 0;
    for (guint32 i = 0; i < route.n_links; i++)
        n_of_tier += lp_network_link(network, route.links[i]).tier == tier;
    for (guint i = 0; i < G_N_ELEMENTS(ends_s); i++) {
        g_autoptr(LpFlowLog) log = lp_flow_log_new(network);
        LpLoggedFlow flow = {.route = &route,
                             .bytes = 1000.0,
                             .weight = 3.0,
                             .kind = LP_TRAFFIC_DP,
                             .is_flow = TRUE,
                             .start_s = 2.0,
                             .end_s = 4.0};
        lp_flow_log_add(log, &flow);
        flow.bytes = 500.0;
        flow.weight = 1.0;
        flow.start_s = 4.0;
        flow.end_s = 7.0;
        lp_flow_log_add(log, &flow);
        flow.bytes = 1.0;
        flow.kind = LP_TRAFFIC_TP;
        flow.start_s = flow.end_s = ends_s[i];
        lp_flow_log_add(log, &flow);
        double bin_s = lp_flow_log_bin_s(log);
        lp_test_true("at least half of the bins", bin_s * LP_FLOW_LOG_BINS >= ends_s[i] &&
                                                      bin_s * LP_FLOW_LOG_BINS / 2 < ends_s[i]);
        const LpFlowSeries *of_tier = lp_flow_log_tier(log, tier, LP_TRAFFIC_DP);
        const LpFlowSeries *of_link = lp_flow_log_link(log, route.links[0]);
        lp_test_close("of the tier", sum(of_tier, 0, LP_FLOW_LOG_BINS), n_of_tier * 3500.0,
                      ROUNDING);
        lp_test_close("of the link", sum(of_link, 0, LP_FLOW_LOG_BINS), 1501.0, ROUNDING);
        lp_test_close("the last",
                      lp_flow_log_tier(log, tier, LP_TRAFFIC_TP)
                          ->bytes[MIN((guint)(ends_s[i] / bin_s), LP_FLOW_LOG_BINS - 1)],
                      n_of_tier, ROUNDING);
        lp_test_true("no other kind", lp_flow_log_tier(log, tier, LP_TRAFFIC_EP) == NULL);
        lp_test_close("in use", lp_flow_log_link_busy_s(log, route.links[0]), 5.0, ROUNDING);
        lp_test_true("all by the engine", lp_flow_log_has_all(log));
        /* As many as flow in a bin's time, of bins that are whole within a flow's. */
        for (guint bin = 0; bin < LP_FLOW_LOG_BINS; bin++) {
            double from_s = bin * bin_s, to_s = from_s + bin_s;
            if (from_s >= 2.0 && to_s <= 4.0)
                lp_test_close("500 a second", of_link->bytes[bin], 500.0 * bin_s, 1e-9);
            if (to_s <= 2.0)
                lp_test_close("not yet", of_link->bytes[bin], 0.0, 0.0);
        }
    }
}

/* What a delay stands for crosses the tier, and no link. */
static void
test_delays(void)
{
    g_autoptr(LpFlowLog) log = lp_flow_log_new(network);
    LpRoute route = lp_network_route(network, 0, 4, LP_TRAFFIC_DP);
    LpTier tier = lp_network_link(network, route.links[0]).tier;
    LpLoggedFlow delay = {.route = &route,
                          .bytes = 10.0,
                          .weight = 1.0,
                          .kind = LP_TRAFFIC_DP,
                          .start_s = 0.0,
                          .end_s = 1.0};
    LpLoggedFlow empty = {.route = &route, .weight = 1.0, .is_flow = TRUE, .end_s = 1.0};
    lp_flow_log_add(log, &empty);
    lp_test_true("no bytes, no flow", !lp_flow_log_has_link(log, route.links[0]));
    lp_flow_log_add(log, &delay);
    lp_flow_log_add(NULL, &delay);
    lp_test_true("no link", !lp_flow_log_has_link(log, route.links[0]));
    lp_test_true("but the tier", lp_flow_log_tier(log, tier, LP_TRAFFIC_DP) != NULL);
    lp_test_true("not all by the engine", !lp_flow_log_has_all(log));
    lp_flow_log_add_use(log, &route, 3.0, 4.5);
    lp_test_close("in use", lp_flow_log_link_busy_s(log, route.links[1]), 1.5, ROUNDING);
}

static void
test_background(void)
{
    g_autoptr(LpFlowLog) log = lp_flow_log_new(network);
    LpRoute route = lp_network_route(network, 0, 4, LP_TRAFFIC_DP);
    LpLoggedFlow flow = {.route = &route,
                         .bytes = 10.0,
                         .weight = 1.0,
                         .kind = LP_FLOW_LOG_BACKGROUND,
                         .is_flow = TRUE,
                         .end_s = 1.0};
    lp_flow_log_add(log, &flow);
    lp_flow_log_add(log, &flow);
    flow.kind = LP_TRAFFIC_DP;
    lp_flow_log_add(log, &flow);
    lp_test_close("background alone", lp_flow_log_background_bytes(log, route.links[0]), 20.0, 0.0);
    for (guint i = 0; i < LP_FLOW_LOG_MESSAGES_MAX + 5; i++)
        lp_flow_log_add_message(log, (LpLoggedMessage){.sender = i});
    const GArray *messages = lp_flow_log_messages(log);
    lp_test_true("the first ones", messages->len == LP_FLOW_LOG_MESSAGES_MAX &&
                                       g_array_index(messages, LpLoggedMessage, 7).sender == 7);
}

/* A ring of eight whose flows are of one class: the one that is logged stands for all, each of
 * which crosses two ports, the sender's and the receiver's. */
static void
test_classes(void)
{
    g_autoptr(LpJobFlows) job =
        lp_job_flows_new("embedding=no layers=1 hidden=256 heads=4 ffn=512 seq=64 micro-batch=1 "
                         "pp=1 tp=1 dp=8 global-batch=8",
                         "--accelerators=8 --domain-size=1 --topology=crossbar", "single-ring");
    const char *reason = NULL;
    if (job == NULL)
        return;
    g_autoptr(LpQuotient) quotient = lp_quotient_new(&job->input, &reason);
    lp_test_text("quotient", reason, NULL);
    lp_test_count("one class", lp_quotient_size(quotient).n_flow_classes, 1);
    LpRoute real = lp_network_route(job->network, 0, 1, LP_TRAFFIC_DP);
    LpTier tier = lp_network_link(job->network, real.links[0]).tier;
    g_autoptr(LpFlowLog) log = lp_flow_log_new(job->network);
    lp_flow_log_set_quotient(log, quotient);
    LpLoggedFlow flow = {.route = lp_quotient_route(quotient, (LpConnectionKind)LP_GROUP_DP, 0),
                         .bytes = 1000.0,
                         .weight = 1.0,
                         .kind = LP_TRAFFIC_DP,
                         .is_flow = TRUE,
                         .start_s = 2.0,
                         .end_s = 4.0};
    lp_flow_log_add(log, &flow);
    lp_flow_log_finish(log);
    lp_test_count("two ports a route", real.n_links, 2);
    lp_test_close("of the tier",
                  sum(lp_flow_log_tier(log, tier, LP_TRAFFIC_DP), 0, LP_FLOW_LOG_BINS),
                  8 * 2 * 1000.0, ROUNDING);
    for (guint64 i = 0; i < 8; i++) {
        LpRoute route = lp_network_route(job->network, i, (i + 1) % 8, LP_TRAFFIC_DP);
        for (guint32 k = 0; k < route.n_links; k++) {
            lp_test_true("carries", lp_flow_log_has_link(log, route.links[k]));
            lp_test_close("of each port",
                          sum(lp_flow_log_link(log, route.links[k]), 0, LP_FLOW_LOG_BINS), 1000.0,
                          ROUNDING);
            lp_test_close("in use", lp_flow_log_link_busy_s(log, route.links[k]), 2.0, ROUNDING);
        }
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {{"machine", test_machine}, {"bytes", test_bytes},
                                       {"delays", test_delays},   {"background", test_background},
                                       {"classes", test_classes}, {NULL, NULL}};
    int status = lp_test_run("log of flows", cases);
    lp_network_free(network);
    lp_machine_free(machine);
    return status;
}
