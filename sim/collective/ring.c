/* SPDX-License-Identifier: Apache-2.0 */
/* Ring step arithmetic. */
#include "sim/collective/ring.h"

guint64
lp_ring_n_steps(LpCollective collective, guint64 n)
{
    return collective == LP_COLLECTIVE_ALL_REDUCE ? 2 * (n - 1) : n - 1;
}

/* In a reduce-scatter, member i starts with block i and passes on what it has just summed: block
 * i - step. It ends up with block i + 1. An all-gather of its own starts with block i; the one
 * inside an all-reduce starts with the block that the reduce-scatter left, i + 1, which is the same
 * formula carried on over the steps. */
guint64
lp_ring_block(LpCollective collective, guint64 n, guint64 member, guint64 step)
{
    (void)collective;
    return (member + 2 * n - step % n) % n;
}

gboolean
lp_ring_reduces(LpCollective collective, guint64 n, guint64 step)
{
    return collective != LP_COLLECTIVE_ALL_GATHER && step < n - 1;
}

guint64
lp_ring_block_bytes(guint64 bytes, guint64 n, guint64 block)
{
    return bytes / n + (block < bytes % n ? 1 : 0);
}

guint64
lp_ring_step_bytes(LpCollective collective, guint64 n, guint64 bytes, guint64 member, guint64 step)
{
    return lp_ring_block_bytes(bytes, n, lp_ring_block(collective, n, member, step));
}

/* Over n - 1 steps a member sends every block but one: in the first half not block i + 1, in the
 * second (of an all-reduce) not block i + 2. */
guint64
lp_ring_member_bytes(LpCollective collective, guint64 n, guint64 bytes, guint64 member)
{
    if (n < 2)
        return 0;
    guint64 first = bytes - lp_ring_block_bytes(bytes, n, (member + 1) % n);
    if (collective != LP_COLLECTIVE_ALL_REDUCE)
        return first;
    return first + bytes - lp_ring_block_bytes(bytes, n, (member + 2) % n);
}

guint64
lp_ring_total_bytes(LpCollective collective, guint64 n, guint64 bytes)
{
    return lp_ring_n_steps(collective, n) * bytes;
}
