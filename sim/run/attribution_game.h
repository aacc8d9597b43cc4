/* SPDX-License-Identifier: Apache-2.0 */
/* The game of a job's contention: its players are classes of traffic, other jobs and background
 * traffic, its value is the delay that a set of them causes. */
#pragma once

#include "sim/run/attribution_data.h"

G_BEGIN_DECLS

/** Numbers of each set: its value, and by how much each term of the iteration grew. */
enum {
    LP_CONTENTION_GAME_COLUMNS = 1 + LP_N_TERMS
};

/** The players, and what was found of each set of them. */
typedef struct {
    LpContender players[LP_N_CONTENDERS];
    guint n;
    double *values; /* owned: by set as bits, LP_CONTENTION_GAME_COLUMNS */
} LpAttributionGame;

/** The players that @self names, without values. */
LpAttributionGame lp_attribution_game(const LpAttribution *self);
void lp_attribution_game_clear(LpAttributionGame *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(LpAttributionGame, lp_attribution_game_clear)

/** The players of @set as bits of LpContender. */
guint lp_attribution_game_contenders(const LpAttributionGame *self, guint set);
/** Whether one of @contenders, bits of LpContender, is the job's own; other sets have no value. */
gboolean lp_attribution_game_has_own(guint contenders);
/** Divides the delay of all players among pairs and classes of @attribution; values become
 * dividends. */
void lp_attribution_game_divide(LpAttributionGame *self, LpAttribution *attribution);

G_END_DECLS
