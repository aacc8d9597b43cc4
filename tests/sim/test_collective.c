/* SPDX-License-Identifier: Apache-2.0 */
/* Every algorithm for every collective, run on buffers in memory: right results at each member,
 * whoever runs ahead; sums over phases, members and all that agree with the steps. */
#include "sim/collectives/step_schedule.h"

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
    guint64 *n_received; /* owned by the caller */
    guint64 *bytes;      /* owned by the caller: sent in all phases so far, by member */
} Census;

/* Whether the phase's sends are those of its steps. */
static gboolean
member_agrees(const LpStepSchedule *schedule, guint64 member, guint64 index, Census *census)
{
    LpStepPhase phase = lp_step_schedule_phase(schedule, index);
    guint64 n_partners = 0, n_sends;
    for (guint64 step = phase.first_step; step < phase.first_step + phase.n_steps; step++) {
        n_sends = lp_step_schedule_sends(schedule, member, step, census->sends);
        for (guint64 i = 0; i < n_sends; i++) {
            n_partners += census->by_partner[census->sends[i].to] == 0 ? 1 : 0;
            census->by_partner[census->sends[i].to] += census->sends[i].bytes;
        }
    }
    n_sends = lp_step_schedule_phase_sends(schedule, member, index, census->sends);
    gboolean right = n_sends == n_partners && n_sends <= lp_step_schedule_sends_max(schedule);
    for (guint64 i = 0; i < n_sends; i++) {
        LpSend send = census->sends[i];
        right = right && send.bytes > 0 && send.bytes == census->by_partner[send.to];
        census->by_partner[send.to] = 0;
        census->n_received[send.to]++;
        census->bytes[member] += send.bytes;
    }
    return right;
}

static gboolean
phase_agrees(const LpStepSchedule *schedule, guint64 index, Census *census)
{
    LpStepPhase phase = lp_step_schedule_phase(schedule, index);
    gboolean right = phase.n_steps > 0 && phase.n_latencies > 0;
    for (guint64 member = 0; member < lp_step_schedule_n_participants(schedule); member++)
        right = member_agrees(schedule, member, index, census) && right;
    for (guint64 member = 0; member < lp_step_schedule_n_participants(schedule); member++) {
        right = right && lp_step_schedule_phase_n_receives(schedule, member, index) ==
                             census->n_received[member];
        census->n_received[member] = 0;
    }
    return right;
}

static void
check_phases(const char *label, const LpStepSchedule *schedule)
{
    guint64 n = lp_step_schedule_n_participants(schedule), next_step = 0, total = 0;
    g_autofree LpSend *sends = g_new(LpSend, lp_step_schedule_sends_max(schedule) + n);
    g_autofree guint64 *member_bytes = g_new0(guint64, n);
    g_autofree guint64 *by_partner = g_new0(guint64, n), *n_received = g_new0(guint64, n);
    Census census = {sends, by_partner, n_received, member_bytes};
    gboolean right = TRUE, in_row = TRUE;
    for (guint64 i = 0; i < lp_step_schedule_n_phases(schedule); i++) {
        LpStepPhase phase = lp_step_schedule_phase(schedule, i);
        in_row = in_row && phase.first_step == next_step;
        next_step = phase.first_step + phase.n_steps;
        right = phase_agrees(schedule, i, &census) && right;
    }
    lp_test_true(label, in_row && next_step == lp_step_schedule_n_steps(schedule));
    lp_test_true(label, right);
    gboolean agrees = TRUE;
    for (guint64 member = 0; member < n; member++) {
        agrees = agrees && member_bytes[member] == lp_step_schedule_member_bytes(schedule, member);
        total += member < schedule->shape.n_members ? member_bytes[member] : 0;
    }
    lp_test_true(label, agrees && total == lp_step_schedule_total_bytes(schedule));
}

static void
check(const LpCollectiveShape *shape)
{
    g_autofree char *label = lp_buffers_label(shape);
    g_autoptr(GError) error = NULL;
    gboolean supported = lp_step_schedule_supports(shape, &error);
    lp_test_true(error != NULL ? error->message : label, supported);
    if (!supported)
        return;
    LpStepSchedule schedule;
    lp_step_schedule_init(&schedule, shape);
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
goes_together(const LpCollectiveShape *shape)
{
    g_autoptr(GError) error = NULL;
    return lp_step_schedule_supports(shape, &error);
}

/* Sizes: one, fewer than members, indivisible; none, and several a member, by turns. */
static void
check_sizes(LpCollectiveShape shape)
{
    guint64 n = shape.n_members;
    const guint64 sizes[] = {1, n - 1, 2 * n + n / 2 + 1, n % 2 == 0 ? 131 : 0};
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
                LpCollectiveShape shape = {
                    .algorithm = algorithm, .collective = collective, .n_members = n};
                if (algorithm == LP_ALGORITHM_TORUS || !goes_together(&shape))
                    continue;
                n_pairs += n == 2 ? 1 : 0;
                check_sizes(shape);
                shape.aggregates = TRUE;
                if (algorithm == LP_ALGORITHM_IN_NETWORK)
                    check_sizes(shape);
            }
    /* As the table of docs/architecture.md has it. */
    lp_test_true("pairs of algorithm and collective", n_pairs == 39);
}

