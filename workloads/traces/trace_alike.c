/* SPDX-License-Identifier: Apache-2.0 */
/* Compares nodes after what ranks of a class may have of their own is out of them: the line of the
 * file, how far a peer is, and which group of a rank's own one is. */
#include "workloads/traces/trace_alike.h"

#include <string.h>

/* A rank, by what it does. */
typedef struct {
    const LpTrace *trace; /* borrowed */
    guint32 number;
    guint64 hash;
} Key;

struct LpTraceAlike {
    LpTrace *trace;    /* borrowed */
    GHashTable *ranks; /* owned: Key, to itself */
};

/* --- nodes without what is the rank's own --- */

static gboolean
is_message(const LpGivenOp *op)
{
    return op->kind == LP_GIVEN_SEND || op->kind == LP_GIVEN_RECEIVE;
}

/* The place of @group in those of @rank; it is there. */
static guint32
place_of(const LpTraceRank *rank, guint32 group)
{
    guint32 place = 0;
    while (g_array_index(rank->groups, guint32, place) != group)
        place++;
    return place;
}

static void
bare_node(const LpTraceRank *rank, guint32 number, guint i, LpTraceNode *out)
{
    memcpy(out, lp_trace_node(rank, i), sizeof *out);
    out->op.line = 0;
    if (is_message(&out->op))
        out->op.peer -= number;
    else if (out->op.kind == LP_GIVEN_COLLECTIVE)
        out->op.group = place_of(rank, out->op.group);
}

/* By words of 64 bits, each times the prime of FNV-1a (isthe.com/chongo/tech/comp/fnv). */
static guint64
mix(guint64 hash, gconstpointer data, gsize size)
{
    for (gsize i = 0; i + sizeof(guint64) <= size; i += sizeof(guint64)) {
        guint64 word;
        memcpy(&word, (const char *)data + i, sizeof word);
        hash = (hash ^ word) * G_GUINT64_CONSTANT(0x100000001b3);
        hash ^= hash >> 29;
    }
    return hash;
}

static guint64
hash_rank(const LpTraceRank *rank, guint32 number)
{
    guint64 hash = G_GUINT64_CONSTANT(0xcbf29ce484222325);
    for (guint i = 0; i < rank->nodes->len; i++) {
        LpTraceNode node;
        bare_node(rank, number, i, &node);
        hash = mix(hash, &node, sizeof node);
    }
    return mix(hash, rank->deps->data, rank->deps->len * sizeof(guint64));
}

static guint
key_hash(gconstpointer key)
{
    guint64 hash = ((const Key *)key)->hash;
    return (guint)(hash ^ hash >> 32);
}

static gboolean
same_kinds(const LpTrace *trace, const LpTraceRank *one, const LpTraceRank *other)
{
    if (one->groups->len != other->groups->len)
        return FALSE;
    for (guint i = 0; i < one->groups->len; i++) {
        const LpTraceGroup *a = lp_trace_group(trace, g_array_index(one->groups, guint32, i));
        const LpTraceGroup *b = lp_trace_group(trace, g_array_index(other->groups, guint32, i));
        if (a->traffic != b->traffic || strcmp(a->kind, b->kind) != 0 ||
            a->ranks->len != b->ranks->len || !lp_algorithms_equal(&a->algorithms, &b->algorithms))
            return FALSE;
    }
    return TRUE;
}

static gboolean
key_equal(gconstpointer a, gconstpointer b)
{
    const Key *one = a, *other = b;
    const LpTraceRank *rank = lp_trace_rank(one->trace, one->number);
    const LpTraceRank *found = lp_trace_rank(other->trace, other->number);
    gsize n_deps = rank->deps->len * sizeof(guint64);
    if (one->hash != other->hash || rank->nodes->len != found->nodes->len ||
        rank->deps->len != found->deps->len ||
        (n_deps > 0 && memcmp(rank->deps->data, found->deps->data, n_deps) != 0) ||
        !same_kinds(one->trace, rank, found))
        return FALSE;
    for (guint i = 0; i < rank->nodes->len; i++) {
        LpTraceNode node, another;
        bare_node(rank, one->number, i, &node);
        bare_node(found, other->number, i, &another);
        if (memcmp(&node, &another, sizeof node) != 0)
            return FALSE;
    }
    return TRUE;
}

/* --- ranks --- */

LpTraceAlike *
lp_trace_alike_new(LpTrace *trace)
{
    LpTraceAlike *self = g_new0(LpTraceAlike, 1);
    self->trace = trace;
    self->ranks = g_hash_table_new_full(key_hash, key_equal, g_free, NULL);
    return self;
}

void
lp_trace_alike_free(LpTraceAlike *self)
{
    if (self == NULL)
        return;
    g_hash_table_unref(self->ranks);
    g_free(self);
}

static void
find_groups(const LpTrace *trace, LpTraceRank *rank)
{
    g_autofree gboolean *is_there = g_new0(gboolean, trace->groups->len + 1);
    for (guint i = 0; i < rank->nodes->len; i++) {
        const LpGivenOp *op = &lp_trace_node(rank, i)->op;
        if (op->kind != LP_GIVEN_COLLECTIVE || is_there[op->group])
            continue;
        is_there[op->group] = TRUE;
        g_array_append_val(rank->groups, op->group);
    }
}

guint
lp_trace_alike_add(LpTraceAlike *self, guint32 number)
{
    LpTraceRank *rank = lp_trace_rank(self->trace, number);
    guint n_nodes = rank->nodes->len;
    find_groups(self->trace, rank);
    g_autofree Key *key = g_new(Key, 1);
    *key = (Key){self->trace, number, hash_rank(rank, number)};
    const Key *found = g_hash_table_lookup(self->ranks, key);
    if (found == NULL) {
        g_hash_table_add(self->ranks, g_steal_pointer(&key));
        return n_nodes;
    }
    rank->like = found->number;
    g_array_unref(rank->nodes);
    g_array_unref(rank->deps);
    rank->nodes = g_array_new(FALSE, TRUE, sizeof(LpTraceNode));
    rank->deps = g_array_new(FALSE, FALSE, sizeof(guint64));
    return n_nodes;
}

void
lp_trace_alike_restore(LpTrace *trace, guint32 number)
{
    LpTraceRank *rank = lp_trace_rank(trace, number);
    const LpTraceRank *like = lp_trace_rank(trace, rank->like);
    g_array_append_vals(rank->nodes, like->nodes->data, like->nodes->len);
    g_array_append_vals(rank->deps, like->deps->data, like->deps->len);
    for (guint i = 0; i < rank->nodes->len; i++) {
        LpGivenOp *op = &lp_trace_node(rank, i)->op;
        if (is_message(op))
            op->peer += (gint64)number - (gint64)rank->like;
        else if (op->kind == LP_GIVEN_COLLECTIVE)
            op->group = g_array_index(rank->groups, guint32, place_of(like, op->group));
    }
    rank->like = number;
}
