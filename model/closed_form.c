/* SPDX-License-Identifier: Apache-2.0 */
/* The consistent closed form: each term one function, and their composition. */
#include "model/closed_form.h"

#include <math.h>

/* --- sizes --- */

static double
degree(const LpClosedFormInput *input, LpAxis axis)
{
    return input->plan->degree[axis];
}

static double
n_micro_batches(const LpClosedFormInput *input)
{
    return lp_plan_n_micro_batches(input->plan);
}

/* Bytes of a tensor of @width for each token of a micro-batch on one rank. */
static double
wire_bytes(const LpClosedFormInput *input, guint32 seq, double width)
{
    return lp_plan_tokens(input->plan, seq) * width * lp_plan_wire_bytes(input->plan);
}

/* A = b s h x: bytes of one micro-batch's hidden activations, in @seq's part of the model. */
static double
activations_bytes(const LpClosedFormInput *input, guint32 seq)
{
    return wire_bytes(input, seq, input->transformer->hidden);
}

/* Whether all is recomputed, and whether the scores are. */
static gboolean
recomputes_all(const LpClosedFormInput *input)
{
    return input->plan->recompute == LP_RECOMPUTE_FULL;
}

static gboolean
recomputes_core(const LpClosedFormInput *input)
{
    return recomputes_all(input) || (input->plan->recompute == LP_RECOMPUTE_SELECTIVE &&
                                     input->transformer->attention == LP_ATTENTION_UNFUSED);
}

/* --- edges --- */

static guint64
accelerator(const LpClosedFormInput *input, guint64 rank)
{
    return input->accelerators == NULL ? rank : input->accelerators[rank];
}

static guint64
member(const LpClosedFormInput *input, LpGroup group, guint64 index)
{
    return accelerator(input, lp_group_member(input->plan, input->transformer, group, 0, index));
}

/* Members of rank 0's group. */
static guint64
group_size(const LpClosedFormInput *input, LpGroup group)
{
    return lp_group_size(input->plan, input->transformer, group);
}

/* The slowest edge of the ring over rank 0's group. */
static LpFabricEdge
ring_edge(const LpClosedFormInput *input, LpGroup group)
{
    guint64 n = group_size(input, group);
    LpFabricEdge slowest =
        lp_fabric_edge(input->fabric, member(input, group, n - 1), member(input, group, 0));
    for (guint64 i = 0; i + 1 < n; i++)
        slowest =
            lp_fabric_edge_slower(slowest, lp_fabric_edge(input->fabric, member(input, group, i),
                                                          member(input, group, i + 1)));
    return slowest;
}

/* @share: 1 for an all-reduce, a half for each of its halves. */
static double
ring_s(const LpClosedFormInput *input, LpGroup group, double share, double bytes)
{
    guint64 n = group_size(input, group);
    if (n < 2)
        return 0.0;
    LpFabricEdge edge = ring_edge(input, group);
    return share * lp_fabric_edge_all_reduce_s(&edge, n, bytes);
}

/* Members of the first one's domain, which follow each other. */
static guint64
members_near(const LpClosedFormInput *input, LpGroup group)
{
    guint64 n = group_size(input, group), n_near = 1, size = input->fabric->domain_size;
    while (n_near < n && member(input, group, n_near) / size == member(input, group, 0) / size)
        n_near++;
    return n_near;
}

/* Whether every domain has as many members, one domain's after the other's. */
static gboolean
is_regular(const LpClosedFormInput *input, LpGroup group, guint64 n_near)
{
    guint64 n = group_size(input, group), size = input->fabric->domain_size;
    for (guint64 i = 0; i < n; i++)
        for (guint64 k = 0; k < n; k += n_near) {
            gboolean same = member(input, group, i) / size == member(input, group, k) / size;
            if (same != (i / n_near == k / n_near))
                return FALSE;
        }
    return n % n_near == 0;
}

