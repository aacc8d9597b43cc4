/* SPDX-License-Identifier: Apache-2.0 */
/* What a run counts: bytes sent, bytes received, bytes by class, and actors, agree. */
#include "sim/run/simulation.h"
#include "tests/support/spawn.h"
#include "tests/testlib.h"

#include <glib/gstdio.h>

#include <sys/wait.h>
#include <unistd.h>

#define BODY "embedding=no recompute=none layers=8 hidden=1024 heads=16 ffn=4096 global-batch=8 "

typedef struct {
    const char *label;
    const char *settings;
    guint64 n_actors;           /* nothing collapsed: one a rank, and one more for its gradients */
    guint64 n_actors_collapsed; /* 1/tp of them where the slices mirror each other */
} Row;

/* 16 accelerators of dgx-a100: two domains of 8, a port each. */
static const Row rows[] = {
    {"one rank", BODY "tp=1 pp=1 dp=1", 1, 1},
    {"tp 8 mirrored, dp over the fabric", BODY "tp=8 pp=1 dp=2", 16, 2},
    {"the same, reduced behind the backward pass", BODY "tp=8 pp=1 dp=2 overlap-dp=yes", 32, 4},
    {"tp 8 mirrored, pp over the fabric", BODY "tp=8 pp=2 dp=1", 16, 2},
    /* tp * dp = 8 ranks a stage fill a domain, so that pp crosses the fabric; dp shares the domain
     * with tp, but a rank takes part in one collective at a time. */
    {"tp and dp in one domain, pp between domains", BODY "tp=4 pp=2 dp=2", 16, 4},
    {"tp and pp in one domain: messages may come at any time", BODY "tp=4 pp=2 dp=1", 8, 8},
    {"sequence parallel", BODY "tp=8 pp=2 dp=1 sequence-parallel=yes", 16, 2},
    {"uneven layers, scattered, buckets",
     BODY "layers=9 tp=2 pp=4 dp=2 scatter-gather=yes overlap-dp=yes bucket=5MB", 32, 32},
    {"virtual stages, tied embeddings", BODY "tp=2 pp=4 dp=2 virtual-stages=2 embedding=yes", 16,
     16},
};

static gboolean
simulate(const char *path, const char *text, LpSimulationOptions options, LpRunResult *out_result)
{
    g_auto(GStrv) settings = g_strsplit(text, " ", -1);
    g_autoptr(LpWorkload) workload = lp_workload_load(
        "resource:///lightpath/workloads/gpt3-175b.xml", (const char *const *)settings, NULL);
    g_autoptr(LpMachine) machine = lp_machine_load(path, NULL);
    if (workload == NULL || machine == NULL)
        return FALSE;
    g_autoptr(LpSimulation) simulation = lp_simulation_run(workload, machine, options, NULL);
    if (simulation == NULL)
        return FALSE;
    *out_result = simulation->run;
    return TRUE;
}

/* The engine runs once a process. */
static gboolean
simulate_in_child(const char *path, const char *settings, LpSimulationOptions options,
                  LpRunResult *out_result)
{
    int ends[2], status = 1;
    if (pipe(ends) != 0)
        return FALSE;
    pid_t child = fork();
    if (child == 0) {
        LpRunResult result;
        _exit(simulate(path, settings, options, &result) &&
                      write(ends[1], &result, sizeof result) == (ssize_t)sizeof result
                  ? 0
                  : 1);
    }
    close(ends[1]);
    gboolean whole =
        child > 0 && read(ends[0], out_result, sizeof *out_result) == (ssize_t)sizeof *out_result;
    close(ends[0]);
    (void)waitpid(child, &status, 0);
    return whole && status == 0;
}

static void
check(const char *path, const Row *row, LpSimulationOptions options)
{
    g_autofree char *label =
        g_strdup_printf("%s, %s, collapse %s", row->label, lp_fidelity_names[options.fidelity],
                        options.collapse ? "on" : "off");
    LpRunResult result = {0};
    lp_test_true(label, simulate_in_child(path, row->settings, options, &result));
    guint64 by_class = 0;
    for (LpTraffic traffic = 0; traffic < LP_N_TRAFFIC; traffic++)
        by_class += result.traffic_bytes[traffic];
    lp_test_true(label, result.sent_bytes == result.received_bytes);
    /* Channels carry all traffic, or what collapsing leaves of it. */
    lp_test_true(label,
                 options.collapse ? result.sent_bytes <= by_class : result.sent_bytes == by_class);
    lp_test_true(label,
                 result.n_actors == (options.collapse ? row->n_actors_collapsed : row->n_actors));
}

static void
test_counts(void)
{
    g_autofree char *path = lp_spawn_platform("--system=dgx-a100 --accelerators=16");
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
        for (guint fidelity = LP_FIDELITY_FLOW; fidelity <= LP_FIDELITY_MESSAGE; fidelity++)
            for (guint collapse = 0; collapse < 2; collapse++)
                check(path, &rows[i],
                      (LpSimulationOptions){.fidelity = (LpFidelity)fidelity,
                                            .collapse = collapse != 0});
    (void)g_unlink(path);
}

int
main(void)
{
    static const LpTestCase cases[] = {{"counts", test_counts}, {NULL, NULL}};
    return lp_test_run("run", cases);
}
