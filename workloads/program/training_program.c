/* SPDX-License-Identifier: Apache-2.0 */
/* Expands an iteration: layers into segments, schedule slots into steps. */
#include "workloads/program/training_program.h"

#include "base/file.h"
#include "workloads/program/lowering.h"
#include "workloads/program/gradient_sync.h"
#include "workloads/program/pipeline_schedule.h"

#include <math.h>

G_DEFINE_QUARK(lp_program_error, lp_program_error)

#define NO_SEGMENT G_MAXUINT32

/* A chunk's segments by what they do; made when they are first needed. */
typedef struct {
    guint32 forward, first_forward;
    guint32 backward, last_backward;
    guint32 input;
    guint32 weight, last_weight;
    guint32 pair; /* of this chunk's forward pass with the other's backward */
} ChunkSegments;

/* A stage being expanded. */
typedef struct {
    LpLowering lowering;
    LpProgram *program; /* borrowed */
    guint32 stage;
    ChunkSegments *chunks; /* owned by add_stage() */
    LpGradientBuckets buckets;
    GArray *gathers; /* owned by add_stage(): by unit, launches that may be left when it begins */
} Stage;

/* --- segments --- */

static guint32
begin_segment(Stage *self, LpRole role, guint32 chunk)
{
    LpSegment segment = {
        .role = role, .stage = self->stage, .chunk = chunk, .first_op = self->program->ops->len};
    g_array_append_val(self->program->segments, segment);
    for (LpStream stream = 0; stream < LP_N_STREAMS; stream++)
        self->lowering.n_launched[stream] = 0;
    self->lowering.first_op = self->program->ops->len;
    return self->program->segments->len - 1;
}

static guint32
end_segment(Stage *self, guint32 index)
{
    LpSegment *segment = &g_array_index(self->program->segments, LpSegment, index);
    segment->n_ops = self->program->ops->len - segment->first_op;
    return index;
}

/* --- units: embedding, layers and head of a chunk, in the order of the forward pass --- */

typedef enum {
    UNIT_EMBEDDING,
    UNIT_LAYER,
    UNIT_HEAD
} UnitKind;

typedef struct {
    UnitKind kind;
    guint32 layer;
    LpParameters parameters;
} Unit;

static void
append_unit(GArray *units, UnitKind kind, guint32 layer, LpParameters parameters)
{
    Unit unit = {kind, layer, parameters};
    g_array_append_val(units, unit);
}

/* A pair's decoder begins in the middle of a chunk, and embeds its own sequences there. Parameters
 * of both embeddings are counted with the first. */
static GArray *
units_of(const Stage *self, guint32 chunk)
{
    const LpPlan *plan = self->lowering.plan;
    const LpTransformer *shape = self->lowering.transformer;
    GArray *units = g_array_new(FALSE, FALSE, sizeof(Unit));
    double tp = plan->degree[LP_AXIS_TP];
    guint32 slice = lp_plan_slice(plan, self->stage, chunk);
    guint32 first = lp_plan_slice_first_layer(plan, shape, slice);
    guint32 n_layers = lp_plan_slice_layers(plan, shape, slice);
    if (shape->embedding && lp_plan_holds_embedding(plan, self->stage, chunk))
        append_unit(units, UNIT_EMBEDDING, 0,
                    (LpParameters){lp_transformer_embedding_parameters(shape) / tp, 0.0});
    for (guint32 layer = first; layer < first + n_layers; layer++) {
        if (shape->embedding && layer == shape->n_layers)
            append_unit(units, UNIT_EMBEDDING, layer, (LpParameters){0.0, 0.0});
        append_unit(units, UNIT_LAYER, layer, lp_plan_layer_parameters(plan, shape, layer));
    }
    if (shape->embedding && lp_plan_holds_head(plan, self->stage, chunk))
        append_unit(units, UNIT_HEAD, 0,
                    (LpParameters){(lp_transformer_head_parameters(shape) +
                                    lp_plan_tied_copy_parameters(plan, shape)) /
                                       tp,
                                   0.0});
    return units;
}

static void
add_unit_forward(Stage *self, const Unit *unit)
{
    if (unit->kind == UNIT_EMBEDDING)
        lp_lowering_add_embedding_forward(&self->lowering, unit->layer);
    else if (unit->kind == UNIT_LAYER)
        lp_lowering_add_layer_forward(&self->lowering, unit->layer);
    else
        lp_lowering_add_head_forward(&self->lowering);
}

