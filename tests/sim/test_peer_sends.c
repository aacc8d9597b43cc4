/* SPDX-License-Identifier: Apache-2.0 */
/* What members send to peers, as numbers: the same collective has the same ones, another size has
 * others, and without any all peers are alike. */
#include "sim/quotient/peer_sends.h"

#include "tests/sim/job_flows.h"
#include "tests/testlib.h"

#define SHAPE "embedding=no layers=4 hidden=256 heads=8 ffn=512 seq=64 micro-batch=1 tp=1 pp=1 "
#define SETTINGS SHAPE "dp=12 global-batch=24 algorithm-dp=tree"
/* Trees of so many chunks that their steps are one flow, which pays their latencies first. */
#define LARGE                                                                                      \
    "embedding=no layers=4 hidden=8192 heads=8 ffn=32768 seq=64 micro-batch=1 tp=1 pp=1 "          \
    "dp=12 global-batch=24 algorithm-dp=tree"

static guint
count_peers(const LpJobFlows *job, const LpCommunicator *communicator)
{
    guint n = 0;
    for (guint32 i = 0; i < communicator->n_members; i++) {
        const GArray *peers =
            lp_collective_peers_get(job->map->peers, communicator->group, communicator->ranks[i]);
        n += peers == NULL ? 0 : peers->len;
    }
    return n;
}

/* Members without a number in common with @one, of @n. */
static guint
count_others(const LpPeerSends *one, const LpPeerSends *other, guint n)
{
    guint n_others = 0;
    for (guint i = 0; i < n; i++)
        n_others += one->of_peer[i] != other->of_peer[i] ? 1u : 0u;
    return n_others;
}

static void
test_numbers(void)
{
    g_autoptr(LpJobFlows) job = lp_job_flows_new(
        SETTINGS, "--accelerators=24 --domain-size=4 --leaf-ports=8", "nccl-hopper");
    if (job == NULL)
        return;
    const LpCommunicator *communicator =
        lp_communicators_get(job->map->communicators, LP_GROUP_DP, 0);
    g_autoptr(GArray) ops = lp_program_collectives(job->program, LP_GROUP_DP);
    g_autoptr(GArray) none = g_array_new(FALSE, FALSE, sizeof(LpOp));
    g_auto(LpNumbering) what, waits;
    lp_numbering_init(&what);
    lp_numbering_init(&waits);
    LpPeerSendsInput input = {job->map, job->cache, LP_FIDELITY_FLOW, ops, &what, &waits};
    guint n = count_peers(job, communicator);
    LpPeerSends *one = lp_peer_sends_new(&input, communicator);
    LpPeerSends *again = lp_peer_sends_new(&input, communicator);
    lp_test_true("peers", n >= communicator->n_members);
    lp_test_true("the same", count_others(one, again, n) == 0 && one->what == again->what);
    lp_test_true("trees wait for messages", one->is_chained);
    for (guint i = 0; i < ops->len; i++)
        g_array_index(ops, LpOp, i).bytes += 4096;
    LpPeerSends *little = lp_peer_sends_new(&input, communicator);
    lp_test_true("a little more", count_others(one, little, n) > 0);
    for (guint i = 0; i < ops->len; i++)
        g_array_index(ops, LpOp, i).bytes *= 3;
    LpPeerSends *larger = lp_peer_sends_new(&input, communicator);
    lp_test_true("another size", count_others(one, larger, n) == n);
    input.ops = none;
    LpPeerSends *empty = lp_peer_sends_new(&input, communicator);
    gboolean alike = TRUE;
    for (guint i = 1; i < n; i++)
        alike = alike && empty->of_peer[i] == empty->of_peer[0];
    lp_test_true("nothing is alike", alike && empty->of_peer[0] != one->of_peer[0]);
    lp_test_true("nor waited for", !empty->is_chained && empty->what != one->what);
    LpPeerSends *all[] = {one, again, little, larger, empty};
    for (guint i = 0; i < G_N_ELEMENTS(all); i++)
        lp_peer_sends_free(all[i]);
}

/* What the first data-parallel communicator sends, numbered by @what and @waits. */
static LpPeerSends *
sends_of(const LpJobFlows *job, LpNumbering *what, LpNumbering *waits)
{
    g_autoptr(GArray) ops = lp_program_collectives(job->program, LP_GROUP_DP);
    LpPeerSendsInput input = {job->map, job->cache, LP_FIDELITY_FLOW, ops, what, waits};
    return lp_peer_sends_new(&input, lp_communicators_get(job->map->communicators, LP_GROUP_DP, 0));
}

/* Whoever sends all at once in one step waits for nobody; in steps, or where more are to be sent
 * than are under way at once, one message waits for another. Of n members 8,192 / n are. */
static void
test_chaining(void)
{
    static const struct {
        const char *label, *plan;
        gboolean is_chained;
        guint one, other; /* peers of the first member, in other domains */
        gboolean have_turns;
    } rows[] = {
        {"83 of 97 at once", "dp=84 global-batch=84 algorithm-dp=direct zero=1", FALSE, 9, 10,
         FALSE},
        {"95 of 85 at once", "dp=96 global-batch=96 algorithm-dp=direct zero=1", TRUE, 93, 94,
         TRUE},
        {"in two steps", "dp=84 global-batch=84 algorithm-dp=direct", TRUE, 9, 10, FALSE},
        {"in steps", "dp=12 global-batch=12 algorithm-dp=halving-doubling zero=1", TRUE, 0, 0,
         FALSE},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *settings = g_strconcat(SHAPE, rows[i].plan, NULL);
        g_autoptr(LpJobFlows) job = lp_job_flows_new(
            settings, "--accelerators=96 --domain-size=4 --leaf-ports=8", "nccl-hopper");
        g_auto(LpNumbering) what, waits;
        lp_numbering_init(&what);
        lp_numbering_init(&waits);
        LpPeerSends *sends = sends_of(job, &what, &waits);
        lp_test_true(rows[i].label, sends->is_chained == rows[i].is_chained);
        lp_test_true("turns", (sends->of_peer[rows[i].one] != sends->of_peer[rows[i].other]) ==
                                  rows[i].have_turns);
        lp_peer_sends_free(sends);
    }
}

/* Where all else is the same, members wait for longer ways. */
static void
test_waits(void)
{
    static const char *const latencies[] = {"2us", "2us", "9us"};
    LpPeerSends *sends[G_N_ELEMENTS(latencies)];
    g_auto(LpNumbering) what, waits;
    lp_numbering_init(&what);
    lp_numbering_init(&waits);
    for (guint i = 0; i < G_N_ELEMENTS(latencies); i++) {
        g_autofree char *machine = g_strconcat(
            "--accelerators=24 --domain-size=4 --leaf-ports=8 --scale-out-latency=", latencies[i],
            NULL);
        g_autoptr(LpJobFlows) job = lp_job_flows_new(LARGE, machine, "nccl-hopper");
        sends[i] = sends_of(job, &what, &waits);
    }
    lp_test_true("the same way", sends[0]->what == sends[1]->what);
    lp_test_true("a longer one", sends[0]->what != sends[2]->what);
    for (guint i = 0; i < G_N_ELEMENTS(latencies); i++)
        lp_peer_sends_free(sends[i]);
}

int
main(void)
{
    static const LpTestCase cases[] = {{"numbers", test_numbers},
                                       {"chaining", test_chaining},
                                       {"waits", test_waits},
                                       {NULL, NULL}};
    return lp_test_run("what peers are sent", cases);
}
