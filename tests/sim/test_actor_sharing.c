/* SPDX-License-Identifier: Apache-2.0 */
/* Links shared in the engine's place: as the engine does it, and with nothing contended as every
 * communication takes alone. */
#include "sim/run/scene.h"
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
    NO_TIER,
    NO_CLASS,
    N_WAYS
} Way;

typedef struct {
    guint row;
    Way way;
} Request;

static void
run(const LpScene *scene, Way way, LpRunResult *out_result)
{
    gboolean uncontended[LP_N_TIERS];
    for (guint i = 0; i < LP_N_TIERS; i++)
        uncontended[i] = way == NO_TIER;
    g_auto(LpCast) cast = lp_cast(scene);
    lp_cast_add(&cast, 0, LP_SCENE_ALONE, way == NO_CLASS ? G_MAXUINT : 0);
    g_autoptr(LpSharing) sharing = way == BY_SHARING || way == NO_TIER
                                       ? lp_sharing_new(scene->network, uncontended, NULL)
                                       : NULL;
    LpSurroundings surroundings = {.sharing = sharing};
    lp_run_jobs(cast.jobs, cast.n, &surroundings, out_result);
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
    g_autoptr(GError) error = NULL;
    g_autoptr(LpScene) scene =
        lp_scene_new(scenario, machine, rows[request->row].fidelity, TRUE, &error);
    lp_test_text(rows[request->row].label, error != NULL ? error->message : NULL, NULL);
    if (scene != NULL)
        run(scene, request->way, result);
    return scene != NULL;
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
