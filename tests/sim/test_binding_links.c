/* SPDX-License-Identifier: Apache-2.0 */
/* Links that are said to bind nothing change no rate when they are left out; and every crossing is
 * listed once. */
#include "sim/quotient/binding_links.h"

#include "tests/sim/drawn_flows.h"
#include "tests/testlib.h"

#include <math.h>

#define ROUNDING 1e-9

/* Also of every second flow, and of every third: links that bind are found for all that may be
 * there. */
static void
check_rates(const char *label, const LpDrawnFlows *drawn, const gboolean *wanted,
            const gboolean *binds)
{
    g_autofree double *bytes_per_s = lp_drawn_flows_bandwidths(drawn);
    g_autofree gboolean *there = g_new(gboolean, drawn->n);
    for (guint32 step = 1; step < 4; step++) {
        for (guint32 i = 0; i < drawn->n; i++)
            there[i] = i % step == 0;
        g_autofree double *all = lp_drawn_flows_rates(drawn, there, wanted, bytes_per_s);
        g_autofree double *left = lp_drawn_flows_rates(drawn, there, binds, bytes_per_s);
        gboolean equal = TRUE;
        for (guint32 i = 0; i < drawn->n; i++)
            equal = equal && (!there[i] || isinf(all[i]) == isinf(left[i])) &&
                    (!there[i] || isinf(all[i]) || fabs(all[i] - left[i]) <= ROUNDING * all[i]);
        lp_test_true(label, equal);
    }
}

/* As often as routes name them, in order of flows. */
static void
check_users(const char *label, const LpDrawnFlows *drawn, const LpBindingLinks *links)
{
    guint32 n_crossed = 0;
    gboolean listed = TRUE;
    for (guint32 link = 0; link < links->n_links; link++) {
        guint32 at = links->first[link];
        for (guint32 i = 0; i < drawn->n; i++)
            for (guint32 k = 0; k < drawn->routes[i].n_links; k++)
                if (drawn->routes[i].links[k] == link) {
                    listed = listed && at < links->first[link + 1] && links->flows[at] == i &&
                             links->legs[at] == 0 && !(links->weights[at] < 1.0);
                    at++;
                }
        listed = listed && at == links->first[link + 1];
        n_crossed += at > links->first[link];
        listed = listed && (at > links->first[link] || !links->binds[link]);
    }
    lp_test_true(label, listed);
    lp_test_true(label, links->n_crossed == n_crossed);
}

static void
test_drawn(void)
{
    guint32 n_left_out = 0;
    for (guint i = 0; lp_drawn_flows_machines[i] != NULL; i++)
        for (guint32 shift = 0; shift < 6; shift++) {
            const char *label = lp_drawn_flows_machines[i];
            g_autoptr(LpDrawnFlows) drawn =
                lp_drawn_flows_new(label, shift, shift == 0 ? 50 : 4 * (shift - 1), 3 + shift);
            g_autoptr(LpBindingLinks) links =
                lp_binding_links_new(&drawn->list, drawn->network, &drawn->input);
            check_rates(label, drawn, NULL, links->binds);
            check_users(label, drawn, links);
            for (guint32 link = 0; link < links->n_links; link++)
                n_left_out += links->first[link + 1] > links->first[link] && !links->binds[link];
        }
    lp_test_true("some are left out", n_left_out > 100);
}

/* 32 ports that send to other leaves of a fabric as wide as they are: nothing else can be full. */
static void
test_full_fabric(void)
{
    g_autoptr(LpDrawnFlows) drawn = lp_drawn_flows_new(lp_drawn_flows_machines[0], 9, 0, 1);
    g_autoptr(LpBindingLinks) links =
        lp_binding_links_new(&drawn->list, drawn->network, &drawn->input);
    guint32 n = 0;
    for (guint32 i = 0; i < links->n_links; i++)
        n += links->binds[i] ? 1u : 0u;
    lp_test_true("ports that send", n == 32);
    for (guint32 i = 0; i < drawn->n; i++)
        lp_test_true("where routes begin", links->binds[drawn->routes[i].links[0]]);
}

/* Where ports hold nothing back, they keep nothing from other links. */
static void
test_uncontended(void)
{
    for (guint32 shift = 0; shift < 10; shift += 3) {
        g_autoptr(LpDrawnFlows) drawn =
            lp_drawn_flows_new(lp_drawn_flows_machines[0], shift, 20, shift);
        LpQuotientInput input = drawn->input;
        input.view.is_apart = TRUE;
        input.view.uncontended[LP_TIER_PORT] = TRUE;
        g_autoptr(LpBindingLinks) links =
            lp_binding_links_new(&drawn->list, drawn->network, &input);
        g_autofree gboolean *wanted = g_new(gboolean, links->n_links);
        for (guint32 i = 0; i < links->n_links; i++)
            wanted[i] = lp_network_link(drawn->network, i).tier != LP_TIER_PORT;
        check_rates("no ports", drawn, wanted, links->binds);
    }
}

/* A link whose bandwidth changes binds, and one of an uncontended tier does not. */
static void
test_views(void)
{
    g_autoptr(LpDrawnFlows) drawn = lp_drawn_flows_new(lp_drawn_flows_machines[0], 9, 0, 1);
    guint32 n_links = lp_network_n_links(drawn->network);
    g_autofree guint32 *changes = g_new0(guint32, n_links);
    for (guint32 i = 0; i < n_links; i++)
        changes[i] = 1;
    LpQuotientInput input = drawn->input;
    input.changes = changes;
    g_autoptr(LpBindingLinks) all = lp_binding_links_new(&drawn->list, drawn->network, &input);
    input.view.is_apart = TRUE;
    input.view.uncontended[LP_TIER_PORT] = TRUE;
    g_autoptr(LpBindingLinks) rest = lp_binding_links_new(&drawn->list, drawn->network, &input);
    gboolean right = TRUE;
    for (guint32 i = 0; i < n_links; i++) {
        gboolean is_crossed = all->first[i + 1] > all->first[i];
        LpTier tier = lp_network_link(drawn->network, i).tier;
        right = right && all->binds[i] == is_crossed;
        right = right && rest->binds[i] == (is_crossed && tier != LP_TIER_PORT);
    }
    lp_test_true("as said", right);
}

int
main(void)
{
    static const LpTestCase cases[] = {{"drawn", test_drawn},
                                       {"full fabric", test_full_fabric},
                                       {"uncontended", test_uncontended},
                                       {"views", test_views},
                                       {NULL, NULL}};
    return lp_test_run("links that bind", cases);
}
