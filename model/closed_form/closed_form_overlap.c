/* SPDX-License-Identifier: Apache-2.0 */
/* The communication that a plan hides behind computing: data parallelism, messages. */
#include "model/closed_form/closed_form_waiting.h"
#include "model/closed_form/closed_form_counts.h"
#include "model/times/layer_tensors.h"

#include <math.h>

/* A micro-batch's passes through the mean stage, s, with the communication that they wait for. */
typedef struct {
    double forward_s, backward_s;
} Passes;

static Passes
passes(const LpClosedFormInput *input, double inner_s)
{
    double m = n_micro_batches(input), forward = 1.0 / n_passes(input);
    double forward_s = lp_closed_form_pass_s(input, LP_PASS_FORWARD);
    return (Passes){(forward_s + forward * inner_s) / m,
                    (lp_closed_form_compute_s(input) - forward_s + (1.0 - forward) * inner_s) / m};
}

/* @n steps of @compute_s together, and @comm_s of communication in as many pieces, each of which is
 * under way while the step before, or behind, it computes; @ends pieces have none. */
static double
exposed_s(double comm_s, double compute_s, double n, double ends)
{
    double piece_s = comm_s / n;
    return ends * piece_s + (n - ends) * fmax(piece_s - compute_s / n, 0.0);
}

/* --- ZeRO 3: unit by unit --- */

/* A unit's parameters are fetched while the one before it computes, and its gradients are summed
 * while the next one does, all in one stream. */
static double
sharded_pass_s(const LpPlan *plan, LpClosedFormDp dp, double gather_s, double sum_s,
               double compute_s)
{
    gboolean ahead =
        lp_plan_gathers_tensors(plan) ? plan->zero.live_parameters > 0.0 : plan->zero.prefetch > 0;
    gboolean fetches = plan->overlap.param && ahead;
    double hidden_gather_s = fetches ? gather_s : 0.0;
    /* A gather that is waited for stands in the stream behind the sum before it. */
    double hidden_sum_s = fetches || gather_s <= 0.0 ? dp.launched * sum_s : 0.0;
    double behind_s = (hidden_gather_s + hidden_sum_s) / dp.n_units;
    double ends_s = behind_s; /* the first gather and the last sum */
    double late_s = fmax(behind_s - compute_s / dp.n_units, 0.0);
    return gather_s - hidden_gather_s + sum_s - hidden_sum_s + ends_s +
           fmax(dp.n_units - 1.0, 0.0) * late_s;
}

static double
sharded_exposed_s(const LpClosedFormInput *input, LpClosedFormDp dp, Passes pass)
{
    const LpPlan *plan = input->plan;
    double backward = dp.n_back_gathers, forward = dp.n_gathers, sums = dp.n_sums;
    double exposed = forward * sharded_pass_s(plan, dp, dp.gather_s, 0.0, pass.forward_s);
    /* A sum goes behind as many backward passes; the rest of them, if any, only gather. */
    double both = fmin(backward, sums);
    exposed += both * sharded_pass_s(plan, dp, dp.back_gather_s, dp.sum_s, pass.backward_s);
    exposed += (backward - both) * sharded_pass_s(plan, dp, dp.back_gather_s, 0.0, pass.backward_s);
    exposed += (sums - both) * sharded_pass_s(plan, dp, 0.0, dp.sum_s, pass.backward_s);
    return exposed;
}

/* --- the other stages: in buckets --- */

/* Buckets of @bytes, each closed at the end of one of @n_pieces. */
static double
n_buckets(const LpClosedFormInput *input, double n_pieces, double bytes, double element_bytes)
{
    double bucket = lp_plan_bucket_bytes(input->plan, element_bytes);
    return bucket <= 0.0 ? 1.0 : fmax(fmin(floor(bytes / bucket), n_pieces), 1.0);
}

/* Tensors of the mean stage. */
static double
n_tensors(const LpClosedFormInput *input)
{
    guint32 pp = input->plan->degree[LP_AXIS_PP];
    double n = 0.0;
    for (guint32 stage = 0; stage < pp; stage++)
        n += lp_stage_tensors(input->transformer, input->plan, stage);
    return n / pp;
}

static double
replicated_exposed_s(const LpClosedFormInput *input, LpClosedFormDp dp, Passes pass)
{
    const LpPlan *plan = input->plan;
    double sums_s = dp.n_sums * dp.sum_s, gathers_s = dp.n_gathers * dp.gather_s;
    if (plan->overlap.dp) {
        double n = n_buckets(input, n_tensors(input), dp.sum_bytes, plan->format.gradient_bytes);
        double launched_s = dp.launched * dp.sum_s;
        /* Sums of earlier micro-batches have the next one's passes beside them. */
        sums_s = dp.n_sums * (dp.sum_s - launched_s) +
                 (dp.n_sums - 1.0) * fmax(launched_s - pass.forward_s - pass.backward_s, 0.0) +
                 exposed_s(launched_s, pass.backward_s, n, 1.0);
    }
    if (plan->overlap.param) {
        double n = n_buckets(input, dp.n_units, dp.gather_bytes, lp_plan_activation_bytes(plan));
        gathers_s = dp.n_gathers * exposed_s(dp.gather_s, pass.forward_s, n, 1.0);
    }
    return sums_s + gathers_s;
}

double
lp_closed_form_dp_hidden_s(const LpClosedFormInput *input, double inner_s)
{
    const LpPlan *plan = input->plan;
    if (plan->overlap.fraction > 0.0 || (!plan->overlap.dp && !plan->overlap.param))
        return 0.0;
    LpClosedFormDp dp = lp_closed_form_dp(input);
    double all_s = dp.n_sums * dp.sum_s + lp_closed_form_gathers_s(&dp);
    Passes pass = passes(input, inner_s);
    double shown_s = plan->zero.stage == 3 ? sharded_exposed_s(input, dp, pass)
                                           : replicated_exposed_s(input, dp, pass);
    return fmax(all_s - shown_s, 0.0);
}

/* --- messages --- */

double
lp_closed_form_pp_hidden_s(const LpClosedFormInput *input, double inner_s)
{
    const LpPlan *plan = input->plan;
    double m = n_micro_batches(input), v = plan->pipeline.virtual_stages;
    if (!plan->overlap.pp || plan->degree[LP_AXIS_PP] < 2)
        return 0.0;
    double compute_s = (lp_closed_form_compute_s(input) + inner_s) / (2.0 * m * v);
    return 2.0 * (m - 1.0) * v * fmin(lp_closed_form_pp_message_s(input), compute_s);
}