/* Members in no order send to one after the other. */
static double
irregular_exchange_s(const LpClosedFormInput *input, LpGroup group, double bytes)
{
    guint64 n = group_size(input, group);
    double latency_s = 0.0, sending_s = 0.0;
    for (guint64 i = 1; i < n; i++) {
        LpFabricEdge edge =
            lp_fabric_edge(input->fabric, member(input, group, 0), member(input, group, i));
        latency_s = fmax(latency_s, edge.latency_s);
        sending_s += bytes / (double)n / edge.bytes_per_s;
    }
    return latency_s + sending_s;
}

/* An all-to-all of @bytes on each member: a + max(near, far). What leaves a domain goes to the same
 * place of the next one. */
static double
exchange_s(const LpClosedFormInput *input, LpGroup group, double bytes)
{
    guint64 n = group_size(input, group);
    if (n < 2)
        return 0.0;
    guint64 n_near = members_near(input, group);
    if (!is_regular(input, group, n_near))
        return irregular_exchange_s(input, group, bytes);
    LpFabricEdge near = {0.0, INFINITY}, far = {0.0, INFINITY};
    for (guint64 i = 0; i < n_near && n_near > 1; i++)
        near = lp_fabric_edge_slower(near, lp_fabric_edge(input->fabric, member(input, group, i),
                                                          member(input, group, (i + 1) % n_near)));
    for (guint64 i = 0; i < n && n_near < n; i++)
        far = lp_fabric_edge_slower(far, lp_fabric_edge(input->fabric, member(input, group, i),
                                                        member(input, group, (i + n_near) % n)));
    double near_s = (double)(n_near - 1) / (double)n * bytes / near.bytes_per_s;
    double far_s = (double)(n - n_near) / (double)n * bytes / far.bytes_per_s;
    return fmax(near.latency_s, far.latency_s) + fmax(near_s, far_s);
}

/* --- compute --- */

/* Time of layer @index in @pass over one micro-batch, s. */
static LpWork
layer_work(const LpClosedFormInput *input, guint32 index, LpPass pass)
{
    LpWork sum = LP_WORK_NONE;
    for (LpBlock block = LP_BLOCK_ATTENTION; block < LP_BLOCK_HEAD; block++)
        sum = lp_work_then(sum, lp_block_work(input->transformer, input->plan, input->accelerator,
                                              index, block, pass));
    return sum;
}

static LpWork
end_work(const LpClosedFormInput *input, guint32 index, LpBlock block, LpPass pass)
{
    return lp_block_work(input->transformer, input->plan, input->accelerator, index, block, pass);
}

/* All layers, embedding and head, one micro-batch. Layers that are alike are worked out once. */
static LpWork
pass_work(const LpClosedFormInput *input, LpPass pass)
{
    const LpTransformer *shape = input->transformer;
    guint32 n_layers = lp_transformer_n_layers(shape);
    LpWork kinds[LP_LAYER_KINDS], sum = LP_WORK_NONE;
    gboolean known[LP_LAYER_KINDS] = {FALSE};
    for (guint32 i = 0; i < n_layers; i++) {
        guint kind = lp_transformer_layer_kind(shape, i);
        if (!known[kind])
            kinds[kind] = layer_work(input, i, pass);
        known[kind] = TRUE;
        sum = lp_work_then(sum, kinds[kind]);
    }
    sum = lp_work_then(sum, end_work(input, 0, LP_BLOCK_EMBEDDING, pass));
    if (shape->n_decoder_layers > 0)
        sum = lp_work_then(sum, end_work(input, shape->n_layers, LP_BLOCK_EMBEDDING, pass));
    return lp_work_then(sum, end_work(input, n_layers - 1, LP_BLOCK_HEAD, pass));
}

/* On the mean stage, over all micro-batches. */
static double
stage_compute_s(const LpClosedFormInput *input, LpPass pass)
{
    return n_micro_batches(input) * pass_work(input, pass).device_s / degree(input, LP_AXIS_PP);
}

double
lp_closed_form_compute_s(const LpClosedFormInput *input)
{
    double sum_s = 0.0;
    for (LpPass pass = 0; pass < LP_N_PASSES; pass++)
        sum_s += stage_compute_s(input, pass);
    return sum_s;
}

/* --- tensor parallelism --- */

