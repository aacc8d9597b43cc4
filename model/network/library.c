/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses algorithm and protocol from a library's table. */
#include "model/network/library.h"

#include <math.h>

const char *const lp_spread_names[] = {"any", "one", "several", "pair", "torus", "two", NULL};

static gboolean
fits(const LpLibraryRule *rule, LpCollective collective, guint64 bytes, guint64 n_ranks,
     LpSpread spread)
{
    gboolean leaves = spread == LP_SPREAD_TORUS || spread == LP_SPREAD_TWO;
    gboolean stands = rule->spread == LP_SPREAD_ANY || rule->spread == spread ||
                      (rule->spread == LP_SPREAD_ONE_DOMAIN && spread == LP_SPREAD_PAIR) ||
                      (rule->spread == LP_SPREAD_DOMAINS && leaves);
    return rule->collective == collective && stands && n_ranks <= rule->ranks_max &&
           bytes <= rule->bytes_max;
}

static LpLibraryChoice
choice_of(const LpLibrary *self, const LpLibraryRule *rule)
{
    return (LpLibraryChoice){rule->algorithms, &self->protocols[rule->protocol], rule->channels};
}

LpLibraryChoice
lp_library_choose(const LpLibrary *self, LpCollective collective, guint64 bytes, guint64 n_ranks,
                  LpSpread spread)
{
    for (guint32 i = 0; i < self->n_rules; i++) {
        const LpLibraryRule *rule = &self->rules[i];
        if (fits(rule, collective, bytes, n_ranks, spread))
            return choice_of(self, rule);
    }
    return (LpLibraryChoice){.protocol = &self->protocols[self->n_protocols - 1], .channels = 1};
}

LpLibraryChoice
lp_library_choose_for(const LpLibrary *self, LpCollective collective, guint64 bytes,
                      guint64 n_ranks, LpSpread spread, const LpAlgorithms *algorithms)
{
    const LpLibraryRule *best = NULL;
    for (guint32 i = 0; i < self->n_rules; i++) {
        const LpLibraryRule *rule = &self->rules[i];
        guint64 n = MIN(n_ranks, rule->ranks_max);
        if (lp_algorithms_equal(&rule->algorithms, algorithms) &&
            fits(rule, collective, bytes, n, spread) &&
            (best == NULL || n > MIN(n_ranks, best->ranks_max)))
            best = rule;
    }
    return best != NULL ? choice_of(self, best)
                        : lp_library_choose(self, collective, bytes, n_ranks, spread);
}

guint32
lp_library_sends_at_once(const LpLibrary *self)
{
    return self->sends_at_once == 0 ? G_MAXUINT32 : self->sends_at_once;
}

guint64
lp_protocol_wire_bytes(const LpProtocol *self, LpReach reach, guint64 bytes)
{
    double factor = self->wire_factor[reach];
    return factor > 1.0 ? (guint64)llround((double)bytes * factor) : bytes;
}

gboolean
lp_library_reduces_in_switches(const LpLibrary *self)
{
    for (guint32 i = 0; i < self->n_rules; i++)
        if (lp_algorithms_reduce_in_switches(&self->rules[i].algorithms))
            return TRUE;
    return FALSE;
}

/* Whether the library sums over several axes of a torus at once. */
static gboolean
knows_tori(const LpLibrary *self)
{
    LpLibraryChoice choice = lp_library_choose(self, LP_COLLECTIVE_ALL_REDUCE, G_MAXUINT32,
                                               G_MAXUINT32, LP_SPREAD_TORUS);
    return choice.algorithms.n_levels == 1 && choice.algorithms.level[0] == LP_ALGORITHM_TORUS;
}

LpLibraryRings
lp_library_rings(const LpLibrary *self, LpCollective collective)
{
    if (self == NULL)
        return (LpLibraryRings){.has_rails = FALSE};
    LpLibraryRings rings = {.over_axes = knows_tori(self),
                            .chunk_bytes = self->protocols[self->n_protocols - 1].chunk_bytes};
    for (guint32 i = 0; i < self->n_rules; i++)
        rings.has_rails = rings.has_rails || self->rules[i].collective == collective;
    return rings;
}
