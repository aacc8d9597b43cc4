/* SPDX-License-Identifier: Apache-2.0 */
/* What units send: partners and bytes of published algorithms, rows that meet everybody once, and
 * how often what a class sends arrives. */
#include "sim/actors/collective_flows.h"

#include "tests/sim/job_flows.h"
#include "tests/testlib.h"

#define BODY "embedding=no layers=1 hidden=256 heads=4 ffn=512 seq=64 micro-batch=1 pp=1 "
#define V 8192u /* bytes: divides by all that follows */

static LpCollectiveFlows
units_of(const LpJobFlows *job, LpIsolatedRing *ring, LpGroup group)
{
    lp_isolated_ring_init(ring, job->map, job->cache,
                          lp_communicators_get(job->map->communicators, group, 0));
    return (LpCollectiveFlows){.ring = ring, .fidelity = LP_FIDELITY_MESSAGE};
}

/* Rabenseifner's all-reduce (2004) of 8: partners at distances of 4, 2, 1, then 1, 2, 4, or the
 * other way round, with V/2, V/4, V/8, V/8, V/4, V/2; everybody gets one flow a round. */
static void
test_rounds(void)
{
    static const guint64 bytes[] = {V / 2, V / 4, V / 8, V / 8, V / 4, V / 2};
    g_autoptr(LpJobFlows) job =
        lp_job_flows_new(BODY "tp=1 dp=8 global-batch=8 algorithm-dp=halving-doubling",
                         "--accelerators=8 --domain-size=1 --topology=crossbar", "single-ring");
    if (job == NULL)
        return;
    LpIsolatedRing ring;
    LpCollectiveFlows units = units_of(job, &ring, LP_GROUP_DP);
    LpOp op = {.kind = LP_OP_COLLECTIVE,
               .collective = LP_COLLECTIVE_ALL_REDUCE,
               .group = LP_GROUP_DP,
               .traffic = LP_TRAFFIC_DP,
               .bytes = V};
    LpRoundPlan plan;
    lp_round_plan_init(&plan, job->map, &op, ring.communicator, LP_FIDELITY_MESSAGE);
    lp_test_true("six rounds", plan.n_rounds == 6);
    lp_test_true("eight units", lp_collective_flows_n_units(&units) == 8);
    g_autofree LpTransfer *transfers = g_new(LpTransfer, lp_round_plan_transfers_max(&plan));
    g_autofree LpUnitFlow *flows = g_new(LpUnitFlow, lp_round_plan_transfers_max(&plan));
    for (guint64 round = 0; round < MIN(plan.n_rounds, 6); round++) {
        guint32 n_arrivals[8] = {0}, distance = 0;
        for (guint64 unit = 0; unit < 8; unit++) {
            guint64 n = lp_collective_flows_round(&units, &plan, unit, round, transfers, flows);
            lp_test_true("one flow", n == 1);
            lp_test_true("its bytes", flows[0].bytes == bytes[round]);
            lp_test_true("one activity", flows[0].n_activities == 1 && flows[0].n_alike == 1);
            lp_test_true("to its rank",
                         flows[0].to_rank == ring.communicator->ranks[flows[0].to_unit]);
            distance = unit == 0 ? flows[0].to_unit : distance;
            lp_test_true("partners pair up", flows[0].to_unit == ((guint32)unit ^ distance));
            n_arrivals[flows[0].to_unit] += lp_collective_flows_arrivals(&units, unit, flows);
        }
        for (guint64 unit = 0; unit < 8; unit++)
            lp_test_true("one comes", n_arrivals[unit] == 1 &&
                                          lp_round_plan_n_receives(&plan, unit, round) == 1);
    }
    LpCollectiveCall call = {.op = &op, .protocol = plan.protocol, .plan = &plan};
    LpUnitTask task = lp_collective_flows_task(&units, &call);
    lp_test_true("members follow rounds", task.kind == LP_UNIT_ROUNDS && task.n_units == 8);
    g_array_unref(task.flows);
    lp_round_plan_clear(&plan);
    lp_isolated_ring_clear(&ring);
}

