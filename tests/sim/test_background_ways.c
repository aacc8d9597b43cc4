/* SPDX-License-Identifier: Apache-2.0 */
/* Who sends to whom: patterns by their definitions. */
#include "sim/actors/background_ways.h"

#include "base/error.h"
#include "tests/support/small_machine.h"
#include "tests/testlib.h"

static LpMachine *machine;
static LpNetwork *network;

/* The first of the tests, which the others need. */
static void
test_machine(void)
{
    machine = lp_small_machine_load_good(&lp_small_machine);
    network = lp_network_new(machine);
}

static GArray *
numbers(const guint32 *values, guint n)
{
    GArray *array = g_array_new(FALSE, FALSE, sizeof(guint32));
    return g_array_append_vals(array, values, n);
}

static LpBackgroundWays *
ways_new(const LpScenarioTraffic *said)
{
    g_autoptr(GError) error = NULL;
    LpBackgroundWays *ways = lp_background_ways_new(said, network, &error);
    lp_test_text("no error", error != NULL ? error->message : NULL, NULL);
    return ways;
}

/* Messages from @sender and to @receiver, over all turns, by number among those that take part. */
static void
count(const LpBackgroundWays *ways, guint *sent, guint *received)
{
    for (guint32 sender = 0; sender < lp_background_ways_n(ways); sender++)
        for (guint32 turn = 0;
             lp_background_ways_sends(ways, sender) && turn < lp_background_ways_n_turns(ways);
             turn++) {
            guint32 receiver = lp_background_ways_receiver(ways, sender, turn);
            lp_test_true("to another one",
                         receiver < lp_background_ways_n(ways) && receiver != sender);
            sent[sender]++;
            received[receiver]++;
        }
}

static void
test_patterns(void)
{
    /* Of the first of those that take part, of the last, and of all others. */
    static const struct {
        const char *label;
        LpPattern pattern;
        guint n;
        guint sent[3], received[3];
        gboolean is_drawn;
    } rows[] = {
        {"permutation", LP_PATTERN_PERMUTATION, 7, {1, 1, 1}, {1, 1, 1}, FALSE},
        {"uniform", LP_PATTERN_UNIFORM, 7, {6, 6, 6}, {6, 6, 6}, TRUE},
        {"incast", LP_PATTERN_INCAST, 7, {0, 1, 1}, {6, 0, 0}, FALSE},
        {"all-to-all", LP_PATTERN_ALL_TO_ALL, 7, {6, 6, 6}, {6, 6, 6}, FALSE},
        {"a pair", LP_PATTERN_PAIRS, 2, {1, 0, 0}, {0, 1, 0}, FALSE},
        {"a pair and one more", LP_PATTERN_PAIRS, 3, {1, 0, 0}, {0, 0, 1}, FALSE},
    };
    static const guint32 some[] = {3, 0, 9, 12, 5, 6, 15};
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        guint sent[7] = {0}, received[7] = {0};
        g_autoptr(GArray) accelerators = numbers(some, rows[i].n);
        LpScenarioTraffic said = {.pattern = rows[i].pattern, .accelerators = accelerators};
        g_autoptr(LpBackgroundWays) ways = ways_new(&said);
        count(ways, sent, received);
        for (guint k = 0; k < rows[i].n; k++) {
            guint place = k == 0 ? 0 : k == rows[i].n - 1 ? 1 : 2;
            lp_test_true(rows[i].label, sent[k] == rows[i].sent[place]);
            lp_test_true(rows[i].label, received[k] == rows[i].received[place]);
            lp_test_true(rows[i].label, lp_background_ways_accelerator(ways, k) == some[k]);
        }
        lp_test_true(rows[i].label, lp_background_ways_is_drawn(ways) == rows[i].is_drawn);
        lp_test_true(rows[i].label, !lp_background_ways_are_many(ways));
    }
}

/* A drawn permutation is one cycle through all, of the seed's; all cycles are drawn. */
static void
test_cycle(void)
{
    g_autoptr(GHashTable) cycles = g_hash_table_new(NULL, NULL);
    static const guint32 four[] = {0, 1, 2, 3};
    g_autoptr(GArray) accelerators = numbers(four, 4);
    for (guint32 seed = 0; seed < 100; seed++) {
        LpScenarioTraffic said = {
            .pattern = LP_PATTERN_PERMUTATION, .seed = seed, .accelerators = accelerators};
        g_autoptr(LpBackgroundWays) ways = ways_new(&said), again = ways_new(&said);
        guint32 at = 0, length = 0, key = 0;
        do {
            at = lp_background_ways_receiver(ways, at, 0);
            key = 4 * key + at;
            length++;
        } while (at != 0 && length < 4);
        lp_test_true("one cycle", at == 0 && length == 4);
        g_hash_table_add(cycles, GUINT_TO_POINTER(key));
        for (guint32 i = 0; i < 4; i++)
            lp_test_true("the seed's", lp_background_ways_receiver(ways, i, 0) ==
                                           lp_background_ways_receiver(again, i, 0));
    }
    lp_test_true("3! cycles of four", g_hash_table_size(cycles) == 6);
}

