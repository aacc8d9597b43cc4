/* SPDX-License-Identifier: Apache-2.0 */
/* Finds who runs what. */
#include "model/network/library_mix.h"

guint32
lp_library_pick(const LpLibraryPicks *self, LpCollective collective, LpTraffic traffic,
                guint64 bytes)
{
    const LpLibraryPick *best = NULL;
    for (guint32 i = 0; i < self->n_picks; i++) {
        const LpLibraryPick *pick = &self->picks[i];
        gboolean fits = pick->collective == collective && bytes <= pick->bytes_max;
        if (fits && (pick->traffic == traffic || pick->traffic == LP_N_TRAFFIC) &&
            (best == NULL || (best->traffic == LP_N_TRAFFIC && pick->traffic != LP_N_TRAFFIC)))
            best = pick;
    }
    return best == NULL ? 0 : best->library;
}

const LpLibrary *
lp_library_for(const LpLibrary *self, LpCollective collective, LpTraffic traffic, guint64 bytes)
{
    if (self->mix == NULL)
        return self;
    guint32 index = lp_library_pick(&self->mix->said, collective, traffic, bytes);
    return index == 0 ? self : self->mix->libraries[index];
}

guint32
lp_library_n_mixed(const LpLibrary *self)
{
    return self->mix == NULL ? 1 : self->mix->said.n_names;
}

LpLibrary *
lp_library_mixed(LpLibrary *self, guint32 index)
{
    return index == 0 ? self : self->mix->libraries[index];
}

void
lp_library_free(LpLibrary *self)
{
    if (self == NULL)
        return;
    for (guint32 i = 1; self->mix != NULL && i < self->mix->said.n_names; i++)
        g_free(self->mix->libraries[i]);
    g_free(self->mix);
    g_free(self);
}
