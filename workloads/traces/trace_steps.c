/* SPDX-License-Identifier: Apache-2.0 */
/* Tags of collectives stand behind those of messages, one for each group and stream. */
#include "workloads/traces/trace_steps.h"

#define TAGS_OF_MESSAGES 1024u
#define STREAMS 16u

typedef struct {
    const LpTraceGroup *group; /* borrowed */
    guint32 n, me;
    guint64 bytes;
    guint32 tag;
    GArray *steps; /* owned */
} Maker;

static guint32
rank_at(const Maker *self, guint32 place)
{
    return g_array_index(self->group->ranks, guint32, place % self->n);
}

/* The bytes of part @place of the whole buffer. */
static guint64
part(const Maker *self, guint32 place)
{
    guint64 k = place % self->n, whole = self->bytes / self->n, rest = self->bytes % self->n;
    return whole + (k < rest ? 1 : 0);
}

static void
add(Maker *self, guint32 to, guint64 send_bytes, guint32 from, guint64 receive_bytes)
{
    LpTraceStep step = {to, from, send_bytes, receive_bytes, self->tag};
    g_array_append_val(self->steps, step);
}

/* Each member sends part me - first - k in step k, so that the part before it arrives. */
static void
add_ring(Maker *self, guint32 first)
{
    guint32 n = self->n, me = self->me;
    for (guint32 k = 0; k + 1 < n; k++) {
        guint32 sent = me + 2 * n - first - k;
        add(self, rank_at(self, me + 1), part(self, sent), rank_at(self, me + n - 1),
            part(self, sent + n - 1));
    }
}

static void
add_pairs(Maker *self)
{
    guint32 n = self->n, me = self->me;
    for (guint32 k = 1; k < n; k++)
        add(self, rank_at(self, me + k), part(self, me + k), rank_at(self, me + n - k),
            part(self, me));
}

/* Members below 2^k have the buffer after k steps. */
static void
add_tree(Maker *self, gboolean goes_up)
{
    guint32 n_steps = 0, me = self->me;
    while (1u << n_steps < self->n)
        n_steps++;
    for (guint32 i = 0; i < n_steps; i++) {
        guint32 half = 1u << (goes_up ? n_steps - 1 - i : i);
        gboolean has_child = me < half && me + half < self->n;
        gboolean has_parent = me >= half && me < 2 * half;
        guint32 child = has_child ? rank_at(self, me + half) : LP_TRACE_NOBODY;
        guint32 parent = has_parent ? rank_at(self, me - half) : LP_TRACE_NOBODY;
        if (has_child || has_parent)
            add(self, goes_up ? parent : child, self->bytes, goes_up ? child : parent, self->bytes);
    }
}

static void
add_dissemination(Maker *self)
{
    for (guint32 distance = 1; distance < self->n; distance *= 2)
        add(self, rank_at(self, self->me + distance), 1,
            rank_at(self, self->me + self->n - distance), 1);
}

GArray *
lp_trace_steps(const LpTrace *trace, const LpTraceNode *node, guint32 rank)
{
    const LpTraceGroup *group = lp_trace_group(trace, node->op.group);
    Maker self = {.group = group,
                  .n = group->ranks->len,
                  .bytes = node->op.bytes,
                  .tag = TAGS_OF_MESSAGES + node->op.group * STREAMS +
                         (guint32)(node->stream < 0 ? 0 : node->stream % STREAMS),
                  .steps = g_array_new(FALSE, FALSE, sizeof(LpTraceStep))};
    while (rank_at(&self, self.me) != rank)
        self.me++;
    switch (node->op.collective) {
    case LP_COLLECTIVE_ALL_REDUCE:
        add_ring(&self, 0);
        add_ring(&self, self.n - 1);
        break;
    case LP_COLLECTIVE_REDUCE_SCATTER:
        add_ring(&self, 1);
        break;
    case LP_COLLECTIVE_ALL_GATHER:
        add_ring(&self, 0);
        break;
    case LP_COLLECTIVE_ALL_TO_ALL:
        add_pairs(&self);
        break;
    case LP_COLLECTIVE_BROADCAST:
        add_tree(&self, FALSE);
        break;
    case LP_COLLECTIVE_REDUCE:
        add_tree(&self, TRUE);
        break;
    default:
        add_dissemination(&self);
        break;
    }
    return self.steps;
}
