/* SPDX-License-Identifier: Apache-2.0 */
/* Classes that are assumed and checked in the run: cases in which the assumption holds, and in
 * which it does not and classes come apart, give what the classes that are proven and all ranks
 * give. */
#include "sim/run/simulation.h"
#include "tests/support/generated.h"
#include "tests/support/small_workload.h"
#include "tests/testlib.h"

/* Two ways of running the same sum their times in another order. */
#define SAME 1e-9

#define SMALL                                                                                      \
    "layers=8 hidden=1024 heads=16 ffn=4096 vocab=1024 seq=1024 embedding=no tp=1 micro-batch=1 "
#define SINGLE "--system=generic --accelerators=64 --domain-size=1 "

/* Machines with leaves that groups straddle, and plans. One stage's ring leads over four leaves of
 * 8 ports, so that its members stand in 8 places of a leaf; all of them send at once, and a link of
 * a leaf, 4:1, holds back its one flow and thereby the ring: each stage is one class. Leaves of 12
 * ports put links with one flow and with two on the same ring: flows of two kinds. Leaves of 20,
 * 2:1, and gradients behind backward passes: what begins when a first ring ends is told apart in
 * turn. */
static const struct {
    const char *label, *machine, *plan;
    guint64 n_proven; /* classes of ranks; 0: as many as ranks */
    guint32 n_trials;
    guint64 n_left; /* classes of ranks behind the last trial */
} rows[] = {
    {"one kind of flow", SINGLE "--leaf-ports=8 --oversubscription=4",
     SMALL "pp=2 dp=32 global-batch=128", 16, 1, 2},
    {"no link is full but ports", SINGLE "--leaf-ports=8",
     SMALL "pp=4 dp=16 global-batch=64 overlap-dp=yes", 32, 1, 4},
    {"rings held back in one place", SINGLE "--leaf-ports=12", SMALL "pp=2 dp=32 global-batch=128",
     0, 2, 2},
    {"rings that meet others in time", SINGLE "--leaf-ports=20 --oversubscription=2",
     SMALL "pp=4 dp=16 global-batch=64 overlap-dp=yes", 0, 3, 40},
};

static LpSimulation *
simulate(guint row, gboolean collapse, LpAssume assume)
{
    LpSimulationOptions options = {
        .fidelity = LP_FIDELITY_FLOW, .collapse = collapse, .alone = TRUE, .assume = assume};
    g_autoptr(LpWorkload) workload = lp_small_workload_load(rows[row].plan);
    g_autoptr(LpMachine) machine = lp_generated_machine_good(rows[row].machine);
    g_autoptr(GError) error = NULL;
    g_autoptr(LpSetup) setup =
        workload == NULL || machine == NULL ? NULL : lp_setup_new(workload, machine, &error);
    LpSimulation *made = setup == NULL ? NULL : lp_simulation_run_in_child(setup, options, &error);
    lp_test_text(rows[row].label, error != NULL ? error->message : NULL, NULL);
    return made;
}

static void
check_same(const char *label, const LpRunResult *got, const LpRunResult *wanted)
{
    double time_s = wanted->iteration_time_s;
    lp_test_close(label, got->iteration_time_s, time_s, SAME);
    for (LpTerm term = 0; term < LP_N_TERMS; term++)
        lp_test_true(label, ABS(got->terms.s[term] - wanted->terms.s[term]) <= SAME * time_s);
    for (LpTraffic traffic = 0; traffic < LP_N_TRAFFIC; traffic++)
        lp_test_true(label, got->traffic_bytes[traffic] == wanted->traffic_bytes[traffic]);
}

static void
test_cases(void)
{
    for (guint row = 0; row < G_N_ELEMENTS(rows); row++) {
        const char *label = rows[row].label;
        g_autoptr(LpSimulation) whole = simulate(row, FALSE, LP_ASSUME_NEVER);
        g_autoptr(LpSimulation) proven = simulate(row, TRUE, LP_ASSUME_NEVER);
        g_autoptr(LpSimulation) assumed = simulate(row, TRUE, LP_ASSUME_ALWAYS);
        if (whole == NULL || proven == NULL || assumed == NULL)
            continue;
        lp_test_true(label, proven->quotient.n_rank_classes == rows[row].n_proven);
        lp_test_true(label, proven->quotient.n_trials == 0);
        lp_test_true(label, assumed->quotient.n_trials == rows[row].n_trials);
        lp_test_true(label, assumed->quotient.n_rank_classes == rows[row].n_left);
        lp_test_true(label, assumed->quotient.n_flow_classes <= assumed->quotient.n_ways);
        /* The engine shares links but where classes are assumed: their run says so. */
        lp_test_true(label, !whole->run.own_sharing && !proven->run.own_sharing);
        lp_test_true(label, assumed->run.own_sharing);
        check_same(label, &proven->run, &whole->run);
        check_same(label, &assumed->run, &whole->run);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {{"cases", test_cases}, {NULL, NULL}};
    return lp_test_run("assumed run", cases);
}
