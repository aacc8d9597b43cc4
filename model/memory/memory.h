/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes that training takes on one accelerator. */
#pragma once

#include "model/plan/plan.h"

G_BEGIN_DECLS

/** Bytes on one accelerator, by what they hold. */
typedef struct {
    double weights_bytes;
    double gradients_bytes;
    double optimizer_bytes;
    double activations_bytes;
    double buffers_bytes;
    double step_bytes;   /**< what the optimiser's step holds more than activations and buffers
                              take */
    double cached_bytes; /**< what an allocator that keeps what was freed has reserved besides: of
                              passes during the step, or of the step during passes. Nothing needs
                              it, and where memory is short it is given back */
} LpMemory;

/** Bytes of activations that layer @index keeps for the backward pass of one micro-batch, on one
 * rank (Korthikanti et al., arXiv 2205.05198; b s h (34 + 5 a s / h) in 2 bytes without
 * parallelism). */
double lp_memory_layer_activations_bytes(const LpTransformer *transformer, const LpPlan *plan,
                                         guint32 index);

/** One rank of @stage: weights and gradients at the plan's precisions, the optimiser's states with
 * fp32 master weights, each over the replicas as far as ZeRO divides it; activations of the
 * micro-batches in flight (Korthikanti et al., arXiv 2205.05198, equations 1-6); what the step of
 * the optimiser takes once they are gone, where that is more. */
LpMemory lp_memory_of_stage(const LpTransformer *transformer, const LpPlan *plan, guint32 stage);
/** The bytes that have to fit: all parts but what is cached. */
double lp_memory_sum(const LpMemory *self);
/** The memory that a process of PyTorch shows (torch.cuda.max_memory_reserved, nvidia-smi), bytes:
 * with what is cached. The driver's context and the buffers of communicators are not counted. */
double lp_memory_reserved(const LpMemory *self);
/** The memory of the stage that needs most. */
LpMemory lp_memory_fullest(const LpTransformer *transformer, const LpPlan *plan);

/** Bytes of a checkpoint: each parameter once, in the width that training computes in, with its
 * fp32 weight and its moments, wherever replicas or shards hold them. BLOOM's, 14 bytes for each of
 * 176.2e9, is published as 2.3 TB (huggingface.co/blog/bloom-megatron-deepspeed). */
double lp_memory_checkpoint_bytes(const LpTransformer *transformer, const LpPlan *plan);

G_END_DECLS
