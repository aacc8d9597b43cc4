/* SPDX-License-Identifier: Apache-2.0 */
/* States by precision, activations by Korthikanti et al. (arXiv 2205.05198), stage by stage. */
#include "model/memory/memory.h"

#include "model/memory/memory_layer.h"
#include "model/times/kernel_sizes.h"
#include "model/times/mixer.h"
#include "model/times/trained.h"
#include "model/plan/precision.h"

#include <math.h>

/* --- activations of one layer, one micro-batch --- */

double
lp_memory_layer_activations_bytes(const LpTransformer *transformer, const LpPlan *plan,
                                  guint32 index)
{
    if (!lp_plan_recomputes_layer(plan, transformer, index))
        return lp_memory_layer_bytes(transformer, plan, index, 0);
    if (plan->recompute == LP_RECOMPUTE_FULL) /* the layer's input */
        return lp_memory_hidden_bytes(transformer, plan,
                                      lp_transformer_layer(transformer, index).seq);
    return lp_memory_layer_bytes(transformer, plan, index, lp_plan_recomputed_parts(plan));
}

/* The bytes that the recomputation of one layer brings back for the time of its backward pass. */
static double
recomputed_bytes(const LpTransformer *transformer, const LpPlan *plan, guint32 index)
{
    if (!lp_plan_recomputes_layer(plan, transformer, index))
        return 0.0;
    return lp_memory_layer_bytes(transformer, plan, index, 0) -
           lp_memory_layer_activations_bytes(transformer, plan, index);
}

/* --- micro-batches in flight --- */

/* Micro-batches whose activations @stage holds at once: GPipe all; ZB-H1 as many as the first stage
 * of 1F1B on all (Qi et al., arXiv 2401.10241, section 2.3). */
static double
micro_batches_in_flight(const LpPlan *plan, guint32 stage)
{
    guint32 m = lp_plan_n_micro_batches(plan), pp = plan->degree[LP_AXIS_PP];
    switch (plan->pipeline.schedule) {
    case LP_SCHEDULE_GPIPE:
        return m;
    case LP_SCHEDULE_ZERO_BUBBLE:
        return MIN(m, pp);
    default:
        return MIN(m, pp - stage);
    }
}

/* Micro-batches in flight, counted in chunks of layers. Interleaved, the first stage runs p v + p -
 * 1 chunks ahead (so that it holds L (1 + (p-1)/(p v)) layers, section 4.2.3), each later one two
 * fewer. Where passes are overlapped one chunk more has come forward when a pair begins, but a pair
 * gives up as many layers as it takes on, so that it is a layer more. DualPipe: p + 1 of both ways
 * together (DeepSeek-V3, arXiv 2412.19437, table 2). */
static double
chunks_in_flight(const LpTransformer *transformer, const LpPlan *plan, guint32 stage)
{
    double v = plan->pipeline.virtual_stages, pp = plan->degree[LP_AXIS_PP];
    double m = lp_plan_n_micro_batches(plan);
    double layers = lp_plan_stage_layers(plan, transformer, stage) / v;
    double overlapped = plan->overlap.ep ? 1.0 / fmax(layers, 1.0) : 0.0;
    if (plan->pipeline.schedule == LP_SCHEDULE_DUALPIPE)
        return MIN(pp + 1.0, m);
    if (plan->pipeline.virtual_stages == 1)
        return MIN(micro_batches_in_flight(plan, stage) + overlapped, m);
    double ahead = pp * v + pp - 1.0 - 2.0 * stage + overlapped;
    return MIN(ahead, m * v);
}

/* --- what lists say of a rank --- */

/* Bytes: of a micro-batch, and of a parameter. */
typedef struct {
    double embedding, head;
    double end_weight, layer_weight, state;
} Held;

