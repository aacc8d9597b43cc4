/* SPDX-License-Identifier: Apache-2.0 */
/* Price and power of Opus (arXiv 2602.12521) from its constants, to the printed digit. */
#include "model/network/network_cost.h"

#include "tests/testlib.h"

/* The constants of Opus's repository: 400G, 64-port switches; 800G, 144-port switches; the ports
 * of a Polatis 6000N. */
#define OCS_PORT 520.0, 75.0 / 192
static const LpNetworkParts electrical_400g = {879, 10, 37299.0 / 64, 2524.0 / 64};
static const LpNetworkParts electrical_800g = {879, 16, 149939.0 / 144, 7000.0 / 144};
static const LpNetworkParts optical_400g = {879, 10, OCS_PORT};
static const LpNetworkParts optical_800g = {879, 16, OCS_PORT};

static void
test_text_of(const char *label, const char *format, double got, const char *wanted)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE];
    g_ascii_formatd(text, sizeof text, format, got);
    lp_test_text(label, text, wanted);
}

static void
test_opus_h200(void)
{
    LpNetworkCount rails = lp_network_count_rails(256, 8, LP_TRANSCEIVERS_BOTH);
    LpNetworkCount circuits = lp_network_count_circuits(2048, 2);
    lp_test_true("ports", rails.n_host_ports == 2048 && rails.n_switch_ports == 10240 &&
                              rails.n_transceivers == 12288);
    lp_test_true("circuit ports",
                 circuits.n_switch_ports == 4096 && circuits.n_transceivers == 2048);
    LpNetworkCost rail = lp_network_cost(&rails, &electrical_400g);
    LpNetworkCost opus = lp_network_cost(&circuits, &optical_400g);
    test_text_of("rail price", "%.2f", rail.price_usd / 1e6, "16.77");
    test_text_of("rail power", "%.1f", rail.power_w / 1e3, "526.7");
    test_text_of("Opus price", "%.2f", opus.price_usd / 1e6, "3.93");
    test_text_of("Opus power", "%.1f", opus.power_w / 1e3, "22.1");
    test_text_of("price", "%.2f", rail.price_usd / opus.price_usd, "4.27");
    test_text_of("power", "%.1f", rail.power_w / opus.power_w, "23.9");
}

/* 64 domains of 32. Its switches are reached by passive cables: no transceivers there. */
static void
test_opus_gb200(void)
{
    LpNetworkCount rails = lp_network_count_rails(64, 32, LP_TRANSCEIVERS_HOST);
    LpNetworkCount circuits = lp_network_count_circuits(2048, 2);
    LpNetworkCost rail = lp_network_cost(&rails, &electrical_800g);
    LpNetworkCost opus = lp_network_cost(&circuits, &optical_800g);
    test_text_of("price", "%.2f", rail.price_usd / opus.price_usd, "3.17");
    test_text_of("power", "%.1f", rail.power_w / opus.power_w, "15.4");
}

/* Optics counted alike, as nobody has published it: at both ends of electrical links in the
 * GB200 case too; and a transceiver for each of the two circuits that a host holds at a time, in
 * place of one for both. Numbers of our own, by hand:
 * 10,240 ports of 1,041.243 USD and 12,288 transceivers, over 2.13 MUSD and 879 a transceiver. */
static void
test_both_sides(void)
{
    LpNetworkCount both = lp_network_count_rails(64, 32, LP_TRANSCEIVERS_BOTH);
    LpNetworkCount h200 = lp_network_count_rails(256, 8, LP_TRANSCEIVERS_BOTH);
    LpNetworkCount one = lp_network_count_circuits(2048, 2);
    LpNetworkCount two = one;
    two.n_transceivers = two.n_switch_ports;
    LpNetworkCost gb200 = lp_network_cost(&both, &electrical_800g);
    LpNetworkCost gb200_one = lp_network_cost(&one, &optical_800g);
    LpNetworkCost gb200_two = lp_network_cost(&two, &optical_800g);
    LpNetworkCost rail = lp_network_cost(&h200, &electrical_400g);
    LpNetworkCost h200_two = lp_network_cost(&two, &optical_400g);
    test_text_of("GB200, price", "%.2f", gb200.price_usd / gb200_one.price_usd, "5.46");
    test_text_of("GB200, power", "%.1f", gb200.power_w / gb200_one.power_w, "20.2");
    test_text_of("GB200, two, price", "%.2f", gb200.price_usd / gb200_two.price_usd, "3.75");
    test_text_of("GB200, two, power", "%.1f", gb200.power_w / gb200_two.power_w, "10.3");
    test_text_of("H200, two, price", "%.2f", rail.price_usd / h200_two.price_usd, "2.93");
    test_text_of("H200, two, power", "%.1f", rail.power_w / h200_two.power_w, "12.4");
}

static void
test_fat_tree(void)
{
    static const struct {
        const char *label;
        guint64 n_hosts, n_switch_ports;
    } rows[] = {
        {"1", 1, 10},             /* k = 2: 2 (4 + 1) */
        {"16", 16, 80},           /* k = 4: 4 (16 + 4), Al-Fares' example: 20 switches of 4 */
        {"10.3", 1024, 5120},     /* k = 16 */
        {"2048", 2048, 10000},    /* k = 20: 20 (400 + 100) */
        {"65536", 65536, 327680}, /* k = 64 */
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpNetworkCount count = lp_network_count_fat_tree(rows[i].n_hosts, LP_TRANSCEIVERS_HOST);
        lp_test_true(rows[i].label, count.n_switch_ports == rows[i].n_switch_ports &&
                                        count.n_transceivers == rows[i].n_hosts);
    }
}

/* Nothing costs nothing, a domain alone is no division by zero. */
static void
test_small(void)
{
    LpNetworkCount none = lp_network_count_circuits(0, 2);
    LpNetworkCost cost = lp_network_cost(&none, &optical_400g);
    lp_test_true("none", cost.price_usd <= 0.0 && cost.power_w <= 0.0);
    LpNetworkCount rails = lp_network_count_rails(1, 1, LP_TRANSCEIVERS_BOTH);
    lp_test_true("one", rails.n_host_ports == 1 && rails.n_switch_ports == 4);
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"Opus, H200", test_opus_h200},  {"Opus, GB200", test_opus_gb200},
        {"both sides", test_both_sides}, {"fat tree", test_fat_tree},
        {"small", test_small},           {NULL, NULL}};
    return lp_test_run("network cost", cases);
}
