/* SPDX-License-Identifier: Apache-2.0 */
/* One rank of each class takes the same time, term by term, as all ranks. */
#include "sim/engine/engine.h"
#include "sim/engine/loading.h"
#include "sim/analysis/rank_equivalence.h"

#include "sim/run/run.h"
#include "sim/run/simulation.h"
#include "tests/support/forked.h"
#include "tests/support/generated.h"
#include "tests/support/small_workload.h"
#include "tests/testlib.h"
#include "workloads/program/training_program.h"

#define BODY "layers=8 hidden=1024 heads=16 ffn=4096 seq=256 global-batch=32 "
#define EXPERTS BODY "experts=8 top-k=2 ep=8 "

/* Eight domains of eight accelerators with a port each; a leaf serves the ports of one rail in two
 * domains, 2 d and 2 d + 1. Ranks are in the order tp-cp-ep-dp-pp where a row says nothing else, so
 * that a stage is a row of neighbours, and stages have programs of their own: there are at least as
 * many classes as stages. There are more where ranks of one stage differ in the distances of their
 * messages and collectives, or in those of ranks that they talk to. */
static const struct {
    const char *label, *settings;
    gboolean collapse;
    guint32 n_classes;
} rows[] = {
    {"one rank", BODY "tp=1 pp=1 dp=1", TRUE, 1},
    {"a stage is a class: replicas are alike, slices mirror each other",
     BODY "embedding=no tp=8 pp=2 dp=4", TRUE, 2},
    {"also where slices are not known to", BODY "embedding=no tp=8 pp=2 dp=4", FALSE, 2},
    {"four stages, leaves of two domains: boundaries over a spine, and not",
     BODY "tp=8 pp=4 dp=2 rank-order=tp-cp-ep-pp-dp", TRUE, 4},
    /* Domains 0 to 2 and 3 to 5: the first replica's first message stays below a leaf. */
    {"three stages: each replica has its own distances",
     BODY "layers=9 tp=8 pp=3 dp=2 rank-order=tp-cp-ep-pp-dp", TRUE, 6},
    /* The first boundaries of the first and the fourth replica are alike, the third is not. */
    {"four replicas, told apart by boundaries further on",
     BODY "layers=14 tp=2 pp=7 dp=4 rank-order=tp-cp-ep-pp-dp", FALSE, 28},
    /* Ranks 0 to 7 are in one domain and 8 to 11 in the next. The first replica's stages are {0 1
     * 2} and {3 4 5}, the second's {6 7 8}, whose tensor-parallel group leaves the domain, and {9
     * 10 11}. 6 and 7 send their activations out of the domain, 8 does not; of the gradients' pairs
     * of the first stage, 0-6 and 1-7 stay inside and 2-8 does not. So in each of the four groups
     * the third rank is by itself: {0 1} {2} {3 4} {5} {6 7} {8} {9 10} {11}. */
    {"one replica's messages leave the domain",
     BODY "embedding=no tp=3 pp=2 dp=2 heads=12 "
          "hidden=768 ffn=3072 rank-order=tp-cp-ep-pp-dp",
     TRUE, 8},
    /* A stage is four domains. A rank's messages go four domains further on its own rail; its
     * gradients' ring has two members in each of the stage's domains, and all rings are alike. */
    {"buckets behind the backward pass", BODY "tp=4 pp=2 dp=8 overlap-dp=yes bucket=1MB", TRUE, 2},
    {"slowed by them", BODY "tp=4 pp=2 dp=8 overlap-dp=yes bucket=1MB slowdown=1.3", FALSE, 2},
    /* A stage is a domain, in which both its groups stay; all its ranks send to the next domain, by
     * their own rail. */
    {"virtual stages, hidden messages",
     BODY "tp=2 pp=4 dp=4 virtual-stages=2 overlap-pp=yes schedule=interleaved", TRUE, 4},
    {"DualPipe sends both ways", BODY "tp=2 pp=4 dp=4 zero=1 schedule=dualpipe", TRUE, 4},
    {"uneven stages", BODY "layers=9 tp=2 pp=4 dp=4 overlap-dp=yes", TRUE, 4},
    /* A stage is two domains, one for each replica, with two rings of context parallelism in it;
     * the replicas are below the same leaves. */
    {"ring attention", BODY "tp=2 pp=2 dp=2 cp=4", TRUE, 2},
    /* One stage, four domains. */
    {"ZeRO 3", BODY "tp=2 pp=1 dp=16 zero=3 overlap-dp=yes overlap-param=yes", TRUE, 1},
    {"ZeRO 3 in a pipeline", BODY "tp=2 pp=2 dp=8 zero=3 overlap-dp=yes overlap-param=yes", TRUE,
     2},
    /* A stage is two domains, each a group of experts; with skew each of its eight ranks has a load
     * of its own, which its replica in the other domain shares. */
    {"experts", EXPERTS "tp=1 pp=2 dp=16", TRUE, 2},
    {"experts of unequal load: nobody is like another in his group",
     EXPERTS "tp=1 pp=2 dp=16 skew=1", TRUE, 16},
    /* As the buckets. */
    {"a host that falls behind", BODY "tp=4 pp=2 dp=8 hidden=256 ffn=1024", TRUE, 2},
};

enum {
    N_MODES = 3
};

typedef struct {
    guint32 n_classes;
    LpRunResult results[N_MODES];
} Outcome;