static void
add_unit_backward(Stage *self, const Unit *unit, LpRole part)
{
    if (unit->kind == UNIT_EMBEDDING)
        lp_lowering_add_embedding_backward(&self->lowering, unit->layer, part);
    else if (unit->kind == UNIT_LAYER)
        lp_lowering_add_layer_backward(&self->lowering, unit->layer, part);
    else
        lp_lowering_add_head_backward(&self->lowering, part);
}

/* Stage 3 gathers a unit's parameters before its pass, some units ahead if that is to be hidden
 * (Zhao et al., arXiv 2304.11277, section 3.3.2). */
typedef struct {
    Stage *stage;
    const GArray *units;
    gboolean backwards;
    guint n_ahead;  /* units whose gathers have been launched */
    guint *numbers; /* owned: of the launches, by position */
} Prefetch;

static const Unit *
unit_at(const GArray *units, guint position, gboolean backwards)
{
    return &g_array_index(units, Unit, backwards ? units->len - 1 - position : position);
}

static void
prefetch_unit(Prefetch *self, guint position)
{
    const LpPlan *plan = self->stage->lowering.plan;
    LpLowering *lowering = &self->stage->lowering;
    if (plan->zero != 3 || (self->backwards && plan->keeps_parameters))
        return;
    if (!plan->overlap_param) {
        lp_gradient_sync_gather(lowering,
                                unit_at(self->units, position, self->backwards)->parameters);
        return;
    }
    guint wanted = (guint)MIN((guint64)position + plan->prefetch + 1, self->units->len);
    for (; self->n_ahead < wanted; self->n_ahead++)
        self->numbers[self->n_ahead] = lp_gradient_sync_launch_gather(
            lowering, unit_at(self->units, self->n_ahead, self->backwards)->parameters);
    lp_lowering_add_join(lowering, LP_STREAM_DP, self->numbers[position], LP_TERM_DP);
}

/* --- passes --- */

/* Scattered boundary messages are gathered before use, unless the layers take shards anyway. */
static void
add_boundary_gather(Stage *self)
{
    const LpPlan *plan = self->lowering.plan;
    guint32 seq = self->lowering.transformer->seq;
    if (plan->scatter_gather && plan->degree[LP_AXIS_PP] > 1)
        lp_lowering_add_collective(
            &self->lowering, LP_COLLECTIVE_ALL_GATHER, LP_GROUP_TP,
            lp_lowering_wire_bytes(&self->lowering, lp_plan_tokens(plan, seq)));
}

/* Updated parameters are gathered in the order in which the first forward pass needs them: the one
 * of this unit is the @index-th of all. */
static void
join_gathered(Stage *self, guint index)
{
    if (index >= self->gathers->len)
        return;
    LpOp op = {.kind = LP_OP_JOIN,
               .term = LP_TERM_DP,
               .stream = LP_STREAM_DP,
               .n_pending = g_array_index(self->gathers, guint, index)};
    g_array_append_val(self->program->ops, op);
}

/* The @k-th chunk in an order that is the same on all ranks that hold the same slices: DualPipe's
 * two holders count their chunks from opposite ends. */
static guint32
shared_order(const Stage *self, guint32 k)
{
    const LpPlan *plan = self->lowering.plan;
    gboolean upper = self->stage >= plan->degree[LP_AXIS_PP] / 2;
    return plan->schedule == LP_SCHEDULE_DUALPIPE && upper ? 1 - k : k;
}

static void
add_forward_ops(Stage *self, guint32 chunk, gboolean first)
{
    const LpPlan *plan = self->lowering.plan;
    g_autoptr(GArray) units = units_of(self, chunk);
    g_autofree guint *numbers = g_new0(guint, units->len + 1);
    Prefetch prefetch = {.stage = self, .units = units, .numbers = numbers};
    guint gathered = 0;
    for (guint32 k = 0; first && shared_order(self, k) != chunk; k++) {
        g_autoptr(GArray) before = units_of(self, shared_order(self, k));
        gathered += before->len;
    }
    if (lp_plan_slice(plan, self->stage, chunk) > 0)
        add_boundary_gather(self);
    for (guint i = 0; i < units->len; i++) {
        prefetch_unit(&prefetch, i);
        if (first)
            join_gathered(self, gathered + i);
        add_unit_forward(self, &g_array_index(units, Unit, i));
    }
}

