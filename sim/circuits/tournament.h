/* SPDX-License-Identifier: Apache-2.0 */
/* Matchings of a round-robin tournament: in all of them together everyone meets everyone once. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** Matchings of a tournament of @n: n - 1, or n if that is odd, where one sits out of each. */
guint32 lp_tournament_n_matchings(guint32 n);
/** The opponent of @member in @matching, counted from 0: @member itself where it sits out. */
guint32 lp_tournament_opponent(guint32 n, guint32 matching, guint32 member);

G_END_DECLS
