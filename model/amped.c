/* SPDX-License-Identifier: Apache-2.0 */
/* AMPeD's closed form with its published code's defects repaired; symbols as in the paper. */
#include "model/amped.h"

/* --- counts of one layer --- */

/* Matrices of d d_ff in the feed-forward network. */
static double
n_ffn_matrices(const LpTransformer *transformer)
{
    return transformer->ffn_kind == LP_FFN_SWIGLU ? 3.0 : 2.0;
}

/* Matrices of d^2 in attention: four with as many key-value heads as heads. */
static double
n_attention_matrices(const LpTransformer *transformer)
{
    return 2.0 + 2.0 * transformer->n_kv_heads / transformer->n_heads;
}

/* Weights of a layer's matrices: 4 d^2 + 2 d d_ff. */
static double
layer_weights(const LpTransformer *transformer)
{
    double d = transformer->hidden;
    return n_attention_matrices(transformer) * d * d +
           n_ffn_matrices(transformer) * d * transformer->ffn;
}

double
lp_amped_layer_mac(const LpTransformer *transformer, const LpPlan *plan)
{
    double tokens = (double)plan->batch.global * transformer->seq;
    return tokens * layer_weights(transformer) +
           2.0 * tokens * transformer->seq * transformer->hidden;
}

double
lp_amped_layer_nonlinear(const LpTransformer *transformer, const LpPlan *plan)
{
    double tokens = (double)plan->batch.global * transformer->seq;
    double softmax = (double)transformer->n_heads * transformer->seq;
    double norms = 2.0 * transformer->hidden;
    double residuals = 2.0 * transformer->hidden;
    double activation = (n_ffn_matrices(transformer) - 1.0) * transformer->ffn;
    return tokens * (softmax + norms + residuals + activation);
}

double
lp_amped_layer_parameters(const LpTransformer *transformer)
{
    double d = transformer->hidden;
    double vocab = transformer->embedding ? transformer->vocab : 0.0;
    return layer_weights(transformer) + 4.0 * d + vocab * d / transformer->n_layers;
}

/* --- compute --- */

double
lp_amped_mac_s(const LpAccelerator *accelerator, LpPrecision precision)
{
    return 2.0 /
           (lp_accelerator_peak_flop_per_s(accelerator, precision) * accelerator->gemm_efficiency);
}

/* An accelerator that names no vector rate runs them at its lowest. */
double
lp_amped_nonlinear_s(const LpAccelerator *accelerator)
{
    double peak = lp_accelerator_peak_flop_per_s(accelerator, LP_PRECISION_FP32);
    for (LpPrecision precision = 0; peak <= 0.0 && precision < LP_N_PRECISIONS; precision++)
        peak = accelerator->peak_flop_per_s[precision];
    return 1.0 / peak;
}

/* A layer's time over the global batch on one accelerator, times the layers, over N. */
static double
of_all_layers_s(const LpClosedFormInput *input, double layer_s)
{
    return input->transformer->n_layers * layer_s / (double)lp_plan_n_ranks(input->plan);
}

/* C_MAC MAC of one layer. */
static double
layer_products_s(const LpClosedFormInput *input)
{
    return lp_amped_mac_s(input->accelerator, input->plan->format.precision) *
           lp_amped_layer_mac(input->transformer, input->plan);
}

/* U_f = C_MAC MAC + C_nl NL of one layer. */
static double
layer_forward_s(const LpClosedFormInput *input)
{
    return layer_products_s(input) + lp_amped_nonlinear_s(input->accelerator) *
                                         lp_amped_layer_nonlinear(input->transformer, input->plan);
}

double
lp_amped_forward_s(const LpClosedFormInput *input)
{
    return of_all_layers_s(input, layer_forward_s(input));
}

/* The gradient of the activations takes the operations of the forward pass. */
double
lp_amped_backward_s(const LpClosedFormInput *input)
{
    return of_all_layers_s(input, layer_forward_s(input));
}

double
lp_amped_weight_s(const LpClosedFormInput *input)
{
    return of_all_layers_s(input, layer_products_s(input));
}

double
lp_amped_recompute_s(const LpClosedFormInput *input)
{
    return input->plan->recompute == LP_RECOMPUTE_FULL ? lp_amped_forward_s(input) : 0.0;
}

