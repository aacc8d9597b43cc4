/* SPDX-License-Identifier: Apache-2.0 */
/* Every algorithm for every collective, run on buffers in memory: right results at each member,
 * whoever runs ahead; sums over phases, members and all that agree with the steps and with the
 * literature. */
#include "sim/collective/schedule.h"

#include "tests/sim/buffers.h"
#include "tests/testlib.h"

#include <string.h>

#define MEMBERS_MAX 64

/* --- phases and totals against steps --- */

/* What one member sends in a phase, by partner, and from how many each hears. All zero between
 * members, and between phases. */
typedef struct {
    LpSend *sends;       /* owned by the caller: room for any sends */
    guint64 *by_partner; /* owned by the caller */
    guint64 *n_heard;    /* owned by the caller */
    guint64 *bytes;      /* owned by the caller: sent in all phases so far, by member */
} Tally;

/* Whether the phase's sends are those of its steps. */
static gboolean
member_agrees(const LpSchedule *schedule, guint64 member, guint64 index, Tally *tally)
{
    LpSchedulePhase phase = lp_schedule_phase(schedule, index);
    guint64 n_partners = 0, n_sends;
    for (guint64 step = phase.first_step; step < phase.first_step + phase.n_steps; step++) {
        n_sends = lp_schedule_sends(schedule, member, step, tally->sends);
        for (guint64 i = 0; i < n_sends; i++) {
            n_partners += tally->by_partner[tally->sends[i].to] == 0 ? 1 : 0;
            tally->by_partner[tally->sends[i].to] += tally->sends[i].bytes;
        }
    }
    n_sends = lp_schedule_phase_sends(schedule, member, index, tally->sends);
    gboolean right = n_sends == n_partners && n_sends <= lp_schedule_sends_max(schedule);
    for (guint64 i = 0; i < n_sends; i++) {
        LpSend send = tally->sends[i];
        right = right && send.bytes > 0 && send.bytes == tally->by_partner[send.to];
        tally->by_partner[send.to] = 0;
        tally->n_heard[send.to]++;
        tally->bytes[member] += send.bytes;
    }
    return right;
}

static gboolean
phase_agrees(const LpSchedule *schedule, guint64 index, Tally *tally)
{
    LpSchedulePhase phase = lp_schedule_phase(schedule, index);
    gboolean right = phase.n_steps > 0 && phase.n_latencies > 0;
    for (guint64 member = 0; member < lp_schedule_n_participants(schedule); member++)
        right = member_agrees(schedule, member, index, tally) && right;
    for (guint64 member = 0; member < lp_schedule_n_participants(schedule); member++) {
        right = right &&
                lp_schedule_phase_n_receives(schedule, member, index) == tally->n_heard[member];
        tally->n_heard[member] = 0;
    }
    return right;
}

static void
check_phases(const char *label, const LpSchedule *schedule)
{
    guint64 n = lp_schedule_n_participants(schedule), next_step = 0, total = 0;
    g_autofree LpSend *sends = g_new(LpSend, lp_schedule_sends_max(schedule) + n);
    g_autofree guint64 *member_bytes = g_new0(guint64, n);
    g_autofree guint64 *by_partner = g_new0(guint64, n), *n_heard = g_new0(guint64, n);
    Tally tally = {sends, by_partner, n_heard, member_bytes};
    gboolean right = TRUE, in_row = TRUE;
    for (guint64 i = 0; i < lp_schedule_n_phases(schedule); i++) {
        LpSchedulePhase phase = lp_schedule_phase(schedule, i);
        in_row = in_row && phase.first_step == next_step;
        next_step = phase.first_step + phase.n_steps;
        right = phase_agrees(schedule, i, &tally) && right;
    }
    lp_test_true(label, in_row && next_step == lp_schedule_n_steps(schedule));
    lp_test_true(label, right);
    gboolean agrees = TRUE;
    for (guint64 member = 0; member < n; member++) {
        agrees = agrees && member_bytes[member] == lp_schedule_member_bytes(schedule, member);
        total += member < schedule->shape.n_members ? member_bytes[member] : 0;
    }
    lp_test_true(label, agrees && total == lp_schedule_total_bytes(schedule));
}

