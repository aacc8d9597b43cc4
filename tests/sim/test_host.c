/* SPDX-License-Identifier: Apache-2.0 */
/* What hosts lose to a library's progress, and runs that leave contention out: by hand, on machines
 * and plans where either can be seen by eye. */
#include "sim/mapping/communication_map.h"
#include "sim/run/simulation.h"

#include "platforms/catalogue/libraries.h"
#include "tests/support/forked.h"
#include "tests/support/generated.h"
#include "tests/support/small_workload.h"
#include "tests/testlib.h"
#include "workloads/program/training_program.h"

#define BODY                                                                                       \
    "embedding=no layers=8 hidden=1024 heads=32 ffn=4096 micro-batch=1 global-batch=8 "            \
    "recompute=none sequence-parallel=no scatter-gather=no overlap-dp=no bucket=all "

/* --- hosts --- */

/* Entries as nccl-efa-hf has them, with times that tell them apart. */
#define MEMBER_S 1e-4
#define WIDE_MEMBER_S 3e-4
#define WIDE_MESSAGE_S 0.25

typedef struct {
    const char *label, *settings;
    gboolean knows; /* whether the library has the entries */
    double members; /* of a tensor-parallel group, that a collective pays for; 0: nothing */
    double member_s, message_s;
} HostRow;

/* p5: domains of 8. The first entry holds from two domains on, the second from 8, or with groups of
 * tp over 4. */
static const HostRow host_rows[] = {
    {"stages in one domain", BODY "tp=2 pp=4 dp=1", TRUE, 0, 0.0, 0.0},
    {"no stages, two domains", BODY "tp=8 pp=1 dp=2", TRUE, 0, 0.0, 0.0},
    {"stages over two domains", BODY "tp=8 pp=2 dp=1", TRUE, 8, MEMBER_S, 0.0},
    {"groups of two", BODY "tp=2 pp=2 dp=4", TRUE, 2, MEMBER_S, 0.0},
    {"groups over two domains", BODY "tp=16 pp=2 dp=1", TRUE, 16, MEMBER_S, 0.0},
    {"eight domains", BODY "tp=8 pp=2 dp=4", TRUE, 8, WIDE_MEMBER_S, WIDE_MESSAGE_S},
    {"groups over four", BODY "tp=32 pp=2 dp=1", TRUE, 32, WIDE_MEMBER_S, WIDE_MESSAGE_S},
    {"CUDA graphs", BODY "tp=8 pp=2 dp=4 cuda-graphs=yes", TRUE, 0, 0.0, 0.0},
    {"another library", BODY "tp=8 pp=2 dp=4", FALSE, 0, 0.0, 0.0},
};

typedef struct {
    double collective_host_s, tp_s, dp_s, message_s;
} HostCosts;

static LpLibrary
make_library(gboolean knows)
{
    LpLibrary library = {.n_protocols = 0};
    lp_test_true("single-ring", lp_library_find("single-ring", &library, NULL));
    library.n_hosts = knows ? 2 : 0;
    library.hosts[0] = (LpLibraryHost){2, G_MAXUINT64, MEMBER_S, 0.0};
    library.hosts[1] = (LpLibraryHost){8, 4, WIDE_MEMBER_S, WIDE_MESSAGE_S};
    return library;
}

static gboolean
find_costs(const void *input, void *result)
{
    const HostRow *row = input;
    HostCosts *costs = result;
    g_autoptr(LpWorkload) workload = lp_small_workload_load(row->settings);
    g_autoptr(LpMachine) machine = lp_generated_machine_good("--system=p5 --accelerators=64");
    if (workload == NULL || machine == NULL)
        return FALSE;
    g_autoptr(LpProgram) program = lp_training_program_new(workload, &machine->accelerator, NULL);
    g_autoptr(LpNetwork) network = lp_network_new(machine);
    LpLibrary library = make_library(row->knows);
    g_autoptr(LpPlacement) placement = lp_placement_new_packed(program->n_ranks);
    g_autoptr(LpCommunicationMap) map =
        lp_communication_map_new(program, network, &library, placement, NULL, NULL);
    if (map == NULL)
        return FALSE;
    LpOp tp = {.kind = LP_OP_COLLECTIVE, .group = LP_GROUP_TP};
    LpOp dp = {.kind = LP_OP_COLLECTIVE, .group = LP_GROUP_DP};
    *costs = (HostCosts){
        program->execution.collective_host_s, lp_communication_map_op_host_s(map, &tp),
        lp_communication_map_op_host_s(map, &dp), lp_communication_map_message_host_s(map)};
    return TRUE;
}

