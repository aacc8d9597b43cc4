/* SPDX-License-Identifier: Apache-2.0 */
/* The levels of a hierarchy: members that meet in domains, below leaves, and beyond. */
#include "sim/collectives/algorithm_selection.h"

#include "tests/testlib.h"

/* 64 members, in domains of 8, two of which stand below a leaf; levels of one member are none. */
static const struct {
    const char *label;
    guint32 n_levels;
    guint64 n_intra, n_leaf;
    guint32 n_left;
    guint64 size[LP_LEVELS_MAX];
} rows[] = {{"two", 2, 8, 16, 2, {8, 8}},           {"three", 3, 8, 16, 3, {8, 2, 4}},
            {"no leaves", 3, 8, 0, 2, {8, 8}},      {"a domain a leaf", 3, 8, 8, 2, {8, 8}},
            {"all below one", 3, 8, 64, 2, {8, 8}}, {"domains of one", 3, 1, 16, 2, {16, 4}}};

static void
test_levels(void)
{
    static const LpLibrary library = {
        .name = "one", .n_protocols = 1, .protocols = {{.name = "p"}}, .n_rules = 0};
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpCommunicator communicator = {.algorithms = {.n_levels = rows[i].n_levels}};
        for (guint32 k = 0; k < rows[i].n_levels; k++)
            communicator.algorithms.level[k] = LP_ALGORITHM_RING;
        LpOp op = {.kind = LP_OP_COLLECTIVE, .collective = LP_COLLECTIVE_ALL_REDUCE, .bytes = 1000};
        LpSites sites = {.n_members = 64,
                         .n_intra = rows[i].n_intra,
                         .n_leaf = rows[i].n_leaf,
                         .is_regular = TRUE};
        LpAlgorithmSelection selected =
            lp_algorithm_selection_of(&library, &communicator, &op, &sites);
        lp_test_true(rows[i].label, selected.shape.algorithm == LP_ALGORITHM_HIERARCHICAL &&
                                        selected.shape.n_levels == rows[i].n_left);
        for (guint32 k = 0; k < rows[i].n_left; k++)
            lp_test_true(rows[i].label, selected.shape.level_size[k] == rows[i].size[k]);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {{"levels", test_levels}, {NULL, NULL}};
    return lp_test_run("selection of algorithms", cases);
}