static char *
label_of(const LpScheduleShape *shape)
{
    GString *label = g_string_new(NULL);
    g_string_printf(label, "%s %s n=%u bytes=%u root=%u chunk=%u channels=%u near=%u%s",
                    lp_algorithm_names[shape->algorithm], lp_collective_names[shape->collective],
                    (guint)shape->n_members, (guint)shape->bytes, (guint)shape->root,
                    (guint)shape->chunk_bytes, (guint)shape->n_channels, (guint)shape->n_near,
                    shape->loads != NULL ? " uneven" : "");
    for (guint32 level = 0; level < shape->n_levels; level++)
        g_string_append_printf(label, " %u:%s", (guint)shape->level_size[level],
                               lp_algorithm_names[shape->level_algorithm[level]]);
    return g_string_free(label, FALSE);
}

static void
check(const LpScheduleShape *shape)
{
    g_autofree char *label = label_of(shape);
    g_autoptr(GError) error = NULL;
    gboolean supported = lp_schedule_supports(shape, &error);
    lp_test_true(error != NULL ? error->message : label, supported);
    if (!supported)
        return;
    LpSchedule schedule;
    lp_schedule_init(&schedule, shape);
    LpHaste haste = (LpHaste)((shape->n_members + shape->bytes) % LP_N_HASTES);
    g_autoptr(LpBuffers) buffers = lp_buffers_new(&schedule);
    const char *fault = lp_buffers_run(buffers, haste);
    g_autofree char *failed = fault != NULL ? g_strdup_printf("%s: %s", label, fault) : NULL;
    lp_test_true(failed != NULL ? failed : label, fault == NULL);
    lp_test_true(label, fault != NULL || lp_buffers_right(buffers));
    check_phases(label, &schedule);
}

/* --- flat algorithms --- */

static gboolean
goes_together(const LpScheduleShape *shape)
{
    g_autoptr(GError) error = NULL;
    return lp_schedule_supports(shape, &error);
}

/* Sizes: none, one, fewer than members, indivisible, several a member. */
static void
check_sizes(LpScheduleShape shape)
{
    guint64 n = shape.n_members;
    const guint64 sizes[] = {0, 1, n - 1, 2 * n + n / 2 + 1, 131};
    static const guint64 chunks[] = {0, 7, 3, 11, 17};
    for (guint i = 0; i < G_N_ELEMENTS(sizes); i++) {
        shape.bytes = sizes[i];
        shape.root = (7 * n + 3 * i) % n;
        shape.chunk_bytes = chunks[(i + n) % G_N_ELEMENTS(chunks)];
        check(&shape);
    }
}

static void
test_flat(void)
{
    guint n_pairs = 0;
    for (LpAlgorithm algorithm = 0; algorithm < LP_ALGORITHM_HIERARCHICAL; algorithm++)
        for (LpCollective collective = 0; collective < LP_N_COLLECTIVES; collective++)
            for (guint64 n = 1; n <= MEMBERS_MAX; n++) {
                LpScheduleShape shape = {
                    .algorithm = algorithm, .collective = collective, .n_members = n};
                if (algorithm == LP_ALGORITHM_TORUS || !goes_together(&shape))
                    continue;
                n_pairs += n == 2 ? 1 : 0;
                check_sizes(shape);
                shape.aggregates = TRUE;
                if (algorithm == LP_ALGORITHM_IN_NETWORK)
                    check_sizes(shape);
            }
    /* As the table of sim/README.md has it. */
    lp_test_true("pairs of algorithm and collective", n_pairs == 39);
}

static void
test_channels(void)
{
    static const LpCollective collectives[] = {
        LP_COLLECTIVE_ALL_REDUCE, LP_COLLECTIVE_REDUCE_SCATTER, LP_COLLECTIVE_ALL_GATHER,
        LP_COLLECTIVE_BROADCAST, LP_COLLECTIVE_REDUCE};
    for (guint64 n = 2; n <= MEMBERS_MAX; n++)
        for (guint64 near = 1; near <= n; near++) {
            if (n % near != 0)
                continue;
            for (guint i = 0; i < G_N_ELEMENTS(collectives); i++) {
                LpScheduleShape shape = {.algorithm = LP_ALGORITHM_RING,
                                         .collective = collectives[i],
                                         .n_members = n,
                                         .bytes = 5 * n + i + 1,
                                         .root = n / 3,
                                         .chunk_bytes = 5,
                                         .n_channels = MIN(1 + (n + i) % 8, n),
                                         .n_near = near};
                check(&shape);
            }
        }
}

