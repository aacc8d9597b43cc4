/* SPDX-License-Identifier: Apache-2.0 */
/* Operations of an iteration. */
#pragma once

#include "model/plan/plan_options.h"

G_BEGIN_DECLS

/** FLOP of the matrix products of one iteration, all ranks, without recomputation (the model's):
 * 72 B s L h^2 (1 + s/6h + V/12Lh) for GPT (Narayanan et al., SC 2021, eq. 3 less recomputation).
 */
double lp_plan_model_flop(const LpPlan *self, const LpTransformer *transformer);
/** lp_plan_model_flop() and what recomputation adds (the hardware's). Full: 96 B s L h^2 (1 + s/6h
 * + V/16Lh). Selective: the scores and the product over values once more, 4 B s^2 h a layer;
 * nothing with flash attention, whose kernel computes the scores again by itself and is not charged
 * for it here. */
double lp_plan_hardware_flop(const LpPlan *self, const LpTransformer *transformer);

G_END_DECLS
