/* SPDX-License-Identifier: Apache-2.0 */
/* How classes of flows cross classes of links, and ways of flows, counted one by one. */
#include "sim/quotient/link_classes.h"

#include "sim/quotient/crossings.h"
#include "tests/sim/drawn_flows.h"
#include "tests/testlib.h"

#define ROUNDING 1e-12

/* How often flows of @class cross @link. */
static guint32
count(const LpDrawnFlows *drawn, const guint32 *classes, guint32 class, guint32 link)
{
    guint32 n = 0;
    for (guint32 i = 0; i < drawn->n; i++)
        for (guint32 k = 0; classes[i] == class && k < drawn->routes[i].n_links; k++)
            n += drawn->routes[i].links[k] == link;
    return n;
}

static guint32
link_class(const LpStructure *structure, guint32 link)
{
    return structure->of_vertex[structure->link_vertex[link]] -
           structure->of_vertex[structure->first_link];
}

typedef struct {
    const LpDrawnFlows *drawn;
    const LpStructure *structure;
    const guint32 *classes; /* by flow */
    guint32 n;
} Run;

static double
n_of_use(const LpLinkClasses *links, guint32 class, guint32 link)
{
    for (guint32 i = links->first_use[class]; i < links->first_use[class + 1]; i++)
        if (links->uses[i].link == link)
            return links->uses[i].n;
    return 0.0;
}

static void
check_classes(const char *label, const Run *run)
{
    const LpDrawnFlows *drawn = run->drawn;
    g_autoptr(LpLinkClasses) links =
        lp_link_classes_new(run->structure, &drawn->list, drawn->network, run->classes, run->n);
    g_autofree guint32 *n_alike = g_new0(guint32, links->n_links + 1ul);
    gboolean counted = TRUE;
    for (guint32 link = 0; link < lp_network_n_links(drawn->network); link++) {
        if (!run->structure->links->binds[link])
            continue;
        guint32 own = link_class(run->structure, link);
        LpLink described = lp_network_link(drawn->network, link);
        counted = counted && !(links->bytes_per_s[own] > described.bytes_per_s) &&
                  !(links->bytes_per_s[own] < described.bytes_per_s) &&
                  links->is_shared[own] == lp_tier_is_shared(described.tier) &&
                  (n_alike[own]++ > 0) == (links->lowest[own] < link);
        for (guint32 class = 0; class < run->n; class ++) {
            double n = n_of_use(links, class, own),
                   wanted = count(drawn, run->classes, class, link);
            counted = counted && !(n > wanted) && !(n < wanted);
        }
    }
    for (guint32 i = 0; i < links->n_links; i++)
        counted = counted && links->n_alike[i] == n_alike[i];
    for (guint32 class = 0; class < run->n; class ++)
        for (guint32 i = links->first_use[class]; i < links->first_use[class + 1]; i++)
            for (guint32 k = links->first_use[class]; k < i; k++)
                counted = counted && links->uses[k].link != links->uses[i].link;
    lp_test_true(label, counted);
    /* Members by class; and each flow is held back on one link: those that hold share them all. */
    for (guint32 class = 0; class < run->n; class ++) {
        guint32 n_members = 0;
        for (guint32 i = 0; i < drawn->n; i++)
            n_members += run->classes[i] == class;
        lp_test_true(label, links->n_members[class] == n_members);
        for (guint32 i = links->first_use[class]; i < links->first_use[class + 1]; i++)
            lp_test_close(label, links->uses[i].held * links->n_alike[links->uses[i].link],
                          n_members, ROUNDING);
    }
}

/* Routes that name a link so often, times its divisor, are as many crossings of a link that is not
 * narrowed. */
static void
check_crossings(const char *label, const Run *run)
{
    const LpDrawnFlows *drawn = run->drawn;
    g_autofree guint32 *n_legs = g_new(guint32, run->n);
    for (guint32 i = 0; i < run->n; i++)
        n_legs[i] = 1;
    g_autoptr(LpCrossings) crossings =
        lp_crossings_new(run->structure, drawn->network, run->classes, n_legs, run->n);
    gboolean counted = TRUE;
    for (guint32 link = 0; link < lp_network_n_links(drawn->network); link++) {
        guint32 own = crossings->link_class[link], divisor = 0;
        if (!run->structure->links->binds[link]) {
            counted = counted && own == LP_LINK_CLASS_NONE;
            continue;
        }
        counted = counted && own == link_class(run->structure, link) && own < crossings->n_links;
        lp_test_close(label, crossings->links[own].bytes_per_s * crossings->divisors[own],
                      lp_network_link(drawn->network, link).bytes_per_s, ROUNDING);
        for (guint32 class = 0; class < run->n; class ++) {
            const LpPlainFlow *flow = &crossings->flows[crossings->first_leg[class]];
            guint32 n = 0;
            for (guint32 k = 0; k < flow->n_links; k++)
                n += flow->links[k] == own;
            counted =
                counted && n * crossings->divisors[own] == count(drawn, run->classes, class, link);
            for (guint32 rest; n != 0; divisor = n, n = rest)
                rest = divisor % n;
        }
        counted = counted && divisor == 1;
    }
    lp_test_true(label, counted);
}

