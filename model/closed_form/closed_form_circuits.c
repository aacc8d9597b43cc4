/* SPDX-License-Identifier: Apache-2.0 */
/* T_rec: waiting for circuits that classes of traffic take from each other. */
#include "model/closed_form/closed_form_waiting.h"
#include "model/closed_form/closed_form_counts.h"
#include "model/closed_form/closed_form_network.h"
#include "model/plan/group_traits.h"
#include "model/times/trained.h"

#include <math.h>

/* Whether rank 0's group of that kind reaches out of its domain. */
static gboolean
leaves(const LpClosedFormInput *input, LpGroup group)
{
    guint64 n = lp_group_size(input->transformer, input->plan, group);
    guint32 size = input->fabric->domain_size;
    if (n < 2 || !lp_group_exists(input->transformer, input->plan, group, 0))
        return FALSE;
    for (guint64 i = 0; i < n; i++) {
        guint64 member = lp_group_member(input->transformer, input->plan, group, 0, i);
        if (accelerator(input, member) / size != accelerator(input, 0) / size)
            return TRUE;
    }
    return FALSE;
}

static gboolean
pipeline_leaves(const LpClosedFormInput *input)
{
    guint64 next = lp_plan_stride(input->plan, LP_AXIS_PP);
    guint32 size = input->fabric->domain_size;
    return degree(input, LP_AXIS_PP) > 1.0 &&
           accelerator(input, next) / size != accelerator(input, 0) / size;
}

/* Whether circuits carry @traffic, all over the machine. */
static gboolean
is_over_circuits(const LpClosedFormInput *input, LpTraffic traffic)
{
    LpFabric fabric;
    return lp_closed_form_on(input, traffic, INFINITY, TRUE, &fabric).fabric == input->fabric;
}

/* Two lanes a ring, one to each neighbouring stage; TRUE where nothing but the sums of gradients
 * and messages between stages leaves the domains, and they do not find lanes side by side. */
static gboolean
take_turns(const LpClosedFormInput *input)
{
    if (!input->fabric->circuits.are_switched || !leaves(input, LP_GROUP_DP) ||
        !pipeline_leaves(input) || !is_over_circuits(input, LP_TRAFFIC_DP) ||
        !is_over_circuits(input, LP_TRAFFIC_PP))
        return FALSE;
    for (LpGroup group = LP_GROUP_TP; group < LP_GROUP_GIVEN; group++)
        if (group != LP_GROUP_DP && leaves(input, group) &&
            is_over_circuits(input, lp_group_traits(group)->traffic))
            return FALSE;
    guint32 n_neighbours = degree(input, LP_AXIS_PP) > 2.0 ? 2 : 1;
    return 2 + n_neighbours > input->fabric->circuits.n_lanes;
}

gboolean
lp_closed_form_gathers_each_pass(const LpClosedFormInput *input)
{
    return input->plan->zero.stage == 3 && !input->plan->zero.keeps_parameters;
}

/* Whether all gathers of the first pass are under way before its message comes. */
static gboolean
gathers_ahead(const LpClosedFormInput *input)
{
    double n_layers = lp_transformer_n_layers(input->transformer) / degree(input, LP_AXIS_PP);
    return input->plan->overlap.param && input->plan->zero.prefetch >= n_layers;
}

/* Whether a stage's gradient sums have more bytes than the messages of a pair of stages, and so get
 * their circuits first. */
static gboolean
sums_come_first(const LpClosedFormInput *input)
{
    const LpPlan *plan = input->plan;
    LpParameters parameters =
        lp_rank_trained(input->transformer, plan, (guint32)degree(input, LP_AXIS_PP) - 1);
    double passes = lp_plan_all_reduces_gradients(plan) ? 2.0 : 1.0;
    double sums = passes * parameters.dense * plan->format.gradient_bytes;
    if (lp_plan_shares_step(plan))
        sums += parameters.dense * lp_plan_activation_bytes(plan);
    gboolean scattered = plan->pipeline.scatter_gather || plan->sequence_parallel;
    double share = scattered ? degree(input, LP_AXIS_TP) : 1.0;
    double message = activations_bytes(input, input->transformer->seq) / share;
    return sums > 2.0 * n_micro_batches(input) * plan->pipeline.virtual_stages * message;
}

double
lp_closed_form_n_reconfigurations(const LpClosedFormInput *input)
{
    double stages = degree(input, LP_AXIS_PP), m = n_micro_batches(input);
    if (!take_turns(input))
        return 0.0;
    if (!lp_closed_form_gathers_each_pass(input))
        return 1.0 + (sums_come_first(input) ? stages - 1.0 : 0.0);
    return (gathers_ahead(input) ? 3.0 * stages - 2.0 : 4.0 * (stages - 1.0)) + 2.0 * (m - 1.0);
}