/* The channels of one domain each leave it at another place, and enter the next one there. */
static void
test_rails(void)
{
    for (guint64 near = 2; near <= 8; near++)
        for (guint64 domains = 2; domains <= 8; domains += 2) {
            LpScheduleShape shape = {.algorithm = LP_ALGORITHM_RING,
                                     .collective = LP_COLLECTIVE_ALL_REDUCE,
                                     .n_members = near * domains,
                                     .bytes = near * near * domains * 10,
                                     .n_channels = near,
                                     .n_near = near};
            LpSchedule schedule;
            LpSend sends[16];
            lp_schedule_init(&schedule, &shape);
            gboolean aligned = TRUE;
            for (guint64 member = 0; member < shape.n_members; member++) {
                guint64 n_sends = lp_schedule_phase_sends(&schedule, member, 0, sends), far = 0;
                for (guint64 i = 0; i < n_sends; i++) {
                    if (sends[i].to / near == member / near)
                        continue;
                    aligned = aligned && sends[i].to % near == member % near;
                    far += sends[i].bytes;
                }
                /* One channel of near: 2 (n - 1) / n of a near-th of the buffer. */
                aligned = aligned && far == 2 * (shape.n_members - 1) * 10;
            }
            lp_test_true("rails", aligned);
        }
}

static void
test_uneven(void)
{
    static const LpAlgorithm algorithms[] = {LP_ALGORITHM_BRUCK, LP_ALGORITHM_PAIRWISE,
                                             LP_ALGORITHM_DIRECT};
    for (guint64 n = 1; n <= MEMBERS_MAX; n++) {
        double loads[MEMBERS_MAX] = {0.0}, sum = 0.0;
        for (guint64 i = 0; i < n; i++)
            sum += loads[i] = (double)((i * 7 + 3) % 5);
        for (guint64 i = 0; i < n; i++)
            loads[i] *= (double)n / sum;
        for (guint i = 0; i < G_N_ELEMENTS(algorithms); i++)
            for (LpWeight weight = LP_WEIGHT_RECEIVER; weight <= LP_WEIGHT_SENDER; weight++) {
                LpScheduleShape shape = {.algorithm = algorithms[i],
                                         .collective = LP_COLLECTIVE_ALL_TO_ALL,
                                         .n_members = n,
                                         .bytes = 101 + n,
                                         .loads = loads,
                                         .weight = weight};
                check(&shape);
            }
    }
}

/* --- levels --- */

/* An all-reduce has both halves in it; the halves by themselves take turns. */
static void
check_torus(LpScheduleShape shape)
{
    guint64 turn = shape.n_members + shape.level_size[0];
    shape.algorithm = LP_ALGORITHM_TORUS;
    shape.collective = LP_COLLECTIVE_ALL_REDUCE;
    shape.n_channels = 1 + turn % 2;
    shape.bytes = shape.n_members + 5 * (turn % 11);
    check(&shape);
    shape.collective = turn % 4 < 2 ? LP_COLLECTIVE_REDUCE_SCATTER : LP_COLLECTIVE_ALL_GATHER;
    shape.bytes = 2 * shape.n_members - 1;
    check(&shape);
}

/* One of the algorithms that can do it, another one for each case. */
static LpAlgorithm
choose(LpCollective collective, guint64 size, guint turn)
{
    for (guint i = 0;; i++) {
        LpScheduleShape shape = {.collective = collective,
                                 .algorithm = (LpAlgorithm)((turn + i) % LP_ALGORITHM_HIERARCHICAL),
                                 .n_members = size};
        if (shape.algorithm != LP_ALGORITHM_TORUS && goes_together(&shape))
            return shape.algorithm;
    }
}

