/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of collective algorithms: steps and bytes from the literature, what ports carry,
 * and which shapes are refused. */
#include "sim/collectives/step_schedule.h"

#include "tests/sim/buffers.h"
#include "tests/testlib.h"

#include <string.h>

/* --- the literature --- */

/* Bytes in units of the buffer over n; all sizes here divide. Thakur, Rabenseifner and Gropp 2005
 * for doubling, halving, pairwise; Bruck et al. 1997; Patarasuk and Yuan 2009 for the ring;
 * Sanders, Speck and Traeff 2009 for trees; pipelines take chunks + length - 1 steps. */
static const struct {
    const char *label;
    LpCollectiveShape shape;
    guint64 n_steps, most_units, total_units;
} known[] = {
    {"ring: 2 (n - 1) steps, 2 (n - 1) / n of the buffer",
     {.algorithm = LP_ALGORITHM_RING, .collective = LP_COLLECTIVE_ALL_REDUCE, .n_members = 12},
     22,
     22,
     264},
    {"chain: chunks + n - 2 steps",
     {.algorithm = LP_ALGORITHM_RING,
      .collective = LP_COLLECTIVE_BROADCAST,
      .n_members = 8,
      .chunk_bytes = 24000},
     10,
     8,
     56},
    {"tree: no member carries more than twice the buffer",
     {.algorithm = LP_ALGORITHM_TREE, .collective = LP_COLLECTIVE_ALL_REDUCE, .n_members = 16},
     8,
     32,
     480},
    {"tree: 2 log2 n - 1 steps more than chunks",
     {.algorithm = LP_ALGORITHM_TREE,
      .collective = LP_COLLECTIVE_ALL_REDUCE,
      .n_members = 16,
      .chunk_bytes = 19200},
     12,
     32,
     480},
    {"tree with chains: 2 (members of a domain - 1) + 2 log2 domains steps, no more than twice the "
     "buffer",
     {.algorithm = LP_ALGORITHM_TREE,
      .collective = LP_COLLECTIVE_ALL_REDUCE,
      .n_members = 32,
      .n_channels = 8,
      .n_intra = 8},
     18,
     64,
     1984},
    {"tree with chains: a step more for each further chunk of a channel's half",
     {.algorithm = LP_ALGORITHM_TREE,
      .collective = LP_COLLECTIVE_ALL_REDUCE,
      .n_members = 32,
      .chunk_bytes = 12000,
      .n_channels = 4,
      .n_intra = 8},
     21,
     72,
     1984},
    {"tree with chains: of domains of one member, a tree",
     {.algorithm = LP_ALGORITHM_TREE,
      .collective = LP_COLLECTIVE_ALL_REDUCE,
      .n_members = 16,
      .n_channels = 2,
      .n_intra = 1},
     8,
     32,
     480},
    {"tree with chains: of one domain, a chain there and back",
     {.algorithm = LP_ALGORITHM_TREE,
      .collective = LP_COLLECTIVE_ALL_REDUCE,
      .n_members = 8,
      .n_channels = 8,
      .n_intra = 8},
     14,
     14,
     112},
    {"tree: a broadcast sends no more than the buffer",
     {.algorithm = LP_ALGORITHM_TREE, .collective = LP_COLLECTIVE_BROADCAST, .n_members = 16},
     4,
     16,
     240},
    {"doubling: log2 n steps of the buffer",
     {.algorithm = LP_ALGORITHM_DOUBLING, .collective = LP_COLLECTIVE_ALL_REDUCE, .n_members = 16},
     4,
     64,
     1024},
    {"doubling: two steps more beyond a power of two",
     {.algorithm = LP_ALGORITHM_DOUBLING, .collective = LP_COLLECTIVE_ALL_REDUCE, .n_members = 10},
     5,
     40,
     280},
    {"doubling: an all-gather's log2 n steps",
     {.algorithm = LP_ALGORITHM_DOUBLING, .collective = LP_COLLECTIVE_ALL_GATHER, .n_members = 16},
     4,
     15,
     240},
    {"halving and doubling: 2 log2 n steps, 2 (n - 1) / n of the buffer",
     {.algorithm = LP_ALGORITHM_HALVING, .collective = LP_COLLECTIVE_ALL_REDUCE, .n_members = 16},
     8,
     30,
     480},
    {"halving: log2 n steps",
     {.algorithm = LP_ALGORITHM_HALVING,
      .collective = LP_COLLECTIVE_REDUCE_SCATTER,
      .n_members = 16},
     4,
     15,
     240},
    {"halving and doubling: two steps more beyond a power of two",
     {.algorithm = LP_ALGORITHM_HALVING, .collective = LP_COLLECTIVE_ALL_REDUCE, .n_members = 12},
     8,
     33,
     264},
    {"scatter and all-gather: 2 log2 n steps",
     {.algorithm = LP_ALGORITHM_HALVING, .collective = LP_COLLECTIVE_BROADCAST, .n_members = 16},
     8,
     30,
     272},
    {"Bruck: ceil(log2 n) steps, (n - 1) / n of the buffer",
     {.algorithm = LP_ALGORITHM_BRUCK, .collective = LP_COLLECTIVE_ALL_GATHER, .n_members = 11},
     4,
     10,
     110},
    {"Bruck: an all-to-all's log2 n steps of n / 2 blocks",
     {.algorithm = LP_ALGORITHM_BRUCK, .collective = LP_COLLECTIVE_ALL_TO_ALL, .n_members = 16},
     4,
     32,
     512},
    {"dissemination: ceil(log2 n) steps",
     {.algorithm = LP_ALGORITHM_BRUCK, .collective = LP_COLLECTIVE_BARRIER, .n_members = 9},
     4,
     36,
     324},
    {"pairwise: n - 1 steps",
     {.algorithm = LP_ALGORITHM_PAIRWISE, .collective = LP_COLLECTIVE_ALL_TO_ALL, .n_members = 9},
     8,
     8,
     72},
    {"direct: one step",
     {.algorithm = LP_ALGORITHM_DIRECT, .collective = LP_COLLECTIVE_ALL_TO_ALL, .n_members = 9},
     1,
     8,
     72},
    {"direct: two for an all-reduce",
     {.algorithm = LP_ALGORITHM_DIRECT, .collective = LP_COLLECTIVE_ALL_REDUCE, .n_members = 8},
     2,
     14,
     112},
    {"direct: a message",
     {.algorithm = LP_ALGORITHM_DIRECT, .collective = LP_COLLECTIVE_SEND, .n_members = 2},
     1,
     2,
     2},
    {"torus: 2 (d - 1) steps of the longest dimension for each, 2 (n - 1) / n of the buffer",
     {.algorithm = LP_ALGORITHM_TORUS,
      .collective = LP_COLLECTIVE_ALL_REDUCE,
      .n_members = 24,
      .n_levels = 3,
      .level_size = {4, 3, 2},
      .level_links = {0.75, 2.0 / 3.0, 0.5}},
     18,
     46,
     1104},
    {"NVLS: buffer and share out",
     {.algorithm = LP_ALGORITHM_IN_NETWORK, .collective = LP_COLLECTIVE_ALL_REDUCE, .n_members = 8},
     4,
     9,
     72},
    {"SHARP: buffer out",
     {.algorithm = LP_ALGORITHM_IN_NETWORK,
      .collective = LP_COLLECTIVE_ALL_REDUCE,
      .n_members = 8,
      .aggregates = TRUE},
     2,
     8,
     64},
    {"hierarchical: 2 (8 - 1) + 2 (4 - 1) steps",
     {.algorithm = LP_ALGORITHM_HIERARCHICAL,
      .collective = LP_COLLECTIVE_ALL_REDUCE,
      .n_members = 32,
      .n_levels = 2,
      .level_size = {8, 4}},
     20,
     62,
     1984},
    {"hierarchical: an all-to-all once a level",
     {.algorithm = LP_ALGORITHM_HIERARCHICAL,
      .collective = LP_COLLECTIVE_ALL_TO_ALL,
      .n_members = 32,
      .n_levels = 2,
      .level_size = {8, 4},
      .level_algorithm = {LP_ALGORITHM_DIRECT, LP_ALGORITHM_PAIRWISE}},
     4,
     52,
     1664},
};

