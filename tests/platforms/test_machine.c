/* SPDX-License-Identifier: Apache-2.0 */
/* Machine views: ports, tiers and facts, worked out by hand. */
#include "platforms/machine/machine.h"

#include "platforms/machine/describe.h"
#include "tests/support/small_machine.h"
#include "tests/support/generated.h"
#include "tests/testlib.h"

#include <string.h>

static void
test_view(void)
{
    g_autoptr(LpMachine) machine = lp_small_machine_load_good(&lp_small_machine);
    lp_test_text("system", machine->system, "test");
    lp_test_text("accelerator", machine->accelerator.name, "a100-80");
    lp_test_true("counts", machine->n_accelerators == 16 && machine->domain_size == 4 &&
                               lp_machine_n_domains(machine) == 4 &&
                               machine->cards_per_domain == 2 && machine->unit_domains == 2 &&
                               lp_machine_n_ports(machine) == 8);
    lp_test_true("technology",
                 machine->cluster[LP_ATTACHMENT_SCALE_UP].technology == LP_TECHNOLOGY_ELECTRICAL &&
                     machine->cluster[LP_ATTACHMENT_SCALE_OUT].technology == LP_TECHNOLOGY_OPTICAL);
    lp_test_close("share of a card", lp_machine_scale_out_bytes_per_s(machine), 5e9, 1e-15);
    lp_test_true("within", lp_machine_attachment(machine, 4, 7) == LP_ATTACHMENT_SCALE_UP);
    lp_test_true("across", lp_machine_attachment(machine, 3, 4) == LP_ATTACHMENT_SCALE_OUT);
}

/* (unit, rail, domain in unit), worked out by hand for units of two domains with two cards. */
static void
test_rail_ports(void)
{
    static const struct {
        guint64 accelerator, port;
        const char *host;
    } rows[] = {{0, 0, "o-0.x"},  {1, 0, "o-0.x"}, {2, 2, "o-2.x"}, {3, 2, "o-2.x"},
                {4, 1, "o-1.x"},  {6, 3, "o-3.x"}, {8, 4, "o-4.x"}, {10, 6, "o-6.x"},
                {12, 5, "o-5.x"}, {15, 7, "o-7.x"}};
    g_autoptr(LpMachine) machine = lp_small_machine_load_good(&lp_small_machine);
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *out =
            lp_machine_host_name(machine, rows[i].accelerator, LP_ATTACHMENT_SCALE_OUT);
        g_autofree char *up =
            lp_machine_host_name(machine, rows[i].accelerator, LP_ATTACHMENT_SCALE_UP);
        g_autofree char *wanted = g_strdup_printf("u-%d", (int)rows[i].accelerator);
        lp_test_true(rows[i].host, lp_machine_port(machine, rows[i].accelerator,
                                                   LP_ATTACHMENT_SCALE_OUT) == rows[i].port);
        lp_test_text(rows[i].host, out, rows[i].host);
        lp_test_text(rows[i].host, up, wanted);
    }
}

static void
test_node_ports(void)
{
    LpSmallMachine parts = lp_small_machine;
    parts.out = OUT;
    parts.out_props = NODE_PROPS;
    g_autoptr(LpMachine) machine = lp_small_machine_load_good(&parts);
    for (guint64 accelerator = 0; accelerator < 16; accelerator++)
        lp_test_true("two share a card",
                     lp_machine_port(machine, accelerator, LP_ATTACHMENT_SCALE_OUT) ==
                         accelerator / 2);
}

/* No two ports share an index, whatever the order. */
static void
test_ports_are_distinct(void)
{
    static const char *const names[] = {"dgx-a100-1024", "dgx-h100-64", "polaris-64",
                                        "optical-substrate-1024", "generic-16"};
    for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *path = g_strdup_printf("resource:///lightpath/platforms/%s.xml", names[i]);
        g_autoptr(GError) error = NULL;
        g_autoptr(LpMachine) machine = lp_machine_load(path, &error);
        lp_test_true(names[i], machine != NULL);
        guint64 n_hosts = machine->cluster[LP_ATTACHMENT_SCALE_OUT].n_hosts;
        guint32 sharing = machine->domain_size / machine->cards_per_domain;
        g_autofree guint32 *users = g_new0(guint32, n_hosts);
        gboolean inside = lp_machine_n_ports(machine) <= n_hosts;
        for (guint64 a = 0; a < machine->n_accelerators && inside; a++)
            users[lp_machine_port(machine, a, LP_ATTACHMENT_SCALE_OUT)]++;
        for (guint64 port = 0; port < n_hosts && inside; port++)
            inside = users[port] == 0 || users[port] == sharing;
        lp_test_true(names[i], inside);
    }
}

