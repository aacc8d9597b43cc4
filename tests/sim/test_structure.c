/* SPDX-License-Identifier: Apache-2.0 */
/* Classes of flows and links: stable by the definition, and as few as hand counts say. */
#include "sim/quotient/structure.h"

#include "tests/sim/drawn_flows.h"
#include "tests/testlib.h"

#include <stdlib.h>
#include <string.h>

static int
compare(const void *a, const void *b)
{
    guint32 one = *(const guint32 *)a, other = *(const guint32 *)b;
    return one < other ? -1 : one > other;
}

/* What @vertex sees, sorted: of a flow the classes of its links that bind, of a link those of its
 * flows. Returns: (transfer full). */
static GArray *
seen_by_flow(const LpDrawnFlows *drawn, const LpStructure *structure, guint32 flow)
{
    GArray *seen = g_array_new(FALSE, FALSE, sizeof(guint32));
    for (guint32 k = 0; k < drawn->routes[flow].n_links; k++) {
        guint32 link = drawn->routes[flow].links[k];
        if (structure->links->binds[link])
            g_array_append_val(seen, structure->of_vertex[structure->link_vertex[link]]);
    }
    g_array_sort(seen, compare);
    return seen;
}

static GArray *
seen_by_link(const LpDrawnFlows *drawn, const LpStructure *structure, guint32 link)
{
    GArray *seen = g_array_new(FALSE, FALSE, sizeof(guint32));
    for (guint32 i = 0; i < drawn->n; i++)
        for (guint32 k = 0; k < drawn->routes[i].n_links; k++)
            if (drawn->routes[i].links[k] == link)
                g_array_append_val(seen, structure->of_vertex[structure->first_flow + i]);
    g_array_sort(seen, compare);
    return seen;
}

/* Whether all of one class see the same, and have the same @number. Takes @seen. */
static gboolean
is_stable(GPtrArray *seen, const guint32 *class, const double *number)
{
    gboolean stable = TRUE;
    for (guint i = 0; i < seen->len; i++)
        for (guint k = 0; k < i; k++) {
            const GArray *one = seen->pdata[i], *other = seen->pdata[k];
            if (class[i] == class[k])
                stable = stable && one->len == other->len && !(number[i] > number[k]) &&
                         !(number[i] < number[k]) &&
                         (one->len == 0 ||
                          memcmp(one->data, other->data, sizeof(guint32) * one->len) == 0);
        }
    return stable;
}

static void
check_stable(const char *label, const LpDrawnFlows *drawn, const LpStructure *structure)
{
    g_autoptr(GPtrArray) seen = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
    g_autofree guint32 *class = g_new(guint32, MAX(drawn->n, lp_network_n_links(drawn->network)));
    g_autofree double *number = g_new0(double, MAX(drawn->n, lp_network_n_links(drawn->network)));
    for (guint32 i = 0; i < drawn->n; i++) {
        class[i] = structure->of_vertex[structure->first_flow + i];
        g_ptr_array_add(seen, seen_by_flow(drawn, structure, i));
    }
    lp_test_true(label, is_stable(seen, class, number));
    g_ptr_array_set_size(seen, 0);
    for (guint32 link = 0; link < lp_network_n_links(drawn->network); link++) {
        if (!structure->links->binds[link])
            continue;
        class[seen->len] = structure->of_vertex[structure->link_vertex[link]];
        number[seen->len] = lp_network_link(drawn->network, link).bytes_per_s;
        g_ptr_array_add(seen, seen_by_link(drawn, structure, link));
    }
    lp_test_true(label, is_stable(seen, class, number));
}

/* The number of what @text has, among those in @numbers. */
static guint32
number_of(GHashTable *numbers, const GString *text)
{
    gpointer number;
    if (!g_hash_table_lookup_extended(numbers, text->str, NULL, &number)) {
        number = GUINT_TO_POINTER(g_hash_table_size(numbers));
        g_hash_table_insert(numbers, g_strdup(text->str), number);
    }
    return GPOINTER_TO_UINT(number);
}

/* One round: colours by what is seen of colours. Flows come first, then links. Returns: how many.
 */
static guint32
refine(const LpDrawnFlows *drawn, const LpStructure *structure, guint32 *io_colours)
{
    g_autoptr(GHashTable) numbers = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GString) text = g_string_new(NULL);
    guint32 n_all = drawn->n + lp_network_n_links(drawn->network);
    g_autofree guint32 *colours = g_memdup2(io_colours, sizeof *io_colours * n_all);
    for (guint32 i = 0; i < n_all; i++) {
        g_autoptr(GArray) seen = g_array_new(FALSE, FALSE, sizeof(guint32));
        for (guint32 flow = 0; flow < drawn->n; flow++)
            for (guint32 k = 0; k < drawn->routes[flow].n_links; k++) {
                guint32 link = drawn->routes[flow].links[k], at = drawn->n + link;
                if (structure->links->binds[link] && (i == flow || i == at))
                    g_array_append_val(seen, colours[i == flow ? at : flow]);
            }
        g_array_sort(seen, compare);
        g_string_printf(text, "%u:", colours[i]);
        for (guint k = 0; k < seen->len; k++)
            g_string_append_printf(text, " %u", g_array_index(seen, guint32, k));
        io_colours[i] = number_of(numbers, text);
    }
    return g_hash_table_size(numbers);
}

