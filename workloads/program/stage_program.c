/* SPDX-License-Identifier: Apache-2.0 */
/* Segments when a slot first needs them, and messages to the stages around. */
#include "workloads/program/stage_program.h"

#include "model/plan/plan_routing.h"
#include "workloads/program/parameter_gather.h"
#include "workloads/program/parameter_prefetch.h"
#include "workloads/program/pass.h"
#include "workloads/program/pipeline_schedule.h"

#define NO_SEGMENT G_MAXUINT32

/* What sets a pass apart from others of its chunk. */
typedef struct {
    gboolean waits;         /* for the parameters that the start segment gathers */
    gboolean gathers;       /* ZeRO 3: its parameters */
    gboolean gathers_ahead; /* and the first of them before its message */
    gboolean completes;     /* gradients are complete after it, and are reduced */
} PassKind;

/* A chunk's segments by what they do; made when they are first needed. */
typedef struct {
    guint32 forward[2][2][2]; /* waits, gathers, gathers ahead */
    guint32 backward[2][2];   /* gathers, completes */
    guint32 input[2];         /* gathers */
    guint32 weight[2];        /* completes */
} ChunkSegments;

static const ChunkSegments no_segments = {
    {{{NO_SEGMENT, NO_SEGMENT}, {NO_SEGMENT, NO_SEGMENT}},
     {{NO_SEGMENT, NO_SEGMENT}, {NO_SEGMENT, NO_SEGMENT}}},
    {{NO_SEGMENT, NO_SEGMENT}, {NO_SEGMENT, NO_SEGMENT}},
    {NO_SEGMENT, NO_SEGMENT},
    {NO_SEGMENT, NO_SEGMENT},
};

/* A stage whose program is being written. */
typedef struct {
    LpLowering *lowering; /* borrowed */
    guint32 stage;
    ChunkSegments *chunks; /* borrowed from lp_stage_program_add() */
    guint32 *pairs;        /* borrowed: by the chunks of the forward and of the backward pass */
    LpGradientBuckets buckets;
    gboolean *gathered; /* borrowed: ZeRO 3: parameters are there, by chunk */
    GHashTable *ahead;  /* owned: the segments that launch first gathers, by that of their pass */
    LpUpdatedGathers *updated; /* owned: hidden gathers of parameters; NULL: there are none */
} Stage;

/* --- segments of passes --- */

static guint32
begin_segment(Stage *self, LpRole role, guint32 chunk)
{
    return lp_builder_begin_segment(&self->lowering->builder, role, self->stage, chunk);
}

static void
end_segment(Stage *self)
{
    lp_builder_end_segment(&self->lowering->builder);
}

/* ZeRO 3, hidden, with stages: while what a pass begins with is on its way, the stage gathers the
 * parameters of its first units. @out_started: (transfer full). */
static guint32
add_first_gathers(Stage *self, guint32 chunk, gboolean backwards, LpParameterPrefetch **out_started)
{
    guint32 index = begin_segment(self, LP_ROLE_START, chunk);
    *out_started = lp_parameter_prefetch_new(
        self->lowering,
        lp_units_new(self->lowering->transformer, self->lowering->plan, self->stage, chunk),
        backwards, TRUE);
    lp_parameter_prefetch_start(*out_started);
    end_segment(self);
    return index;
}

static void
note_ahead(Stage *self, guint32 segment, guint32 ahead)
{
    if (ahead != NO_SEGMENT)
        g_hash_table_insert(self->ahead, GUINT_TO_POINTER(segment), GUINT_TO_POINTER(ahead));
}

/* Whether a segment serves all micro-batches, whose experts are loaded alike, or there is none yet.
 */
static gboolean
is_known(const Stage *self, guint32 segment)
{
    const LpPlan *plan = self->lowering->plan;
    gboolean own = lp_plan_has_expert_loads(plan, self->lowering->transformer) &&
                   plan->experts.draws == LP_ROUTING_MICRO_BATCH;
    return segment != NO_SEGMENT && !own;
}

