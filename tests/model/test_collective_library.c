/* SPDX-License-Identifier: Apache-2.0 */
/* A library's table: the first rule that fits counts, and what happens where none does. */
#include "model/network/library.h"

#include "tests/testlib.h"

#include <string.h>

/* Rules that differ by one condition each; protocols a, b, c in this order. */
static LpLibrary
make(void)
{
    LpLibrary library = {.name = "test", .n_protocols = 3, .n_rules = 5};
    for (guint i = 0; i < 3; i++)
        library.protocols[i] = (LpProtocol){.name = {(char)('a' + i)}, .wire_factor = {1.0, 2.0}};
    const LpLibraryRule rules[] = {{LP_COLLECTIVE_ALL_REDUCE,
                                    LP_SPREAD_ONE_DOMAIN,
                                    4,
                                    1000,
                                    {1, {LP_ALGORITHM_DIRECT}, NULL},
                                    0,
                                    1,
                                    0.0,
                                    0.0},
                                   {LP_COLLECTIVE_ALL_REDUCE,
                                    LP_SPREAD_ONE_DOMAIN,
                                    G_MAXUINT64,
                                    1000,
                                    {1, {LP_ALGORITHM_DOUBLING}, NULL},
                                    1,
                                    1,
                                    0.0,
                                    0.0},
                                   {LP_COLLECTIVE_ALL_REDUCE,
                                    LP_SPREAD_DOMAINS,
                                    16,
                                    G_MAXUINT64,
                                    {2, {LP_ALGORITHM_RING, LP_ALGORITHM_TREE}, NULL},
                                    1,
                                    0,
                                    0.0,
                                    0.0},
                                   {LP_COLLECTIVE_ALL_REDUCE,
                                    LP_SPREAD_ANY,
                                    G_MAXUINT64,
                                    G_MAXUINT64,
                                    {1, {LP_ALGORITHM_RING}, NULL},
                                    2,
                                    4,
                                    0.0,
                                    0.0},
                                   {LP_COLLECTIVE_BROADCAST,
                                    LP_SPREAD_ANY,
                                    2,
                                    10,
                                    {1, {LP_ALGORITHM_TREE}, NULL},
                                    0,
                                    1,
                                    0.0,
                                    0.0}};
    memcpy(library.rules, rules, sizeof rules);
    return library;
}

/* Closed forms have rings over all cards for what a library has rules for, and single ones else. */
static void
test_rings(void)
{
    LpLibrary library = make();
    CU_ASSERT_TRUE(lp_library_rings(&library, LP_COLLECTIVE_ALL_REDUCE).has_rails);
    CU_ASSERT_TRUE(lp_library_rings(&library, LP_COLLECTIVE_BROADCAST).has_rails);
    CU_ASSERT_FALSE(lp_library_rings(&library, LP_COLLECTIVE_ALL_GATHER).has_rails);
    CU_ASSERT_FALSE(lp_library_rings(NULL, LP_COLLECTIVE_ALL_REDUCE).has_rails);
}

static void
test_choice(void)
{
    const LpLibrary library = make();
    static const struct {
        const char *label;
        LpCollective collective;
        guint64 bytes, n_ranks, n_domains;
        const char *algorithms, *protocol;
        guint32 channels;
    } rows[] = {
        {"few, small", LP_COLLECTIVE_ALL_REDUCE, 1000, 4, 1, "direct", "a", 1},
        {"many, small", LP_COLLECTIVE_ALL_REDUCE, 1000, 5, 1, "doubling", "b", 1},
        {"a byte more", LP_COLLECTIVE_ALL_REDUCE, 1001, 4, 1, "ring", "c", 4},
        {"two domains", LP_COLLECTIVE_ALL_REDUCE, 1000, 4, 2, "ring+tree", "b", 0},
        {"two domains, all that fit", LP_COLLECTIVE_ALL_REDUCE, 1, 16, 16, "ring+tree", "b", 0},
        {"two domains, one too many", LP_COLLECTIVE_ALL_REDUCE, 1, 17, 2, "ring", "c", 4},
        {"nothing", LP_COLLECTIVE_ALL_REDUCE, 0, 2, 1, "direct", "a", 1},
        {"another operation", LP_COLLECTIVE_BROADCAST, 10, 2, 1, "tree", "a", 1},
        {"no rule for the size", LP_COLLECTIVE_BROADCAST, 11, 2, 1, "auto", "c", 1},
        {"no rule for the ranks", LP_COLLECTIVE_BROADCAST, 10, 3, 1, "auto", "c", 1},
        {"no rule at all", LP_COLLECTIVE_ALL_TO_ALL, 10, 2, 1, "auto", "c", 1},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpLibraryChoice choice =
            lp_library_choose(&library, rows[i].collective, rows[i].bytes, rows[i].n_ranks,
                              rows[i].n_domains == 1 ? LP_SPREAD_ONE_DOMAIN : LP_SPREAD_DOMAINS);
        g_autofree char *text = lp_algorithms_format(&choice.algorithms);
        lp_test_text(rows[i].label, text, rows[i].algorithms);
        lp_test_text(rows[i].label, choice.protocol->name, rows[i].protocol);
        lp_test_true(rows[i].label, choice.channels == rows[i].channels);
    }
}