static Held
held(const LpTransformer *transformer, const LpPlan *plan)
{
    const LpKernelLists *lists = lp_plan_kernel_lists(plan);
    double values[LP_KERNEL_SIZES_MAX];
    lp_kernel_sizes_recomputed(transformer, plan, 0, LP_PASS_FORWARD, 0, values);
    return (Held){
        .embedding = lp_kernel_lists_size(lists, LP_KERNEL_KEPT_EMBEDDING_BYTES, values),
        .head = lp_kernel_lists_size(lists, LP_KERNEL_KEPT_HEAD_BYTES, values),
        .end_weight = lp_kernel_lists_size(lists, LP_KERNEL_END_WEIGHT_BYTES, values),
        .layer_weight = lp_kernel_lists_size(lists, LP_KERNEL_LAYER_WEIGHT_BYTES, values),
        .state = lp_kernel_lists_size(lists, LP_KERNEL_STATE_BYTES, values),
    };
}

/* --- the stage --- */

/* Calls for each layer of @stage would be slow for the deepest models: layers that are alike are
 * worked out once. */
typedef struct {
    double sum, largest;
} Layers;

typedef double (*LayerBytes)(const LpTransformer *transformer, const LpPlan *plan, guint32 index);

static Layers
over_layers(const LpTransformer *transformer, const LpPlan *plan, guint32 stage, LayerBytes bytes)
{
    Layers layers = {0.0, 0.0};
    double kinds[LP_LAYER_KINDS][2];
    gboolean known[LP_LAYER_KINDS][2] = {{FALSE}};
    for (guint32 chunk = 0; chunk < lp_plan_n_chunks(plan); chunk++) {
        guint32 slice = lp_plan_slice(plan, stage, chunk);
        guint32 first = lp_plan_slice_first_layer(plan, transformer, slice);
        guint32 n = lp_plan_slice_layers(plan, transformer, slice);
        for (guint32 i = first; i < first + n; i++) {
            guint kind = lp_transformer_layer_kind(transformer, i);
            guint again = lp_plan_recomputes_layer(plan, transformer, i) ? 1 : 0;
            if (!known[kind][again])
                kinds[kind][again] = bytes(transformer, plan, i);
            known[kind][again] = TRUE;
            layers.sum += kinds[kind][again];
            layers.largest = fmax(layers.largest, kinds[kind][again]);
        }
    }
    return layers;
}

static double
activations_bytes(const LpTransformer *transformer, const LpPlan *plan, guint32 stage,
                  const Held *rank)
{
    Layers layers = over_layers(transformer, plan, stage, lp_memory_layer_activations_bytes);
    double n_chunks = chunks_in_flight(transformer, plan, stage) / lp_plan_n_chunks(plan);
    double sum = n_chunks * layers.sum;
    if (plan->recompute == LP_RECOMPUTE_NONE ? plan->footprint.offloads_activations
                                             : plan->footprint.offloads_inputs)
        sum = fmin(sum, 2.0 * layers.largest); /* at work and on its way */
    if (!transformer->embedding)
        return sum;
    /* The head's stage is the last one in either direction, and its micro-batches go back at once.
     */
    double n_micro_batches = plan->pipeline.schedule == LP_SCHEDULE_DUALPIPE
                                 ? 1.0
                                 : micro_batches_in_flight(plan, stage);
    for (guint32 chunk = 0; chunk < lp_plan_n_chunks(plan); chunk++) {
        if (lp_plan_holds_embedding(plan, stage, chunk))
            sum += n_micro_batches * rank->embedding;
        if (lp_plan_holds_head(plan, stage, chunk))
            sum += n_micro_batches * (1.0 + transformer->n_mtp) * rank->head;
    }
    return sum;
}

