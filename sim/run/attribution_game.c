/* SPDX-License-Identifier: Apache-2.0 */
/* Dividends of the sets, shared by the pairs among their players. */
#include "sim/run/attribution_game.h"

#include "model/plan/group_traits.h"
#include "sim/analysis/shapley.h"

const char *const lp_contender_names[] = {"tp",        "pp",         "dp",         "ep", "cp",
                                          "embedding", "other jobs", "background", NULL};
G_STATIC_ASSERT(G_N_ELEMENTS(lp_contender_names) == LP_N_CONTENDERS + 1);

#define ALL_CLASSES ((1u << LP_N_TRAFFIC) - 1)

LpAttributionGame
lp_attribution_game(const LpAttribution *self)
{
    LpAttributionGame game = {.n = 0};
    for (LpContender i = 0; i < LP_N_CONTENDERS; i++)
        if (self->contends[i])
            game.players[game.n++] = i;
    game.values = g_new0(double, (1u << game.n) * LP_CONTENTION_GAME_COLUMNS);
    return game;
}

void
lp_attribution_game_clear(LpAttributionGame *self)
{
    g_clear_pointer(&self->values, g_free);
}

gboolean
lp_attribution_game_has_own(guint contenders)
{
    return (contenders & ALL_CLASSES) != 0;
}

static gboolean
is_own(LpContender contender)
{
    return contender < LP_CONTENDER_OTHERS;
}

guint
lp_attribution_game_contenders(const LpAttributionGame *game, guint set)
{
    guint contenders = 0;
    for (guint i = 0; i < game->n; i++)
        if ((set & (1u << i)) != 0)
            contenders |= 1u << game->players[i];
    return contenders;
}

/* What @a and @b cost together belongs to each as far as its own exposed time grew by it; what is
 * not the job's is never what is delayed. */
static void
add_pair(LpAttribution *self, const double *dividend, double part_s, LpContender a, LpContender b)
{
    double of_a = is_own(a) ? MAX(dividend[1 + lp_traffic_term((LpTraffic)a)], 0.0) : 0.0;
    double of_b = is_own(b) ? MAX(dividend[1 + lp_traffic_term((LpTraffic)b)], 0.0) : 0.0;
    double share = of_a + of_b > 0.0 ? of_a / (of_a + of_b) : 0.5;
    if (!is_own(a) || !is_own(b))
        share = is_own(a) ? 1.0 : 0.0;
    self->pair_s[a][b] += part_s * share;
    if (a != b)
        self->pair_s[b][a] += part_s * (1.0 - share);
}

static guint
pairs_among(guint n)
{
    return n * (n - 1) / 2;
}

static guint
count_pairs(const LpAttributionGame *game, guint set)
{
    guint n = 0, n_background = 0;
    for (guint i = 0; i < game->n; i++) {
        guint is_in = (set >> i) & 1u;
        n += is_in;
        n_background += is_own(game->players[i]) ? 0 : is_in;
    }
    return n == 1 ? 1 : pairs_among(n) - pairs_among(n_background);
}

static void
divide_set(LpAttribution *self, const LpAttributionGame *game, guint set)
{
    const double *dividend = &game->values[set * LP_CONTENTION_GAME_COLUMNS];
    double part_s = dividend[0] / count_pairs(game, set);
    for (guint i = 0; i < game->n; i++)
        for (guint k = i; k < game->n; k++) {
            LpContender a = game->players[i], b = game->players[k];
            gboolean are_in = (set & (1u << i)) != 0 && (set & (1u << k)) != 0;
            gboolean is_pair = i == k ? set == 1u << i : is_own(a) || is_own(b);
            if (!are_in || !is_pair)
                continue;
            if (i == k)
                self->pair_s[a][a] += part_s;
            else
                add_pair(self, dividend, part_s, a, b);
        }
}

void
lp_attribution_game_divide(LpAttributionGame *self, LpAttribution *attribution)
{
    double shares[LP_N_CONTENDERS];
    guint n_sets = 1u << self->n;
    for (guint column = 0; column < LP_CONTENTION_GAME_COLUMNS; column++)
        lp_shapley_dividends(self->values + column, self->n, LP_CONTENTION_GAME_COLUMNS);
    g_autofree double *dividends = g_new(double, n_sets);
    for (guint set = 0; set < n_sets; set++) {
        dividends[set] = self->values[set * LP_CONTENTION_GAME_COLUMNS];
        if (lp_attribution_game_has_own(lp_attribution_game_contenders(self, set)))
            divide_set(attribution, self, set);
    }
    lp_shapley_values(dividends, self->n, shares);
    for (guint i = 0; i < self->n; i++)
        attribution->class_s[self->players[i]] = shares[i];
}
