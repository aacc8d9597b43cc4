/* SPDX-License-Identifier: Apache-2.0 */
/* All-to-all block arithmetic. */
#include "sim/collective/exchange.h"

#include "sim/collective/ring.h"

#include <math.h>

/* Where the block of member @index begins, if blocks follow each other in the order of members. */
static guint64
weighted_begin(const LpOp *op, const double *loads, guint64 n, guint64 index)
{
    double before = 0.0;
    for (guint64 i = 0; i < index; i++)
        before += loads[i];
    guint64 begin = (guint64)llround((double)op->bytes * before / (double)n);
    return index == n ? op->bytes : MIN(begin, op->bytes);
}

guint64
lp_exchange_block_bytes(const LpOp *op, const double *loads, guint64 n, guint64 index)
{
    if (loads == NULL || op->weight == LP_WEIGHT_EVEN)
        return lp_ring_block_bytes(op->bytes, n, index);
    return weighted_begin(op, loads, n, index + 1) - weighted_begin(op, loads, n, index);
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
