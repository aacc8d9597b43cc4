/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the difference between simulation and closed form. */
#include "validation/crosscheck.h"

static double
composed_s(const LpClosedFormInput *input, const LpLonelyCommunication *lonely, double pp_s)
{
    LpClosedFormCommunication communication = {.tp_s = lonely->tp_s,
                                               .pp_s = pp_s,
                                               .dp_s = lonely->dp_s,
                                               .ep_s = lonely->ep_s,
                                               .cp_s = lonely->cp_s};
    LpTerms terms = lp_closed_form_compose(input, &communication);
    return lp_terms_sum(&terms);
}

LpDifference
lp_crosscheck(const LpSimulation *simulation, const LpClosedFormInput *input)
{
    const LpLonelyCommunication *lonely = &simulation->lonely;
    const LpRunResult *run = &simulation->run, *uncontended = &simulation->uncontended;
    const LpRunResult *balanced = &simulation->balanced, *free = &simulation->free_messages;
    LpTerms own = lp_closed_form_terms(input);
    double closed_s = lp_terms_sum(&own);
    double measured_s = composed_s(input, lonely, lonely->pp_s);
    double message_s = measured_s - composed_s(input, lonely, 0.0);
    double hidden_message_s = balanced->overlap_s - free->overlap_s;

    LpDifference difference = {
        .iteration_fraction = (run->iteration_time_s - closed_s) / closed_s,
        .contention_s = run->iteration_time_s - uncontended->iteration_time_s,
        .imbalance_s = uncontended->iteration_time_s - balanced->iteration_time_s,
        .overlap_s = balanced->overlap_s - input->plan->overlap_fraction * lonely->dp_s,
        .communication_s = measured_s - closed_s,
        .schedule_s =
            balanced->iteration_time_s - free->iteration_time_s - message_s + hidden_message_s};
    difference.algorithm_s = difference.communication_s + difference.schedule_s;
    difference.unexplained_s = run->iteration_time_s - closed_s - difference.contention_s -
                               difference.imbalance_s - difference.algorithm_s +
                               difference.overlap_s;
    return difference;
}