static void
test_hosts(void)
{
    for (guint i = 0; i < G_N_ELEMENTS(host_rows); i++) {
        const HostRow *row = &host_rows[i];
        HostCosts costs = {0.0, 0.0, 0.0, 0.0};
        if (!lp_forked_result(row->label, find_costs, row, &costs, sizeof costs))
            continue;
        lp_test_close(row->label, costs.tp_s,
                      costs.collective_host_s + row->members * row->member_s, 1e-12);
        lp_test_close(row->label, costs.dp_s, costs.collective_host_s, 0.0);
        lp_test_close(row->label, costs.message_s, costs.collective_host_s + row->message_s, 1e-12);
    }
}

/* Where hosts lose far more than kernels take, an iteration lasts as long as they do. */
typedef struct {
    const char *settings;
    double member_s;
} RunRow;

static gboolean
find_time(const void *input, void *result)
{
    const RunRow *row = input;
    g_autoptr(LpWorkload) workload = lp_small_workload_load(row->settings);
    g_autoptr(LpMachine) machine = lp_generated_machine_good("--system=p5 --accelerators=64");
    LpLibrary library = make_library(TRUE);
    library.n_hosts = 1;
    library.hosts[0].member_s = row->member_s;
    LpSimulationOptions options = {.fidelity = LP_FIDELITY_FLOW, .collapse = TRUE, .alone = TRUE};
    if (workload == NULL || machine == NULL)
        return FALSE;
    g_autoptr(LpSetup) setup = lp_setup_new(workload, machine, NULL);
    if (setup == NULL)
        return FALSE;
    *setup->library = library;
    g_autoptr(LpSimulation) simulation = lp_simulation_run(setup, options, NULL);
    if (simulation == NULL)
        return FALSE;
    *(double *)result = simulation->run.iteration_time_s;
    return TRUE;
}

/* Two stages of four layers, one micro-batch: two all-reduces a layer forward, two backward, so 16
 * a stage. Hosts that wait for nobody go through their 16 side by side, and when they have issued
 * the last the iteration is all but over. Where hosts wait for messages the second stage issues
 * nothing before the first has sent, nor the first its backward pass before the second has: 8, 16
 * and 8 one after the other. Ten milliseconds more a member are 80 more each. */
static void
test_waits(void)
{
    static const struct {
        const char *label, *sync;
        double n_collectives;
    } rows[] = {{"ahead", "none", 16.0},
                {"messages", "messages", 32.0},
                {"passes", "passes", 32.0},
                {"kernels", "kernels", 32.0}};
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *settings =
            g_strconcat(BODY "tp=8 pp=2 dp=1 global-batch=1 host-sync=", rows[i].sync, NULL);
        RunRow slow = {settings, 10e-3}, slower = {settings, 20e-3};
        double slow_s = 0.0, slower_s = 0.0;
        if (!lp_forked_result(rows[i].label, find_time, &slow, &slow_s, sizeof slow_s) ||
            !lp_forked_result(rows[i].label, find_time, &slower, &slower_s, sizeof slower_s))
            continue;
        lp_test_close(rows[i].label, slower_s - slow_s, rows[i].n_collectives * 8.0 * 10e-3, 1e-6);
    }
}

/* --- a host that takes turns with its device --- */

typedef struct {
    const char *settings;
    gboolean collapse;
} TurnsRow;

typedef struct {
    double time_s, host_s;
} TurnsResult;

static gboolean
run_turns(const void *input, void *result)
{
    const TurnsRow *row = input;
    g_autoptr(LpWorkload) workload = lp_small_workload_load(row->settings);
    g_autoptr(LpMachine) machine = lp_generated_machine_good("--system=dgx-a100 --accelerators=8");
    LpSimulationOptions options = {
        .fidelity = LP_FIDELITY_FLOW, .collapse = row->collapse, .alone = TRUE};
    if (workload == NULL || machine == NULL)
        return FALSE;
    g_autoptr(LpSetup) setup = lp_setup_new(workload, machine, NULL);
    g_autoptr(LpSimulation) simulation =
        setup == NULL ? NULL : lp_simulation_run(setup, options, NULL);
    if (simulation == NULL)
        return FALSE;
    *(TurnsResult *)result =
        (TurnsResult){simulation->run.iteration_time_s, simulation->run.terms.s[LP_TERM_HOST]};
    return TRUE;
}

/* What hosts take (a kernel 62 us, a collective 140 us on an A100) comes on top of what devices
 * take, which CUDA graphs leave alone; and as often as there are micro-batches. */
