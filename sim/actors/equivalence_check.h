/* SPDX-License-Identifier: Apache-2.0 */
/* Whether flows that one stands for are held back as it is, at every instant of a run.
 *
 * Flows of a class may go several ways. The one that stands for them is on the links of all, and
 * gets the rate that max-min sharing gives it there. That is the rate of each of them if each way
 * has a link that is full and on which nobody is faster (docs/architecture.md). */
#pragma once

#include "sim/quotient/link_sets.h"

G_BEGIN_DECLS

typedef struct LpEquivalenceCheck LpEquivalenceCheck;

/** Whether a class of links holds back the flow at hand. @data: whoever shares the links. */
typedef gboolean (*LpHoldsBack)(gconstpointer data, guint32 link);

/** Of @ways, borrowed. @gives_up: the run need not go on long after a way was not held. Returns:
 * (transfer full). */
LpEquivalenceCheck *lp_equivalence_check_new(const LpLinkSets *ways, gboolean gives_up);
void lp_equivalence_check_free(LpEquivalenceCheck *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpEquivalenceCheck, lp_equivalence_check_free)

/** A flow begins. */
void lp_equivalence_check_begin(LpEquivalenceCheck *self);
/** The flow of class @flow_class has the rate that is found for it at @now_s, with @holds_back. */
void lp_equivalence_check_rate(LpEquivalenceCheck *self, guint32 flow_class, LpHoldsBack holds_back,
                               gconstpointer data, double now_s);
/** Whether the run need not go on. @self may be NULL. */
gboolean lp_equivalence_check_is_over(const LpEquivalenceCheck *self);

/** Whether a way was not held: what follows may differ from the run. @self may be NULL. */
gboolean lp_equivalence_check_has_failed(const LpEquivalenceCheck *self);

/** By way: 0 if it was held whenever its class was; else a number that is the same for those of a
 * class that were not held at the same instants, and hardly for others. Borrowed. */
const guint32 *lp_equivalence_check_marks(const LpEquivalenceCheck *self);

G_END_DECLS