/* @completes: gradients are complete after it. */
static void
add_backward_ops(Stage *self, guint32 chunk, LpRole part, gboolean completes)
{
    const LpPlan *plan = self->lowering.plan;
    g_autoptr(GArray) units = units_of(self, chunk);
    g_autofree guint *numbers = g_new0(guint, units->len + 1);
    Prefetch prefetch = {.stage = self, .units = units, .backwards = TRUE, .numbers = numbers};
    if (part != LP_ROLE_WEIGHT &&
        lp_plan_slice(plan, self->stage, chunk) < lp_plan_n_slices(plan) - 1)
        add_boundary_gather(self);
    for (guint i = 0; i < units->len; i++) {
        const Unit *unit = unit_at(units, i, TRUE);
        if (part != LP_ROLE_WEIGHT)
            prefetch_unit(&prefetch, i);
        add_unit_backward(self, unit, part);
        if (completes)
            lp_gradient_buckets_fill(&self->buckets, unit->parameters);
    }
    /* Micro-batches do not share buckets. */
    if (completes && lp_plan_reduces_each(plan))
        lp_gradient_buckets_flush(&self->buckets);
}

static guint32
forward_segment(Stage *self, guint32 chunk, gboolean first)
{
    ChunkSegments *segments = &self->chunks[chunk];
    guint32 *place = first ? &segments->first_forward : &segments->forward;
    if (*place == NO_SEGMENT) {
        *place = begin_segment(self, LP_ROLE_FORWARD, chunk);
        add_forward_ops(self, chunk, first);
        (void)end_segment(self, *place);
    }
    return *place;
}

static guint32
backward_segment(Stage *self, guint32 chunk, LpRole part, gboolean completes)
{
    ChunkSegments *segments = &self->chunks[chunk];
    guint32 *place = &segments->input;
    if (part == LP_ROLE_BACKWARD)
        place = completes ? &segments->last_backward : &segments->backward;
    else if (part == LP_ROLE_WEIGHT)
        place = completes ? &segments->last_weight : &segments->weight;
    /* Buckets reach across chunks, in the order in which these are completed. */
    if (*place == NO_SEGMENT) {
        *place = begin_segment(self, part, chunk);
        add_backward_ops(self, chunk, part, completes);
        (void)end_segment(self, *place);
    }
    return *place;
}

/* --- pairs: a forward and a backward pass, each hiding the other's all-to-alls --- */

/* A pass being woven in. */
typedef struct {
    const GArray *ops;
    guint next;
    gboolean waits; /* for an all-to-all of its own */
} Thread;

static gboolean
is_exchange(const LpOp *op)
{
    return op->kind == LP_OP_LAUNCH && op->traffic == LP_TRAFFIC_EP;
}

/* The wait that follows an all-to-all where its pass is alone. */
static gboolean
awaits_exchange(const LpOp *op)
{
    return op->kind == LP_OP_JOIN && op->term == LP_TERM_EP;
}

static void
append_join(Stage *self, guint n_pending)
{
    LpOp join = {
        .kind = LP_OP_JOIN, .term = LP_TERM_EP, .stream = LP_STREAM_LAYER, .n_pending = n_pending};
    g_array_append_val(self->program->ops, join);
}

/* Goes on with @thread up to and with its next all-to-all. */
static void
weave(Stage *stage, Thread *thread, gboolean other_waits)
{
    if (thread->waits)
        append_join(stage, other_waits ? 1 : 0);
    thread->waits = FALSE;
    while (thread->next < thread->ops->len && !thread->waits) {
        LpOp op = g_array_index(thread->ops, LpOp, thread->next++);
        thread->waits = is_exchange(&op);
        if (!awaits_exchange(&op))
            g_array_append_val(stage->program->ops, op);
    }
}

static gboolean
is_done(const Thread *thread)
{
    return thread->next == thread->ops->len && !thread->waits;
}

/* The ops of a segment, as it would be alone. */
static GArray *
take_ops(Stage *self, guint first)
{
    GArray *ops = self->program->ops;
    GArray *taken = g_array_new(FALSE, FALSE, sizeof(LpOp));
    g_array_append_vals(taken, &g_array_index(ops, LpOp, first), ops->len - first);
    g_array_set_size(ops, first);
    return taken;
}

