/* SPDX-License-Identifier: Apache-2.0 */
/* Flows of a job: as many as hand counts say, each where its group and line say, and alike just if
 * they send as much. */
#include "sim/quotient/flow_list.h"

#include "tests/sim/job_flows.h"
#include "tests/testlib.h"

#define BODY                                                                                       \
    "embedding=no layers=4 hidden=256 heads=4 ffn=512 seq=64 micro-batch=1 global-batch=32 "
#define MACHINE "--accelerators=64 --domain-size=8 --leaf-ports=16"

/* Rings of more than one member have a flow a member, lines between p stages (p - 1) each way for
 * each rank of a stage. */
static void
test_counts(void)
{
    static const struct {
        const char *label, *settings;
        guint32 n_tp, n_dp, n_lines;
    } rows[] = {{"dp alone", BODY "tp=1 pp=1 dp=8", 0, 8, 0},
                {"tp and dp", BODY "tp=2 pp=1 dp=8", 16, 16, 0},
                {"all", BODY "tp=2 pp=2 dp=4", 16, 16, 16},
                {"four stages", BODY "tp=1 pp=4 dp=4", 0, 16, 24}};
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(LpJobFlows) job = lp_job_flows_new(rows[i].settings, MACHINE, "single-ring");
        if (job == NULL)
            return;
        g_autoptr(LpFlowList) list = lp_flow_list_new(&job->job, NULL, LP_FIDELITY_FLOW);
        guint32 n[LP_N_GROUPS] = {0}, n_lines = 0;
        for (guint32 k = 0; k < list->flows->len; k++) {
            const LpFlowOfRun *flow = &g_array_index(list->flows, LpFlowOfRun, k);
            lp_test_true(rows[i].label, flow->sender < 0 && !flow->is_delay);
            if (flow->communicator < 0) {
                n_lines++;
                continue;
            }
            const LpCommunicatorOfRun *own =
                &g_array_index(list->communicators, LpCommunicatorOfRun, (guint)flow->communicator);
            const LpCommunicator *communicator = own->communicator;
            n[communicator->group]++;
            /* To the next in the ring. */
            lp_test_true(rows[i].label, communicator->ranks[flow->place_from] == flow->from);
            lp_test_true(rows[i].label,
                         communicator->ranks[(flow->place_from + 1) % communicator->n_members] ==
                             flow->to);
        }
        lp_test_true(rows[i].label, n[LP_GROUP_TP] == rows[i].n_tp);
        lp_test_true(rows[i].label, n[LP_GROUP_DP] == rows[i].n_dp);
        lp_test_true(rows[i].label, n_lines == rows[i].n_lines);
        lp_test_true(rows[i].label,
                     list->n_flows == list->flows->len && list->n_ranks == job->program->n_ranks);
    }
}

/* A second job's flows and ranks stand behind the first one's, and are numbered alike. */
static void
test_two_jobs(void)
{
    g_autoptr(LpJobFlows) job = lp_job_flows_new(BODY "tp=2 pp=2 dp=4", MACHINE, "single-ring");
    if (job == NULL)
        return;
    g_autoptr(LpFlowList) first = lp_flow_list_new(&job->job, NULL, LP_FIDELITY_FLOW);
    guint32 n = first->flows->len;
    g_autoptr(LpFlowList) second = lp_flow_list_new(&job->job, first, LP_FIDELITY_FLOW);
    lp_test_true("behind", second->first_rank == 16 && second->first_flow == n &&
                               second->flows->len == 2 * n);
    for (guint32 i = 0; i < n && second->flows->len == 2 * n; i++) {
        const LpFlowOfRun *one = &g_array_index(second->flows, LpFlowOfRun, i);
        const LpFlowOfRun *other = &g_array_index(second->flows, LpFlowOfRun, n + i);
        lp_test_true("alike", one->what == other->what && one->route == other->route);
        lp_test_true("other ranks", one->from + 16 == other->from && one->to + 16 == other->to);
    }
    g_autoptr(LpFlowList) again = lp_flow_list_ref(second);
    LpBackgroundFlow ways[2] = {{.sender = 0}, {.sender = 1, .turn = 3}};
    ways[0].route = ways[1].route = *g_array_index(second->flows, LpFlowOfRun, 0).route;
    ways[1].route.latency_s *= 2.0;
    lp_flow_list_add_background(second, ways, 2);
    const LpFlowOfRun *one = &g_array_index(again->flows, LpFlowOfRun, 2 * n);
    lp_test_true("of no job", again->flows->len == 2 * n + 2 && one[0].communicator < 0 &&
                                  one[1].sender == 1 && one[1].from == 3);
    lp_test_true("other latencies", one[0].what != one[1].what);
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"counts", test_counts}, {"two jobs", test_two_jobs}, {NULL, NULL}};
    return lp_test_run("list of flows", cases);
}
