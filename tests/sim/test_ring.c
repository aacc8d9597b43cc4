/* SPDX-License-Identifier: Apache-2.0 */
/* The ring executed on real buffers: right sums everywhere, and the bytes that the formulas say. */
#include "sim/collectives/ring.h"

#include "tests/testlib.h"

#include <string.h>

#define MEMBERS_MAX 64

/* A buffer of one number a byte, on each member; member i's byte k starts as 1000 i + k. */
typedef struct {
    guint64 n, bytes;
    guint64 *values; /* owned: n x bytes */
} Buffers;

static guint64 *
at(Buffers *self, guint64 member, guint64 byte)
{
    return &self->values[member * self->bytes + byte];
}

static guint64
block_start(const Buffers *self, guint64 block)
{
    return block * (self->bytes / self->n) + MIN(block, self->bytes % self->n);
}

/* Member i starts with all of its own data, or, for an all-gather, with its own block alone. */
static void
fill(Buffers *self, LpCollective collective)
{
    for (guint64 i = 0; i < self->n; i++)
        for (guint64 k = 0; k < self->bytes; k++) {
            gboolean own = k >= block_start(self, i) &&
                           k < block_start(self, i) + lp_ring_block_bytes(self->bytes, self->n, i);
            *at(self, i, k) = collective == LP_COLLECTIVE_ALL_GATHER && !own ? 0 : 1000 * i + k;
        }
}

/* All members send what they hold at the start of a step. Returns the bytes sent. */
static guint64
run_step(Buffers *self, LpCollective collective, guint64 step)
{
    g_autofree guint64 *before = g_memdup2(self->values, self->n * self->bytes * sizeof(guint64));
    gboolean adds = collective != LP_COLLECTIVE_ALL_GATHER && step < self->n - 1;
    guint64 sent = 0;
    for (guint64 i = 0; i < self->n; i++) {
        guint64 to = (i + 1) % self->n;
        guint64 block = lp_ring_block(collective, self->n, i, step);
        guint64 length = lp_ring_block_bytes(self->bytes, self->n, block);
        guint64 start = block_start(self, block);
        for (guint64 k = start; k < start + length; k++) {
            guint64 value = before[i * self->bytes + k];
            *at(self, to, k) = adds ? *at(self, to, k) + value : value;
        }
        lp_test_true("bytes of a step",
                     length == lp_ring_step_bytes(collective, self->n, self->bytes, i, step));
        sent += length;
    }
    return sent;
}

/* What byte @k must be on @member: a sum over all members, or its owner's. */
static gboolean
is_right(Buffers *self, LpCollective collective, guint64 member, guint64 k)
{
    guint64 sum = self->n * (self->n - 1) / 2 * 1000 + self->n * k;
    if (collective == LP_COLLECTIVE_ALL_REDUCE)
        return *at(self, member, k) == sum;
    guint64 owner = 0;
    while (owner + 1 < self->n && block_start(self, owner + 1) <= k)
        owner++;
    if (collective == LP_COLLECTIVE_ALL_GATHER)
        return *at(self, member, k) == 1000 * owner + k;
    /* A reduce-scatter leaves block i + 1 on member i; the rest is scratch. */
    return (member + 1) % self->n != owner || *at(self, member, k) == sum;
}

static void
check(LpCollective collective, guint64 n, guint64 bytes)
{
    g_autofree char *label =
        g_strdup_printf("%s of %" G_GUINT64_FORMAT " bytes over %" G_GUINT64_FORMAT,
                        lp_collective_names[collective], bytes, n);
    g_autofree guint64 *values = g_new0(guint64, n * bytes + 1);
    Buffers buffers = {n, bytes, values};
    fill(&buffers, collective);
    guint64 sent = 0, n_steps = lp_ring_n_steps(collective, n);
    for (guint64 step = 0; step < n_steps; step++)
        sent += run_step(&buffers, collective, step);
    gboolean right = TRUE;
    for (guint64 i = 0; i < n; i++)
        for (guint64 k = 0; k < bytes; k++)
            right = right && is_right(&buffers, collective, i, k);
    lp_test_true(label, right);
    /* Patarasuk and Yuan: 2(n-1)/n of the buffer from each member, half of it a half. */
    guint64 members = 0;
    for (guint64 i = 0; i < n; i++)
        members += lp_ring_member_bytes(collective, n, bytes, i);
    guint64 wanted = (collective == LP_COLLECTIVE_ALL_REDUCE ? 2 : 1) * (n - 1) * bytes;
    lp_test_true(label, sent == wanted && members == wanted &&
                            lp_ring_total_bytes(collective, n, bytes) == wanted);
}

static void
test_buffers(void)
{
    for (guint64 n = 1; n <= MEMBERS_MAX; n++) {
        const guint64 sizes[] = {0, 1, n - 1, n, n + 1, 7 * n, 7 * n + n / 2, 131};
        for (LpCollective collective = 0; collective <= LP_COLLECTIVE_ALL_GATHER; collective++)
            for (guint i = 0; i < G_N_ELEMENTS(sizes); i++)
                check(collective, n, sizes[i]);
    }
}

/* A member's bytes are the sum of its steps', also where blocks differ. */
static void
test_member_bytes(void)
{
    static const guint64 ns[] = {2, 3, 7, 16, 1024}, sizes[] = {0, 1, 1023, 1000000001};
    for (guint i = 0; i < G_N_ELEMENTS(ns); i++)
        for (guint k = 0; k < G_N_ELEMENTS(sizes); k++)
            for (LpCollective collective = 0; collective <= LP_COLLECTIVE_ALL_GATHER; collective++)
                for (guint64 member = 0; member < ns[i]; member += 1 + ns[i] / 9) {
                    guint64 sum = 0;
                    for (guint64 step = 0; step < lp_ring_n_steps(collective, ns[i]); step++)
                        sum += lp_ring_step_bytes(collective, ns[i], sizes[k], member, step);
                    lp_test_true("sum of steps",
                                 sum == lp_ring_member_bytes(collective, ns[i], sizes[k], member));
                }
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"buffers", test_buffers}, {"member bytes", test_member_bytes}, {NULL, NULL}};
    return lp_test_run("ring", cases);
}
