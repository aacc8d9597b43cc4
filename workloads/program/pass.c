/* SPDX-License-Identifier: Apache-2.0 */
/* Forward passes, backward passes, and pairs of both. */
#include "workloads/program/pass.h"

/* Scattered messages between stages are gathered before use, unless the layers take shards anyway.
 */
static void
add_boundary_gather(LpLowering *self)
{
    const LpPlan *plan = self->plan;
    if (!plan->pipeline.scatter_gather || plan->degree[LP_AXIS_PP] == 1)
        return;
    lp_builder_add_collective(
        &self->builder, LP_COLLECTIVE_ALL_GATHER, LP_GROUP_TP,
        lp_lowering_wire_bytes(self, lp_plan_tokens(plan, self->transformer->seq)));
    lp_lowering_add_work(self, self->boundary_copies);
}

/* What came back, behind what went on where a stage keeps that scattered, too. */
static void
add_backward_gathers(LpLowering *self)
{
    if (self->plan->pipeline.scatter_gather == LP_SCATTER_GATHER_OUTPUTS)
        add_boundary_gather(self);
    add_boundary_gather(self);
}

/* Units of the chunks of @stage whose updated parameters are gathered before those of @chunk. */
static guint
n_units_before(const LpLowering *self, guint32 stage, guint32 chunk)
{
    guint n = 0;
    for (guint32 k = 0; lp_units_chunk(self->plan, stage, k) != chunk; k++) {
        g_autoptr(GArray) units = lp_units_new(self->transformer, self->plan, stage,
                                               lp_units_chunk(self->plan, stage, k));
        n += units->len;
    }
    return n;
}

/* The prefetch of a pass whose gathers have not been started. */
static LpParameterPrefetch *
new_prefetch(LpLowering *self, guint32 stage, guint32 chunk, gboolean backwards,
             const LpPassParameters *parameters)
{
    return parameters->started != NULL
               ? NULL
               : lp_parameter_prefetch_new(
                     self, lp_units_new(self->transformer, self->plan, stage, chunk), backwards,
                     parameters->gathers);
}

void
lp_pass_add_forward(LpLowering *self, guint32 stage, guint32 chunk, LpPassParameters parameters)
{
    g_autoptr(LpParameterPrefetch) own = new_prefetch(self, stage, chunk, FALSE, &parameters);
    LpParameterPrefetch *prefetch = parameters.started != NULL ? parameters.started : own;
    const GArray *units = prefetch->units;
    guint first = parameters.updated != NULL ? n_units_before(self, stage, chunk) : 0;
    if (lp_plan_slice(self->plan, stage, chunk) > 0)
        add_boundary_gather(self);
    for (guint i = 0; i < units->len; i++) {
        lp_parameter_prefetch_add(prefetch, i);
        if (parameters.updated != NULL)
            lp_updated_gathers_begin_unit(parameters.updated, first + i);
        lp_unit_add_forward(lp_units_get(units, i, FALSE), self);
    }
    if (parameters.updated != NULL)
        lp_updated_gathers_end_pass(parameters.updated);
}

void
lp_pass_add_backward(LpLowering *self, guint32 stage, guint32 chunk, LpRole role,
                     LpPassParameters parameters, LpGradientBuckets *buckets)
{
    const LpPlan *plan = self->plan;
    g_autoptr(LpParameterPrefetch) own = new_prefetch(self, stage, chunk, TRUE, &parameters);
    LpParameterPrefetch *prefetch = parameters.started != NULL ? parameters.started : own;
    const GArray *units = prefetch->units;
    gboolean is_last_slice = lp_plan_slice(plan, stage, chunk) == lp_plan_n_slices(plan) - 1;
    if (role != LP_ROLE_WEIGHT && !is_last_slice)
        add_backward_gathers(self);
    if (buckets != NULL)
        lp_gradient_buckets_begin_chunk(buckets, stage, chunk);
    for (guint i = 0; i < units->len; i++) {
        const LpUnit *unit = lp_units_get(units, i, TRUE);
        lp_parameter_prefetch_add(prefetch, i);
        lp_unit_add_backward(unit, self, role);
        if (buckets != NULL)
            lp_gradient_buckets_fill(buckets, unit);
    }
    if (buckets != NULL)
        lp_gradient_buckets_end_chunk(buckets);
    /* Micro-batches do not share buckets. */
    if (buckets != NULL && lp_plan_reduces_each(plan))
        lp_gradient_buckets_flush(buckets);
}

/* --- pairs --- */

/* A pass being overlapped. */
typedef struct {
    const GArray *ops; /* borrowed: LpOp */
    guint next;
    gboolean waits; /* for an all-to-all of its own */
} Thread;

static gboolean
is_done(const Thread *thread)
{
    return thread->next == thread->ops->len && !thread->waits;
}

static const LpOp *
next_op(const Thread *thread)
{
    return thread->next == thread->ops->len ? NULL
                                            : &g_array_index(thread->ops, LpOp, thread->next);
}

static gboolean
is_exchange(const LpOp *op)
{
    return op != NULL && op->kind == LP_OP_LAUNCH && op->traffic == LP_TRAFFIC_EP;
}

/* Waits for an exchange: each of the two passes has at most one exchange in flight on a stream. */
static void
wait_for_exchange(LpBuilder *builder, gboolean other_waits)
{
    static const LpStream streams[] = {LP_STREAM_LAYER, LP_STREAM_RELAY};
    for (guint i = 0; i < G_N_ELEMENTS(streams); i++)
        if (builder->program->uses_stream[streams[i]])
            lp_builder_add_join_pending(builder, streams[i], other_waits ? 1 : 0, LP_TERM_EP);
}

/* Goes on with @thread up to and with its next all-to-all, of one launch or, relayed, of two. */
static void
run_part(LpBuilder *builder, Thread *thread, gboolean other_waits)
{
    if (thread->waits)
        wait_for_exchange(builder, other_waits);
    thread->waits = FALSE;
    for (const LpOp *op; (op = next_op(thread)) != NULL && !(thread->waits && !is_exchange(op));) {
        /* The join that follows an all-to-all where its pass is alone. */
        gboolean is_join = op->kind == LP_OP_JOIN && op->term == LP_TERM_EP;
        thread->waits = is_exchange(op);
        thread->next++;
        if (!is_join)
            lp_builder_add(builder, op);
    }
}

/* Each pass is lowered for itself; then they take turns. */
void
lp_pass_add_pair(LpLowering *self, guint32 stage, guint32 forward_chunk, guint32 backward_chunk,
                 guint32 backward_micro_batch)
{
    lp_pass_add_forward(self, stage, forward_chunk, (LpPassParameters){FALSE, NULL, NULL});
    g_autoptr(GArray) forward = lp_builder_take(&self->builder);
    self->micro_batch = backward_micro_batch;
    lp_pass_add_backward(self, stage, backward_chunk, LP_ROLE_BACKWARD,
                         (LpPassParameters){FALSE, NULL, NULL}, NULL);
    g_autoptr(GArray) backward = lp_builder_take(&self->builder);
    Thread threads[2] = {{.ops = forward}, {.ops = backward}};
    for (guint turn = 0; !is_done(&threads[0]) || !is_done(&threads[1]); turn++)
        run_part(&self->builder, &threads[turn % 2], threads[(turn + 1) % 2].waits);
}
