/* SPDX-License-Identifier: Apache-2.0 */
/* Divides what players cost together among them, so that no order of theirs matters.
 *
 * A game gives each set of players S a value v(S); sets are bits. Its dividends d(S) are what a set
 * adds that none of its parts does: d(S) = sum over T in S of (-1)^(|S|-|T|) v(T), so that v(S) is
 * the sum of the dividends of its parts. The Shapley value of a player is its even share of the
 * dividends of all sets that it is in; other shares of them have been weighed against it (Béal et
 * al., The proportional Shapley value and an application, CRESE working paper 2016-8). */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** Turns the values of all 2^@n_players sets, every @stride-th number from @io_values on, into
 * dividends. */
void lp_shapley_dividends(double *io_values, guint n_players, guint stride);
/** The Shapley values of the players: their even shares of @dividends. */
void lp_shapley_values(const double *dividends, guint n_players, double *out_values);

G_END_DECLS
