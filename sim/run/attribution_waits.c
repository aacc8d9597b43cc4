/* SPDX-License-Identifier: Apache-2.0 */
/* Sums waits by whom they were for, and the path by what it was made of. */
#include "sim/run/attribution_waits.h"

#include <string.h>

static void
fill_waits(LpAttributionWaits *self, const LpWaitRecord *record, guint32 job, guint32 n_iterations)
{
    g_autoptr(GArray) all = lp_wait_record_stragglers(record, job);
    for (guint i = 0; i < all->len; i++) {
        LpStragglerWait wait = g_array_index(all, LpStragglerWait, i);
        wait.waited_s /= n_iterations;
        self->n_all_waits += wait.n * wait.n_alike;
        self->all_waited_s += wait.waited_s * (double)wait.n_alike;
        if (i < LP_SUMMARY_WAITS)
            self->waits[self->n_waits++] = wait;
    }
}

static guint
stretch_hash(gconstpointer data)
{
    const LpStretch *key = data;
    return (key->term * 8191u + key->stage) * 8191u + key->partner;
}

static gboolean
stretch_equal(gconstpointer a, gconstpointer b)
{
    const LpStretch *one = a, *other = b;
    return one->term == other->term && one->stage == other->stage && one->partner == other->partner;
}

static gint
compare_stretches(gconstpointer a, gconstpointer b)
{
    const LpStretch *one = a, *other = b;
    if (one->seconds != other->seconds)
        return one->seconds > other->seconds ? -1 : 1;
    if (one->stage != other->stage)
        return one->stage < other->stage ? -1 : 1;
    if (one->term != other->term)
        return one->term < other->term ? -1 : 1;
    return one->partner < other->partner ? -1 : one->partner > other->partner;
}

/* Returns: (transfer full) array of LpStretch, the longest first. */
static GArray *
sum_path(const LpPathNode *path)
{
    g_autoptr(GHashTable) places = g_hash_table_new_full(stretch_hash, stretch_equal, g_free, NULL);
    GArray *found = g_array_new(FALSE, FALSE, sizeof(LpStretch));
    for (; path != NULL; path = path->before) {
        LpStretch key = {.term = path->term, .stage = path->stage, .partner = path->partner};
        gpointer known = g_hash_table_lookup(places, &key);
        if (known == NULL) {
            g_array_append_val(found, key);
            known = GUINT_TO_POINTER(found->len);
            g_hash_table_insert(places, g_memdup2(&key, sizeof key), known);
        }
        LpStretch *stretch = &g_array_index(found, LpStretch, GPOINTER_TO_UINT(known) - 1);
        stretch->n++;
        stretch->seconds += path->seconds;
    }
    g_array_sort(found, compare_stretches);
    return found;
}

LpAttributionWaits
lp_attribution_waits(const LpWaitRecord *record, guint32 job, guint32 n_iterations)
{
    LpAttributionWaits self;
    memset(&self, 0, sizeof self);
    fill_waits(&self, record, job, n_iterations);
    g_autoptr(GArray) stretches = sum_path(lp_wait_record_path(record, job));
    for (guint i = 0; i < stretches->len; i++) {
        LpStretch stretch = g_array_index(stretches, LpStretch, i);
        stretch.seconds /= n_iterations;
        if (i < LP_SUMMARY_STRETCHES)
            self.stretches[self.n_stretches++] = stretch;
        else
            self.other_stretches_s += stretch.seconds;
    }
    return self;
}