static guint32
pair_segment(Stage *self, guint32 forward_chunk, guint32 backward_chunk)
{
    guint32 *place = &self->chunks[forward_chunk].pair;
    if (*place != NO_SEGMENT)
        return *place;
    *place = begin_segment(self, LP_ROLE_PAIR, forward_chunk);
    guint first = self->program->ops->len;
    add_forward_ops(self, forward_chunk, FALSE);
    g_autoptr(GArray) forward = take_ops(self, first);
    add_backward_ops(self, backward_chunk, LP_ROLE_BACKWARD, FALSE);
    g_autoptr(GArray) backward = take_ops(self, first);
    Thread threads[2] = {{.ops = forward}, {.ops = backward}};
    for (guint turn = 0; !is_done(&threads[0]) || !is_done(&threads[1]); turn++)
        weave(self, &threads[turn % 2], threads[(turn + 1) % 2].waits);
    return end_segment(self, *place);
}

/* --- start and finish --- */

/* ZeRO 1 and 2, hidden: the parameters that the last iteration updated. */
static guint32
add_start_segment(Stage *self)
{
    guint32 index = begin_segment(self, LP_ROLE_START, 0);
    g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(guint));
    guint last = G_MAXUINT;
    for (guint32 k = 0; k < lp_plan_n_chunks(self->lowering.plan); k++) {
        g_autoptr(GArray) units = units_of(self, shared_order(self, k));
        LpParameters waiting = {0.0, 0.0};
        guint n_waiting = 0;
        for (guint i = 0; i < units->len; i++) {
            const Unit *unit = &g_array_index(units, Unit, i);
            waiting.dense += unit->parameters.dense;
            waiting.experts += unit->parameters.experts;
            n_waiting++;
            double bytes =
                (waiting.dense + waiting.experts) * lp_plan_activation_bytes(self->lowering.plan);
            gboolean full = self->lowering.plan->bucket_bytes > 0.0 &&
                            bytes >= self->lowering.plan->bucket_bytes;
            if (!full && i + 1 < units->len)
                continue;
            guint number = lp_gradient_sync_launch_gather(&self->lowering, waiting);
            last = number != G_MAXUINT ? number : last;
            for (; n_waiting > 0; n_waiting--)
                g_array_append_val(numbers, last);
            waiting = (LpParameters){0.0, 0.0};
        }
    }
    guint n_launched = self->lowering.n_launched[LP_STREAM_DP];
    for (guint i = 0; i < numbers->len && n_launched > 0; i++) {
        guint number = g_array_index(numbers, guint, i);
        guint n_pending = number == G_MAXUINT ? n_launched : n_launched - number - 1;
        g_array_append_val(self->gathers, n_pending);
    }
    return end_segment(self, index);
}

/* Gradients are summed in the order in which backward completes them: from the last chunk. */
static guint32
reduction_chunk(const Stage *self, guint32 k)
{
    return shared_order(self, lp_plan_n_chunks(self->lowering.plan) - 1 - k);
}

static void
reduce_all(Stage *self)
{
    for (guint32 k = 0; k < lp_plan_n_chunks(self->lowering.plan); k++) {
        g_autoptr(GArray) units = units_of(self, reduction_chunk(self, k));
        for (guint i = 0; i < units->len; i++)
            lp_gradient_buckets_fill(&self->buckets, unit_at(units, i, TRUE)->parameters);
    }
}

static void
exchange_embedding(Stage *self)
{
    const LpPlan *plan = self->lowering.plan;
    const LpTransformer *shape = self->lowering.transformer;
    if (!lp_group_exchanges_embedding(shape, plan, self->stage))
        return;
    double bytes =
        (double)shape->vocab * shape->hidden / plan->degree[LP_AXIS_TP] * plan->gradient_bytes;
    lp_lowering_add_collective(&self->lowering, LP_COLLECTIVE_ALL_REDUCE, LP_GROUP_EMBEDDING,
                               (guint64)llround(bytes));
}

/* Whether gradients are reduced as soon as they are complete, and not at the end. */
static gboolean
reduces_early(const LpPlan *plan)
{
    return plan->overlap_dp || plan->zero == 3 || lp_plan_reduces_each(plan);
}

