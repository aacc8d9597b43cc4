/* SPDX-License-Identifier: Apache-2.0 */
/* All-to-all block arithmetic. */
#include "sim/collectives/exchange.h"

#include "sim/collectives/ring.h"

#include <math.h>

/* The offset of the block of member @index, if blocks follow each other in the order of members and
 * those before it have the share @before of the load. */
static guint64
begin_after(const LpOp *op, double before, guint64 n, guint64 index)
{
    guint64 begin = (guint64)llround((double)op->bytes * before / (double)n);
    return index == n ? op->bytes : MIN(begin, op->bytes);
}

static guint64
weighted_begin(const LpOp *op, const double *loads, guint64 n, guint64 index)
{
    double before = 0.0;
    for (guint64 i = 0; i < index; i++)
        before += loads[i];
    return begin_after(op, before, n, index);
}

guint64
lp_exchange_block_bytes(const LpOp *op, const double *loads, guint64 n, guint64 index)
{
    if (loads == NULL || op->weight == LP_WEIGHT_EVEN)
        return lp_ring_block_bytes(op->bytes, n, index);
    return weighted_begin(op, loads, n, index + 1) - weighted_begin(op, loads, n, index);
}

void
lp_exchange_blocks(const LpOp *op, const double *loads, guint64 n, guint64 *out_bytes)
{
    gboolean even = loads == NULL || op->weight == LP_WEIGHT_EVEN;
    double before = 0.0;
    guint64 begin = 0;
    for (guint64 i = 0; i < n; i++) {
        if (even) {
            out_bytes[i] = lp_ring_block_bytes(op->bytes, n, i);
            continue;
        }
        before += loads[i];
        guint64 end = begin_after(op, before, n, i + 1);
        out_bytes[i] = end - begin;
        begin = end;
    }
}

guint64
lp_exchange_pair_bytes(const LpOp *op, const double *loads, guint64 n, guint64 from, guint64 to)
{
    return lp_exchange_block_bytes(op, loads, n, op->weight == LP_WEIGHT_SENDER ? from : to);
}

guint64
lp_exchange_total_bytes(const LpOp *op, guint64 n)
{
    return (n - 1) * op->bytes;
}

guint64
lp_exchange_row_length(guint64 n, guint64 n_intra)
{
    return n - n_intra;
}

guint64
lp_exchange_row_receiver(guint64 n, guint64 n_intra, guint64 n_pod, guint64 from, guint64 place)
{
    /* Pods begin with their own members, so that all members are at the same distance at a time. */
    if (n_pod > 0 && place + 1 < n_pod)
        return from / n_pod * n_pod + (from + 1 + place) % n_pod;
    if (n_pod > 0)
        return lp_exchange_row_receiver(n, n_pod, 0, from, place + 1 - n_pod);
    guint64 shift = 1 + place / n_intra, turn = place % n_intra;
    return (from / n_intra + shift) % (n / n_intra) * n_intra + (from + turn) % n_intra;
}

/* --- pairs of a schedule --- */

static gboolean
is_even(const LpStepSchedule *self)
{
    return self->shape.loads == NULL || self->shape.weight == LP_WEIGHT_EVEN;
}

/* The offset of block @index, found from where the last call ended. */
static guint64
begin_of(const LpStepSchedule *self, guint64 index, LpSink *sink)
{
    const LpCollectiveShape *shape = &self->shape;
    if (is_even(self))
        return lp_blocks_begin(&self->blocks, index);
    if (index == shape->n_members)
        return shape->bytes;
    if (sink->load_index > index) {
        sink->load_index = 0;
        sink->load_before = 0.0;
    }
    while (sink->load_index < index)
        sink->load_before += shape->loads[sink->load_index++];
    double begin = round((double)shape->bytes * sink->load_before / (double)shape->n_members);
    return begin < (double)shape->bytes ? (guint64)begin : shape->bytes;
}

static void
visit_block(const LpStepSchedule *self, guint64 from, guint64 place, guint64 to, LpSink *sink)
{
    gboolean by_sender = !is_even(self) && self->shape.weight == LP_WEIGHT_SENDER;
    guint64 index = by_sender ? from : place, other = by_sender ? place : from;
    guint64 begin = begin_of(self, index, sink);
    guint64 bytes = begin_of(self, index + 1, sink) - begin;
    lp_sink_add(sink, to, other * self->shape.bytes + begin, bytes, FALSE);
}

/* Before the exchange at a level, blocks have come to where they belong on the levels below it, and
 * not yet left where they were on those from it on. */
void
lp_exchange_visit_pair(const LpStepSchedule *self, guint64 from, guint64 place, guint64 to,
                       LpSink *sink)
{
    const LpStepSchedule *whole = self->whole;
    if (whole == NULL) {
        visit_block(self, from, place, to, sink);
        return;
    }
    guint64 pitch = whole->pitch[self->level], n = whole->shape.n_members;
    guint64 above = pitch * self->shape.n_members;
    guint64 first_from = self->anchor / above * above + from * pitch;
    guint64 first_place = self->anchor % pitch + place * pitch;
    for (guint64 source = first_from; source < first_from + pitch; source++)
        for (guint64 target = first_place; target < n; target += above)
            visit_block(whole, source, target, to, sink);
}
