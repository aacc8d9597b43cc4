/* SPDX-License-Identifier: Apache-2.0 */
/* What ports and rails carry of double trees, of trees with chains in domains, and of rings with
 * several channels. */
#include "sim/collectives/step_pipes.h"

#include "tests/testlib.h"

/* --- double trees --- */

/* No member of a double tree is an inner node twice: in and out at most twice the buffer. */
static void
test_tree_ports(void)
{
    for (guint64 n = 2; n <= 300; n++) {
        LpCollectiveShape shape = {.algorithm = LP_ALGORITHM_TREE,
                                   .collective = LP_COLLECTIVE_ALL_REDUCE,
                                   .n_members = n,
                                   .bytes = 2000};
        LpStepSchedule schedule;
        LpSend sends[6];
        g_autofree guint64 *in_bytes = g_new0(guint64, n);
        lp_step_schedule_init(&schedule, &shape);
        guint64 most = 0;
        for (guint64 member = 0; member < n; member++) {
            most = MAX(most, lp_step_schedule_member_bytes(&schedule, member));
            guint64 n_sends = lp_step_schedule_phase_sends(&schedule, member, 0, sends);
            for (guint64 i = 0; i < n_sends; i++)
                in_bytes[sends[i].to] += sends[i].bytes;
        }
        for (guint64 member = 0; member < n; member++)
            most = MAX(most, in_bytes[member]);
        lp_test_true("bytes of a port", most <= 2 * shape.bytes);
        lp_test_true("steps", lp_step_schedule_n_steps(&schedule) == 2 * (g_bit_storage(n) - 1));
    }
}

/* --- rings with channels --- */

/* The channels of one domain each leave it at another place, and enter the next one there. */
static void
test_rails(void)
{
    for (guint64 intra = 2; intra <= 8; intra++)
        for (guint64 domains = 2; domains <= 8; domains += 2) {
            LpCollectiveShape shape = {.algorithm = LP_ALGORITHM_RING,
                                       .collective = LP_COLLECTIVE_ALL_REDUCE,
                                       .n_members = intra * domains,
                                       .bytes = intra * intra * domains * 10,
                                       .n_channels = intra,
                                       .n_intra = intra};
            LpStepSchedule schedule;
            LpSend sends[16];
            lp_step_schedule_init(&schedule, &shape);
            gboolean aligned = TRUE;
            for (guint64 member = 0; member < shape.n_members; member++) {
                guint64 n_sends = lp_step_schedule_phase_sends(&schedule, member, 0, sends),
                        inter = 0;
                for (guint64 i = 0; i < n_sends; i++) {
                    if (sends[i].to / intra == member / intra)
                        continue;
                    aligned = aligned && sends[i].to % intra == member % intra;
                    inter += sends[i].bytes;
                }
                /* One channel of intra: 2 (n - 1) / n of an intra-th of the buffer. */
                aligned = aligned && inter == 2 * (shape.n_members - 1) * 10;
            }
            lp_test_true("rails", aligned);
        }
}

/* --- trees with chains --- */

/* Trees with chains: 2 (domains - 1) V between domains, as much over each place and on the rail. */
static void
check_chains(guint64 intra, guint64 domains)
{
    guint64 unit = 20;
    LpCollectiveShape shape = {.algorithm = LP_ALGORITHM_TREE,
                               .collective = LP_COLLECTIVE_ALL_REDUCE,
                               .n_members = intra * domains,
                               .bytes = intra * unit,
                               .n_channels = intra,
                               .n_intra = intra};
    LpStepSchedule schedule;
    LpSend sends[8];
    g_autofree guint64 *inter_bytes = g_new0(guint64, intra);
    lp_step_schedule_init(&schedule, &shape);
    gboolean aligned = TRUE;
    for (guint64 member = 0; member < shape.n_members; member++) {
        guint64 n_sends = lp_step_schedule_phase_sends(&schedule, member, 0, sends);
        for (guint64 i = 0; i < n_sends; i++) {
            if (sends[i].to / intra == member / intra)
                continue;
            aligned = aligned && sends[i].to % intra == member % intra;
            inter_bytes[member % intra] += sends[i].bytes;
        }
    }
    lp_test_true("on the rail", aligned);
    for (guint64 place = 0; place < intra; place++)
        lp_test_true("bytes of a place", inter_bytes[place] == 2 * (domains - 1) * unit);
}

/* The messages that open each way: as many as there are partners, of each lane by itself. */
static void
check_openings(guint64 intra, guint64 domains)
{
    LpCollectiveShape shape = {.algorithm = LP_ALGORITHM_TREE,
                               .collective = LP_COLLECTIVE_ALL_REDUCE,
                               .n_members = intra * domains,
                               .bytes = intra * 2 * 60,
                               .chunk_bytes = 10,
                               .n_channels = intra,
                               .n_intra = intra};
    LpStepSchedule schedule;
    LpSend sends[8];
    lp_step_schedule_init(&schedule, &shape);
    LpStepPhase phase = lp_step_schedule_phase(&schedule, 0);
    guint64 n_inter = 0;
    for (guint64 member = 0; member < shape.n_members; member++)
        for (guint64 step = 0; step < phase.n_steps; step++) {
            guint64 n_sends = lp_step_schedule_sends(&schedule, member, step, sends);
            for (guint64 i = 0; i < n_sends; i++) {
                gboolean opens = lp_step_schedule_opens(&schedule, member, step, &sends[i]);
                n_inter += opens && sends[i].to / intra != member / intra ? 1 : 0;
                lp_test_true("opens late", !opens || step < phase.n_latencies);
            }
        }
    /* Connections of two trees of a channel, up and down; two that open at once in one lane are
     * none. */
    lp_test_true("openings", n_inter == intra * 2 * 2 * (domains - 1));
}

