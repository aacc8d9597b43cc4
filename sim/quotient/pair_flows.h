/* SPDX-License-Identifier: Apache-2.0 */
/* The flows of all-to-alls that go pair by pair: each member sends one message after the other, and
 * waits for none; the collective ends with the last. */
#pragma once

#include "sim/analysis/isolated_time.h"
#include "sim/quotient/numbering.h"

G_BEGIN_DECLS

/** Whether the all-to-alls of a communicator that are not scheduled go pair by pair: where members
 * stand in no order, or accelerators in between forward; as messages, what leaves domains. Else
 * they go along the rails, or round each domain. */
gboolean lp_pair_flows_are_all(const LpIsolatedRing *ring, LpFidelity fidelity);

/** The flow from a member to another. */
typedef struct {
    LpRoute route;
    guint32 from, to; /**< members */
    guint32 what;     /**< those of one number are as large in the same operations, and stand at the
                         same place among their sender's */
} LpPairFlow;

/** The flows of all pairs of members, sender by sender, in the order in which each sends them
 * (lp_exchange_row_receiver()), for those of @ops (LpOp) that are not scheduled. @what: numbers
 * equal flows alike. Returns: (transfer full) LpPairFlow. */
GArray *lp_pair_flows_new(LpNumbering *what, const LpIsolatedRing *ring, const GArray *ops);

G_END_DECLS
