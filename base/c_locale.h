/* SPDX-License-Identifier: Apache-2.0 */
/* Shields a scope from the locale of the host program, which decides about letters and decimal
 * commas: SimGrid folds case by it (a Turkish "CRITICAL" is no "critical"), and printf() writes
 * numbers by it that are read again. */
#pragma once

#include <glib.h>

#include <locale.h>

G_BEGIN_DECLS

/** What lp_c_locale_end() needs. */
typedef struct {
    locale_t own, before; /* own: owned, (locale_t)0 if there is none */
} LpCLocale;

/** Gives this thread the "C" locale; `g_auto(LpCLocale) locale = lp_c_locale_begin();` does so for
 * a scope. Scopes may lie in one another. Other threads keep theirs. */
LpCLocale lp_c_locale_begin(void) G_GNUC_WARN_UNUSED_RESULT;
/** Restores the locale that the thread had before lp_c_locale_begin(). */
void lp_c_locale_end(LpCLocale *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(LpCLocale, lp_c_locale_end)

G_END_DECLS
