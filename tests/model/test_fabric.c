/* SPDX-License-Identifier: Apache-2.0 */
#include "model/network/fabric.h"
#include "tests/testlib.h"

/* Domains of 4; leaves of 2 domains; pods of 8 domains; everything. */
static const LpFabric fabric = {
    .domain_size = 4,
    .scale_up_bytes_per_s = 300.0,
    .scale_up_latency_s = 1.0,
    .scale_out_bytes_per_s = 25.0,
    .n_tiers = 3,
    .tiers = {{2, 3.0}, {8, 5.0}, {1000, 7.0}},
};

static void
test_pairs(void)
{
    static const struct {
        const char *label;
        guint64 a, b;
        double latency_s, bytes_per_s;
    } rows[] = {
        {"to itself", 5, 5, 0.0, 300.0},
        {"in a domain", 0, 3, 1.0, 300.0},
        {"next domain, one leaf", 3, 4, 3.0, 25.0},
        {"next domain, next leaf", 7, 8, 5.0, 25.0},
        {"next pod", 31, 32, 7.0, 25.0},
        {"backward", 32, 31, 7.0, 25.0},
        {"beyond the last span", 0, G_MAXUINT32, 7.0, 25.0},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        lp_test_close(rows[i].label, lp_fabric_latency_s(&fabric, rows[i].a, rows[i].b),
                      rows[i].latency_s, 0.0);
        lp_test_close(rows[i].label, lp_fabric_bytes_per_s(&fabric, rows[i].a, rows[i].b),
                      rows[i].bytes_per_s, 0.0);
    }
}

/* Two accelerators a card, so two rails of a domain of 4; a change of rail costs a spine, 5. */
static void
test_rails(void)
{
    static const struct {
        const char *label;
        guint64 a, b;
        double latency_s;
    } rows[] = {
        {"other rail, same domain", 0, 3, 1.0}, {"same card", 0, 5, 3.0},
        {"same rail, one leaf", 2, 7, 3.0},     {"other rail, one leaf", 3, 4, 5.0},
        {"other rail, next leaf", 7, 8, 5.0},   {"other rail, next pod", 31, 32, 7.0},
    };
    LpFabric railed = fabric;
    railed.n_rails = 2;
    railed.rail_change_latency_s = 5.0;
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
        lp_test_close(rows[i].label, lp_fabric_latency_s(&railed, rows[i].a, rows[i].b),
                      rows[i].latency_s, 0.0);
}

/* Domains of four with two cards, in units of two domains: first the first cards of both, then the
 * second ones; the next unit follows. */
static void
test_ports(void)
{
    static const guint64 ports[] = {0, 0, 2, 2, 1, 1, 3, 3, 4, 4, 6, 6, 5, 5, 7, 7};
    LpFabric cards = fabric;
    cards.n_cards = 2;
    cards.unit_domains = 2;
    for (guint64 i = 0; i < G_N_ELEMENTS(ports); i++)
        lp_test_true("card by card", lp_fabric_port(&cards, i) == ports[i]);
    cards.unit_domains = 1;
    for (guint64 i = 0; i < G_N_ELEMENTS(ports); i++)
        lp_test_true("domain by domain", lp_fabric_port(&cards, i) == i / 2);
}

static void
test_no_tiers(void)
{
    LpFabric alone = {.domain_size = 2, .scale_up_bytes_per_s = 1.0};
    lp_test_close("no tiers, no latency", lp_fabric_latency_s(&alone, 0, 5), 0.0, 0.0);
}

static void
test_ring(void)
{
    static const struct {
        const char *label;
        guint64 stride, n;
        double latency_s, bytes_per_s;
    } rows[] = {
        {"one rank", 1, 1, 0.0, 300.0},
        {"two ranks of a domain", 1, 2, 1.0, 300.0},
        {"a whole domain", 1, 4, 1.0, 300.0},
        {"one too many", 1, 5, 3.0, 25.0},
        {"one each domain of a leaf", 4, 2, 3.0, 25.0},
        {"three leaves", 8, 3, 5.0, 25.0},
        {"one domain beyond a pod", 1, 33, 7.0, 25.0},
        {"large", 1, 1 << 20, 7.0, 25.0},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpFabricConnection connection =
            lp_fabric_ring_connection(&fabric, rows[i].stride, rows[i].n);
        lp_test_close(rows[i].label, connection.latency_s, rows[i].latency_s, 0.0);
        lp_test_close(rows[i].label, connection.bytes_per_s, rows[i].bytes_per_s, 0.0);
    }
}

static void
test_times(void)
{
    LpFabricConnection connection = {.latency_s = 2.0, .bytes_per_s = 10.0};
    lp_test_close("message: 2 + 100/10", lp_fabric_connection_message_s(&connection, 100.0), 12.0,
                  0.0);
    lp_test_close("message of nothing", lp_fabric_connection_message_s(&connection, 0.0), 2.0, 0.0);
    lp_test_close("all-reduce of one rank",
                  lp_fabric_connection_all_reduce_s(&connection, 1, 100.0), 0.0, 0.0);
    lp_test_close("of two: 2 * 2 + 100/10",
                  lp_fabric_connection_all_reduce_s(&connection, 2, 100.0), 14.0, 1e-15);
    lp_test_close("of five: 8 * 2 + 1.6 * 10",
                  lp_fabric_connection_all_reduce_s(&connection, 5, 100.0), 32.0, 1e-15);
    lp_test_close("of nothing", lp_fabric_connection_all_reduce_s(&connection, 5, 0.0), 16.0, 0.0);
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"pairs", test_pairs}, {"rails", test_rails},
        {"ports", test_ports}, {"no tiers", test_no_tiers},
        {"ring", test_ring},   {"times", test_times},
        {NULL, NULL},
    };
    return lp_test_run("fabric", cases);
}
