/* SPDX-License-Identifier: Apache-2.0 */
/* All-to-alls of eight experts: what each way of running them takes, and what it sends, by hand. A
 * member has an eighth of V bytes for each other. */
#include "sim/actors/communicator_runtime.h"

#include "sim/actors/channel_circuits.h"
#include "sim/actors/collective_flows.h"
#include "sim/engine/engine.h"
#include "tests/sim/engine_actors.h"
#include "tests/sim/engine_job.h"
#include "tests/support/forked.h"
#include "tests/testlib.h"

#include <simgrid/engine.h>

#define N 8u
#define V 800000000u
#define HOP_S 2e-6
#define CHANGE_S 1e-7
#define SLOT_S 0.01
#define DEAD_S 0.001
#define EXPERTS                                                                                    \
    "embedding=no layers=1 hidden=256 heads=4 ffn=512 seq=64 micro-batch=1 pp=1 tp=1 top-k=1 "     \
    "expert-ffn=64 "
#define BODY EXPERTS "dp=8 global-batch=8 experts=8 "
#define CUT EXPERTS "dp=6 global-batch=6 experts=6 "
#define LATENCIES "--scale-out-latency=1us --domain-latency=1us "
#define DOMAINS                                                                                    \
    "--system=generic --accelerators=8 --domain-size=4 --topology=crossbar "                       \
    "--scale-out-bandwidth=25GBps " LATENCIES
#define SWITCHES "--system=ocs --accelerators=8 --relock-time=0s --control-time=0s " LATENCIES
#define ROUNDS SWITCHES "--scale-out-bandwidth=20GBps --circuit-ports=2 --policy=demand "
#define TWO_LANES ROUNDS "--domain-size=1 "
#define HYBRID                                                                                     \
    SWITCHES "--domain-size=4 --policy=hybrid --circuit-traffic=ep --electrical-bandwidth=5GBps "  \
             "--scale-out-bandwidth=20GBps"
#define ROTOR                                                                                      \
    SWITCHES "--scale-out-bandwidth=25GBps --policy=rotor --slot-time=10ms "                       \
             "--reconfiguration-time=1ms --rotor-hops=1 "

typedef struct {
    const char *label, *settings, *machine;
    LpFidelity fidelity;
    guint64 bytes; /* of the buffer */
    double seconds;
    guint64 sent_bytes, n_activities; /* of all members of one group */
} Row;

static const Row rows[] = {
    /* Half of the buffer leaves the domain, as one flow a member. */
    {"rails", BODY "ep=8", DOMAINS "--domain-bandwidth=100GBps", LP_FIDELITY_FLOW, V,
     HOP_S + V / 2.0 / 25e9, (guint64)4 * V, 8 + 8},
    /* Three eighths stay, and take longer: a second wait of each. */
    {"slow domains", BODY "ep=8", DOMAINS "--domain-bandwidth=10GBps", LP_FIDELITY_FLOW, V,
     HOP_S + V * 3.0 / 8.0 / 10e9, (guint64)4 * V, 8 + 8 + 8},
    {"pairs", BODY "ep=8", DOMAINS "--domain-bandwidth=100GBps", LP_FIDELITY_MESSAGE, V,
     HOP_S + V / 2.0 / 25e9, (guint64)4 * V, 8 + 32},
    /* Four members: a quarter for each other. */
    {"in a domain", BODY "ep=4", DOMAINS "--domain-bandwidth=100GBps", LP_FIDELITY_FLOW, V,
     HOP_S + V * 3.0 / 4.0 / 100e9, (guint64)3 * V, 4 + 4},
    /* Members in no order: each sends a sixth to five others, in or out of its domain. */
    {"a domain and a half", CUT "ep=6", DOMAINS "--domain-bandwidth=25GBps", LP_FIDELITY_FLOW,
     600000000, HOP_S + 5 * 1e8 / 25e9, 3000000000, 6 + 30},
    /* Seven peers by two lanes are four rounds; the ring of gradients stands before. */
    {"rounds of circuits", BODY "ep=8", TWO_LANES "--reconfiguration-time=100ns", LP_FIDELITY_FLOW,
     V, HOP_S + V * 7.0 / 8.0 / 20e9 + 4 * CHANGE_S, (guint64)7 * V, 8 + 4 * 8},
    {"rounds of circuits, pairs", BODY "ep=8", TWO_LANES "--reconfiguration-time=100ns",
     LP_FIDELITY_MESSAGE, V, HOP_S + V * 7.0 / 8.0 / 20e9 + 4 * CHANGE_S, (guint64)7 * V, 8 + 56},
    /* Three other domains of two, of which the first round reaches two, over the circuits of the
     * ring, and others: it stands, and one change is left. */
    {"rounds of circuits between domains", BODY "ep=8",
     ROUNDS "--domain-size=2 --reconfiguration-time=100ns", LP_FIDELITY_FLOW, V,
     HOP_S + V * 6.0 / 8.0 / 20e9 + CHANGE_S, (guint64)6 * V, 8 + 2 * 8},
    /* Changes are dear: a ring of circuits, on which the seven are 1, 1, 2, 2, 3, 3 and 4 hops
     * away. It is the one of gradients, and stands. */
    {"forwarded", BODY "ep=8", TWO_LANES "--reconfiguration-time=1ms", LP_FIDELITY_FLOW, V,
     HOP_S + V * 16.0 / 8.0 / 20e9, (guint64)16 * V, 8 + 8},
    {"forwarded between domains", BODY "ep=8", ROUNDS "--domain-size=2 --reconfiguration-time=1ms",
     LP_FIDELITY_FLOW, V, HOP_S + V * 2.0 / 8.0 * (1 + 1 + 2) / 20e9, (guint64)8 * V, 8 + 8},
    /* Of seven matchings the last begins after six slots; by two lanes, each of which has half of
     * the rate, after three. Among four domains of two there are three, and two members a domain.
     */
    {"rotor", BODY "ep=8", ROTOR "--domain-size=1 --circuit-ports=1", LP_FIDELITY_FLOW, V,
     6 * SLOT_S + DEAD_S + V / 8.0 / 25e9, (guint64)7 * V, 8 + 56},
    {"rotor of two lanes", BODY "ep=8", ROTOR "--domain-size=1 --circuit-ports=2", LP_FIDELITY_FLOW,
     V, 3 * SLOT_S + DEAD_S + V / 8.0 / 12.5e9, (guint64)7 * V, 8 + 56},
    {"rotor of rails", BODY "ep=8", ROTOR "--domain-size=2 --circuit-ports=1 --circuit-scope=plane",
     LP_FIDELITY_FLOW, V, 2 * SLOT_S + DEAD_S + V / 4.0 / 25e9, (guint64)6 * V, 8 + 24},
    /* Half of the buffer leaves over both networks, so that they end at once; nothing has to bridge
     * a change of circuits, which is a flow of no byte. */
    {"beside circuits", BODY "ep=8", HYBRID, LP_FIDELITY_FLOW, V, HOP_S + V / 2.0 / 25e9,
     (guint64)4 * V / 5, 8 + 2 * 8},
    /* Also where packets cannot be divided: 6.4 bytes of 32. */
    {"few bytes beside circuits", BODY "ep=8", HYBRID, LP_FIDELITY_FLOW, 64, HOP_S + 32 / 25e9,
     8 * 6, 8 + 2 * 8 + 8},
};

