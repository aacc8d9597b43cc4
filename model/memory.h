/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes that training takes on one accelerator. */
#pragma once

#include "model/plan.h"

G_BEGIN_DECLS

/** Bytes on one accelerator, by what they hold. */
typedef struct {
    double weights_bytes;
    double gradients_bytes;
    double optimizer_bytes;
    double activations_bytes;
    double buffers_bytes;
} LpMemory;

/** Bytes of activations that layer @index keeps for the backward pass of one micro-batch, on one
 * rank (Korthikanti et al., arXiv 2205.05198; b s h (34 + 5 a s / h) in 2 bytes without
 * parallelism). */
double lp_memory_layer_activations_bytes(const LpTransformer *transformer, const LpPlan *plan,
                                         guint32 index);

/** One rank of @stage: weights and gradients at the plan's precisions, the optimiser's states with
 * fp32 master weights, each over the replicas as far as ZeRO divides it; activations of the
 * micro-batches in flight (Korthikanti et al., arXiv 2205.05198, equations 1-6). */
LpMemory lp_memory_of_stage(const LpTransformer *transformer, const LpPlan *plan, guint32 stage);
/** All parts together, bytes. */
double lp_memory_sum(const LpMemory *self);
/** Of the stage that needs the most memory. */
LpMemory lp_memory_fullest(const LpTransformer *transformer, const LpPlan *plan);

/** Bytes of a checkpoint: each parameter once, in the width that training computes in, with its
 * fp32 weight and its moments, wherever replicas or shards hold them. BLOOM's, 14 bytes for each of
 * 176.2e9, is published as 2.3 TB (huggingface.co/blog/bloom-megatron-deepspeed). */
double lp_memory_checkpoint_bytes(const LpTransformer *transformer, const LpPlan *plan);

G_END_DECLS
