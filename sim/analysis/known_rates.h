/* SPDX-License-Identifier: Apache-2.0 */
/* Rates that were worked out, by what flowed. It recurs, step after step of a pipeline. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** How fast each flow of a class goes, and how many there are. */
typedef struct {
    double bytes_per_s;
    guint32 class, n_flows;
} LpClassRate;

typedef struct LpKnownRates LpKnownRates;

/** None yet. Returns: (transfer full). */
LpKnownRates *lp_known_rates_new(void);
void lp_known_rates_free(LpKnownRates *self);

/** What stands for a flow of @class: no two sums of such numbers are likely to be equal.
 */
guint64 lp_known_rates_mark(guint32 class);
/** Room for the rates of @n classes, whose flows' marks have the sum @marks; NULL: they are too
 * many to be kept. It lasts until the next call of this function. */
LpClassRate *lp_known_rates_keep(LpKnownRates *self, guint64 marks, guint n);
/** What was written there, most likely for the same flows; NULL: nothing. */
const LpClassRate *lp_known_rates_find(const LpKnownRates *self, guint64 marks, guint n);

G_END_DECLS
