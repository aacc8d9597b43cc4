/* SPDX-License-Identifier: Apache-2.0 */
/* Which replica updates, and hands on, which whole tensors (LP_PARAMETER_GATHER_BROADCAST). */
#pragma once

#include "model/plan/plan.h"

G_BEGIN_DECLS

/** Bytes of the tensors of a rank of @stage by owner, of at most @n_members: the largest are dealt
 * first, each to the first of those that have least (hybrid_zero_optim.py of InternLM/InternEvo:
 * _partition_param_list(); torch.distributed.optim, ZeroRedundancyOptimizer:
 * _partition_parameters()). Embedding and head are a tensor each. Returns: (transfer full) array of
 * double. */
GArray *lp_tensor_owners_new(const LpTransformer *transformer, const LpPlan *plan, guint32 stage,
                             guint64 n_members);

G_END_DECLS
