/* SPDX-License-Identifier: Apache-2.0 */
/* The consistent closed form of one iteration (model/README.md, "Consistent form"). */
#pragma once

#include "model/closed_form/closed_form_input.h"

G_BEGIN_DECLS

/** T_comp: kernel times of all layers, embedding and logits over all micro-batches, recomputation
 * included, averaged over the stages, s. */
double lp_closed_form_compute_s(const LpClosedFormInput *input);
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
/** What of @ep_s (T_EP, or what was measured of it) is hidden, since both halves of an exchange
 * that is limited to nodes go on at once: the shorter half. */
double lp_closed_form_ep_hidden_s(const LpClosedFormInput *input, double ep_s);
/** T_CP, all of it: ring, each layer and pass: (n-1) a + (n-1)/n KV/BW, twice that backward.
 * All-to-all: two exchanges a layer and pass. Layers that recompute their scores repeat the forward
 * pass's. */
double lp_closed_form_cp_s(const LpClosedFormInput *input);
/** What of @cp_s (T_CP, or what was measured of it) a ring hides behind attention: of each pass up
 * to (n-1)/n of its core. */
double lp_closed_form_cp_hidden_s(const LpClosedFormInput *input, double cp_s);
/** Time of one message between stages: a + A/BW (A/t with scatter-gather or sequence
 * parallelism), s. */
double lp_closed_form_pp_message_s(const LpClosedFormInput *input);
/** T_PP = 2 m v [a + A/BW], s; 0 if D = 1. */
double lp_closed_form_pp_s(const LpClosedFormInput *input);
/** T_DP = 2(r-1) a + 2(r-1)/r (P/(t D)) bytes_g / BW, before the share (1 - o). ZeRO: the
 * gradients' half, and the parameters' at their own size; stage 3: m times two gathers and a
 * reduce-scatter, each unit with its own latencies; one gather where parameters stay for the whole
 * iteration (lp_plan_keeps_parameters_throughout()). Experts' parameters go over the ranks that
 * hold copies. */
double lp_closed_form_dp_s(const LpClosedFormInput *input);
/** T_bub of T_X, a micro-batch's time on a stage without messages but with what its passes wait for
 * data parallelism (ZeRO 3's gathers, sums after each micro-batch), F its forward pass, W its
 * weights' gradients and their sum: (D-1) T_X / v, and (D-2) messages each way; GPipe, 1F1B,
 * interleaved 1F1B (Narayanan et al., SC 2021, 2.2). ZB-H1: (D-1)(T_X - 2 W) (Qi et al., arXiv
 * 2401.10241, table 1). DualPipe: (D/2-1)(F&B + B - 3 W), B = T_X - F (DeepSeek-V3, arXiv
 * 2412.19437, table 2). The reference writes (D-1) messages too; filling D stages crosses D-1
 * boundaries, so that would count one message pair too many, as the simulation of GPipe shows
 * (docs/architecture.md). */
double lp_closed_form_bubble_s(const LpClosedFormInput *input);
/** Times that the critical path waits for circuits to be set up, counted in dead times: 0 where
 * attachments have lanes for all classes of traffic at once, or one class alone leaves the domains.
 * Data parallelism and D stages of a pipeline that take turns, m micro-batches:
 *
 * ZeRO 3, parameters gathered in each pass: 4 (D-1) + 2 (m-1), a gather behind each message and a
 * message behind each gather; 3 D - 2 + 2 (m-1) where a stage gathers for its first pass before the
 * message comes. Gradients summed at the end: 1, and D - 1 more where the circuits that stand
 * before the iteration are those of the sums, which have more bytes. */
double lp_closed_form_n_reconfigurations(const LpClosedFormInput *input);
/** T_rec: those times the dead time, less what policies that look ahead hide, s: circuits of a
 * message are asked for when the last gather before it has ended, so a layer's pass ahead of it, or
 * a whole forward pass where all gathers were ahead; those of sums at the end, a backward pass;
 * those of the first message to a stage behind the second, a forward pass. Of a rotor: what the
 * iteration takes longer than over circuits that stand, with each transfer's mean time
 * (model/network/rotor_cycle.h). 0 of a hybrid, on which nobody waits: what goes beside circuits
 * until they are up is in the terms of its class, b (1 - C / B) longer for b = min(dead time, its
 * time beside them), B and C its times beside and over them. */
double lp_closed_form_reconfiguration_s(const LpClosedFormInput *input);
/** T_opt: the optimiser step on the mean stage, s. */
double lp_closed_form_optimizer_s(const LpClosedFormInput *input);
/** All terms, s: lp_closed_form_compose() of the form's own communication times, less what the plan
 * hides of T_TP, T_PP and T_DP (model/README.md, "Overlap"). */
LpTerms lp_closed_form_terms(const LpClosedFormInput *input);

/** All terms, s, with nothing hidden but the share o of T_DP and rings behind attention. */
LpTerms lp_closed_form_unhidden_terms(const LpClosedFormInput *input);

/** The measured times of single operations that the composition below accepts in place of its
 * own. */
typedef struct {
    double tp_s; /**< all TP collectives of one iteration on one rank */
    double pp_s; /**< all messages between stages */
    double dp_s; /**< the gradient reduction, and the parameters' gathers */
    double ep_s; /**< all exchanges between experts */
    double cp_s; /**< all of context parallelism */
} LpClosedFormCommunication;

/** All terms, with given communication times: T_comp + T_TP + T_EP + exposed T_CP + T_PP
 * + (1-o) T_DP + T_bub + T_opt + T_host. */
LpTerms lp_closed_form_compose(const LpClosedFormInput *input,
                               const LpClosedFormCommunication *communication);

G_END_DECLS
