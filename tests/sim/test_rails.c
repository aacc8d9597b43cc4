/* SPDX-License-Identifier: Apache-2.0 */
/* A tree taken apart into its rails has the routes of the whole one, and runs take the same time.
 */
#include "sim/engine/network.h"
#include "sim/mapping/rails.h"

#include "platforms/catalogue/libraries.h"
#include "platforms/plain/plain_rails.h"
#include "sim/engine/engine.h"
#include "sim/engine/loading.h"
#include "sim/run/run.h"
#include "sim/run/simulation.h"
#include "tests/support/forked.h"
#include "tests/support/small_machine.h"
#include "tests/support/small_workload.h"
#include "tests/testlib.h"
#include "workloads/program/training_program.h"

#define UP_OF(last) "id='link_from_1_2_3' prefix='machine' suffix='' radical='0-" last "' " UP_REST
#define SIZE_UP(size)                                                                              \
    ROLE_UP "<prop id='accelerator' value='a100-80'/><prop id='domain-size' value='" size "'/>"    \
            "<prop id='technology' value='electrical'/>"
#define OUT_OF(last, tree)                                                                         \
    "id='rail' prefix='rail-' suffix='-' radical='0-" last "' " OUT_REST                           \
    " topology='FAT_TREE' topo_parameters='" tree "'"
#define OUT_PROPS(order, cards)                                                                    \
    ROLE_OUT order "<prop id='cards-per-domain' value='" cards                                     \
                   "'/><prop id='technology' value='optical'/>"

/* Domains, cards, units and trees that are as different as they may be. */
static const struct {
    const char *label;
    LpSmallMachine machine;
    gboolean possible;
} rows[] = {
    {"two levels, two units of two",
     {ZONE, ZONE_PROPS, UP_OF("15"), SIZE_UP("4"), OUT_OF("7", "2;2,4;1,2;1,1"),
      OUT_PROPS(RAIL("2"), "2")},
     TRUE},
    {"units of two leaves, 2:1",
     {ZONE, ZONE_PROPS, UP_OF("31"), SIZE_UP("4"), OUT_OF("15", "2;2,8;1,1;1,1"),
      OUT_PROPS(RAIL("4"), "2")},
     TRUE},
    {"ports to spare",
     {ZONE, ZONE_PROPS, UP_OF("11"), SIZE_UP("4"), OUT_OF("7", "2;2,4;1,2;1,1"),
      OUT_PROPS(RAIL("2"), "2")},
     TRUE},
    {"one unit, any number of up-links",
     {ZONE, ZONE_PROPS, UP_OF("15"), SIZE_UP("4"), OUT_OF("7", "2;2,4;1,3;1,1"),
      OUT_PROPS(RAIL("4"), "2")},
     TRUE},
    {"rails begin at different up-links",
     {ZONE, ZONE_PROPS, UP_OF("11"), SIZE_UP("3"), OUT_OF("11", "2;2,6;1,4;1,1"),
      OUT_PROPS(RAIL("2"), "3")},
     TRUE},
    {"three levels",
     {ZONE, ZONE_PROPS, UP_OF("31"), SIZE_UP("4"), OUT_OF("15", "3;2,2,4;1,2,2;1,1,1"),
      OUT_PROPS(RAIL("4"), "2")},
     TRUE},
    {"three levels, rails begin at different up-links",
     {ZONE, ZONE_PROPS, UP_OF("23"), SIZE_UP("3"), OUT_OF("23", "3;2,2,6;1,2,4;1,1,1"),
      OUT_PROPS(RAIL("4"), "3")},
     TRUE},
    {"three levels, rails meet at the top only",
     {ZONE, ZONE_PROPS, UP_OF("15"), SIZE_UP("4"), OUT_OF("7", "3;2,2,2;1,2,4;1,1,1"),
      OUT_PROPS(RAIL("4"), "2")},
     TRUE},
    {"two levels, a leaf a rail",
     {ZONE, ZONE_PROPS, UP_OF("15"), SIZE_UP("4"), OUT_OF("7", "2;4,2;1,2;1,1"),
      OUT_PROPS(RAIL("4"), "2")},
     TRUE},
    {"routes would spread differently",
     {ZONE, ZONE_PROPS, UP_OF("15"), SIZE_UP("4"), OUT_OF("7", "2;2,4;1,4;1,1"),
      OUT_PROPS(RAIL("2"), "2")},
     FALSE},
    {"rails share switches of the second level",
     {ZONE, ZONE_PROPS, UP_OF("15"), SIZE_UP("4"), OUT_OF("7", "3;2,2,2;1,2,1;1,1,1"),
      OUT_PROPS(RAIL("2"), "2")},
     FALSE},
    {"no whole units",
     {ZONE, ZONE_PROPS, UP_OF("15"), SIZE_UP("4"), OUT_OF("9", "2;2,5;1,2;1,1"),
      OUT_PROPS(RAIL("2"), "2")},
     FALSE},
    {"node order",
     {ZONE, ZONE_PROPS, UP_OF("15"), SIZE_UP("4"), OUT_OF("7", "2;2,4;1,2;1,1"),
      OUT_PROPS(NODE, "2")},
     FALSE},
    {"one card",
     {ZONE, ZONE_PROPS, UP_OF("15"), SIZE_UP("2"), OUT_OF("7", "2;2,4;1,2;1,1"),
      OUT_PROPS(RAIL("2"), "1")},
     FALSE},
    {"one level",
     {ZONE, ZONE_PROPS, UP_OF("15"), SIZE_UP("4"), OUT_OF("7", "1;8;1;1"),
      OUT_PROPS(RAIL("4"), "2")},
     FALSE},
    {"no scale-out network", {ZONE, ZONE_PROPS, UP_OF("3"), SIZE_UP("4"), NULL, NULL}, FALSE},
};

