/* SPDX-License-Identifier: Apache-2.0 */
/* One rank of each class takes the same time, term by term, as all ranks. */
#include "sim/analysis/rank_equivalence.h"

#include "platforms/generation/generate.h"
#include "sim/engine/engine.h"
#include "sim/run/simulation.h"
#include "sim/engine/loading.h"
#include "tests/testlib.h"

#include <sys/wait.h>
#include <unistd.h>

#define BODY "layers=8 hidden=1024 heads=16 ffn=4096 seq=256 global-batch=32 "
#define EXPERTS BODY "experts=8 top-k=2 ep=8 "

static const struct {
    const char *label, *settings;
    gboolean collapse;
    guint32 n_classes; /* 0: whatever it is */
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
    /* Stages 0 and 1 in one domain, but the second replica's in two. */
    {"one replica's messages leave the domain",
     BODY "embedding=no tp=3 pp=2 dp=2 heads=12 "
          "hidden=768 ffn=3072 rank-order=tp-cp-ep-pp-dp",
     TRUE, 0},
    {"buckets behind the backward pass", BODY "tp=4 pp=2 dp=8 overlap-dp=yes bucket=1MB", TRUE, 0},
    {"slowed by them", BODY "tp=4 pp=2 dp=8 overlap-dp=yes bucket=1MB slowdown=1.3", FALSE, 0},
    {"virtual stages, hidden messages",
     BODY "tp=2 pp=4 dp=4 virtual-stages=2 overlap-pp=yes schedule=interleaved", TRUE, 0},
    {"DualPipe sends both ways", BODY "tp=2 pp=4 dp=4 zero=1 schedule=dualpipe", TRUE, 0},
    {"uneven stages", BODY "layers=9 tp=2 pp=4 dp=4 overlap-dp=yes", TRUE, 0},
    {"ring attention", BODY "tp=2 pp=2 dp=2 cp=4", TRUE, 0},
    {"ZeRO 3", BODY "tp=2 pp=1 dp=16 zero=3 overlap-dp=yes overlap-param=yes", TRUE, 0},
    {"experts", EXPERTS "tp=1 pp=2 dp=16", TRUE, 0},
    {"experts of unequal load: nobody is like another in his group",
     EXPERTS "tp=1 pp=2 dp=16 skew=1", TRUE, 16},
    {"a host that falls behind", BODY "tp=4 pp=2 dp=8 hidden=256 ffn=1024", TRUE, 0},
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

static LpMachine *
load_machine(void)
{
    g_autoptr(LpMachineSpecification) specification =
        lp_specification_parse("--system=dgx-a100 --accelerators=64 --leaf-ports=2", NULL);
    return specification != NULL ? lp_generate_machine(specification, "the test's machine", NULL)
                                 : NULL;
}

/* All modes in one engine if @with_classes, else the mode @only. */
static gboolean
simulate(guint row, LpFidelity fidelity, gboolean with_classes, guint only, Outcome *out)
{
    g_auto(GStrv) settings = g_strsplit(rows[row].settings, " ", -1);
    g_autoptr(GError) error = NULL;
    g_autoptr(LpWorkload) workload = lp_workload_load(
        "resource:///lightpath/workloads/gpt3-175b.xml", (const char *const *)settings, &error);
    g_autoptr(LpMachine) machine = load_machine();
    g_autoptr(LpProgram) program =
        workload != NULL && machine != NULL
            ? lp_training_program_new(workload, &machine->accelerator, &error)
            : NULL;
    g_autoptr(GArray) options = lp_engine_options(256);
    if (program == NULL || !lp_engine_load(machine, options, &error)) {
        fprintf(stderr, "%s\n", error != NULL ? error->message : "no machine");
        return FALSE;
    }
    g_autoptr(LpNetwork) network = lp_network_new(machine);
    g_autoptr(LpSetup) setup = lp_setup_new(workload, machine, &error);
    if (setup == NULL)
        return FALSE;
    g_autoptr(LpCommunicationMap) map =
        lp_communication_map_new(program, network, &setup->library, setup->placement, NULL);
    if (map == NULL)
        return FALSE;
    g_autoptr(LpContention) contention = rows[row].collapse ? lp_contention_new(map, fidelity, NULL)
                                                            : lp_contention_new_nothing(map);
    g_autoptr(LpIsolatedCache) cache = lp_isolated_cache_new();
    g_autoptr(LpRankEquivalence) classes =
        lp_rank_equivalence_new(map, contention, cache, fidelity);
    out->n_classes = classes->n_classes;
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
    LpSurroundings none = {.watch = NULL};
    lp_run_jobs(jobs, n, &none, results);
    for (guint i = 0; i < n; i++)
        out->results[n == 1 ? only : i] = results[i];
    return TRUE;
}

static gboolean
simulate_in_child(guint row, LpFidelity fidelity, gboolean with_classes, guint only, Outcome *out)
{
    int ends[2], status = 1;
    if (pipe(ends) != 0)
        return FALSE;
    pid_t child = fork();
    if (child == 0) {
        Outcome outcome = {0};
        _exit(simulate(row, fidelity, with_classes, only, &outcome) &&
                      write(ends[1], &outcome, sizeof outcome) == (ssize_t)sizeof outcome
                  ? 0
                  : 1);
    }
    close(ends[1]);
    gboolean whole = child > 0 && read(ends[0], out, sizeof *out) == (ssize_t)sizeof *out;
    close(ends[0]);
    return child > 0 && waitpid(child, &status, 0) == child && whole && status == 0;
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
check(guint row, LpFidelity fidelity)
{
    Outcome few = {0};
    lp_test_true(rows[row].label, simulate_in_child(row, fidelity, TRUE, 0, &few));
    if (rows[row].n_classes > 0 && few.n_classes != rows[row].n_classes)
        fprintf(stderr, "%s: %u classes\n", rows[row].label, few.n_classes);
    lp_test_true(rows[row].label, rows[row].n_classes == 0 || few.n_classes == rows[row].n_classes);
    for (guint i = 0; i < N_MODES; i++) {
        Outcome all = {0};
        g_autofree char *label =
            g_strdup_printf("%s: %s, mode %u", rows[row].label, lp_fidelity_names[fidelity], i);
        lp_test_true(label, simulate_in_child(row, fidelity, FALSE, i, &all));
        lp_test_true(label, all.results[i].iteration_time_s > 0.0);
        lp_test_true(label, few.results[i].n_actors <= all.results[i].n_actors);
        compare(label, &few.results[i], &all.results[i]);
    }
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
    return lp_test_run("class", cases);
}