static LpCommunicatorRuntime *runtime;
static LpOp op;

static void
take_part(gpointer data)
{
    LpCommunicatorCall call = {.op = &op};
    lp_communicator_runtime_run(runtime, GPOINTER_TO_UINT(data), &call);
}

/* The circuits of @job's machine, or NULL. */
static LpCircuits *
circuits_of(const LpEngineJob *job)
{
    if (job->circuits->switched == NULL)
        return NULL;
    LpCircuits *circuits = lp_circuits_new(job->circuits->switched, FALSE);
    for (guint64 rank = 0; rank < N; rank++)
        lp_circuits_add_rank(circuits, rank);
    lp_circuits_begin(circuits);
    return circuits;
}

static gboolean
run(const void *input, void *result)
{
    static LpEngineJob job;
    const Row *row = input;
    if (!lp_engine_job_init(&job, row->settings, row->machine))
        return FALSE;
    const LpCommunicationMap *map = job.circuits->map;
    const LpCommunicator *communicator = lp_communicators_get(map->communicators, LP_GROUP_EP, 0);
    LpCircuits *circuits = circuits_of(&job);
    LpRotorRun *rotor = lp_rotor_run_new(job.network);
    LpFlowSender sender = {.sharing =
                               rotor == NULL ? NULL : lp_flow_engine_new_of_engine(rotor, NULL)};
    LpRuntimeMode mode = {
        .fidelity = row->fidelity, .n_actors = communicator->n_members, .weight = 1};
    runtime =
        lp_communicator_runtime_new(map, lp_isolated_cache_new(), communicator, mode, &sender);
    if (circuits != NULL)
        lp_communicator_runtime_set_circuits(runtime, circuits);
    if (sender.sharing != NULL)
        lp_flow_engine_start(sender.sharing, lp_engine_actors_host(job.network, 0));
    op = (LpOp){.kind = LP_OP_COLLECTIVE,
                .collective = LP_COLLECTIVE_ALL_TO_ALL,
                .group = LP_GROUP_EP,
                .traffic = LP_TRAFFIC_EP,
                .term = LP_TERM_EP,
                .bytes = row->bytes,
                .stream = LP_N_STREAMS};
    for (guint32 i = 0; i < communicator->n_members; i++) {
        guint32 rank = communicator->ranks[i];
        LpConnectionKind kind = lp_collective_flows_channel(map, communicator, rank);
        const LpConnection *connection = lp_communication_map_connection(map, kind, rank);
        LpChannel *channel = lp_channel_new(LP_CHANNEL_DIRECT, "", &connection->route, NULL);
        lp_channel_set_flow_sender(channel, lp_communicator_runtime_sender(runtime), rank,
                                   connection->to);
        if (circuits != NULL)
            lp_channel_join_circuits(channel, circuits, kind, rank);
        lp_communicator_runtime_set_channel(runtime, i, channel);
        lp_engine_actors_start(lp_engine_actors_host(job.network, i), take_part,
                               GUINT_TO_POINTER(i));
    }
    double *out_s = result;
    *out_s = lp_engine_run();
    guint64 sent_bytes = 0, received_bytes = 0, n_activities = 0;
    lp_communicator_runtime_add_counts(runtime, &sent_bytes, &received_bytes, &n_activities);
    lp_test_count("sent", sent_bytes, row->sent_bytes);
    lp_test_count("received", received_bytes, sent_bytes);
    lp_test_count("activities", n_activities, row->n_activities);
    return TRUE;
}

static void
test_ways(void)
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
    static const LpTestCase cases[] = {{"ways", test_ways}, {NULL, NULL}};
    return lp_test_run("all-to-alls of a communicator", cases);
}