/* After the last backward pass: what is left of the gradient reduction, then the optimiser. */
static guint32
add_finish_segment(Stage *self, double optimizer_s)
{
    const LpPlan *plan = self->lowering.plan;
    guint32 index = begin_segment(self, LP_ROLE_FINISH, 0);
    if (!reduces_early(plan))
        reduce_all(self);
    lp_gradient_buckets_flush(&self->buckets);
    lp_lowering_add_join_all(&self->lowering, LP_STREAM_DP, LP_TERM_DP);
    exchange_embedding(self);
    lp_lowering_add_compute(&self->lowering, LP_TERM_OPTIMIZER,
                            (LpWork){optimizer_s, 0.0, optimizer_s});
    if ((plan->zero == 1 || plan->zero == 2) && !plan->overlap_param)
        lp_gradient_sync_gather(
            &self->lowering,
            lp_plan_rank_parameters(plan, self->lowering.transformer, self->stage));
    return end_segment(self, index);
}

/* --- steps --- */

static void
add_step(Stage *self, LpStep step)
{
    g_array_append_val(self->program->steps, step);
}

/* A message that a pass of @chunk awaits or sends. Slices stand in one line; a slice's neighbours
 * on it are the peers. */
static void
add_message(Stage *self, LpStepKind kind, gboolean forward, guint32 chunk, guint32 micro_batch)
{
    const LpPlan *plan = self->lowering.plan;
    guint32 pp = plan->degree[LP_AXIS_PP], slice = lp_plan_slice(plan, self->stage, chunk);
    gboolean to_next = forward == (kind == LP_STEP_SEND); /* towards the line's end */
    if (pp == 1 || slice == (to_next ? lp_plan_n_slices(plan) - 1 : 0))
        return;
    gboolean up = plan->schedule == LP_SCHEDULE_DUALPIPE && chunk == 1;
    guint32 step = to_next != up ? 1 : pp - 1;
    LpLine line = forward ? LP_LINE_FORWARD : LP_LINE_BACKWARD;
    if (up)
        line = forward ? LP_LINE_FORWARD_UP : LP_LINE_BACKWARD_UP;
    if (kind == LP_STEP_SEND && plan->overlap_pp)
        self->program->uses_stream[LP_STREAM_PP] = TRUE;
    add_step(self, (LpStep){.kind = kind,
                            .line = line,
                            .peer = (self->stage + step) % pp,
                            .chunk = chunk,
                            .micro_batch = micro_batch});
}

static void
add_slot(Stage *self, const LpSlot *slot, guint32 segment)
{
    gboolean forward = slot->kind == LP_SLOT_FORWARD || slot->kind == LP_SLOT_PAIR;
    gboolean pair = slot->kind == LP_SLOT_PAIR;
    gboolean backward = slot->kind == LP_SLOT_BACKWARD || slot->kind == LP_SLOT_INPUT || pair;
    guint32 back_chunk = pair ? slot->back_chunk : slot->chunk;
    guint32 back_micro_batch = pair ? slot->back_micro_batch : slot->micro_batch;
    if (forward)
        add_message(self, LP_STEP_RECV, TRUE, slot->chunk, slot->micro_batch);
    if (backward)
        add_message(self, LP_STEP_RECV, FALSE, back_chunk, back_micro_batch);
    add_step(self, (LpStep){.kind = LP_STEP_SEGMENT,
                            .segment = segment,
                            .chunk = slot->chunk,
                            .micro_batch = slot->micro_batch});
    if (forward)
        add_message(self, LP_STEP_SEND, TRUE, slot->chunk, slot->micro_batch);
    if (backward)
        add_message(self, LP_STEP_SEND, FALSE, back_chunk, back_micro_batch);
}

/* The last slot that adds to a chunk's gradients of weights, by chunk. */
static void
find_last(const GArray *slots, guint *out_last)
{
    for (guint i = 0; i < slots->len; i++) {
        const LpSlot *slot = &g_array_index(slots, LpSlot, i);
        if (slot->kind == LP_SLOT_BACKWARD || slot->kind == LP_SLOT_WEIGHT)
            out_last[slot->chunk] = i;
    }
}

