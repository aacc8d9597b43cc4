/* SPDX-License-Identifier: Apache-2.0 */
/* T_DP: the gradients' reduction, and ZeRO's gathers of parameters. */
#include "model/closed_form/closed_form_waiting.h"
#include "model/closed_form/closed_form_collective.h"
#include "model/closed_form/closed_form_counts.h"
#include "model/times/tensor_owners.h"
#include "model/times/trained.h"

#include <math.h>

/* The mean stage's share of the sums over all layers and both ends. */
static LpParameters
mean_of(const LpClosedFormInput *input, LpParameters sum)
{
    double holders = input->plan->pipeline.schedule == LP_SCHEDULE_DUALPIPE ? 2.0 : 1.0;
    double share = holders / degree(input, LP_AXIS_PP);
    return lp_plan_pooled_parameters(input->plan,
                                     (LpParameters){sum.dense * share, sum.experts * share});
}

/* Bytes of the mean stage's parameters: so many each of its layers', and of embedding and head. */
static LpParameters
mean_bytes(const LpClosedFormInput *input, double layer_bytes, double end_bytes)
{
    const LpTransformer *shape = input->transformer;
    const LpPlan *plan = input->plan;
    LpParameters sum = {.dense = end_bytes * (lp_plan_embedding_parameters(plan, shape) +
                                              lp_plan_head_parameters(plan, shape))};
    LpLayerParameters cache = {.is_known = {FALSE}};
    for (guint32 i = 0; i < lp_transformer_n_layers(shape); i++) {
        LpParameters layer = lp_plan_known_layer_parameters(plan, shape, i, &cache);
        sum.dense += layer_bytes * layer.dense;
        sum.experts += layer_bytes * layer.experts;
    }
    return mean_of(input, sum);
}

/* Bytes of what is trained beside the mean stage's frozen weights, @bytes each. */
static LpParameters
adapters_bytes(const LpClosedFormInput *input, double bytes)
{
    LpParameters sum = lp_adapters(input->transformer, input->plan);
    sum.dense *= bytes;
    sum.experts *= bytes;
    return mean_of(input, sum);
}

/* Bytes of the mean stage's gradients. */
static LpParameters
gradients_bytes(const LpClosedFormInput *input)
{
    double bytes = input->plan->format.gradient_bytes;
    return lp_plan_freezes(input->plan) ? adapters_bytes(input, bytes)
                                        : mean_bytes(input, bytes, bytes);
}

/* Bytes of the parameters that the mean stage gathers: all, or those that the step has changed. */
static LpParameters
gathered_bytes(const LpClosedFormInput *input)
{
    const LpPlan *plan = input->plan;
    double bytes = lp_plan_activation_bytes(plan);
    LpParameters all = {0.0, 0.0}, trained = {0.0, 0.0};
    if (!lp_plan_freezes(plan) || plan->zero.stage == 3)
        all = mean_bytes(input, lp_plan_parameter_wire_bytes(plan), bytes);
    if (lp_plan_freezes(plan))
        trained = adapters_bytes(input, bytes);
    return (LpParameters){all.dense + trained.dense, all.experts + trained.experts};
}

/* Stage 3 works unit by unit: layers, the embedding, the head. */
static double
n_units(const LpClosedFormInput *input)
{
    if (lp_plan_gathers_tensors(input->plan))
        return lp_closed_form_tensor_gathers(input, FALSE).n_dense;
    double ends = input->transformer->embedding ? 2.0 : 0.0;
    return (lp_transformer_n_layers(input->transformer) + ends) / degree(input, LP_AXIS_PP);
}

/* Pieces in which the mean stage's parameters are gathered or summed, each with latencies of its
 * own. */
typedef struct {
    double dense, experts;
} Parts;

/* Stage 3 goes unit by unit; others have one piece, or @n_chunks. */
static Parts
parts(const LpClosedFormInput *input, double n_chunks)
{
    if (input->plan->zero.stage != 3)
        return (Parts){n_chunks, n_chunks};
    return (Parts){n_units(input),
                   lp_transformer_n_expert_layers(input->transformer) / degree(input, LP_AXIS_PP)};
}