static void
test_literature(void)
{
    for (guint i = 0; i < G_N_ELEMENTS(known); i++) {
        LpCollectiveShape shape = known[i].shape;
        /* Divisible by n, and by twice the powers of two below it. */
        guint64 unit = 12000, most = 0;
        shape.bytes = unit * shape.n_members;
        LpStepSchedule schedule;
        lp_step_schedule_init(&schedule, &shape);
        for (guint64 member = 0; member < shape.n_members; member++)
            most = MAX(most, lp_step_schedule_member_bytes(&schedule, member));
        lp_test_true(known[i].label, lp_step_schedule_n_steps(&schedule) == known[i].n_steps);
        lp_test_true(known[i].label, most == known[i].most_units * unit);
        lp_test_true(known[i].label,
                     lp_step_schedule_total_bytes(&schedule) == known[i].total_units * unit);
    }
}

/* Whether members send nothing outside of the steps in which they are said to be active. */
static gboolean
is_idle_outside(const LpStepSchedule *schedule)
{
    g_autofree LpSend *sends = g_new(LpSend, lp_step_schedule_sends_max(schedule));
    for (guint64 member = 0; member < schedule->shape.n_members; member++) {
        guint64 first, end;
        lp_step_schedule_active(schedule, member, &first, &end);
        for (guint64 step = 0; step < lp_step_schedule_n_steps(schedule); step++)
            if ((step < first || step >= end) &&
                lp_step_schedule_sends(schedule, member, step, sends) > 0)
                return FALSE;
    }
    return TRUE;
}

