/* SPDX-License-Identifier: Apache-2.0 */
/* Pipeline schedules as lists of slots. */
#include "workloads/program/pipeline_schedule.h"

static void
append(GArray *slots, LpSlotKind kind, guint32 chunk, guint32 micro_batch)
{
    LpSlot slot = {.kind = kind, .chunk = chunk, .micro_batch = micro_batch};
    g_array_append_val(slots, slot);
}

static void
append_gpipe(GArray *slots, guint32 n_micro_batches)
{
    for (guint32 i = 0; i < n_micro_batches; i++)
        append(slots, LP_SLOT_FORWARD, 0, i);
    for (guint32 i = n_micro_batches; i-- > 0;)
        append(slots, LP_SLOT_BACKWARD, 0, i);
}

/* The @k-th forward or backward pass of a stage: chunks take turns after each group of pp
 * micro-batches, and backward visits them from the last. With one chunk this is micro-batch k. */
static void
append_kth(GArray *slots, const LpPlan *plan, LpSlotKind kind, guint32 k)
{
    guint32 pp = plan->degree[LP_AXIS_PP], v = plan->pipeline.virtual_stages;
    if (v == 1) {
        append(slots, kind, 0, k);
        return;
    }
    guint32 chunk = k % (pp * v) / pp;
    append(slots, kind, kind == LP_SLOT_FORWARD ? chunk : v - 1 - chunk,
           k / (pp * v) * pp + k % pp);
}

static guint32
warm_up_passes(const LpPlan *plan, guint32 stage, guint32 n_passes)
{
    guint32 pp = plan->degree[LP_AXIS_PP], v = plan->pipeline.virtual_stages;
    guint32 behind = pp - 1 - stage;
    guint32 wanted = v == 1 ? behind : 2 * behind + (v - 1) * pp;
    return MIN(wanted, n_passes);
}

/* The @forward-th forward pass and the @backward-th backward pass of a stage, overlapped. */
static void
append_pair(GArray *slots, const LpPlan *plan, guint32 forward, guint32 backward)
{
    append_kth(slots, plan, LP_SLOT_FORWARD, forward);
    append_kth(slots, plan, LP_SLOT_BACKWARD, backward);
    LpSlot back = g_array_index(slots, LpSlot, slots->len - 1);
    g_array_set_size(slots, slots->len - 1);
    LpSlot *pair = &g_array_index(slots, LpSlot, slots->len - 1);
    pair->kind = LP_SLOT_PAIR;
    pair->back_chunk = back.chunk;
    pair->back_micro_batch = back.micro_batch;
}

/* Appends 1F1B with one more pass ahead, so that the backward pass of a pair needs neither the
 * pair's forward pass nor the other stages' pairs at the same place. */
static void
append_overlapped(GArray *slots, const LpPlan *plan, guint32 stage, guint32 n_passes)
{
    guint32 warm_up = MIN(warm_up_passes(plan, stage, n_passes) + 1, n_passes);
    for (guint32 k = 0; k < warm_up; k++)
        append_kth(slots, plan, LP_SLOT_FORWARD, k);
    for (guint32 k = 0; k < n_passes; k++) {
        if (warm_up + k < n_passes)
            append_pair(slots, plan, warm_up + k, k);
        else
            append_kth(slots, plan, LP_SLOT_BACKWARD, k);
    }
}

static void
append_1f1b(GArray *slots, const LpPlan *plan, guint32 stage, guint32 n_passes)
{
    guint32 warm_up = warm_up_passes(plan, stage, n_passes);
    for (guint32 k = 0; k < warm_up; k++)
        append_kth(slots, plan, LP_SLOT_FORWARD, k);
    for (guint32 k = 0; k < n_passes; k++) {
        if (warm_up + k < n_passes)
            append_kth(slots, plan, LP_SLOT_FORWARD, warm_up + k);
        append_kth(slots, plan, LP_SLOT_BACKWARD, k);
    }
}

/* A stage's weight gradients wait until so many activation gradients have gone ahead that the
 * stages before it need not wait for them. */
static void
append_zero_bubble(GArray *slots, const LpPlan *plan, guint32 stage, guint32 n_passes)
{
    guint32 warm_up = warm_up_passes(plan, stage, n_passes), n_weights = 0;
    for (guint32 k = 0; k < warm_up; k++)
        append(slots, LP_SLOT_FORWARD, 0, k);
    for (guint32 k = 0; k < n_passes; k++) {
        if (warm_up + k < n_passes)
            append(slots, LP_SLOT_FORWARD, 0, warm_up + k);
        append(slots, LP_SLOT_INPUT, 0, k);
        if (k >= stage)
            append(slots, LP_SLOT_WEIGHT, 0, n_weights++);
    }
    while (n_weights < n_passes)
        append(slots, LP_SLOT_WEIGHT, 0, n_weights++);
}

/* A rank's place in DualPipe. The second half of the ranks runs the program of the first with both
 * ways exchanged: way 0 is the one on which the rank is nearer to the beginning. */
typedef struct {
    GArray *slots;
    gboolean second_half;
    guint32 n_forward[2], n_backward[2]; /* so far, by chunk */
    GQueue waiting;                      /* of weight gradients: indices of their INPUT slots */
} DualPipe;