/* @collective of each kind of parameters of the mean stage, @bytes together. */
static double
replicas_s(const LpClosedFormInput *input, LpCollective collective, LpParameters bytes, Parts n)
{
    double dense_s =
        n.dense * lp_closed_form_ring_s(input, LP_GROUP_DP, collective, bytes.dense / n.dense);
    if (bytes.experts <= 0.0)
        return dense_s;
    return dense_s + n.experts * lp_closed_form_ring_s(input, LP_GROUP_EXPERT_DP, collective,
                                                       bytes.experts / n.experts);
}

/* One sum of all gradients, of a micro-batch's, chunk by chunk: within sets of shards, and between
 * them. */
typedef struct {
    double within_s, between_s;
} Sum;

static Sum
sum_parts(const LpClosedFormInput *input)
{
    const LpPlan *plan = input->plan;
    Parts n = parts(input, lp_plan_reduces_each(plan) ? plan->pipeline.virtual_stages : 1.0);
    if (plan->zero.stage == 3 && lp_plan_freezes(plan)) /* both ends have no gradients */
        n.dense = lp_transformer_n_layers(input->transformer) / degree(input, LP_AXIS_PP);
    if (lp_plan_gathers_tensors(plan)) {
        LpClosedFormPieces pieces = lp_closed_form_tensor_sums(input);
        n = (Parts){pieces.n_dense, pieces.n_experts};
    }
    /* Sets of shards (hybrid sharding) sum their shares among each other. */
    LpParameters bytes = gradients_bytes(input);
    double set_bytes = bytes.dense / lp_plan_shard_degree(plan);
    return (Sum){.within_s =
                     replicas_s(input, sum_of(!lp_plan_all_reduces_gradients(plan)), bytes, n),
                 .between_s = n.dense * lp_closed_form_ring_s(input, LP_GROUP_REPLICA,
                                                              LP_COLLECTIVE_ALL_REDUCE,
                                                              set_bytes / n.dense)};
}

static double
sum_s(Sum sum)
{
    return sum.within_s + sum.between_s;
}

/* The share of sums that the plan launches and does not wait for. */
static double
launched(const LpPlan *plan, Sum sum)
{
    if (!plan->overlap.dp || sum_s(sum) <= 0.0)
        return 0.0;
    return plan->overlap.dp_waits ? sum.between_s / sum_s(sum) : 1.0;
}

/* Broadcasts of all parameters, one for each member with a tensor, on the mean stage. */
static double
broadcasts_s(const LpClosedFormInput *input)
{
    guint64 n = lp_group_size(input->transformer, input->plan, LP_GROUP_DP);
    double sum_s = 0.0;
    for (guint32 stage = 0; stage < input->plan->degree[LP_AXIS_PP]; stage++) {
        g_autoptr(GArray) owners = lp_tensor_owners_new(input->transformer, input->plan, stage, n);
        sum_s += lp_closed_form_broadcasts_s(input, LP_GROUP_DP, owners);
    }
    return sum_s / degree(input, LP_AXIS_PP);
}

/* One gather of all parameters. */
static double
gather_s(const LpClosedFormInput *input)
{
    if (input->plan->traits[LP_TRAIT_PARAMETER_GATHER] == LP_PARAMETER_GATHER_BROADCAST)
        return broadcasts_s(input);
    return replicas_s(input, LP_COLLECTIVE_ALL_GATHER, gathered_bytes(input), parts(input, 1.0));
}

/* The same before a pass of stage 3. */
static double
pass_gather_s(const LpClosedFormInput *input, gboolean backwards)
{
    if (!lp_plan_gathers_tensors(input->plan))
        return gather_s(input);
    LpClosedFormPieces pieces = lp_closed_form_tensor_gathers(input, backwards);
    if (pieces.n_dense + pieces.n_experts <= 0.0)
        return 0.0;
    Parts n = {fmax(pieces.n_dense, 1.0), fmax(pieces.n_experts, 1.0)};
    return replicas_s(input, LP_COLLECTIVE_ALL_GATHER, pieces.bytes, n);
}