/* A machine to run on, whole or taken apart. */
typedef struct {
    const LpMachine *machine;
    gboolean on_rails;
} Run;

/* Returns: NULL, and a failure, if the engine refuses. */
static LpNetwork *
start(const Run *run)
{
    g_autoptr(GArray) options = lp_engine_options(2 * run->machine->n_accelerators);
    g_autoptr(GError) error = NULL;
    g_autoptr(LpNetwork) network = lp_network_new(run->machine);
    gboolean good = run->on_rails ? lp_network_load_on_rails(network, options, &error)
                                  : lp_network_load(network, options, &error);
    lp_test_text("engine", error != NULL ? error->message : NULL, NULL);
    return good ? g_steal_pointer(&network) : NULL;
}

static gboolean
write_routes(const void *input, GString *out)
{
    const LpMachine *machine = ((const Run *)input)->machine;
    LpNetwork *network = start(input);
    if (network == NULL)
        return FALSE;
    for (guint64 a = 0; a < machine->n_accelerators; a++)
        for (guint64 b = 0; b < machine->n_accelerators; b++) {
            gboolean same_domain = lp_machine_domain(machine, a) == lp_machine_domain(machine, b);
            if (a == b ||
                (!same_domain && lp_machine_card(machine, a) != lp_machine_card(machine, b)))
                continue;
            LpRoute route = lp_network_route(network, a, b, LP_TRAFFIC_DP);
            g_string_append_printf(out, "%d-%d: %g s, %g B/s", (int)a, (int)b, route.latency_s,
                                   route.bytes_per_s);
            for (guint32 i = 0; i < route.n_links; i++)
                g_string_append_printf(out, " %s", lp_network_link_name(network, route.links[i]));
            g_string_append_c(out, '\n');
        }
    return TRUE;
}

/* What @write writes of the machine, whole and taken apart: the same, and something. */
static void
compare(const char *label, const LpMachine *machine,
        gboolean (*write)(const void *input, GString *out))
{
    const Run whole_run = {machine, FALSE}, apart_run = {machine, TRUE};
    g_autofree char *whole = lp_forked_text(label, write, &whole_run);
    g_autofree char *apart = lp_forked_text(label, write, &apart_run);
    lp_test_true(label, *whole != '\0');
    lp_test_text(label, apart, whole);
}

/* Link by link, by the names that the whole tree has for them. */
static void
test_routes(void)
{
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(LpMachine) machine = lp_small_machine_load_good(&rows[i].machine);
        lp_test_true(rows[i].label,
                     machine != NULL && lp_plain_rails_possible(machine) == rows[i].possible);
        if (machine != NULL)
            compare(rows[i].label, machine, write_routes);
    }
}

#define BODY                                                                                       \
    "embedding=no layers=8 hidden=1024 heads=16 ffn=4096 seq=256 tp=4 pp=2 dp=4 global-batch=16 "  \
    "overlap-dp=yes bucket=1MB"

