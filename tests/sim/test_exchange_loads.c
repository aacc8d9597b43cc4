/* SPDX-License-Identifier: Apache-2.0 */
/* All-to-alls counted by blocks of senders put on every link what they do pair by pair. */
#include "sim/mapping/exchange_loads.h"

#include "platforms/catalogue/libraries.h"
#include "sim/mapping/communication_map.h"
#include "tests/support/generated.h"
#include "tests/support/small_workload.h"
#include "tests/testlib.h"
#include "workloads/program/training_program.h"

#include <math.h>

#define SEED 20261126u
#define N_DRAWN 60

/* Pairs of each reach on each link, of all members and both sides. Returns: (transfer full). */
static double *
sum_links(const LpExchangeLoads *loads)
{
    guint32 n_links = lp_network_n_links(loads->network);
    double *sums = g_new0(double, (gsize)n_links *LP_N_REACHES);
    for (guint32 member = 0; member < loads->communicator->n_members; member++)
        for (LpExchangeSide side = 0; side < LP_N_EXCHANGE_SIDES; side++) {
            const GArray *all = lp_exchange_loads_get(loads, member, side);
            for (guint i = 0; i < all->len; i++) {
                const LpExchangeLoad *load = &g_array_index(all, LpExchangeLoad, i);
                for (LpReach reach = 0; reach < LP_N_REACHES; reach++)
                    sums[load->link * LP_N_REACHES + reach] += load->n[reach];
            }
        }
    return sums;
}

static gboolean
agree(const LpExchangeLoads *one, const LpExchangeLoads *other)
{
    guint32 n_links = lp_network_n_links(one->network), n = one->communicator->n_members;
    g_autofree double *a = sum_links(one), *b = sum_links(other);
    gboolean same = TRUE;
    for (gsize i = 0; i < (gsize)n_links * LP_N_REACHES; i++)
        same = same && fabs(a[i] - b[i]) < 1e-6;
    for (guint32 i = 0; i < n; i++)
        same = same && fabs(one->n_far[i] - other->n_far[i]) < 1e-9 &&
               fabs(one->latency_s[i] - other->latency_s[i]) < 1e-15;
    return same;
}

static void
check(const char *options, const char *settings)
{
    g_autofree char *label = g_strdup_printf("%s, %s", options, settings);
    g_autoptr(LpWorkload) workload = lp_small_workload_load(settings);
    g_autoptr(LpMachine) machine = lp_generated_machine_good(options);
    LpLibrary library;
    if (workload == NULL || machine == NULL || !lp_library_find("single-ring", &library, NULL)) {
        lp_test_true(label, FALSE);
        return;
    }
    g_autoptr(LpProgram) program = lp_training_program_new(workload, &machine->accelerator, NULL);
    g_autoptr(LpNetwork) network = lp_network_new(machine);
    g_autoptr(LpPlacement) placement = lp_placement_new_packed(program->n_ranks);
    g_autoptr(LpCommunicationMap) map =
        lp_communication_map_new(program, network, &library, placement, NULL, NULL);
    guint n = lp_communicators_n(map->communicators, LP_GROUP_EP);
    lp_test_true(label, n > 0);
    for (guint i = 0; i < n; i++) {
        const LpCommunicator *communicator =
            lp_communicators_get(map->communicators, LP_GROUP_EP, i);
        g_autoptr(LpExchangeLoads) pairs = lp_exchange_loads_new(map->layout, communicator, FALSE);
        g_autoptr(LpExchangeLoads) blocks = lp_exchange_loads_new(map->layout, communicator, TRUE);
        lp_test_true(label, agree(pairs, blocks));
    }
}

#define BODY                                                                                       \
    "embedding=no layers=1 hidden=256 heads=4 ffn=512 seq=64 pp=1 micro-batch=1 top-k=1 "          \
    "expert-ffn=64 "

