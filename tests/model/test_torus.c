/* SPDX-License-Identifier: Apache-2.0 */
/* Tori, plain and twisted: distances against a search of their graph, ways walked link by link, the
 * bound of the all-to-all against published arithmetic, and how evenly ways use links. */
#include "model/network/torus.h"

#include "tests/testlib.h"

#define UPWARDS(...)                                                                               \
    {                                                                                              \
        __VA_ARGS__, FALSE, FALSE                                                                  \
    }
#define PLAIN(...)                                                                                 \
    {                                                                                              \
        __VA_ARGS__, TRUE, FALSE                                                                   \
    }
#define TWISTED(...)                                                                               \
    {                                                                                              \
        __VA_ARGS__, TRUE, TRUE                                                                    \
    }

/* Distances from port @from in the graph of links, breadth first. Returns: (transfer full). */
static guint64 *
search(const LpTorus *torus, guint64 from)
{
    guint64 n = lp_torus_n_ports(torus), n_found = 1;
    guint64 *distance = g_new(guint64, n);
    g_autofree guint64 *queue = g_new(guint64, n);
    for (guint64 i = 0; i < n; i++)
        distance[i] = G_MAXUINT64;
    distance[from] = 0;
    queue[0] = from;
    for (guint64 k = 0; k < n_found; k++)
        for (guint32 d = 0; d < torus->n_dimensions; d++)
            for (int up = 0; up < 2; up++) {
                guint64 next = lp_torus_neighbour(torus, queue[k], d, up != 0);
                if (distance[next] != G_MAXUINT64)
                    continue;
                distance[next] = distance[queue[k]] + 1;
                queue[n_found++] = next;
            }
    lp_test_true("all are reached", n_found == n);
    return distance;
}

static void
test_distances(void)
{
    static const struct {
        const char *label;
        LpTorus torus;
        guint64 farthest; /* plain: the sum of half of each size, rounded down */
    } rows[] = {
        {"ring of 2", UPWARDS(1, {2}), 1},
        {"ring of 7", UPWARDS(1, {7}), 3},
        {"4 x 4", UPWARDS(2, {4, 4}), 4},
        {"5 x 2 x 3", UPWARDS(3, {5, 2, 3}), 4},
        {"8 x 4 x 6", PLAIN(3, {8, 4, 6}), 9},
        {"16 x 16 x 16", UPWARDS(3, {16, 16, 16}), 24},
        {"2^6", PLAIN(6, {2, 2, 2, 2, 2, 2}), 6},
        {"4 x 8, twisted", TWISTED(2, {4, 8}), 4},
        {"2 x 2 x 4, twisted", TWISTED(3, {2, 2, 4}), 3},
        {"8 x 4 x 4, twisted", TWISTED(3, {8, 4, 4}), 6},
        {"4 x 4 x 8, twisted", TWISTED(3, {4, 4, 8}), 6},
        {"4 x 8 x 8, twisted", TWISTED(3, {4, 8, 8}), 6},
        {"3 x 6 x 6, twisted", TWISTED(3, {3, 6, 6}), 4},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        guint64 n = lp_torus_n_ports(&rows[i].torus), farthest = 0;
        for (guint64 a = 0; a < n; a += n / 3 + 1) {
            g_autofree guint64 *distance = search(&rows[i].torus, a);
            gboolean good = TRUE;
            for (guint64 b = 0; b < n; b++) {
                good = good && lp_torus_hops(&rows[i].torus, a, b) == distance[b];
                farthest = MAX(farthest, distance[b]);
            }
            lp_test_true(rows[i].label, good);
        }
        lp_test_true(rows[i].label, farthest == rows[i].farthest);
    }
}

static void
test_can_twist(void)
{
    static const struct {
        LpTorus torus;
        gboolean can;
    } rows[] = {
        {PLAIN(2, {4, 8}), TRUE},      {PLAIN(3, {4, 4, 8}), TRUE},
        {PLAIN(3, {8, 4, 8}), TRUE},   {PLAIN(3, {4, 4, 4}), FALSE},
        {PLAIN(3, {4, 4, 12}), FALSE}, {PLAIN(3, {4, 8, 16}), FALSE},
        {PLAIN(1, {4}), FALSE},        {PLAIN(4, {4, 4, 8, 8}), FALSE},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++)
        lp_test_true("can twist", lp_torus_can_twist(&rows[i].torus) == rows[i].can);
}

