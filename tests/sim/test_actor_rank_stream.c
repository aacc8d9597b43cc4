/* SPDX-License-Identifier: Apache-2.0 */
/* Streams of one rank, which is an actor of the test: what is launched on a stream runs in order
 * beside the rank, and the rank, or another stream, waits for as much of it as it says. */
#include "sim/actors/actor_rank.h"

#include "sim/engine/engine.h"
#include "tests/sim/engine_actors.h"
#include "tests/sim/engine_job.h"
#include "tests/support/forked.h"
#include "tests/testlib.h"

#include <simgrid/actor.h>
#include <simgrid/barrier.h>
#include <simgrid/engine.h>

#define A LP_STREAM_GIVEN
#define B ((LpStream)(LP_STREAM_GIVEN + 1))
#define PORT 25e9
#define HOP_S 2e-6
#define EXACT 1e-9
#define SETTINGS                                                                                   \
    "embedding=no layers=1 hidden=256 heads=4 ffn=512 seq=64 micro-batch=1 pp=1 tp=1 dp=8 "        \
    "global-batch=8"

static LpEngineJob job;
static LpRun run;
static LpRank rank;

static void
launch(LpStream stream, double seconds)
{
    static const LpOp op = {.kind = LP_OP_LAUNCH_COMPUTE};
    lp_rank_hand_over(&rank, stream, (LpRankLaunch){.op = &op, .delay_s = seconds});
}

/* Charges a term of its own, and asserts how much of it there is. */
static void
join(const char *label, LpStream stream, guint n_pending, double waited_s)
{
    double start_s = rank.clock.at_s, before_s = rank.clock.terms.s[LP_TERM_DP];
    lp_rank_join(&rank, stream, n_pending, LP_TERM_DP);
    lp_test_close(label, rank.clock.terms.s[LP_TERM_DP] - before_s, waited_s, EXACT);
    lp_test_close(label, simgrid_get_clock(), start_s + waited_s, EXACT);
}

static void
compute(double seconds)
{
    sg_actor_sleep_for(seconds);
    lp_clock_charge(&rank.clock, LP_TERM_COMPUTE, simgrid_get_clock());
}

/* 0.3 s and 0.2 s on the stream, of which the rank computes beside the first 0.1 s. */
static void
in_order(void)
{
    launch(A, 0.3);
    launch(A, 0.2);
    lp_test_true("computing is no communication", !lp_rank_communicates(&rank));
    compute(0.1);
    join("all but one", A, 1, 0.2);
    join("enough have ended", A, 1, 0.0);
    join("all", A, 0, 0.2);
    join("nothing is left", A, 0, 0.0);
    lp_test_close("delays", (double)run.n_delays, 2.0, 0.0);
}

/* What one stream awaits of another is what had been launched there when it was told to. */
static void
across(void)
{
    LpOp await_first = {.kind = LP_OP_AWAIT, .awaited = B, .n_pending = 1}, await_all = await_first;
    await_all.n_pending = 0;
    launch(B, 0.4);
    launch(B, 0.5);
    lp_rank_hand_over(&rank, A, (LpRankLaunch){.op = &await_first});
    launch(A, 0.1);
    lp_rank_hand_over(&rank, A, (LpRankLaunch){.op = &await_all});
    launch(A, 0.3);
    launch(B, 5.0);
    join("0.4 s of the other and 0.1 s", A, 1, 0.5);
    join("the rest of 0.9 s, and 0.3 s", A, 0, 0.7);
    join("the other's last", B, 0, 0.9 + 5.0 - 1.2);
}

/* --- messages --- */

static double received_s[2];

static void
receive(gpointer data)
{
    lp_channel_attach_receiver(data);
    for (guint i = 0; i < 2; i++) {
        LpArrival arrival = lp_channel_receive(data);
        received_s[i] = simgrid_get_clock();
        lp_test_close("order", (double)arrival.number, i + 1.0, 0.0);
    }
}

/* 1 GB and 250 MB, one after the other, behind a hop each, beside 0.02 s of computing. */
static void
messages(void)
{
    LpRoute route = lp_network_route(job.network, 0, 1, LP_TRAFFIC_PP);
    g_autoptr(LpChannel) channel = lp_channel_new(LP_CHANNEL_DIRECT, "", &route, NULL);
    lp_engine_actors_start(lp_engine_actors_host(job.network, 1), receive, channel);
    lp_rank_hand_over(&rank, A, (LpRankLaunch){.channel = channel, .bytes = 1000000000});
    lp_rank_hand_over(&rank, A, (LpRankLaunch){.channel = channel, .bytes = 250000000});
    lp_test_true("messages hold no multiprocessor", !lp_rank_communicates(&rank));
    compute(0.02);
    join("one", A, 1, 0.04 + HOP_S - 0.02);
    join("both", A, 0, 0.01 + HOP_S);
    sg_actor_sleep_for(1.0);
    lp_test_close("the first arrives", received_s[0], 1e9 / PORT + HOP_S, EXACT);
    lp_test_close("and the second", received_s[1], 1.25e9 / PORT + 2 * HOP_S, EXACT);
    lp_test_close("bytes", (double)lp_channel_received_bytes(channel), 1.25e9, 0.0);
}

