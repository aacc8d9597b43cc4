/* SPDX-License-Identifier: Apache-2.0 */
/* Expands an iteration: layers into ops, ops into segments, schedule slots into steps. */
#include "workloads/iteration.h"

#include "base/file.h"

#include <math.h>

G_DEFINE_QUARK(lp_iteration_error, lp_iteration_error)

const char *const lp_collective_names[] = {"all-reduce", "reduce-scatter", "all-gather", NULL};

/* What an expansion needs at every turn. */
typedef struct {
    LpIteration *iteration;
    double time_s[LP_N_BLOCKS][LP_N_PASSES];
    guint64 activation_bytes; /* A = b s h x: one micro-batch's activations */
} Expansion;

/* A chunk's segments by what they do. */
typedef struct {
    guint32 forward, backward, last_backward;
} ChunkSegments;

static void
add_compute(Expansion *self, double duration_s)
{
    if (duration_s <= 0.0)
        return;
    LpOp op = {.kind = LP_OP_COMPUTE, .term = LP_TERM_COMPUTE, .duration_s = duration_s};
    g_array_append_val(self->iteration->ops, op);
}

static void
add_collective(Expansion *self, LpOpKind kind, LpTerm term, LpCollective collective, LpGroup group,
               LpTraffic traffic, guint64 bytes)
{
    if (lp_iteration_group_size(self->iteration, group) < 2 || bytes == 0)
        return;
    LpOp op = {.kind = kind,
               .term = term,
               .collective = collective,
               .group = group,
               .traffic = traffic,
               .bytes = bytes};
    g_array_append_val(self->iteration->ops, op);
}

static void
add_tp(Expansion *self, LpCollective collective, LpTraffic traffic)
{
    add_collective(self, LP_OP_COLLECTIVE, LP_TERM_TP, collective, LP_GROUP_TP, traffic,
                   self->activation_bytes);
}

/* A block's forward pass ends in a sum over the tensor-parallel group. Under sequence parallelism
 * the input is gathered before and the sum scattered after (Korthikanti et al., 4.2.2). */
static void
add_forward_block(Expansion *self, LpBlock block, LpPass pass)
{
    gboolean scattered = self->iteration->plan.sequence_parallel;
    if (scattered)
        add_tp(self, LP_COLLECTIVE_ALL_GATHER, LP_TRAFFIC_TP);
    add_compute(self, self->time_s[block][pass]);
    add_tp(self, scattered ? LP_COLLECTIVE_REDUCE_SCATTER : LP_COLLECTIVE_ALL_REDUCE,
           LP_TRAFFIC_TP);
}

static void
add_backward_block(Expansion *self, LpBlock block)
{
    gboolean scattered = self->iteration->plan.sequence_parallel;
    if (scattered)
        add_tp(self, LP_COLLECTIVE_ALL_GATHER, LP_TRAFFIC_TP);
    add_compute(self, self->time_s[block][LP_PASS_BACKWARD_INPUT]);
    add_tp(self, scattered ? LP_COLLECTIVE_REDUCE_SCATTER : LP_COLLECTIVE_ALL_REDUCE,
           LP_TRAFFIC_TP);
    /* The weight gradient needs the block's whole input, which only its shard was kept of. */
    if (scattered)
        add_tp(self, LP_COLLECTIVE_ALL_GATHER, LP_TRAFFIC_TP);
    add_compute(self, self->time_s[block][LP_PASS_BACKWARD_WEIGHT]);
}

static void
add_recompute(Expansion *self)
{
    if (self->iteration->plan.recompute == LP_RECOMPUTE_FULL) {
        add_forward_block(self, LP_BLOCK_ATTENTION, LP_PASS_RECOMPUTE);
        add_forward_block(self, LP_BLOCK_FFN, LP_PASS_RECOMPUTE);
    } else {
        add_compute(self, self->time_s[LP_BLOCK_ATTENTION][LP_PASS_RECOMPUTE]);
    }
}

static gboolean
holds_embedding(const Expansion *self, guint32 stage, guint32 chunk)
{
    return self->iteration->transformer.embedding && stage == 0 && chunk == 0;
}

