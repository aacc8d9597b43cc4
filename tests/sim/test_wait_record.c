/* SPDX-License-Identifier: Apache-2.0 */
/* Who is waited for, costliest first; and paths that share their beginnings. */
#include "sim/actors/wait_record.h"

#include "tests/testlib.h"

/* Sums of a few decimal fractions. */
#define ROUNDING 1e-12

static void
add(LpWaitRecord *record, guint32 job, guint64 rank, guint64 n_alike, double mean_s)
{
    LpStragglerWait what = {.job = job,
                            .traffic = LP_TRAFFIC_TP,
                            .collective = LP_COLLECTIVE_ALL_REDUCE,
                            .rank = rank,
                            .n_alike = n_alike};
    lp_wait_record_add(record, &what, mean_s);
}

static void
test_stragglers(void)
{
    static const struct {
        const char *label;
        guint64 rank, n_alike, n;
        double waited_s, worst_s;
    } rows[] = {{"dearest: 4 groups of 0.5 s", 7, 4, 2, 0.5, 0.375},
                {"then 1.5 s", 3, 1, 3, 1.5, 0.75},
                {"then 1 s, of the lower rank", 1, 1, 1, 1.0, 1.0},
                {"and of the higher", 2, 1, 1, 1.0, 1.0}};
    g_autoptr(LpWaitRecord) record = lp_wait_record_new(2);
    add(record, 0, 2, 1, 1.0);
    add(record, 0, 3, 1, 0.25);
    add(record, 1, 3, 1, 8.0);
    add(record, 0, 7, 4, 0.125);
    add(record, 0, 3, 1, 0.75);
    add(record, 0, 1, 1, 1.0);
    add(record, 0, 7, 4, 0.375);
    add(record, 0, 3, 1, 0.5);
    add(record, 0, 9, 1, 1e-13); /* rounding */
    g_autoptr(GArray) found = lp_wait_record_stragglers(record, 0);
    lp_test_true("as many", found->len == G_N_ELEMENTS(rows));
    for (guint i = 0; i < MIN(found->len, G_N_ELEMENTS(rows)); i++) {
        const LpStragglerWait *wait = &g_array_index(found, LpStragglerWait, i);
        lp_test_true(rows[i].label, wait->rank == rows[i].rank);
        lp_test_true(rows[i].label, wait->n_alike == rows[i].n_alike && wait->n == rows[i].n);
        lp_test_close(rows[i].label, wait->waited_s, rows[i].waited_s, ROUNDING);
        lp_test_close(rows[i].label, wait->worst_s, rows[i].worst_s, ROUNDING);
    }
    g_autoptr(GArray) other = lp_wait_record_stragglers(record, 1);
    lp_test_true("another job's", other->len == 1);
}

/* What tells waits apart, one by one. */
static void
test_keys(void)
{
    static const LpStragglerWait rows[] = {
        {.traffic = LP_TRAFFIC_TP, .collective = 1, .rank = 1, .n_alike = 1},
        {.traffic = LP_TRAFFIC_DP, .collective = 1, .rank = 1, .n_alike = 1},
        {.traffic = LP_TRAFFIC_TP, .collective = LP_WAIT_NONE, .rank = 1, .n_alike = 1},
        {.traffic = LP_TRAFFIC_TP, .collective = 1, .rank = 2, .n_alike = 1},
        {.traffic = LP_TRAFFIC_TP, .collective = 1, .rank = 1, .n_alike = 2}};
    g_autoptr(LpWaitRecord) record = lp_wait_record_new(1);
    for (guint i = 0; i < 2 * G_N_ELEMENTS(rows); i++)
        lp_wait_record_add(record, &rows[i % G_N_ELEMENTS(rows)], 1.0);
    g_autoptr(GArray) found = lp_wait_record_stragglers(record, 0);
    lp_test_true("each by itself", found->len == G_N_ELEMENTS(rows));
    for (guint i = 0; i < found->len; i++)
        lp_test_true("twice", g_array_index(found, LpStragglerWait, i).n == 2);
}

static LpPathNode
stretch(LpTerm term, guint32 stage, guint32 partner, double seconds)
{
    return (LpPathNode){.term = term, .stage = stage, .partner = partner, .seconds = seconds};
}

static double
path_s(const LpPathNode *end, guint *out_n)
{
    double sum_s = 0.0;
    for (*out_n = 0; end != NULL; end = end->before, ++*out_n)
        sum_s += end->seconds;
    return sum_s;
}

/* Stretches of one kind are one, unless another path ends between them. */
static void
test_paths(void)
{
    g_autoptr(LpWaitRecord) record = lp_wait_record_new(1);
    guint n;
    const LpPathNode *one = NULL;
    for (guint i = 0; i < 4; i++)
        one = lp_wait_record_extend(record, one, FALSE,
                                    stretch(LP_TERM_COMPUTE, 0, LP_WAIT_NONE, 0.25));
    lp_test_close("one stretch", path_s(one, &n), 1.0, ROUNDING);
    lp_test_true("of one node", n == 1);
    const LpPathNode *other =
        lp_wait_record_extend(record, one, TRUE, stretch(LP_TERM_COMPUTE, 0, LP_WAIT_NONE, 2.0));
    lp_test_close("what others share stays", path_s(one, &n), 1.0, ROUNDING);
    lp_test_close("the other path", path_s(other, &n), 3.0, ROUNDING);
    lp_test_true("of two nodes", n == 2);
    const LpPathNode kinds[] = {stretch(LP_TERM_BUBBLE, 0, LP_WAIT_NONE, 1.0),
                                stretch(LP_TERM_BUBBLE, 1, LP_WAIT_NONE, 1.0),
                                stretch(LP_TERM_BUBBLE, 1, 2, 1.0)};
    for (guint i = 0; i < G_N_ELEMENTS(kinds); i++)
        other = lp_wait_record_extend(record, other, FALSE, kinds[i]);
    lp_test_close("of other kinds", path_s(other, &n), 6.0, ROUNDING);
    lp_test_true("each is a node", n == 5);
    lp_test_true("no path yet", lp_wait_record_path(record, 0) == NULL);
    lp_wait_record_end(record, 0, other);
    lp_test_true("the path", lp_wait_record_path(record, 0) == other);
}

/* More nodes than a block has keep their places. */
static void
test_long_path(void)
{
    enum {
        N = 100000
    };
    g_autoptr(LpWaitRecord) record = lp_wait_record_new(1);
    const LpPathNode *end = NULL;
    guint n;
    for (guint32 i = 0; i < N; i++)
        end = lp_wait_record_extend(record, end, FALSE, stretch(LP_TERM_PP, i % 2, 0, 0.5));
    lp_test_close("its length", path_s(end, &n), 0.5 * N, ROUNDING);
    lp_test_true("its nodes", n == N);
}

int
main(void)
{
    static const LpTestCase cases[] = {{"stragglers", test_stragglers},
                                       {"keys", test_keys},
                                       {"paths", test_paths},
                                       {"a long path", test_long_path},
                                       {NULL, NULL}};
    return lp_test_run("wait record", cases);
}
