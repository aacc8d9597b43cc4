/* SPDX-License-Identifier: Apache-2.0 */
/* Classes of members: numbers, counts and the lowest of each, by hand. */
#include "sim/quotient/member_classes.h"

#include "tests/testlib.h"

static void
test_classes(void)
{
    static const struct {
        const char *label;
        guint32 n, n_classes;
        guint32 colours[6], of_member[6], first[6], counts[6];
    } rows[] = {
        {"one", 4, 1, {5, 5, 5, 5}, {0, 0, 0, 0}, {0}, {4}},
        {"each its own", 3, 3, {9, 0, 4}, {0, 1, 2}, {0, 1, 2}, {1, 1, 1}},
        {"by turns", 6, 2, {3, 1, 3, 1, 3, 3}, {0, 1, 0, 1, 0, 0}, {0, 1}, {4, 2}},
        {"late", 6, 3, {7, 7, 0, 7, 2, 0}, {0, 0, 1, 0, 2, 1}, {0, 2, 4}, {3, 2, 1}},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpMemberClasses classes = lp_member_classes_find(rows[i].colours, rows[i].n);
        lp_test_true(rows[i].label, classes.n_classes == rows[i].n_classes);
        for (guint32 k = 0; k < rows[i].n; k++) {
            lp_test_true(rows[i].label, classes.of_member[k] == rows[i].of_member[k]);
            lp_test_true(rows[i].label, lp_member_classes_representative(&classes, k) ==
                                            rows[i].first[rows[i].of_member[k]]);
        }
        for (guint32 k = 0; k < MIN(classes.n_classes, rows[i].n_classes); k++)
            lp_test_true(rows[i].label,
                         classes.first[k] == rows[i].first[k] && classes.n[k] == rows[i].counts[k]);
        lp_member_classes_clear(&classes);
    }
}

/* Members 0 to 4 are ranks 8, 2, 6, 4 and 0, of classes 1, 0, 1, 2 and 0. */
static void
test_of_ranks(void)
{
    static const guint32 ranks[] = {8, 2, 6, 4, 0}, of_rank[] = {0, 9, 0, 9, 2, 9, 1, 9, 1};
    static const guint32 wanted[] = {1, 0, 3};
    LpCommunicator communicator = {.n_members = G_N_ELEMENTS(ranks), .ranks = ranks};
    g_autofree guint32 *found = lp_member_classes_first_of(of_rank, &communicator);
    for (guint i = 0; i < G_N_ELEMENTS(wanted); i++)
        lp_test_true("the lowest member, class by class", found[i] == wanted[i]);
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"classes", test_classes}, {"of ranks", test_of_ranks}, {NULL, NULL}};
    return lp_test_run("classes of members", cases);
}
