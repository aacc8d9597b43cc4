/* SPDX-License-Identifier: Apache-2.0 */
/* What starts of collectives cost hosts, and runs that leave contention out: by hand, on machines
 * and plans where either can be seen by eye. */
#include "sim/mapping/communication_map.h"
#include "sim/run/collective_run.h"
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

/* --- starts of collectives --- */

#define APART BODY "collective-checks=stages-apart "
#define CHECKED BODY "collective-checks=yes "

/* Times that tell members apart, of a rank's own domain and of others. */
#define NEAR_S 1e-4
#define FAR_S 3e-4

typedef struct {
    const char *label, *settings;
    double near_s, far_s;
    guint tp_near, tp_far, dp_near, dp_far; /* members that a collective pays for */
} StartRow;

/* p5: domains of 8. Ranks of tp stand together, then those of dp, then stages. */
static const StartRow start_rows[] = {
    {"stages in one domain", APART "tp=2 pp=4 dp=1", NEAR_S, FAR_S, 0, 0, 0, 0},
    {"no stages, two domains", APART "tp=8 pp=1 dp=2", NEAR_S, FAR_S, 0, 0, 0, 0},
    {"stages over two domains", APART "tp=8 pp=2 dp=1", NEAR_S, FAR_S, 8, 0, 0, 0},
    {"groups of two", APART "tp=2 pp=2 dp=4", NEAR_S, FAR_S, 2, 0, 4, 0},
    {"replicas over two domains", APART "tp=4 pp=2 dp=4", NEAR_S, FAR_S, 4, 0, 2, 2},
    {"groups over two domains", APART "tp=16 pp=2 dp=1", NEAR_S, FAR_S, 8, 8, 0, 0},
    {"groups over four", APART "tp=32 pp=2 dp=1", NEAR_S, FAR_S, 8, 24, 0, 0},
    {"eight domains", APART "tp=8 pp=2 dp=4", NEAR_S, FAR_S, 8, 0, 1, 3},
    {"CUDA graphs", APART "tp=8 pp=2 dp=4 cuda-graphs=yes", NEAR_S, FAR_S, 0, 0, 0, 0},
    {"another library", APART "tp=8 pp=2 dp=4", 0.0, 0.0, 8, 0, 1, 3},
    {"unchecked", BODY "tp=8 pp=2 dp=4", NEAR_S, FAR_S, 0, 0, 0, 0},
    {"checked wherever stages are", CHECKED "tp=2 pp=4 dp=1", NEAR_S, FAR_S, 2, 0, 0, 0},
    {"checked without stages", CHECKED "tp=8 pp=1 dp=2", NEAR_S, FAR_S, 8, 0, 1, 1},
};

typedef struct {
    double collective_host_s, tp_s, dp_s;
} StartCosts;

static LpLibrary
make_library(double near_s, double far_s)
{
    LpLibrary library = {.n_protocols = 0};
    lp_test_true("single-ring", lp_library_find("single-ring", &library, NULL));
    library.start = (LpLibraryStart){near_s, far_s};
    return library;
}

static gboolean
find_costs(const void *input, void *result)
{
    const StartRow *row = input;
    StartCosts *costs = result;
    g_autoptr(LpWorkload) workload = lp_small_workload_load(row->settings);
    g_autoptr(LpMachine) machine = lp_generated_machine_good("--system=p5 --accelerators=64");
    if (workload == NULL || machine == NULL)
        return FALSE;
    g_autoptr(LpProgram) program = lp_training_program_new(workload, &machine->accelerator, NULL);
    g_autoptr(LpNetwork) network = lp_network_new(machine);
    LpLibrary library = make_library(row->near_s, row->far_s);
    g_autoptr(LpPlacement) placement = lp_placement_new_packed(program->n_ranks);
    g_autoptr(LpCommunicationMap) map =
        lp_communication_map_new(program, network, &library, placement, NULL, NULL);
    if (map == NULL)
        return FALSE;
    LpOp tp = {.kind = LP_OP_COLLECTIVE, .group = LP_GROUP_TP};
    LpOp dp = {.kind = LP_OP_COLLECTIVE, .group = LP_GROUP_DP};
    *costs =
        (StartCosts){program->execution.collective_host_s, lp_communication_map_op_host_s(map, &tp),
                     lp_communication_map_op_host_s(map, &dp)};
    return TRUE;
}

