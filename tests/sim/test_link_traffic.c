/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes over links: all that a run sends, each as often as it has links to cross. */
#include "sim/run/simulation.h"
#include "tests/support/forked.h"
#include "tests/support/generated.h"
#include "tests/support/small_workload.h"
#include "tests/testlib.h"

#define BODY "layers=8 hidden=1024 heads=16 ffn=4096 global-batch=16 library=single-ring "
#define UP "--domain-technology=waveguide-package "
#define TREE "--system=dgx-a100 --accelerators=16 " UP "--technology=pluggable-200g"
#define CROSSBAR TREE " --topology=crossbar"

/* What links a byte crosses: @up of the scale-up network, @out of the other; 0: both, or not the
 * same for all. */
typedef struct {
    const char *label, *settings, *machine;
    double up, out;
} Row;

/* Two links under a leaf or through a crossbar. 16 accelerators of dgx-a100 in two domains, a leaf
 * a rail. */
static const Row rows[] = {
    {"one rank", BODY "tp=1 pp=1 dp=1", TREE, 0, 0},
    {"tp in a domain", BODY "tp=8 pp=1 dp=1", TREE, 2, 0},
    {"dp over rails", BODY "tp=1 pp=1 dp=16", TREE, 0, 0},
    {"pp between domains alone", BODY "embedding=no tp=1 pp=2 dp=1 placement=scattered", TREE, 0,
     2},
    {"pp, crossbar", BODY "embedding=no tp=1 pp=2 dp=1 placement=scattered", CROSSBAR, 0, 2},
    {"pp, over the spine", BODY "embedding=no tp=1 pp=2 dp=1 placement=scattered",
     TREE " --port-order=node --leaf-ports=8", 0, 4},
    {"tp and pp", BODY "tp=8 pp=2 dp=1", TREE, 0, 0},
    {"virtual stages, buckets", BODY "tp=2 pp=4 dp=2 virtual-stages=2 overlap-dp=yes bucket=5MB",
     TREE, 0, 0},
    {"zero 3", BODY "tp=2 pp=1 dp=8 zero=3", TREE, 0, 0},
    {"experts", BODY "tp=1 pp=1 dp=16 experts=16 top-k=2 ep=16", CROSSBAR, 0, 0},
    {"experts in a domain", BODY "tp=1 pp=1 dp=8 experts=8 top-k=2 ep=8", CROSSBAR, 2, 0},
    {"tree algorithm", BODY "tp=1 pp=1 dp=16 algorithm-dp=tree", CROSSBAR, 0, 0},
    {"uneven experts", BODY "tp=1 pp=1 dp=16 experts=16 top-k=2 ep=16 skew=0.5", CROSSBAR, 0, 0},
    {"levels", BODY "tp=1 pp=1 dp=16 algorithm-dp=ring+tree", CROSSBAR, 0, 0},
    {"forwarded", BODY "tp=1 pp=1 dp=16 experts=16 top-k=2 ep=16 algorithm-ep=bruck", CROSSBAR, 0,
     0},
    {"context", BODY "tp=1 pp=1 cp=8 dp=2", CROSSBAR, 0, 0},
};

typedef struct {
    const Row *row;
    LpSimulationOptions options;
} Request;

typedef struct {
    LpRunResult run;
    LpLinkTraffic traffic;
} Result;

static gboolean
simulate(const void *input, void *result)
{
    const Request *request = input;
    g_autoptr(LpWorkload) workload = lp_small_workload_load(request->row->settings);
    g_autoptr(LpMachine) machine = lp_generated_machine_good(request->row->machine);
    if (workload == NULL || machine == NULL)
        return FALSE;
    g_autoptr(GError) error = NULL;
    g_autoptr(LpSetup) setup = lp_setup_new(workload, machine, &error);
    g_autoptr(LpSimulation) simulation =
        setup == NULL ? NULL : lp_simulation_run(setup, request->options, &error);
    lp_test_text(request->row->label, error != NULL ? error->message : NULL, NULL);
    if (simulation != NULL)
        *(Result *)result = (Result){simulation->run, simulation->link_traffic};
    return simulation != NULL;
}

static void
check(const Row *row, LpSimulationOptions options)
{
    Request request = {row, options};
    Result result = {.traffic = {.sent_bytes = 0.0}};
    lp_test_true(row->label,
                 lp_forked_result(row->label, simulate, &request, &result, sizeof result));
    double sent = 0.0;
    for (LpTraffic traffic = 0; traffic < LP_N_TRAFFIC; traffic++)
        sent += (double)result.run.traffic_bytes[traffic];
    /* Whole bytes below 2^53: sums are exact. */
    lp_test_close(row->label, result.traffic.sent_bytes, sent, 0.0);
    const double *link_bytes = result.traffic.link_bytes;
    if (row->up > 0.0 || row->out > 0.0) {
        lp_test_close(row->label, link_bytes[LP_ATTACHMENT_SCALE_UP], row->up * sent, 0.0);
        lp_test_close(row->label, link_bytes[LP_ATTACHMENT_SCALE_OUT], row->out * sent, 0.0);
    }
    /* Every route has at least two links, in a leaf or crossbar exactly two. */
    double all = link_bytes[LP_ATTACHMENT_SCALE_UP] + link_bytes[LP_ATTACHMENT_SCALE_OUT];
    lp_test_true(row->label, all >= 2.0 * sent);
    if (g_str_has_suffix(row->machine, "crossbar"))
        lp_test_close(row->label, all, 2.0 * sent, 0.0);
}

/* The same whatever a run leaves out, and step by step. */
static void
test_all(void)
{
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        check(&rows[i], (LpSimulationOptions){.collapse = TRUE, .alone = TRUE});
        check(&rows[i], (LpSimulationOptions){.fidelity = LP_FIDELITY_MESSAGE, .alone = TRUE});
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {{"all", test_all}, {NULL, NULL}};
    return lp_test_run("link traffic", cases);
}