/* All-reduces have halves in them; of the others every other one. */
static void
check_hierarchical(LpScheduleShape shape, guint *io_turn)
{
    shape.algorithm = LP_ALGORITHM_HIERARCHICAL;
    for (shape.collective = 0; shape.collective < LP_N_COLLECTIVES; shape.collective++) {
        gboolean halves = shape.collective == LP_COLLECTIVE_ALL_REDUCE;
        if (shape.collective == LP_COLLECTIVE_SEND ||
            (!halves && (*io_turn / 16 + shape.collective) % 2 == 0))
            continue;
        for (guint32 level = 0; level < shape.n_levels; level++) {
            LpCollective part = halves && level + 1 < shape.n_levels ? LP_COLLECTIVE_REDUCE_SCATTER
                                                                     : shape.collective;
            shape.level_algorithm[level] = choose(part, shape.level_size[level], *io_turn);
            *io_turn = *io_turn * 1103515245 + 12345;
            *io_turn = *io_turn >> 3 ^ *io_turn;
        }
        shape.bytes = *io_turn % 3 * shape.n_members + *io_turn % 29;
        shape.root = *io_turn % shape.n_members;
        shape.chunk_bytes = *io_turn % 4 * 5;
        shape.aggregates = *io_turn % 2 == 0;
        check(&shape);
    }
}

static void
check_all_levels(guint64 a, guint64 b, guint64 c, guint *io_turn)
{
    LpScheduleShape shape = {
        .n_members = a * b * c, .n_levels = c > 0 ? 3 : 2, .level_size = {a, b, c}};
    if (c == 1) {
        shape.n_levels = 2;
        check_torus(shape);
        check_hierarchical(shape, io_turn);
        shape.n_levels = 3;
    }
    check_torus(shape);
    check_hierarchical(shape, io_turn);
}

/* All ways to write all numbers up to 64 as products of two and of three. */
static void
test_levels(void)
{
    guint turn = 1;
    for (guint64 a = 1; a <= MEMBERS_MAX; a++)
        for (guint64 b = 1; a * b <= MEMBERS_MAX; b++)
            for (guint64 c = 1; a * b * c <= MEMBERS_MAX; c++)
                check_all_levels(a, b, c, &turn);
}

static void
test_uneven_levels(void)
{
    static const guint64 sizes[][3] = {{4, 3, 2}, {2, 5, 3}, {1, 4, 4}, {8, 2, 4}, {3, 1, 7}};
    for (guint i = 0; i < G_N_ELEMENTS(sizes); i++) {
        LpScheduleShape shape = {
            .algorithm = LP_ALGORITHM_HIERARCHICAL,
            .collective = LP_COLLECTIVE_ALL_TO_ALL,
            .n_members = sizes[i][0] * sizes[i][1] * sizes[i][2],
            .n_levels = 3,
            .level_algorithm = {LP_ALGORITHM_DIRECT, LP_ALGORITHM_BRUCK, LP_ALGORITHM_PAIRWISE},
            .bytes = 211,
            .weight = i % 2 == 0 ? LP_WEIGHT_RECEIVER : LP_WEIGHT_SENDER};
        double loads[MEMBERS_MAX] = {0.0};
        memcpy(shape.level_size, sizes[i], sizeof shape.level_size);
        for (guint64 k = 0; k < shape.n_members; k++)
            loads[k] = k % 2 == 0 ? 1.75 : 0.25;
        loads[0] += shape.n_members % 2 == 0 ? 0.0 : -0.75;
        shape.loads = loads;
        check(&shape);
    }
}

/* --- the literature --- */

/* Bytes in units of the buffer over n; all sizes here divide. Thakur, Rabenseifner and Gropp 2005
 * for doubling, halving, pairwise; Bruck et al. 1997; Patarasuk and Yuan 2009 for the ring;
 * Sanders, Speck and Traeff 2009 for trees; pipelines take chunks + length - 1 steps. */
