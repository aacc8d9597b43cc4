/* SPDX-License-Identifier: Apache-2.0 */
/* The time of an exchange on its busiest link. */
#include "sim/collectives/exchange.h"
#include "sim/mapping/exchange_flows.h"

#include <math.h>
#include <string.h>

gboolean
lp_exchange_link_equal(const LpExchangeLink *a, const LpExchangeLink *b)
{
    return memcmp(&a->bytes_per_s, &b->bytes_per_s, sizeof(double)) == 0 && a->tier == b->tier &&
           memcmp(a->n, b->n, sizeof a->n) == 0;
}

static double
mean_block(const guint64 *blocks, guint32 n)
{
    double sum = 0.0;
    for (guint32 i = 0; i < n; i++)
        sum += (double)blocks[i];
    return sum / n;
}

/* Bytes on @link, of pairs of each reach. Where the shares
 * of members are not known, all blocks are a mean one. */
static void
bytes_on(const LpExchangeFlows *self, const LpExchangeLink *link, const LpOp *op,
         const guint64 *blocks, double mean_bytes, gboolean is_even, double *out_bytes)
{
    gboolean by_sender = op->weight == LP_WEIGHT_SENDER;
    gboolean has_shares = link->end_share > link->first_share && !is_even;
    for (LpReach reach = 0; reach < LP_N_REACHES; reach++) {
        out_bytes[reach] = has_shares ? 0.0 : link->n[reach] * mean_bytes;
        if (!has_shares)
            continue;
        guint32 first = by_sender ? link->middle_share : link->first_share;
        guint32 end = by_sender ? link->end_share : link->middle_share;
        for (guint32 i = first; i < end; i++) {
            const LpExchangeShare *share = &g_array_index(self->shares, LpExchangeShare, i);
            out_bytes[reach] += share->n[reach] * (double)blocks[share->member];
        }
    }
}

double
lp_exchange_flows_time_s(const LpExchangeFlows *self, const LpCommunicator *communicator,
                         const LpOp *op, const LpProtocol *protocol, gboolean ports_only,
                         const gboolean *uncontended)
{
    const double *loads = lp_op_loads(op, communicator);
    gboolean is_even = op->weight == LP_WEIGHT_EVEN || loads == NULL;
    g_autofree guint64 *blocks = g_new(guint64, communicator->n_members);
    lp_exchange_blocks(op, loads, communicator->n_members, blocks);
    double longest_s = 0.0, mean_bytes = mean_block(blocks, communicator->n_members);
    for (guint i = 0; i < self->links->len; i++) {
        const LpExchangeLink *link = &g_array_index(self->links, LpExchangeLink, i);
        gboolean is_left_out = ports_only || (uncontended != NULL && uncontended[link->tier]);
        if (is_left_out && !lp_tier_is_shared(link->tier))
            continue;
        double bytes[LP_N_REACHES], time_s = 0.0;
        bytes_on(self, link, op, blocks, mean_bytes, is_even, bytes);
        for (LpReach reach = 0; reach < LP_N_REACHES; reach++)
            time_s +=
                (double)lp_protocol_wire_bytes(protocol, reach, (guint64)llround(bytes[reach])) /
                link->bytes_per_s;
        longest_s = MAX(longest_s, time_s);
    }
    return longest_s;
}

gboolean
lp_exchange_flows_equal(const LpExchangeFlows *a, const LpExchangeFlows *b)
{
    if (a == NULL || b == NULL)
        return a == b;
    if (a->links->len != b->links->len || a->shares->len != b->shares->len)
        return FALSE;
    for (guint i = 0; i < a->links->len; i++)
        if (!lp_exchange_link_equal(&g_array_index(a->links, LpExchangeLink, i),
                                    &g_array_index(b->links, LpExchangeLink, i)))
            return FALSE;
    for (guint i = 0; i < a->shares->len; i++) {
        const LpExchangeShare *one = &g_array_index(a->shares, LpExchangeShare, i);
        const LpExchangeShare *other = &g_array_index(b->shares, LpExchangeShare, i);
        if (one->member != other->member || memcmp(one->n, other->n, sizeof one->n) != 0)
            return FALSE;
    }
    return TRUE;
}
