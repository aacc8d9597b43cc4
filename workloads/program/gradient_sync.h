/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients and parameters between replicas: buckets, ZeRO, FSDP. Used by iteration.c only. */
#pragma once

#include "workloads/program/lowering.h"

G_BEGIN_DECLS

/** Gradients of a rank on their way to the other replicas, in the order in which backward makes
 * them. */
typedef struct {
    LpLowering *lowering; /* borrowed */
    LpParameters filled;
} LpGradientBuckets;

/** @parameters have their gradients; a bucket that is full is reduced. */
void lp_gradient_buckets_fill(LpGradientBuckets *self, LpParameters parameters);
/** Reduces what is left. */
void lp_gradient_buckets_flush(LpGradientBuckets *self);

/** Gathers @parameters that the replicas share, for all to have them whole (ZeRO). Launched or
 * waited for. Returns: the launch's number, or G_MAXUINT. */
guint lp_gradient_sync_launch_gather(LpLowering *self, LpParameters parameters);
void lp_gradient_sync_gather(LpLowering *self, LpParameters parameters);

G_END_DECLS