/* --- communication --- */

/* Members of an axis' group that stand in one domain; packed placement, rank 0's group. */
static guint64
members_in_domain(const LpClosedFormInput *input, LpAxis axis)
{
    guint64 stride = lp_plan_stride(input->plan, axis);
    guint64 fit = (input->fabric->domain_size + stride - 1) / stride;
    return MIN(fit, input->plan->degree[axis]);
}

/* Intra ring, then inter ring: the n_i members of a domain reduce among themselves; then each
 * reduces its share V / n_i with its likes in the n_x domains, all ports at once. */
static double
hierarchical_all_reduce_s(const LpClosedFormInput *input, LpAxis axis, double size_bytes)
{
    guint64 stride = lp_plan_stride(input->plan, axis);
    guint64 n_intra = members_in_domain(input, axis);
    guint64 n_inter = (input->plan->degree[axis] + n_intra - 1) / n_intra;
    LpFabricConnection intra = lp_fabric_ring_connection(input->fabric, stride, n_intra);
    LpFabricConnection inter = lp_fabric_ring_connection(input->fabric, stride * n_intra, n_inter);
    return lp_fabric_connection_all_reduce_s(&intra, n_intra, size_bytes) +
           lp_fabric_connection_all_reduce_s(&inter, n_inter, size_bytes / (double)n_intra);
}

/* Bytes of one micro-batch's activations: b S d S_act. */
static double
activations_bytes(const LpClosedFormInput *input)
{
    return (double)input->plan->batch.micro * input->transformer->seq * input->transformer->hidden *
           lp_plan_activation_bytes(input->plan);
}

double
lp_amped_tp_s(const LpClosedFormInput *input)
{
    double passes = input->plan->recompute == LP_RECOMPUTE_FULL ? 3.0 : 2.0;
    double stage_layers = (double)input->transformer->n_layers / input->plan->degree[LP_AXIS_PP];
    return 2.0 * passes * stage_layers * lp_plan_n_micro_batches(input->plan) *
           hierarchical_all_reduce_s(input, LP_AXIS_TP, activations_bytes(input));
}

double
lp_amped_pp_s(const LpClosedFormInput *input)
{
    const LpPlan *plan = input->plan;
    guint32 pp = plan->degree[LP_AXIS_PP];
    if (pp == 1)
        return 0.0;
    LpFabricConnection connection = lp_fabric_boundary_connection(
        input->fabric, lp_plan_n_ranks(plan), lp_plan_stride(plan, LP_AXIS_PP), pp);
    return 2.0 * lp_plan_n_micro_batches(plan) *
           lp_fabric_connection_message_s(&connection, activations_bytes(input));
}

double
lp_amped_gradient_s(const LpClosedFormInput *input)
{
    const LpPlan *plan = input->plan;
    double parameters = input->transformer->n_layers *
                        lp_amped_layer_parameters(input->transformer) / plan->degree[LP_AXIS_TP] /
                        plan->degree[LP_AXIS_PP];
    return hierarchical_all_reduce_s(input, LP_AXIS_DP, parameters * plan->format.gradient_bytes);
}

double
lp_amped_bubble_s(const LpClosedFormInput *input)
{
    double per_stage_s = lp_amped_forward_s(input) + lp_amped_recompute_s(input) +
                         lp_amped_backward_s(input) + lp_amped_tp_s(input) + lp_amped_pp_s(input);
    return (input->plan->degree[LP_AXIS_PP] - 1.0) * per_stage_s /
           lp_plan_n_micro_batches(input->plan);
}

LpTerms
lp_amped_terms(const LpClosedFormInput *input)
{
    return (LpTerms){.s = {
                         [LP_TERM_COMPUTE] = lp_amped_forward_s(input) +
                                             lp_amped_recompute_s(input) +
                                             lp_amped_backward_s(input) + lp_amped_weight_s(input),
                         [LP_TERM_TP] = lp_amped_tp_s(input),
                         [LP_TERM_PP] = lp_amped_pp_s(input),
                         [LP_TERM_DP] = lp_amped_gradient_s(input),
                         [LP_TERM_BUBBLE] = lp_amped_bubble_s(input),
                     }};
}
