/* SPDX-License-Identifier: Apache-2.0 */
/* Scripts of rounds are alike just if they send the same, and long ones stay short. */
#include "sim/quotient/send_rows.h"

#include "tests/testlib.h"

static guint32
number_of(LpNumbering *numbering, const LpRoundSend *sends, guint n)
{
    LpSendRows rows = {NULL};
    for (guint i = 0; i < n; i++)
        lp_send_rows_add(&rows, sends[i]);
    lp_send_rows_describe(&rows, numbering);
    lp_send_rows_clear(&rows);
    return lp_numbering_end(numbering);
}

/* Each way in which one script of two rounds can differ from another. */
static void
test_differences(void)
{
    static const LpRoundSend one[] = {{0, 0, 0, 8, 1e-6}, {0, 1, 0, 8, 1e-6}};
    static const struct {
        const char *label;
        LpRoundSend second;
    } rows[] = {{"bytes", {0, 1, 0, 9, 1e-6}},
                {"place", {0, 1, 1, 8, 1e-6}},
                {"round", {0, 2, 0, 8, 1e-6}},
                {"operation", {1, 1, 0, 8, 1e-6}},
                {"a longer latency", {0, 1, 0, 8, 2e-6}},
                {"a shorter latency", {0, 1, 0, 8, 0.5e-6}},
                {"the same round", {0, 0, 0, 8, 1e-6}}};
    g_auto(LpNumbering) numbering;
    lp_numbering_init(&numbering);
    lp_test_true("the first", number_of(&numbering, one, 2) == 0);
    lp_test_true("a part", number_of(&numbering, one, 1) == 1);
    lp_test_true("nothing", number_of(&numbering, one, 0) == 2);
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        const LpRoundSend other[] = {one[0], rows[i].second};
        lp_test_true(rows[i].label, number_of(&numbering, other, 2) == 3 + i);
    }
    lp_test_true("the first again", number_of(&numbering, one, 2) == 0);
}

/* Rounds that are alike are one row, also where several messages a round go on side by side. */
static void
test_length(void)
{
    static const struct {
        const char *label;
        guint n_rounds, n_messages, n_sizes; /* of bytes, by turns of rounds */
        guint n_rows;
    } rows[] = {{"one row", 1000, 1, 1, 1},
                {"three side by side", 1000, 3, 1, 3},
                {"by turns", 1000, 1, 2, 1000}};
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpSendRows sends = {NULL};
        for (guint round = 0; round < rows[i].n_rounds; round++)
            for (guint k = 0; k < rows[i].n_messages; k++)
                lp_send_rows_add(&sends,
                                 (LpRoundSend){.round = round,
                                               .bytes = 100 * (k + 1) + round % rows[i].n_sizes});
        lp_test_true(rows[i].label, sends.rows->len == rows[i].n_rows);
        lp_send_rows_clear(&sends);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"differences", test_differences}, {"length", test_length}, {NULL, NULL}};
    return lp_test_run("rows of rounds", cases);
}
