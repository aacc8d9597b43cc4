/* SPDX-License-Identifier: Apache-2.0 */
/* Eight members on ports of 25 GB/s with 2 us between them: what a collective takes, moves and asks
 * of the engine, by hand, whichever way it runs; and whose clock goes on from a gathering. */
#include "sim/actors/communicator_runtime.h"

#include "sim/engine/engine.h"
#include "tests/sim/engine_actors.h"
#include "tests/sim/engine_job.h"
#include "tests/support/forked.h"
#include "tests/testlib.h"

#include <simgrid/actor.h>
#include <simgrid/engine.h>

#define N 8u
#define V 800000000u
#define BLOCK_S (V / N / 25e9) /* an eighth of the buffer through a port */
#define HOP_S 2e-6
#define BODY                                                                                       \
    "embedding=no layers=1 hidden=256 heads=4 ffn=512 seq=64 micro-batch=1 pp=1 tp=1 dp=8 "        \
    "global-batch=8 "

typedef struct {
    const char *label, *settings;
    LpGroup group;
    LpCollective collective;
    LpFidelity fidelity;
    gboolean as_delay;
    double seconds;
    guint64 traffic_bytes, sent_bytes, n_activities; /* of all members */
} Row;

static const Row rows[] = {
    /* 2 (n-1)/n of the buffer and 2 (n-1) hops (Patarasuk and Yuan 2009), hops paid at once. */
    {"ring, flows", BODY, LP_GROUP_DP, LP_COLLECTIVE_ALL_REDUCE, LP_FIDELITY_FLOW, FALSE,
     14 * BLOCK_S + 14 * HOP_S, (guint64)14 * V, (guint64)14 * V, 8 + 8},
    {"ring, messages", BODY, LP_GROUP_DP, LP_COLLECTIVE_ALL_REDUCE, LP_FIDELITY_MESSAGE, FALSE,
     14 * BLOCK_S + 14 * HOP_S, (guint64)14 * V, (guint64)14 * V, 14 * (8 + 8)},
    {"half a ring", BODY, LP_GROUP_DP, LP_COLLECTIVE_ALL_GATHER, LP_FIDELITY_MESSAGE, FALSE,
     7 * BLOCK_S + 7 * HOP_S, (guint64)7 * V, (guint64)7 * V, 7 * (8 + 8)},
    {"rounds", BODY "algorithm-dp=doubling", LP_GROUP_DP, LP_COLLECTIVE_ALL_REDUCE,
     LP_FIDELITY_MESSAGE, FALSE, 24 * BLOCK_S + 3 * HOP_S, (guint64)24 * V, (guint64)24 * V,
     3 * (8 + 8)},
    {"pairs", BODY "ep=8 experts=8 top-k=1 expert-ffn=64", LP_GROUP_EP, LP_COLLECTIVE_ALL_TO_ALL,
     LP_FIDELITY_MESSAGE, FALSE, 7 * BLOCK_S + HOP_S, (guint64)7 * V, (guint64)7 * V, 8 + 56},
    {"rails", BODY "ep=8 experts=8 top-k=1 expert-ffn=64", LP_GROUP_EP, LP_COLLECTIVE_ALL_TO_ALL,
     LP_FIDELITY_FLOW, FALSE, 7 * BLOCK_S + HOP_S, (guint64)7 * V, (guint64)7 * V, 8 + 8},
    {"a delay", BODY, LP_GROUP_DP, LP_COLLECTIVE_ALL_REDUCE, LP_FIDELITY_FLOW, TRUE, 0.25,
     (guint64)14 * V, 0, 8},
};

static LpCommunicatorRuntime *runtime;
static LpOp op;

/* Comes @data tenths of a second late; the last one's clock goes on. */
static void
take_part(gpointer data)
{
    guint index = GPOINTER_TO_UINT(data);
    LpClock clock = {.at_s = 0.1 * index};
    clock.terms.s[LP_TERM_COMPUTE] = clock.at_s;
    sg_actor_sleep_for(0.1 * index);
    LpCommunicatorCall call = {.op = &op, .delay_s = 0.25, .clock = &clock};
    lp_communicator_runtime_run(runtime, index, &call);
    lp_test_close("clock of the last", clock.terms.s[LP_TERM_COMPUTE], 0.1 * (N - 1), 1e-12);
    lp_test_close("and of the collective", clock.at_s, simgrid_get_clock(), 1e-12);
    lp_test_close("as its term", clock.terms.s[op.term], clock.at_s - 0.1 * (N - 1), 1e-9);
}