static const struct {
    const char *label;
    LpScheduleShape shape;
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
    {"torus: sum of 2 (d - 1) steps, 2 (n - 1) / n of the buffer",
     {.algorithm = LP_ALGORITHM_TORUS,
      .collective = LP_COLLECTIVE_ALL_REDUCE,
      .n_members = 24,
      .n_levels = 3,
      .level_size = {4, 3, 2}},
     12,
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
        LpScheduleShape shape = known[i].shape;
        /* Divisible by n, and by twice the powers of two below it. */
        guint64 unit = 12000, most = 0;
        shape.bytes = unit * shape.n_members;
        LpSchedule schedule;
        lp_schedule_init(&schedule, &shape);
        for (guint64 member = 0; member < shape.n_members; member++)
            most = MAX(most, lp_schedule_member_bytes(&schedule, member));
        lp_test_true(known[i].label, lp_schedule_n_steps(&schedule) == known[i].n_steps);
        lp_test_true(known[i].label, most == known[i].most_units * unit);
        lp_test_true(known[i].label,
                     lp_schedule_total_bytes(&schedule) == known[i].total_units * unit);
    }
}

/* No member of a double tree is an inner node twice: in and out at most twice the buffer. */
static void
test_tree_ports(void)
{
    for (guint64 n = 2; n <= 300; n++) {
        LpScheduleShape shape = {.algorithm = LP_ALGORITHM_TREE,
                                 .collective = LP_COLLECTIVE_ALL_REDUCE,
                                 .n_members = n,
                                 .bytes = 2000};
        LpSchedule schedule;
        LpSend sends[6];
        g_autofree guint64 *in_bytes = g_new0(guint64, n);
        lp_schedule_init(&schedule, &shape);
        guint64 most = 0;
        for (guint64 member = 0; member < n; member++) {
            most = MAX(most, lp_schedule_member_bytes(&schedule, member));
            guint64 n_sends = lp_schedule_phase_sends(&schedule, member, 0, sends);
            for (guint64 i = 0; i < n_sends; i++)
                in_bytes[sends[i].to] += sends[i].bytes;
        }
        for (guint64 member = 0; member < n; member++)
            most = MAX(most, in_bytes[member]);
        lp_test_true("bytes of a port", most <= 2 * shape.bytes);
        lp_test_true("steps", lp_schedule_n_steps(&schedule) == 2 * (g_bit_storage(n) - 1));
    }
}

/* What ports carry in steps that all wait for each other: the busiest port of each step, summed. A
 * phase's fluid flows and its filling take as long. */
