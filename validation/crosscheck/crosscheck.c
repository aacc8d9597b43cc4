/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the difference between simulation and closed form. */
#include "validation/crosscheck/crosscheck.h"

#include <math.h>

/* The relative rounding error of an iteration: sums of thousands of times in double precision. */
#define ROUNDING 1e-12

static LpTerms
composed(const LpClosedFormInput *input, const LpIsolatedCommunication *isolated, double pp_s)
{
    LpClosedFormCommunication communication = {.tp_s = isolated->tp_s,
                                               .pp_s = pp_s,
                                               .dp_s = isolated->dp_s,
                                               .ep_s = isolated->ep_s,
                                               .cp_s = isolated->cp_s};
    return lp_closed_form_compose(input, &communication);
}

static LpTerm
differs_most(const LpClosedFormInput *input, const LpIsolatedCommunication *isolated)
{
    const struct {
        LpTerm term;
        double less_s;
    } classes[] = {
        {LP_TERM_TP, isolated->tp_s - lp_closed_form_tp_s(input)},
        {LP_TERM_PP, isolated->pp_s - lp_closed_form_pp_s(input)},
        {LP_TERM_DP, isolated->dp_s - lp_closed_form_dp_s(input)},
        {LP_TERM_EP, isolated->ep_s - lp_closed_form_ep_s(input)},
        {LP_TERM_CP, isolated->cp_s - lp_closed_form_cp_s(input)},
    };
    guint most = 0;
    for (guint i = 1; i < G_N_ELEMENTS(classes); i++)
        if (fabs(classes[i].less_s) > fabs(classes[most].less_s))
            most = i;
    return classes[most].term;
}

/* Communication that the closed form leaves out, since it takes it as hidden. */
static double
taken_as_hidden_s(const LpClosedFormInput *input, const LpIsolatedCommunication *isolated)
{
    return input->plan->overlap.fraction * isolated->dp_s +
           lp_closed_form_cp_hidden_s(input, isolated->cp_s) +
           lp_closed_form_ep_hidden_s(input, isolated->ep_s);
}

/* What the form counts of contention, where links above ports are narrow or circuits of a hybrid
 * are not up, and takes as hidden besides taken_as_hidden_s(). */
static void
take_off(LpDifference *difference, double run_s, const LpClosedFormInput *input, double plain_s)
{
    LpTerms unhidden = lp_closed_form_unhidden_terms(input), own = lp_closed_form_terms(input);
    double unhidden_s = lp_terms_sum(&unhidden), own_s = lp_terms_sum(&own);
    difference->closed_form_contention_s += unhidden_s - plain_s;
    difference->overlap_s -= unhidden_s - own_s;
    difference->iteration_fraction = (run_s - own_s) / own_s;
}

/* Gradients are checked before each bucket is sent: how many there are is a matter of how they are
 * communicated, and the form counts them by their bytes alone. */
static double
more_checks_s(const LpIsolatedCommunication *isolated, const LpTerms *own)
{
    return isolated->computing_s - own->s[LP_TERM_COMPUTE] - own->s[LP_TERM_OPTIMIZER];
}

/* Communication that @run hides, with the mean stage's collectives inside layers: those of its path
 * are a stage's, since a run cannot balance them. */
static double
hidden_s(const LpRunResult *run, const LpIsolatedCommunication *isolated)
{
    return run->overlap_s - run->inner_s + isolated->inner_s;
}

/* What is left of times that cancel is no time. */
static void
clear_rounding(LpDifference *self, double run_s)
{
    double *parts[] = {&self->contention_s,    &self->closed_form_contention_s,
                       &self->overlap_s,       &self->algorithm_s,
                       &self->communication_s, &self->schedule_s,
                       &self->imbalance_s,     &self->slowdown_s,
                       &self->host_s,          &self->unexplained_s};
    for (guint i = 0; i < G_N_ELEMENTS(parts); i++)
        if (fabs(*parts[i]) < ROUNDING * run_s)
            *parts[i] = 0.0;
}

/* All parts are worked out against the form that sees neither narrow links, nor what goes beside a
 * hybrid's circuits until they are up, nor what is hidden: isolated times are as blind. */
LpDifference
lp_crosscheck(const LpSimulation *simulation, const LpClosedFormInput *seeing)
{
    LpFabric wide = lp_fabric_widened(seeing->fabric);
    if (wide.circuits.packet_network.is_present)
        wide.circuits.dead_s = 0.0;
    LpClosedFormInput blind = *seeing;
    blind.fabric = &wide;
    const LpClosedFormInput *input = &blind;
    const LpIsolatedCommunication *isolated = &simulation->isolated;
    const LpRunResult *run = &simulation->run, *uncontended = &simulation->uncontended;
    const LpRunResult *balanced = &simulation->balanced, *free = &simulation->free_messages;
    LpTerms own = lp_closed_form_unhidden_terms(input);
    LpTerms measured = composed(input, isolated, isolated->pp_s),
            still = composed(input, isolated, 0.0);
    double closed_s = lp_terms_sum(&own), measured_s = lp_terms_sum(&measured);
    /* The longer the device waits, the further its host runs ahead: the host's share of a change is
     * a part by itself. */
    double closed_host_s = own.s[LP_TERM_HOST];
    double host_change_s = measured.s[LP_TERM_HOST] - closed_host_s;
    double message_s =
        measured_s - lp_terms_sum(&still) - (measured.s[LP_TERM_HOST] - still.s[LP_TERM_HOST]);
    double hidden_message_s = hidden_s(balanced, isolated) - hidden_s(free, isolated);
    double host_message_s = balanced->terms.s[LP_TERM_HOST] - free->terms.s[LP_TERM_HOST];
    double slowed_message_s = balanced->slowed_s - free->slowed_s;

    LpDifference difference = {
        .contention_s = run->iteration_time_s - uncontended->iteration_time_s,
        .closed_form_contention_s = own.s[LP_TERM_RECONFIGURATION],
        .imbalance_s = uncontended->iteration_time_s - balanced->iteration_time_s,
        .overlap_s = hidden_s(balanced, isolated) - taken_as_hidden_s(input, isolated),
        .communication_s = measured_s - closed_s - host_change_s + more_checks_s(isolated, &own),
        .communication_term = differs_most(input, isolated),
        .schedule_s = balanced->iteration_time_s - free->iteration_time_s - message_s +
                      hidden_message_s - host_message_s - slowed_message_s +
                      free->terms.s[LP_TERM_BUBBLE] - still.s[LP_TERM_BUBBLE],
        .slowdown_s = balanced->slowed_s,
        .host_s = balanced->terms.s[LP_TERM_HOST] - closed_host_s};
    difference.algorithm_s = difference.communication_s + difference.schedule_s;
    difference.unexplained_s = run->iteration_time_s - closed_s - difference.contention_s +
                               difference.closed_form_contention_s - difference.imbalance_s -
                               difference.algorithm_s - difference.slowdown_s - difference.host_s +
                               difference.overlap_s;
    take_off(&difference, run->iteration_time_s, seeing, closed_s);
    clear_rounding(&difference, run->iteration_time_s);
    return difference;
}
