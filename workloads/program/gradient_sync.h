/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients and parameters between replicas: buckets, ZeRO, FSDP. Used by iteration.c only. */
#pragma once

#include "workloads/program/lowering.h"

G_BEGIN_DECLS

/** Gradients of a rank on their way to the other replicas, in the order in which backward makes
 * them. */
typedef struct {
    LpExpansion *expansion; /* borrowed */
    LpParameters filled;
} LpBuckets;

/** @parameters have their gradients; a bucket that is full is reduced. */
void lp_buckets_fill(LpBuckets *self, LpParameters parameters);
/** Reduces what is left. */
void lp_buckets_flush(LpBuckets *self);

/** Gathers @parameters that the replicas share, for all to have them whole (ZeRO). Launched or
 * waited for. Returns: the launch's number, or G_MAXUINT. */
guint lp_parameters_launch(LpExpansion *self, LpParameters parameters);
void lp_parameters_gather(LpExpansion *self, LpParameters parameters);

G_END_DECLS
