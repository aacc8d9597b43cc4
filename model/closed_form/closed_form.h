/* SPDX-License-Identifier: Apache-2.0 */
/* The consistent closed form of one iteration (model/README.md, "Consistent form"). */
#pragma once

#include "model/closed_form/closed_form_terms.h"

G_BEGIN_DECLS

/** All terms, s: lp_closed_form_compose() of the form's own communication times, less what the plan
 * hides of T_TP, T_PP and T_DP (model/README.md, "Overlap").
 *
 * T_bub of T_X, a micro-batch's time on a stage without messages but with what its passes wait for
 * data parallelism (ZeRO 3's gathers, sums after each micro-batch), F its forward pass, W its
 * weights' gradients and their sum: (D-1) T_X / v, and (D-2) messages each way; GPipe, 1F1B,
 * interleaved 1F1B (Narayanan et al., SC 2021, 2.2). ZB-H1: (D-1)(T_X - 2 W) (Qi et al., arXiv
 * 2401.10241, table 1). DualPipe: (D/2-1)(F&B + B - 3 W), B = T_X - F (DeepSeek-V3, arXiv
 * 2412.19437, table 2). The reference writes (D-1) messages too; filling D stages crosses D-1
 * boundaries, so that would count one message pair too many, as the simulation of GPipe shows
 * (docs/architecture.md).
 *
 * T_rec: the dead times of circuits less what policies that look ahead hide: circuits of a message
 * are asked for when the last gather before it has ended, so a layer's pass ahead of it, or a whole
 * forward pass where all gathers were ahead; those of sums at the end, a backward pass; those of
 * the first message to a stage behind the second, a forward pass. Of a rotor: what the iteration
 * takes longer than over circuits that stand, with each transfer's mean time
 * (model/network/rotor_cycle.h). 0 of a hybrid, on which nobody waits: what goes beside circuits
 * until they are up is in the terms of its class, b (1 - C / B) longer for b = min(dead time, its
 * time beside them), B and C its times beside and over them. */
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
