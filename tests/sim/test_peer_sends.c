/* SPDX-License-Identifier: Apache-2.0 */
/* What members send to peers, as numbers: the same collective has the same ones, another size has
 * others, and without any all peers are alike. */
#include "sim/quotient/peer_sends.h"

#include "tests/sim/job_flows.h"
#include "tests/testlib.h"

#define SETTINGS                                                                                   \
    "embedding=no layers=4 hidden=256 heads=8 ffn=512 seq=64 micro-batch=1 tp=1 pp=1 dp=12 "       \
    "algorithm-dp=tree global-batch=24"

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

int
main(void)
{
    static const LpTestCase cases[] = {{"numbers", test_numbers}, {NULL, NULL}};
    return lp_test_run("what peers are sent", cases);
}