/* An all-to-all of 16 in domains of 4: a row meets the 12 others outside its domain once each, with
 * a sixteenth of the buffer; twice that over circuits of which a byte takes two. */
static void
test_rows(void)
{
    g_autoptr(LpJobFlows) job =
        lp_job_flows_new(BODY "tp=1 dp=16 ep=16 experts=16 top-k=1 expert-ffn=64 global-batch=16",
                         "--accelerators=16 --domain-size=4 --leaf-ports=8", "single-ring");
    if (job == NULL)
        return;
    LpIsolatedRing ring;
    LpCollectiveFlows units = units_of(job, &ring, LP_GROUP_EP);
    LpOp op = {.kind = LP_OP_COLLECTIVE,
               .collective = LP_COLLECTIVE_ALL_TO_ALL,
               .group = LP_GROUP_EP,
               .traffic = LP_TRAFFIC_EP,
               .bytes = V};
    LpAlgorithmSelection selection =
        lp_rank_layout_selection(job->map->layout, &op, ring.communicator);
    LpCollectiveCall call = {.op = &op, .protocol = selection.protocol, .forwarding = 1.0};
    LpUnitTask task = lp_collective_flows_task(&units, &call);
    lp_test_true("members send rows", task.kind == LP_UNIT_ROW && task.n_units == 16);
    g_array_unref(task.flows);
    for (guint64 unit = 0; unit < 16; unit++) {
        guint32 met = 0;
        for (guint64 place = 0; place < 12; place++) {
            LpConnection connection;
            call.forwarding = 1.0;
            LpUnitFlow flow = lp_collective_flows_pair(&units, &call, unit, place, &connection);
            lp_test_true("a block", flow.bytes == V / 16);
            lp_test_true("its own route", flow.route == &connection.route);
            met |= 1u << flow.to_rank;
            call.forwarding = 2.0;
            flow = lp_collective_flows_pair(&units, &call, unit, place, &connection);
            lp_test_true("twice forwarded", flow.bytes == V / 8);
        }
        lp_test_true("everybody outside once", met == (0xffffu & ~(0xfu << (unit / 4 * 4))));
    }
    lp_isolated_ring_clear(&ring);
}

/* A ring all-reduce of 4 (Patarasuk and Yuan 2009): 2 (n-1) steps of V/n, or one flow of 2 V
 * (n-1)/n; each step pays the latency of its hop, and the first what a collective costs at first.
 */
static void
test_rings(void)
{
    g_autoptr(LpJobFlows) job =
        lp_job_flows_new(BODY "tp=1 dp=4 global-batch=4 algorithm-dp=ring",
                         "--accelerators=4 --domain-size=1 --topology=crossbar", "single-ring");
    if (job == NULL)
        return;
    LpIsolatedRing ring;
    LpCollectiveFlows units = units_of(job, &ring, LP_GROUP_DP);
    LpOp op = {.kind = LP_OP_COLLECTIVE,
               .collective = LP_COLLECTIVE_ALL_REDUCE,
               .group = LP_GROUP_DP,
               .traffic = LP_TRAFFIC_DP,
               .bytes = V};
    LpProtocol protocol =
        *lp_rank_layout_selection(job->map->layout, &op, ring.communicator).protocol;
    LpCollectiveCall call = {.op = &op, .protocol = &protocol, .forwarding = 1.0};
    const LpRoute *route = lp_collective_flows_channel_route(&units, 1);
    protocol.base_s = 5e-6;
    lp_test_true("over channels", lp_collective_flows_way(&units, &call) == LP_COLLECTIVE_RING);
    lp_test_true("six steps", lp_collective_flows_ring_steps(&units, &call) == 6);
    for (guint64 step = 0; step < 6; step++) {
        double hop_s = route->latency_s + protocol.hop_s[ring.reach[1]];
        lp_test_true("a block", lp_collective_flows_ring_bytes(&units, &call, 1, step) == V / 4);
        lp_test_close("a hop", lp_collective_flows_ring_wait_s(&units, &call, 1, step),
                      hop_s + (step == 0 ? 5e-6 : 0.0), 1e-12);
    }
    units.fidelity = LP_FIDELITY_FLOW;
    lp_test_true("one flow", lp_collective_flows_ring_steps(&units, &call) == 1);
    lp_test_true("of all bytes", lp_collective_flows_ring_bytes(&units, &call, 1, 0) == V / 4 * 6);
    lp_test_close("after all latencies", lp_collective_flows_ring_wait_s(&units, &call, 1, 0),
                  5e-6 + 6.0 * (route->latency_s + protocol.hop_s[ring.reach[1]]), 1e-12);
    lp_isolated_ring_clear(&ring);
}