static gboolean
holds_head(const Expansion *self, guint32 stage, guint32 chunk)
{
    const LpPlan *plan = &self->iteration->plan;
    return self->iteration->transformer.embedding && stage == plan->degree[LP_AXIS_PP] - 1 &&
           chunk == plan->virtual_stages - 1;
}

static guint32
begin_segment(Expansion *self, const char *name, guint32 stage, guint32 chunk)
{
    LpSegment segment = {
        .name = name, .stage = stage, .chunk = chunk, .first_op = self->iteration->ops->len};
    g_array_append_val(self->iteration->segments, segment);
    return self->iteration->segments->len - 1;
}

static guint32
end_segment(Expansion *self, guint32 index)
{
    LpSegment *segment = &g_array_index(self->iteration->segments, LpSegment, index);
    segment->n_ops = self->iteration->ops->len - segment->first_op;
    return index;
}

/* Scattered boundary messages are gathered before use, unless the layers take shards anyway. */
static void
add_boundary_gather(Expansion *self)
{
    if (self->iteration->plan.scatter_gather && self->iteration->plan.degree[LP_AXIS_PP] > 1)
        add_tp(self, LP_COLLECTIVE_ALL_GATHER, LP_TRAFFIC_TP);
}

static guint32
add_forward_segment(Expansion *self, guint32 stage, guint32 chunk)
{
    const LpIteration *iteration = self->iteration;
    guint32 index = begin_segment(self, "forward", stage, chunk);
    if (stage > 0 || chunk > 0)
        add_boundary_gather(self);
    if (holds_embedding(self, stage, chunk)) {
        add_compute(self, self->time_s[LP_BLOCK_EMBEDDING][LP_PASS_FORWARD]);
        /* Each rank looks up its share of the vocabulary. */
        add_tp(self,
               iteration->plan.sequence_parallel ? LP_COLLECTIVE_REDUCE_SCATTER
                                                 : LP_COLLECTIVE_ALL_REDUCE,
               LP_TRAFFIC_EMBEDDING);
    }
    guint32 n_layers =
        lp_plan_chunk_layers(&iteration->plan, &iteration->transformer, stage, chunk);
    for (guint32 layer = 0; layer < n_layers; layer++) {
        add_forward_block(self, LP_BLOCK_ATTENTION, LP_PASS_FORWARD);
        add_forward_block(self, LP_BLOCK_FFN, LP_PASS_FORWARD);
    }
    if (holds_head(self, stage, chunk)) {
        if (iteration->plan.sequence_parallel)
            add_tp(self, LP_COLLECTIVE_ALL_GATHER, LP_TRAFFIC_EMBEDDING);
        add_compute(self, self->time_s[LP_BLOCK_HEAD][LP_PASS_FORWARD]);
    }
    return end_segment(self, index);
}

/* The gradients of a rank fill buckets in the order in which backward produces them. */
typedef struct {
    Expansion *expansion;
    double filled_bytes;
} Buckets;

static void
flush_bucket(Buckets *self)
{
    const LpPlan *plan = &self->expansion->iteration->plan;
    add_collective(self->expansion, plan->overlap_dp ? LP_OP_LAUNCH : LP_OP_COLLECTIVE, LP_TERM_DP,
                   LP_COLLECTIVE_ALL_REDUCE, LP_GROUP_DP, LP_TRAFFIC_DP,
                   (guint64)llround(self->filled_bytes));
    self->filled_bytes = 0.0;
}

static void
fill_bucket(Buckets *self, double n_parameters)
{
    const LpPlan *plan = &self->expansion->iteration->plan;
    self->filled_bytes += n_parameters / plan->degree[LP_AXIS_TP] * plan->gradient_bytes;
    if (plan->bucket_bytes > 0.0 && self->filled_bytes >= plan->bucket_bytes)
        flush_bucket(self);
}