static void
check_ways(const char *label, const Run *run)
{
    const LpDrawnFlows *drawn = run->drawn;
    g_autoptr(LpLinkSets) ways =
        lp_link_sets_new(run->structure, &drawn->list, run->classes, run->n);
    gboolean right = ways->first[run->n] == ways->n;
    for (guint32 i = 0; i < drawn->n; i++) {
        guint32 way = ways->of_flow[i], n = 0;
        right =
            right && ways->first[run->classes[i]] <= way && way < ways->first[run->classes[i] + 1];
        guint32 first = ways->first_link[way], end = ways->first_link[way + 1];
        /* All its links that bind are in the set, which is sorted, and has no others. */
        for (guint32 at = first; at < end; at++) {
            right = right && (at == first || ways->links[at - 1] < ways->links[at]);
            gboolean is_crossed = FALSE;
            for (guint32 k = 0; k < drawn->routes[i].n_links; k++) {
                guint32 link = drawn->routes[i].links[k];
                is_crossed = is_crossed || (run->structure->links->binds[link] &&
                                            link_class(run->structure, link) == ways->links[at]);
            }
            n += is_crossed ? 1u : 0u;
        }
        right = right && n == end - first;
        for (guint32 k = 0; k < drawn->routes[i].n_links; k++) {
            guint32 link = drawn->routes[i].links[k], at = first;
            if (!run->structure->links->binds[link])
                continue;
            while (at < end && ways->links[at] != link_class(run->structure, link))
                at++;
            right = right && at < end;
        }
    }
    lp_test_true(label, right);
}

static void
test_exact(void)
{
    for (guint i = 0; lp_drawn_flows_machines[i] != NULL; i++)
        for (guint32 shift = 0; shift < 6; shift++) {
            g_autoptr(LpDrawnFlows) drawn = lp_drawn_flows_new(lp_drawn_flows_machines[i], shift,
                                                               shift % 2 == 0 ? 6 : 0, shift);
            drawn->input.view.is_apart = TRUE;
            g_autoptr(LpStructure) structure = lp_structure_new(&drawn->input, &drawn->list, FALSE);
            guint32 n;
            g_autofree guint32 *classes = lp_drawn_flows_classes(drawn, structure, &n);
            Run run = {drawn, structure, classes, n};
            check_classes(lp_drawn_flows_machines[i], &run);
            check_crossings(lp_drawn_flows_machines[i], &run);
            check_ways(lp_drawn_flows_machines[i], &run);
        }
}

/* Where flows are assumed to be alike they go several ways. */
static void
test_assumed(void)
{
    guint32 n_ways = 0, n_classes = 0;
    for (guint i = 0; lp_drawn_flows_machines[i] != NULL; i++) {
        g_autoptr(LpDrawnFlows) drawn = lp_drawn_flows_new(lp_drawn_flows_machines[i], 3, 8, 2);
        g_autofree guint32 *assumed = g_new0(guint32, drawn->n);
        drawn->senders[5] = 1; /* a class of its own over links like others' */
        drawn->input.view.is_apart = TRUE;
        drawn->input.assumed = assumed;
        g_autoptr(LpStructure) structure = lp_structure_new(&drawn->input, &drawn->list, FALSE);
        guint32 n;
        g_autofree guint32 *classes = lp_drawn_flows_classes(drawn, structure, &n);
        Run run = {drawn, structure, classes, n};
        check_ways(lp_drawn_flows_machines[i], &run);
        g_autoptr(LpLinkClasses) links =
            lp_link_classes_new(structure, &drawn->list, drawn->network, classes, n);
        lp_test_true("ways are told", links->ways != NULL);
        n_ways += links->ways != NULL ? links->ways->n : 0;
        n_classes += n;
    }
    lp_test_true("more ways than classes", n_ways > n_classes);
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"exact", test_exact}, {"assumed", test_assumed}, {NULL, NULL}};
    return lp_test_run("classes of links", cases);
}