/* Members came a tenth of a second apart: they waited for the last, in the mean for half of 0.7 s.
 */
static void
check_waits(const LpWaitRecord *waits, guint64 last)
{
    g_autoptr(GArray) stragglers = lp_wait_record_stragglers(waits, 0);
    lp_test_count("one is waited for", stragglers->len, 1);
    if (stragglers->len != 1)
        return;
    const LpStragglerWait *wait = &g_array_index(stragglers, LpStragglerWait, 0);
    lp_test_count("the last", wait->rank, last);
    lp_test_count("once", wait->n, 1);
    lp_test_count("for this", wait->collective, op.collective);
    lp_test_close("so long", wait->waited_s, 0.1 * (N - 1) / 2.0, 1e-9);
}

static gboolean
run(const void *input, void *result)
{
    static LpEngineJob job;
    const Row *row = input;
    if (!lp_engine_job_init(&job, row->settings, LP_ENGINE_ACTORS_FLAT))
        return FALSE;
    const LpCommunicationMap *map = job.circuits->map;
    const LpCommunicator *communicator = lp_communicators_get(map->communicators, row->group, 0);
    LpRuntimeMode mode = {
        .fidelity = row->fidelity, .as_delay = row->as_delay, .n_actors = N, .weight = 3};
    LpFlowSender sender = {.job = 0};
    runtime =
        lp_communicator_runtime_new(map, lp_isolated_cache_new(), communicator, mode, &sender);
    g_autoptr(LpWaitRecord) waits = lp_wait_record_new(1);
    lp_communicator_runtime_set_waits(runtime, waits);
    LpConnectionKind kind = communicator->exchanges ? lp_connection_inter_domain(row->group)
                                                    : (LpConnectionKind)row->group;
    op = (LpOp){.kind = LP_OP_COLLECTIVE,
                .collective = row->collective,
                .group = row->group,
                .traffic = LP_TRAFFIC_DP,
                .term = LP_TERM_DP,
                .bytes = V,
                .stream = LP_N_STREAMS};
    for (guint32 i = 0; i < N; i++) {
        guint32 rank = communicator->ranks[i];
        const LpConnection *connection = lp_communication_map_connection(map, kind, rank);
        LpChannel *channel = lp_channel_new(LP_CHANNEL_DIRECT, "", &connection->route, NULL);
        lp_channel_set_flow_sender(channel, lp_communicator_runtime_sender(runtime), rank,
                                   connection->to);
        lp_communicator_runtime_set_channel(runtime, i, channel);
        lp_engine_actors_start(lp_engine_actors_host(job.network, i), take_part,
                               GUINT_TO_POINTER(i));
    }
    *(double *)result = lp_engine_run() - 0.1 * (N - 1);
    guint64 traffic_bytes[LP_N_TRAFFIC] = {0}, sent_bytes = 0, received_bytes = 0, n_activities = 0;
    lp_communicator_runtime_add_traffic(runtime, traffic_bytes);
    lp_communicator_runtime_add_counts(runtime, &sent_bytes, &received_bytes, &n_activities);
    lp_test_count("of three replicas", traffic_bytes[LP_TRAFFIC_DP], 3 * row->traffic_bytes);
    lp_test_count("sent", sent_bytes, row->sent_bytes);
    lp_test_count("received", received_bytes, sent_bytes);
    lp_test_count("activities", n_activities, row->n_activities);
    check_waits(waits, communicator->ranks[N - 1]);
    lp_communicator_runtime_free(runtime);
    return TRUE;
}

static void
test_collectives(void)
{
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        double seconds = 0.0;
        (void)lp_forked_result(rows[i].label, run, &rows[i], &seconds, sizeof seconds);
        lp_test_close(rows[i].label, seconds, rows[i].seconds, 1e-9);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {{"collectives", test_collectives}, {NULL, NULL}};
    return lp_test_run("communicator in a run", cases);
}
