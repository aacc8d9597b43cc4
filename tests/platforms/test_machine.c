/* SPDX-License-Identifier: Apache-2.0 */
/* Machine views: ports, tiers and facts, worked out by hand. */
#include "platforms/machine.h"

#include "platforms/describe.h"
#include "tests/platforms/small_machine.h"
#include "tests/testlib.h"

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
                                       {"single domain", test_single_domain},
                                       {NULL, NULL}};
    return lp_test_run("machine", cases);
}
