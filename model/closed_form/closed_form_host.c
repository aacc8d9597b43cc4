/* SPDX-License-Identifier: Apache-2.0 */
/* T_host: what the device waits for its host. */
#include "model/closed_form/closed_form_waiting.h"
#include "model/closed_form/closed_form_counts.h"

#include <math.h>

/* The host's time for a micro-batch's kernels in @pass, on the mean stage. */
static double
kernels_s(const LpClosedFormInput *input, LpPass pass)
{
    return lp_closed_form_pass_work(input, pass).host_s / degree(input, LP_AXIS_PP);
}

/* The time that the device waits for the host in a micro-batch's passes, beyond what the host has
 * waited, on the mean stage. */
static double
idle_s(const LpClosedFormInput *input)
{
    double sum_s = 0.0;
    for (LpPass pass = 0; pass < LP_N_PASSES; pass++)
        sum_s += lp_closed_form_pass_work(input, pass).idle_s;
    return sum_s / degree(input, LP_AXIS_PP);
}

/* The host's time for a micro-batch's collectives and messages, on the mean stage. */
static double
collectives_s(const LpClosedFormInput *input)
{
    double layers = lp_transformer_n_layers(input->transformer) / degree(input, LP_AXIS_PP);
    double n = 0.0;
    if (degree(input, LP_AXIS_TP) > 1.0)
        n += layers * (input->plan->sequence_parallel ? 2.0 : 1.0) *
             lp_closed_form_tp_collectives_per_layer(input->transformer, input->plan);
    if (degree(input, LP_AXIS_CP) > 1.0)
        n += 4.0 * layers;
    if (degree(input, LP_AXIS_EP) > 1.0)
        n += 4.0 * lp_transformer_n_expert_layers(input->transformer) / degree(input, LP_AXIS_PP);
    if (degree(input, LP_AXIS_PP) > 1.0)
        n += 4.0 * input->plan->pipeline.virtual_stages;
    return n * lp_collective_host_s(input->plan, input->accelerator);
}

/* Micro-batches that a stage works on, and those that it waits for while the pipeline fills and
 * drains. */
static double
n_runs(const LpClosedFormInput *input)
{
    return n_micro_batches(input) +
           (degree(input, LP_AXIS_PP) - 1.0) / input->plan->pipeline.virtual_stages;
}

/* The host's time for the optimiser's step beyond the device's. */
static double
step_lag_s(const LpClosedFormInput *input)
{
    return lp_closed_form_optimizer_host_s(input) - lp_closed_form_optimizer_s(input);
}

/* A host that runs ahead is late for the whole iteration or not at all; where it is ahead, it has
 * begun the optimiser's step before the device. */
static double
free_host_s(const LpClosedFormInput *input, double busy_s)
{
    double sum_s = collectives_s(input);
    for (LpPass pass = 0; pass < LP_N_PASSES; pass++)
        sum_s += kernels_s(input, pass);
    LpWork checks = lp_closed_form_checks_work(input);
    double m = n_micro_batches(input), lag_s = m * sum_s + checks.issue_s - busy_s;
    return fmax(fmax(m * idle_s(input) + checks.idle_s, lag_s), lag_s + step_lag_s(input));
}

/* The host's term if the host waits for the device at every pass or message: it is late for each
 * pass by itself, those that fill and drain the pipeline among them. */
static double
bound_host_s(const LpClosedFormInput *input, double inner_s, double pp_s)
{
    double m = n_micro_batches(input), passes = n_passes(input);
    double issuing_s = collectives_s(input);
    double communication_s = (inner_s + pp_s) / m;
    double forward_s = kernels_s(input, LP_PASS_FORWARD) + issuing_s / passes -
                       lp_closed_form_pass_s(input, LP_PASS_FORWARD) / m - communication_s / passes;
    double rest = (passes - 1.0) / passes;
    double backward_s = (issuing_s - communication_s) * rest;
    for (LpPass pass = LP_PASS_FORWARD + 1; pass < LP_N_PASSES; pass++)
        backward_s += kernels_s(input, pass) - lp_closed_form_pass_s(input, pass) / m;
    return n_runs(input) * (fmax(0.0, forward_s) + fmax(0.0, backward_s)) +
           lp_closed_form_checks_work(input).idle_s + fmax(0.0, step_lag_s(input));
}

/* The host's term if the host is synchronous: it adds all of its work to each micro-batch that is
 * waited for. */
static double
turns_host_s(const LpClosedFormInput *input)
{
    double sum_s = collectives_s(input);
    for (LpPass pass = 0; pass < LP_N_PASSES; pass++)
        sum_s += lp_closed_form_pass_work(input, pass).issue_s / degree(input, LP_AXIS_PP);
    return n_runs(input) * sum_s + lp_closed_form_checks_work(input).issue_s +
           lp_closed_form_optimizer_host_s(input);
}

double
lp_closed_form_host_of(const LpClosedFormInput *input, double compute_s, double inner_s,
                       double pp_s)
{
    LpHostSync sync = input->plan->traits[LP_TRAIT_HOST_SYNC];
    if (sync == LP_HOST_SYNC_KERNELS)
        return turns_host_s(input);
    gboolean waits = sync == LP_HOST_SYNC_PASSES ||
                     (sync == LP_HOST_SYNC_MESSAGES && degree(input, LP_AXIS_PP) > 1.0);
    return waits ? bound_host_s(input, inner_s, pp_s)
                 : free_host_s(input, compute_s + inner_s + pp_s);
}