static void
test_active(void)
{
    LpStepSchedule schedule;
    for (guint i = 0; i < G_N_ELEMENTS(known); i++) {
        LpCollectiveShape shape = known[i].shape;
        shape.bytes = 12000 * shape.n_members;
        lp_step_schedule_init(&schedule, &shape);
        lp_test_true(known[i].label, is_idle_outside(&schedule));
    }
    LpCollectiveShape chain = {.algorithm = LP_ALGORITHM_RING,
                               .collective = LP_COLLECTIVE_REDUCE,
                               .n_members = 64,
                               .n_channels = 5,
                               .n_intra = 8,
                               .root = 3,
                               .bytes = 100000,
                               .chunk_bytes = 5000};
    lp_step_schedule_init(&schedule, &chain);
    lp_test_true("chains through domains", is_idle_outside(&schedule));
    guint64 first, end;
    lp_step_schedule_active(&schedule, 40, &first, &end);
    lp_test_true("few of the steps", end - first < lp_step_schedule_n_steps(&schedule) / 2);
}

/* What ports carry in steps that all wait for each other: the busiest port of each step, summed. A
 * phase's fluid flows and its filling take as long. */
static guint64
stepwise_bytes(const LpStepSchedule *schedule)
{
    guint64 n = lp_step_schedule_n_participants(schedule), sum = 0;
    g_autofree LpSend *sends = g_new(LpSend, lp_step_schedule_sends_max(schedule));
    g_autofree guint64 *in_bytes = g_new(guint64, n);
    for (guint64 step = 0; step < lp_step_schedule_n_steps(schedule); step++) {
        guint64 most = 0;
        memset(in_bytes, 0, n * sizeof(guint64));
        for (guint64 member = 0; member < n; member++) {
            guint64 n_sends = lp_step_schedule_sends(schedule, member, step, sends), out_bytes = 0;
            for (guint64 i = 0; i < n_sends; i++) {
                out_bytes += sends[i].bytes;
                in_bytes[sends[i].to] += sends[i].bytes;
            }
            if (member < schedule->shape.n_members)
                most = MAX(most, out_bytes);
        }
        for (guint64 member = 0; member < schedule->shape.n_members; member++)
            most = MAX(most, in_bytes[member]);
        sum += most;
    }
    return sum;
}

