/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of two pairs of stages over the one lane of the stage between them: the second waits for
 * the first's circuit, and its clock says so; what stays in collectives waits for none. */
#include "sim/actors/channel_circuits.h"

#include "sim/engine/engine.h"
#include "tests/sim/engine_actors.h"
#include "tests/sim/engine_job.h"
#include "tests/support/forked.h"
#include "tests/testlib.h"

#include <simgrid/actor.h>
#include <simgrid/engine.h>

#define SETTINGS                                                                                   \
    "embedding=no layers=3 hidden=256 heads=4 ffn=512 seq=64 micro-batch=1 tp=1 pp=3 dp=1 "        \
    "global-batch=3"
#define MACHINE                                                                                    \
    "--system=ocs --accelerators=4 --domain-size=1 --ports-per-accelerator=1 --policy=demand "     \
    "--reconfiguration-time=10ms --relock-time=0s --control-time=0s"
#define CHANGE_S 0.01
#define BYTES 50000000u

static LpEngineJob job;
static LpCircuits *circuits;

static LpChannel *
channel_of(guint64 rank)
{
    const LpConnection *connection =
        lp_communication_map_connection(job.circuits->map, LP_CONNECTION_MESSAGES, rank);
    LpChannel *channel = lp_channel_new(LP_CHANNEL_DIRECT, "", &connection->route, NULL);
    LpFlowSender sender = {.traffic = LP_TRAFFIC_PP};
    lp_channel_set_flow_sender(channel, &sender, rank, connection->to);
    lp_channel_join_circuits(channel, circuits, LP_CONNECTION_MESSAGES, rank);
    return channel;
}

static double
bytes_s(const LpChannel *channel)
{
    return BYTES / lp_channel_route(channel)->bytes_per_s;
}

/* Holds the circuit of stages 0 and 1 until 1 s. */
static void
hold(gpointer data)
{
    (void)data;
    guint32 pattern = job.circuits->switched->direction_pattern[0][0];
    (void)lp_circuits_acquire(circuits, pattern, 1, FALSE, NULL);
    sg_actor_sleep_for(1.0 - simgrid_get_clock());
    lp_circuits_release(circuits, pattern, 1);
}

/* Stage 1 to 2. */
static void
send(gpointer data)
{
    LpChannel *channel = data;
    sg_actor_sleep_for(0.5);
    LpClock clock = {.at_s = 0.5};
    lp_channel_send(channel, BYTES, 0.0, &clock);
    lp_test_close("a change after the circuit is free", simgrid_get_clock(),
                  1.0 + CHANGE_S + bytes_s(channel), 1e-9);
    lp_test_close("the clock stands at its circuit", clock.at_s, 1.0 + CHANGE_S, 1e-9);
    lp_test_close("and has waited",
                  clock.terms.s[LP_TERM_BUBBLE] + clock.terms.s[LP_TERM_RECONFIGURATION],
                  0.5 + CHANGE_S, 1e-9);
    lp_test_true("for a change at least",
                 clock.terms.s[LP_TERM_RECONFIGURATION] >= CHANGE_S * (1 - 1e-9));
    double start_s = simgrid_get_clock();
    lp_channel_send(channel, BYTES, 0.0, &clock);
    lp_test_close("it stands", simgrid_get_clock() - start_s, bytes_s(channel), 1e-9);
}

static void
receive(gpointer data)
{
    LpArrival arrival = lp_channel_receive(data);
    lp_test_close("when it came", arrival.started_s, 0.5, 1e-12);
    lp_test_close("when it had its circuit", arrival.ready_s, 1.0 + CHANGE_S, 1e-9);
    (void)lp_channel_receive(data);
}

static gboolean
run(const void *input, void *result)
{
    (void)input;
    (void)result;
    if (!lp_engine_job_init(&job, SETTINGS, MACHINE) || job.circuits->switched == NULL)
        return FALSE;
    circuits = lp_circuits_new(job.circuits->switched, FALSE);
    for (guint64 rank = 0; rank < 3; rank++)
        lp_circuits_add_rank(circuits, rank);
    lp_circuits_begin(circuits);
    LpChannel *channel = channel_of(1);
    lp_engine_actors_start(lp_engine_actors_host(job.network, 0), hold, NULL);
    lp_engine_actors_start(lp_engine_actors_host(job.network, 1), send, channel);
    lp_engine_actors_start(lp_engine_actors_host(job.network, 2), receive, channel);
    (void)lp_engine_run();
    lp_test_true("both arrived", lp_channel_received_bytes(channel) == 2 * BYTES);
    lp_channel_free(channel);
    lp_circuits_free(circuits);
    return TRUE;
}

static void
test_circuits(void)
{
    (void)lp_forked_result("circuits", run, NULL, NULL, 0);
}

int
main(void)
{
    static const LpTestCase cases[] = {{"circuits", test_circuits}, {NULL, NULL}};
    return lp_test_run("channels over circuits", cases);
}
