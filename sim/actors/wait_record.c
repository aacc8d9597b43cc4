/* SPDX-License-Identifier: Apache-2.0 */
/* Paths share their beginnings: a path is its last node, and nodes know the one before. */
#include "sim/actors/wait_record.h"

#define BLOCK_NODES (1u << 14)
/* 40 bytes each. */
#define NODES_MAX (1u << 24)
/* Who waits less waits for rounding. */
#define WAIT_MIN_S 1e-12

struct LpWaitRecord {
    GHashTable *stragglers;   /* owned set of owned LpStragglerWait */
    GPtrArray *blocks;        /* owned arrays of LpPathNode */
    const LpPathNode **paths; /* owned, of nodes in the blocks: by job */
    guint64 n_nodes;
    gboolean is_cut;
};

static guint
straggler_hash(gconstpointer data)
{
    const LpStragglerWait *key = data;
    return ((key->job * 31u + key->traffic) * 31u + key->collective) * 31u + (guint)key->rank;
}

static gboolean
straggler_equal(gconstpointer a, gconstpointer b)
{
    const LpStragglerWait *one = a, *other = b;
    return one->job == other->job && one->traffic == other->traffic &&
           one->collective == other->collective && one->rank == other->rank &&
           one->n_alike == other->n_alike;
}

LpWaitRecord *
lp_wait_record_new(guint32 n_jobs)
{
    LpWaitRecord *self = g_new0(LpWaitRecord, 1);
    self->stragglers = g_hash_table_new_full(straggler_hash, straggler_equal, g_free, NULL);
    self->blocks = g_ptr_array_new_with_free_func(g_free);
    self->paths = g_new0(const LpPathNode *, n_jobs);
    return self;
}

void
lp_wait_record_free(LpWaitRecord *self)
{
    if (self == NULL)
        return;
    g_hash_table_unref(self->stragglers);
    g_ptr_array_unref(self->blocks);
    g_free(self->paths);
    g_free(self);
}

void
lp_wait_record_add(LpWaitRecord *self, const LpStragglerWait *what, double mean_s)
{
    LpStragglerWait key = {.job = what->job,
                           .traffic = what->traffic,
                           .collective = what->collective,
                           .rank = what->rank,
                           .n_alike = what->n_alike};
    if (mean_s < WAIT_MIN_S)
        return;
    LpStragglerWait *known = g_hash_table_lookup(self->stragglers, &key);
    if (known == NULL) {
        known = g_memdup2(&key, sizeof key);
        g_hash_table_add(self->stragglers, known);
    }
    known->n++;
    known->waited_s += mean_s;
    known->worst_s = MAX(known->worst_s, mean_s);
}

static gint
compare_stragglers(gconstpointer a, gconstpointer b)
{
    const LpStragglerWait *one = a, *other = b;
    double one_s = one->waited_s * (double)one->n_alike;
    double other_s = other->waited_s * (double)other->n_alike;
    if (one_s != other_s)
        return one_s > other_s ? -1 : 1;
    if (one->traffic != other->traffic)
        return one->traffic < other->traffic ? -1 : 1;
    if (one->collective != other->collective)
        return one->collective < other->collective ? -1 : 1;
    if (one->rank != other->rank)
        return one->rank < other->rank ? -1 : 1;
    return one->n_alike < other->n_alike ? -1 : one->n_alike > other->n_alike;
}

GArray *
lp_wait_record_stragglers(const LpWaitRecord *self, guint32 job)
{
    GArray *found = g_array_new(FALSE, FALSE, sizeof(LpStragglerWait));
    GHashTableIter iterator;
    gpointer key;
    g_hash_table_iter_init(&iterator, self->stragglers);
    while (g_hash_table_iter_next(&iterator, &key, NULL))
        if (((const LpStragglerWait *)key)->job == job)
            g_array_append_vals(found, key, 1);
    g_array_sort(found, compare_stragglers);
    return found;
}

static LpPathNode *
new_node(LpWaitRecord *self)
{
    guint at = (guint)(self->n_nodes % BLOCK_NODES);
    if (self->n_nodes == NODES_MAX) {
        self->is_cut = TRUE;
        return NULL;
    }
    if (at == 0)
        g_ptr_array_add(self->blocks, g_new(LpPathNode, BLOCK_NODES));
    self->n_nodes++;
    return (LpPathNode *)self->blocks->pdata[self->blocks->len - 1] + at;
}

static gboolean
is_more_of(const LpPathNode *one, const LpPathNode *other)
{
    return one->term == other->term && one->stage == other->stage && one->partner == other->partner;
}

const LpPathNode *
lp_wait_record_extend(LpWaitRecord *self, const LpPathNode *before, gboolean is_shared,
                      LpPathNode next)
{
    next.before = before;
    if (before != NULL && !is_shared && is_more_of(before, &next)) {
        next.before = before->before;
        next.seconds += before->seconds;
        *(LpPathNode *)(guintptr)before = next;
        return before;
    }
    LpPathNode *node = new_node(self);
    if (node != NULL)
        *node = next;
    return node;
}

void
lp_wait_record_end(LpWaitRecord *self, guint32 job, const LpPathNode *path)
{
    self->paths[job] = path;
}

const LpPathNode *
lp_wait_record_path(const LpWaitRecord *self, guint32 job)
{
    return self->is_cut ? NULL : self->paths[job];
}
