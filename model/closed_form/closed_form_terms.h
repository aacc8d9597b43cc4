/* SPDX-License-Identifier: Apache-2.0 */
/* The terms of the closed form before any of them hides another, each in a source of its own. */
#pragma once

#include "model/closed_form/closed_form_input.h"
#include "model/times/kernel.h"

G_BEGIN_DECLS

/** T_comp: kernel times of all layers, embedding and logits over all micro-batches, recomputation
 * included, averaged over the stages, s. */
double lp_closed_form_compute_s(const LpClosedFormInput *input);

/** Work of all layers, embedding and head in @pass over one micro-batch. */
LpWork lp_closed_form_pass_work(const LpClosedFormInput *input, LpPass pass);

/** Seconds of computing @pass on the mean stage, over all micro-batches. */
double lp_closed_form_pass_s(const LpClosedFormInput *input, LpPass pass);

/** Time of one tensor-parallel all-reduce of one micro-batch's activations (ring), or of the
 * all-gather and reduce-scatter that replace it under sequence parallelism:
 * 2(t-1) a + 2(t-1)/t A/BW, s. */
double lp_closed_form_tp_collective_s(const LpClosedFormInput *input);

/** n: all-reduces, or what equals them in volume and latency, that a dense layer takes per
 * micro-batch: two forward and two backward; one more under sequence parallelism, whose backward
 * pass gathers each block's input again (half an all-reduce, twice; Korthikanti et al.,
 * arXiv 2205.05198, section 4.2.2); two more with full recomputation. Half as many with blocks side
 * by side. */
double lp_closed_form_tp_collectives_per_layer(const LpTransformer *transformer,
                                               const LpPlan *plan);

/** T_TP = n (L/D) m [2(t-1) a + 2(t-1)/t A/BW], s; n = 4, or 6 with full recomputation, 5 and 7
 * under sequence parallelism. A layer with experts has the collectives of its attention, of its
 * shared experts or of the sum over tp, and of experts that are divided over tp. */
double lp_closed_form_tp_s(const LpClosedFormInput *input);

/** T_EP = 2 p m (L_moe/D) [a + max(intra, inter)], s; p passes: 2, or 3 with full recomputation;
 * intra and inter the times of the parts of (n-1)/n k A that stay in a domain and that leave it,
 * each at its own rate. Where routing is limited to nodes both halves, between and within them. */
double lp_closed_form_ep_s(const LpClosedFormInput *input);

/** The part of @ep_s (T_EP, or a measured value) that is hidden, since both halves of an exchange
 * that is limited to nodes go on at once: the shorter half. */
double lp_closed_form_ep_hidden_s(const LpClosedFormInput *input, double ep_s);

/** T_CP, all of it: ring, each layer and pass: (n-1) a + (n-1)/n KV/BW, twice that backward.
 * All-to-all: two exchanges a layer and pass. Layers that recompute their scores repeat the forward
 * pass's. */
double lp_closed_form_cp_s(const LpClosedFormInput *input);

/** The part of @cp_s (T_CP, or a measured value) that a ring hides behind attention: of each pass
 * up to (n-1)/n of its core. */
double lp_closed_form_cp_hidden_s(const LpClosedFormInput *input, double cp_s);

/** Time of one message between stages: a + A/BW (A/t with scatter-gather or sequence
 * parallelism), s. */
double lp_closed_form_pp_message_s(const LpClosedFormInput *input);

/** T_PP = 2 m v [a + A/BW], s; 0 if D = 1. */
double lp_closed_form_pp_s(const LpClosedFormInput *input);

/** Data parallelism on the mean stage. */
typedef struct {
    double sum_s, gather_s;         /**< one sum of all gradients, one gather of all parameters */
    double back_gather_s;           /**< one gather before a backward pass */
    double sum_bytes, gather_bytes; /**< on the wire of one rank's buffers */
    double n_sums;                  /**< in an iteration */
    double n_gathers;               /**< but for those before backward passes: */
    double n_back_gathers;
    double n_units;  /**< layers, embedding and head; at least 1 */
    double launched; /**< share of sum_s that runs behind computing, if it can */
} LpClosedFormDp;

/** T_DP = n_sums sum_s + n_gathers gather_s + n_back_gathers back_gather_s. */
LpClosedFormDp lp_closed_form_dp(const LpClosedFormInput *input);

/** The gathers of parameters among them, s. */
double lp_closed_form_gathers_s(const LpClosedFormDp *self);

/** T_DP = 2(r-1) a + 2(r-1)/r (P/(t D)) bytes_g / BW, before the share (1 - o). ZeRO: the
 * gradients' half, and the parameters' at their own size; stage 3: m times two gathers and a
 * reduce-scatter, each unit with its own latencies; one gather where parameters stay for the whole
 * iteration (lp_plan_keeps_parameters_throughout()). Experts' parameters go over the ranks that
 * hold copies. */
double lp_closed_form_dp_s(const LpClosedFormInput *input);

/** Pieces of dense parameters and of experts' in which the mean stage gathers or sums them, each
 * with latencies of its own. */
typedef struct {
    double n_dense, n_experts;
    LpParameters bytes; /**< of all pieces, on the wire of one rank's buffers */
} LpClosedFormPieces;

/** ZeRO stage 3 tensor by tensor: what is gathered before a forward or a backward pass. */
LpClosedFormPieces lp_closed_form_tensor_gathers(const LpClosedFormInput *input,
                                                 gboolean backwards);

/** The number of pieces in which gradients are summed behind a backward pass; bytes are left 0. */
LpClosedFormPieces lp_closed_form_tensor_sums(const LpClosedFormInput *input);

/** The costs of lists of tensors in an iteration, besides all of these collectives
 * (model/times/list_copies.h). */
LpWork lp_closed_form_lists(const LpClosedFormInput *input);

/** T_opt: the optimiser step on the mean stage, s. */
double lp_closed_form_optimizer_s(const LpClosedFormInput *input);

/** A step's checks of gradients on the mean stage. */
LpWork lp_closed_form_checks_work(const LpClosedFormInput *input);

/** The host's time for the optimiser's step on the mean stage, s. */
double lp_closed_form_optimizer_host_s(const LpClosedFormInput *input);

G_END_DECLS