static void
test_starts(void)
{
    for (guint i = 0; i < G_N_ELEMENTS(start_rows); i++) {
        const StartRow *row = &start_rows[i];
        StartCosts costs = {0.0, 0.0, 0.0};
        if (!lp_forked_result(row->label, find_costs, row, &costs, sizeof costs))
            continue;
        lp_test_close(
            row->label, costs.tp_s,
            costs.collective_host_s + row->tp_near * row->near_s + row->tp_far * row->far_s, 1e-12);
        lp_test_close(
            row->label, costs.dp_s,
            costs.collective_host_s + row->dp_near * row->near_s + row->dp_far * row->far_s, 1e-12);
    }
}

/* A benchmark's collectives take as long as hosts need to start them, where that is longer than the
 * network needs; those inside a domain are the network's. */
static void
test_series(void)
{
    static const struct {
        const char *label;
        guint64 bytes;
        guint32 n_ranks;
        double start_s; /* 0: the network bounds the rate */
    } rows[] = {{"small", 1024, 16, 8 * NEAR_S + 8 * FAR_S},
                {"large", 1 << 30, 16, 0.0},
                {"of all", 1024, 64, 8 * NEAR_S + 56 * FAR_S},
                {"inside a domain", 1024, 8, 0.0}};
    g_autoptr(LpMachine) machine = lp_generated_machine_good("--system=p5 --accelerators=64");
    for (guint i = 0; machine != NULL && i < G_N_ELEMENTS(rows); i++) {
        LpCollectiveRequest request = {.collective = LP_COLLECTIVE_ALL_GATHER,
                                       .bytes = rows[i].bytes,
                                       .n_ranks = rows[i].n_ranks,
                                       .library = make_library(0.0, 0.0),
                                       .collapse = i % 2 == 0};
        LpCollectiveResult fast, slow;
        gboolean ran = lp_collective_run_in_child(&request, machine, &fast, NULL);
        request.library = make_library(NEAR_S, FAR_S);
        ran = ran && lp_collective_run_in_child(&request, machine, &slow, NULL);
        lp_test_true(rows[i].label, ran);
        if (!ran)
            continue;
        double expected_s = rows[i].start_s > 0.0 ? rows[i].start_s : fast.run.iteration_time_s;
        lp_test_true(rows[i].label, fast.run.iteration_time_s <= expected_s);
        lp_test_close(rows[i].label, slow.run.iteration_time_s, expected_s, 1e-12);
        lp_test_close(rows[i].label, slow.isolated_s, MAX(fast.isolated_s, rows[i].start_s), 1e-12);
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
    LpLibrary library = make_library(row->member_s, row->member_s);
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
            g_strconcat(APART "tp=8 pp=2 dp=1 global-batch=1 host-sync=", rows[i].sync, NULL);
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

static LpTerms
with_waits_as_one(LpTerms terms)
{
    terms.s[LP_TERM_BUBBLE] += terms.s[LP_TERM_PP];
    terms.s[LP_TERM_PP] = 0.0;
    return terms;
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
        /* Of members that come together one has waited for a message where another waited for its
         * stage, and without contention one member stands for all: only their sum is the same. */
        LpTerms terms = with_waits_as_one(result.run.terms);
        LpTerms uncontended = with_waits_as_one(result.uncontended.terms);
        for (guint term = 0; term < LP_N_TERMS; term++)
            lp_test_close(rows[i].label, terms.s[term], uncontended.s[term], 1e-12);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {{"starts", test_starts},
                                       {"series", test_series},
                                       {"waits", test_waits},
                                       {"turns", test_turns},
                                       {"without contention", test_isolated},
                                       {NULL, NULL}};
    return lp_test_run("host", cases);
}
