/* SPDX-License-Identifier: Apache-2.0 */
/* A rotor turned by an actor delivers when the rotor itself does, asked without an engine. */
#include "sim/actors/actor_rotor.h"

#include "sim/engine/engine.h"
#include "tests/sim/engine_actors.h"
#include "tests/support/forked.h"
#include "tests/testlib.h"

#include <simgrid/actor.h>
#include <simgrid/engine.h>
#include <simgrid/semaphore.h>

#include <math.h>

#define MACHINE                                                                                    \
    "--system=ocs --accelerators=32 --policy=rotor --slot-time=10ms --reconfiguration-time=1ms"
#define N_SENDS 6

static const struct {
    guint32 to;
    guint64 bytes;
    double at_s;
} sends[N_SENDS + 1] = {{1, 1000, 0.0},
                        {2, 10000000, 0.0},
                        {3, 200000000, 0.001},
                        {1, 70000000, 0.02},
                        {2, 1, 0.0201},
                        {3, 3000000, 0.5},
                        /* and one by itself: */ {3, 700000000, 0.001}};

static LpNetwork *network;
static LpRotorRun *rotor;
static double arrived_s[N_SENDS + 1];

/* Arrivals of a rotor by itself. */
static void
find_arrivals(const LpMachine *machine, double *out_arrived_s)
{
    g_autoptr(LpRotor) alone = lp_rotor_new(
        (guint32)lp_machine_n_ports(machine), (guint32)lp_machine_switch_attachments(machine),
        lp_machine_link_bytes_per_s(machine, LP_ATTACHMENT_SCALE_OUT), &machine->circuits);
    for (guint sent = 0, n_arrived = 0; n_arrived < N_SENDS;) {
        double next_s = lp_rotor_next_s(alone);
        if (sent < N_SENDS && sends[sent].at_s <= next_s) {
            lp_rotor_send(alone, 0, sends[sent].to, sends[sent].bytes, sends[sent].at_s,
                          &out_arrived_s[sent]);
            sent++;
            continue;
        }
        lp_rotor_advance(alone, next_s);
        for (double *due; (due = lp_rotor_pop_due(alone)) != NULL; n_arrived++)
            *due = next_s;
    }
}

static void
send(gpointer data)
{
    guint i = GPOINTER_TO_UINT(data);
    sg_sem_t arrived = sg_sem_init(0);
    LpPort from = {NULL, 0}, to = {NULL, sends[i].to};
    if (sends[i].at_s > 0.0)
        sg_actor_sleep_for(sends[i].at_s);
    lp_rotor_run_post(rotor, &from, &to, sends[i].bytes, arrived);
    sg_sem_acquire(arrived);
    arrived_s[i] = simgrid_get_clock();
}

static gboolean
run(const void *input, void *result)
{
    (void)input;
    (void)result;
    double wanted_s[N_SENDS] = {0.0}, sent_bytes = 0.0;
    network = lp_engine_actors_network(MACHINE);
    if (network == NULL)
        return FALSE;
    rotor = lp_rotor_run_new(network);
    lp_rotor_run_start(rotor, lp_engine_actors_host(network, 0));
    for (guint i = 0; i < N_SENDS; i++) {
        lp_engine_actors_start(lp_engine_actors_host(network, 0), send, GUINT_TO_POINTER(i));
        sent_bytes += (double)sends[i].bytes;
    }
    LpClock last = {.at_s = lp_engine_run()};
    find_arrivals(lp_network_machine(network), wanted_s);
    for (guint i = 0; i < N_SENDS; i++) {
        lp_test_true("arrived", arrived_s[i] > sends[i].at_s);
        lp_test_close("when the rotor says", arrived_s[i], wanted_s[i], 1e-9);
    }
    LpCircuitResult all = lp_rotor_run_result(rotor, &last, 0.0, 1.0, 1.0);
    lp_test_close("all bytes", all.direct_bytes + all.relayed_bytes, sent_bytes, 1e-12);
    lp_rotor_run_free(rotor);
    return TRUE;
}

/* A flow of one hop: each slot of 10 ms turns the two lanes of the one that sends, a circuit has
 * two ends, and what the port could have carried in the time that it took is what duty counts. */
static gboolean
run_direct(const void *input, void *result)
{
    (void)input;
    (void)result;
    network = lp_engine_actors_network(MACHINE " --rotor-hops=1");
    if (network == NULL)
        return FALSE;
    rotor = lp_rotor_run_new(network);
    lp_rotor_run_start(rotor, lp_engine_actors_host(network, 0));
    lp_engine_actors_start(lp_engine_actors_host(network, 0), send, GUINT_TO_POINTER(N_SENDS));
    LpClock last = {.at_s = lp_engine_run(), .circuits.n_waits = 3};
    last.terms.s[LP_TERM_RECONFIGURATION] = 0.5;
    LpCircuitResult all = lp_rotor_run_result(rotor, &last, sends[N_SENDS].at_s, 6.0, 2.0);
    double span_s = last.at_s - sends[N_SENDS].at_s, bytes = (double)sends[N_SENDS].bytes;
    lp_test_close("duty", all.duty_cycle * span_s, bytes / 25e9, 1e-12);
    lp_test_close("direct, a mean iteration of six", all.direct_bytes, 3.0 * bytes, 1e-12);
    lp_test_true("none relayed", all.relayed_bytes == 0.0);
    lp_test_true("slots", span_s > 80e-3 && span_s < 100e-3);
    lp_test_true("circuits of four slots", all.n_reconfigurations == 4 * 2 * 6 / 2);
    lp_test_true("waits", all.n_critical == 1 && all.wait_exposed_s == 0.25);
    lp_rotor_run_free(rotor);
    return TRUE;
}

static gboolean
has_none(const void *input, void *result)
{
    (void)input;
    (void)result;
    network = lp_engine_actors_network(LP_ENGINE_ACTORS_FLAT);
    lp_test_true("no rotor", network != NULL && lp_rotor_run_new(network) == NULL);
    return TRUE;
}

static void
test_rotor(void)
{
    (void)lp_forked_result("a rotor", run, NULL, NULL, 0);
    (void)lp_forked_result("one hop", run_direct, NULL, NULL, 0);
    (void)lp_forked_result("a machine without", has_none, NULL, NULL, 0);
}

int
main(void)
{
    static const LpTestCase cases[] = {{"rotor", test_rotor}, {NULL, NULL}};
    return lp_test_run("rotor in a run", cases);
}