/* What is scheduled goes by units, and so do classes but for their rings of messages. */
static void
test_ways(void)
{
    static const struct {
        const char *label;
        gboolean exchanges, is_scheduled, has_classes;
        LpFidelity fidelity;
        LpCollectiveWay way;
    } rows[] = {
        {"ring", FALSE, FALSE, FALSE, LP_FIDELITY_FLOW, LP_COLLECTIVE_RING},
        {"all-to-all", TRUE, FALSE, FALSE, LP_FIDELITY_FLOW, LP_COLLECTIVE_EXCHANGE},
        {"tree", FALSE, TRUE, FALSE, LP_FIDELITY_MESSAGE, LP_COLLECTIVE_UNITS},
        {"pairwise", TRUE, TRUE, FALSE, LP_FIDELITY_MESSAGE, LP_COLLECTIVE_UNITS},
        {"ring of classes", FALSE, FALSE, TRUE, LP_FIDELITY_FLOW, LP_COLLECTIVE_UNITS},
        {"its messages", FALSE, FALSE, TRUE, LP_FIDELITY_MESSAGE, LP_COLLECTIVE_RING},
        {"all-to-all of classes", TRUE, FALSE, TRUE, LP_FIDELITY_MESSAGE, LP_COLLECTIVE_UNITS},
        {"tree of classes", FALSE, TRUE, TRUE, LP_FIDELITY_MESSAGE, LP_COLLECTIVE_UNITS}};
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpCommunicator communicator = {.exchanges = rows[i].exchanges};
        LpIsolatedRing ring = {.communicator = &communicator};
        LpCommunicatorClass classes = {.n = 1};
        LpRoundPlan plan = {.n_rounds = 1};
        LpOp op = {.collective =
                       rows[i].exchanges ? LP_COLLECTIVE_ALL_TO_ALL : LP_COLLECTIVE_ALL_REDUCE};
        LpCollectiveFlows units = {.ring = &ring,
                                   .fidelity = rows[i].fidelity,
                                   .classes = rows[i].has_classes ? &classes : NULL};
        LpCollectiveCall call = {.op = &op, .plan = rows[i].is_scheduled ? &plan : NULL};
        lp_test_true(rows[i].label, lp_collective_flows_way(&units, &call) == rows[i].way);
    }
}

/* Of 6 members that each send one flow to 2 others, each of these gets 3; the other way round, of 2
 * with three flows each, everybody gets one. */
static void
test_arrivals(void)
{
    static const guint32 colours[] = {0, 0, 1, 0, 0, 1, 0, 0};
    LpCommunicatorClass classes = {.members = lp_member_classes_find(colours, 8)};
    LpCollectiveFlows units = {.classes = &classes};
    LpUnitFlow many = {.to_unit = 1, .n_alike = 1}, few = {.to_unit = 0, .n_alike = 3};
    lp_test_true("two units", lp_collective_flows_n_units(&units) == 2);
    lp_test_true("the first of each", lp_collective_flows_member(&units, 0) == 0 &&
                                          lp_collective_flows_member(&units, 1) == 2);
    lp_test_true("three each", lp_collective_flows_arrivals(&units, 0, &many) == 3);
    lp_test_true("one each", lp_collective_flows_arrivals(&units, 1, &few) == 1);
    lp_member_classes_clear(&classes.members);
}

int
main(void)
{
    static const LpTestCase cases[] = {{"rounds", test_rounds},     {"rows", test_rows},
                                       {"rings", test_rings},       {"ways", test_ways},
                                       {"arrivals", test_arrivals}, {NULL, NULL}};
    return lp_test_run("flows of collectives", cases);
}
