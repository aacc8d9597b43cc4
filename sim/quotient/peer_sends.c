/* SPDX-License-Identifier: Apache-2.0 */
/* Follows round plans once through. */
#include "sim/quotient/peer_sends.h"

#include "sim/analysis/cached_latencies.h"
#include "sim/quotient/send_rows.h"

static const LpOp *
op_at(const LpPeerSendsInput *input, guint i)
{
    return &g_array_index(input->ops, LpOp, i);
}

static const GArray *
peers_of(const LpPeerSendsInput *input, const LpCommunicator *communicator, guint32 member)
{
    return lp_collective_peers_get(input->map->peers, communicator->group,
                                   communicator->ranks[member]);
}

static guint
n_peers(const LpPeerSendsInput *input, const LpCommunicator *communicator, guint32 member)
{
    const GArray *peers = peers_of(input, communicator, member);
    return peers == NULL ? 0 : peers->len;
}

static gboolean
is_scheduled(const LpPeerSendsInput *input, const LpOp *op, const LpCommunicator *communicator)
{
    return lp_rank_layout_selection(input->map->layout, op, communicator).is_scheduled;
}

/* Describes the sends of a member to its peers, and the order in which others wait for it; @sends:
 * by peer. */
static void
describe_member(const LpPeerSendsInput *input, LpRoundPlan *plan, guint op, guint32 member,
                LpTransfer *transfers, LpSendRows *sends, gboolean *io_is_chained)
{
    const GArray *peers = peers_of(input, plan->communicator, member);
    for (guint64 round = 0; round < plan->n_rounds; round++) {
        guint64 n = lp_round_plan_transfers(plan, member, round, transfers);
        *io_is_chained = *io_is_chained || n > plan->at_once;
        for (guint64 i = 0; i < n; i++)
            lp_send_rows_add(&sends[lp_collective_peers_index(peers, transfers[i].connection)],
                             (LpRoundSend){.op = op,
                                           .round = round,
                                           .place = n > plan->at_once ? i : 0,
                                           .bytes = transfers[i].bytes,
                                           .latency_s = transfers[i].latency_s});
    }
}

static void
describe_op(const LpPeerSendsInput *input, guint op, const LpCommunicator *communicator,
            LpSendRows *sends, LpPeerSends *self)
{
    LpRoundPlan plan;
    lp_round_plan_init(&plan, input->map, op_at(input, op), communicator, input->fidelity);
    lp_cached_latencies_prepare(&plan, op_at(input, op), input->cache);
    self->is_chained = self->is_chained || plan.n_rounds > 1;
    lp_numbering_add_count(input->waits, op);
    for (guint64 round = 0; round < plan.n_rounds; round++)
        lp_numbering_add_number(input->waits, lp_round_plan_wait_s(&plan, round));
    g_autofree LpTransfer *transfers = g_new(LpTransfer, lp_round_plan_transfers_max(&plan));
    for (guint32 member = 0; member < communicator->n_members; member++) {
        describe_member(input, &plan, op, member, transfers, sends, &self->is_chained);
        sends += n_peers(input, communicator, member);
    }
    lp_round_plan_clear(&plan);
}

LpPeerSends *
lp_peer_sends_new(const LpPeerSendsInput *input, const LpCommunicator *communicator)
{
    LpPeerSends *self = g_new0(LpPeerSends, 1);
    gsize n = 0;
    for (guint32 member = 0; member < communicator->n_members; member++)
        n += n_peers(input, communicator, member);
    g_autofree LpSendRows *sends = g_new0(LpSendRows, n);
    for (guint i = 0; i < input->ops->len; i++)
        if (is_scheduled(input, op_at(input, i), communicator))
            describe_op(input, i, communicator, sends, self);
    self->what = lp_numbering_end(input->waits);
    self->of_peer = g_new(guint32, n);
    for (gsize i = 0; i < n; i++) {
        lp_numbering_add_count(input->what, LP_N_CONNECTIONS);
        lp_send_rows_describe(&sends[i], input->what);
        self->of_peer[i] = lp_numbering_end(input->what);
        lp_send_rows_clear(&sends[i]);
    }
    return self;
}

void
lp_peer_sends_free(LpPeerSends *self)
{
    if (self == NULL)
        return;
    g_free(self->of_peer);
    g_free(self);
}
