/* SPDX-License-Identifier: Apache-2.0 */
/* The least time from each step of a program to the end of its run: the longest path through what
 * must follow, on which nothing is delayed by anything else (model/README.md, "Lower bound"). */
#pragma once

#include "sim/analysis/isolated_time.h"

G_BEGIN_DECLS

typedef struct {
    double *least_s;     /* owned, by step of the program: from its start on, s */
    double whole_s;      /**< from the start of the run on, s */
    double *op_s;        /* owned, by operation: what it takes at least, s */
    gboolean sends_free; /**< communication counts as nothing, since its circuits change */
} LpRemainingTime;

/** Of the program of @map. @sends_free: communication takes no time, as where circuits may carry it
 * in other ways than its routes. What is worked out is kept in @cache. Returns: (transfer full). */
LpRemainingTime *lp_remaining_time_new(const LpCommunicationMap *map, LpIsolatedCache *cache,
                                       LpFidelity fidelity, gboolean sends_free);
void lp_remaining_time_free(LpRemainingTime *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpRemainingTime, lp_remaining_time_free)

G_END_DECLS