/* A link is marked just if a route of a message crosses it. */
static void
test_links(void)
{
    static const LpPattern patterns[] = {LP_PATTERN_PERMUTATION, LP_PATTERN_PAIRS,
                                         LP_PATTERN_INCAST, LP_PATTERN_ALL_TO_ALL};
    static const guint32 some[] = {0, 4, 8, 1};
    g_autoptr(GArray) accelerators = numbers(some, G_N_ELEMENTS(some));
    guint32 n_links = lp_network_n_links(network);
    for (guint i = 0; i < G_N_ELEMENTS(patterns); i++) {
        LpScenarioTraffic said = {.pattern = patterns[i], .accelerators = accelerators};
        g_autoptr(LpBackgroundWays) ways = ways_new(&said);
        g_autofree gboolean *marked = g_new0(gboolean, n_links),
                            *wanted = g_new0(gboolean, n_links);
        lp_background_ways_mark(ways, marked);
        for (guint32 a = 0; a < G_N_ELEMENTS(some); a++)
            for (guint32 turn = 0; turn < lp_background_ways_n_turns(ways); turn++) {
                if (!lp_background_ways_sends(ways, a))
                    continue;
                guint32 b = lp_background_ways_receiver(ways, a, turn);
                LpRoute route = lp_network_route(network, some[a], some[b], LP_TRAFFIC_DP);
                for (guint32 k = 0; k < route.n_links; k++)
                    wanted[route.links[k]] = TRUE;
            }
        gboolean equal = TRUE;
        for (guint32 k = 0; k < n_links; k++)
            equal = equal && marked[k] == wanted[k];
        lp_test_true("links", equal);
    }
}

/* Ports that are asked for: 0 and 1 are in one domain and share a card, 0 and 2 do not. */
static void
test_ports(void)
{
    static const struct {
        const char *label;
        LpPorts ports;
        guint32 accelerators[2];
        guint n;
        LpTier tier;      /* where the route begins */
        const char *part; /* of the error; NULL: none */
    } rows[] = {
        {"within a domain", LP_PORTS_AUTO, {0, 2}, 2, LP_TIER_SCALE_UP, NULL},
        {"between domains", LP_PORTS_AUTO, {0, 4}, 2, LP_TIER_PORT, NULL},
        {"over cards", LP_PORTS_SCALE_OUT, {0, 2}, 2, LP_TIER_PORT, NULL},
        {"asked for", LP_PORTS_SCALE_UP, {0, 2}, 2, LP_TIER_SCALE_UP, NULL},
        {"one card", LP_PORTS_SCALE_OUT, {0, 1}, 2, LP_TIER_PORT, "accelerator 1, whose card"},
        {"two domains", LP_PORTS_SCALE_UP, {0, 4}, 2, LP_TIER_PORT, "0 and 4 of different domains"},
        {"alone", LP_PORTS_AUTO, {0}, 1, LP_TIER_PORT, "got one accelerator, wanted two or more"},
        {"beyond", LP_PORTS_AUTO, {0, 16}, 2, LP_TIER_PORT, "got 16, wanted one of the 16"},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GArray) accelerators = numbers(rows[i].accelerators, rows[i].n);
        g_autoptr(GError) error = NULL;
        LpScenarioTraffic said = {.where = (char[]){"f:1"},
                                  .name = (char[]){"t"},
                                  .pattern = LP_PATTERN_PAIRS,
                                  .ports = rows[i].ports,
                                  .accelerators = accelerators};
        g_autoptr(LpBackgroundWays) ways = lp_background_ways_new(&said, network, &error);
        lp_test_true(rows[i].label, (ways == NULL) == (rows[i].part != NULL));
        if (rows[i].part != NULL) {
            lp_test_error(rows[i].label, &error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE,
                          rows[i].part);
            continue;
        }
        LpRoute route = lp_background_ways_route(ways, 0, 1);
        lp_test_true(rows[i].label, lp_network_link(network, route.links[0]).tier == rows[i].tier);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {{"machine", test_machine}, {"patterns", test_patterns},
                                       {"a cycle", test_cycle},   {"links", test_links},
                                       {"ports", test_ports},     {NULL, NULL}};
    int status = lp_test_run("ways of background traffic", cases);
    lp_network_free(network);
    lp_machine_free(machine);
    return status;
}
