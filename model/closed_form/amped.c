/* SPDX-License-Identifier: Apache-2.0 */
/* AMPeD's closed form with its published code's defects repaired; symbols as in the paper. */
#include "model/closed_form/amped.h"

#include "model/plan/group.h"
#include "model/memory/memory.h"

#include <math.h>

/* --- counts of the mean layer --- */

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

/* Weights of attention: 4 d^2. */
static double
attention_weights(const LpTransformer *transformer)
{
    double d = transformer->hidden;
    return n_attention_matrices(transformer) * d * d;
}

/* The decoder's, and modules of multi-token prediction, are layers, too. */
static double
n_layers(const LpTransformer *transformer)
{
    return lp_transformer_n_layers(transformer);
}

/* Inner width of the mean layer, where one with experts is as wide as @n_experts of them. */
static double
ffn_width(const LpTransformer *transformer, double n_experts)
{
    double expert_layers = lp_transformer_n_expert_layers(transformer);
    double layers = n_layers(transformer);
    double dense = (layers - expert_layers) * transformer->ffn;
    if (expert_layers <= 0.0)
        return dense / layers;
    return (dense + expert_layers * n_experts * lp_transformer_expert_ffn(transformer)) / layers;
}

/* The inner width that a token passes: that of the shared experts and of the experts to which it is
 * routed. */
static double
active_width(const LpTransformer *transformer)
{
    return ffn_width(transformer,
                     transformer->experts.n_shared + lp_transformer_expert_slots(transformer));
}

/* Weights of a feed-forward network: 2 d d_ff. */
static double
ffn_weights(const LpTransformer *transformer, double width)
{
    return n_ffn_matrices(transformer) * transformer->hidden * width;
}

double
lp_amped_layer_mac(const LpTransformer *transformer, const LpPlan *plan)
{
    double tokens = (double)plan->batch.global * transformer->seq;
    double weights =
        attention_weights(transformer) + ffn_weights(transformer, active_width(transformer));
    return tokens * weights + 2.0 * tokens * transformer->seq * transformer->hidden;
}

double
lp_amped_layer_nonlinear(const LpTransformer *transformer, const LpPlan *plan)
{
    double tokens = (double)plan->batch.global * transformer->seq;
    double softmax = (double)transformer->n_heads * transformer->seq;
    double norms = 2.0 * transformer->hidden;
    double residuals = 2.0 * transformer->hidden;
    double activation = (n_ffn_matrices(transformer) - 1.0) * active_width(transformer);
    return tokens * (softmax + norms + residuals + activation);
}

/* Parameters of the routed experts of the mean layer, which expert parallelism divides. */
static double
layer_expert_parameters(const LpTransformer *transformer)
{
    double shared = ffn_width(transformer, transformer->experts.n_shared);
    double all =
        ffn_width(transformer, (double)transformer->experts.n_shared + transformer->experts.n);
    return ffn_weights(transformer, all - shared);
}

double
lp_amped_layer_parameters(const LpTransformer *transformer)
{
    double d = transformer->hidden;
    double vocab = transformer->embedding ? transformer->vocab : 0.0;
    double dense = ffn_weights(transformer, ffn_width(transformer, transformer->experts.n_shared));
    return attention_weights(transformer) + dense + layer_expert_parameters(transformer) + 4.0 * d +
           vocab * d / n_layers(transformer);
}

/* --- compute --- */

/* AMPeD's efficiency of products: the constant, and the largest value of its curve. */
#define EFFICIENCY 0.51
#define EFFICIENCY_MAX 0.91

double
lp_amped_efficiency(const LpPlan *plan, const LpAccelerator *accelerator)
{
    if (plan->amped_efficiency == LP_AMPED_EFFICIENCY_CONSTANT)
        return accelerator->gemm_efficiency;
    double half = EFFICIENCY_MAX / EFFICIENCY - 1.0; /* micro-batch of half of the most */
    return EFFICIENCY_MAX * plan->batch.micro / (plan->batch.micro + half);
}

double
lp_amped_mac_s(const LpPlan *plan, const LpAccelerator *accelerator)
{
    return 2.0 / (lp_accelerator_peak_flop_per_s(accelerator, plan->format.precision) *
                  lp_amped_efficiency(plan, accelerator));
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
    return n_layers(input->transformer) * layer_s / (double)lp_plan_n_ranks(input->plan);
}