/* A plan's algorithm has its own rules' protocol, not that of what the library would have taken. */
static void
test_choice_for(void)
{
    const LpLibrary library = make();
    static const struct {
        const char *label;
        guint64 bytes, n_ranks;
        LpAlgorithm algorithm;
        const char *protocol;
    } rows[] = {
        {"its own rule", 1000, 4, LP_ALGORITHM_DIRECT, "a"},
        {"a rule behind the first that fits", 1000, 4, LP_ALGORITHM_RING, "c"},
        {"more ranks than its rule has", 1000, 5, LP_ALGORITHM_DIRECT, "a"},
        {"more bytes than its rule has", 1001, 4, LP_ALGORITHM_DIRECT, "c"},
        {"no rule", 1000, 5, LP_ALGORITHM_BRUCK, "b"},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpAlgorithms said = {.n_levels = 1, .level = {rows[i].algorithm}};
        LpLibraryChoice choice =
            lp_library_choose_for(&library, LP_COLLECTIVE_ALL_REDUCE, rows[i].bytes,
                                  rows[i].n_ranks, LP_SPREAD_ONE_DOMAIN, &said);
        lp_test_text(rows[i].label, choice.protocol->name, rows[i].protocol);
    }
}

/* A factor of 1 keeps every size, also those that a double cannot hold. */
static void
test_wire_bytes(void)
{
    const LpProtocol protocol = {.wire_factor = {1.0, 128.0 / 120.0}};
    static const struct {
        const char *label;
        LpReach reach;
        guint64 bytes, wanted;
    } rows[] = {
        {"none", LP_REACH_FABRIC, 0, 0},
        {"a line of LL128", LP_REACH_FABRIC, 120, 128},
        {"rounded", LP_REACH_FABRIC, 100, 107},
        {"as they are", LP_REACH_DOMAIN, 100, 100},
        {"as they are, large", LP_REACH_DOMAIN, ((guint64)1 << 53) + 1, ((guint64)1 << 53) + 1},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
        lp_test_true(rows[i].label, lp_protocol_wire_bytes(&protocol, rows[i].reach,
                                                           rows[i].bytes) == rows[i].wanted);
}

static void
test_algorithms(void)
{
    static const struct {
        const char *text;
        guint32 n_levels;
        gboolean good;
    } rows[] = {
        {"auto", 0, TRUE},
        {"ring", 1, TRUE},
        {"ring+tree", 2, TRUE},
        {"ring+ring+tree", 3, TRUE},
        {"", 0, FALSE},
        {"ring+", 0, FALSE},
        {"+ring", 0, FALSE},
        {"ring+auto", 0, FALSE},
        {"ring+ring+ring+ring", 0, FALSE},
        {"Ring", 0, FALSE},
        {"hierarchical", 0, FALSE},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpAlgorithms algorithms = {.n_levels = 0};
        gboolean good = lp_algorithms_parse(rows[i].text, &algorithms);
        lp_test_true(rows[i].text, good == rows[i].good);
        if (!good)
            continue;
        lp_test_true(rows[i].text, algorithms.n_levels == rows[i].n_levels);
        g_autofree char *text = lp_algorithms_format(&algorithms);
        lp_test_text(rows[i].text, text, rows[i].text);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {{"choice", test_choice},
                                       {"rings of closed forms", test_rings},
                                       {"choice for an algorithm", test_choice_for},
                                       {"wire bytes", test_wire_bytes},
                                       {"algorithms", test_algorithms},
                                       {NULL, NULL}};
    return lp_test_run("library", cases);
}