/* Among all micro-batches of the iteration: those that enter at the other end come after. */
static guint32
micro_batch_number(const Stage *self, guint32 chunk, guint32 micro_batch)
{
    const LpPlan *plan = self->lowering->plan;
    gboolean up = plan->pipeline.schedule == LP_SCHEDULE_DUALPIPE && chunk == 1;
    return micro_batch + (up ? lp_plan_n_micro_batches(plan) / 2 : 0);
}

static guint32
forward_segment(Stage *self, guint32 chunk, PassKind kind)
{
    guint32 *place = &self->chunks[chunk].forward[kind.waits][kind.gathers][kind.gathers_ahead];
    if (!is_known(self, *place)) {
        g_autoptr(LpParameterPrefetch) started = NULL;
        guint32 ahead = NO_SEGMENT;
        if (kind.gathers_ahead)
            ahead = add_first_gathers(self, chunk, FALSE, &started);
        *place = begin_segment(self, LP_ROLE_FORWARD, chunk);
        lp_pass_add_forward(
            self->lowering, self->stage, chunk,
            (LpPassParameters){kind.gathers, kind.waits ? self->updated : NULL, started});
        end_segment(self);
        note_ahead(self, *place, ahead);
    }
    return *place;
}

static guint32
backward_segment(Stage *self, guint32 chunk, LpRole role, PassKind kind)
{
    ChunkSegments *segments = &self->chunks[chunk];
    guint32 *place = &segments->input[kind.gathers];
    if (role == LP_ROLE_BACKWARD)
        place = &segments->backward[kind.gathers][kind.completes];
    else if (role == LP_ROLE_WEIGHT)
        place = &segments->weight[kind.completes];
    /* Buckets reach across chunks, in the order in which these are completed. */
    if (!is_known(self, *place)) {
        g_autoptr(LpParameterPrefetch) started = NULL;
        guint32 ahead = NO_SEGMENT;
        if (kind.gathers_ahead)
            ahead = add_first_gathers(self, chunk, TRUE, &started);
        *place = begin_segment(self, role, chunk);
        lp_pass_add_backward(self->lowering, self->stage, chunk, role,
                             (LpPassParameters){kind.gathers, NULL, started},
                             kind.completes ? &self->buckets : NULL);
        end_segment(self);
        note_ahead(self, *place, ahead);
    }
    return *place;
}

static guint32
pair_segment(Stage *self, const LpSlot *slot)
{
    guint32 n_chunks = lp_plan_n_chunks(self->lowering->plan);
    guint32 *place = &self->pairs[(gsize)slot->chunk * n_chunks + slot->back_chunk];
    if (!is_known(self, *place)) {
        *place = begin_segment(self, LP_ROLE_PAIR, slot->chunk);
        lp_pass_add_pair(self->lowering, self->stage, slot->chunk, slot->back_chunk,
                         micro_batch_number(self, slot->back_chunk, slot->back_micro_batch));
        end_segment(self);
    }
    return *place;
}

/* Whether the pass in @slot gathers its parameters (ZeRO 3): they are not there yet, or the pass
 * before has freed them. The weights' gradients need activations and their gradients only. */
static gboolean
gather_for(Stage *self, const LpSlot *slot)
{
    const LpPlan *plan = self->lowering->plan;
    if (plan->zero.stage != 3 || slot->kind == LP_SLOT_WEIGHT)
        return FALSE;
    gboolean *gathered = &self->gathered[slot->chunk];
    gboolean gathers = !*gathered;
    *gathered = slot->kind == LP_SLOT_FORWARD ? plan->zero.keeps_parameters
                                              : lp_plan_keeps_parameters_throughout(plan);
    return gathers;
}

/* Whether @slot's pass launches its first gathers before its message comes. */
static gboolean
gathers_ahead(const Stage *self, const LpSlot *slot, gboolean first)
{
    const LpPlan *plan = self->lowering->plan;
    return plan->overlap.param && plan->degree[LP_AXIS_PP] > 1 &&
           (plan->traits[LP_TRAIT_GATHER_AHEAD] == LP_GATHER_AHEAD_PASS ||
            (first && slot->kind == LP_SLOT_FORWARD));
}