static guint64
busiest_bytes(const LpStepSchedule *schedule)
{
    guint64 n = lp_step_schedule_n_participants(schedule), most = 0;
    g_autofree LpSend *sends = g_new(LpSend, lp_step_schedule_sends_max(schedule));
    g_autofree guint64 *in_bytes = g_new0(guint64, n);
    for (guint64 member = 0; member < n; member++) {
        guint64 n_sends = lp_step_schedule_phase_sends(schedule, member, 0, sends);
        for (guint64 i = 0; i < n_sends; i++)
            in_bytes[sends[i].to] += sends[i].bytes;
        if (member < schedule->shape.n_members)
            most = MAX(most, lp_step_schedule_member_bytes(schedule, member));
    }
    for (guint64 member = 0; member < schedule->shape.n_members; member++)
        most = MAX(most, in_bytes[member]);
    return most;
}

static void
test_fill(void)
{
    static const struct {
        LpAlgorithm algorithm;
        LpCollective collective;
        guint64 n_members;
        guint64 slack_chunks;
        gboolean aggregates;
        guint64 n_channels, n_intra;
    } rows[] = {
        {LP_ALGORITHM_TREE, LP_COLLECTIVE_ALL_REDUCE, 2, 0, FALSE, 0, 0},
        {LP_ALGORITHM_TREE, LP_COLLECTIVE_ALL_REDUCE, 3, 0, FALSE, 0, 0},
        {LP_ALGORITHM_TREE, LP_COLLECTIVE_ALL_REDUCE, 7, 0, FALSE, 0, 0},
        {LP_ALGORITHM_TREE, LP_COLLECTIVE_ALL_REDUCE, 9, 1, FALSE, 0, 0},
        {LP_ALGORITHM_TREE, LP_COLLECTIVE_ALL_REDUCE, 16, 1, FALSE, 0, 0},
        {LP_ALGORITHM_TREE, LP_COLLECTIVE_ALL_REDUCE, 60, 1, FALSE, 0, 0},
        {LP_ALGORITHM_TREE, LP_COLLECTIVE_ALL_REDUCE, 64, 1, FALSE, 0, 0},
        {LP_ALGORITHM_TREE, LP_COLLECTIVE_BROADCAST, 9, 1, FALSE, 0, 0},
        {LP_ALGORITHM_TREE, LP_COLLECTIVE_BROADCAST, 16, 0, FALSE, 0, 0},
        {LP_ALGORITHM_TREE, LP_COLLECTIVE_REDUCE, 16, 0, FALSE, 0, 0},
        {LP_ALGORITHM_TREE, LP_COLLECTIVE_ALL_REDUCE, 16, 1, FALSE, 8, 8},
        {LP_ALGORITHM_TREE, LP_COLLECTIVE_ALL_REDUCE, 32, 10, FALSE, 8, 8},
        {LP_ALGORITHM_TREE, LP_COLLECTIVE_ALL_REDUCE, 64, 12, FALSE, 8, 8},
        {LP_ALGORITHM_TREE, LP_COLLECTIVE_ALL_REDUCE, 32, 10, FALSE, 2, 8},
        {LP_ALGORITHM_RING, LP_COLLECTIVE_BROADCAST, 9, 0, FALSE, 0, 0},
        {LP_ALGORITHM_RING, LP_COLLECTIVE_ALL_REDUCE, 9, 0, FALSE, 0, 0},
        {LP_ALGORITHM_IN_NETWORK, LP_COLLECTIVE_ALL_REDUCE, 8, 0, FALSE, 0, 0},
        {LP_ALGORITHM_IN_NETWORK, LP_COLLECTIVE_ALL_REDUCE, 8, 0, TRUE, 0, 0},
        {LP_ALGORITHM_IN_NETWORK, LP_COLLECTIVE_REDUCE_SCATTER, 8, 0, FALSE, 0, 0},
        {LP_ALGORITHM_IN_NETWORK, LP_COLLECTIVE_ALL_GATHER, 8, 0, FALSE, 0, 0},
        {LP_ALGORITHM_IN_NETWORK, LP_COLLECTIVE_BROADCAST, 8, 0, FALSE, 0, 0},
    };
    static const guint64 chunks[] = {1, 2, 4, 16};
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
        for (guint k = 0; k < G_N_ELEMENTS(chunks); k++) {
            /* Chunks of two halves, or of everything: as many in each case, and all alike. */
            gboolean halved = rows[i].algorithm == LP_ALGORITHM_TREE;
            guint64 channels = MAX(rows[i].n_channels, 1);
            guint64 bytes = 10 * 2 * 16 * rows[i].n_members * channels;
            LpCollectiveShape shape = {.algorithm = rows[i].algorithm,
                                       .collective = rows[i].collective,
                                       .n_members = rows[i].n_members,
                                       .bytes = bytes,
                                       .chunk_bytes =
                                           bytes / channels / (halved ? 2 : 1) / chunks[k],
                                       .n_channels = rows[i].n_channels,
                                       .n_intra = rows[i].n_intra,
                                       .aggregates = rows[i].aggregates};
            LpStepSchedule schedule;
            lp_step_schedule_init(&schedule, &shape);
            g_autofree char *label = lp_buffers_label(&shape);
            guint64 got =
                busiest_bytes(&schedule) + lp_step_schedule_phase(&schedule, 0).fill_bytes;
            guint64 wanted = stepwise_bytes(&schedule);
            /* Some trees have inner nodes with one child where others have two; chains fill while
             * heads are busy already. */
            guint64 slack = rows[i].slack_chunks * shape.chunk_bytes;
            lp_test_true(label, got <= wanted + slack && wanted <= got + slack);
        }
}

