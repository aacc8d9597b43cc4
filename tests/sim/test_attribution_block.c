/* SPDX-License-Identifier: Apache-2.0 */
/* What a run of an attribution leaves behind: its parts follow each other and fill the block. */
#include "sim/run/attribution.h"
#include "sim/run/attribution_run.h"

#include "tests/support/small_machine.h"
#include "tests/testlib.h"

static void
test_block(void)
{
    for (guint n = 1; n <= 5; n += 2) {
        g_autoptr(GPtrArray) jobs = g_ptr_array_new();
        g_ptr_array_set_size(jobs, (gint)n);
        const LpScenarioSetup setup = {.jobs = jobs};
        const LpAttributionRun records = {.scenario_setup = &setup, .kind = LP_ATTRIBUTED_RECORD},
                               other = {.scenario_setup = &setup, .kind = LP_ATTRIBUTED_TIER};
        g_autofree guint8 *block = g_malloc(lp_attribution_run_bytes(&records));
        guint8 *results = (guint8 *)lp_attribution_run_results(block),
               *waits = (guint8 *)lp_attribution_run_waits(&setup, block),
               *flows = lp_attribution_run_flows(&setup, block);
        lp_test_true("results", results == block + sizeof(LpAttributionRunHead));
        lp_test_true("waits", waits == results + n * sizeof(LpRunResult));
        lp_test_true("flows", flows == waits + n * sizeof(LpAttributionWaits));
        lp_test_true("all", lp_attribution_run_bytes(&records) ==
                                (gsize)(flows - block) + lp_attribution_flows_bytes(n));
        lp_test_true("no record", lp_attribution_run_bytes(&other) == (gsize)(waits - block));
    }
}

/* Of a summary in a block no part lies in another, and the last ends in it. */
static void
test_summary(void)
{
    for (guint n = 1; n <= 5; n += 2) {
        gsize size = lp_attribution_flows_bytes(n);
        g_autofree guint8 *block = g_malloc0(size);
        LpAttributionFlows flows = lp_attribution_flows_in(block, n);
        guint8 *links = (guint8 *)flows.links, *crossings = (guint8 *)flows.crossings;
        gsize n_links = (gsize)n * LP_SUMMARY_LINKS;
        lp_test_true("tiers", (guint8 *)flows.tier_lost_s == block);
        lp_test_true("slowdowns",
                     (guint8 *)flows.slowdowns == block + sizeof(double) * n * LP_N_TIERS);
        lp_test_true("links", links == (guint8 *)(flows.slowdowns + flows.n_kinds));
        lp_test_true("crossings", crossings == links + sizeof(LpBottleneckLink) * n_links);
        lp_test_true("end",
                     crossings + sizeof(LpCrossing) * n_links * flows.n_kinds == block + size);
        lp_test_true("of a link",
                     lp_attribution_flows_crossings(&flows, n - 1, 2) ==
                         flows.crossings + flows.n_kinds * ((n - 1) * LP_SUMMARY_LINKS + 2));
    }
}

/* A link costs its part of the seconds that its tier's links held flows back; nothing where they
 * did not. */
static void
test_link(void)
{
    g_autoptr(LpMachine) machine = lp_small_machine_load_good(&lp_small_machine);
    g_autoptr(LpNetwork) network = lp_network_new(machine);
    const LpScenarioSetup setup = {.network = network};
    LpTier tier = lp_network_link(network, 0).tier;
    LpAttribution job = {.total_s = 3.0};
    job.tier_s[tier] = 3.0;
    g_autofree void *block = g_malloc0(lp_attribution_flows_bytes(1));
    LpAttributions all = {.jobs = &job, .flows = lp_attribution_flows_in(block, 1)};
    all.flows.links[1] = (LpBottleneckLink){.link = 0, .n_alike = 2, .lost_s = 0.5};
    lp_test_close("nothing", lp_attributions_link_s(&all, &setup, 0, 1), 0.0, 0.0);
    all.flows.tier_lost_s[tier] = 4.0;
    lp_test_close("a quarter", lp_attributions_link_s(&all, &setup, 0, 1), 0.75, 0.0);
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"block", test_block}, {"summary", test_summary}, {"link", test_link}, {NULL, NULL}};
    return lp_test_run("blocks of attributions", cases);
}