static void
test_turns(void)
{
    static const char *const plans[] = {"tp=1 pp=1 dp=1", "tp=4 pp=1 dp=1", "tp=4 pp=1 dp=2"};
    static const double n_more[] = {8.0, 8.0, 4.0}; /* micro-batches a replica of twice the batch */
    for (guint i = 0; i < G_N_ELEMENTS(plans); i++) {
        const char *plan = plans[i];
        g_autofree char *turns = g_strconcat(BODY, plan, " host-sync=kernels", NULL);
        g_autofree char *twice = g_strconcat(turns, " global-batch=16", NULL);
        g_autofree char *device = g_strconcat(BODY, plan, " cuda-graphs=yes", NULL);
        TurnsRow rows[] = {{turns, TRUE}, {turns, FALSE}, {twice, TRUE}, {device, TRUE}};
        TurnsResult results[G_N_ELEMENTS(rows)] = {{0.0, 0.0}};
        for (guint k = 0; k < G_N_ELEMENTS(rows); k++)
            lp_test_true(
                plan, lp_forked_result(plan, run_turns, &rows[k], &results[k], sizeof results[k]));
        lp_test_close(plan, results[0].time_s, results[3].time_s + results[0].host_s, 1e-9);
        lp_test_close(plan, results[1].time_s, results[0].time_s, 1e-9);
        lp_test_close(plan, results[1].host_s, results[0].host_s, 1e-9);
        lp_test_close(plan, results[3].host_s, 0.0, 0.0);
        double micro_batch_s = (results[2].host_s - results[0].host_s) / n_more[i];
        lp_test_true("a layer has nine kernels forward and more backward",
                     micro_batch_s > 8 * 27 * 62e-6 && micro_batch_s < 8 * 80 * 62e-6 + 5e-3);
    }
}

/* --- without contention --- */

typedef struct {
    const char *label;
    guint64 shares_max;
    gboolean is_isolated;
} IsolatedRow;

/* All that a run tells of itself and its counterfactual. */
typedef struct {
    gboolean is_isolated;
    LpRunResult run, uncontended;
} IsolatedResult;

/* 64 ranks of tp over two domains, of which two stages of 4 layers run 4 micro-batches with 4
 * all-reduces a layer, and reduce gradients once. In each stage the first rank of a domain, its
 * last one and those between are alike: 6 classes, and 6 (4 x 4 x 4 + 1) shares. */
#define ISOLATED BODY "tp=16 pp=2 dp=2"
#define SHARES (6u * (4u * 4u * 4u + 1u))

static gboolean
run_isolated(const void *input, void *result)
{
    const IsolatedRow *row = input;
    IsolatedResult *out = result;
    g_autoptr(LpWorkload) workload = lp_small_workload_load(ISOLATED);
    g_autoptr(LpMachine) machine = lp_generated_machine_good("--system=dgx-a100 --accelerators=64");
    LpSimulationOptions options = {
        .fidelity = LP_FIDELITY_FLOW, .collapse = TRUE, .shares_max = row->shares_max};
    if (workload == NULL || machine == NULL)
        return FALSE;
    g_autoptr(LpSetup) setup = lp_setup_new(workload, machine, NULL);
    g_autoptr(LpSimulation) simulation =
        setup == NULL ? NULL : lp_simulation_run(setup, options, NULL);
    if (simulation == NULL)
        return FALSE;
    out->is_isolated = simulation->is_isolated;
    out->run = simulation->run;
    out->uncontended = simulation->uncontended;
    return TRUE;
}

static void
test_isolated(void)
{
    static const IsolatedRow rows[] = {{"no limit", 0, FALSE},
                                       {"at the limit", SHARES, FALSE},
                                       {"one too many", SHARES - 1, TRUE},
                                       {"at once", 1, TRUE}};
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        IsolatedResult result = {.is_isolated = FALSE};
        if (!lp_forked_result(rows[i].label, run_isolated, &rows[i], &result, sizeof result))
            continue;
        lp_test_true(rows[i].label, result.is_isolated == rows[i].is_isolated);
        lp_test_true(rows[i].label, result.uncontended.iteration_time_s > 0.0);
        /* The rings meet nobody on their ports: the limit decides how the time is found, and not
         * which it is. */
        lp_test_close(rows[i].label, result.run.iteration_time_s,
                      result.uncontended.iteration_time_s, 1e-12);
        for (guint term = 0; term < LP_N_TERMS; term++)
            lp_test_close(rows[i].label, result.run.terms.s[term], result.uncontended.terms.s[term],
                          1e-12);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {{"hosts", test_hosts},
                                       {"waits", test_waits},
                                       {"turns", test_turns},
                                       {"without contention", test_isolated},
                                       {NULL, NULL}};
    return lp_test_run("host", cases);
}