/* C_MAC MAC of one layer. */
static double
layer_products_s(const LpClosedFormInput *input)
{
    return lp_amped_mac_s(input->plan, input->accelerator) *
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

/* The share of the layers that are recomputed whole. */
static double
recomputed_share(const LpClosedFormInput *input)
{
    return input->plan->recompute == LP_RECOMPUTE_FULL
               ? lp_plan_recomputed_share(input->plan, input->transformer)
               : 0.0;
}

double
lp_amped_recompute_s(const LpClosedFormInput *input)
{
    return recomputed_share(input) * lp_amped_forward_s(input);
}

/* --- communication --- */

/* The place of a group of ranks: its members in a domain, and its domains, with packed placement
 * and evenly spaced members of rank 0's group. */
typedef struct {
    guint64 n, n_intra, n_inter;
    LpFabricConnection intra, inter;
} Spread;

static Spread
spread(const LpClosedFormInput *input, guint64 stride, guint64 n)
{
    guint64 fit = (input->fabric->domain_size + stride - 1) / stride;
    Spread group = {.n = n, .n_intra = MIN(fit, n)};
    group.n_inter = (n + group.n_intra - 1) / group.n_intra;
    group.intra = lp_fabric_ring_connection(input->fabric, stride, group.n_intra);
    group.inter = lp_fabric_ring_connection(input->fabric, stride * group.n_intra, group.n_inter);
    return group;
}

static Spread
axis_spread(const LpClosedFormInput *input, LpAxis axis)
{
    return spread(input, lp_plan_stride(input->plan, axis), input->plan->degree[axis]);
}

static Spread
group_spread(const LpClosedFormInput *input, LpGroup group)
{
    guint64 n = lp_group_size(input->transformer, input->plan, group);
    guint64 first = lp_group_member(input->transformer, input->plan, group, 0, 0);
    guint64 second =
        n > 1 ? lp_group_member(input->transformer, input->plan, group, 0, 1) : first + 1;
    return spread(input, second > first ? second - first : first - second, n);
}

/* Intra ring, then inter ring: the n_i members of a domain reduce among themselves; then each
 * reduces its share V / n_i with its likes in the n_x domains, all ports at once. */
static double
hierarchical_all_reduce_s(const Spread *group, double size_bytes)
{
    return lp_fabric_connection_all_reduce_s(&group->intra, group->n_intra, size_bytes) +
           lp_fabric_connection_all_reduce_s(&group->inter, group->n_inter,
                                             size_bytes / (double)group->n_intra);
}

/* An all-to-all of @size_bytes on each member: a message of 1/n to each of the others, in its
 * domain and in others, one after the other. */
static double
exchange_s(const Spread *group, double size_bytes)
{
    if (group->n < 2)
        return 0.0;
    double message_bytes = size_bytes / (double)group->n;
    double n_intra = (double)group->n_intra - 1.0, n_inter = (double)(group->n - group->n_intra);
    double sum_s = 0.0;
    if (n_intra > 0.0)
        sum_s += n_intra * lp_fabric_connection_message_s(&group->intra, message_bytes);
    if (n_inter > 0.0)
        sum_s += n_inter * lp_fabric_connection_message_s(&group->inter, message_bytes);
    return sum_s;
}

/* Bytes of one micro-batch's activations: b S d S_act. */
static double
activations_bytes(const LpClosedFormInput *input)
{
    return (double)input->plan->batch.micro * input->transformer->seq * input->transformer->hidden *
           lp_plan_activation_bytes(input->plan);
}

/* Passes through each layer: forward, backward, and again where all is recomputed. */
static double
n_passes(const LpClosedFormInput *input)
{
    return 2.0 + recomputed_share(input);
}

double
lp_amped_tp_s(const LpClosedFormInput *input)
{
    Spread group = axis_spread(input, LP_AXIS_TP);
    double stage_layers = n_layers(input->transformer) / input->plan->degree[LP_AXIS_PP];
    return 2.0 * n_passes(input) * stage_layers * lp_plan_n_micro_batches(input->plan) *
           hierarchical_all_reduce_s(&group, activations_bytes(input));
}

double
lp_amped_moe_s(const LpClosedFormInput *input)
{
    double layers = lp_transformer_n_expert_layers(input->transformer);
    if (layers <= 0.0)
        return 0.0;
    Spread group = group_spread(input, LP_GROUP_EP);
    double slots_bytes = lp_transformer_expert_slots(input->transformer) * activations_bytes(input);
    return 2.0 * n_passes(input) * layers / input->plan->degree[LP_AXIS_PP] *
           lp_plan_n_micro_batches(input->plan) * exchange_s(&group, slots_bytes);
}

/* The slowest connections between neighbouring stages within a domain and between domains; a rate
 * without end where there is none. */
static void
find_boundaries(const LpClosedFormInput *input, LpFabricConnection *out_intra,
                LpFabricConnection *out_inter)
{
    const LpPlan *plan = input->plan;
    guint64 stride = lp_plan_stride(plan, LP_AXIS_PP), n = lp_plan_n_ranks(plan);
    guint64 pp = plan->degree[LP_AXIS_PP], size = input->fabric->domain_size;
    *out_intra = *out_inter = (LpFabricConnection){0.0, INFINITY};
    for (guint64 rank = 0; rank < n; rank++) {
        if (rank / stride % pp == pp - 1)
            continue;
        LpFabricConnection *slowest = rank / size == (rank + stride) / size ? out_intra : out_inter;
        *slowest = lp_fabric_connection_slower(
            *slowest, lp_fabric_connection(input->fabric, rank, rank + stride));
    }
}

double
lp_amped_pp_s(const LpClosedFormInput *input)
{
    const LpPlan *plan = input->plan;
    if (plan->degree[LP_AXIS_PP] == 1)
        return 0.0;
    LpFabricConnection intra, inter;
    find_boundaries(input, &intra, &inter);
    double bytes = activations_bytes(input);
    return 2.0 * lp_plan_n_micro_batches(plan) *
           fmax(lp_fabric_connection_message_s(&intra, bytes),
                lp_fabric_connection_message_s(&inter, bytes));
}

/* Parameters of a layer on one rank, those of experts apart. */
static LpParameters
rank_layer_parameters(const LpClosedFormInput *input)
{
    const LpPlan *plan = input->plan;
    double experts = layer_expert_parameters(input->transformer);
    double dense = lp_amped_layer_parameters(input->transformer) - experts;
    return (LpParameters){dense / plan->degree[LP_AXIS_TP],
                          experts / ((double)plan->degree[LP_AXIS_EP] * lp_plan_expert_tp(plan))};
}

double
lp_amped_gradient_s(const LpClosedFormInput *input)
{
    const LpPlan *plan = input->plan;
    LpParameters layer = rank_layer_parameters(input);
    double bytes =
        n_layers(input->transformer) / plan->degree[LP_AXIS_PP] * plan->format.gradient_bytes;
    Spread replicas = axis_spread(input, LP_AXIS_DP);
    double dense_s = hierarchical_all_reduce_s(&replicas, layer.dense * bytes);
    if (layer.experts <= 0.0)
        return dense_s;
    Spread copies = group_spread(input, LP_GROUP_EXPERT_DP);
    return dense_s + hierarchical_all_reduce_s(&copies, layer.experts * bytes);
}

double
lp_amped_bubble_s(const LpClosedFormInput *input)
{
    double per_stage_s = lp_amped_forward_s(input) + lp_amped_recompute_s(input) +
                         lp_amped_backward_s(input) + lp_amped_tp_s(input) + lp_amped_moe_s(input) +
                         lp_amped_pp_s(input);
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
                         [LP_TERM_EP] = lp_amped_moe_s(input),
                         [LP_TERM_PP] = lp_amped_pp_s(input),
                         [LP_TERM_DP] = lp_amped_gradient_s(input),
                         [LP_TERM_BUBBLE] = lp_amped_bubble_s(input),
                     }};
}

/* --- memory --- */

/* Moments of Adam, and the weight. */
#define N_OPTIMIZER_STATES 3.0
#define OPTIMIZER_BYTES 4.0

double
lp_amped_states_bytes(const LpTransformer *transformer, const LpPlan *plan)
{
    double parameters = n_layers(transformer) * lp_amped_layer_parameters(transformer);
    double bytes = lp_plan_activation_bytes(plan) + plan->format.gradient_bytes +
                   N_OPTIMIZER_STATES * OPTIMIZER_BYTES;
    return bytes * parameters / (double)lp_plan_n_ranks(plan);
}

double
lp_amped_memory_bytes(const LpTransformer *transformer, const LpPlan *plan)
{
    LpMemory memory = lp_memory_fullest(transformer, plan);
    return lp_amped_states_bytes(transformer, plan) + memory.activations_bytes;
}