/* Word embeddings that the head uses too have a gradient on both ends of the pipeline. */
static double
head_gradient_parameters(const LpIteration *iteration)
{
    const LpTransformer *transformer = &iteration->transformer;
    double n_parameters = lp_transformer_head_parameters(transformer);
    if (transformer->tied_embeddings && iteration->plan.degree[LP_AXIS_PP] > 1)
        n_parameters += (double)transformer->vocab * transformer->hidden;
    return n_parameters;
}

/* The gradients of a whole chunk, when they are reduced only after backward. */
static void
fill_chunk(Buckets *self, guint32 stage, guint32 chunk)
{
    const LpIteration *iteration = self->expansion->iteration;
    guint32 n_layers =
        lp_plan_chunk_layers(&iteration->plan, &iteration->transformer, stage, chunk);
    if (holds_head(self->expansion, stage, chunk))
        fill_bucket(self, head_gradient_parameters(iteration));
    for (guint32 layer = 0; layer < n_layers; layer++)
        fill_bucket(self, lp_transformer_layer_parameters(&iteration->transformer, 0));
    if (holds_embedding(self->expansion, stage, chunk))
        fill_bucket(self, lp_transformer_embedding_parameters(&iteration->transformer));
}

/* @buckets: NULL in all but the last micro-batch. */
static guint32
add_backward_segment(Expansion *self, guint32 stage, guint32 chunk, Buckets *buckets)
{
    const LpIteration *iteration = self->iteration;
    guint32 index = begin_segment(self, "backward", stage, chunk);
    if (stage < iteration->plan.degree[LP_AXIS_PP] - 1 ||
        chunk < iteration->plan.virtual_stages - 1)
        add_boundary_gather(self);
    if (holds_head(self, stage, chunk)) {
        add_compute(self, self->time_s[LP_BLOCK_HEAD][LP_PASS_BACKWARD_INPUT]);
        add_tp(self,
               iteration->plan.sequence_parallel ? LP_COLLECTIVE_REDUCE_SCATTER
                                                 : LP_COLLECTIVE_ALL_REDUCE,
               LP_TRAFFIC_EMBEDDING);
        add_compute(self, self->time_s[LP_BLOCK_HEAD][LP_PASS_BACKWARD_WEIGHT]);
        if (buckets != NULL)
            fill_bucket(buckets, head_gradient_parameters(iteration));
    }
    guint32 n_layers =
        lp_plan_chunk_layers(&iteration->plan, &iteration->transformer, stage, chunk);
    for (guint32 layer = 0; layer < n_layers; layer++) {
        add_recompute(self);
        add_backward_block(self, LP_BLOCK_FFN);
        add_backward_block(self, LP_BLOCK_ATTENTION);
        if (buckets != NULL)
            fill_bucket(buckets, lp_transformer_layer_parameters(&iteration->transformer, 0));
    }
    if (holds_embedding(self, stage, chunk)) {
        if (iteration->plan.sequence_parallel)
            add_tp(self, LP_COLLECTIVE_ALL_GATHER, LP_TRAFFIC_EMBEDDING);
        add_compute(self, self->time_s[LP_BLOCK_EMBEDDING][LP_PASS_BACKWARD_INPUT]);
        if (buckets != NULL)
            fill_bucket(buckets, lp_transformer_embedding_parameters(&iteration->transformer));
    }
    return end_segment(self, index);
}

static gboolean
exchanges_embedding(const LpIteration *iteration, guint32 stage)
{
    const LpTransformer *transformer = &iteration->transformer;
    guint32 pp = iteration->plan.degree[LP_AXIS_PP];
    return transformer->embedding && transformer->tied_embeddings && pp > 1 &&
           (stage == 0 || stage == pp - 1);
}

