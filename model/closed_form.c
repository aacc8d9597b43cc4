/* SPDX-License-Identifier: Apache-2.0 */
/* The consistent closed form: each term one function, and their composition. */
#include "model/closed_form.h"

static double
pipeline_degree(const LpClosedFormInput *input)
{
    return input->plan->degree[LP_AXIS_PP];
}

/* A = b s h x: bytes of one micro-batch's hidden activations. */
static double
activations_bytes(const LpClosedFormInput *input)
{
    return (double)input->plan->micro_batch * input->transformer->seq * input->transformer->hidden *
           lp_plan_activation_bytes(input->plan);
}

/* Time of @block in all passes over one micro-batch, s. */
static double
block_s(const LpClosedFormInput *input, LpBlock block)
{
    double sum_s = 0.0;
    for (guint pass = 0; pass < LP_N_PASSES; pass++)
        sum_s += lp_block_time_s(input->transformer, input->plan, input->accelerator, 0, block,
                                 (LpPass)pass);
    return sum_s;
}

double
lp_closed_form_compute_s(const LpClosedFormInput *input)
{
    double layer_s = block_s(input, LP_BLOCK_ATTENTION) + block_s(input, LP_BLOCK_FFN);
    double ends_s = block_s(input, LP_BLOCK_EMBEDDING) + block_s(input, LP_BLOCK_HEAD);
    double micro_batch_s = input->transformer->n_layers * layer_s + ends_s;
    return lp_plan_n_micro_batches(input->plan) * micro_batch_s / pipeline_degree(input);
}

double
lp_closed_form_tp_collective_s(const LpClosedFormInput *input)
{
    guint32 tp = input->plan->degree[LP_AXIS_TP];
    LpFabricEdge edge =
        lp_fabric_ring_edge(input->fabric, lp_plan_stride(input->plan, LP_AXIS_TP), tp);
    return lp_fabric_edge_all_reduce_s(&edge, tp, activations_bytes(input));
}

double
lp_closed_form_tp_collectives_per_layer(const LpPlan *plan)
{
    double forward = 2.0;
    double backward = plan->sequence_parallel ? 3.0 : 2.0;
    double again = plan->recompute == LP_RECOMPUTE_FULL ? 2.0 : 0.0;
    return forward + backward + again;
}

double
lp_closed_form_tp_s(const LpClosedFormInput *input)
{
    double stage_layers = input->transformer->n_layers / pipeline_degree(input);
    return lp_closed_form_tp_collectives_per_layer(input->plan) * stage_layers *
           lp_plan_n_micro_batches(input->plan) * lp_closed_form_tp_collective_s(input);
}

double
lp_closed_form_pp_message_s(const LpClosedFormInput *input)
{
    const LpPlan *plan = input->plan;
    guint32 pp = plan->degree[LP_AXIS_PP];
    if (pp == 1)
        return 0.0;
    LpFabricEdge edge = lp_fabric_boundary_edge(input->fabric, lp_plan_n_ranks(plan),
                                                lp_plan_stride(plan, LP_AXIS_PP), pp);
    gboolean scattered = plan->scatter_gather || plan->sequence_parallel;
    double share = scattered ? plan->degree[LP_AXIS_TP] : 1.0;
    return lp_fabric_edge_message_s(&edge, activations_bytes(input) / share);
}

double
lp_closed_form_pp_s(const LpClosedFormInput *input)
{
    return 2.0 * lp_plan_n_micro_batches(input->plan) * input->plan->virtual_stages *
           lp_closed_form_pp_message_s(input);
}

double
lp_closed_form_dp_s(const LpClosedFormInput *input)
{
    const LpPlan *plan = input->plan;
    guint32 dp = plan->degree[LP_AXIS_DP];
    LpFabricEdge edge = lp_fabric_ring_edge(input->fabric, lp_plan_stride(plan, LP_AXIS_DP), dp);
    double parameters = lp_transformer_parameters(input->transformer) / plan->degree[LP_AXIS_TP] /
                        pipeline_degree(input);
    return lp_fabric_edge_all_reduce_s(&edge, dp, parameters * plan->gradient_bytes);
}

static double
bubble_s(const LpClosedFormInput *input, double compute_s, double tp_s, double pp_s)
{
    double stages = pipeline_degree(input);
    if (stages < 2.0)
        return 0.0;
    double chunks = (double)lp_plan_n_micro_batches(input->plan) * input->plan->virtual_stages;
    return ((stages - 1.0) * (compute_s + tp_s) + (stages - 2.0) * pp_s) / chunks;
}

double
lp_closed_form_bubble_s(const LpClosedFormInput *input)
{
    return bubble_s(input, lp_closed_form_compute_s(input), lp_closed_form_tp_s(input),
                    lp_closed_form_pp_s(input));
}

double
lp_closed_form_optimizer_s(const LpClosedFormInput *input)
{
    guint32 pp = input->plan->degree[LP_AXIS_PP];
    double sum_s = 0.0;
    for (guint32 stage = 0; stage < pp; stage++)
        sum_s += lp_optimizer_time_s(input->transformer, input->plan, input->accelerator, stage);
    return sum_s / pp;
}

LpTerms
lp_closed_form_terms(const LpClosedFormInput *input)
{
    LpClosedFormCommunication communication = {
        .tp_s = lp_closed_form_tp_s(input),
        .pp_s = lp_closed_form_pp_s(input),
        .dp_s = lp_closed_form_dp_s(input),
    };
    return lp_closed_form_compose(input, &communication);
}

LpTerms
lp_closed_form_compose(const LpClosedFormInput *input,
                       const LpClosedFormCommunication *communication)
{
    double compute_s = lp_closed_form_compute_s(input);
    return (LpTerms){
        .s = {
            [LP_TERM_COMPUTE] = compute_s,
            [LP_TERM_TP] = communication->tp_s,
            [LP_TERM_PP] = communication->pp_s,
            [LP_TERM_DP] = (1.0 - input->plan->overlap_fraction) * communication->dp_s,
            [LP_TERM_BUBBLE] = bubble_s(input, compute_s, communication->tp_s, communication->pp_s),
            [LP_TERM_OPTIMIZER] = lp_closed_form_optimizer_s(input),
        }};
}
