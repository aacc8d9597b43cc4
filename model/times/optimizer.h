/* SPDX-License-Identifier: Apache-2.0 */
/* How long the optimiser's step takes. */
#pragma once

#include "model/times/list_copies.h"

G_BEGIN_DECLS

/** The time of the optimiser's step of one rank of @stage, s: of the kernels of block "optimizer"
 * (model/kernels/standard.xml) on the states that it holds. ZeRO divides them over the ranks that
 * share the states (Rajbhandari et al., arXiv 1910.02054, section 5.1). */
double lp_optimizer_time_s(const LpTransformer *transformer, const LpPlan *plan,
                           const LpAccelerator *accelerator, guint32 stage);

/** Copies of the parameters that a rank of @stage has gathered in lists (gather-lists) behind the
 * optimiser's step: the host issues one for each member and tensor. None otherwise. */
LpWork lp_optimizer_list_copies(const LpTransformer *transformer, const LpPlan *plan,
                                const LpAccelerator *accelerator, guint32 stage);

G_END_DECLS