double
lp_closed_form_tp_collective_s(const LpClosedFormInput *input)
{
    return ring_s(input, LP_GROUP_TP, 1.0, activations_bytes(input, input->transformer->seq));
}

/* All-reduces, or what equals them, that one block takes a micro-batch. */
static double
collectives_per_block(const LpPlan *plan)
{
    double forward = 1.0;
    double backward = plan->sequence_parallel ? 1.5 : 1.0;
    double again = plan->recompute == LP_RECOMPUTE_FULL ? 1.0 : 0.0;
    return forward + backward + again;
}

double
lp_closed_form_tp_collectives_per_layer(const LpTransformer *transformer, const LpPlan *plan)
{
    return (transformer->parallel_blocks ? 1.0 : 2.0) * collectives_per_block(plan);
}

/* Those of activations' size in layer @index, one micro-batch. */
static double
layer_collectives(const LpClosedFormInput *input, guint32 index)
{
    const LpPlan *plan = input->plan;
    LpLayer layer = lp_transformer_layer(input->transformer, index);
    double block = collectives_per_block(plan);
    double cross = layer.cross ? block : 0.0;
    if (!layer.has_experts)
        return cross + (layer.cross
                            ? 2.0 * block
                            : lp_closed_form_tp_collectives_per_layer(input->transformer, plan));
    gboolean second = !plan->sequence_parallel || input->transformer->n_shared_experts > 0;
    return cross + block + (second ? block : 0.0);
}

/* Passes through the experts. */
static double
expert_passes(const LpClosedFormInput *input)
{
    return recomputes_all(input) ? 3.0 : 2.0;
}

/* Experts divided over tp gather the tokens of all of its ranks, and scatter the sums. */
static double
layer_expert_tp_s(const LpClosedFormInput *input, guint32 index)
{
    LpLayer layer = lp_transformer_layer(input->transformer, index);
    if (!layer.has_experts || !input->plan->sequence_parallel || lp_plan_expert_tp(input->plan) < 2)
        return 0.0;
    double bytes =
        lp_transformer_expert_slots(input->transformer) * activations_bytes(input, layer.seq);
    return expert_passes(input) * ring_s(input, LP_GROUP_TP, 1.0, bytes);
}

double
lp_closed_form_tp_s(const LpClosedFormInput *input)
{
    double sum_s = 0.0;
    if (degree(input, LP_AXIS_TP) < 2.0)
        return 0.0;
    for (guint32 i = 0; i < lp_transformer_n_layers(input->transformer); i++) {
        guint32 seq = lp_transformer_layer(input->transformer, i).seq;
        sum_s += layer_collectives(input, i) *
                     ring_s(input, LP_GROUP_TP, 1.0, activations_bytes(input, seq)) +
                 layer_expert_tp_s(input, i);
    }
    return n_micro_batches(input) * sum_s / degree(input, LP_AXIS_PP);
}

/* --- expert parallelism --- */

/* One exchange of layer @index: tokens to experts, or back. */
static double
layer_exchange_s(const LpClosedFormInput *input, guint32 seq)
{
    const LpTransformer *shape = input->transformer;
    double share = input->plan->sequence_parallel ? degree(input, LP_AXIS_TP) : 1.0;
    double bytes = activations_bytes(input, seq) / share;
    double slots = lp_transformer_expert_slots(shape);
    if (lp_group_n_expert_nodes(input->plan, shape) == 1)
        return exchange_s(input, LP_GROUP_EP, slots * bytes);
    return exchange_s(input, LP_GROUP_EP_RAIL, lp_group_expert_copies(input->plan, shape) * bytes) +
           exchange_s(input, LP_GROUP_EP_NODE, slots * bytes);
}

double
lp_closed_form_ep_s(const LpClosedFormInput *input)
{
    if (lp_transformer_n_expert_layers(input->transformer) == 0)
        return 0.0;
    double exchanges_s[2] = {layer_exchange_s(input, input->transformer->seq),
                             layer_exchange_s(input, input->transformer->decoder_seq)};
    double sum_s = 0.0;
    for (guint32 i = 0; i < lp_transformer_n_layers(input->transformer); i++) {
        LpLayer layer = lp_transformer_layer(input->transformer, i);
        sum_s += layer.has_experts ? exchanges_s[layer.cross ? 1 : 0] : 0.0;
    }
    return 2.0 * expert_passes(input) * n_micro_batches(input) / degree(input, LP_AXIS_PP) * sum_s;
}