/* --- errors --- */

static const double negative[] = {1.0, -1.0, 3.0};

static const struct {
    const char *label;
    LpCollectiveShape shape;
    LpSimulationError code;
    const char *message;
} wrong[] = {
    {"no such algorithm",
     {.algorithm = LP_N_ALGORITHMS, .n_members = 2},
     LP_SIMULATION_ERROR_ALGORITHM,
     "got collective 0 by algorithm 11, wanted two that exist"},
    {"an algorithm for something else",
     {.algorithm = LP_ALGORITHM_TREE, .collective = LP_COLLECTIVE_ALL_TO_ALL, .n_members = 2},
     LP_SIMULATION_ERROR_ALGORITHM,
     "all-to-all: got the algorithm \"tree\", wanted one of bruck, pairwise, direct, torus, "
     "hierarchical"},
    {"no members",
     {.algorithm = LP_ALGORITHM_RING},
     LP_SIMULATION_ERROR_MEMBERS,
     "all-reduce: got 0 members, wanted 1 to 4294967295"},
    {"a send among three",
     {.algorithm = LP_ALGORITHM_DIRECT, .collective = LP_COLLECTIVE_SEND, .n_members = 3},
     LP_SIMULATION_ERROR_MEMBERS,
     "send: got 3 members, wanted 2"},
    {"a root that is none",
     {.algorithm = LP_ALGORITHM_TREE,
      .collective = LP_COLLECTIVE_BROADCAST,
      .n_members = 3,
      .root = 3},
     LP_SIMULATION_ERROR_MEMBERS,
     "broadcast: got the root 3, wanted less than 3"},
    {"bytes beyond counting",
     {.algorithm = LP_ALGORITHM_RING, .n_members = 1024, .bytes = G_MAXUINT64},
     LP_SIMULATION_ERROR_SIZE,
     "all-reduce: got 18446744073709551615 bytes, wanted at most 281474976710655"},
    {"domains that do not divide",
     {.algorithm = LP_ALGORITHM_RING, .n_members = 12, .n_channels = 2, .n_intra = 5},
     LP_SIMULATION_ERROR_CHANNELS,
     "ring: got domains of 5 members, wanted a divisor of 12"},
    {"chains in domains that do not divide",
     {.algorithm = LP_ALGORITHM_TREE, .n_members = 12, .n_channels = 2, .n_intra = 5},
     LP_SIMULATION_ERROR_CHANNELS,
     "tree: got domains of 5 members, wanted a divisor of 12"},
    {"chains with a root",
     {.algorithm = LP_ALGORITHM_TREE,
      .collective = LP_COLLECTIVE_BROADCAST,
      .n_members = 12,
      .n_channels = 2,
      .n_intra = 4},
     LP_SIMULATION_ERROR_CHANNELS,
     "tree: got 2 channels for a collective with a root, wanted 1"},
    {"more chains than members",
     {.algorithm = LP_ALGORITHM_TREE, .n_members = 4, .n_channels = 5},
     LP_SIMULATION_ERROR_CHANNELS,
     "tree: got 5 channels, wanted at most 4"},
    {"too many directions",
     {.algorithm = LP_ALGORITHM_TORUS,
      .n_members = 4,
      .n_levels = 2,
      .level_size = {2, 2},
      .n_channels = 3},
     LP_SIMULATION_ERROR_CHANNELS,
     "torus: got 3 channels, wanted at most 2"},
    {"one level",
     {.algorithm = LP_ALGORITHM_HIERARCHICAL, .n_members = 4, .n_levels = 1, .level_size = {4}},
     LP_SIMULATION_ERROR_LEVELS,
     "hierarchical: got 1 levels, wanted 2 to 3"},
    {"seven dimensions",
     {.algorithm = LP_ALGORITHM_TORUS, .n_members = 128, .n_levels = 7},
     LP_SIMULATION_ERROR_LEVELS,
     "torus: got 7 levels, wanted 1 to 6"},
    {"another product",
     {.algorithm = LP_ALGORITHM_TORUS, .n_members = 16, .n_levels = 2, .level_size = {4, 2}},
     LP_SIMULATION_ERROR_LEVELS,
     "torus: got level 1 of 2, wanted sizes whose product is 16"},
    {"a level within a level",
     {.algorithm = LP_ALGORITHM_HIERARCHICAL,
      .n_members = 16,
      .n_levels = 2,
      .level_size = {4, 4},
      .level_algorithm = {LP_ALGORITHM_RING, LP_ALGORITHM_TORUS}},
     LP_SIMULATION_ERROR_LEVELS,
     "level 1: got the algorithm \"torus\", wanted one without levels"},
    {"a level that cannot scatter",
     {.algorithm = LP_ALGORITHM_HIERARCHICAL,
      .n_members = 16,
      .n_levels = 2,
      .level_size = {4, 4},
      .level_algorithm = {LP_ALGORITHM_TREE, LP_ALGORITHM_TREE}},
     LP_SIMULATION_ERROR_ALGORITHM,
     "level 0: reduce-scatter: got the algorithm \"tree\", wanted one of ring"},
    {"a load that is none",
     {.algorithm = LP_ALGORITHM_DIRECT,
      .collective = LP_COLLECTIVE_ALL_TO_ALL,
      .n_members = 3,
      .loads = negative,
      .weight = LP_WEIGHT_RECEIVER},
     LP_SIMULATION_ERROR_LOADS,
     "all-to-all: got the load -1 of member 1, wanted a finite one of at least 0"},
};

static void
test_errors(void)
{
    for (guint i = 0; i < G_N_ELEMENTS(wrong); i++) {
        GError *error = NULL;
        lp_test_true(wrong[i].label, !lp_step_schedule_supports(&wrong[i].shape, &error));
        lp_test_error(wrong[i].label, &error, LP_SIMULATION_ERROR, (int)wrong[i].code,
                      wrong[i].message);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {{"literature", test_literature},
                                       {"active", test_active},
                                       {"fill", test_fill},
                                       {"errors", test_errors},
                                       {NULL, NULL}};
    return lp_test_run("step schedule", cases);
}
