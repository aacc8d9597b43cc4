/* SPDX-License-Identifier: Apache-2.0 */
/* Measured times: at their sizes, between them, beyond them, and of other groups. */
#include "model/network/library_table.h"

#include "tests/testlib.h"

/* All-reduces as by a ring: 2 us a step and 1 GB/s. */
static LpLibrary
ring(void)
{
    LpLibrary library = {.name = "ring"};
    for (guint32 n = 2; n <= 8; n *= 2)
        for (guint64 bytes = 1024; bytes <= 1u << 30; bytes *= 4) {
            double share = 2.0 * (n - 1.0) / n;
            library.measured[library.n_measured++] =
                (LpMeasuredTime){LP_COLLECTIVE_ALL_REDUCE, n, n, bytes,
                                 2e-6 * 2.0 * (n - 1.0) + share * (double)bytes / 1e9};
        }
    return library;
}

static double
time_of(const LpLibrary *self, guint64 bytes, guint64 n_ranks, LpMeasuredSource *source)
{
    return lp_library_measured_s(self, LP_COLLECTIVE_ALL_REDUCE, bytes, n_ranks, n_ranks, source);
}

static void
test_rows(void)
{
    LpLibrary library = ring();
    for (guint32 i = 0; i < library.n_measured; i++) {
        const LpMeasuredTime *row = &library.measured[i];
        LpMeasuredSource source;
        lp_test_close("time", time_of(&library, row->bytes, row->n_ranks, &source), row->time_s,
                      1e-15);
        lp_test_true("measured", source.algorithm == NULL && source.n_ranks == row->n_ranks);
    }
    lp_test_true("of others", lp_library_measured_s(&library, LP_COLLECTIVE_ALL_TO_ALL, 1024, 8, 4,
                                                    NULL) == 0.0);
}

static void
test_sizes(void)
{
    LpLibrary library = {.name = "two", .n_measured = 2};
    library.measured[0] = (LpMeasuredTime){LP_COLLECTIVE_ALL_REDUCE, 4, 4, 100, 1e-6};
    library.measured[1] = (LpMeasuredTime){LP_COLLECTIVE_ALL_REDUCE, 4, 4, 10000, 1e-4};
    static const struct {
        guint64 bytes;
        double time_s;
    } rows[] = {{1, 1e-6}, {100, 1e-6}, {1000, 1e-5}, {10000, 1e-4}, {1000000, 1e-2}};
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
        lp_test_close("time", time_of(&library, rows[i].bytes, 4, NULL) / rows[i].time_s, 1.0,
                      1e-12);
}

/* What falls where it should grow is scatter; what is beyond the rows is said. */
static void
test_scatter(void)
{
    LpLibrary library = {.name = "falls", .n_measured = 5};
    const double times_us[] = {10.0, 8.0, 9.0, 20.0, 19.0};
    for (guint32 i = 0; i < 5; i++)
        library.measured[i] = (LpMeasuredTime){LP_COLLECTIVE_ALL_REDUCE, 4, i < 3 ? 1 : 2, 8u << i,
                                               times_us[i] * 1e-6};
    lp_test_close("one node", lp_library_scatter(&library, LP_COLLECTIVE_ALL_REDUCE, TRUE), 0.25,
                  1e-12);
    lp_test_close("several", lp_library_scatter(&library, LP_COLLECTIVE_ALL_REDUCE, FALSE),
                  20.0 / 19.0 - 1.0, 1e-12);
    lp_test_true("of others", lp_library_scatter(&library, LP_COLLECTIVE_ALL_TO_ALL, TRUE) == 0.0);
    LpMeasuredSource source;
    (void)lp_library_measured_s(&library, LP_COLLECTIVE_ALL_REDUCE, 32, 4, 1, &source);
    lp_test_true("within", !source.is_beyond);
    (void)lp_library_measured_s(&library, LP_COLLECTIVE_ALL_REDUCE, 33, 4, 1, &source);
    lp_test_true("beyond", source.is_beyond);
}

/* The law that they follow holds beyond them, too. */
static void
test_ranks(void)
{
    LpLibrary library = ring();
    LpMeasuredSource source;
    double got_s = time_of(&library, 1u << 20, 64, &source);
    double wanted_s = 2e-6 * 2.0 * 63.0 + 2.0 * 63.0 / 64.0 * 1048576.0 / 1e9;
    lp_test_close("64 ranks", got_s / wanted_s, 1.0, 1e-9);
    lp_test_text("as", source.algorithm, "ring");
    lp_test_true("from 8", source.n_ranks == 8 && source.n_nodes == 8);
    lp_test_true("within a node", lp_library_measured_s(&library, LP_COLLECTIVE_ALL_REDUCE, 1024, 8,
                                                        1, NULL) == 0.0);
    g_autofree char *text = lp_library_measured_text(&library);
    lp_test_true("said",
                 g_str_has_suffix(text, "all-reduce of 8 ranks on 8 nodes (others on several "
                                        "scaled as ring); all else has its protocols alone"));
}

/* So it does where steps take seconds and bytes, too: 3 s a step and 2 bytes/s. */
static void
test_slow(void)
{
    LpLibrary library = {.name = "slow"};
    for (guint32 n = 2; n <= 4; n *= 2)
        for (guint64 bytes = 4; bytes <= 64; bytes *= 4)
            library.measured[library.n_measured++] =
                (LpMeasuredTime){LP_COLLECTIVE_ALL_REDUCE, n, n, bytes,
                                 3.0 * 2.0 * (n - 1.0) + 2.0 * (n - 1.0) / n * (double)bytes / 2.0};
    LpMeasuredSource source;
    lp_test_close("16 ranks", time_of(&library, 64, 16, &source),
                  3.0 * 30.0 + 30.0 / 16.0 * 64.0 / 2.0, 1e-9);
    lp_test_text("as", source.algorithm, "ring");
}

/* One row tells steps and bytes not apart: the simplest algorithm stands, and its time is taken as
 * that of the steps: a ring of 16 has 30, one of 4 has 6. */
static void
test_one_row(void)
{
    LpLibrary library = {.name = "one", .n_measured = 1};
    library.measured[0] = (LpMeasuredTime){LP_COLLECTIVE_ALL_REDUCE, 4, 4, 1 << 20, 1e-3};
    LpMeasuredSource source;
    lp_test_close("16 ranks", time_of(&library, 1 << 20, 16, &source), 5e-3, 1e-12);
    lp_test_text("as", source.algorithm, "ring");
    library.measured[0].time_s = 6.0;
    lp_test_close("a second a step", time_of(&library, 1 << 20, 16, NULL), 30.0, 1e-12);
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"rows", test_rows},   {"sizes", test_sizes}, {"scatter", test_scatter},
        {"ranks", test_ranks}, {"slow", test_slow},   {"one row", test_one_row},
        {NULL, NULL}};
    return lp_test_run("library table", cases);
}