/* Spans and latencies by hand: links of 2 us, two for each level climbed. */
static void
test_tiers(void)
{
    static const struct {
        const char *label, *out, *props;
        guint32 n_tiers;
        guint64 span[3];
        double latency_s[3];
    } rows[] = {
        {"crossbar", OUT, NODE_PROPS, 1, {4}, {4e-6}},
        {"one level", TREE("1;8;1;1"), NODE_PROPS, 1, {4}, {4e-6}},
        {"rail, two leaves a rail", TREE("2;2,4;1,2;1,1"), RAIL_PROPS, 2, {2, 4}, {4e-6, 8e-6}},
        {"rail, one leaf a rail",
         TREE("2;4,2;1,4;1,1"),
         ROLE_OUT RAIL("4") OUT_REST_PROPS,
         1,
         {4},
         {4e-6}},
        {"node, a domain a leaf", TREE("2;2,4;1,2;1,1"), NODE_PROPS, 2, {1, 4}, {4e-6, 8e-6}},
        {"node, two domains a leaf", TREE("2;4,2;1,4;1,1"), NODE_PROPS, 2, {2, 4}, {4e-6, 8e-6}},
        {"node, half a domain a leaf", TREE("2;1,8;1,1;1,1"), NODE_PROPS, 1, {4}, {8e-6}},
        {"rail, three levels, unit below",
         TREE("3;1,2,4;1,1,2;1,1,1"),
         RAIL_PROPS,
         3,
         {1, 2, 4},
         {4e-6, 8e-6, 12e-6}},
        {"rail, three levels, units below",
         TREE("3;2,2,2;1,2,2;1,1,1"),
         RAIL_PROPS,
         2,
         {2, 4},
         {4e-6, 12e-6}},
        {"node, three levels",
         TREE("3;2,2,2;1,2,2;1,1,1"),
         NODE_PROPS,
         3,
         {1, 2, 4},
         {4e-6, 8e-6, 12e-6}},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpSmallMachine parts = lp_small_machine;
        parts.out = rows[i].out;
        parts.out_props = rows[i].props;
        g_autoptr(LpMachine) machine = lp_small_machine_load_good(&parts);
        LpFabric fabric = lp_machine_fabric(machine);
        lp_test_true(rows[i].label, fabric.n_tiers == rows[i].n_tiers && fabric.domain_size == 4);
        lp_test_close(rows[i].label, fabric.scale_up_latency_s, 2e-6, 1e-15);
        lp_test_close(rows[i].label, fabric.scale_up_bytes_per_s, 100e9, 1e-15);
        lp_test_close(rows[i].label, fabric.scale_out_bytes_per_s, 5e9, 1e-15);
        for (guint32 tier = 0; tier < rows[i].n_tiers; tier++) {
            lp_test_true(rows[i].label, fabric.tiers[tier].span_domains == rows[i].span[tier]);
            lp_test_close(rows[i].label, fabric.tiers[tier].latency_s, rows[i].latency_s[tier],
                          1e-15);
        }
    }
}