/* @first: forward pass of its chunk; @last: slot that adds to its gradients of weights. */
static guint32
slot_segment(Stage *self, const LpSlot *slot, gboolean first, gboolean last)
{
    const LpPlan *plan = self->lowering->plan;
    PassKind kind = {.waits = first && self->updated != NULL,
                     .gathers = gather_for(self, slot),
                     .completes =
                         lp_gradient_sync_is_early(plan) &&
                         (last || (lp_plan_reduces_each(plan) && slot->kind != LP_SLOT_INPUT))};
    kind.gathers_ahead = kind.gathers && gathers_ahead(self, slot, first);
    self->lowering->micro_batch = micro_batch_number(self, slot->chunk, slot->micro_batch);
    switch (slot->kind) {
    case LP_SLOT_FORWARD:
        return forward_segment(self, slot->chunk, kind);
    case LP_SLOT_BACKWARD:
        return backward_segment(self, slot->chunk, LP_ROLE_BACKWARD, kind);
    case LP_SLOT_INPUT:
        return backward_segment(self, slot->chunk, LP_ROLE_INPUT, kind);
    case LP_SLOT_WEIGHT:
        return backward_segment(self, slot->chunk, LP_ROLE_WEIGHT, kind);
    case LP_SLOT_PAIR:
        return pair_segment(self, slot);
    case LP_N_SLOT_KINDS:
        break;
    }
    g_assert_not_reached();
}

/* --- start and finish --- */

/* ZeRO 1 and 2, hidden: the parameters that the last iteration updated. */
static guint32
add_start_segment(Stage *self)
{
    guint32 index = begin_segment(self, LP_ROLE_START, 0);
    self->updated = lp_updated_gathers_new(self->lowering, self->stage);
    if (!lp_updated_gathers_start(self->updated))
        g_clear_pointer(&self->updated, lp_updated_gathers_free);
    end_segment(self);
    return index;
}

/* Gradients are summed in the order in which backward completes them: from the last chunk. */
static void
reduce_all(Stage *self)
{
    const LpPlan *plan = self->lowering->plan;
    for (guint32 k = lp_plan_n_chunks(plan); k-- > 0;) {
        g_autoptr(GArray) units = lp_units_new(self->lowering->transformer, plan, self->stage,
                                               lp_units_chunk(plan, self->stage, k));
        lp_gradient_buckets_begin_chunk(&self->buckets, self->stage, k);
        for (guint i = 0; i < units->len; i++)
            lp_gradient_buckets_fill(&self->buckets, lp_units_get(units, i, TRUE));
        lp_gradient_buckets_end_chunk(&self->buckets);
    }
}

/* After the last backward pass: what is left of the gradients' synchronisation, then the optimiser.
 */
static guint32
add_finish_segment(Stage *self, double optimizer_s, LpWork copies)
{
    const LpPlan *plan = self->lowering->plan;
    LpBuilder *builder = &self->lowering->builder;
    guint32 index = begin_segment(self, LP_ROLE_FINISH, 0);
    if (!lp_gradient_sync_is_early(plan))
        reduce_all(self);
    lp_gradient_buckets_flush(&self->buckets);
    lp_builder_add_join_all(builder, LP_STREAM_DP, LP_TERM_DP);
    lp_gradient_sync_add_whole(self->lowering, self->stage);
    lp_gradient_sync_add_embedding(self->lowering, self->stage);
    lp_builder_add_compute(builder, LP_TERM_OPTIMIZER,
                           (LpWork){.device_s = optimizer_s, .bound_s = optimizer_s});
    if (lp_plan_shares_step(plan) && !plan->overlap.param)
        lp_parameter_gather_add_updated(self->lowering, self->stage);
    lp_builder_add_compute(builder, LP_TERM_OPTIMIZER, copies);
    end_segment(self);
    return index;
}