static double
n_gathers(const LpClosedFormInput *input)
{
    const LpPlan *plan = input->plan;
    if (plan->zero.stage != 3)
        return plan->zero.stage == 0 ? 0.0 : 1.0;
    return lp_plan_keeps_parameters_throughout(plan) ? 1.0 : n_micro_batches(input);
}

static double
n_back_gathers(const LpClosedFormInput *input)
{
    const LpPlanZero *zero = &input->plan->zero;
    return zero->stage == 3 && !zero->keeps_parameters ? n_micro_batches(input) : 0.0;
}

double
lp_closed_form_gathers_s(const LpClosedFormDp *self)
{
    return self->n_gathers * self->gather_s + self->n_back_gathers * self->back_gather_s;
}

static double
pooled_bytes(LpParameters bytes)
{
    return bytes.dense + bytes.experts;
}

LpClosedFormDp
lp_closed_form_dp(const LpClosedFormInput *input)
{
    const LpPlan *plan = input->plan;
    Sum sum = sum_parts(input);
    return (LpClosedFormDp){.sum_s = sum_s(sum),
                            .gather_s = n_gathers(input) > 0.0 ? pass_gather_s(input, FALSE) : 0.0,
                            .back_gather_s =
                                n_back_gathers(input) > 0.0 ? pass_gather_s(input, TRUE) : 0.0,
                            .sum_bytes = pooled_bytes(gradients_bytes(input)),
                            .gather_bytes = pooled_bytes(gathered_bytes(input)),
                            .n_sums = lp_plan_reduces_each(plan) ? n_micro_batches(input) : 1.0,
                            .n_gathers = n_gathers(input),
                            .n_back_gathers = n_back_gathers(input),
                            .n_units = fmax(n_units(input), 1.0),
                            .launched = launched(plan, sum)};
}

/* The mean stage's sum over the tensor-parallel group of gradients of what its ranks hold whole. */
static double
whole_gradients_s(const LpClosedFormInput *input)
{
    double sum = 0.0, pp = degree(input, LP_AXIS_PP);
    for (guint32 stage = 0; stage < input->plan->degree[LP_AXIS_PP]; stage++)
        sum += lp_plan_whole_gradients(input->plan, input->transformer, stage);
    double bytes = sum / pp * input->plan->format.gradient_bytes;
    return bytes > 0.0 ? lp_closed_form_ring_s(input, LP_GROUP_TP, LP_COLLECTIVE_ALL_REDUCE, bytes)
                       : 0.0;
}

double
lp_closed_form_dp_s(const LpClosedFormInput *input)
{
    LpClosedFormDp dp = lp_closed_form_dp(input);
    return dp.n_sums * dp.sum_s + lp_closed_form_gathers_s(&dp) + whole_gradients_s(input);
}

/* Parameters that stay after the forward pass are freed by each backward pass, so that the next
 * pass, whichever it is, gathers them again; those that stay throughout are not. */
LpPassCommunication
lp_closed_form_dp_pass(const LpClosedFormInput *input)
{
    const LpPlan *plan = input->plan;
    LpPassCommunication pass = {.gathers_s = 0.0};
    if (degree(input, LP_AXIS_PP) < 2.0)
        return pass;
    gboolean each = lp_plan_reduces_each(plan);
    if (plan->zero.stage == 3 && !plan->zero.keeps_parameters) {
        pass.back_gathers_s = pass_gather_s(input, TRUE);
        pass.gathers_s = pass_gather_s(input, FALSE) + pass.back_gathers_s;
    }
    if (plan->zero.stage == 3 && plan->zero.keeps_parameters) {
        pass.first_gather_s = pass_gather_s(input, FALSE);
        pass.gathers_s = each && n_micro_batches(input) > 1 ? pass.first_gather_s : 0.0;
    }
    Sum sum = sum_parts(input);
    double waits_s = (1.0 - launched(plan, sum)) * sum_s(sum);
    if (each)
        pass.sum_s = waits_s;
    if (!each && plan->zero.stage == 3)
        pass.last_sum_s = waits_s;
    return pass;
}
