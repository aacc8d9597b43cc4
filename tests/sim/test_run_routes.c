/* SPDX-License-Identifier: Apache-2.0 */
/* A run on the part of the machine that it uses takes the same time, to the last digit, as on the
 * whole machine. */
#include "sim/run/run_routes.h"

#include "platforms/catalogue/libraries.h"
#include "sim/engine/engine.h"
#include "sim/engine/loading.h"
#include "sim/run/run.h"
#include "tests/support/forked.h"
#include "tests/support/generated.h"
#include "tests/support/small_workload.h"
#include "tests/testlib.h"
#include "workloads/program/training_program.h"

#define BODY                                                                                       \
    "embedding=no layers=8 hidden=1024 heads=16 ffn=4096 seq=256 global-batch=16 overlap-dp=yes "  \
    "bucket=1MB "
#define EXPERTS "embedding=no layers=4 hidden=512 heads=8 ffn=2048 seq=128 experts=16 top-k=2 "

/* Of every topology, and traffic of every kind: rings, scheduled collectives, pairs, relays. */
static const struct {
    const char *label, *machine, *settings, *library;
    LpFidelity fidelity;
    gboolean collapse;
} rows[] = {
    {"rails, slices", "--system=dgx-h100 --accelerators=64", BODY "tp=4 pp=2 dp=8", "single-ring",
     LP_FIDELITY_FLOW, TRUE},
    {"node order, 4:1, everything simulated",
     "--system=dgx-h100 --accelerators=64 --port-order=node --oversubscription=4",
     BODY "tp=4 pp=2 dp=8", "single-ring", LP_FIDELITY_FLOW, FALSE},
    {"messages", "--system=dgx-a100 --accelerators=32", BODY "tp=2 pp=2 dp=8", "single-ring",
     LP_FIDELITY_MESSAGE, TRUE},
    {"a library's algorithms", "--system=dgx-h100 --accelerators=64", BODY "tp=2 pp=2 dp=16",
     "nccl-hopper", LP_FIDELITY_FLOW, TRUE},
    {"hashed paths and PCIe links",
     "--system=generic --accelerators=64 --leaf-ports=16 --path-choice=hash --paths=4 "
     "--pcie-ports=2 --pcie-bandwidth=32GBps",
     BODY "tp=4 pp=2 dp=8", "single-ring", LP_FIDELITY_FLOW, TRUE},
    {"a torus", "--system=generic --accelerators=64 --domain-size=4 --topology=torus",
     BODY "tp=4 pp=2 dp=8", "single-ring", LP_FIDELITY_FLOW, TRUE},
    {"a dragonfly+", "--system=generic --accelerators=64 --topology=dragonfly-plus",
     BODY "tp=2 pp=4 dp=8", "single-ring", LP_FIDELITY_FLOW, TRUE},
    {"rails that never meet", "--system=rail-only --accelerators=512", BODY "tp=2 pp=2 dp=8",
     "single-ring", LP_FIDELITY_FLOW, TRUE},
    {"experts, all pairs", "--system=dgx-a100 --accelerators=32",
     EXPERTS "tp=1 pp=2 dp=16 ep=16 global-batch=32", "single-ring", LP_FIDELITY_MESSAGE, TRUE},
    {"experts along rails", "--system=dgx-a100 --accelerators=32",
     EXPERTS "tp=1 pp=2 dp=16 ep=16 global-batch=32", "single-ring", LP_FIDELITY_FLOW, TRUE},
};

typedef struct {
    guint row;
    gboolean in_part;
} Request;

static gboolean
load(LpNetwork *network, const LpCommunicationMap *map, const LpContention *contention,
     const Request *request)
{
    g_autoptr(GArray) options = lp_engine_options(4 * map->n_ranks);
    if (!request->in_part)
        return lp_network_load(network, options, NULL);
    g_autoptr(LpRouteUse) use = lp_route_use_new(network);
    lp_run_routes_add(use, map, contention, rows[request->row].fidelity);
    LpPlainPart part = lp_route_use_part(use);
    lp_test_true("not nothing", part.n_pairs > 0);
    return lp_network_load_part(network, use, options, NULL);
}

