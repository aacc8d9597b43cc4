/* SPDX-License-Identifier: Apache-2.0 */
/* Links between ports: dragonflies by hand. */
#include "model/network/hops.h"

#include "model/network/fabric.h"
#include "tests/testlib.h"

static void
test_dragonfly(void)
{
    /* 3 groups of 4 routers with 2 ports, 8 ports a group. Gates: group 0 leaves to 1 at router 0
     * and to 2 at 1; group 1 to 2 at 0 and to 0 at 1; group 2 to 0 at 0 and to 1 at 1. */
    static const LpDragonfly gates = {3, 1, 1, 1, 4, 1, 0, 2, TRUE};
    /* SimGrid's: 3 groups of 2 rows of 3 routers with 1 port; to group j at row 0, place j. */
    static const LpDragonfly rows_of = {3, 1, 2, 1, 3, 1, 0, 1, FALSE};
    /* 3 groups of 4 leaves with 2 ports, 2 spines. */
    static const LpDragonfly plus = {3, 1, 1, 1, 4, 1, 2, 2, TRUE};
    static const struct {
        const char *label;
        const LpDragonfly *shape;
        guint64 a, b, hops;
    } rows[] = {
        {"one router", &gates, 0, 1, 2},
        {"one group", &gates, 0, 2, 3},
        {"gate to gate", &gates, 0, 10, 3}, /* router 0 of 0 to router 1 of 1 */
        {"to the gate", &gates, 2, 10, 4},  /* router 1 first */
        {"from the gate", &gates, 0, 8, 4}, /* router 0 of 1 */
        {"both", &gates, 6, 14, 5},         /* router 3 to router 3 */
        {"other pair", &gates, 2, 16, 3},   /* 0 leaves to 2 at 1; 2 to 0 at 0 */
        {"row", &rows_of, 0, 1, 3},
        {"column", &rows_of, 0, 3, 3},
        {"row and column", &rows_of, 0, 4, 4},
        {"groups, gate to gate", &rows_of, 1, 6, 3}, /* 0 to 1 at place 1; 1 to 0 at place 0 */
        {"groups, distant", &rows_of, 3, 10, 7},     /* row 1 place 0 to row 1 place 1 */
        {"leaf", &plus, 0, 1, 2},
        {"leaves", &plus, 0, 2, 4},
        {"groups of leaves", &plus, 0, 8, 5},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        lp_test_true(rows[i].label,
                     lp_dragonfly_hops(rows[i].shape, rows[i].a, rows[i].b) == rows[i].hops);
        lp_test_true(rows[i].label,
                     lp_dragonfly_hops(rows[i].shape, rows[i].b, rows[i].a) == rows[i].hops);
    }
}

/* With at most one group a router more than there are routers, each has about as many gates. */
static void
test_gates(void)
{
    static const LpDragonfly frontier = {74, 4, 1, 1, 32, 1, 0, 16, TRUE};
    for (guint32 group = 0; group < frontier.n_groups; group++) {
        guint32 n_gates[32] = {0};
        for (guint32 to = 0; to < frontier.n_groups; to++)
            if (to != group)
                n_gates[lp_dragonfly_gate(&frontier, group, to)]++;
        for (guint32 i = 0; i < 32; i++)
            lp_test_true("73 gates on 32 routers", n_gates[i] == 2 || n_gates[i] == 3);
    }
}

/* The closed form's latencies and rates by these distances, and where messages are relayed. */
static void
test_fabric(void)
{
    LpFabric torus = {.domain_size = 1,
                      .scale_out_bytes_per_s = 50.0,
                      .torus = {3, {4, 4, 4}},
                      .port_sharers = 1,
                      .link_latency_s = 0.5};
    lp_test_close("a step", lp_fabric_latency_s(&torus, 0, 1), 0.5, 0);
    lp_test_close("round the corner", lp_fabric_latency_s(&torus, 0, 3), 0.5, 0);
    lp_test_close("farthest", lp_fabric_latency_s(&torus, 0, 2 + 8 + 32), 3.0, 0);
    /* Ranks 3 and 4 are a step in two dimensions. */
    lp_test_close("a ring over all", lp_fabric_ring_connection(&torus, 1, 64).latency_s, 1.5, 0);
    lp_test_close("a ring of one dimension", lp_fabric_ring_connection(&torus, 16, 4).latency_s,
                  0.5, 0);
    LpFabric shared = {.domain_size = 4,
                       .scale_up_latency_s = 0.25,
                       .dragonfly = {3, 1, 1, 1, 4, 1, 0, 2, TRUE},
                       .port_sharers = 2,
                       .link_latency_s = 1.0};
    lp_test_close("two share a port", lp_fabric_latency_s(&shared, 0, 5), 3.0, 0);
    lp_test_close("a domain", lp_fabric_latency_s(&shared, 0, 3), 0.25, 0);
    LpFabric rails = {.domain_size = 4,
                      .scale_up_bytes_per_s = 40.0,
                      .scale_up_latency_s = 0.25,
                      .scale_out_bytes_per_s = 10.0,
                      .n_tiers = 1,
                      .tiers = {{8, 2.0}},
                      .n_rails = 4,
                      .rails_relay = TRUE};
    lp_test_close("a rail", lp_fabric_latency_s(&rails, 1, 5), 2.0, 0);
    lp_test_close("a rail's rate", lp_fabric_bytes_per_s(&rails, 1, 5), 10.0, 0);
    lp_test_close("relayed", lp_fabric_latency_s(&rails, 1, 6), 2.25, 0);
    lp_test_close("relayed: 1/40 + 1/10 s a byte", lp_fabric_bytes_per_s(&rails, 1, 6), 8.0, 1e-15);
}

int
main(void)
{
    static const LpTestCase cases[] = {{"dragonfly", test_dragonfly},
                                       {"gates", test_gates},
                                       {"fabric", test_fabric},
                                       {NULL, NULL}};
    return lp_test_run("hops", cases);
}
