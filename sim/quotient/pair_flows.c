/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of messages, in the order in which their sender sends them. */
#include "sim/quotient/pair_flows.h"

#include "sim/collectives/exchange.h"

typedef struct {
    LpNumbering *what;          /* borrowed */
    const LpIsolatedRing *ring; /* borrowed */
    const GArray *ops;          /* borrowed */
    guint64 *blocks;            /* owned, by operation and member */
    guint32 *sender, *receiver; /* owned, by member: what of its messages follows from who sends
                                   them, and from who receives them */
} Builder;

gboolean
lp_pair_flows_are_all(const LpIsolatedRing *ring, LpFidelity fidelity)
{
    return ring->communicator->exchanges &&
           (!ring->sites.is_regular ||
            (lp_isolated_ring_sends_inter(ring) &&
             (ring->map->layout->relays != NULL || fidelity == LP_FIDELITY_MESSAGE)));
}

static const LpOp *
op_at(const Builder *self, guint i)
{
    return &g_array_index(self->ops, LpOp, i);
}

static void
find_blocks(Builder *self)
{
    guint64 n = self->ring->n_members;
    self->blocks = g_new(guint64, n * self->ops->len);
    for (guint i = 0; i < self->ops->len; i++)
        lp_exchange_blocks(op_at(self, i), lp_op_loads(op_at(self, i), self->ring->communicator), n,
                           &self->blocks[n * i]);
}

/* The blocks of @member in the operations in which those of senders count, or of receivers. */
static guint32
describe_member(Builder *self, guint64 member, gboolean sends)
{
    lp_numbering_add_count(self->what, LP_N_CONNECTIONS + 2);
    for (guint i = 0; i < self->ops->len; i++) {
        const LpOp *op = op_at(self, i);
        LpAlgorithmSelection selection =
            lp_rank_layout_selection(self->ring->map->layout, op, self->ring->communicator);
        if (selection.is_scheduled || (op->weight == LP_WEIGHT_SENDER) != sends)
            continue;
        guint64 bytes = self->blocks[self->ring->n_members * i + member];
        lp_numbering_add_count(self->what, i);
        for (LpReach reach = 0; reach < LP_N_REACHES; reach++)
            lp_numbering_add_count(self->what,
                                   lp_protocol_wire_bytes(selection.protocol, reach, bytes));
    }
    return lp_numbering_end(self->what);
}

static guint32
describe_pair(Builder *self, guint32 from, guint32 to, guint32 place, LpReach reach)
{
    guint64 counts[] = {LP_N_CONNECTIONS + 3, place, reach, self->sender[from], self->receiver[to]};
    for (guint i = 0; i < G_N_ELEMENTS(counts); i++)
        lp_numbering_add_count(self->what, counts[i]);
    return lp_numbering_end(self->what);
}

static LpPairFlow
pair_flow(Builder *self, guint32 from, guint32 place)
{
    const LpIsolatedRing *ring = self->ring;
    const LpCommunicator *communicator = ring->communicator;
    guint32 to = (guint32)lp_exchange_row_receiver(ring->n_members, ring->sites.n_intra,
                                                   ring->sites.n_pod, from, place);
    LpConnection connection =
        lp_rank_layout_connect(ring->map->layout, (LpConnectionKind)communicator->group,
                               communicator->ranks[from], communicator->ranks[to]);
    return (LpPairFlow){.route = connection.route,
                        .from = from,
                        .to = to,
                        .what =
                            describe_pair(self, from, to, place, lp_connection_reach(&connection))};
}

GArray *
lp_pair_flows_new(LpNumbering *what, const LpIsolatedRing *ring, const GArray *ops)
{
    guint32 n = (guint32)ring->n_members;
    guint32 length = (guint32)lp_exchange_row_length(n, ring->sites.n_intra);
    Builder builder = {.what = what, .ring = ring, .ops = ops};
    find_blocks(&builder);
    builder.sender = g_new(guint32, n);
    builder.receiver = g_new(guint32, n);
    for (guint32 i = 0; i < n; i++) {
        builder.sender[i] = describe_member(&builder, i, TRUE);
        builder.receiver[i] = describe_member(&builder, i, FALSE);
    }
    GArray *flows = g_array_sized_new(FALSE, FALSE, sizeof(LpPairFlow), n * length);
    for (guint32 from = 0; from < n; from++)
        for (guint32 place = 0; place < length; place++) {
            LpPairFlow flow = pair_flow(&builder, from, place);
            g_array_append_val(flows, flow);
        }
    g_free(builder.blocks);
    g_free(builder.sender);
    g_free(builder.receiver);
    return flows;
}
