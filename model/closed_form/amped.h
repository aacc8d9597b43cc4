/* SPDX-License-Identifier: Apache-2.0 */
/* The repaired AMPeD closed form (Moolchandani et al., ISPASS 2023; model/README.md lists the
 * repairs). */
#pragma once

#include "model/closed_form/closed_form.h"

G_BEGIN_DECLS

/** MAC of the mean layer's forward pass over the global batch: 4 B S d^2 + 2 B S^2 d + 2 B S d d_ff
 * (3 with SwiGLU; 2 (1 + kv/a) in place of 4 with grouped queries). A layer with experts is as wide
 * as those that a token passes. */
double lp_amped_layer_mac(const LpTransformer *transformer, const LpPlan *plan);
/** Non-linear operations of the mean layer's forward pass, per element: softmax, norms, activation,
 * residuals. */
double lp_amped_layer_nonlinear(const LpTransformer *transformer, const LpPlan *plan);
/** Parameters of the mean layer: 4 d^2 + 2 d d_ff + 4 d + V d / L (3 with SwiGLU), with all of its
 * experts. */
double lp_amped_layer_parameters(const LpTransformer *transformer);
/** The fraction of the peak that products reach: the accelerator's, or by the plan's
 * amped-efficiency 0.91 b / (b + 0.91/0.51 - 1), which is AMPeD's constant of 0.51 at micro-batch 1
 * and stays below the cap of its curve, 0.91. The shape between the two is ours. */
double lp_amped_efficiency(const LpPlan *plan, const LpAccelerator *accelerator);
/** C_MAC: s per multiply-accumulate on one accelerator, 2 / (peak * efficiency). */
double lp_amped_mac_s(const LpPlan *plan, const LpAccelerator *accelerator);
/** C_nl: s per non-linear operation on one accelerator, 1 / peak[fp32]. */
double lp_amped_nonlinear_s(const LpAccelerator *accelerator);

/** U_f: forward pass of all layers over the global batch, divided over all N accelerators:
 * (L/N) (C_MAC MAC + C_nl NL), s. */
double lp_amped_forward_s(const LpClosedFormInput *input);
/** U_b: gradients of the activations, likewise: U_b = U_f, s. */
double lp_amped_backward_s(const LpClosedFormInput *input);
/** U_w: gradients of the weights, likewise: (L/N) C_MAC MAC, s. */
double lp_amped_weight_s(const LpClosedFormInput *input);
/** U_f again of the layers under full recomputation, else 0: not in AMPeD, see model/README.md; s.
 */
double lp_amped_recompute_s(const LpClosedFormInput *input);
/** The TP part of M_f + M_b: 4 (L/D) m all-reduces of a micro-batch's activations, 6 with full
 * recomputation, each an intra ring and an inter ring, s. */
double lp_amped_tp_s(const LpClosedFormInput *input);
/** The MoE part of M_f + M_b: for each layer with experts, micro-batch and pass two all-to-alls of
 * a micro-batch's activations, once for each expert that a token takes: (n_i - 1) messages of 1/n
 * in the domain and n - n_i beyond it, a + k A/(n BW) each, s. */
double lp_amped_moe_s(const LpClosedFormInput *input);
/** The PP part of M_f + M_b: 2 m messages of a micro-batch's activations, a + A/BW each: the longer
 * of those within a domain (PP_intra) and between domains (PP_inter); 0 if D = 1, s. */
double lp_amped_pp_s(const LpClosedFormInput *input);
/** M_g: intra ring and inter ring of the gradients of a rank's parameters, L/(t D) layers', and of
 * its experts' over the ranks that hold copies, s. */
double lp_amped_gradient_s(const LpClosedFormInput *input);
/** W = (N_PP - 1) [U_f + U_b + M_f + M_b] / N_ub, without U_w; the recomputed U_f counts; s. */
double lp_amped_bubble_s(const LpClosedFormInput *input);

/** Bytes of states on one accelerator, fully sharded: (S_w + S_g + 3 S_opt) P / (DP TP PP), S in
 * bytes, S_opt 4. */
double lp_amped_states_bytes(const LpTransformer *transformer, const LpPlan *plan);
/** lp_amped_states_bytes() and the activations of the fullest stage. The form's own count of these
 * is not public: they are those of lp_memory_fullest(). */
double lp_amped_memory_bytes(const LpTransformer *transformer, const LpPlan *plan);

/** All terms of the form, s; those that AMPeD does not know are 0. */
LpTerms lp_amped_terms(const LpClosedFormInput *input);

G_END_DECLS