/* A node of the double tree is an inner one in at most one tree of the two, the same in all
 * channels (ncclGetDtree() in src/graph/trees.cc, NCCL 2.30.7). Of two domains each sends and
 * receives one V over all its ports; of four the two that are topmost one V, the others two; 2 (d -
 * 1) V in all. */
static void
check_loads(guint64 intra, guint64 domains)
{
    guint64 unit = 20, v = intra * unit;
    LpCollectiveShape shape = {.algorithm = LP_ALGORITHM_TREE,
                               .collective = LP_COLLECTIVE_ALL_REDUCE,
                               .n_members = intra * domains,
                               .bytes = v,
                               .n_channels = intra,
                               .n_intra = intra};
    LpStepSchedule schedule;
    LpSend sends[8];
    guint64 out_bytes[4] = {0}, in_bytes[4] = {0};
    lp_step_schedule_init(&schedule, &shape);
    for (guint64 member = 0; member < shape.n_members; member++) {
        guint64 n_sends = lp_step_schedule_phase_sends(&schedule, member, 0, sends);
        for (guint64 i = 0; i < n_sends; i++) {
            if (sends[i].to / intra == member / intra)
                continue;
            out_bytes[member / intra] += sends[i].bytes;
            in_bytes[sends[i].to / intra] += sends[i].bytes;
        }
    }
    for (guint64 domain = 0; domain < domains; domain++) {
        gboolean is_inner = domains == 4 && (domain == 1 || domain == 2);
        lp_test_true("bytes out of a domain", out_bytes[domain] == (is_inner ? 2 * v : v));
        lp_test_true("bytes into a domain", in_bytes[domain] == (is_inner ? 2 * v : v));
    }
}

/* Whether @send is among @sends, of which there are @n. */
static gboolean
is_among(const LpSend *sends, guint64 n, const LpSend *send)
{
    for (guint64 i = 0; i < n; i++)
        if (sends[i].to == send->to && sends[i].lane == send->lane && sends[i].bytes == send->bytes)
            return TRUE;
    return FALSE;
}

/* A tree of @domains chains of @intra members each. */
static LpCollectiveShape
tree_of(guint64 intra, guint64 domains, guint64 n_channels)
{
    return (LpCollectiveShape){.algorithm = LP_ALGORITHM_TREE,
                               .collective = LP_COLLECTIVE_ALL_REDUCE,
                               .n_members = intra * domains,
                               .bytes = 12347,
                               .chunk_bytes = 100,
                               .n_channels = n_channels,
                               .n_intra = intra};
}

/* What is looked up is what is worked out, send by send: channels and halves of unequal bytes, and
 * more channels than places. */
static void
check_pipes(guint64 intra, guint64 domains, guint64 n_channels)
{
    LpCollectiveShape shape = tree_of(intra, domains, n_channels);
    LpStepSchedule schedule;
    LpSend sends[8], looked_up[8];
    lp_step_schedule_init(&schedule, &shape);
    LpStepPipes *pipes = lp_step_pipes_new(&schedule);
    gboolean same = TRUE;
    for (guint64 member = 0; member < shape.n_members; member++)
        for (guint64 step = 0; step <= lp_step_schedule_n_steps(&schedule); step++) {
            guint64 n = lp_step_schedule_sends(&schedule, member, step, sends);
            same = same && lp_step_pipes_sends(pipes, member, step, looked_up) == n;
            for (guint64 i = 0; i < n && same; i++)
                same = is_among(looked_up, n, &sends[i]) &&
                       lp_step_schedule_opens(&schedule, member, step, &sends[i]) ==
                           lp_step_pipes_opens(pipes, member, step, &sends[i]);
        }
    lp_test_true("sends looked up", same);
    lp_step_pipes_free(pipes);
}

/* A phase's sends are those of its steps, summed by partner. */
static void
check_phase(guint64 intra, guint64 domains, guint64 n_channels)
{
    LpCollectiveShape shape = tree_of(intra, domains, n_channels);
    LpStepSchedule schedule;
    LpSend sends[8];
    lp_step_schedule_init(&schedule, &shape);
    gboolean same = TRUE;
    for (guint64 member = 0; member < shape.n_members; member++) {
        g_autofree guint64 *bytes = g_new0(guint64, shape.n_members);
        for (guint64 step = 0; step < lp_step_schedule_n_steps(&schedule); step++)
            for (guint64 i = lp_step_schedule_sends(&schedule, member, step, sends); i-- > 0;)
                bytes[sends[i].to] += sends[i].bytes;
        guint64 n = lp_step_schedule_phase_sends(&schedule, member, 0, sends);
        for (guint64 i = 0; i < n; i++) {
            same = same && sends[i].bytes == bytes[sends[i].to];
            bytes[sends[i].to] = 0;
        }
        for (guint64 i = 0; i < shape.n_members; i++)
            same = same && bytes[i] == 0;
    }
    lp_test_true("sends of a phase", same);
}

static void
test_chains(void)
{
    for (guint64 intra = 2; intra <= 8; intra++) {
        check_loads(intra, 2);
        check_loads(intra, 4);
        for (guint64 domains = 2; domains <= 9; domains++) {
            check_chains(intra, domains);
            check_openings(intra, domains);
            check_pipes(intra, domains, intra);
            check_pipes(intra, domains, 2 * intra + 1);
            for (guint64 n_channels = 1; n_channels <= 2 * intra; n_channels++)
                check_phase(intra, domains, n_channels);
        }
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {{"tree ports", test_tree_ports},
                                       {"rails", test_rails},
                                       {"chains", test_chains},
                                       {NULL, NULL}};
    return lp_test_run("chains and trees", cases);
}