static guint32
slot_segment(Stage *self, const LpSlot *slot, gboolean first, gboolean last)
{
    const LpPlan *plan = self->lowering.plan;
    gboolean completes = reduces_early(plan) &&
                         (last || (lp_plan_reduces_each(plan) && slot->kind != LP_SLOT_INPUT));
    switch (slot->kind) {
    case LP_SLOT_FORWARD:
        return forward_segment(self, slot->chunk, first && self->gathers->len > 0);
    case LP_SLOT_BACKWARD:
        return backward_segment(self, slot->chunk, LP_ROLE_BACKWARD, completes);
    case LP_SLOT_INPUT:
        return backward_segment(self, slot->chunk, LP_ROLE_INPUT, FALSE);
    case LP_SLOT_WEIGHT:
        return backward_segment(self, slot->chunk, LP_ROLE_WEIGHT, completes);
    case LP_SLOT_PAIR:
        return pair_segment(self, slot->chunk, slot->back_chunk);
    case LP_N_SLOT_KINDS:
        break;
    }
    g_assert_not_reached();
}

static void
add_slots(Stage *self)
{
    guint32 n_chunks = lp_plan_n_chunks(self->lowering.plan);
    g_autoptr(GArray) slots = lp_pipeline_schedule_new(self->lowering.plan, self->stage);
    g_autofree guint *last = g_new0(guint, n_chunks);
    g_autofree gboolean *seen = g_new0(gboolean, n_chunks);
    find_last(slots, last);
    for (guint i = 0; i < slots->len; i++) {
        const LpSlot *slot = &g_array_index(slots, LpSlot, i);
        gboolean first = slot->kind == LP_SLOT_FORWARD && !seen[slot->chunk];
        seen[slot->chunk] = seen[slot->chunk] || first;
        add_slot(self, slot, slot_segment(self, slot, first, i == last[slot->chunk]));
    }
}

static void
add_stage(LpLowering *lowering, guint32 stage, double optimizer_s)
{
    LpProgram *program = lowering->program;
    guint32 n_chunks = lp_plan_n_chunks(lowering->plan);
    g_autofree ChunkSegments *chunks = g_new(ChunkSegments, n_chunks);
    g_autoptr(GArray) gathers = g_array_new(FALSE, FALSE, sizeof(guint));
    for (guint32 i = 0; i < n_chunks; i++)
        chunks[i] = (ChunkSegments){NO_SEGMENT, NO_SEGMENT, NO_SEGMENT, NO_SEGMENT,
                                    NO_SEGMENT, NO_SEGMENT, NO_SEGMENT, NO_SEGMENT};
    Stage self = {.lowering = *lowering,
                  .program = program,
                  .stage = stage,
                  .chunks = chunks,
                  .gathers = gathers};
    self.buckets.lowering = &self.lowering;

    LpStageProgram stage_program = {.first_step = program->steps->len};
    if (lowering->plan->overlap_param && lowering->plan->zero < 3)
        add_step(&self, (LpStep){.kind = LP_STEP_SEGMENT, .segment = add_start_segment(&self)});
    add_slots(&self);
    add_step(&self,
             (LpStep){.kind = LP_STEP_SEGMENT, .segment = add_finish_segment(&self, optimizer_s)});
    stage_program.n_steps = program->steps->len - stage_program.first_step;
    g_array_append_val(program->stage_programs, stage_program);
}

static guint64
boundary_message_bytes(const LpTransformer *transformer, const LpPlan *plan)
{
    double bytes =
        lp_plan_tokens(plan, transformer->seq) * transformer->hidden * lp_plan_wire_bytes(plan);
    gboolean scattered = plan->sequence_parallel || plan->scatter_gather;
    return (guint64)(scattered ? bytes / plan->degree[LP_AXIS_TP] : bytes);
}

/* --- size --- */

/* The arrays below hold an op a collective and a step a message; a plan with billions of either is
 * a slip of the pen, and would exhaust the memory before it could be simulated. */
static gboolean
check_steps(const LpWorkload *workload, GError **error)
{
    const double limit = 1 << 25;
    const LpPlan *plan = &workload->plan;
    double n_ops = 160.0 * lp_transformer_n_layers(&workload->transformer);
    double n_steps =
        8.0 * lp_plan_n_micro_batches(plan) * plan->virtual_stages * plan->degree[LP_AXIS_PP];
    if (n_ops <= limit && n_steps <= limit)
        return TRUE;
    g_set_error(error, LP_PROGRAM_ERROR, LP_PROGRAM_ERROR_SIZE,
                "%s: layers, pp, virtual-stages, global-batch: got an iteration of %.3g operations "
                "a pass and %.3g steps, wanted at most %.3g of each",
                lp_file_label(workload->path), n_ops, n_steps, limit);
    return FALSE;
}