static guint32
chunk_of(const DualPipe *self, guint32 way)
{
    return self->second_half ? 1 - way : way;
}

static void
dual_forward(DualPipe *self, guint32 way)
{
    guint32 chunk = chunk_of(self, way);
    append(self->slots, LP_SLOT_FORWARD, chunk, self->n_forward[chunk]++);
}

static void
dual_backward(DualPipe *self, guint32 way, gboolean splits)
{
    guint32 chunk = chunk_of(self, way);
    if (splits)
        g_queue_push_tail(&self->waiting, GUINT_TO_POINTER(self->slots->len));
    append(self->slots, splits ? LP_SLOT_INPUT : LP_SLOT_BACKWARD, chunk,
           self->n_backward[chunk]++);
}

static void
dual_weight(DualPipe *self)
{
    guint index = GPOINTER_TO_UINT(g_queue_pop_head(&self->waiting));
    LpSlot input = g_array_index(self->slots, LpSlot, index);
    append(self->slots, LP_SLOT_WEIGHT, input.chunk, input.micro_batch);
}

static void
dual_pair(DualPipe *self, guint32 forward_way, guint32 backward_way)
{
    guint32 chunk = chunk_of(self, forward_way), back = chunk_of(self, backward_way);
    LpSlot slot = {.kind = LP_SLOT_PAIR,
                   .chunk = chunk,
                   .micro_batch = self->n_forward[chunk]++,
                   .back_chunk = back,
                   .back_micro_batch = self->n_backward[back]++};
    g_array_append_val(self->slots, slot);
}

/* Both ways full: pairs in turn. The two ranks in the middle have no pair to overlap at first. */
static void
dual_steady(DualPipe *self, guint32 n, gboolean in_the_middle)
{
    for (guint32 i = 0; i < n; i++) {
        if (i == 0 && in_the_middle) {
            dual_forward(self, 0);
            dual_backward(self, 1, FALSE);
        } else {
            dual_pair(self, 0, 1);
        }
        dual_pair(self, 1, 0);
    }
}

/* Towards the end the gradients of the weights wait, from the middle of this phase on. */
static void
dual_drain(DualPipe *self, guint32 depth)
{
    guint32 n = depth + 1;
    gboolean splits = FALSE;
    for (guint32 i = 0; i < n; i++) {
        splits = splits || (i == n / 2 && depth % 2 == 1);
        dual_backward(self, 1, splits);
        splits = splits || (i == n / 2 && depth % 2 == 0);
        dual_backward(self, 0, splits);
    }
}

/* @depth: stages between the rank and the nearer end. */
static void
append_dualpipe(GArray *slots, const LpPlan *plan, guint32 stage, guint32 n_micro_batches)
{
    guint32 pp = plan->degree[LP_AXIS_PP], half = pp / 2;
    guint32 depth = MIN(stage, pp - 1 - stage), behind = half - depth - 1;
    DualPipe self = {.slots = slots, .second_half = stage >= half};
    g_queue_init(&self.waiting);
    for (guint32 i = 0; i < 2 * behind; i++)
        dual_forward(&self, 0);
    for (guint32 i = 0; i < depth + 1; i++) {
        dual_forward(&self, 0);
        dual_forward(&self, 1);
    }
    for (guint32 i = 0; i < behind; i++) {
        dual_backward(&self, 1, TRUE);
        dual_weight(&self);
        dual_forward(&self, 1);
    }
    dual_steady(&self, n_micro_batches / 2 + depth + 1 - pp, depth == half - 1);
    for (guint32 i = 0; i < behind; i++) {
        dual_backward(&self, 1, FALSE);
        dual_pair(&self, 1, 0);
    }
    dual_drain(&self, depth);
    for (guint32 i = 0; i < behind; i++) {
        dual_weight(&self);
        dual_backward(&self, 0, TRUE);
    }
    for (guint32 i = 0; i < depth + 1; i++)
        dual_weight(&self);
    g_queue_clear(&self.waiting);
}

GArray *
lp_pipeline_schedule_new(const LpPlan *plan, guint32 stage)
{
    guint32 n_passes = lp_plan_n_micro_batches(plan) * plan->pipeline.virtual_stages;
    GArray *slots = g_array_sized_new(FALSE, FALSE, sizeof(LpSlot), 3 * n_passes);
    switch (plan->pipeline.schedule) {
    case LP_SCHEDULE_GPIPE:
        append_gpipe(slots, n_passes);
        break;
    case LP_SCHEDULE_1F1B:
    case LP_SCHEDULE_INTERLEAVED:
        if (plan->overlap.ep)
            append_overlapped(slots, plan, stage, n_passes);
        else
            append_1f1b(slots, plan, stage, n_passes);
        break;
    case LP_SCHEDULE_ZERO_BUBBLE:
        append_zero_bubble(slots, plan, stage, n_passes);
        break;
    case LP_SCHEDULE_DUALPIPE:
        append_dualpipe(slots, plan, stage, n_passes);
        break;
    }
    return slots;
}