/* The coarsest stable partition has as many classes of flows. */
static void
check_coarsest(const char *label, const LpDrawnFlows *drawn, const LpStructure *structure,
               guint32 n_classes)
{
    guint32 n_all = drawn->n + lp_network_n_links(drawn->network), n = 1, n_before = 0;
    g_autofree guint32 *colours = g_new0(guint32, n_all);
    g_autoptr(GHashTable) numbers = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GString) text = g_string_new("flow");
    for (guint32 i = 0; i < n_all; i++) {
        if (i >= drawn->n)
            g_string_printf(text, "link %.17g",
                            lp_network_link(drawn->network, i - drawn->n).bytes_per_s);
        colours[i] = number_of(numbers, text);
    }
    while (n > n_before) {
        n_before = n;
        n = refine(drawn, structure, colours);
    }
    g_autoptr(GHashTable) of_flows = g_hash_table_new(NULL, NULL);
    for (guint32 i = 0; i < drawn->n; i++)
        g_hash_table_add(of_flows, GUINT_TO_POINTER(colours[i]));
    lp_test_true(label, g_hash_table_size(of_flows) == n_classes);
}

static void
test_stable(void)
{
    guint32 n_flows = 0, n_classes = 0;
    for (guint i = 0; lp_drawn_flows_machines[i] != NULL; i++)
        for (guint32 shift = 0; shift < 6; shift++) {
            g_autoptr(LpDrawnFlows) drawn = lp_drawn_flows_new(lp_drawn_flows_machines[i], shift,
                                                               shift % 2 == 0 ? 3 : 0, shift);
            g_autoptr(LpStructure) structure = lp_structure_new(&drawn->input, &drawn->list, FALSE);
            guint32 n;
            g_autofree guint32 *classes = lp_drawn_flows_classes(drawn, structure, &n);
            check_stable(lp_drawn_flows_machines[i], drawn, structure);
            check_coarsest(lp_drawn_flows_machines[i], drawn, structure, n);
            guint32 n_links = 0;
            for (guint32 k = 0; k < structure->links->n_links; k++)
                n_links += structure->links->binds[k] ? 1u : 0u;
            lp_test_true("a vertex for each link that binds",
                         structure->first_owned - structure->first_link == n_links);
            n_flows += drawn->n;
            n_classes += n;
        }
    lp_test_true("classes are fewer than flows", 2 * n_classes < n_flows);
}

/* 32 accelerators in leaves of 8, in domains of one, all ports alike. Sent round by s < 8, those to
 * another leaf are told from the others only where leaves' links bind. */
static void
test_counts(void)
{
    static const struct {
        const char *label, *options;
        guint32 shift, n_classes;
    } rows[] = {
        {"a full fabric", "--accelerators=32 --domain-size=1 --leaf-ports=8", 3, 1},
        {"of a leaf to the next", "--accelerators=32 --domain-size=1 --leaf-ports=8", 8, 1},
        {"a torus", "--accelerators=16 --domain-size=1 --topology=torus --dimensions=4x4", 4, 1},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(LpDrawnFlows) drawn = lp_drawn_flows_new(rows[i].options, rows[i].shift, 0, 0);
        g_autoptr(LpStructure) structure = lp_structure_new(&drawn->input, &drawn->list, FALSE);
        guint32 n;
        g_autofree guint32 *classes = lp_drawn_flows_classes(drawn, structure, &n);
        lp_test_true(rows[i].label, n == rows[i].n_classes);
        /* One sender that differs is told apart, and all others as far as they meet it. */
        drawn->senders[5] = 1;
        g_autoptr(LpStructure) other = lp_structure_new(&drawn->input, &drawn->list, FALSE);
        guint32 n_other;
        g_autofree guint32 *told = lp_drawn_flows_classes(drawn, other, &n_other);
        guint32 n_like = 0;
        for (guint32 k = 0; k < drawn->n; k++)
            n_like += told[k] == told[5];
        lp_test_true("a sender that differs", n_like == 1 && n_other > n);
        lp_test_true("vertices", other->n_vertices - other->first_sender == drawn->n);
    }
}

