/* SPDX-License-Identifier: Apache-2.0 */
/* A choice for each of several things, where each choice costs and so does each difference. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** Numbers that a table of the elimination may hold. */
#define LP_LEAST_CHOICE_TABLE_MAX (1u << 20)

/** @n things, each of which takes one of @n_choices. */
typedef struct {
    guint n, n_choices;
    const double *cost;    /* borrowed: [thing][choice], INFINITY: it cannot */
    const double *differs; /* borrowed: [thing][other], what it costs that the two take different
                              ones; both ways are added */
} LpLeastChoice;

double lp_least_choice_cost(const LpLeastChoice *self, const guint32 *chosen);
/** The choices that cost least in all, in @out_chosen: things are eliminated one after the other,
 * those with fewest neighbours first, as in dynamic programs that are no chains (Bertele and
 * Brioschi, Nonserial Dynamic Programming, 1972). FALSE: things hang together so closely that a
 * table would hold more than LP_LEAST_CHOICE_TABLE_MAX numbers, or one has no choice. */
gboolean lp_least_choice_find(const LpLeastChoice *self, guint32 *out_chosen);

G_END_DECLS