static LpRunMode
mode(guint i, LpFidelity fidelity)
{
    return (LpRunMode){.fidelity = fidelity, .merge = TRUE, .level = LP_RUN_UNCONTENDED + i};
}

/* What a process of its own simulates: all modes in one engine if @with_classes, else the mode
 * @only. */
typedef struct {
    guint row;
    LpFidelity fidelity;
    gboolean with_classes;
    guint only;
} Request;

static gboolean
simulate(const void *input, void *result)
{
    const Request *request = input;
    Outcome *out = result;
    guint row = request->row, only = request->only;
    LpFidelity fidelity = request->fidelity;
    gboolean with_classes = request->with_classes;
    static const char system[] = "--system=dgx-a100 --accelerators=64 --leaf-ports=2";
    g_autoptr(GError) error = NULL;
    g_autoptr(LpWorkload) workload = lp_small_workload_load(rows[row].settings);
    g_autoptr(LpMachine) machine = lp_generated_machine_good(system);
    g_autoptr(LpProgram) program =
        workload != NULL && machine != NULL
            ? lp_training_program_new(workload, &machine->accelerator, &error)
            : NULL;
    if (program == NULL) {
        lp_test_text(rows[row].label, error != NULL ? error->message : "no machine", NULL);
        return FALSE;
    }
    g_autoptr(LpNetwork) network = lp_network_new(machine);
    g_autoptr(LpSetup) setup = lp_setup_new(workload, machine, &error);
    if (setup == NULL)
        return FALSE;
    g_autoptr(LpCommunicationMap) map =
        lp_communication_map_new(program, network, setup->library, setup->placement, NULL, NULL);
    if (map == NULL)
        return FALSE;
    g_autoptr(LpContention) contention = rows[row].collapse ? lp_contention_new(map, fidelity, NULL)
                                                            : lp_contention_new_nothing(map);
    g_autoptr(LpIsolatedCache) cache = lp_isolated_cache_new();
    g_autoptr(LpRankEquivalence) classes =
        lp_rank_equivalence_new(map, contention, cache, fidelity);
    out->n_classes = classes->n_classes;
    g_autoptr(GArray) options = lp_engine_options(256);
    if (!lp_network_load(network, options, &error))
        return FALSE;
    LpRunJob jobs[N_MODES];
    LpRunResult results[N_MODES];
    guint n = 0;
    for (guint i = 0; i < N_MODES; i++)
        if (with_classes || i == only)
            jobs[n++] = (LpRunJob){.map = map,
                                   .contention = contention,
                                   .cache = cache,
                                   .tasks = lp_tasks_new(map, contention, cache, mode(i, fidelity)),
                                   .n_iterations = 1,
                                   .classes = with_classes ? classes : NULL};
    LpRunContext none = {.watch = NULL};
    lp_run_jobs(jobs, n, &none, results);
    for (guint i = 0; i < n; i++)
        out->results[n == 1 ? only : i] = results[i];
    return TRUE;
}

/* Delays are added up at other instants, and so rounded otherwise. */
static void
compare(const char *label, const LpRunResult *got, const LpRunResult *wanted)
{
    lp_test_close(label, got->iteration_time_s, wanted->iteration_time_s, 1e-12);
    lp_test_close(label, got->overlap_s + 1.0, wanted->overlap_s + 1.0, 1e-12);
    lp_test_close(label, got->inner_s + 1.0, wanted->inner_s + 1.0, 1e-12);
    lp_test_close(label, got->slowed_s + 1.0, wanted->slowed_s + 1.0, 1e-12);
    for (LpTerm term = 0; term < LP_N_TERMS; term++)
        lp_test_close(label, got->terms.s[term] + 1.0, wanted->terms.s[term] + 1.0, 1e-12);
}

static void
check_modes(guint row, LpFidelity fidelity, const Outcome *few)
{
    for (guint i = 0; i < N_MODES; i++) {
        Outcome all = {0};
        const Request request = {row, fidelity, FALSE, i};
        g_autofree char *label =
            g_strdup_printf("%s: %s, mode %u", rows[row].label, lp_fidelity_names[fidelity], i);
        if (!lp_forked_result(label, simulate, &request, &all, sizeof all))
            continue;
        lp_test_true(label, all.results[i].iteration_time_s > 0.0);
        lp_test_true(label, few->results[i].n_actors <= all.results[i].n_actors);
        compare(label, &few->results[i], &all.results[i]);
    }
}

static void
check(guint row, LpFidelity fidelity)
{
    Outcome few = {0};
    const Request request = {row, fidelity, TRUE, 0};
    if (!lp_forked_result(rows[row].label, simulate, &request, &few, sizeof few))
        return;
    g_autofree char *label = g_strdup_printf("%s: %u classes, wanted %u", rows[row].label,
                                             few.n_classes, rows[row].n_classes);
    lp_test_true(label, few.n_classes == rows[row].n_classes);
    check_modes(row, fidelity, &few);
}

static void
test_flow(void)
{
    for (guint row = 0; row < G_N_ELEMENTS(rows); row++)
        check(row, LP_FIDELITY_FLOW);
}

static void
test_message(void)
{
    for (guint row = 0; row < G_N_ELEMENTS(rows); row++)
        check(row, LP_FIDELITY_MESSAGE);
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"flow", test_flow}, {"message", test_message}, {NULL, NULL}};
    return lp_test_run("rank equivalence", cases);
}
