/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptions have one number just if they are equal. */
#include "sim/quotient/numbering.h"

#include "tests/testlib.h"

#include <string.h>

#define N_RANDOM 3000u

/* In the order in which they come; the empty one is one, too. */
static void
test_order(void)
{
    static const struct {
        const char *label;
        guint64 counts[3];
        guint n;
        guint32 number;
    } rows[] = {{"the first", {7, 8}, 2, 0},
                {"its beginning", {7}, 1, 1},
                {"other order", {8, 7}, 2, 2},
                {"nothing", {0}, 0, 3},
                {"a zero", {0}, 1, 4},
                {"two zeros", {0, 0}, 2, 5},
                {"the first again", {7, 8}, 2, 0},
                {"nothing again", {0}, 0, 3},
                {"a high bit", {G_GUINT64_CONSTANT(1) << 63 | 7, 8}, 2, 6},
                {"one more", {7, 8, 0}, 3, 7}};
    g_auto(LpNumbering) numbering;
    lp_numbering_init(&numbering);
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        for (guint k = 0; k < rows[i].n; k++)
            lp_numbering_add_count(&numbering, rows[i].counts[k]);
        lp_test_true(rows[i].label, lp_numbering_end(&numbering) == rows[i].number);
    }
    lp_numbering_add_number(&numbering, 1.0);
    lp_test_true("a number is no count", lp_numbering_end(&numbering) == 8);
    lp_numbering_add_number(&numbering, 1.0 + 1e-15);
    lp_test_true("and compared in full", lp_numbering_end(&numbering) == 9);
}

/* Random ones, against looking at all that came before. */
static void
test_random(void)
{
    static guint64 given[N_RANDOM][4];
    static guint length[N_RANDOM];
    static guint32 number[N_RANDOM];
    g_autoptr(GRand) rand = g_rand_new_with_seed(11);
    g_auto(LpNumbering) numbering;
    lp_numbering_init(&numbering);
    guint32 n = 0;
    gboolean equal = TRUE;
    for (guint i = 0; i < N_RANDOM; i++) {
        length[i] = (guint)g_rand_int_range(rand, 0, 5);
        for (guint k = 0; k < length[i]; k++) {
            given[i][k] = (guint64)g_rand_int_range(rand, 0, 4);
            lp_numbering_add_count(&numbering, given[i][k]);
        }
        guint before = 0;
        while (before < i && (length[before] != length[i] ||
                              memcmp(given[before], given[i], sizeof *given[i] * length[i]) != 0))
            before++;
        number[i] = before < i ? number[before] : n++;
        equal = equal && lp_numbering_end(&numbering) == number[i];
    }
    lp_test_true("as looked at", equal && n > 200);
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"order", test_order}, {"random", test_random}, {NULL, NULL}};
    return lp_test_run("numbering", cases);
}