/* --- context parallelism --- */

/* Widths of keys and values on one rank of tp. */
static double
kv_width(const LpClosedFormInput *input)
{
    return lp_plan_key_width(input->plan, input->transformer) +
           lp_plan_value_width(input->plan, input->transformer);
}

/* One pass of one layer over a ring. */
static double
ring_pass_s(const LpClosedFormInput *input, gboolean backward)
{
    double bytes =
        degree(input, LP_AXIS_CP) * wire_bytes(input, input->transformer->seq, kv_width(input));
    return (backward ? 2.0 : 1.0) * ring_s(input, LP_GROUP_CP, 0.5, bytes);
}

/* The same as two exchanges: queries, keys and values one way, their mixture the other. */
static double
ulysses_pass_s(const LpClosedFormInput *input)
{
    double tp = degree(input, LP_AXIS_TP);
    guint32 seq = input->transformer->seq;
    double qkv = lp_transformer_query_width(input->transformer) / tp + kv_width(input);
    double mixture = lp_transformer_mixture_width(input->transformer) / tp;
    return exchange_s(input, LP_GROUP_CP, wire_bytes(input, seq, qkv)) +
           exchange_s(input, LP_GROUP_CP, wire_bytes(input, seq, mixture));
}

static double
cp_pass_s(const LpClosedFormInput *input, gboolean backward)
{
    if (degree(input, LP_AXIS_CP) < 2.0)
        return 0.0;
    return input->plan->context_kind == LP_CONTEXT_RING ? ring_pass_s(input, backward)
                                                        : ulysses_pass_s(input);
}

/* Layers a stage, times micro-batches. */
static double
layer_passes(const LpClosedFormInput *input)
{
    return lp_transformer_n_layers(input->transformer) * n_micro_batches(input) /
           degree(input, LP_AXIS_PP);
}

double
lp_closed_form_cp_s(const LpClosedFormInput *input)
{
    gboolean exchanged = input->plan->context_kind == LP_CONTEXT_RING || recomputes_all(input);
    double n_forward = recomputes_core(input) && exchanged ? 2.0 : 1.0;
    return layer_passes(input) * (n_forward * cp_pass_s(input, FALSE) + cp_pass_s(input, TRUE));
}

/* Of @comm_s beside the attention of layer @index. */
static double
hidden_pass_s(const LpClosedFormInput *input, guint32 index, LpPass pass, double comm_s)
{
    double cp = degree(input, LP_AXIS_CP);
    double core_s = lp_block_part_work(input->transformer, input->plan, input->accelerator, index,
                                       LP_BLOCK_ATTENTION, pass, LP_PART_CORE)
                        .device_s;
    return fmin(comm_s, core_s * (1.0 - 1.0 / cp));
}

/* With every pass's time multiplied by @factor. */
static double
cp_hidden_s(const LpClosedFormInput *input, double factor)
{
    if (degree(input, LP_AXIS_CP) < 2.0 || input->plan->context_kind != LP_CONTEXT_RING)
        return 0.0;
    double forward_s = factor * cp_pass_s(input, FALSE), sum_s = 0.0;
    double backward_s = factor * cp_pass_s(input, TRUE);
    for (guint32 i = 0; i < lp_transformer_n_layers(input->transformer); i++) {
        sum_s += hidden_pass_s(input, i, LP_PASS_FORWARD, forward_s) +
                 hidden_pass_s(input, i, LP_PASS_BACKWARD_INPUT, backward_s);
        if (recomputes_core(input))
            sum_s += hidden_pass_s(input, i, LP_PASS_RECOMPUTE, forward_s);
    }
    return n_micro_batches(input) * sum_s / degree(input, LP_AXIS_PP);
}

double
lp_closed_form_cp_hidden_s(const LpClosedFormInput *input, double cp_s)
{
    double own_s = lp_closed_form_cp_s(input);
    return own_s > 0.0 ? cp_hidden_s(input, cp_s / own_s) : 0.0;
}

