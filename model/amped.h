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

/** U_f: forward pass of all layers over the global batch, divided over all N accelerators:
 * (L/N) (C_MAC MAC + C_nl NL), s. */
double lp_amped_forward_s(const LpClosedFormInput *input);
/** U_b: gradients of the activations, likewise: U_b = U_f, s. */
double lp_amped_backward_s(const LpClosedFormInput *input);
/** U_w: gradients of the weights, likewise: (L/N) C_MAC MAC, s. */
double lp_amped_weight_s(const LpClosedFormInput *input);
/** U_f again under full recomputation, else 0: not in AMPeD, see model/README.md; s. */
double lp_amped_recompute_s(const LpClosedFormInput *input);
/** The TP part of M_f + M_b: 4 (L/D) m all-reduces of a micro-batch's activations, 6 with full
 * recomputation, each an intra ring and an inter ring, s. */
double lp_amped_tp_s(const LpClosedFormInput *input);
/** The PP part of M_f + M_b: 2 m messages of a micro-batch's activations, a + A/BW each; 0 if D =
 * 1, s. */
double lp_amped_pp_s(const LpClosedFormInput *input);
/** M_g: intra ring and inter ring of the gradients of a rank's parameters, L/(t D) layers', s. */
double lp_amped_gradient_s(const LpClosedFormInput *input);
/** W = (N_PP - 1) [U_f + U_b + M_f + M_b] / N_ub, without U_w; the recomputed U_f counts; s. */
double lp_amped_bubble_s(const LpClosedFormInput *input);

/** All terms of the form, s; those that AMPeD does not know are 0. */
LpTerms lp_amped_terms(const LpClosedFormInput *input);

G_END_DECLS
