/* SPDX-License-Identifier: Apache-2.0 */
/* The repaired AMPeD closed form (Moolchandani et al., ISPASS 2023; model/README.md lists the
 * repairs). */
#pragma once

#include "model/closed_form.h"

G_BEGIN_DECLS

/** MAC of one layer's forward pass over the global batch: 4 B S d^2 + 2 B S^2 d + 2 B S d d_ff
 * (3 with SwiGLU; 2 (1 + kv/a) in place of 4 with grouped queries). */
double lp_amped_layer_mac(const LpTransformer *transformer, const LpPlan *plan);
/** Non-linear operations of one layer's forward pass, per element: softmax, norms, activation,
 * residuals. */
double lp_amped_layer_nonlinear(const LpTransformer *transformer, const LpPlan *plan);
/** Parameters a layer: 4 d^2 + 2 d d_ff + 4 d + V d / L (3 with SwiGLU). */
double lp_amped_layer_parameters(const LpTransformer *transformer);
/** C_MAC: s per multiply-accumulate on one accelerator, 2 / (peak * efficiency). */
double lp_amped_mac_s(const LpAccelerator *accelerator, LpPrecision precision);
/** C_nl: s per non-linear operation on one accelerator, 1 / peak[fp32]. */
double lp_amped_nonlinear_s(const LpAccelerator *accelerator);

double lp_amped_forward_s(const LpClosedFormInput *input);  /**< U_f of all layers over N */
double lp_amped_backward_s(const LpClosedFormInput *input); /**< U_b of all layers over N */
double lp_amped_weight_s(const LpClosedFormInput *input);   /**< U_w of all layers over N */
/** U_f again under full recomputation, else 0: not in AMPeD, see model/README.md. */
double lp_amped_recompute_s(const LpClosedFormInput *input);
double lp_amped_tp_s(const LpClosedFormInput *input);       /**< M_f + M_b, the TP part */
double lp_amped_pp_s(const LpClosedFormInput *input);       /**< M_f + M_b, the PP part */
double lp_amped_gradient_s(const LpClosedFormInput *input); /**< M_g: intra ring + inter ring */
/** W = (N_PP - 1) [U_f + U_b + M_f + M_b] / N_ub, without U_w; the recomputed U_f counts. */
double lp_amped_bubble_s(const LpClosedFormInput *input);

/** All terms of the form, s; those that AMPeD does not know are 0. */
LpTerms lp_amped_terms(const LpClosedFormInput *input);

G_END_DECLS