/* After the last backward pass: what is left of the gradient reduction, then the optimiser. */
static guint32
add_finish_segment(Expansion *self, guint32 stage, Buckets *buckets, double optimizer_s)
{
    const LpIteration *iteration = self->iteration;
    guint32 index = begin_segment(self, "finish", stage, 0);
    if (!iteration->plan.overlap_dp)
        for (guint32 chunk = iteration->plan.virtual_stages; chunk-- > 0;)
            fill_chunk(buckets, stage, chunk);
    if (buckets->filled_bytes > 0.0)
        flush_bucket(buckets);
    if (iteration->plan.overlap_dp && lp_iteration_group_size(iteration, LP_GROUP_DP) > 1) {
        LpOp join = {.kind = LP_OP_JOIN, .term = LP_TERM_DP};
        g_array_append_val(iteration->ops, join);
    }
    if (exchanges_embedding(iteration, stage))
        add_collective(
            self, LP_OP_COLLECTIVE, LP_TERM_DP, LP_COLLECTIVE_ALL_REDUCE, LP_GROUP_EMBEDDING,
            LP_TRAFFIC_EMBEDDING,
            (guint64)llround((double)iteration->transformer.vocab * iteration->transformer.hidden /
                             iteration->plan.degree[LP_AXIS_TP] * iteration->plan.gradient_bytes));
    LpOp optimizer = {.kind = LP_OP_COMPUTE, .term = LP_TERM_OPTIMIZER, .duration_s = optimizer_s};
    g_array_append_val(iteration->ops, optimizer);
    return end_segment(self, index);
}

static void
add_step(Expansion *self, LpStep step)
{
    g_array_append_val(self->iteration->steps, step);
}

/* The virtual stages stand in one line, chunk * pp + stage; a slot's neighbours on it are the
 * peers of its messages. */
static void
add_slot(Expansion *self, guint32 stage, const LpSlot *slot, guint32 segment)
{
    const LpPlan *plan = &self->iteration->plan;
    guint32 pp = plan->degree[LP_AXIS_PP];
    guint32 position = slot->chunk * pp + stage, last = pp * plan->virtual_stages - 1;
    gboolean forward = slot->direction == LP_DIRECTION_FORWARD;
    LpStep step = {
        .direction = slot->direction, .segment = segment, .micro_batch = slot->micro_batch};

    if (pp > 1 && position != (forward ? 0 : last)) {
        step.kind = LP_STEP_RECV;
        step.peer = (forward ? position - 1 : position + 1) % pp;
        add_step(self, step);
    }
    step.kind = LP_STEP_SEGMENT;
    add_step(self, step);
    if (pp > 1 && position != (forward ? last : 0)) {
        step.kind = LP_STEP_SEND;
        step.peer = (forward ? position + 1 : position - 1) % pp;
        add_step(self, step);
    }
}

/* Which of the stage's slots is a chunk's last backward pass: its gradients are complete then. */
static void
find_last_backward(const GArray *slots, guint *out_last, guint32 n_chunks)
{
    for (guint i = 0; i < slots->len; i++) {
        const LpSlot *slot = &g_array_index(slots, LpSlot, i);
        if (slot->direction == LP_DIRECTION_BACKWARD && slot->chunk < n_chunks)
            out_last[slot->chunk] = i;
    }
}

static void
add_stage(Expansion *self, guint32 stage, double optimizer_s)
{
    LpIteration *iteration = self->iteration;
    guint32 v = iteration->plan.virtual_stages;
    g_autofree ChunkSegments *segments = g_new0(ChunkSegments, v);
    g_autofree guint *last = g_new0(guint, v);
    g_autoptr(GArray) slots = lp_schedule_new(&iteration->plan, stage);
    find_last_backward(slots, last, v);

    Buckets buckets = {.expansion = self};
    for (guint32 chunk = 0; chunk < v; chunk++) {
        segments[chunk].forward = add_forward_segment(self, stage, chunk);
        segments[chunk].backward = add_backward_segment(self, stage, chunk, NULL);
    }
    /* Buckets reach across chunks in the order of their last backward passes: from the last. */
    for (guint32 chunk = v; chunk-- > 0;) {
        if (!iteration->plan.overlap_dp) {
            segments[chunk].last_backward = segments[chunk].backward;
            continue;
        }
        segments[chunk].last_backward = add_backward_segment(self, stage, chunk, &buckets);
    }

    LpProgram program = {.first_step = iteration->steps->len};
    for (guint i = 0; i < slots->len; i++) {
        const LpSlot *slot = &g_array_index(slots, LpSlot, i);
        const ChunkSegments *chunk = &segments[slot->chunk];
        add_slot(self, stage, slot,
                 slot->direction == LP_DIRECTION_FORWARD ? chunk->forward
                 : i == last[slot->chunk]                ? chunk->last_backward
                                                         : chunk->backward);
    }
    LpStep finish = {.kind = LP_STEP_SEGMENT};
    finish.segment = add_finish_segment(self, stage, &buckets, optimizer_s);
    add_step(self, finish);
    program.n_steps = iteration->steps->len - program.first_step;
    g_array_append_val(iteration->programs, program);
}