/* --- pipeline --- */

/* The slowest edge between neighbouring stages of all pipelines. */
static LpFabricEdge
boundary_edge(const LpClosedFormInput *input)
{
    const LpPlan *plan = input->plan;
    guint64 stride = lp_plan_stride(plan, LP_AXIS_PP), n = lp_plan_n_ranks(plan);
    guint32 pp = plan->degree[LP_AXIS_PP];
    LpFabricEdge slowest = {0.0, INFINITY};
    for (guint64 rank = 0; rank < n; rank++)
        if (rank / stride % pp != pp - 1)
            slowest = lp_fabric_edge_slower(slowest,
                                            lp_fabric_edge(input->fabric, accelerator(input, rank),
                                                           accelerator(input, rank + stride)));
    return slowest;
}

double
lp_closed_form_pp_message_s(const LpClosedFormInput *input)
{
    const LpPlan *plan = input->plan;
    if (plan->degree[LP_AXIS_PP] == 1)
        return 0.0;
    LpFabricEdge edge = boundary_edge(input);
    gboolean scattered = plan->scatter_gather || plan->sequence_parallel;
    double share = scattered ? plan->degree[LP_AXIS_TP] : 1.0;
    return lp_fabric_edge_message_s(&edge,
                                    activations_bytes(input, input->transformer->seq) / share);
}

double
lp_closed_form_pp_s(const LpClosedFormInput *input)
{
    return 2.0 * n_micro_batches(input) * input->plan->virtual_stages *
           lp_closed_form_pp_message_s(input);
}

/* --- data parallelism --- */

/* Parameters of the mean stage. */
static LpParameters
mean_parameters(const LpClosedFormInput *input)
{
    const LpTransformer *shape = input->transformer;
    const LpPlan *plan = input->plan;
    double holders = plan->schedule == LP_SCHEDULE_DUALPIPE ? 2.0 : 1.0;
    double share = holders / degree(input, LP_AXIS_PP);
    LpParameters sum = {.dense = (lp_transformer_embedding_parameters(shape) +
                                  lp_transformer_head_parameters(shape)) /
                                 degree(input, LP_AXIS_TP)};
    for (guint32 i = 0; i < lp_transformer_n_layers(shape); i++) {
        LpParameters layer = lp_plan_layer_parameters(plan, shape, i);
        sum.dense += layer.dense;
        sum.experts += layer.experts;
    }
    return lp_plan_pooled_parameters(plan, (LpParameters){sum.dense * share, sum.experts * share});
}

/* @share of an all-reduce of each kind of parameters, in @n_parts pieces with latencies each. */
static double
replicas_s(const LpClosedFormInput *input, double share, double element_bytes, double n_parts)
{
    LpParameters parameters = mean_parameters(input);
    double n_expert_parts =
        n_parts > 1.0 ? lp_transformer_n_expert_layers(input->transformer) : 1.0;
    double dense_s =
        n_parts * ring_s(input, LP_GROUP_DP, share, parameters.dense * element_bytes / n_parts);
    if (parameters.experts <= 0.0)
        return dense_s;
    return dense_s + n_expert_parts * ring_s(input, LP_GROUP_EXPERT_DP, share,
                                             parameters.experts * element_bytes / n_expert_parts);
}

/* Sharded sets sum their shares among each other. */
static double
sets_s(const LpClosedFormInput *input, double n_parts)
{
    double bytes = mean_parameters(input).dense * input->plan->gradient_bytes /
                   lp_plan_shard_degree(input->plan);
    return n_parts * ring_s(input, LP_GROUP_REPLICA, 1.0, bytes / n_parts);
}

/* What stage 3 gathers at once: layers, the embedding, the head. */
static double
n_units(const LpClosedFormInput *input)
{
    return lp_transformer_n_layers(input->transformer) +
           (input->transformer->embedding ? 2.0 : 0.0);
}

