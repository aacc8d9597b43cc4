/* SPDX-License-Identifier: Apache-2.0 */
/* What the terms of the closed form hide of each other, and what waits for them: overlap, the
 * bubble, circuits, the host. (closed_form_overlap.c, _pp.c, _circuits.c, _host.c.) */
#pragma once

#include "model/closed_form/closed_form_terms.h"

G_BEGIN_DECLS

/** What of T_DP, of T_PP and of T_TP the plan's overlap-... hides behind computing, and behind
 * @inner_s: T_TP and T_EP, and what of T_CP is exposed. 0 where the plan gives a share o of T_DP.
 */
double lp_closed_form_dp_hidden_s(const LpClosedFormInput *input, double inner_s);

double lp_closed_form_pp_hidden_s(const LpClosedFormInput *input, double inner_s);

double lp_closed_form_tp_hidden_s(const LpClosedFormInput *input);

/** What passes of the mean stage wait for data parallelism, s, all chunks together. */
typedef struct {
    double gathers_s;      /**< of parameters, before a micro-batch's two passes, */
    double back_gathers_s; /**< of these before the backward one */
    double first_gather_s; /**< before each chunk's first forward pass alone */
    double sum_s;          /**< of gradients, behind each micro-batch */
    double last_sum_s;     /**< behind each chunk's last backward pass alone */
} LpPassCommunication;

/** The communication of data parallelism that other stages of a pipeline wait for as well; none
 * without a pipeline. Hidden sums (overlap-dp) keep no stage waiting. */
LpPassCommunication lp_closed_form_dp_pass(const LpClosedFormInput *input);

/** T_bub, given the seconds of communication inside layers and of messages between stages, over all
 * micro-batches, and what @dp passes wait for data parallelism. */
double lp_closed_form_bubble_of(const LpClosedFormInput *input, double inner_s, double pp_s,
                                LpPassCommunication dp);

/** Whether each pass gathers its parameters. */
gboolean lp_closed_form_gathers_each_pass(const LpClosedFormInput *input);

/** Waits for circuits on the critical path, and how long each is. */
typedef struct {
    double n_sums, sum_s;    /**< of sums or gathers */
    double n_first, first_s; /**< of messages that the first stage waits for, or all of them */
    double n_next, next_s;   /**< of messages that the stages behind wait for */
} LpClosedFormWaits;

LpClosedFormWaits lp_closed_form_waits(const LpClosedFormInput *input);

/** Dead times of all reconfigurations on the critical path, less what looking ahead hides, s. */
double lp_closed_form_waiting_s(const LpClosedFormInput *input);

/** Times that the critical path waits for circuits to be set up, counted in dead times: 0 where
 * attachments have lanes for all classes of traffic at once, or one class alone leaves the domains.
 * Data parallelism and D stages of a pipeline that take turns, m micro-batches:
 *
 * ZeRO 3, parameters gathered in each pass: 4 (D-1) + 2 (m-1), a gather behind each message and a
 * message behind each gather; 3 D - 2 + 2 (m-1) where a stage gathers for its first pass before the
 * message comes. Gradients summed at the end: 1, and D - 1 more where the circuits that stand
 * before the iteration are those of the sums, which have more bytes. */
double lp_closed_form_n_reconfigurations(const LpClosedFormInput *input);

/** What bytes that go beside circuits until these are up take longer, s of an iteration. */
typedef struct {
    double dp_s, pp_s, bubble_s;
} LpClosedFormBridging;

/** What the packet network carries while a hybrid's circuits change between gradient sums and
 * messages; 0 for other machines. */
LpClosedFormBridging lp_closed_form_bridging(const LpClosedFormInput *input);

/** T_host, given T_comp and the seconds of communication inside layers and between stages. */
double lp_closed_form_host_of(const LpClosedFormInput *input, double compute_s, double inner_s,
                              double pp_s);

G_END_DECLS