static guint64
stepwise_bytes(const LpSchedule *schedule)
{
    guint64 n = lp_schedule_n_participants(schedule), sum = 0;
    g_autofree LpSend *sends = g_new(LpSend, lp_schedule_sends_max(schedule));
    g_autofree guint64 *in_bytes = g_new(guint64, n);
    for (guint64 step = 0; step < lp_schedule_n_steps(schedule); step++) {
        guint64 most = 0;
        memset(in_bytes, 0, n * sizeof(guint64));
        for (guint64 member = 0; member < n; member++) {
            guint64 n_sends = lp_schedule_sends(schedule, member, step, sends), out_bytes = 0;
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
busiest_bytes(const LpSchedule *schedule)
{
    guint64 n = lp_schedule_n_participants(schedule), most = 0;
    g_autofree LpSend *sends = g_new(LpSend, lp_schedule_sends_max(schedule));
    g_autofree guint64 *in_bytes = g_new0(guint64, n);
    for (guint64 member = 0; member < n; member++) {
        guint64 n_sends = lp_schedule_phase_sends(schedule, member, 0, sends);
        for (guint64 i = 0; i < n_sends; i++)
            in_bytes[sends[i].to] += sends[i].bytes;
        if (member < schedule->shape.n_members)
            most = MAX(most, lp_schedule_member_bytes(schedule, member));
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
        gboolean is_rough, aggregates;
    } rows[] = {
        {LP_ALGORITHM_TREE, LP_COLLECTIVE_ALL_REDUCE, 2, FALSE, FALSE},
        {LP_ALGORITHM_TREE, LP_COLLECTIVE_ALL_REDUCE, 3, FALSE, FALSE},
        {LP_ALGORITHM_TREE, LP_COLLECTIVE_ALL_REDUCE, 7, FALSE, FALSE},
        {LP_ALGORITHM_TREE, LP_COLLECTIVE_ALL_REDUCE, 9, TRUE, FALSE},
        {LP_ALGORITHM_TREE, LP_COLLECTIVE_ALL_REDUCE, 16, TRUE, FALSE},
        {LP_ALGORITHM_TREE, LP_COLLECTIVE_ALL_REDUCE, 60, TRUE, FALSE},
        {LP_ALGORITHM_TREE, LP_COLLECTIVE_ALL_REDUCE, 64, TRUE, FALSE},
        {LP_ALGORITHM_TREE, LP_COLLECTIVE_BROADCAST, 9, TRUE, FALSE},
        {LP_ALGORITHM_TREE, LP_COLLECTIVE_BROADCAST, 16, FALSE, FALSE},
        {LP_ALGORITHM_TREE, LP_COLLECTIVE_REDUCE, 16, FALSE, FALSE},
        {LP_ALGORITHM_RING, LP_COLLECTIVE_BROADCAST, 9, FALSE, FALSE},
        {LP_ALGORITHM_RING, LP_COLLECTIVE_ALL_REDUCE, 9, FALSE, FALSE},
        {LP_ALGORITHM_IN_NETWORK, LP_COLLECTIVE_ALL_REDUCE, 8, FALSE, FALSE},
        {LP_ALGORITHM_IN_NETWORK, LP_COLLECTIVE_ALL_REDUCE, 8, FALSE, TRUE},
        {LP_ALGORITHM_IN_NETWORK, LP_COLLECTIVE_REDUCE_SCATTER, 8, FALSE, FALSE},
        {LP_ALGORITHM_IN_NETWORK, LP_COLLECTIVE_ALL_GATHER, 8, FALSE, FALSE},
        {LP_ALGORITHM_IN_NETWORK, LP_COLLECTIVE_BROADCAST, 8, FALSE, FALSE},
    };
    static const guint64 chunks[] = {1, 2, 4, 16};
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
        for (guint k = 0; k < G_N_ELEMENTS(chunks); k++) {
            /* Chunks of two halves, or of everything: as many in each case, and all alike. */
            gboolean halved = rows[i].algorithm == LP_ALGORITHM_TREE;
            guint64 bytes = 10 * 2 * 16 * rows[i].n_members;
            LpScheduleShape shape = {.algorithm = rows[i].algorithm,
                                     .collective = rows[i].collective,
                                     .n_members = rows[i].n_members,
                                     .bytes = bytes,
                                     .chunk_bytes = bytes / (halved ? 2 : 1) / chunks[k],
                                     .aggregates = rows[i].aggregates};
            LpSchedule schedule;
            lp_schedule_init(&schedule, &shape);
            g_autofree char *label = label_of(&shape);
            guint64 got = busiest_bytes(&schedule) + lp_schedule_phase(&schedule, 0).fill_bytes;
            guint64 wanted = stepwise_bytes(&schedule);
            /* Some trees have inner nodes with one child where others have two. */
            guint64 slack = rows[i].is_rough ? shape.chunk_bytes : 0;
            lp_test_true(label, got <= wanted + slack && wanted <= got + slack);
        }
}

/* --- errors --- */

static const double negative[] = {1.0, -1.0, 3.0};

static const struct {
    const char *label;
    LpScheduleShape shape;
    LpScheduleError code;
    const char *message;
} wrong[] = {
    {"no such algorithm",
     {.algorithm = LP_N_ALGORITHMS, .n_members = 2},
     LP_SCHEDULE_ERROR_ALGORITHM,
     "got collective 0 by algorithm 10, wanted two that exist"},
    {"an algorithm for something else",
     {.algorithm = LP_ALGORITHM_TREE, .collective = LP_COLLECTIVE_ALL_TO_ALL, .n_members = 2},
     LP_SCHEDULE_ERROR_ALGORITHM,
     "all-to-all: got the algorithm \"tree\", wanted one of bruck, pairwise, direct, hierarchical"},
    {"no members",
     {.algorithm = LP_ALGORITHM_RING},
     LP_SCHEDULE_ERROR_MEMBERS,
     "all-reduce: got 0 members, wanted 1 to 4294967295"},
    {"a send among three",
     {.algorithm = LP_ALGORITHM_DIRECT, .collective = LP_COLLECTIVE_SEND, .n_members = 3},
     LP_SCHEDULE_ERROR_MEMBERS,
     "send: got 3 members, wanted 2"},
    {"a root that is none",
     {.algorithm = LP_ALGORITHM_TREE,
      .collective = LP_COLLECTIVE_BROADCAST,
      .n_members = 3,
      .root = 3},
     LP_SCHEDULE_ERROR_MEMBERS,
     "broadcast: got the root 3, wanted less than 3"},
    {"bytes beyond counting",
     {.algorithm = LP_ALGORITHM_RING, .n_members = 1024, .bytes = G_MAXUINT64},
     LP_SCHEDULE_ERROR_SIZE,
     "all-reduce: got 18446744073709551615 bytes, wanted at most 281474976710655"},
    {"domains that do not divide",
     {.algorithm = LP_ALGORITHM_RING, .n_members = 12, .n_channels = 2, .n_near = 5},
     LP_SCHEDULE_ERROR_CHANNELS,
     "ring: got domains of 5 members, wanted a divisor of 12"},
    {"too many directions",
     {.algorithm = LP_ALGORITHM_TORUS,
      .n_members = 4,
      .n_levels = 2,
      .level_size = {2, 2},
      .n_channels = 3},
     LP_SCHEDULE_ERROR_CHANNELS,
     "torus: got 3 channels, wanted at most 2"},
    {"one level",
     {.algorithm = LP_ALGORITHM_HIERARCHICAL, .n_members = 4, .n_levels = 1, .level_size = {4}},
     LP_SCHEDULE_ERROR_LEVELS,
     "hierarchical: got 1 levels, wanted 2 to 3"},
    {"four dimensions",
     {.algorithm = LP_ALGORITHM_TORUS, .n_members = 16, .n_levels = 4},
     LP_SCHEDULE_ERROR_LEVELS,
     "torus: got 4 levels, wanted 1 to 3"},
    {"another product",
     {.algorithm = LP_ALGORITHM_TORUS, .n_members = 16, .n_levels = 2, .level_size = {4, 2}},
     LP_SCHEDULE_ERROR_LEVELS,
     "torus: got level 1 of 2, wanted sizes whose product is 16"},
    {"a level within a level",
     {.algorithm = LP_ALGORITHM_HIERARCHICAL,
      .n_members = 16,
      .n_levels = 2,
      .level_size = {4, 4},
      .level_algorithm = {LP_ALGORITHM_RING, LP_ALGORITHM_TORUS}},
     LP_SCHEDULE_ERROR_LEVELS,
     "level 1: got the algorithm \"torus\", wanted one without levels"},
    {"a level that cannot scatter",
     {.algorithm = LP_ALGORITHM_HIERARCHICAL,
      .n_members = 16,
      .n_levels = 2,
      .level_size = {4, 4},
      .level_algorithm = {LP_ALGORITHM_TREE, LP_ALGORITHM_TREE}},
     LP_SCHEDULE_ERROR_ALGORITHM,
     "level 0: reduce-scatter: got the algorithm \"tree\", wanted one of ring"},
    {"a load that is none",
     {.algorithm = LP_ALGORITHM_DIRECT,
      .collective = LP_COLLECTIVE_ALL_TO_ALL,
      .n_members = 3,
      .loads = negative,
      .weight = LP_WEIGHT_RECEIVER},
     LP_SCHEDULE_ERROR_LOADS,
     "all-to-all: got the load -1 of member 1, wanted a finite one of at least 0"},
};

static void
test_errors(void)
{
    for (guint i = 0; i < G_N_ELEMENTS(wrong); i++) {
        GError *error = NULL;
        lp_test_true(wrong[i].label, !lp_schedule_supports(&wrong[i].shape, &error));
        lp_test_error(wrong[i].label, &error, LP_SCHEDULE_ERROR, (int)wrong[i].code,
                      wrong[i].message);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {{"flat", test_flat},
                                       {"channels", test_channels},
                                       {"rails", test_rails},
                                       {"uneven", test_uneven},
                                       {"levels", test_levels},
                                       {"uneven levels", test_uneven_levels},
                                       {"literature", test_literature},
                                       {"tree ports", test_tree_ports},
                                       {"fill", test_fill},
                                       {"errors", test_errors},
                                       {NULL, NULL}};
    return lp_test_run("collective", cases);
}