static void
read_kernel_times(Expansion *self, const LpAccelerator *accelerator)
{
    const LpIteration *iteration = self->iteration;
    for (LpBlock block = 0; block < LP_N_BLOCKS; block++)
        for (LpPass pass = 0; pass < LP_N_PASSES; pass++)
            self->time_s[block][pass] = lp_block_time_s(&iteration->transformer, &iteration->plan,
                                                        accelerator, 0, block, pass);
}

static guint64
boundary_message_bytes(const LpPlan *plan, guint64 activation_bytes)
{
    return plan->sequence_parallel || plan->scatter_gather
               ? activation_bytes / plan->degree[LP_AXIS_TP]
               : activation_bytes;
}

/* The arrays below hold an op a collective and a step a message; a plan with billions of either is
 * a slip of the pen, and would exhaust the memory before it could be simulated. */
static gboolean
check_steps(const LpWorkload *workload, GError **error)
{
    const double limit = 1 << 25;
    const LpPlan *plan = &workload->plan;
    double n_ops = 36.0 * workload->transformer.n_layers;
    double n_steps =
        6.0 * lp_plan_n_micro_batches(plan) * plan->virtual_stages * plan->degree[LP_AXIS_PP];
    if (n_ops <= limit && n_steps <= limit)
        return TRUE;
    g_set_error(error, LP_ITERATION_ERROR, LP_ITERATION_ERROR_SIZE,
                "%s: layers, pp, virtual-stages, global-batch: got an iteration of %.3g operations "
                "a pass and %.3g steps, wanted at most %.3g of each",
                lp_file_label(workload->path), n_ops, n_steps, limit);
    return FALSE;
}

/* Bytes are counted in 64 bits, and summed over all ranks: an upper bound of every class, with 16
 * buffers a layer and pass, must fit with room to spare. */
static gboolean
check_volumes(const LpWorkload *workload, GError **error)
{
    const double limit = 0x1p62;
    const LpPlan *plan = &workload->plan;
    const LpTransformer *shape = &workload->transformer;
    double n_ranks = (double)lp_plan_n_ranks(plan);
    double activations = (double)plan->micro_batch * shape->seq * shape->hidden *
                         lp_plan_activation_bytes(plan) * lp_plan_n_micro_batches(plan);
    double pp = plan->degree[LP_AXIS_PP];
    double stage_layers = shape->n_layers / pp + plan->virtual_stages;
    double layers_and_messages = 16.0 * (stage_layers + 2.0) + 4.0 * plan->virtual_stages;
    double gradients = 4.0 *
                       (lp_transformer_parameters(shape) + (double)shape->vocab * shape->hidden) *
                       plan->gradient_bytes;
    double bytes = (activations * layers_and_messages + gradients) * n_ranks;
    if (bytes <= limit)
        return TRUE;
    g_set_error(error, LP_ITERATION_ERROR, LP_ITERATION_ERROR_SIZE,
                "%s: layers, hidden, seq, vocab, global-batch: got an iteration that moves up to "
                "%.3g bytes, wanted at most %.3g",
                lp_file_label(workload->path), bytes, limit);
    return FALSE;
}

LpIteration *
lp_iteration_new_empty(void)
{
    LpIteration *self = g_new0(LpIteration, 1);
    self->ops = g_array_new(FALSE, FALSE, sizeof(LpOp));
    self->segments = g_array_new(FALSE, FALSE, sizeof(LpSegment));
    self->steps = g_array_new(FALSE, FALSE, sizeof(LpStep));
    self->programs = g_array_new(FALSE, FALSE, sizeof(LpProgram));
    return self;
}

