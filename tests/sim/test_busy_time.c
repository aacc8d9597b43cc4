/* SPDX-License-Identifier: Apache-2.0 */
/* Unions of spans, against their sums by hand. */
#include "sim/actors/busy_time.h"

#include "tests/testlib.h"

static const struct {
    const char *label;
    double spans[4][2]; /* those that are empty are none */
    double busy_s;
} rows[] = {
    {"none", {{0, 0}}, 0},
    {"one", {{1, 3}}, 2},
    {"one after the other", {{0, 1}, {1, 2}}, 2},
    {"apart", {{0, 1}, {2, 3}}, 2},
    {"in each other", {{2, 3}, {1, 4}}, 3},
    {"one that began first and ends last", {{1, 2}, {3, 4}, {0, 6}}, 6},
    {"one that joins two", {{0, 1}, {3, 4}, {0.5, 3.5}}, 4},
    {"one that ends before another", {{2, 5}, {1, 3}, {7, 8}}, 5},
};

static void
test_unions(void)
{
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpBusyTime busy = {.is_full = FALSE}, both = {.is_full = FALSE};
        for (guint k = 0; k < 4 && rows[i].spans[k][1] > 0.0; k++)
            lp_busy_time_add(&busy, rows[i].spans[k][0], rows[i].spans[k][1]);
        lp_test_close(rows[i].label, 1.0 + lp_busy_time_s(&busy), 1.0 + rows[i].busy_s, 1e-15);
        lp_busy_time_merge(&both, &busy);
        lp_busy_time_merge(&both, &busy);
        lp_test_close(rows[i].label, 1.0 + lp_busy_time_s(&both), 1.0 + rows[i].busy_s, 1e-15);
        lp_busy_time_clear(&busy);
        lp_busy_time_clear(&both);
    }
}

/* Every second second, forward and back: as many as are kept, twice over; one more is too many. */
static void
test_full(void)
{
    LpBusyTime busy = {.is_full = FALSE};
    for (guint pass = 0; pass < 3; pass++)
        for (guint i = 0; i < LP_BUSY_TIME_SPANS_MAX; i++) {
            guint at = pass % 2 == 0 ? i : LP_BUSY_TIME_SPANS_MAX - 1 - i;
            lp_busy_time_add(&busy, 2.0 * at, 2.0 * at + 1.0);
        }
    lp_test_close("as many as are kept", lp_busy_time_s(&busy), LP_BUSY_TIME_SPANS_MAX, 1e-15);
    for (guint i = 0; i < 2 * LP_BUSY_TIME_SPANS_MAX; i++)
        lp_busy_time_add(&busy, -2.0 * i - 2.0, -2.0 * i - 1.0);
    lp_test_true("too many", lp_busy_time_s(&busy) < 0.0);
    lp_busy_time_clear(&busy);
}

int
main(void)
{
    static const LpTestCase cases[] = {{"unions", test_unions}, {"full", test_full}, {NULL, NULL}};
    return lp_test_run("busy time", cases);
}