/* The part of a dead time that the mean stage's forward or backward pass of a micro-batch, or one
 * of @n_parts equal parts of it, hides. */
static double
hidden_s(const LpClosedFormInput *input, gboolean forward, double n_parts)
{
    double passes = forward ? 1.0 : n_passes(input) - 1.0;
    double pass_s = lp_closed_form_tp_s(input) * passes / n_passes(input);
    for (LpPass pass = LP_PASS_FORWARD; pass <= LP_PASS_RECOMPUTE; pass++)
        if ((pass == LP_PASS_FORWARD) == forward)
            pass_s += lp_closed_form_pass_s(input, pass);
    return MIN(pass_s / n_micro_batches(input) / n_parts, input->fabric->circuits.dead_s);
}

LpClosedFormWaits
lp_closed_form_waits(const LpClosedFormInput *input)
{
    double n = lp_closed_form_n_reconfigurations(input), stages = degree(input, LP_AXIS_PP);
    double dead_s = input->fabric->circuits.dead_s, hidden_of_all_s = 0.0;
    gboolean ahead = input->fabric->circuits.look_ahead;
    if (n <= 0.0)
        return (LpClosedFormWaits){.n_sums = 0.0};
    if (!lp_closed_form_gathers_each_pass(input))
        return (LpClosedFormWaits){.n_sums = 1.0,
                                   .sum_s = dead_s - (ahead ? hidden_s(input, FALSE, 1.0) : 0.0),
                                   .n_first = n > 1.0 ? 1.0 : 0.0,
                                   .first_s = dead_s,
                                   .n_next = fmax(n - 2.0, 0.0),
                                   .next_s = dead_s - (ahead ? hidden_s(input, TRUE, 1.0) : 0.0)};
    double n_layers = lp_transformer_n_layers(input->transformer) / stages;
    if (ahead)
        hidden_of_all_s = gathers_ahead(input)
                              ? stages * hidden_s(input, TRUE, 1.0) +
                                    (stages - 1.0) * hidden_s(input, FALSE, n_layers)
                              : (stages - 1.0) * hidden_s(input, TRUE, n_layers);
    /* A gather behind each message, and a message behind each gather. */
    double each_s = dead_s - hidden_of_all_s / n, n_sums = floor((n + 1.0) / 2.0);
    return (LpClosedFormWaits){
        .n_sums = n_sums, .sum_s = each_s, .n_first = n - n_sums, .first_s = each_s};
}

double
lp_closed_form_waiting_s(const LpClosedFormInput *input)
{
    LpClosedFormWaits waits = lp_closed_form_waits(input);
    return waits.n_sums * waits.sum_s + waits.n_first * waits.first_s + waits.n_next * waits.next_s;
}

/* The additional time of a transfer whose circuits are up after @dead_s and which uses the packet
 * network until then: it takes @packet_s on that network alone and @over_s over circuits alone. */
static double
bridged_s(double dead_s, double packet_s, double over_s)
{
    return packet_s > over_s ? fmin(dead_s, packet_s) * (1.0 - over_s / packet_s) : 0.0;
}

LpClosedFormBridging
lp_closed_form_bridging(const LpClosedFormInput *input)
{
    LpClosedFormWaits waits = lp_closed_form_waits(input);
    if (!input->fabric->circuits.packet_network.is_present || waits.n_sums <= 0.0)
        return (LpClosedFormBridging){0.0, 0.0, 0.0};
    LpFabric fabric = *input->fabric;
    fabric.circuits.packet_network.traffic = 0;
    LpClosedFormInput packet_network = *input;
    packet_network.fabric = &fabric;
    gboolean each = lp_closed_form_gathers_each_pass(input);
    LpClosedFormDp over = lp_closed_form_dp(input), other = lp_closed_form_dp(&packet_network);
    double units = each ? over.n_units : 1.0;
    double packet_s = lp_closed_form_pp_message_s(&packet_network);
    double over_s = lp_closed_form_pp_message_s(input);
    return (LpClosedFormBridging){
        .dp_s = waits.n_sums * bridged_s(waits.sum_s, (each ? other.gather_s : other.sum_s) / units,
                                         (each ? over.gather_s : over.sum_s) / units),
        .pp_s = waits.n_first * bridged_s(waits.first_s, packet_s, over_s),
        .bubble_s = waits.n_next * bridged_s(waits.next_s, packet_s, over_s)};
}