LpIteration *
lp_iteration_new(const LpWorkload *workload, const LpAccelerator *accelerator, GError **error)
{
    if (!check_steps(workload, error) || !check_volumes(workload, error))
        return NULL;
    LpIteration *iteration = lp_iteration_new_empty();
    iteration->transformer = workload->transformer;
    iteration->plan = workload->plan;

    const LpPlan *plan = &iteration->plan;
    Expansion expansion = {.iteration = iteration};
    expansion.activation_bytes = (guint64)plan->micro_batch * iteration->transformer.seq *
                                 iteration->transformer.hidden * lp_plan_activation_bytes(plan);
    iteration->message_bytes = boundary_message_bytes(plan, expansion.activation_bytes);
    read_kernel_times(&expansion, accelerator);
    for (guint32 stage = 0; stage < plan->degree[LP_AXIS_PP]; stage++)
        add_stage(&expansion, stage,
                  lp_optimizer_time_s(&iteration->transformer, plan, accelerator, stage));
    return iteration;
}

void
lp_iteration_free(LpIteration *self)
{
    if (self == NULL)
        return;
    g_array_unref(self->ops);
    g_array_unref(self->segments);
    g_array_unref(self->steps);
    g_array_unref(self->programs);
    g_free(self);
}

const LpSegment *
lp_iteration_segment(const LpIteration *self, guint index)
{
    return &g_array_index(self->segments, LpSegment, index);
}

const LpOp *
lp_iteration_op(const LpIteration *self, guint index)
{
    return &g_array_index(self->ops, LpOp, index);
}

const LpProgram *
lp_iteration_program(const LpIteration *self, guint stage)
{
    return &g_array_index(self->programs, LpProgram, stage);
}

const LpStep *
lp_iteration_step(const LpIteration *self, guint index)
{
    return &g_array_index(self->steps, LpStep, index);
}

static LpAxis
group_axis(LpGroup group)
{
    return group == LP_GROUP_TP ? LP_AXIS_TP : LP_AXIS_DP;
}

guint64
lp_iteration_group_size(const LpIteration *self, LpGroup group)
{
    if (group == LP_GROUP_EMBEDDING)
        return MIN(self->plan.degree[LP_AXIS_PP], 2);
    return self->plan.degree[group_axis(group)];
}

guint64
lp_iteration_group_member(const LpIteration *self, LpGroup group, guint64 rank, guint64 index)
{
    if (group == LP_GROUP_EMBEDDING)
        return lp_iteration_stage_mate(self, rank,
                                       index == 0 ? 0 : self->plan.degree[LP_AXIS_PP] - 1);
    LpCoordinates coordinates = lp_plan_coordinates(&self->plan, rank);
    coordinates.at[group_axis(group)] = (guint32)index;
    return lp_plan_rank(&self->plan, &coordinates);
}

guint64
lp_iteration_group_index(const LpIteration *self, LpGroup group, guint64 rank)
{
    LpCoordinates coordinates = lp_plan_coordinates(&self->plan, rank);
    if (group == LP_GROUP_EMBEDDING)
        return coordinates.at[LP_AXIS_PP] == 0 ? 0 : 1;
    return coordinates.at[group_axis(group)];
}

gboolean
lp_iteration_has_group(const LpIteration *self, LpGroup group, guint64 rank)
{
    guint32 stage = lp_plan_coordinates(&self->plan, rank).at[LP_AXIS_PP];
    return lp_iteration_group_size(self, group) > 1 &&
           (group != LP_GROUP_EMBEDDING || exchanges_embedding(self, stage));
}

guint64
lp_iteration_stage_mate(const LpIteration *self, guint64 rank, guint32 stage)
{
    LpCoordinates coordinates = lp_plan_coordinates(&self->plan, rank);
    coordinates.at[LP_AXIS_PP] = stage;
    return lp_plan_rank(&self->plan, &coordinates);
}
