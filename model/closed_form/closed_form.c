/* SPDX-License-Identifier: Apache-2.0 */
/* The consistent closed form's composition of its terms. */
#include "model/closed_form/closed_form.h"
#include "model/closed_form/closed_form_counts.h"
#include "model/closed_form/closed_form_network.h"
#include "model/closed_form/closed_form_waiting.h"

#include <math.h>

/* The communication that the plan hides, s of an iteration. */
typedef struct {
    double tp_s, pp_s, dp_s;
} Hidden;

static LpClosedFormCommunication
own_communication(const LpClosedFormInput *input)
{
    return (LpClosedFormCommunication){
        .tp_s = lp_closed_form_tp_s(input),
        .pp_s = lp_closed_form_pp_s(input),
        .dp_s = lp_closed_form_dp_s(input),
        .ep_s = lp_closed_form_ep_s(input),
        .cp_s = lp_closed_form_cp_s(input),
    };
}

static double
exposed_ep_s(const LpClosedFormInput *input, const LpClosedFormCommunication *communication)
{
    return communication->ep_s - lp_closed_form_ep_hidden_s(input, communication->ep_s);
}

static double
exposed_cp_s(const LpClosedFormInput *input, const LpClosedFormCommunication *communication)
{
    return communication->cp_s - lp_closed_form_cp_hidden_s(input, communication->cp_s);
}

/* The share of all gathers of parameters that is exposed where @hidden_s of T_DP is not: sums and
 * gathers that are both hidden are as much so. */
static double
exposed_gathers(const LpClosedFormInput *input, double hidden_s)
{
    if (hidden_s <= 0.0 || !input->plan->overlap.param)
        return 1.0;
    LpClosedFormDp dp = lp_closed_form_dp(input);
    double gathers_s = lp_closed_form_gathers_s(&dp);
    double sums_s = dp.launched * dp.n_sums * dp.sum_s;
    return gathers_s > 0.0 ? fmax(1.0 - hidden_s / (gathers_s + sums_s), 0.0) : 1.0;
}

/* The seconds that passes wait for data parallelism, where all of it takes @dp_s in place of T_DP
 * and @hidden_s of it is hidden. */
static LpPassCommunication
exposed_pass(const LpClosedFormInput *input, double dp_s, double hidden_s)
{
    LpPassCommunication pass = lp_closed_form_dp_pass(input);
    if (pass.gathers_s + pass.first_gather_s + pass.sum_s + pass.last_sum_s <= 0.0)
        return pass;
    double share = dp_s / lp_closed_form_dp_s(input);
    double gathers = share * exposed_gathers(input, hidden_s);
    return (LpPassCommunication){.gathers_s = gathers * pass.gathers_s,
                                 .back_gathers_s = gathers * pass.back_gathers_s,
                                 .first_gather_s = gathers * pass.first_gather_s,
                                 .sum_s = share * pass.sum_s,
                                 .last_sum_s = share * pass.last_sum_s};
}

static LpTerms
compose(const LpClosedFormInput *input, const LpClosedFormCommunication *communication,
        Hidden hidden)
{
    double compute_s = lp_closed_form_compute_s(input);
    LpWork lists = lp_closed_form_lists(input);
    double cp_s = exposed_cp_s(input, communication);
    double tp_s = communication->tp_s - hidden.tp_s, pp_s = communication->pp_s - hidden.pp_s;
    double dp_s = (1.0 - input->plan->overlap.fraction) * communication->dp_s;
    double ep_s = exposed_ep_s(input, communication), inner_s = tp_s + ep_s + cp_s;
    LpClosedFormBridging bridging = lp_closed_form_bridging(input);
    return (LpTerms){
        .s = {
            [LP_TERM_COMPUTE] = compute_s + lists.device_s,
            [LP_TERM_TP] = tp_s,
            [LP_TERM_EP] = ep_s,
            [LP_TERM_CP] = cp_s,
            [LP_TERM_PP] = pp_s + bridging.pp_s,
            [LP_TERM_DP] = dp_s - hidden.dp_s + bridging.dp_s,
            /* Filling and draining hide no message. */
            [LP_TERM_BUBBLE] = lp_closed_form_bubble_of(input, inner_s, communication->pp_s,
                                                        exposed_pass(input, dp_s, hidden.dp_s)) +
                               bridging.bubble_s,
            [LP_TERM_RECONFIGURATION] = input->fabric->circuits.packet_network.is_present
                                            ? 0.0
                                            : lp_closed_form_waiting_s(input),
            [LP_TERM_OPTIMIZER] = lp_closed_form_optimizer_s(input),
            [LP_TERM_HOST] = lp_closed_form_host_of(input, compute_s, inner_s, pp_s) + lists.idle_s,
        }};
}

/* The part of @communication, the form's own, that the plan hides. */
static Hidden
find_hidden(const LpClosedFormInput *input, const LpClosedFormCommunication *communication)
{
    Hidden hidden = {.tp_s = lp_closed_form_tp_hidden_s(input)};
    double inner_s = communication->tp_s - hidden.tp_s + exposed_ep_s(input, communication) +
                     exposed_cp_s(input, communication);
    hidden.pp_s = lp_closed_form_pp_hidden_s(input, inner_s);
    hidden.dp_s = lp_closed_form_dp_hidden_s(input, inner_s);
    return hidden;
}

static LpTerms
own_terms(const LpClosedFormInput *input, gboolean hides)
{
    LpClosedFormRings rings = {.is_known = {{{FALSE}}}};
    LpClosedFormInput own = *input;
    own.known = &rings;
    LpClosedFormCommunication communication = own_communication(&own);
    return compose(&own, &communication,
                   hides ? find_hidden(&own, &communication) : (Hidden){0.0, 0.0, 0.0});
}

/* The additional time of an iteration over a rotor, against one over the same circuits if they
 * stood. */
static double
turning_s(const LpClosedFormInput *input, gboolean hides)
{
    LpFabric fabric;
    if (!lp_closed_form_has_rotor(input))
        return 0.0;
    LpClosedFormInput standing = lp_closed_form_without_rotor(input, &fabric);
    LpTerms turning_terms = own_terms(input, hides), standing_terms = own_terms(&standing, hides);
    return lp_terms_sum(&turning_terms) - lp_terms_sum(&standing_terms);
}

/* The terms of a machine with a rotor are those of circuits that stand all the time, and the
 * additional time of the rotor. */
static LpTerms
terms(const LpClosedFormInput *input, gboolean hides)
{
    LpFabric fabric;
    LpClosedFormInput standing = lp_closed_form_without_rotor(input, &fabric);
    LpTerms made = own_terms(&standing, hides);
    made.s[LP_TERM_RECONFIGURATION] += turning_s(input, hides);
    return made;
}

LpTerms
lp_closed_form_compose(const LpClosedFormInput *input,
                       const LpClosedFormCommunication *communication)
{
    LpFabric fabric;
    LpClosedFormInput standing = lp_closed_form_without_rotor(input, &fabric);
    LpTerms made = compose(&standing, communication, (Hidden){0.0, 0.0, 0.0});
    made.s[LP_TERM_RECONFIGURATION] += turning_s(input, FALSE);
    return made;
}

LpTerms
lp_closed_form_unhidden_terms(const LpClosedFormInput *input)
{
    LpTerms made = terms(input, FALSE);
    return lp_terms_cleared(&made);
}

LpTerms
lp_closed_form_terms(const LpClosedFormInput *input)
{
    LpTerms made = terms(input, TRUE);
    return lp_terms_cleared(&made);
}