static void
test_facts(void)
{
    static const struct {
        const char *label, *out, *props;
        double bisection_bytes_per_s, oversubscription;
        guint64 n_leaf_links; /* 0: no such tier */
    } rows[] = {
        {"crossbar", OUT, NODE_PROPS, 40e9, 1, 0},
        {"non-blocking", TREE("2;2,4;1,2;1,1"), RAIL_PROPS, 40e9, 1, 8},
        {"2:1", TREE("2;2,4;1,1;1,1"), RAIL_PROPS, 20e9, 2, 4},
        {"4:1, but rails stay below leaves", TREE("2;4,2;1,1;1,1"),
         ROLE_OUT RAIL("4") OUT_REST_PROPS, 40e9, 4, 2},
        {"4:1", TREE("2;4,2;1,1;1,1"), NODE_PROPS, 10e9, 4, 2},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpSmallMachine parts = lp_small_machine;
        parts.out = rows[i].out;
        parts.out_props = rows[i].props;
        g_autoptr(LpMachine) machine = lp_small_machine_load_good(&parts);
        LpMachineFacts facts = lp_machine_facts(machine);
        lp_test_close(rows[i].label, facts.bisection_bytes_per_s, rows[i].bisection_bytes_per_s,
                      1e-15);
        lp_test_close(rows[i].label, facts.oversubscription, rows[i].oversubscription, 1e-15);
        lp_test_true(rows[i].label, facts.n_domains == 4 && facts.tiers[0].n_links == 16 &&
                                        facts.tiers[1].n_links == 8);
        lp_test_true(rows[i].label, facts.n_tiers == (rows[i].n_leaf_links > 0 ? 3 : 2) &&
                                        (rows[i].n_leaf_links == 0 ||
                                         facts.tiers[2].n_links == rows[i].n_leaf_links));
    }
}

/* Bisections of generated machines by hand: links of 25 GB/s, one accelerator a domain. */
static void
test_bisection(void)
{
    static const struct {
        const char *label;
        const char *options;
        double n_links, oversubscription;
    } rows[] = {
        {"torus 8 x 8 x 8", "--accelerators=512 --topology=torus", 2 * 64, 2},
        /* The longest dimension is cut twice, since it wraps around. */
        {"torus 4 x 4 x 16", "--accelerators=256 --topology=torus --dimensions=4x4x16", 2 * 16, 4},
        /* Halves need an even dimension: 2 * 5 links and not 2 * 4. */
        {"torus 5 x 4", "--accelerators=20 --topology=torus --dimensions=5x4", 2 * 5, 1},
        {"torus 5 x 3", "--accelerators=15 --topology=torus --dimensions=5x3", 2 * 3, 1.25},
        /* A ring of two has no way round. */
        {"torus 2 x 4", "--accelerators=8 --topology=torus --dimensions=2x4", 4, 1},
        {"ring", "--accelerators=16 --topology=torus --dimensions=1", 2, 4},
        /* 37 groups to 37, 4 links each. */
        {"dragonfly of 74",
         "--accelerators=37888 --topology=dragonfly --group-routers=32 --router-ports=16 "
         "--global-links=4",
         37 * 37 * 4, 512.0 / (73 * 4)},
        {"three groups", "--accelerators=96 --topology=dragonfly", 2, 16},
        /* 4 routers to 4. */
        {"one group", "--accelerators=32 --topology=dragonfly", 16, 1},
        {"groups of ports only",
         "--accelerators=2 --topology=dragonfly --group-routers=1 --router-ports=1 "
         "--global-links=4",
         1, 0.25},
        {"dragonfly+",
         "--accelerators=64 --topology=dragonfly-plus --router-ports=4 --group-routers=4 "
         "--global-links=3",
         2 * 2 * 3, 16.0 / 9},
        {"leaves of one group",
         "--accelerators=16 --topology=dragonfly-plus --router-ports=4 --group-routers=4 "
         "--group-spines=2",
         2 * 2, 1},
        {"three levels, 2:1 twice",
         "--accelerators=256 --leaf-ports=8 --levels=3 --oversubscription=2 "
         "--spine-oversubscription=2",
         256 / 4 / 2, 4},
        /* Four planes of a quarter each. */
        {"planes", "--accelerators=64 --leaf-ports=8 --planes=4", 32, 1},
        {"PCIe",
         "--accelerators=64 --domain-size=8 --topology=crossbar --pcie-ports=2 "
         "--pcie-bandwidth=25GBps",
         16, 1},
        /* Not narrowed by the top, which is there for SimGrid alone. */
        {"rails that never meet",
         "--system=rail-only --accelerators=1024 --scale-out-bandwidth=25GBps", 512, 1},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        gboolean is_generic = strstr(rows[i].options, "--system=") == NULL;
        g_autofree char *options =
            g_strconcat(is_generic ? "--domain-size=1 " : "", rows[i].options, NULL);
        g_autoptr(GError) error = NULL;
        g_autoptr(LpMachine) machine = lp_generated_machine(options, &error);
        lp_test_text(rows[i].label, error != NULL ? error->message : "", "");
        if (machine == NULL)
            continue;
        LpMachineFacts facts = lp_machine_facts(machine);
        lp_test_close(rows[i].label, facts.bisection_bytes_per_s, rows[i].n_links * 25e9, 1e-12);
        lp_test_close(rows[i].label, facts.oversubscription, rows[i].oversubscription, 1e-12);
        lp_test_true(rows[i].label, !facts.is_published);
    }
}

