/* SPDX-License-Identifier: Apache-2.0 */
/* The consistent closed form's composition of its terms. */
#include "model/closed_form.h"
#include "model/closed_form_internal.h"

LpTerms
lp_closed_form_terms(const LpClosedFormInput *input)
{
    LpClosedFormCommunication communication = {
        .tp_s = lp_closed_form_tp_s(input),
        .pp_s = lp_closed_form_pp_s(input),
        .dp_s = lp_closed_form_dp_s(input),
        .ep_s = lp_closed_form_ep_s(input),
        .cp_s = lp_closed_form_cp_s(input),
    };
    return lp_closed_form_compose(input, &communication);
}

/* What passes wait for data parallelism where all of it takes @dp_s in place of T_DP, and a share o
 * of it is hidden. */
static LpPassCommunication
exposed_pass(const LpClosedFormInput *input, double dp_s)
{
    LpPassCommunication pass = lp_closed_form_dp_pass(input);
    if (pass.gathers_s + pass.first_gather_s + pass.sum_s + pass.last_sum_s <= 0.0)
        return pass;
    double share = (1.0 - input->plan->overlap.fraction) * (dp_s / lp_closed_form_dp_s(input));
    return (LpPassCommunication){.gathers_s = share * pass.gathers_s,
                                 .first_gather_s = share * pass.first_gather_s,
                                 .sum_s = share * pass.sum_s,
                                 .last_sum_s = share * pass.last_sum_s};
}

LpTerms
lp_closed_form_compose(const LpClosedFormInput *input,
                       const LpClosedFormCommunication *communication)
{
    double compute_s = lp_closed_form_compute_s(input);
    double cp_s = communication->cp_s - lp_closed_form_cp_hidden_s(input, communication->cp_s);
    double ep_s = communication->ep_s - lp_closed_form_ep_hidden_s(input, communication->ep_s);
    double inner_s = communication->tp_s + ep_s + cp_s;
    return (LpTerms){
        .s = {
            [LP_TERM_COMPUTE] = compute_s,
            [LP_TERM_TP] = communication->tp_s,
            [LP_TERM_EP] = ep_s,
            [LP_TERM_CP] = cp_s,
            [LP_TERM_PP] = communication->pp_s,
            [LP_TERM_DP] = (1.0 - input->plan->overlap.fraction) * communication->dp_s,
            [LP_TERM_BUBBLE] = lp_closed_form_bubble_of(input, inner_s, communication->pp_s,
                                                        exposed_pass(input, communication->dp_s)),
            [LP_TERM_RECONFIGURATION] = lp_closed_form_reconfiguration_s(input),
            [LP_TERM_OPTIMIZER] = lp_closed_form_optimizer_s(input),
            [LP_TERM_HOST] = lp_closed_form_host_of(input, compute_s, inner_s, communication->pp_s),
        }};
}
