/* SPDX-License-Identifier: Apache-2.0 */
/* An all-to-all's blocks: as large as loads say, and together what the operation says. */
#include "sim/collectives/exchange.h"

#include "tests/testlib.h"

#include <math.h>

/* Loads over their mean; the last rows are those that a skewed choice of experts makes. */
static const struct {
    const char *label;
    guint64 n;
    const double *loads; /* NULL: even */
} groups[] = {
    {"one", 1, NULL},
    {"even", 7, NULL},
    {"as many as loads of 1", 4, (const double[]){1.0, 1.0, 1.0, 1.0}},
    {"one with nothing", 4, (const double[]){2.0, 1.0, 1.0, 0.0}},
    {"all to the last", 3, (const double[]){0.0, 0.0, 3.0}},
    {"thirds", 3, (const double[]){1.0 / 3.0, 2.0 / 3.0, 2.0}},
    {"Zipf", 8, (const double[]){2.9436, 1.4718, 0.9812, 0.7359, 0.5887, 0.4906, 0.4205, 0.3677}},
};

static const guint64 sizes[] = {0, 1, 3, 1000, 1000003, G_GUINT64_CONSTANT(1) << 40};

/* Blocks differ from their shares of the buffer by less than a byte, and fill it. */
static void
check_blocks(guint group, guint64 bytes, LpWeight weight)
{
    const LpOp op = {.kind = LP_OP_COLLECTIVE,
                     .collective = LP_COLLECTIVE_ALL_TO_ALL,
                     .bytes = bytes,
                     .weight = weight};
    guint64 n = groups[group].n, sum = 0, sent = 0;
    const double *loads = groups[group].loads;
    g_autofree guint64 *blocks = g_new(guint64, n);
    lp_exchange_blocks(&op, loads, n, blocks);
    for (guint64 i = 0; i < n; i++) {
        guint64 block = lp_exchange_block_bytes(&op, loads, n, i);
        gboolean is_even = loads == NULL || weight == LP_WEIGHT_EVEN;
        double share = (double)bytes / (double)n * (is_even ? 1.0 : loads[i]);
        lp_test_true(groups[group].label, fabs((double)block - share) <= 1.0 + 1e-12 * share);
        lp_test_true(groups[group].label, blocks[i] == block);
        sum += block;
        for (guint64 k = 0; k < n; k++)
            sent += i == k ? 0 : lp_exchange_pair_bytes(&op, loads, n, i, k);
    }
    lp_test_true(groups[group].label, sum == bytes);
    lp_test_true(groups[group].label, sent == (n - 1) * bytes);
    lp_test_true(groups[group].label, lp_exchange_total_bytes(&op, n) == sent);
}

/* A row has every member of the other groups once, and at each of its places all receive one
 * message of all. */
static void
check_rows(guint64 n, guint64 n_intra)
{
    guint64 length = lp_exchange_row_length(n, n_intra);
    g_autofree guint *received = g_new0(guint, n * n);
    lp_test_true("length", length == n - n_intra);
    for (guint64 place = 0; place < length; place++) {
        guint64 sum = 0;
        for (guint64 from = 0; from < n; from++) {
            guint64 to = lp_exchange_row_receiver(n, n_intra, 0, from, place);
            lp_test_true("another group", to < n && to / n_intra != from / n_intra);
            received[from * n + to]++;
            sum += to;
        }
        lp_test_true("a permutation", sum == n * (n - 1) / 2);
    }
    for (guint64 from = 0; from < n; from++)
        for (guint64 to = 0; to < n; to++)
            lp_test_true("once",
                         received[from * n + to] == (from / n_intra == to / n_intra ? 0 : 1));
}

static void
test_rows(void)
{
    static const guint64 shapes[][2] = {{1, 1}, {2, 1}, {7, 1}, {8, 8}, {12, 4}, {12, 3}, {64, 8}};
    for (guint i = 0; i < G_N_ELEMENTS(shapes); i++)
        check_rows(shapes[i][0], shapes[i][1]);
}

static void
test_sums(void)
{
    for (guint group = 0; group < G_N_ELEMENTS(groups); group++)
        for (guint i = 0; i < G_N_ELEMENTS(sizes); i++) {
            check_blocks(group, sizes[i], LP_WEIGHT_EVEN);
            check_blocks(group, sizes[i], LP_WEIGHT_RECEIVER);
            check_blocks(group, sizes[i], LP_WEIGHT_SENDER);
        }
}

/* Loads 2 1 1 0 of 1,000 bytes: what goes to the first is 500 bytes from each; what comes back from
 * it is, too. */
static void
test_directions(void)
{
    static const double loads[] = {2.0, 1.0, 1.0, 0.0};
    static const guint64 blocks[] = {500, 250, 250, 0};
    const LpOp there = {.bytes = 1000, .weight = LP_WEIGHT_RECEIVER};
    const LpOp back = {.bytes = 1000, .weight = LP_WEIGHT_SENDER};
    for (guint64 from = 0; from < 4; from++)
        for (guint64 to = 0; to < 4; to++) {
            lp_test_true("there", lp_exchange_pair_bytes(&there, loads, 4, from, to) == blocks[to]);
            lp_test_true("back", lp_exchange_pair_bytes(&back, loads, 4, from, to) == blocks[from]);
        }
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"sums", test_sums}, {"rows", test_rows}, {"directions", test_directions}, {NULL, NULL}};
    return lp_test_run("exchange", cases);
}
