/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes of activations that one layer keeps for one micro-batch, on one rank. */
#pragma once

#include "model/plan/plan.h"

G_BEGIN_DECLS

/** Bytes of one tensor of a micro-batch's hidden activations of @seq tokens a sequence: 2 b s h,
 * over tp where scattered. */
double lp_memory_hidden_bytes(const LpTransformer *transformer, const LpPlan *plan, guint32 seq);
/** Bytes that layer @index keeps where the parts @recomputed, a set of LpRecomputedParts, are made
 * again (Korthikanti et al., arXiv 2205.05198, equations 1, 2, 4 and 6). */
double lp_memory_layer_bytes(const LpTransformer *transformer, const LpPlan *plan, guint32 index,
                             guint32 recomputed);

G_END_DECLS