/* The bytes that arrive from other stages: a micro-batch's activations, and its gradients. */
static double
received_bytes(const LpTransformer *transformer, const LpPlan *plan, guint32 stage)
{
    guint32 pp = plan->degree[LP_AXIS_PP];
    gboolean wraps = pp > 1 && lp_plan_n_chunks(plan) > 1;
    double messages = 0.0;
    if (stage > 0 || wraps)
        messages += 1.0;
    if (stage < pp - 1 || wraps)
        messages += 1.0;
    return messages * lp_memory_hidden_bytes(transformer, plan, transformer->seq);
}

/* Ring attention receives keys and values while it works on those before; gathered ones are there
 * all at once. */
static double
ring_bytes(const LpTransformer *transformer, const LpPlan *plan)
{
    double width = 0.0, parts = plan->degree[LP_AXIS_CP];
    if (plan->degree[LP_AXIS_CP] == 1 || plan->context_kind == LP_CONTEXT_ULYSSES)
        return 0.0;
    for (guint32 i = 0; i < lp_transformer_n_layers(transformer); i++) {
        LpMixerExchange exchange = lp_mixer_exchange(transformer, plan, i);
        if (exchange.kind == LP_MIXER_ATTENTION)
            width = fmax(width, lp_plan_exchanged_width(plan, transformer));
        else if (exchange.kind == LP_MIXER_KEYS)
            width = fmax(width, exchange.sent);
    }
    if (plan->context_kind == LP_CONTEXT_RING)
        parts = 2.0;
    return lp_plan_tokens(plan, transformer->seq) * parts * width * lp_plan_activation_bytes(plan);
}

/* --- states --- */

static double
total(LpParameters parameters)
{
    return parameters.dense + parameters.experts;
}

/* Gradients of several micro-batches add up whole, unless each is reduced and scattered. */
static gboolean
shards_gradients(const LpPlan *plan)
{
    return plan->zero.stage >= 2 &&
           (lp_plan_reduces_each(plan) || lp_plan_n_micro_batches(plan) == 1);
}

static double
layer_parameters(const LpTransformer *transformer, const LpPlan *plan, guint32 index)
{
    return total(lp_plan_layer_parameters(plan, transformer, index));
}

static double
layer_adapters(const LpTransformer *transformer, const LpPlan *plan, guint32 index)
{
    return total(lp_layer_adapters(transformer, plan, index));
}

/* The largest array of a layer: up, down or gate, all experts' of one, or the queries'. */
static double
largest_array(const LpTransformer *transformer, const LpPlan *plan, guint32 index)
{
    LpParameters parameters = lp_plan_layer_parameters(plan, transformer, index);
    double hidden = transformer->hidden, tp = plan->degree[LP_AXIS_TP];
    double queries = hidden * lp_transformer_query_width(transformer) / tp;
    double experts = parameters.experts / lp_transformer_n_ffn_matrices(transformer);
    LpLayer layer = lp_transformer_layer(transformer, index);
    double ffn = layer.has_network && !layer.has_experts ? hidden * transformer->ffn / tp : 0.0;
    if (layer.mixer > 0)
        queries = transformer->mixers[layer.mixer - 1].parameters / tp;
    return fmax(fmax(layer.has_mixer ? queries : 0.0, ffn), experts);
}

/* Parameters of @stage outside its layers that are gathered together: all, or the embedding or the
 * head alone. */
static double
root_parameters(const LpTransformer *transformer, const LpPlan *plan, guint32 stage)
{
    double ends = total(lp_plan_rank_parameters(plan, transformer, stage)) -
                  total(lp_plan_rank_layer_parameters(plan, transformer, stage));
    double larger = fmax(lp_plan_embedding_parameters(plan, transformer),
                         lp_plan_head_parameters(plan, transformer));
    return plan->traits[LP_TRAIT_ROOT_UNIT] ? fmin(ends, larger) : ends;
}

/* The largest of the tensors of @stage that come one by one. */
static double
largest_tensor(const LpTransformer *transformer, const LpPlan *plan, guint32 stage)
{
    Layers layers = over_layers(transformer, plan, stage, largest_array);
    return fmax(layers.largest, root_parameters(transformer, plan, stage));
}

