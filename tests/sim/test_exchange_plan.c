/* SPDX-License-Identifier: Apache-2.0 */
/* All-to-alls over few lanes: everyone meets everyone, and mean hops by hand. */
#include "sim/circuits/exchange_plan.h"

#include "tests/testlib.h"

static LpCircuitSwitch
settings_of(double dead_s)
{
    return (LpCircuitSwitch){.is_present = TRUE,
                             .policy = LP_CIRCUIT_POLICY_DEMAND,
                             .n_ports = 1,
                             .n_wavelengths = 1,
                             .reconfiguration_s = dead_s};
}

/* In all rounds together each member meets each other member once, and who meets whom is mutual; no
 * member has more peers in a round than lanes. */
static void
check_rounds(guint32 n, guint32 n_lanes)
{
    LpCircuitSwitch settings = settings_of(0.0);
    LpExchangePlan plan = lp_exchange_plan_choose(n, n_lanes, 1e9, 1e9, &settings);
    g_autofree guint32 *met = g_new0(guint32, n * n);
    g_autofree char *label = g_strdup_printf("%u members, %u lanes", n, n_lanes);
    for (guint32 round = 0; round < plan.n_rounds; round++)
        for (guint32 i = 0; i < n; i++) {
            guint32 peer = 0, k = 0;
            for (; lp_exchange_plan_peer(&plan, round, i, k, &peer); k++)
                met[i * n + peer] += peer != i;
            lp_test_true(label, k <= n_lanes);
        }
    for (guint32 i = 0; i < n; i++)
        for (guint32 k = 0; k < n; k++)
            lp_test_true(label, met[i * n + k] == (i != k));
}

static void
test_rounds(void)
{
    for (guint32 n = 2; n < 20; n++)
        for (guint32 n_lanes = 1; n_lanes < n; n_lanes++)
            check_rounds(n, n_lanes);
}

/* A ring of n members, both ways round: n^2 / 4 hops to all others together if n is even, and
 * (n^2 - 1) / 4 if it is odd; a full mesh has one hop. */
static void
test_hops(void)
{
    guint32 one[] = {1}, mesh[] = {1, 2, 3};
    lp_test_close("ring of 8", lp_exchange_plan_mean_hops(8, one, 1), 16.0 / 7.0, 1e-15);
    lp_test_close("ring of 7", lp_exchange_plan_mean_hops(7, one, 1), 12.0 / 6.0, 1e-15);
    lp_test_close("mesh of 7", lp_exchange_plan_mean_hops(7, mesh, 3), 1.0, 1e-15);
}

/* Forwarding costs (hops - 1) times the bytes, rounds a dead time each: the less of the two. */
static void
test_choice(void)
{
    double bytes = 1e9, bytes_per_s = 1e9, tax_s = 16.0 / 7.0 - 1.0;
    LpCircuitSwitch fast = settings_of(0.99 * tax_s / 4.0), slow = settings_of(1.01 * tax_s / 4.0);
    LpExchangePlan plan = lp_exchange_plan_choose(8, 2, bytes, bytes_per_s, &fast);
    lp_test_true("rounds", plan.exchange == LP_CIRCUIT_EXCHANGE_ROTATE && plan.n_rounds == 4);
    plan = lp_exchange_plan_choose(8, 2, bytes, bytes_per_s, &slow);
    lp_test_true("forwarding", plan.exchange == LP_CIRCUIT_EXCHANGE_RELAY && plan.n_rounds == 1);
    lp_test_close("hops", plan.forwarding, 16.0 / 7.0, 1e-15);
    plan = lp_exchange_plan_choose(8, 7, bytes, bytes_per_s, &slow);
    lp_test_true("direct", plan.exchange == LP_CIRCUIT_EXCHANGE_DIRECT);
    slow.policy = LP_CIRCUIT_POLICY_STATIC;
    plan = lp_exchange_plan_choose(8, 2, bytes, bytes_per_s, &slow);
    lp_test_true("static", plan.exchange == LP_CIRCUIT_EXCHANGE_RELAY);
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"rounds", test_rounds}, {"hops", test_hops}, {"choice", test_choice}, {NULL, NULL}};
    return lp_test_run("exchange plans", cases);
}
