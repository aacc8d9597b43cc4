/* SPDX-License-Identifier: Apache-2.0 */
/* Colour refinement: known partitions of graphs, and the definition itself on random ones. */
#include "sim/quotient/refinement.h"
#include "tests/testlib.h"

#define N_RANDOM 300

static void
join(LpRefinement *refinement, guint32 a, guint32 b)
{
    lp_refinement_add_edge(refinement, a, b, 0);
    lp_refinement_add_edge(refinement, b, a, 0);
}

/* A cycle looks the same everywhere; a path is folded in the middle; one vertex of another colour
 * on a cycle tells all others apart by how far they are from it. */
static void
test_known(void)
{
    g_autoptr(LpRefinement) cycle = lp_refinement_new(1000), path = lp_refinement_new(1001),
                            marked = lp_refinement_new(1000);
    for (guint32 i = 0; i < 1000; i++) {
        join(cycle, i, (i + 1) % 1000);
        join(path, i, i + 1);
        join(marked, i, (i + 1) % 1000);
    }
    lp_refinement_set_colour(marked, 7, 1);
    lp_test_true("cycle", lp_refinement_run(cycle) == 1);
    lp_test_true("path", lp_refinement_run(path) == 501);
    lp_test_true("path's ends", lp_refinement_class(path, 0) == lp_refinement_class(path, 1000) &&
                                    lp_refinement_class(path, 0) != lp_refinement_class(path, 1));
    lp_test_true("marked cycle", lp_refinement_run(marked) == 501);
}

/* Edges lead one way: who is looked at learns nothing. */
static void
test_one_way(void)
{
    g_autoptr(LpRefinement) refinement = lp_refinement_new(4);
    lp_refinement_set_colour(refinement, 3, 1);
    lp_refinement_add_edge(refinement, 0, 3, 0);
    lp_refinement_add_edge(refinement, 0, 1, 0);
    lp_test_true("classes", lp_refinement_run(refinement) == 3);
    lp_test_true("not looking",
                 lp_refinement_class(refinement, 1) == lp_refinement_class(refinement, 2));
}

/* Labels and numbers of edges count. */
static void
test_labels(void)
{
    g_autoptr(LpRefinement) refinement = lp_refinement_new(5);
    lp_refinement_set_colour(refinement, 4, 1);
    lp_refinement_add_edge(refinement, 0, 4, 0);
    lp_refinement_add_edge(refinement, 1, 4, 1);
    lp_refinement_add_edge(refinement, 2, 4, 0);
    lp_refinement_add_edge(refinement, 2, 4, 0);
    lp_refinement_add_edge(refinement, 3, 4, 0);
    lp_test_true("classes", lp_refinement_run(refinement) == 4);
    lp_test_true("equal", lp_refinement_class(refinement, 0) == lp_refinement_class(refinement, 3));
}

/* A path of links and flows by turns, of which one end differs: a link tells of it as far as rounds
 * lead, and looks on after that. */
static void
test_cut(void)
{
    for (guint32 n_rounds = 0; n_rounds < 5; n_rounds++) {
        g_autoptr(LpRefinement) refinement = lp_refinement_new(200);
        /* Vertices from 100 on are links: 0 - 100 - 1 - 101 ... in a circle of one odd link. */
        for (guint32 i = 0; i < 100; i++) {
            lp_refinement_set_colour(refinement, 100 + i, i == 50 ? 2 : 1);
            join(refinement, i, 100 + i);
            join(refinement, (i + 1) % 100, 100 + i);
        }
        lp_refinement_cut(refinement, n_rounds, 100, 200);
        guint32 n = lp_refinement_run(refinement);
        lp_test_true("cut", lp_refinement_is_cut(refinement));
        lp_test_true("far from it",
                     lp_refinement_class(refinement, 0) == lp_refinement_class(refinement, 1));
        lp_test_true("ends of the odd link",
                     (n_rounds == 0) == (lp_refinement_class(refinement, 50) ==
                                         lp_refinement_class(refinement, 0)));
        lp_test_true("links look on", n_rounds == 0 || lp_refinement_class(refinement, 149) !=
                                                           lp_refinement_class(refinement, 100));
        lp_test_true("no more than told", n <= 3 + 4 * n_rounds && n >= 3);
    }
    g_autoptr(LpRefinement) enough = lp_refinement_new(4);
    lp_refinement_set_colour(enough, 3, 1);
    join(enough, 0, 3);
    lp_refinement_cut(enough, 10, 3, 4);
    lp_test_true("enough rounds", lp_refinement_run(enough) == 3 && !lp_refinement_is_cut(enough));
}