/* Gradients of a unit of @parameters that are summed at once. */
static double
unit_gradients(const LpTransformer *transformer, const LpPlan *plan, guint32 stage,
               double parameters)
{
    return lp_plan_freezes(plan) ? over_layers(transformer, plan, stage, layer_adapters).largest
                                 : parameters;
}

/* The parameters that are gathered at once, tensor by tensor: up to the limit, which the last of
 * them oversteps, and one that comes into a list a second time; and the gradients of a bucket, or
 * of a tensor that has no room in one. */
static double
tensors_bytes(const LpTransformer *transformer, const LpPlan *plan, guint32 stage)
{
    double all = total(lp_plan_rank_parameters(plan, transformer, stage));
    double largest = largest_tensor(transformer, plan, stage);
    double there = plan->zero.keeps_parameters ? all : plan->zero.live_parameters + largest;
    double bucket = lp_plan_bucket_bytes(plan, plan->format.gradient_bytes);
    double gradients =
        total(lp_rank_trained(transformer, plan, stage)) * plan->format.gradient_bytes;
    if (bucket > 0.0)
        gradients = fmin(gradients, fmax(bucket, largest * plan->format.gradient_bytes));
    double listed = plan->traits[LP_TRAIT_GATHER_LISTS] ? largest : 0.0;
    return (fmin(there, all) + listed) * lp_plan_parameter_wire_bytes(plan) +
           (shards_gradients(plan) ? gradients : 0.0);
}

/* The bytes that ZeRO stage 3 has gathered at once: the layer (or its largest array) at work, or
 * the root in its place, and the layers ahead, or all; and a unit's gradients, or a bucket of them,
 * before they are scattered. */
static double
gathered_bytes(const LpTransformer *transformer, const LpPlan *plan, guint32 stage)
{
    if (plan->zero.stage != 3)
        return 0.0;
    if (lp_plan_gathers_tensors(plan))
        return tensors_bytes(transformer, plan, stage);
    gboolean by_array = plan->traits[LP_TRAIT_ARRAY_UNITS] && !plan->zero.keeps_parameters;
    Layers layers =
        over_layers(transformer, plan, stage, by_array ? largest_array : layer_parameters);
    double root = root_parameters(transformer, plan, stage);
    double n_ahead = plan->overlap.param ? plan->zero.prefetch : 0.0;
    gboolean keeps = plan->zero.keeps_parameters;
    double ahead = keeps ? layers.sum : fmin(n_ahead * layers.largest, layers.sum);
    double inside = keeps ? layers.sum : fmin((n_ahead + 1.0) * layers.largest, layers.sum);
    double wire = lp_plan_parameter_wire_bytes(plan);
    double gathered = fmax(inside * wire, ahead * wire + root * lp_plan_activation_bytes(plan));
    double gradients = unit_gradients(transformer, plan, stage, fmax(layers.largest, root)) *
                       plan->format.gradient_bytes;
    double bucket = lp_plan_bucket_bytes(plan, plan->format.gradient_bytes);
    if (bucket > 0.0)
        gradients = fmin(gradients, bucket);
    return gathered + (shards_gradients(plan) ? gradients : 0.0);
}

/* Copies of gradients that are on their way: two buckets, while one is filled and one is summed. */
static double
flat_buckets_bytes(const LpPlan *plan, double gradients_bytes)
{
    if (!plan->traits[LP_TRAIT_FLAT_GRADIENTS] || plan->zero.stage == 3)
        return 0.0;
    double bucket = lp_plan_bucket_bytes(plan, plan->format.gradient_bytes);
    return bucket > 0.0 ? fmin(2.0 * bucket, gradients_bytes) : gradients_bytes;
}

/* The step and the passes take turns: the larger has to fit, and of the smaller, and of what was
 * flattened before the step, the blocks are kept, since the other's seldom fit into them. */
