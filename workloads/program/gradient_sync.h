/* SPDX-License-Identifier: Apache-2.0 */
/* Gradient synchronisation: the sums of gradients over replicas, in buckets behind the backward
 * passes or after the last. */
#pragma once

#include "workloads/program/unit.h"

G_BEGIN_DECLS

/** Gradients of a rank on their way to the other replicas, in the order in which backward passes
 * make them. */
typedef struct {
    LpLowering *lowering; /* borrowed */
    double bucket_bytes;  /**< of the chunk at hand: lp_plan_chunk_bucket_bytes() */
    LpParameters filled;  /**< those that wait for their bucket to be full */
    double wide; /**< and, of a chunk, those that wait for its last one: gradients of parameters in
                      16 bits where others are narrow (lp_unit_is_wide()) */
    double wide_filled; /**< of them, those in the last of */
    guint n_wide;       /**< so many buckets, which are checked one by one, and sent together */
} LpGradientBuckets;

/** Gradients of @chunk of @stage come next. */
void lp_gradient_buckets_begin_chunk(LpGradientBuckets *self, guint32 stage, guint32 chunk);
/** The parameters of @unit have their gradients, a layer's tensor by tensor; a bucket that is full
 * is reduced. */
void lp_gradient_buckets_fill(LpGradientBuckets *self, const LpUnit *unit);
/** All units of a chunk have their gradients: reduces what waited for that. */
void lp_gradient_buckets_end_chunk(LpGradientBuckets *self);
/** Reduces what is left. */
void lp_gradient_buckets_flush(LpGradientBuckets *self);

/** Whether gradients are reduced as soon as they are complete, and not after the last pass. */
gboolean lp_gradient_sync_is_early(const LpPlan *plan);
/** The sum over the tensor-parallel group of the gradients of what each rank of @stage holds whole,
 * where it met its own tokens only; nothing else. */
void lp_gradient_sync_add_whole(LpLowering *self, guint32 stage);
/** The sum of the gradients of tied embeddings over the stages that hold a copy; nothing if @stage
 * has none. */
void lp_gradient_sync_add_embedding(LpLowering *self, guint32 stage);

G_END_DECLS
