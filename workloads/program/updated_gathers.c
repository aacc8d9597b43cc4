/* SPDX-License-Identifier: Apache-2.0 */
/* Hidden gathers of ZeRO 1 and 2. */
#include "workloads/program/updated_gathers.h"

#include "workloads/program/parameter_gather.h"
#include "workloads/program/parameter_use.h"

/* --- buckets --- */

/* A bucket that is being filled. */
typedef struct {
    LpUpdatedGathers *gathers; /* borrowed */
    LpParameters waiting;
    double full_bytes; /* 0: one bucket for all of a chunk */
    double bytes;      /* of @waiting, those that count for it */
} Bucket;

static gboolean
is_empty(const Bucket *self)
{
    return self->waiting.dense + self->waiting.experts <= 0.0;
}

static void
close_bucket(Bucket *self)
{
    g_array_append_val(self->gathers->buckets, self->waiting);
    self->waiting = (LpParameters){0.0, 0.0};
    self->bytes = 0.0;
}

static void
fill(Bucket *self, double dense, double experts)
{
    self->waiting.dense += dense;
    self->waiting.experts += experts;
    self->bytes += dense + experts;
    if (self->full_bytes > 0.0 && self->bytes >= self->full_bytes * (1.0 - 1e-9))
        close_bucket(self);
}

/* Products that take what has been filled so far: those of the whole unit (LP_N_BLOCKS), or of a
 * layer. */
typedef struct {
    guint unit;
    LpBlock block;
    LpBlockPart part;
    guint n_buckets;
} Use;

static void
note_use(Bucket *self, guint unit, LpBlock block, LpBlockPart part)
{
    guint n_buckets = self->gathers->buckets->len + (is_empty(self) ? 0 : 1);
    Use use = {unit, block, part, n_buckets};
    g_array_append_val(self->gathers->uses, use);
}

/* A layer's in whole tensors, those that a pass takes first before the others. What stays in 16
 * bits beside narrow parameters goes with the first bucket, whatever that holds. */
static void
fill_layer(Bucket *self, const LpUnit *unit, guint index)
{
    const LpLowering *lowering = self->gathers->lowering;
    LpParameters bytes = lp_unit_gathered_bytes(unit, lowering->plan);
    LpLayerTensors tensors = lp_layer_tensors(lowering->transformer, lowering->plan, unit->layer);
    guint n_matrices = lp_layer_tensors_n_matrices(&tensors);
    for (guint i = tensors.n; i-- > n_matrices;)
        if (!lp_unit_has_wide_tensor(unit, lowering->plan, &tensors, i))
            fill(self, tensors.share[i] * bytes.dense, 0.0);
    note_use(self, index, LP_N_BLOCKS, 0);
    for (guint i = n_matrices; i-- > 0;) {
        LpBlock block;
        LpBlockPart part;
        lp_parameter_use_place(&tensors, i, &block, &part);
        fill(self, tensors.share[i] * bytes.dense, 0.0);
        note_use(self, index, block, part);
    }
    fill(self, 0.0, bytes.experts);
    note_use(self, index, LP_BLOCK_EXPERTS, LP_BLOCK_PART_INPUT_PRODUCT);
}

static double
wide_bytes(const LpUnit *unit, const LpLowering *lowering)
{
    double dense = lp_unit_gathered_bytes(unit, lowering->plan).dense, sum = 0.0;
    if (lp_unit_is_wide(unit, lowering->plan))
        return dense;
    if (unit->kind != LP_UNIT_LAYER)
        return 0.0;
    LpLayerTensors tensors = lp_layer_tensors(lowering->transformer, lowering->plan, unit->layer);
    for (guint i = 0; i < tensors.n; i++)
        if (lp_unit_has_wide_tensor(unit, lowering->plan, &tensors, i))
            sum += tensors.share[i] * dense;
    return sum;
}