static void
test_channels(void)
{
    static const LpCollective collectives[] = {
        LP_COLLECTIVE_ALL_REDUCE, LP_COLLECTIVE_REDUCE_SCATTER, LP_COLLECTIVE_ALL_GATHER,
        LP_COLLECTIVE_BROADCAST, LP_COLLECTIVE_REDUCE};
    for (guint64 n = 2; n <= MEMBERS_MAX; n++)
        for (guint64 intra = 1; intra <= n; intra++) {
            if (n % intra != 0)
                continue;
            for (guint i = intra % 2; i < G_N_ELEMENTS(collectives); i += 2) {
                LpCollectiveShape shape = {.algorithm = LP_ALGORITHM_RING,
                                           .collective = collectives[i],
                                           .n_members = n,
                                           .bytes = 5 * n + i + 1,
                                           .root = n / 3,
                                           .chunk_bytes = 5,
                                           .n_channels = MIN(1 + (n + i) % 8, n),
                                           .n_intra = intra};
                check(&shape);
            }
        }
}

/* Trees with chains: every division of members into domains, with few channels, one a member, and
 * more; no bytes, fewer than parts, and several a part. */
static void
test_chains(void)
{
    for (guint64 n = 2; n <= MEMBERS_MAX; n++)
        for (guint64 intra = 1; intra <= n; intra++) {
            if (n % intra != 0)
                continue;
            const guint64 channels[] = {2, intra, (n + 3 * intra) % 7 + 2};
            const guint64 sizes[] = {n / 2, 7 * n + intra, 0};
            static const guint64 chunks[] = {0, 1, 3};
            for (guint i = 0; i < G_N_ELEMENTS(channels); i++) {
                LpCollectiveShape shape = {.algorithm = LP_ALGORITHM_TREE,
                                           .collective = LP_COLLECTIVE_ALL_REDUCE,
                                           .n_members = n,
                                           .bytes = sizes[(i + n) % G_N_ELEMENTS(sizes)],
                                           .chunk_bytes = chunks[(n + intra + i) % 3],
                                           .n_channels = MIN(channels[i], n),
                                           .n_intra = intra};
                check(&shape);
            }
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
                LpCollectiveShape shape = {.algorithm = algorithms[i],
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
check_torus(LpCollectiveShape shape)
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
        LpCollectiveShape shape = {.collective = collective,
                                   .algorithm =
                                       (LpAlgorithm)((turn + i) % LP_ALGORITHM_HIERARCHICAL),
                                   .n_members = size};
        if (shape.algorithm != LP_ALGORITHM_TORUS && goes_together(&shape))
            return shape.algorithm;
    }
}

/* All-reduces have halves in them; of the others every third one. */
static void
check_hierarchical(LpCollectiveShape shape, guint *io_turn)
{
    shape.algorithm = LP_ALGORITHM_HIERARCHICAL;
    for (shape.collective = 0; shape.collective < LP_N_COLLECTIVES; shape.collective++) {
        gboolean halves = shape.collective == LP_COLLECTIVE_ALL_REDUCE;
        if (shape.collective == LP_COLLECTIVE_SEND ||
            (!halves && (*io_turn / 16 + shape.collective) % 3 != 0))
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
    LpCollectiveShape shape = {.n_members = a * b * c, .n_levels = 3, .level_size = {a, b, c}};
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
        LpCollectiveShape shape = {
            .algorithm = LP_ALGORITHM_HIERARCHICAL,
            .collective = LP_COLLECTIVE_ALL_TO_ALL,
            .n_members = sizes[i][0] * sizes[i][1] * sizes[i][2],
            .n_levels = 3,
            .level_algorithm = {LP_ALGORITHM_DIRECT, LP_ALGORITHM_BRUCK, LP_ALGORITHM_PAIRWISE},
            .bytes = 211,
            .weight = i % 2 == 0 ? LP_WEIGHT_RECEIVER : LP_WEIGHT_SENDER};
        double loads[MEMBERS_MAX] = {0.0};
        memcpy(shape.level_size, sizes[i], sizeof sizes[i]);
        for (guint64 k = 0; k < shape.n_members; k++)
            loads[k] = k % 2 == 0 ? 1.75 : 0.25;
        loads[0] += shape.n_members % 2 == 0 ? 0.0 : -0.75;
        shape.loads = loads;
        check(&shape);
    }
}

/* Switches and trees at once, in chunks. */
static void
test_switch_trees(void)
{
    for (guint64 near = 2; near <= 5; near++)
        for (guint64 far = 2; far <= 9; far++) {
            LpCollectiveShape shape = {
                .algorithm = LP_ALGORITHM_HIERARCHICAL,
                .collective = LP_COLLECTIVE_ALL_REDUCE,
                .n_members = near * far,
                .n_levels = 2,
                .level_size = {near, far},
                .level_algorithm = {LP_ALGORITHM_IN_NETWORK, LP_ALGORITHM_TREE}};
            const guint64 sizes[] = {1, shape.n_members - 1, 2 * shape.n_members + 3, 331};
            for (guint i = 0; i < G_N_ELEMENTS(sizes); i++) {
                shape.bytes = sizes[i];
                shape.chunk_bytes = 1 + (near + far + i) % 7;
                check(&shape);
            }
        }
}

int
main(void)
{
    static const LpTestCase cases[] = {{"flat", test_flat},
                                       {"channels", test_channels},
                                       {"chains", test_chains},
                                       {"uneven", test_uneven},
                                       {"levels", test_levels},
                                       {"uneven levels", test_uneven_levels},
                                       {"switch trees", test_switch_trees},
                                       {NULL, NULL}};
    return lp_test_run("collective", cases);
}