static gboolean
write_run(const void *input, GString *out)
{
    const Request *request = input;
    gboolean collapse = rows[request->row].collapse;
    LpFidelity fidelity = rows[request->row].fidelity;
    g_autoptr(GError) error = NULL;
    g_autoptr(LpMachine) machine = lp_generated_machine_good(rows[request->row].machine);
    g_autoptr(LpWorkload) workload = lp_small_workload_load(rows[request->row].settings);
    LpLibrary library;
    if (machine == NULL || workload == NULL ||
        !lp_library_find(rows[request->row].library, &library, NULL))
        return FALSE;
    g_autoptr(LpProgram) program = lp_training_program_new(workload, &machine->accelerator, &error);
    lp_test_text(rows[request->row].label, error != NULL ? error->message : NULL, NULL);
    if (program == NULL)
        return FALSE;
    g_autoptr(LpNetwork) network = lp_network_new(machine);
    g_autoptr(LpPlacement) placement = lp_placement_new_packed(program->n_ranks);
    g_autoptr(LpCommunicationMap) map =
        lp_communication_map_new(program, network, &library, placement, NULL, NULL);
    g_autoptr(LpContention) contention =
        collapse ? lp_contention_new(map, fidelity, NULL) : lp_contention_new_nothing(map);
    if (!load(network, map, contention, request))
        return FALSE;
    g_autoptr(LpIsolatedCache) cache = lp_isolated_cache_new();
    LpRunModel model = {.network = network,
                        .map = map,
                        .contention = contention,
                        .cache = cache,
                        .fidelity = fidelity};
    g_autoptr(LpTasks) tasks = lp_run_model_tasks(&model, (LpRunMode){.merge = collapse});
    LpRunResult result =
        lp_run_iteration(lp_run_job(&model, tasks, NULL), (LpRunOptions){.timeline = NULL});
    g_string_append_printf(out, "%.17g s, %d activities", result.iteration_time_s,
                           (int)result.n_activities);
    return result.iteration_time_s > 0.0;
}

static void
test_runs(void)
{
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        const Request whole = {i, FALSE}, part = {i, TRUE};
        g_autofree char *of_whole = lp_forked_text(rows[i].label, write_run, &whole);
        g_autofree char *of_part = lp_forked_text(rows[i].label, write_run, &part);
        lp_test_true(rows[i].label, *of_whole != '\0');
        lp_test_text(rows[i].label, of_part, of_whole);
    }
}

/* What can be told is told once; what cannot is the whole machine. */
static void
test_use(void)
{
    g_autoptr(LpMachine) machine =
        lp_generated_machine_good("--system=dgx-h100 --accelerators=16384");
    g_autoptr(LpNetwork) network = lp_network_new(machine);
    g_autoptr(LpRouteUse) use = lp_route_use_new(network);
    LpRoute route = lp_network_route(network, 0, 16376, LP_TRAFFIC_DP);
    lp_route_use_add(use, &route);
    lp_route_use_add(use, &route);
    lp_route_use_add_port(use, route.from);
    LpPlainPart part = lp_route_use_part(use);
    lp_test_true("one pair", part.n_pairs == 1 && part.n_hosts == 2);
    lp_test_true("its links", part.n_links == route.n_links && route.n_links >= 4);
    lp_test_true("less than the machine", lp_route_use_is_smaller(use));
    lp_route_use_add_all(use);
    lp_test_true("no less than the machine", !lp_route_use_is_smaller(use));
}

int
main(void)
{
    static const LpTestCase cases[] = {{"runs", test_runs}, {"use", test_use}, {NULL, NULL}};
    return lp_test_run("used routes", cases);
}