/* The busiest link of all ways, one way; every way must lead to where it should, shortest. */
static guint64
walk_all(const char *label, const LpTorus *torus)
{
    guint64 n = lp_torus_n_ports(torus), most = 0;
    guint32 n_dimensions = torus->n_dimensions;
    g_autofree guint64 *load = g_new0(guint64, n * n_dimensions * 2);
    gboolean good = TRUE;
    for (guint64 a = 0; a < n; a++)
        for (guint64 b = 0; b < n; b++) {
            LpTorusPath way = lp_torus_path(torus, a, b);
            guint64 at = a, n_hops = 0;
            for (guint32 d = 0; d < n_dimensions; d++)
                for (gint32 i = ABS(way.steps[d]); i > 0; i--, n_hops++) {
                    guint64 *crossed = &load[(at * n_dimensions + d) * 2 + (way.steps[d] < 0)];
                    ++*crossed;
                    most = MAX(most, *crossed);
                    at = lp_torus_neighbour(torus, at, d, way.steps[d] > 0);
                }
            good = good && at == b && n_hops == lp_torus_hops(torus, a, b);
        }
    g_autofree guint64 *crossings = lp_torus_crossings(torus);
    for (guint64 i = 0; i < n * n_dimensions * 2; i++)
        good = good && crossings[i] == load[i];
    lp_test_true(label, good);
    return most;
}

/* Bounds: an even torus' longest dimension, size / 8 of its ports each way; a lattice's mean
 * distance, itself counted, over six links (computed for TPU v4's shapes, ISCA 2023). */
static void
test_all_to_all(void)
{
    static const struct {
        const char *label;
        LpTorus plain, twisted;
        double plain_load, mean_distance, ratio;
        guint64 busiest; /* of the ways that are taken, twisted; 0: too many to walk */
    } rows[] = {
        {"4x4x8", PLAIN(3, {4, 4, 8}), TWISTED(3, {4, 4, 8}), 128.0, 3.4375, 1.745, 80},
        {"4x8x8", PLAIN(3, {4, 8, 8}), TWISTED(3, {4, 8, 8}), 256.0, 4.3125, 1.391, 192},
        {"8x8x16", PLAIN(3, {8, 8, 16}), TWISTED(3, {8, 8, 16}), 2048.0, 6.96875, 1.722, 0},
        {"8x16x16", PLAIN(3, {8, 16, 16}), TWISTED(3, {8, 16, 16}), 4096.0, 8.71875, 1.376, 0},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        double n = (double)lp_torus_n_ports(&rows[i].plain);
        double plain = lp_torus_all_to_all_load(&rows[i].plain);
        double twisted = lp_torus_all_to_all_load(&rows[i].twisted);
        lp_test_close(rows[i].label, plain, rows[i].plain_load, 1e-12);
        lp_test_close(rows[i].label, twisted, n * rows[i].mean_distance / 6.0, 1e-12);
        /* Published to three digits. */
        lp_test_close(rows[i].label, plain / twisted, rows[i].ratio, 4e-4);
        if (rows[i].busiest == 0)
            continue;
        lp_test_close(rows[i].label, (double)walk_all(rows[i].label, &rows[i].plain),
                      rows[i].plain_load, 0.0);
        lp_test_close(rows[i].label, (double)walk_all(rows[i].label, &rows[i].twisted),
                      (double)rows[i].busiest, 0.0);
    }
}

/* Sizes that halve to nothing whole, and dimensions of one link. */
static void
test_odd_shapes(void)
{
    static const struct {
        const char *label;
        LpTorus torus;
        double load; /* per dimension n (s / 8), odd ones n (s^2 - 1) / 8 s, of two places n / 2 */
    } rows[] = {
        {"ring of 2", PLAIN(1, {2}), 1.0},
        {"ring of 6", PLAIN(1, {6}), 4.5},
        {"5 x 3", PLAIN(2, {5, 3}), 9.0},
        {"2 x 2 x 2", PLAIN(3, {2, 2, 2}), 4.0},
        {"ring of 8, upwards", UPWARDS(1, {8}), 10.0},
        {"4 x 8, twisted", TWISTED(2, {4, 8}), 21.0},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        lp_test_close(rows[i].label, lp_torus_all_to_all_load(&rows[i].torus), rows[i].load, 1e-12);
        (void)walk_all(rows[i].label, &rows[i].torus);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {{"distances", test_distances},
                                       {"can twist", test_can_twist},
                                       {"all-to-all", test_all_to_all},
                                       {"odd shapes", test_odd_shapes},
                                       {NULL, NULL}};
    return lp_test_run("torus", cases);
}