/* The systems whose sources have a bisection: within what the sources round. */
static void
test_published(void)
{
    static const struct {
        const char *system, *accelerators;
        double bytes_per_s, tolerance;
    } rows[] = {{"tpu-v4", "4096", 24e12, 0.07}, {"summit", "27648", 57.5e12, 0.01}};
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *options =
            g_strdup_printf("--system=%s --accelerators=%s", rows[i].system, rows[i].accelerators);
        g_autoptr(LpMachine) machine = lp_generated_machine(options, NULL);
        LpMachineFacts facts = lp_machine_facts(machine);
        lp_test_true(rows[i].system, facts.is_published);
        lp_test_close(rows[i].system, facts.published_bytes_per_s, rows[i].bytes_per_s, 1e-12);
        lp_test_close(rows[i].system, facts.bisection_bytes_per_s, rows[i].bytes_per_s,
                      rows[i].tolerance);
        lp_test_close(rows[i].system, facts.published_deviation,
                      facts.bisection_bytes_per_s / rows[i].bytes_per_s - 1, 1e-12);
    }
}

/* A hash decides alike each time, otherwise for another seed or class, and deals out evenly. */
static void
test_paths(void)
{
    g_autoptr(LpMachine) machine = lp_generated_machine(
        "--system=generic --accelerators=1024 --domain-size=1 --path-choice=hash --paths=16", NULL);
    guint n_paths[16] = {0}, n_other_class = 0, n_other_seed = 0;
    for (guint64 a = 0; a < 1024; a++) {
        guint32 path = lp_machine_path(machine, a, (a + 32) % 1024, LP_TRAFFIC_DP);
        n_paths[path]++;
        n_other_class += path != lp_machine_path(machine, a, (a + 32) % 1024, LP_TRAFFIC_PP);
        machine->path_seed = 2;
        n_other_seed += path != lp_machine_path(machine, a, (a + 32) % 1024, LP_TRAFFIC_DP);
        machine->path_seed = 1;
    }
    /* 64 are expected of each, with a deviation of about 8; 960 of 1024 differ by chance. */
    for (guint i = 0; i < 16; i++)
        lp_test_true("evenly", n_paths[i] > 32 && n_paths[i] < 96);
    lp_test_true("by class", n_other_class > 900 && n_other_class < 1010);
    lp_test_true("by seed", n_other_seed > 900 && n_other_seed < 1010);
}

static void
test_single_domain(void)
{
    LpSmallMachine parts = lp_small_machine;
    parts.up_props = ROLE_UP "<prop id='accelerator' value='a100-80'/>"
                             "<prop id='domain-size' value='16'/>"
                             "<prop id='technology' value='optical'/>"
                             "<prop id='energy-per-bit' value='5pJ/bit'/>";
    parts.out = NULL;
    g_autoptr(LpMachine) machine = lp_small_machine_load_good(&parts);
    lp_test_true("one domain", !machine->has_scale_out && lp_machine_n_domains(machine) == 1);
    lp_test_close("no scale-out", lp_machine_scale_out_bytes_per_s(machine), 0, 0);
    lp_test_close("energy", machine->cluster[LP_ATTACHMENT_SCALE_UP].energy_j_per_bit, 5e-12,
                  1e-15);
    lp_test_true("tiers",
                 lp_machine_fabric(machine).n_tiers == 1 && lp_machine_facts(machine).n_tiers == 1);
}

int
main(void)
{
    static const LpTestCase cases[] = {{"view", test_view},
                                       {"rail ports", test_rail_ports},
                                       {"node ports", test_node_ports},
                                       {"ports are distinct", test_ports_are_distinct},
                                       {"tiers", test_tiers},
                                       {"facts", test_facts},
                                       {"bisection", test_bisection},
                                       {"published", test_published},
                                       {"paths", test_paths},
                                       {"single domain", test_single_domain},
                                       {NULL, NULL}};
    return lp_test_run("machine", cases);
}