/* What is alike but for one thing that nothing else shows is told apart by that. */
static void
test_colours(void)
{
    g_autoptr(LpDrawnFlows) drawn =
        lp_drawn_flows_new("--accelerators=32 --domain-size=1 --leaf-ports=8", 8, 0, 0);
    guint32 speeds[] = {0, 1, 0, 0}, n;
    drawn->list.n_ranks = G_N_ELEMENTS(speeds);
    drawn->program->n_ranks = drawn->list.n_ranks;
    drawn->program->pipeline.n_stages = 2;
    drawn->program->pipeline.stride = 2;
    g_autoptr(LpStructure) structure = lp_structure_new(&drawn->input, &drawn->list, FALSE);
    const guint32 *of_rank = structure->of_vertex;
    lp_test_true("ranks of a stage", of_rank[0] == of_rank[1] && of_rank[2] == of_rank[3]);
    lp_test_true("stages", of_rank[0] != of_rank[2]);
    drawn->job.speeds = speeds;
    g_array_index(drawn->list.flows, LpFlowOfRun, 5).what = 1;
    g_autoptr(LpStructure) other = lp_structure_new(&drawn->input, &drawn->list, FALSE);
    lp_test_true("speeds", other->of_vertex[0] != other->of_vertex[1] &&
                               other->of_vertex[2] == other->of_vertex[3]);
    g_autofree guint32 *classes = lp_drawn_flows_classes(drawn, other, &n);
    guint32 n_like = 0;
    for (guint32 i = 0; i < drawn->n; i++)
        n_like += classes[i] == classes[5];
    lp_test_true("what flows send", n_like == 1);
}

/* Flows on links that ports, domains or hosts have, by an own count; of a link that must bind if
 * @binds says so. */
static guint32
count_crossings(const LpDrawnFlows *drawn, const gboolean *binds)
{
    guint32 n = 0;
    for (guint32 i = 0; i < drawn->n; i++)
        for (guint32 k = 0; k < drawn->routes[i].n_links; k++) {
            guint32 link = drawn->routes[i].links[k];
            LpTier tier = lp_network_link(drawn->network, link).tier;
            n += (tier == LP_TIER_PORT || tier == LP_TIER_SCALE_UP || tier == LP_TIER_PCIE) &&
                 (binds == NULL || binds[link]);
        }
    return n;
}

/* Flows without a communicator are each an owner of the links that a collective could share with
 * itself, if that is asked for. */
static void
test_owners(void)
{
    guint32 n_owned = 0;
    for (guint i = 0; lp_drawn_flows_machines[i] != NULL; i++) {
        g_autoptr(LpDrawnFlows) drawn = lp_drawn_flows_new(lp_drawn_flows_machines[i], 3, 4, 1);
        drawn->input.view = (LpQuotientView){.is_apart = TRUE};
        g_autoptr(LpStructure) none = lp_structure_new(&drawn->input, &drawn->list, FALSE);
        lp_test_true("not asked for", none->owned->len == 0);
        drawn->input.view.knows_owners = TRUE;
        g_autoptr(LpStructure) binding = lp_structure_new(&drawn->input, &drawn->list, FALSE);
        lp_test_true(lp_drawn_flows_machines[i],
                     binding->owned->len == count_crossings(drawn, binding->links->binds));
        n_owned += binding->owned->len;
        drawn->input.view = (LpQuotientView){.is_apart = TRUE};
        for (guint tier = 0; tier < LP_N_TIERS; tier++)
            drawn->input.view.uncontended[tier] = TRUE;
        g_autoptr(LpStructure) all = lp_structure_new(&drawn->input, &drawn->list, FALSE);
        lp_test_true("of all that owners do not meet on",
                     all->owned->len == count_crossings(drawn, NULL));
    }
    lp_test_true("some bind", n_owned > 0);
}

/* Two flows cross the same two links, of different bandwidth, in opposite order: that tells them
 * apart where it matters which link holds a flow back, and nowhere else. */
static void
test_order(void)
{
    g_autoptr(LpDrawnFlows) drawn = lp_drawn_flows_new(
        "--accelerators=32 --domain-size=4 --leaf-ports=8 --oversubscription=4", 0, 2, 1);
    guint32 up = drawn->routes[0].links[0], down = up, n;
    for (guint32 link = 0; link < lp_network_n_links(drawn->network); link++)
        if (lp_network_link(drawn->network, link).bytes_per_s !=
            lp_network_link(drawn->network, up).bytes_per_s)
            down = link;
    guint32 there[] = {up, down}, back[] = {down, up};
    drawn->routes[1] = drawn->routes[0];
    drawn->routes[0].links = there;
    drawn->routes[1].links = back;
    drawn->routes[0].n_links = drawn->routes[1].n_links = 2;
    drawn->input.view = (LpQuotientView){.is_apart = TRUE};
    g_autoptr(LpStructure) any = lp_structure_new(&drawn->input, &drawn->list, FALSE);
    lp_test_true("both bind", any->links->binds[up] && any->links->binds[down] && up != down);
    g_free(lp_drawn_flows_classes(drawn, any, &n));
    lp_test_true("in any order", n == 1);
    drawn->input.view.knows_owners = TRUE;
    g_autoptr(LpStructure) ordered = lp_structure_new(&drawn->input, &drawn->list, FALSE);
    g_free(lp_drawn_flows_classes(drawn, ordered, &n));
    lp_test_true("in order", n == 2);
}

int
main(void)
{
    static const LpTestCase cases[] = {{"stable", test_stable},   {"counts", test_counts},
                                       {"colours", test_colours}, {"owners", test_owners},
                                       {"order", test_order},     {NULL, NULL}};
    return lp_test_run("structure", cases);
}