static LpProgram *
program_of(const LpMachine *machine, const char *settings)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(LpWorkload) workload = lp_small_workload_load(settings);
    LpProgram *program =
        workload != NULL ? lp_training_program_new(workload, &machine->accelerator, &error) : NULL;
    lp_test_text(settings, error != NULL ? error->message : NULL, NULL);
    return program;
}

/* Pipeline messages and gradients meet on the few up-links: who shares which is in the time. */
static gboolean
write_run(const void *input, GString *out)
{
    LpProgram *program = program_of(((const Run *)input)->machine, BODY);
    LpNetwork *network = start(input);
    LpLibrary library;
    if (program == NULL || network == NULL || !lp_library_find("single-ring", &library, NULL))
        return FALSE;
    LpCommunicationMap *map = lp_communication_map_new(
        program, network, &library, lp_placement_new_packed(program->n_ranks), NULL, NULL);
    LpContention *contention = lp_contention_new_nothing(map);
    LpIsolatedCache *cache = lp_isolated_cache_new();
    LpTasks *tasks =
        lp_tasks_new(map, contention, cache, (LpRunMode){.fidelity = LP_FIDELITY_FLOW});
    LpRunResult result = lp_run_iteration(map, NULL, contention, cache, tasks, NULL,
                                          (LpRunOptions){.timeline = NULL});
    g_string_append_printf(out, "%.12g s, %d activities", result.iteration_time_s,
                           (int)result.n_activities);
    lp_tasks_free(tasks);
    return result.iteration_time_s > 0.0;
}

static void
test_runs(void)
{
    guint n_run = 0;
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(LpMachine) machine = lp_small_machine_load_good(&rows[i].machine);
        if (machine == NULL || machine->n_accelerators < 32 || !rows[i].possible)
            continue;
        compare(rows[i].label, machine, write_run);
        n_run++;
    }
    lp_test_true("the two machines of 32 accelerators", n_run == 2);
}

/* Four domains of four, two cards: accelerators 0 and 1 share the first. */
static const struct {
    const char *label, *settings;
    guint32 accelerators[16];
    gboolean kept;
} plans[] = {
#define PACKED 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    {"packed", "tp=4 dp=2 pp=2", {PACKED}, TRUE},
    {"one domain", "tp=2 dp=2 pp=1", {PACKED}, TRUE},
    {"tp across domains", "tp=8 dp=1 pp=2", {PACKED}, FALSE},
    {"tp across domains, card to card", "tp=2 dp=1 pp=1", {1, 4}, TRUE},
    {"other card", "tp=2 dp=1 pp=1", {1, 6}, FALSE},
    {"a third member on another card", "tp=4 dp=1 pp=1", {0, 2, 4, 6}, FALSE},
    {"stages on different cards", "tp=1 dp=1 pp=2", {0, 6}, FALSE},
    {"the first and the last stage do not talk", "tp=1 dp=1 pp=4", {0, 1, 3, 7}, TRUE},
    {"unless stages are virtual",
     "tp=1 dp=1 pp=4 virtual-stages=2 schedule=interleaved",
     {0, 1, 3, 6},
     FALSE},
};

static void
test_kept(void)
{
    g_autoptr(LpMachine) machine = lp_small_machine_load_good(&lp_small_machine);
    for (guint i = 0; i < G_N_ELEMENTS(plans); i++) {
        g_autofree char *settings =
            g_strconcat("embedding=no layers=8 hidden=1024 heads=16 ffn=4096 global-batch=8 ",
                        plans[i].settings, NULL);
        g_autoptr(LpProgram) program = program_of(machine, settings);
        g_autoptr(LpPlacement) placement =
            lp_placement_new_given(G_N_ELEMENTS(plans[i].accelerators),
                                   g_memdup2(plans[i].accelerators, sizeof plans[i].accelerators));
        lp_test_true(plans[i].label,
                     program != NULL &&
                         lp_rail_is_kept(program, machine, placement) == plans[i].kept);
    }
    g_autoptr(LpProgram) packed =
        program_of(machine, "embedding=no layers=8 heads=16 tp=4 dp=4 pp=1 global-batch=8");
    g_autoptr(LpPlacement) placement = lp_placement_new_packed(16);
    lp_test_true("no list: packed", packed != NULL && lp_rail_is_kept(packed, machine, placement));
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"routes", test_routes}, {"runs", test_runs}, {"kept", test_kept}, {NULL, NULL}};
    return lp_test_run("rail", cases);
}