typedef struct {
    guint32 n, n_edges;
    guint32 colour[24], seer[60], seen[60], label[60];
} Graph;

static Graph
draw(GRand *rand)
{
    Graph graph = {.n = (guint32)g_rand_int_range(rand, 1, 25),
                   .n_edges = (guint32)g_rand_int_range(rand, 0, 60)};
    for (guint32 i = 0; i < graph.n; i++)
        graph.colour[i] = (guint32)g_rand_int_range(rand, 0, 2);
    for (guint32 i = 0; i < graph.n_edges; i++) {
        graph.seer[i] = (guint32)g_rand_int_range(rand, 0, (gint32)graph.n);
        graph.seen[i] = (guint32)g_rand_int_range(rand, 0, (gint32)graph.n);
        graph.label[i] = (guint32)g_rand_int_range(rand, 0, 2);
    }
    return graph;
}

/* Plain rounds: as many classes as vertices that differ in colour, or in what they see. */
static guint32
count_plainly(const Graph *graph, guint32 *class)
{
    guint32 n = 0, n_before;
    for (guint32 i = 0; i < graph->n; i++)
        class[i] = graph->colour[i];
    do {
        guint32 next[24];
        n_before = n;
        n = 0;
        g_autoptr(GHashTable) known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
        for (guint32 v = 0; v < graph->n; v++) {
            guint32 seen[24][2] = {{0}};
            for (guint32 i = 0; i < graph->n_edges; i++)
                if (graph->seer[i] == v)
                    seen[class[graph->seen[i]]][graph->label[i]]++;
            GString *text = g_string_new(NULL);
            g_string_printf(text, "%u:", class[v]);
            for (guint32 i = 0; i < 24; i++)
                g_string_append_printf(text, "%u,%u;", seen[i][0], seen[i][1]);
            gpointer number;
            if (!g_hash_table_lookup_extended(known, text->str, NULL, &number))
                g_hash_table_insert(known, g_strdup(text->str), number = GUINT_TO_POINTER(n++));
            next[v] = GPOINTER_TO_UINT(number);
            g_string_free(text, TRUE);
        }
        for (guint32 v = 0; v < graph->n; v++)
            class[v] = next[v];
    } while (n != n_before);
    return n;
}

static void
test_random(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(19);
    for (guint k = 0; k < N_RANDOM; k++) {
        Graph graph = draw(rand);
        g_autoptr(LpRefinement) refinement = lp_refinement_new(graph.n);
        for (guint32 i = 0; i < graph.n; i++)
            lp_refinement_set_colour(refinement, i, graph.colour[i]);
        for (guint32 i = 0; i < graph.n_edges; i++)
            lp_refinement_add_edge(refinement, graph.seer[i], graph.seen[i], graph.label[i]);
        guint32 wanted[24];
        guint32 n = count_plainly(&graph, wanted);
        lp_test_true("as many classes", lp_refinement_run(refinement) == n);
        gboolean equal = TRUE;
        for (guint32 v = 0; v < graph.n; v++)
            equal = equal && lp_refinement_class(refinement, v) == wanted[v];
        lp_test_true("the same ones", equal);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {{"known", test_known},   {"one way", test_one_way},
                                       {"labels", test_labels}, {"cut", test_cut},
                                       {"random", test_random}, {NULL, NULL}};
    return lp_test_run("refinement", cases);
}
