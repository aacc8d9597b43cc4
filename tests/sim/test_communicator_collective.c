/* SPDX-License-Identifier: Apache-2.0 */
/* Who sends to whom in rings of a communicator, and what is asked of one without circuits. */
#include "sim/actors/communicator_state.h"

#include "tests/sim/job_flows.h"
#include "tests/testlib.h"

#define BODY "embedding=no layers=1 hidden=256 heads=4 ffn=512 seq=64 micro-batch=1 pp=1 "

/* Along the rails a member gets from the one at its place in the domain before, else from the one
 * before. */
static void
test_senders(void)
{
    static const struct {
        const char *label, *settings;
        LpGroup group;
        guint64 n, back;
        LpTraffic traffic;
    } rows[] = {
        {"a ring", BODY "tp=1 dp=8 global-batch=8", LP_GROUP_DP, 8, 1, LP_TRAFFIC_DP},
        {"in a domain", BODY "tp=4 dp=2 global-batch=2", LP_GROUP_TP, 4, 1, LP_TRAFFIC_TP},
        {"along the rails",
         BODY "tp=1 dp=16 ep=16 experts=16 top-k=1 expert-ffn=64 global-batch=16", LP_GROUP_EP, 16,
         4, LP_TRAFFIC_EP},
        {"experts in a domain",
         BODY "tp=1 dp=16 ep=4 experts=16 top-k=1 expert-ffn=64 global-batch=16", LP_GROUP_EP, 4, 1,
         LP_TRAFFIC_EP},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(LpJobFlows) job = lp_job_flows_new(
            rows[i].settings, "--accelerators=16 --domain-size=4 --leaf-ports=8", "single-ring");
        if (job == NULL)
            return;
        LpCommunicatorRuntime runtime = {.map = job->map};
        lp_isolated_ring_init(&runtime.ring, job->map, job->cache,
                              lp_communicators_get(job->map->communicators, rows[i].group, 0));
        lp_test_true(rows[i].label, runtime.ring.n_members == rows[i].n);
        for (guint64 k = 0; k < rows[i].n; k++)
            lp_test_true(rows[i].label, lp_communicator_sender_to(&runtime, k) ==
                                            (k + rows[i].n - rows[i].back) % rows[i].n);
        lp_test_true(rows[i].label, lp_communicator_sends_inter(&runtime) == (rows[i].back > 1));
        lp_test_true(rows[i].label, lp_communicator_traffic(&runtime) == rows[i].traffic);
        lp_test_true(rows[i].label, !lp_communicator_is_hybrid(&runtime));
        /* Of classes, who stands for the sender: even members, and odd ones. */
        static const guint32 colours[] = {7, 5, 7, 5, 7, 5, 7, 5, 7, 5, 7, 5, 7, 5, 7, 5};
        LpCommunicatorClass classes = {.members =
                                           lp_member_classes_find(colours, (guint32)rows[i].n)};
        runtime.classes = &classes;
        for (guint64 k = 0; k < rows[i].n; k++)
            lp_test_true("who stands for it", lp_communicator_sender_to(&runtime, k) ==
                                                  (k + rows[i].n - rows[i].back) % 2);
        lp_member_classes_clear(&classes.members);
        lp_isolated_ring_clear(&runtime.ring);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {{"senders", test_senders}, {NULL, NULL}};
    return lp_test_run("collectives of a communicator", cases);
}