double
lp_closed_form_dp_s(const LpClosedFormInput *input)
{
    const LpPlan *plan = input->plan;
    double weight_bytes = lp_plan_activation_bytes(plan);
    double n_sums = lp_plan_reduces_each(plan) ? n_micro_batches(input) : 1.0;
    double n_parts = plan->zero == 3 ? n_units(input) : 1.0;
    gboolean whole = plan->zero == 0 || plan->zero_variant == LP_ZERO_DEEPSPEED;
    double gradients_s = replicas_s(input, whole ? 1.0 : 0.5, plan->gradient_bytes, n_parts) +
                         sets_s(input, n_parts);
    double n_gathers = plan->zero == 0 ? 0.0 : 1.0;
    if (plan->zero == 3)
        n_gathers = n_micro_batches(input) * (plan->keeps_parameters ? 1.0 : 2.0);
    return n_sums * gradients_s + n_gathers * replicas_s(input, 0.5, weight_bytes, n_parts);
}

/* --- bubble --- */

/* A micro-batch's time on the mean stage, and those of its forward pass and its weights' gradients.
 */
typedef struct {
    double all_s, forward_s, weight_s;
} MicroBatch;

/* Communication inside layers is taken as equal in each pass through a layer. */
static MicroBatch
micro_batch(const LpClosedFormInput *input, double inner_s)
{
    double m = n_micro_batches(input);
    double passes = recomputes_all(input) ? 3.0 : 2.0;
    return (MicroBatch){.all_s = (lp_closed_form_compute_s(input) + inner_s) / m,
                        .forward_s =
                            (stage_compute_s(input, LP_PASS_FORWARD) + inner_s / passes) / m,
                        .weight_s = stage_compute_s(input, LP_PASS_BACKWARD_WEIGHT) / m};
}

static double
bubble_s(const LpClosedFormInput *input, double inner_s, double pp_s)
{
    double stages = degree(input, LP_AXIS_PP);
    if (stages < 2.0)
        return 0.0;
    MicroBatch x = micro_batch(input, inner_s);
    double messages_s = (stages - 2.0) * pp_s / n_micro_batches(input);
    switch (input->plan->schedule) {
    case LP_SCHEDULE_ZERO_BUBBLE:
        return (stages - 1.0) * (x.all_s - 2.0 * x.weight_s) + messages_s;
    case LP_SCHEDULE_DUALPIPE:
        return (0.5 * stages - 1.0) * (2.0 * x.all_s - x.forward_s - 3.0 * x.weight_s) +
               0.5 * messages_s;
    default:
        return ((stages - 1.0) * x.all_s + messages_s) / input->plan->virtual_stages;
    }
}

double
lp_closed_form_bubble_s(const LpClosedFormInput *input)
{
    LpTerms terms = lp_closed_form_terms(input);
    return terms.s[LP_TERM_BUBBLE];
}

/* --- the rest --- */

double
lp_closed_form_optimizer_s(const LpClosedFormInput *input)
{
    guint32 pp = input->plan->degree[LP_AXIS_PP];
    double sum_s = 0.0;
    for (guint32 stage = 0; stage < pp; stage++)
        sum_s += lp_optimizer_time_s(input->transformer, input->plan, input->accelerator, stage);
    return sum_s / pp;
}

/* Collectives and messages that a micro-batch's host issues on the mean stage. */
static double
collectives_issued(const LpClosedFormInput *input)
{
    double layers = lp_transformer_n_layers(input->transformer) / degree(input, LP_AXIS_PP);
    double sum = 0.0;
    if (degree(input, LP_AXIS_TP) > 1.0)
        sum += layers * (input->plan->sequence_parallel ? 2.0 : 1.0) *
               lp_closed_form_tp_collectives_per_layer(input->transformer, input->plan);
    if (degree(input, LP_AXIS_CP) > 1.0)
        sum += 4.0 * layers;
    if (degree(input, LP_AXIS_EP) > 1.0)
        sum += 4.0 * lp_transformer_n_expert_layers(input->transformer) / degree(input, LP_AXIS_PP);
    if (degree(input, LP_AXIS_PP) > 1.0)
        sum += 4.0 * input->plan->virtual_stages;
    return sum;
}

