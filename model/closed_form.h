/* SPDX-License-Identifier: Apache-2.0 */
/* The consistent closed form of one iteration (model/README.md, "Consistent form"). */
#pragma once

#include "model/fabric.h"
#include "model/kernel.h"
#include "model/terms.h"

G_BEGIN_DECLS

/** What the closed form is computed from, all borrowed. */
typedef struct {
    const LpTransformer *transformer;
    const LpPlan *plan;
    const LpAccelerator *accelerator;
    const LpFabric *fabric;
} LpClosedFormInput;

/** T_comp: kernel times of all layers, embedding and logits over all micro-batches, recomputation
 * included, averaged over the stages, s. */
double lp_closed_form_compute_s(const LpClosedFormInput *input);
/** Time of one tensor-parallel all-reduce of one micro-batch's activations (ring), or of the
 * all-gather and reduce-scatter that replace it under sequence parallelism:
 * 2(t-1) a + 2(t-1)/t A/BW, s. */
double lp_closed_form_tp_collective_s(const LpClosedFormInput *input);
/** n: all-reduces, or what equals them in volume and latency, that a layer takes per micro-batch:
 * two forward and two backward; one more under sequence parallelism, whose backward pass gathers
 * each block's input again (half an all-reduce, twice; Korthikanti et al., arXiv 2205.05198,
 * section 4.2.2); two more with full recomputation. */
double lp_closed_form_tp_collectives_per_layer(const LpPlan *plan);
/** T_TP = n (L/D) m [2(t-1) a + 2(t-1)/t A/BW], s; n = 4, or 6 with full recomputation, 5 and 7
 * under sequence parallelism. */
double lp_closed_form_tp_s(const LpClosedFormInput *input);
/** Time of one message between stages: a + A/BW (A/t with scatter-gather or sequence
 * parallelism), s. */
double lp_closed_form_pp_message_s(const LpClosedFormInput *input);
/** T_PP = 2 m v [a + A/BW]; 0 if D = 1. */
double lp_closed_form_pp_s(const LpClosedFormInput *input);
/** T_DP = 2(r-1) a + 2(r-1)/r (P/(t D)) bytes_g / BW, before the share (1 - o). */
double lp_closed_form_dp_s(const LpClosedFormInput *input);
/** T_bub = (D-1)/(m v) (T_comp + T_TP) + (D-2)/(m v) T_PP for D >= 2, else 0. The reference writes
 * (D-1) before T_PP too; filling D stages crosses D-1 boundaries, so that would count one message
 * pair too many, as the simulation of GPipe shows (docs/architecture.md). */
double lp_closed_form_bubble_s(const LpClosedFormInput *input);
/** T_opt: the optimiser step on the mean stage. */
double lp_closed_form_optimizer_s(const LpClosedFormInput *input);

/** All terms. */
LpTerms lp_closed_form_terms(const LpClosedFormInput *input);

/** The measured times of single operations that the composition below accepts in place of its
 * own. */
typedef struct {
    double tp_s; /**< all TP collectives of one iteration on one rank */
    double pp_s; /**< all messages between stages */
    double dp_s; /**< the gradient reduction */
} LpClosedFormCommunication;

/** The same composition with given communication times: T_comp + T_TP + T_PP + (1-o) T_DP + T_bub
 * + T_opt. */
LpTerms lp_closed_form_compose(const LpClosedFormInput *input,
                               const LpClosedFormCommunication *communication);

G_END_DECLS
