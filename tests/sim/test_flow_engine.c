/* SPDX-License-Identifier: Apache-2.0 */
/* Links shared in the engine's place: as the engine does it, also while they fail and recover, and
 * with nothing contended as every communication takes alone. */
#include "sim/run/scenario_setup.h"
#include "tests/support/forked.h"
#include "tests/support/generated.h"
#include "tests/support/small_workload.h"
#include "tests/testlib.h"

#define BODY "recompute=none layers=8 hidden=1024 heads=16 ffn=4096 global-batch=16 "

/* Shared cards, narrow leaves, PCIe links, tori, relays, trees of collectives. */
static const struct {
    const char *label, *settings, *machine;
    LpFidelity fidelity;
} rows[] = {
    {"rings over narrow leaves", BODY "tp=2 pp=4 dp=8",
     "--domain-size=2 --leaf-ports=4 --oversubscription=4 --scale-out-bandwidth=10GBps",
     LP_FIDELITY_FLOW},
    {"step by step", BODY "tp=2 pp=2 dp=16",
     "--domain-size=2 --leaf-ports=4 --oversubscription=4 --scale-out-bandwidth=10GBps",
     LP_FIDELITY_MESSAGE},
    {"a card for four", BODY "tp=2 pp=4 dp=8 overlap-dp=yes bucket=2MB",
     "--domain-size=4 --nics-per-domain=1 --scale-out-bandwidth=10GBps", LP_FIDELITY_FLOW},
    {"tp over the fabric, scattered", BODY "tp=8 pp=2 dp=4 placement=scattered",
     "--domain-size=4 --leaf-ports=8 --oversubscription=2 --scale-out-bandwidth=10GBps",
     LP_FIDELITY_FLOW},
    {"experts", BODY "tp=1 pp=2 dp=16 ep=8 experts=8 top-k=2 zero=1 overlap-dp=yes bucket=2MB",
     "--domain-size=4 --leaf-ports=8 --oversubscription=4 --scale-out-bandwidth=10GBps",
     LP_FIDELITY_FLOW},
    {"torus", BODY "tp=2 pp=4 dp=8",
     "--domain-size=1 --topology=torus --dimensions=4x4x4 --scale-out-bandwidth=10GBps",
     LP_FIDELITY_FLOW},
    {"trees", BODY "tp=2 pp=2 dp=16 algorithm-dp=tree",
     "--domain-size=2 --leaf-ports=4 --oversubscription=4 --scale-out-bandwidth=10GBps",
     LP_FIDELITY_FLOW},
};

typedef enum {
    BY_ENGINE,
    BY_SHARING,
    FLAPPING_BY_ENGINE,
    FLAPPING_BY_SHARING,
    NO_TIER,
    NO_CLASS,
    N_WAYS
} Way;

typedef struct {
    guint row;
    Way way;
} Request;

#define N_FLAPS 400u
#define FLAP_S 0.3e-3

static gboolean
flaps(Way way)
{
    return way == FLAPPING_BY_ENGINE || way == FLAPPING_BY_SHARING;
}

/* Ports of every third accelerator become slow in turn, one dies, and all recover. */
static void
add_flaps(LpScenario *scenario, guint64 n_accelerators)
{
    static const double factors[] = {0.3, 0.02, 1.0, 0.001, 0.2, 1.0, 0.0, 1.0};
    for (guint i = 0; i < N_FLAPS; i++) {
        LpScenarioFailure *failure = g_new0(LpScenarioFailure, 1);
        failure->where = g_strdup("test");
        failure->scale_out = TRUE;
        failure->accelerator = (guint32)(3 * (i / G_N_ELEMENTS(factors)) % n_accelerators);
        failure->bandwidth_factor = factors[i % G_N_ELEMENTS(factors)];
        failure->dead = failure->bandwidth_factor <= 0.0;
        failure->at_s = i * FLAP_S;
        g_ptr_array_add(scenario->failures, failure);
    }
}

static void
run(const LpScenarioSetup *setup, Way way, LpRunResult *out_result)
{
    gboolean uncontended[LP_N_TIERS];
    for (guint i = 0; i < LP_N_TIERS; i++)
        uncontended[i] = way == NO_TIER;
    g_auto(LpJobSet) job_set = lp_job_set_of(setup);
    lp_job_set_add(&job_set, 0, LP_SCENARIO_SCOPE_ALONE, way == NO_CLASS ? G_MAXUINT : 0);
    gboolean by_sharing = way == BY_SHARING || way == FLAPPING_BY_SHARING || way == NO_TIER;
    g_autoptr(LpFlowEngine) sharing =
        by_sharing ? lp_flow_engine_new(setup->network, uncontended, NULL) : NULL;
    g_autoptr(LpWatch) watch = flaps(way) ? lp_watch_new(lp_network_n_links(setup->network)) : NULL;
    LpRunContext context = {.sharing = sharing, .faults = setup->faults, .watch = watch};
    lp_run_jobs(job_set.jobs, job_set.n, &context, out_result);
}

static gboolean
simulate(const void *input, void *result)
{
    const Request *request = input;
    g_autoptr(LpMachine) machine = lp_generated_machine_good(rows[request->row].machine);
    LpWorkload *workload = lp_small_workload_load(rows[request->row].settings);
    if (workload == NULL || machine == NULL)
        return FALSE;
    g_autoptr(LpScenario) scenario = lp_scenario_new_single(workload, "test");
    if (flaps(request->way))
        add_flaps(scenario, machine->n_accelerators);
    g_autoptr(GError) error = NULL;
    g_autoptr(LpScenarioSetup) setup =
        lp_scenario_setup_new(scenario, machine, rows[request->row].fidelity, TRUE, &error);
    lp_test_text(rows[request->row].label, error != NULL ? error->message : NULL, NULL);
    if (setup != NULL)
        run(setup, request->way, result);
    return scenario != NULL;
}

static void
test_ways(void)
{
    for (guint row = 0; row < G_N_ELEMENTS(rows); row++) {
        LpRunResult results[N_WAYS] = {{.iteration_time_s = 0.0}};
        const char *label = rows[row].label;
        for (Way way = 0; way < N_WAYS; way++) {
            Request request = {row, way};
            (void)lp_forked_result(label, simulate, &request, &results[way], sizeof results[way]);
        }
        double time_s = results[BY_ENGINE].iteration_time_s;
        lp_test_close(label, results[BY_SHARING].iteration_time_s, time_s, 1e-9);
        double flapping_s = results[FLAPPING_BY_ENGINE].iteration_time_s;
        lp_test_close(label, results[FLAPPING_BY_SHARING].iteration_time_s, flapping_s, 1e-9);
        lp_test_true(label, flapping_s > time_s * 1.001);
        lp_test_close(label, results[NO_TIER].iteration_time_s, results[NO_CLASS].iteration_time_s,
                      1e-9);
        lp_test_true(label, results[BY_ENGINE].sent_bytes == results[BY_SHARING].sent_bytes);
        lp_test_true("contended", time_s > results[NO_CLASS].iteration_time_s * 1.001);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {{"ways of sharing", test_ways}, {NULL, NULL}};
    return lp_test_run("sharing", cases);
}