static void
add_step(LpMemory *self, const LpPlan *plan, double parameters)
{
    double step =
        plan->optimizer == LP_OPTIMIZER_NONE ? 0.0 : parameters * plan->traits[LP_TRAIT_STEP_BYTES];
    double passes = self->activations_bytes + self->buffers_bytes;
    gboolean flattens = plan->traits[LP_TRAIT_FLAT_GRADIENTS] && plan->zero.stage != 3;
    self->step_bytes = fmax(step - passes, 0.0);
    self->cached_bytes =
        fmin(step, passes) + (flattens ? parameters * plan->format.gradient_bytes : 0.0);
}

/* Gradients when the rank holds the most. Those that a single backward pass makes anew come as
 * activations go. */
static double
gradients_bytes(const LpPlan *plan, double gradients, double activations)
{
    gboolean come_and_go =
        plan->traits[LP_TRAIT_DROP_GRADIENTS] && lp_plan_n_micro_batches(plan) == 1;
    return come_and_go ? fmax(gradients - activations, 0.0) : gradients;
}

LpMemory
lp_memory_of_stage(const LpTransformer *transformer, const LpPlan *plan, guint32 stage)
{
    LpParameters whole = lp_plan_rank_parameters(plan, transformer, stage);
    LpParameters share = lp_plan_sharded_parameters(plan, whole);
    LpParameters trained = lp_rank_trained(transformer, plan, stage);
    LpParameters own = lp_plan_sharded_parameters(plan, trained);
    LpParameters layers = lp_plan_rank_layer_parameters(plan, transformer, stage);
    gboolean shards = plan->zero.stage == 3;
    double kept = total(shards ? share : whole);
    double kept_layers = total(shards ? lp_plan_sharded_parameters(plan, layers) : layers);
    Held rank = held(transformer, plan);
    double adapters = lp_plan_freezes(plan) ? total(shards ? own : trained) : 0.0;
    double gradients = total(shards_gradients(plan) ? own : trained) * plan->format.gradient_bytes;
    Layers recomputed = over_layers(transformer, plan, stage, recomputed_bytes);
    LpMemory self = {
        .weights_bytes = (kept - kept_layers) * rank.end_weight + kept_layers * rank.layer_weight +
                         adapters * lp_plan_activation_bytes(plan),
        .optimizer_bytes = total(own) * rank.state,
        .activations_bytes = activations_bytes(transformer, plan, stage, &rank),
        .buffers_bytes = received_bytes(transformer, plan, stage) + recomputed.largest +
                         ring_bytes(transformer, plan) + gathered_bytes(transformer, plan, stage) +
                         flat_buckets_bytes(plan, gradients),
    };
    self.gradients_bytes = gradients_bytes(plan, gradients, self.activations_bytes);
    add_step(&self, plan, total(own));
    return self;
}

double
lp_memory_sum(const LpMemory *self)
{
    return self->weights_bytes + self->gradients_bytes + self->optimizer_bytes +
           self->activations_bytes + self->buffers_bytes + self->step_bytes;
}

double
lp_memory_reserved(const LpMemory *self)
{
    return lp_memory_sum(self) + self->cached_bytes;
}

LpMemory
lp_memory_fullest(const LpTransformer *transformer, const LpPlan *plan)
{
    LpMemory fullest = lp_memory_of_stage(transformer, plan, 0);
    for (guint32 stage = 1; stage < plan->degree[LP_AXIS_PP]; stage++) {
        LpMemory memory = lp_memory_of_stage(transformer, plan, stage);
        if (lp_memory_sum(&memory) > lp_memory_sum(&fullest))
            fullest = memory;
    }
    return fullest;
}

double
lp_memory_checkpoint_bytes(const LpTransformer *transformer, const LpPlan *plan)
{
    return lp_transformer_parameters(transformer) *
           (lp_plan_activation_bytes(plan) + held(transformer, plan).state);
}
