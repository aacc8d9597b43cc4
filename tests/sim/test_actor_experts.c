/* SPDX-License-Identifier: Apache-2.0 */
/* Experts in two domains, between which circuits and a packet network carry: what goes over both
 * ends at once, so that each has the share of its rate. */
#include "sim/actors/actor_experts.h"

#include "sim/engine/engine.h"
#include "tests/sim/engine_actors.h"
#include "tests/sim/engine_job.h"
#include "tests/support/forked.h"
#include "tests/testlib.h"

#define SETTINGS                                                                                   \
    "embedding=no layers=1 hidden=256 heads=4 ffn=512 seq=64 micro-batch=1 tp=1 pp=1 dp=8 ep=8 "   \
    "experts=8 top-k=1 expert-ffn=64 global-batch=8"
#define MACHINE                                                                                    \
    "--system=ocs --accelerators=8 --domain-size=4 --policy=hybrid --circuit-traffic=ep "          \
    "--electrical-bandwidth=5GBps "                                                                \
    "--scale-out-bandwidth=20GBps"
#define V 800000000u

static LpEngineJob job;
static LpCircuits *circuits;

static void
exchange(gpointer data)
{
    (void)data;
    const LpCommunicationMap *map = job.circuits->map;
    const LpMachine *machine = lp_network_machine(job.network);
    LpIsolatedRing ring;
    lp_isolated_ring_init(&ring, map, lp_isolated_cache_new(),
                          lp_communicators_get(map->communicators, LP_GROUP_EP, 0));
    LpOp op = {.kind = LP_OP_COLLECTIVE,
               .collective = LP_COLLECTIVE_ALL_TO_ALL,
               .group = LP_GROUP_EP,
               .traffic = LP_TRAFFIC_EP,
               .bytes = V};
    LpAlgorithmSelection selection = lp_rank_layout_selection(map->layout, &op, ring.communicator);
    LpExpertCircuits *experts = lp_expert_circuits_new(&ring, circuits);
    lp_expert_circuits_begin(experts, &op, selection.protocol);
    lp_test_close("circuits stand before the job", lp_expert_circuits_ready_s(experts), 0.0, 0.0);
    /* Half of the buffer leaves the domain. */
    double packet_rate = lp_machine_plane_bytes_per_s(machine, 1),
           circuit_rate = lp_machine_plane_bytes_per_s(machine, 0), out = V / 2.0;
    for (guint64 i = 0; i < 8; i++) {
        LpExpertShare share = lp_expert_circuits_share(experts, i);
        lp_test_true("nothing to bridge", share.bridged_bytes == 0 && share.bridged_s == 0.0);
        lp_test_close("both end at once", share.circuits_s, out / (packet_rate + circuit_rate),
                      1e-9);
        lp_test_close("the packets' share", (double)share.packet_bytes,
                      out * packet_rate / (packet_rate + circuit_rate), 1e-8);
    }
    lp_expert_circuits_end(experts);
    LpClock last = {.at_s = 1.0};
    LpCircuitResult count = lp_circuits_result(circuits, &last, 0.0, 1.0, 1.0);
    lp_test_close("all bytes", count.circuit_bytes + count.packet_bytes, 8 * out, 1e-12);
    lp_expert_circuits_free(experts);
    lp_isolated_ring_clear(&ring);
}

static gboolean
run(const void *input, void *result)
{
    (void)input;
    (void)result;
    if (!lp_engine_job_init(&job, SETTINGS, MACHINE) || job.circuits->switched == NULL)
        return FALSE;
    circuits = lp_circuits_new(job.circuits->switched, FALSE);
    for (guint64 rank = 0; rank < 8; rank++)
        lp_circuits_add_rank(circuits, rank);
    lp_circuits_begin(circuits);
    lp_engine_actors_start(lp_engine_actors_host(job.network, 0), exchange, NULL);
    (void)lp_engine_run();
    lp_circuits_free(circuits);
    return TRUE;
}

static void
test_shares(void)
{
    (void)lp_forked_result("two domains", run, NULL, NULL, 0);
}

int
main(void)
{
    static const LpTestCase cases[] = {{"shares", test_shares}, {NULL, NULL}};
    return lp_test_run("circuits of experts", cases);
}