/* What the host needs for a micro-batch's kernels in @pass, on the mean stage. */
static double
issue_s(const LpClosedFormInput *input, LpPass pass)
{
    return pass_work(input, pass).host_s / degree(input, LP_AXIS_PP);
}

/* The same for its collectives and messages. */
static double
collectives_issue_s(const LpClosedFormInput *input)
{
    return collectives_issued(input) * lp_collective_host_s(input->accelerator, input->plan);
}

/* A host that runs ahead is late for the whole iteration or not at all. */
static double
free_host_s(const LpClosedFormInput *input, double busy_s)
{
    double sum_s = collectives_issue_s(input);
    for (LpPass pass = 0; pass < LP_N_PASSES; pass++)
        sum_s += issue_s(input, pass);
    return fmax(0.0, n_micro_batches(input) * sum_s - busy_s);
}

/* One that waits for the device at every pass, or at every message, is late for each pass by
 * itself, those that fill and drain the pipeline among them. */
static double
bound_host_s(const LpClosedFormInput *input, double inner_s, double pp_s)
{
    double m = n_micro_batches(input), passes = recomputes_all(input) ? 3.0 : 2.0;
    double collectives_s = collectives_issue_s(input);
    double communication_s = (inner_s + pp_s) / m;
    double forward_s = issue_s(input, LP_PASS_FORWARD) + collectives_s / passes -
                       stage_compute_s(input, LP_PASS_FORWARD) / m - communication_s / passes;
    double rest = (passes - 1.0) / passes;
    double backward_s = (collectives_s - communication_s) * rest;
    for (LpPass pass = LP_PASS_FORWARD + 1; pass < LP_N_PASSES; pass++)
        backward_s += issue_s(input, pass) - stage_compute_s(input, pass) / m;
    double n_runs = m + (degree(input, LP_AXIS_PP) - 1.0) / input->plan->virtual_stages;
    return n_runs * (fmax(0.0, forward_s) + fmax(0.0, backward_s));
}

static double
host_s(const LpClosedFormInput *input, double compute_s, double inner_s, double pp_s)
{
    LpHostSync sync = input->plan->host_sync;
    gboolean waits = sync == LP_HOST_SYNC_PASSES ||
                     (sync == LP_HOST_SYNC_MESSAGES && degree(input, LP_AXIS_PP) > 1.0);
    return waits ? bound_host_s(input, inner_s, pp_s)
                 : free_host_s(input, compute_s + inner_s + pp_s);
}

/* --- composition --- */

static LpClosedFormCommunication
own_communication(const LpClosedFormInput *input)
{
    return (LpClosedFormCommunication){
        .tp_s = lp_closed_form_tp_s(input),
        .pp_s = lp_closed_form_pp_s(input),
        .dp_s = lp_closed_form_dp_s(input),
        .ep_s = lp_closed_form_ep_s(input),
        .cp_s = lp_closed_form_cp_s(input),
    };
}

LpTerms
lp_closed_form_terms(const LpClosedFormInput *input)
{
    LpClosedFormCommunication communication = own_communication(input);
    return lp_closed_form_compose(input, &communication);
}

LpTerms
lp_closed_form_compose(const LpClosedFormInput *input,
                       const LpClosedFormCommunication *communication)
{
    double compute_s = lp_closed_form_compute_s(input);
    double cp_s = communication->cp_s - lp_closed_form_cp_hidden_s(input, communication->cp_s);
    double inner_s = communication->tp_s + communication->ep_s + cp_s;
    return (LpTerms){.s = {
                         [LP_TERM_COMPUTE] = compute_s,
                         [LP_TERM_TP] = communication->tp_s,
                         [LP_TERM_EP] = communication->ep_s,
                         [LP_TERM_CP] = cp_s,
                         [LP_TERM_PP] = communication->pp_s,
                         [LP_TERM_DP] = (1.0 - input->plan->overlap_fraction) * communication->dp_s,
                         [LP_TERM_BUBBLE] = bubble_s(input, inner_s, communication->pp_s),
                         [LP_TERM_OPTIMIZER] = lp_closed_form_optimizer_s(input),
                         [LP_TERM_HOST] = host_s(input, compute_s, inner_s, communication->pp_s),
                     }};
}