/* --- collectives --- */

/* An event of 0.1 s behind another library's, and a delay of 0.25 s: hidden is what the rank
 * computes beside it, 0.2 s less the event. */
static void
collectives(void)
{
    const LpCommunicationMap *map = job.circuits->map;
    LpRuntimeMode mode = {.as_delay = TRUE, .n_actors = 1, .weight = 1};
    LpFlowSender sender = {.job = 0};
    rank.groups[LP_GROUP_DP] = lp_communicator_runtime_new(
        map, lp_isolated_cache_new(), lp_communicators_get(map->communicators, LP_GROUP_DP, 0),
        mode, &sender);
    LpOp op = {.kind = LP_OP_LAUNCH,
               .collective = LP_COLLECTIVE_ALL_REDUCE,
               .group = LP_GROUP_DP,
               .traffic = LP_TRAFFIC_DP,
               .bytes = 1000,
               .stream = LP_STREAM_DP};
    lp_rank_hand_over(&rank, LP_STREAM_DP,
                      (LpRankLaunch){.op = &op, .delay_s = 0.25, .change_s = 0.1});
    lp_test_true("holds multiprocessors", lp_rank_communicates(&rank));
    compute(0.2);
    join("the rest", LP_STREAM_DP, 0, 0.15);
    lp_test_true("and lets them go", !lp_rank_communicates(&rank));
    lp_test_close("in flight", rank.clock.overlap.in_flight_s, 0.25, EXACT);
    lp_test_close("hidden", lp_overlap_path_hidden_s(&rank.clock.overlap), 0.1, EXACT);
    /* Who computes beside another is told when it ends, since that is when it gets faster. */
    double start_s = simgrid_get_clock();
    lp_rank_hand_over(&rank, LP_STREAM_DP, (LpRankLaunch){.op = &op, .delay_s = 0.25});
    lp_test_true("told", lp_tokens_take_within(rank.progressed, 1.0));
    lp_test_close("when", simgrid_get_clock() - start_s, 0.25, EXACT);
    lp_clock_charge(&rank.clock, LP_TERM_COMPUTE, simgrid_get_clock());
    guint64 bytes[LP_N_TRAFFIC] = {0};
    lp_communicator_runtime_add_traffic(rank.groups[LP_GROUP_DP], bytes);
    lp_test_close("2 (n-1) of the buffer, twice", (double)bytes[LP_TRAFFIC_DP], 2 * 14 * 1000.0,
                  0.0);
}

/* --- */

typedef struct {
    const char *label;
    void (*walk)(void);
} Case;

/* The rank's compute stream: does what the case says, and ends the streams. */
static void
compute_stream(gpointer data)
{
    const Case *one = data;
    (void)sg_barrier_wait(run.start);
    one->walk();
    for (LpStream stream = 0; stream < LP_N_STREAMS; stream++)
        if (rank.streams[stream] != NULL)
            lp_rank_hand_over(&rank, stream, (LpRankLaunch){.op = NULL});
}

static gboolean
run_case(const void *input, void *result)
{
    static const LpStream streams[] = {LP_STREAM_DP, A, B};
    (void)result;
    if (!lp_engine_job_init(&job, SETTINGS, LP_ENGINE_ACTORS_FLAT))
        return FALSE;
    run = (LpRun){.program = job.program, .start = sg_barrier_init(G_N_ELEMENTS(streams) + 1)};
    rank = (LpRank){.run = &run, .trace = {.program = job.program}, .progressed = lp_tokens_new()};
    rank.meter.path = &rank.clock.overlap;
    Case one = *(const Case *)input;
    struct s4u_Host *host = lp_engine_actors_host(job.network, 0);
    for (guint i = 0; i < G_N_ELEMENTS(streams); i++) {
        rank.streams[streams[i]] = lp_rank_stream_new(&rank, streams[i]);
        lp_rank_stream_start(rank.streams[streams[i]], host);
    }
    lp_engine_actors_start(host, compute_stream, &one);
    (void)lp_engine_run();
    lp_test_close("all of the time has a term", lp_terms_sum(&rank.clock.terms), rank.clock.at_s,
                  1e-12);
    lp_communicator_runtime_free(rank.groups[LP_GROUP_DP]);
    lp_rank_clear(&rank);
    return TRUE;
}

static void
test_streams(void)
{
    static const Case cases[] = {{"in order", in_order},
                                 {"across streams", across},
                                 {"messages", messages},
                                 {"collectives", collectives}};
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++)
        (void)lp_forked_result(cases[i].label, run_case, &cases[i], NULL, 0);
}

int
main(void)
{
    static const LpTestCase cases[] = {{"streams", test_streams}, {NULL, NULL}};
    return lp_test_run("streams of a rank", cases);
}
