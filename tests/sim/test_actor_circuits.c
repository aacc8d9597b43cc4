/* SPDX-License-Identifier: Apache-2.0 */
/* Two pairs of stages that share the one lane of an attachment: who has it, who waits, and for how
 * long, from the time that a change takes. */
#include "sim/actors/actor_circuits.h"
#include "sim/actors/actor_hybrid.h"

#include "sim/engine/engine.h"
#include "tests/sim/engine_job.h"
#include "tests/sim/engine_actors.h"
#include "tests/support/forked.h"
#include "tests/testlib.h"

#include <simgrid/actor.h>
#include <simgrid/engine.h>

#define SETTINGS                                                                                   \
    "embedding=no layers=3 hidden=256 heads=4 ffn=512 seq=64 micro-batch=1 tp=1 pp=3 dp=1 "        \
    "global-batch=3"
#define MACHINE                                                                                    \
    "--system=ocs --accelerators=4 --domain-size=1 --ports-per-accelerator=1 --policy=%s "         \
    "--reconfiguration-time=10ms --relock-time=0s --control-time=0s"
#define CHANGE_S 0.01

static LpCircuits *circuits;
static guint32 first, second; /* patterns of stages 0 and 1, and of 1 and 2 */

static gboolean
begin(const char *policy)
{
    static LpEngineJob job;
    g_autofree char *options = g_strdup_printf(MACHINE, policy);
    if (!lp_engine_job_init(&job, SETTINGS, options) || job.circuits->switched == NULL)
        return FALSE;
    const LpCircuitPlan *plan = job.circuits->switched;
    first = plan->direction_pattern[0][0];
    second = plan->direction_pattern[0][1];
    lp_test_true("two patterns", first != second && first != LP_CIRCUIT_NONE);
    lp_test_true("one lane", plan->n_lanes == 1);
    circuits = lp_circuits_new(plan, FALSE);
    for (guint64 rank = 0; rank < 3; rank++)
        lp_circuits_add_rank(circuits, rank);
    lp_circuits_begin(circuits);
    return TRUE;
}

/* Has the lane from 0 s to 1 s, asks again at once, and waits for the other. */
static void
hold(gpointer data)
{
    (void)data;
    LpCircuitWait wait = lp_circuits_acquire(circuits, first, 1, FALSE, NULL);
    double had_s = wait.ready_s;
    sg_actor_sleep_for(1.0);
    lp_circuits_release(circuits, first, 1);
    lp_test_true("soon", had_s <= CHANGE_S * (1 + 1e-9));
}

/* Asks while it is held: gets it a change after its release, once for two actors of one use. */
static void
follow(gpointer data)
{
    (void)data;
    sg_actor_sleep_for(0.5);
    LpCircuitWait wait = lp_circuits_acquire(circuits, second, 1, FALSE, NULL);
    double now_s = simgrid_get_clock();
    lp_test_true("a change after the release",
                 now_s >= 1.0 + CHANGE_S * (1 - 1e-9) && now_s <= 1.0 + 2 * CHANGE_S * (1 + 1e-9));
    lp_test_close("says when", wait.ready_s, now_s, 1e-12);
    lp_test_close("says how long", wait.waited_s, now_s - wait.from_s, 1e-12);
    lp_test_true("all of the change is waited for", wait.hidden_s == 0.0);
    lp_circuits_release(circuits, second, 1);
    /* It stands: no wait. */
    wait = lp_circuits_acquire(circuits, second, 1, FALSE, NULL);
    lp_test_close("stands", wait.ready_s, now_s, 1e-12);
    lp_test_close("no wait", wait.waited_s, 0.0, 1e-12);
    lp_circuits_release(circuits, second, 1);
}

static gboolean
run_waits(const void *input, void *result)
{
    (void)input;
    (void)result;
    if (!begin("demand"))
        return FALSE;
    const LpNetwork *network = lp_circuits_plan(circuits)->map->network;
    lp_engine_actors_start(lp_engine_actors_host(network, 0), hold, NULL);
    lp_engine_actors_start(lp_engine_actors_host(network, 1), follow, NULL);
    (void)lp_engine_run();
    lp_test_true("no network beside", !lp_circuits_is_hybrid(circuits));
    lp_test_true("whole transfers", lp_circuits_n_parts(circuits) == 1);
    LpClock last = {.at_s = simgrid_get_clock()};
    LpCircuitResult count = lp_circuits_result(circuits, &last, 0.0, 1.0, 1.0);
    lp_test_true("changes", count.n_reconfigurations >= 1 && count.n_reconfigurations <= 3);
    lp_circuits_free(circuits);
    return TRUE;
}

/* --- beside a packet network --- */

#define BYTES 1600000u
#define PACKET_RATE 1e7

static guint64 packet_bytes, circuit_bytes, n_sends;

/* As fast as it says over packets, at once over circuits. */
static void
send(void *data, guint64 bytes, gboolean packet_network)
{
    (void)data;
    n_sends++;
    packet_bytes += packet_network ? bytes : 0;
    circuit_bytes += packet_network ? 0 : bytes;
    if (packet_network && bytes > 0)
        sg_actor_sleep_for((double)bytes / PACKET_RATE);
}

/* The second pattern's circuits cannot be had for 25 ms, of which a sixteenth over packets takes
 * 10: three have gone at 31 ms. Then they are set up while as much goes as arrives in 10 ms, and
 * the rest goes over them. */
static void
send_beside(gpointer data)
{
    (void)data;
    LpHybridSend part = {.circuits = circuits,
                         .pattern = second,
                         .n_users = 1,
                         .packet_bytes_per_s = PACKET_RATE,
                         .send = send};
    sg_actor_sleep_for(0.001);
    lp_hybrid_send(&part, BYTES);
    lp_test_true("all bytes", packet_bytes + circuit_bytes == BYTES);
    lp_test_true("four sixteenths",
                 packet_bytes >= 4 * BYTES / 16 - 1 && packet_bytes <= 4 * BYTES / 16);
    guint64 beside_bytes = packet_bytes;
    lp_test_true("sends", n_sends == 5);
    lp_test_close("when", simgrid_get_clock(), 0.041, 1e-6);
    /* They stand now. */
    lp_hybrid_send(&part, BYTES);
    lp_test_true("over circuits", packet_bytes == beside_bytes);
}

static void
hold_for_a_while(gpointer data)
{
    (void)data;
    double ready_s;
    lp_test_true("granted", lp_circuits_try(circuits, first, 1, FALSE, &ready_s));
    sg_actor_sleep_for(0.025);
    lp_circuits_release(circuits, first, 1);
}

static gboolean
run_hybrid(const void *input, void *result)
{
    (void)input;
    (void)result;
    if (!begin("hybrid --hybrid-policy=demand --electrical-bandwidth=5GBps"))
        return FALSE;
    const LpNetwork *network = lp_circuits_plan(circuits)->map->network;
    lp_test_true("a network beside", lp_circuits_is_hybrid(circuits));
    lp_engine_actors_start(lp_engine_actors_host(network, 0), hold_for_a_while, NULL);
    lp_engine_actors_start(lp_engine_actors_host(network, 1), send_beside, NULL);
    (void)lp_engine_run();
    lp_circuits_free(circuits);
    return TRUE;
}

static void
test_waits(void)
{
    (void)lp_forked_result("waits", run_waits, NULL, NULL, 0);
}

static void
test_hybrid(void)
{
    (void)lp_forked_result("hybrid", run_hybrid, NULL, NULL, 0);
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"waits", test_waits}, {"hybrid", test_hybrid}, {NULL, NULL}};
    return lp_test_run("circuits in a run", cases);
}
