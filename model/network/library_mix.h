/* SPDX-License-Identifier: Apache-2.0 */
/* Several libraries in one job: which of them runs what. */
#pragma once

#include "model/network/library.h"
#include "model/plan/plan_options.h"

G_BEGIN_DECLS

/** The libraries of a mix and their collectives: the first pick that fits (LpLibraryPicks), or else
 * the library that has this. */
struct LpLibraryMix {
    LpLibraryPicks said;
    LpLibrary *libraries[LP_LIBRARY_PICKS_MAX + 1]; /* owned, by name; the first: NULL, for it is
                                                       the one that has the mix */
};

/** The index, in the names of @self, of the library that runs @collective of @bytes in groups of
 * @traffic; LP_N_TRAFFIC: of no class. */
guint32 lp_library_pick(const LpLibraryPicks *self, LpCollective collective, LpTraffic traffic,
                        guint64 bytes);
/** The library of @self, or of those mixed with it, that runs @collective of @bytes in groups of
 * @traffic. Borrowed. */
const LpLibrary *lp_library_for(const LpLibrary *self, LpCollective collective, LpTraffic traffic,
                                guint64 bytes);
/** The number of libraries of @self, itself among them. */
guint32 lp_library_n_mixed(const LpLibrary *self);
/** Number @index of them, from @self on. Borrowed. */
LpLibrary *lp_library_mixed(LpLibrary *self, guint32 index);

/** Frees @self, which is no copy, and what is mixed with it; nothing if it is NULL. */
void lp_library_free(LpLibrary *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpLibrary, lp_library_free)

G_END_DECLS
