/* SPDX-License-Identifier: Apache-2.0 */
/* A range cut into blocks that differ by at most a byte: the first ones are the longer. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct {
    guint64 n;
    guint64 quotient, remainder; /**< of the range's bytes over n */
} LpBlocks;

/** @bytes cut into @n >= 1 blocks. */
static inline LpBlocks
lp_blocks_of(guint64 bytes, guint64 n)
{
    LpBlocks blocks = {.n = n, .quotient = bytes / n, .remainder = bytes % n};
    return blocks;
}

/** The offset at which block @index begins; for index n, at which the last one ends. */
static inline guint64
lp_blocks_begin(const LpBlocks *self, guint64 index)
{
    return index * self->quotient + MIN(index, self->remainder);
}

static inline guint64
lp_blocks_bytes(const LpBlocks *self, guint64 index)
{
    return self->quotient + (index < self->remainder ? 1 : 0);
}

/** Bytes of the @count <= n blocks from @first < n on, around the end. */
static inline guint64
lp_blocks_around(const LpBlocks *self, guint64 first, guint64 count)
{
    guint64 last = first + count;
    if (last <= self->n)
        return lp_blocks_begin(self, last) - lp_blocks_begin(self, first);
    return lp_blocks_begin(self, self->n) - lp_blocks_begin(self, first) +
           lp_blocks_begin(self, last - self->n);
}

G_END_DECLS