/* --- steps --- */

static void
add_step(Stage *self, LpStep step)
{
    g_array_append_val(self->lowering->builder.program->steps, step);
}

/* A message that a pass of @chunk awaits or sends. Slices stand in one line; a slice's neighbours
 * on it are the peers. */
static void
add_message(Stage *self, LpStepKind kind, gboolean forward, guint32 chunk, guint32 micro_batch)
{
    const LpPlan *plan = self->lowering->plan;
    guint32 pp = plan->degree[LP_AXIS_PP], slice = lp_plan_slice(plan, self->stage, chunk);
    gboolean to_next = forward == (kind == LP_STEP_SEND); /* towards the line's end */
    if (pp == 1 || slice == (to_next ? lp_plan_n_slices(plan) - 1 : 0))
        return;
    gboolean up = plan->pipeline.schedule == LP_SCHEDULE_DUALPIPE && chunk == 1;
    guint32 step = to_next != up ? 1 : pp - 1;
    LpPipelineDirection direction = forward ? LP_DIRECTION_FORWARD : LP_DIRECTION_BACKWARD;
    if (up)
        direction = forward ? LP_DIRECTION_FORWARD_UP : LP_DIRECTION_BACKWARD_UP;
    if (kind == LP_STEP_SEND && plan->overlap.pp)
        self->lowering->builder.program->uses_stream[LP_STREAM_PP] = TRUE;
    add_step(self, (LpStep){.kind = kind,
                            .direction = direction,
                            .bytes = self->lowering->builder.program->pipeline.message_bytes,
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
    gpointer ahead = NULL;
    if (g_hash_table_lookup_extended(self->ahead, GUINT_TO_POINTER(segment), NULL, &ahead))
        add_step(self, (LpStep){.kind = LP_STEP_SEGMENT,
                                .segment = GPOINTER_TO_UINT(ahead),
                                .chunk = slot->chunk,
                                .micro_batch = slot->micro_batch});
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

static void
add_slots(Stage *self)
{
    const LpPlan *plan = self->lowering->plan;
    guint32 n_chunks = lp_plan_n_chunks(plan);
    g_autoptr(GArray) slots = lp_pipeline_schedule_new(plan, self->stage);
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

void
lp_stage_program_add(LpLowering *lowering, guint32 stage, double optimizer_s, LpWork copies)
{
    const LpPlan *plan = lowering->plan;
    LpProgram *program = lowering->builder.program;
    guint32 n_chunks = lp_plan_n_chunks(plan);
    g_autofree ChunkSegments *chunks = g_new(ChunkSegments, n_chunks);
    g_autofree gboolean *gathered = g_new0(gboolean, n_chunks);
    g_autofree guint32 *pairs = g_new(guint32, (gsize)n_chunks * n_chunks);
    for (guint32 i = 0; i < n_chunks; i++)
        chunks[i] = no_segments;
    for (gsize i = 0; i < (gsize)n_chunks * n_chunks; i++)
        pairs[i] = NO_SEGMENT;
    Stage self = {.lowering = lowering,
                  .stage = stage,
                  .chunks = chunks,
                  .pairs = pairs,
                  .ahead = g_hash_table_new(NULL, NULL),
                  .buckets = {.lowering = lowering},
                  .gathered = gathered};
    LpStageProgram stage_program = {.first_step = program->steps->len};
    if (plan->overlap.param && plan->zero.stage < 3)
        add_step(&self, (LpStep){.kind = LP_STEP_SEGMENT, .segment = add_start_segment(&self)});
    add_slots(&self);
    add_step(&self, (LpStep){.kind = LP_STEP_SEGMENT,
                             .segment = add_finish_segment(&self, optimizer_s, copies)});
    stage_program.n_steps = program->steps->len - stage_program.first_step;
    g_array_append_val(program->stage_programs, stage_program);
    g_clear_pointer(&self.updated, lp_updated_gathers_free);
    g_hash_table_unref(self.ahead);
}
