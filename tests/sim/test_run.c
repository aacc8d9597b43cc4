/* SPDX-License-Identifier: Apache-2.0 */
/* What a run counts: bytes sent, bytes received, bytes by class, and actors, agree. */
#include "sim/run/simulation.h"
#include "tests/support/forked.h"
#include "tests/support/generated.h"
#include "tests/support/small_workload.h"
#include "tests/testlib.h"

#define BODY "embedding=no recompute=none layers=8 hidden=1024 heads=16 ffn=4096 global-batch=8 "

typedef struct {
    const char *label;
    const char *settings;
    guint64 n_actors;          /* nothing collapsed: one a rank, and one more for its gradients */
    guint64 n_actors_by_class; /* those of one rank of each class */
} Row;

/* 16 accelerators of dgx-a100: two domains of 8, a port each. */
static const Row rows[] = {
    {"one rank", BODY "tp=1 pp=1 dp=1", 1, 1},
    {"tp 8 mirrored, dp over the fabric", BODY "tp=8 pp=1 dp=2", 16, 1},
    {"the same, reduced behind the backward pass", BODY "tp=8 pp=1 dp=2 overlap-dp=yes", 32, 2},
    {"tp 8 mirrored, pp over the fabric", BODY "tp=8 pp=2 dp=1", 16, 2},
    /* tp * dp = 8 ranks a stage fill a domain, so that pp crosses the fabric; dp shares the domain
     * with tp, but a rank takes part in one collective at a time. */
    {"tp and dp in one domain, pp between domains", BODY "tp=4 pp=2 dp=2", 16, 2},
    {"tp and pp in one domain: messages may come at any time", BODY "tp=4 pp=2 dp=1", 8, 2},
    {"sequence parallel", BODY "tp=8 pp=2 dp=1 sequence-parallel=yes", 16, 2},
    {"uneven layers, scattered, buckets",
     BODY "layers=9 tp=2 pp=4 dp=2 scatter-gather=yes overlap-dp=yes bucket=5MB", 32, 8},
    {"virtual stages, tied embeddings", BODY "tp=2 pp=4 dp=2 virtual-stages=2 embedding=yes", 16,
     4},
};

typedef struct {
    const char *settings;
    LpSimulationOptions options;
} Request;

static gboolean
simulate(const void *input, void *result)
{
    const Request *request = input;
    static const char system[] = "--system=dgx-a100 --accelerators=16";
    g_autoptr(LpWorkload) workload = lp_small_workload_load(request->settings);
    g_autoptr(LpMachine) machine = lp_generated_machine_good(system);
    if (workload == NULL || machine == NULL)
        return FALSE;
    g_autoptr(GError) error = NULL;
    g_autoptr(LpSetup) setup = lp_setup_new(workload, machine, &error);
    g_autoptr(LpSimulation) simulation =
        setup == NULL ? NULL : lp_simulation_run(setup, request->options, &error);
    lp_test_text(request->settings, error != NULL ? error->message : NULL, NULL);
    if (simulation != NULL)
        *(LpRunResult *)result = simulation->run;
    return simulation != NULL;
}

static void
check(const Row *row, LpSimulationOptions options)
{
    g_autofree char *label =
        g_strdup_printf("%s, %s, collapse %s", row->label, lp_fidelity_names[options.fidelity],
                        options.collapse ? "on" : "off");
    LpRunResult result = {0};
    const Request request = {row->settings, options};
    if (!lp_forked_result(label, simulate, &request, &result, sizeof result))
        return;
    guint64 by_class = 0;
    for (LpTraffic traffic = 0; traffic < LP_N_TRAFFIC; traffic++)
        by_class += result.traffic_bytes[traffic];
    lp_test_true(label, result.sent_bytes == result.received_bytes);
    /* Channels carry all traffic, or what collapsing leaves of it. */
    lp_test_true(label,
                 options.collapse ? result.sent_bytes <= by_class : result.sent_bytes == by_class);
    lp_test_true(label,
                 result.n_actors == (options.collapse ? row->n_actors_by_class : row->n_actors));
}

static void
test_counts(void)
{
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
        for (guint fidelity = LP_FIDELITY_FLOW; fidelity <= LP_FIDELITY_MESSAGE; fidelity++)
            for (guint collapse = 0; collapse < 2; collapse++)
                check(&rows[i], (LpSimulationOptions){.fidelity = (LpFidelity)fidelity,
                                                      .collapse = collapse != 0});
}

int
main(void)
{
    static const LpTestCase cases[] = {{"counts", test_counts}, {NULL, NULL}};
    return lp_test_run("run", cases);
}