/* Widest tensor that a token of a layer has on the wire, in elements. */
static double
widest_exchange(const LpTransformer *shape)
{
    double attention = lp_transformer_query_width(shape) + lp_transformer_key_width(shape) +
                       lp_transformer_value_width(shape) + lp_transformer_mixture_width(shape);
    double experts =
        shape->n_experts > 0 ? shape->hidden * lp_transformer_expert_slots(shape) : 0.0;
    return shape->hidden + attention + experts;
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
    double m = lp_plan_n_micro_batches(plan);
    double activations = (double)plan->micro_batch * MAX(shape->seq, shape->decoder_seq) *
                         widest_exchange(shape) * 4.0 * m;
    double pp = plan->degree[LP_AXIS_PP];
    double stage_layers = lp_transformer_n_layers(shape) / pp + plan->virtual_stages;
    double layers_and_messages = 16.0 * (stage_layers + 2.0) + 4.0 * plan->virtual_stages;
    double exchanges = plan->zero == 3 || lp_plan_reduces_each(plan) ? 4.0 * m : 4.0;
    double gradients =
        exchanges * (lp_transformer_parameters(shape) + (double)shape->vocab * shape->hidden) * 4.0;
    double bytes = (activations * layers_and_messages + gradients) * n_ranks;
    if (bytes <= limit)
        return TRUE;
    g_set_error(error, LP_PROGRAM_ERROR, LP_PROGRAM_ERROR_SIZE,
                "%s: layers, hidden, seq, vocab, global-batch: got an iteration that moves up to "
                "%.3g bytes, wanted at most %.3g",
                lp_file_label(workload->path), bytes, limit);
    return FALSE;
}

/* --- the iteration --- */

static void
draw_expert_loads(LpProgram *self, const LpTransformer *transformer, const LpPlan *plan)
{
    if (transformer->n_experts == 0 || plan->skew <= 0.0)
        return;
    self->expert_loads = g_new(double, plan->degree[LP_AXIS_EP]);
    lp_plan_expert_loads(plan, transformer, self->expert_loads);
    self->expert_place = g_new(guint32, self->n_ranks);
    for (guint64 rank = 0; rank < self->n_ranks; rank++)
        self->expert_place[rank] = lp_plan_expert_coordinates(plan, rank).ep;
}

static void
describe_ranks(LpProgram *self, const LpTransformer *transformer, const LpPlan *plan,
               const LpAccelerator *accelerator)
{
    self->n_ranks = lp_plan_n_ranks(plan);
    self->pipeline = (LpPipeline){.n_stages = plan->degree[LP_AXIS_PP],
                                  .stride = lp_plan_stride(plan, LP_AXIS_PP),
                                  .n_chunks = lp_plan_n_chunks(plan),
                                  .n_layers = lp_transformer_n_layers(transformer),
                                  .n_micro_batches = lp_plan_n_micro_batches(plan),
                                  .virtual_stages = plan->virtual_stages,
                                  .both_ways = plan->schedule == LP_SCHEDULE_DUALPIPE,
                                  .message_bytes = boundary_message_bytes(transformer, plan)};
    self->execution = (LpExecution){.collective_host_s = lp_collective_host_s(plan, accelerator),
                                    .host_is_free = plan->cuda_graphs,
                                    .host_sync = plan->host_sync,
                                    .slowdown = plan->slowdown};
    draw_expert_loads(self, transformer, plan);
    self->communicators = lp_communicators_new(transformer, plan, self->expert_loads);
}

LpProgram *
lp_training_program_new(const LpWorkload *workload, const LpAccelerator *accelerator,
                        GError **error)
{
    const LpTransformer *transformer = &workload->transformer;
    const LpPlan *plan = &workload->plan;
    if (!check_steps(workload, error) || !check_volumes(workload, error))
        return NULL;
    LpProgram *program = lp_program_new();
    describe_ranks(program, transformer, plan, accelerator);
    g_autofree LpLowering *lowering = g_new(LpLowering, 1);
    lp_lowering_init(lowering, program, transformer, plan, accelerator);
    for (guint32 stage = 0; stage < plan->degree[LP_AXIS_PP]; stage++)
        add_stage(lowering, stage, lp_optimizer_time_s(transformer, plan, accelerator, stage));
    return program;
}
