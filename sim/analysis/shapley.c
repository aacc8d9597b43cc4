/* SPDX-License-Identifier: Apache-2.0 */
/* Dividends by inclusion and exclusion, a player at a time. */
#include "sim/analysis/shapley.h"

void
lp_shapley_dividends(double *io_values, guint n_players, guint stride)
{
    guint n_sets = 1u << n_players;
    for (guint player = 0; player < n_players; player++)
        for (guint set = 0; set < n_sets; set++)
            if ((set & (1u << player)) != 0)
                io_values[set * stride] -= io_values[(set ^ (1u << player)) * stride];
}

void
lp_shapley_values(const double *dividends, guint n_players, double *out_values)
{
    for (guint player = 0; player < n_players; player++) {
        out_values[player] = 0.0;
        for (guint set = 0; set < 1u << n_players; set++)
            if ((set & (1u << player)) != 0)
                out_values[player] += dividends[set] / (double)__builtin_popcount(set);
    }
}
