/* SPDX-License-Identifier: Apache-2.0 */
/* Hash tables from shape, collective and fact to seconds. */
#include "sim/analysis/isolated_cache.h"

/* All fields are as wide, so that the bytes of equal keys are equal. */
typedef struct {
    guint64 shape, fact, group, collective, weight, bytes, draw;
} Key;

struct LpIsolatedCache {
    GHashTable *times; /* owned: Key to double, s */
    GHashTable *steps; /* owned: LpIsolatedSteps to double, s */
};

static Key
key_of(guint shape, const LpOp *op, LpIsolatedFact fact)
{
    return (Key){.shape = shape,
                 .fact = fact,
                 .group = op->group,
                 .collective = op->collective,
                 .weight = op->weight,
                 .bytes = op->bytes,
                 .draw = op->draw};
}

static guint
hash_words(const guint64 *words, gsize n)
{
    guint64 sum = 0;
    for (gsize i = 0; i < n; i++)
        sum = (sum ^ words[i]) * 0x100000001b3u; /* FNV-1a's prime (draft-eastlake-fnv) */
    return (guint)(sum ^ (sum >> 32));
}

static guint
hash(gconstpointer key)
{
    return hash_words(key, sizeof(Key) / sizeof(guint64));
}

static gboolean
equal(gconstpointer a, gconstpointer b)
{
    return memcmp(a, b, sizeof(Key)) == 0;
}

static guint
hash_steps(gconstpointer steps)
{
    return hash_words(steps, sizeof(LpIsolatedSteps) / sizeof(guint64));
}

static gboolean
equal_steps(gconstpointer a, gconstpointer b)
{
    return memcmp(a, b, sizeof(LpIsolatedSteps)) == 0;
}

LpIsolatedCache *
lp_isolated_cache_new(void)
{
    LpIsolatedCache *self = g_new0(LpIsolatedCache, 1);
    self->times = g_hash_table_new_full(hash, equal, g_free, g_free);
    self->steps = g_hash_table_new_full(hash_steps, equal_steps, g_free, g_free);
    return self;
}

void
lp_isolated_cache_free(LpIsolatedCache *self)
{
    if (self == NULL)
        return;
    g_hash_table_unref(self->times);
    g_hash_table_unref(self->steps);
    g_free(self);
}

gboolean
lp_isolated_cache_find(const LpIsolatedCache *self, guint shape, const LpOp *op,
                       LpIsolatedFact fact, double *out_time_s)
{
    Key key = key_of(shape, op, fact);
    const double *time_s = g_hash_table_lookup(self->times, &key);
    if (time_s == NULL)
        return FALSE;
    *out_time_s = *time_s;
    return TRUE;
}

void
lp_isolated_cache_store(LpIsolatedCache *self, guint shape, const LpOp *op, LpIsolatedFact fact,
                        double time_s)
{
    Key key = key_of(shape, op, fact);
    g_hash_table_replace(self->times, g_memdup2(&key, sizeof key),
                         g_memdup2(&time_s, sizeof time_s));
}

LpIsolatedSteps
lp_isolated_steps_of(guint shape, const LpOp *op, const LpCollectiveShape *of,
                     const LpProtocol *protocol)
{
    LpIsolatedSteps steps = {.shape = shape,
                             .group = op->group,
                             .collective = op->collective,
                             .weight = op->weight,
                             .draw = op->draw,
                             .bytes = op->bytes,
                             .algorithm = of->algorithm,
                             .n_levels = of->n_levels,
                             .chunk_bytes = of->chunk_bytes,
                             .n_channels = of->n_channels,
                             .root = of->root,
                             .list = GPOINTER_TO_SIZE(of->list),
                             .protocol = GPOINTER_TO_SIZE(protocol)};
    if (of->algorithm == LP_ALGORITHM_HIERARCHICAL)
        for (guint32 i = 0; i < of->n_levels; i++)
            steps.level_algorithm[i] = of->level_algorithm[i];
    return steps;
}

gboolean
lp_isolated_cache_find_steps(const LpIsolatedCache *self, const LpIsolatedSteps *steps,
                             double *out_time_s)
{
    const double *time_s = g_hash_table_lookup(self->steps, steps);
    if (time_s == NULL)
        return FALSE;
    *out_time_s = *time_s;
    return TRUE;
}

void
lp_isolated_cache_store_steps(LpIsolatedCache *self, const LpIsolatedSteps *steps, double time_s)
{
    g_hash_table_replace(self->steps, g_memdup2(steps, sizeof *steps),
                         g_memdup2(&time_s, sizeof time_s));
}
