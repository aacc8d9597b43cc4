/* SPDX-License-Identifier: Apache-2.0 */
/* What the members of a communicator send in a collective, protocols' overhead left out. */
#pragma once

#include "sim/analysis/isolated_time.h"
#include "sim/mapping/round_plan.h"

G_BEGIN_DECLS

/** Bytes that member @index of @ring sends in @op. @round_plan: of it if it is scheduled, else
 * NULL.
 */
guint64 lp_collective_member_bytes(const LpIsolatedRing *ring, const LpRoundPlan *round_plan,
                                   const LpOp *op, guint64 index);
/** Bytes that all members send; parameters as of lp_collective_member_bytes(). */
guint64 lp_collective_total_bytes(const LpIsolatedRing *ring, const LpRoundPlan *round_plan,
                                  const LpOp *op);

G_END_DECLS
