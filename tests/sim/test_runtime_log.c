/* SPDX-License-Identifier: Apache-2.0 */
/* A communicator's delays count at tiers on the way to the next member, and at no link. */
#include "sim/actors/runtime_log.h"

#include "tests/sim/job_flows.h"
#include "tests/testlib.h"

#define SETTINGS                                                                                   \
    "embedding=no layers=4 hidden=256 heads=8 ffn=512 seq=64 micro-batch=1 tp=1 pp=1 dp=8 "        \
    "global-batch=16"

static double
bytes_of(const LpFlowSeries *series)
{
    double sum = 0.0;
    for (guint i = 0; series != NULL && i < LP_FLOW_LOG_BINS; i++)
        sum += series->bytes[i];
    return sum;
}

/* Bytes times the links of each tier, for each of three replicas. */
static void
check_tiers(const char *label, const LpJobFlows *job, const LpFlowLog *log, const LpRoute *route,
            LpTraffic traffic, double bytes)
{
    for (LpTier tier = 0; tier < LP_N_TIERS; tier++) {
        guint32 n = 0;
        for (guint32 i = 0; i < route->n_links; i++)
            n += lp_network_link(job->network, route->links[i]).tier == tier ? 1u : 0u;
        lp_test_close(label, bytes_of(lp_flow_log_tier(log, tier, traffic)), 3.0 * n * bytes,
                      1e-12);
    }
}

static void
test_log(void)
{
    g_autoptr(LpJobFlows) job = lp_job_flows_new(
        SETTINGS, "--accelerators=8 --domain-size=4 --leaf-ports=4", "single-ring");
    if (job == NULL)
        return;
    const LpCommunicator *communicator =
        lp_communicators_get(job->map->communicators, LP_GROUP_DP, 0);
    for (guint64 member = 0; member < 8; member++) {
        LpRoute route = lp_network_route(job->network, member, (member + 1) % 8, LP_TRAFFIC_DP);
        g_autoptr(LpFlowLog) log = lp_flow_log_new(job->network);
        LpRuntimeLog own = {log, job->map, communicator, 3.0, NULL};
        lp_runtime_log_delay(&own, member, LP_TRAFFIC_DP, 100.0, 0.0, 1.0);
        lp_runtime_log_delay(&own, member, LP_TRAFFIC_DP, 50.0, 1.0, 2.0);
        check_tiers("a delay", job, log, &route, LP_TRAFFIC_DP, 150.0);
        lp_test_true("no link", !lp_flow_log_has_link(log, route.links[0]));
        lp_test_true("not all", !lp_flow_log_has_all(log));
        lp_runtime_log_clear(&own);
        LpRuntimeLog nobody = {NULL, job->map, communicator, 3.0, NULL};
        lp_runtime_log_delay(&nobody, member, LP_TRAFFIC_DP, 100.0, 0.0, 1.0);
        lp_test_true("nothing is written", nobody.next == NULL);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {{"log", test_log}, {NULL, NULL}};
    return lp_test_run("log of a communicator", cases);
}
