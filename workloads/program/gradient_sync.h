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
    LpParameters filled;  /**< those that wait for their bucket to be full */
} LpGradientBuckets;

/** The parameters of @unit have their gradients, a layer's tensor by tensor; a bucket that is full
 * is reduced. */
void lp_gradient_buckets_fill(LpGradientBuckets *self, const LpUnit *unit);
/** Reduces what is left. */
void lp_gradient_buckets_flush(LpGradientBuckets *self);

/** Whether gradients are reduced as soon as they are complete, and not after the last pass. */
gboolean lp_gradient_sync_is_early(const LpPlan *plan);
/** The sum of the gradients of tied embeddings over the stages that hold a copy; nothing if @stage
 * has none. */
void lp_gradient_sync_add_embedding(LpLowering *self, guint32 stage);

G_END_DECLS