/* Of each kind of machine one by hand. */
static void
test_kinds(void)
{
    static const char *const machines[] = {
        "--system=generic --accelerators=64 --domain-size=8 --leaf-ports=16 --oversubscription=4",
        "--system=dgx-h100 --accelerators=64 --oversubscription=2",
        "--system=generic --accelerators=64 --domain-size=8 --nics-per-domain=8 --port-order=rail "
        "--joined-rails=no --leaf-ports=4",
        "--system=generic --accelerators=64 --domain-size=8 --nics-per-domain=4 --port-order=rail "
        "--joined-rails=no --leaf-ports=4",
        "--system=generic --accelerators=64 --domain-size=4 --leaf-ports=16 --path-choice=hash "
        "--paths=4 --oversubscription=2",
        "--system=generic --accelerators=64 --domain-size=4 --nics-per-domain=4 "
        "--topology=dragonfly --group-routers=4 --router-ports=4 --local-links=1 --global-links=1",
        "--system=generic --accelerators=64 --domain-size=4 --nics-per-domain=4 "
        "--topology=dragonfly-plus --group-routers=4 --router-ports=4 --group-spines=2 "
        "--global-links=2",
        "--system=generic --accelerators=64 --domain-size=1 --topology=torus --dimensions=4x4x4",
        "--system=generic --accelerators=64 --domain-size=1 --topology=torus --dimensions=4x16 "
        "--turns=no",
        "--system=generic --accelerators=64 --domain-size=4 --leaf-ports=16 --pod-domains=4 "
        "--pod-bandwidth=50GBps",
        "--system=generic --accelerators=64 --domain-size=8 --nics-per-domain=8 "
        "--topology=crossbar "
        "--pcie-ports=2 --pcie-bandwidth=20GBps",
        "--system=polaris --accelerators=64",
    };
    for (guint i = 0; i < G_N_ELEMENTS(machines); i++) {
        check(machines[i], BODY "tp=1 dp=64 ep=64 experts=64 global-batch=64");
        check(machines[i], BODY "tp=2 dp=32 ep=16 experts=16 global-batch=32");
        check(machines[i], BODY "tp=1 dp=48 ep=24 experts=24 global-batch=48");
    }
}

static guint32
draw_of(GRand *random, const guint32 *values, guint n)
{
    return values[g_rand_int_range(random, 0, (gint32)n)];
}

static void
test_drawn(void)
{
    static const guint32 sizes[] = {1, 2, 4, 8}, leaves[] = {4, 8, 16}, ratios[] = {1, 2, 4};
    static const char *const orders[] = {"--port-order=node", "--port-order=rail",
                                         "--port-order=rail --joined-rails=no"};
    GRand *random = g_rand_new_with_seed(SEED);
    for (guint i = 0; i < N_DRAWN; i++) {
        guint32 size = draw_of(random, sizes, G_N_ELEMENTS(sizes));
        guint32 drawn = draw_of(random, leaves, G_N_ELEMENTS(leaves)), leaf = MAX(drawn, size);
        guint32 ratio = draw_of(random, ratios, G_N_ELEMENTS(ratios));
        const char *order =
            size == 1 ? orders[0] : orders[g_rand_int_range(random, 0, G_N_ELEMENTS(orders))];
        const char *paths =
            order == orders[0] && g_rand_boolean(random) ? "--path-choice=hash --paths=4" : "";
        guint32 ep = 2u << g_rand_int_range(random, 0, 6);
        g_autofree char *options = g_strdup_printf(
            "--system=generic --accelerators=64 --domain-size=%u --nics-per-domain=%u "
            "--leaf-ports=%u --oversubscription=%u %s %s",
            size, size, leaf, ratio, order, paths);
        g_autofree char *settings =
            g_strdup_printf(BODY "tp=1 dp=64 ep=%u experts=%u global-batch=64", ep, ep);
        check(options, settings);
    }
    g_rand_free(random);
}

int
main(void)
{
    static const LpTestCase cases[] = {{"kinds", test_kinds}, {"drawn", test_drawn}, {NULL, NULL}};
    return lp_test_run("exchange_loads", cases);
}
