/* SPDX-License-Identifier: Apache-2.0 */
/* Flows of unequal bytes that share cards: whoever ends leaves its share to the others. */
#include "sim/analysis/port_shares.h"

#include "tests/support/small_machine.h"
#include "tests/testlib.h"

/* Of domains of four with two cards of 10 GB/s: 0 and 1 have one of them, 2 and 3 the other. */
static const struct {
    const char *label;
    guint32 n;
    struct {
        guint64 from, to; /* accelerators; the same: no flow */
        double gigabytes;
    } flows[3];
    double time_s;
    double first_gigabytes_per_s; /* of the first flow, while all flow */
} rows[] = {
    {"one", 1, {{0, 4, 10.0}}, 1.0, 10.0},
    {"two of a card", 2, {{0, 4, 10.0}, {1, 5, 10.0}}, 2.0, 5.0},
    {"unequal ones: the sum over the rate, not twice the larger",
     2,
     {{0, 4, 10.0}, {1, 5, 30.0}},
     4.0,
     5.0},
    {"one with nothing", 2, {{0, 4, 0.0}, {1, 5, 30.0}}, 3.0, 5.0},
    {"cards of their own", 2, {{0, 4, 10.0}, {2, 6, 30.0}}, 3.0, 10.0},
    {"no flow", 2, {{0, 0, 50.0}, {1, 5, 30.0}}, 3.0, 0.0},
    {"one meets another at each end", 3, {{0, 4, 10.0}, {1, 8, 30.0}, {12, 9, 10.0}}, 4.0, 5.0},
    {"in a domain", 2, {{0, 1, 10.0}, {1, 2, 30.0}}, 0.3, 100.0},
};

static void
test_times(void)
{
    g_autoptr(LpMachine) machine = lp_small_machine_load_good(&lp_small_machine);
    g_autoptr(LpNetwork) network = lp_network_new(machine);
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpRoute routes[G_N_ELEMENTS(rows[i].flows)];
        const LpRoute *present[G_N_ELEMENTS(rows[i].flows)] = {NULL};
        guint64 bytes[G_N_ELEMENTS(rows[i].flows)];
        for (guint32 k = 0; k < rows[i].n; k++) {
            guint64 from = rows[i].flows[k].from, to = rows[i].flows[k].to;
            bytes[k] = (guint64)(1e9 * rows[i].flows[k].gigabytes);
            if (from == to)
                continue;
            routes[k] = lp_network_route(network, from, to, LP_TRAFFIC_EP);
            present[k] = &routes[k];
        }
        LpPortShares shares;
        lp_port_shares_init(&shares, network, present, rows[i].n);
        lp_port_shares_find_parts(&shares);
        lp_test_close(rows[i].label, lp_port_shares_time_s(&shares, bytes), rows[i].time_s, 1e-12);
        lp_test_close(rows[i].label, shares.bytes_per_s[0], 1e9 * rows[i].first_gigabytes_per_s,
                      1e-12);
        lp_port_shares_clear(&shares);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"times", test_times},
        {NULL, NULL},
    };
    return lp_test_run("port_shares", cases);
}
