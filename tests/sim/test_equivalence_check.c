/* SPDX-License-Identifier: Apache-2.0 */
/* A way is held if one of its links holds the flow back; ways not held at the same instants have
 * one mark. */
#include "sim/actors/equivalence_check.h"

#include "tests/testlib.h"

/* Two classes of flows: the first goes three ways over links 0, 1 and 1, 2 and 3; the second one
 * way over link 4. */
static guint32 first[] = {0, 3, 4}, first_link[] = {0, 1, 3, 4, 5}, links[] = {0, 1, 2, 3, 4};
static const LpLinkSets ways = {.n = 4, .first = first, .first_link = first_link, .links = links};

/* @data: links that are full, as bits. */
static gboolean
is_full(gconstpointer data, guint32 link)
{
    return (*(const guint *)data >> link & 1u) != 0;
}

static void
test_held(void)
{
    static const struct {
        const char *label;
        guint full;
        guint not_held; /* ways of the first class, as bits */
    } rows[] = {{"all are held", 1u << 0 | 1u << 1 | 1u << 3, 0},
                {"by the second link of a way", 1u << 0 | 1u << 2 | 1u << 3, 0},
                {"by both", 1u << 0 | 1u << 1 | 1u << 2 | 1u << 3, 0},
                {"the first is not", 1u << 1 | 1u << 3, 1},
                {"the others are not", 1u << 0, 6},
                {"another class's link holds none", 1u << 4, 7}};
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(LpEquivalenceCheck) check = lp_equivalence_check_new(&ways, FALSE);
        lp_equivalence_check_begin(check);
        lp_equivalence_check_rate(check, 0, is_full, &rows[i].full, 1.0);
        lp_test_true(rows[i].label,
                     lp_equivalence_check_has_failed(check) == (rows[i].not_held != 0));
        lp_test_true(rows[i].label, !lp_equivalence_check_is_over(check));
        const guint32 *marks = lp_equivalence_check_marks(check);
        for (guint way = 0; way < 3; way++)
            lp_test_true(rows[i].label, (marks[way] != 0) == (rows[i].not_held >> way & 1u));
        lp_test_true("the other class's way", marks[3] == 0);
    }
}

/* Full links at one instant after the other: marks are alike just where the histories are. */
static void
test_marks(void)
{
    static const guint full[] = {1u << 0, 1u << 1 | 1u << 3, 1u << 0 | 1u << 3};
    static const struct {
        const char *label;
        guint rows[3], n;  /* of full, in order */
        gboolean alike[3]; /* ways 0 and 1, 1 and 2, 0 and 2 */
    } rows[] = {{"at once", {0}, 1, {FALSE, TRUE, FALSE}},
                {"at different instants", {0, 1}, 2, {FALSE, TRUE, FALSE}},
                {"one twice, one once", {0, 2}, 2, {FALSE, FALSE, FALSE}},
                {"twice at once", {0, 0}, 2, {FALSE, TRUE, FALSE}}};
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(LpEquivalenceCheck) check = lp_equivalence_check_new(&ways, FALSE);
        for (guint k = 0; k < rows[i].n; k++)
            lp_equivalence_check_rate(check, 0, is_full, &full[rows[i].rows[k]], 0.5 + k);
        const guint32 *marks = lp_equivalence_check_marks(check);
        lp_test_true(rows[i].label, (marks[0] == marks[1]) == rows[i].alike[0]);
        lp_test_true(rows[i].label, (marks[1] == marks[2]) == rows[i].alike[1]);
        lp_test_true(rows[i].label, (marks[0] == marks[2]) == rows[i].alike[2]);
    }
}

/* How many flows begin, from the first way that is not held on, before the run is over: with
 * @n_before it was as many as wanted, and then marks no longer change. */
static void
test_over(void)
{
    static const struct {
        const char *label;
        guint64 n_before, n_more; /* a fifth of those before, and 1000 */
    } rows[] = {{"at once", 0, 1000}, {"after few", 10, 1002}, {"after many", 50000, 11000}};
    guint none = 0;
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
        for (guint gives_up = 0; gives_up < 2; gives_up++) {
            g_autoptr(LpEquivalenceCheck) check = lp_equivalence_check_new(&ways, gives_up != 0);
            for (guint64 k = 0; k < rows[i].n_before; k++)
                lp_equivalence_check_begin(check);
            lp_equivalence_check_rate(check, 1, is_full, &none, 1.0);
            for (guint64 k = 0; k < rows[i].n_more; k++)
                lp_equivalence_check_begin(check);
            lp_test_true(rows[i].label, !lp_equivalence_check_is_over(check));
            lp_equivalence_check_rate(check, 1, is_full, &none, 2.0);
            guint32 last = lp_equivalence_check_marks(check)[3];
            lp_equivalence_check_begin(check);
            lp_test_true(rows[i].label, lp_equivalence_check_is_over(check) == (gives_up != 0));
            lp_equivalence_check_rate(check, 1, is_full, &none, 3.0);
            lp_test_true("of no use", lp_equivalence_check_marks(check)[3] == last);
        }
    lp_test_true("nothing is checked",
                 !lp_equivalence_check_is_over(NULL) && !lp_equivalence_check_has_failed(NULL));
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"held", test_held}, {"marks", test_marks}, {"over", test_over}, {NULL, NULL}};
    return lp_test_run("equivalence check", cases);
}