/* Adds the gathers of a chunk in buckets of @full_bytes, with its units counted from @first on. */
static void
add_chunk(LpUpdatedGathers *self, const GArray *units, guint first, double full_bytes)
{
    const LpPlan *plan = self->lowering->plan;
    Bucket bucket = {.gathers = self, .full_bytes = full_bytes};
    for (guint i = 0; i < units->len; i++)
        bucket.waiting.dense += wide_bytes(lp_units_get(units, i, FALSE), self->lowering);
    for (guint i = 0; i < units->len; i++) {
        const LpUnit *unit = lp_units_get(units, i, FALSE);
        if (unit->kind == LP_UNIT_LAYER) {
            fill_layer(&bucket, unit, first + i);
            continue;
        }
        if (!lp_unit_is_wide(unit, plan))
            fill(&bucket, lp_unit_gathered_bytes(unit, plan).dense, 0.0);
        note_use(&bucket, first + i, LP_N_BLOCKS, 0);
    }
    if (!is_empty(&bucket))
        close_bucket(&bucket);
}

LpUpdatedGathers *
lp_updated_gathers_new(LpLowering *lowering, guint32 stage)
{
    LpUpdatedGathers *self = g_new0(LpUpdatedGathers, 1);
    self->lowering = lowering;
    self->buckets = g_array_new(FALSE, FALSE, sizeof(LpParameters));
    self->uses = g_array_new(FALSE, FALSE, sizeof(Use));
    self->ends = g_array_new(FALSE, FALSE, sizeof(guint));
    guint n_units = 0;
    for (guint32 k = 0; k < lp_plan_n_chunks(lowering->plan); k++) {
        g_autoptr(GArray) units = lp_units_new(lowering->transformer, lowering->plan, stage,
                                               lp_units_chunk(lowering->plan, stage, k));
        double bucket_bytes = lp_plan_chunk_bucket_bytes(
            lowering->plan, lp_plan_parameter_wire_bytes(lowering->plan), stage, k);
        add_chunk(self, units, n_units, bucket_bytes);
        n_units += units->len;
    }
    return self;
}

void
lp_updated_gathers_free(LpUpdatedGathers *self)
{
    g_clear_pointer(&self->buckets, g_array_unref);
    g_clear_pointer(&self->uses, g_array_unref);
    g_clear_pointer(&self->ends, g_array_unref);
    g_free(self);
}

/* --- launches --- */

/* The next bucket, if there is one. A launch without members is none. */
static void
launch_next(LpUpdatedGathers *self)
{
    if (self->ends->len == self->buckets->len)
        return;
    const guint *n_launched = &self->lowering->builder.n_launched[LP_STREAM_DP];
    guint before = *n_launched;
    (void)lp_parameter_gather_launch(self->lowering,
                                     g_array_index(self->buckets, LpParameters, self->ends->len));
    self->n_launched += *n_launched - before;
    g_array_append_val(self->ends, self->n_launched);
}

gboolean
lp_updated_gathers_start(LpUpdatedGathers *self)
{
    gboolean one_ahead = self->lowering->plan->degree[LP_AXIS_PP] == 1;
    do
        launch_next(self);
    while ((!one_ahead || self->n_launched == 0) && self->ends->len < self->buckets->len);
    return self->n_launched > 0;
}

/* So many buckets are needed now; the next is launched behind them. */
static void
await(LpUpdatedGathers *self, guint n_buckets)
{
    while (self->ends->len < n_buckets)
        launch_next(self);
    guint n_pending = self->n_launched - g_array_index(self->ends, guint, n_buckets - 1);
    lp_builder_add_join_pending(&self->lowering->builder, LP_STREAM_DP, n_pending, LP_TERM_DP);
    if (self->ends->len == n_buckets)
        launch_next(self);
    self->n_awaited = n_buckets;
}

/* For lp_lowering_need(). */
static void
need(gpointer data, LpBlock block, LpBlockPart part)
{
    LpUpdatedGathers *self = data;
    guint n_buckets = 0;
    for (guint i = 0; i < self->uses->len; i++) {
        const Use *use = &g_array_index(self->uses, Use, i);
        if (use->unit == self->unit && use->block == block && use->part == part)
            n_buckets = use->n_buckets;
    }
    if (n_buckets > self->n_awaited)
        await(self, n_buckets);
}

void
lp_updated_gathers_begin_unit(LpUpdatedGathers *self, guint unit)
{
    self->unit = unit;
    self->lowering->need = need;
    self->lowering->need_data = self;
    need(self, LP_N_BLOCKS, 0);
}

void
lp_updated_gathers_end_pass(LpUpdatedGathers *self)
{
    self->lowering->need = NULL;
    self->lowering->need_data = NULL;
}
