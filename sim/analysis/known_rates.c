/* SPDX-License-Identifier: Apache-2.0 */
/* Rates by a hash of what flows. */
#include "sim/analysis/known_rates.h"

/* Rates of so many flows are kept together, in 4 MB; then all are forgotten. */
#define KEPT_MAX (1u << 18)
/* And at most of so many at a time: what thousands do does not recur so soon. */
#define KEPT_AT_ONCE (KEPT_MAX / 64)

typedef struct {
    guint64 marks; /* first: found by it */
    guint n;
    LpClassRate rates[]; /* of each class */
} Rates;

struct LpKnownRates {
    GHashTable *by_marks; /* owned: Rates */
    guint n_kept;         /* rates in it */
};

LpKnownRates *
lp_known_rates_new(void)
{
    LpKnownRates *self = g_new0(LpKnownRates, 1);
    self->by_marks = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, g_free);
    return self;
}

void
lp_known_rates_free(LpKnownRates *self)
{
    if (self == NULL)
        return;
    g_hash_table_unref(self->by_marks);
    g_free(self);
}

/* Steele, Lea and Flood, Fast splittable pseudorandom number generators, 2014: its generator's
 * output function. */
guint64
lp_known_rates_mark(guint32 class)
{
    guint64 mark = ((guint64) class + 1) * 0x9e3779b97f4a7c15u;
    mark = (mark ^ (mark >> 30)) * 0xbf58476d1ce4e5b9u;
    mark = (mark ^ (mark >> 27)) * 0x94d049bb133111ebu;
    return mark ^ (mark >> 31);
}

LpClassRate *
lp_known_rates_keep(LpKnownRates *self, guint64 marks, guint n)
{
    if (n > KEPT_AT_ONCE)
        return NULL;
    if (self->n_kept > KEPT_MAX) {
        g_hash_table_remove_all(self->by_marks);
        self->n_kept = 0;
    }
    Rates *rates = g_malloc(sizeof *rates + n * sizeof *rates->rates);
    *rates = (Rates){.marks = marks, .n = n};
    self->n_kept += n;
    g_hash_table_replace(self->by_marks, &rates->marks, rates);
    return rates->rates;
}

const LpClassRate *
lp_known_rates_find(const LpKnownRates *self, guint64 marks, guint n)
{
    const Rates *rates = g_hash_table_lookup(self->by_marks, &marks);
    return rates != NULL && rates->n == n ? rates->rates : NULL;
}
