/* SPDX-License-Identifier: Apache-2.0 */
/* The collectives of tensor and sequence parallelism, around the products that they belong to. */
#pragma once

#include "workloads/program/lowering.h"

G_BEGIN_DECLS

/** Bytes of a block's whole activations, not the share of a rank. */
typedef struct {
    guint64 gathered;    /**< for products: lp_lowering_gathered_bytes() */
    guint64 summed;      /**< lp_lowering_layer_bytes() */
    LpPlanInputs inputs; /**< collectives of the block's one input */
    /** Bytes of each of these: gathered, summed, and gathered once more for weights' gradients. */
    guint64 input_gathered, input_summed, input_regathered;
    guint32 n_regathered;
} LpSharedBytes;

/*
 * @bytes below: what is gathered, or what is summed. With sequence parallelism a
 * rank keeps 1/tp of them between blocks: an all-gather stands before a block and a reduce-scatter
 * behind it; without it, an all-reduce behind (Korthikanti et al., arXiv 2205.05198, section
 * 4.2.2). How much of each is hidden is the plan's overlap-tp.
 */

/** The collective that sums the ranks' partial sums: a reduce-scatter or an all-reduce. */
LpCollective lp_tensor_parallel_sum(const LpPlan *plan);

/** @entry, the first products of a block, with the all-gathers of its @n inputs (one, of the
 * gradient of its output, in a backward pass) before. */
void lp_tensor_parallel_add_entry(LpLowering *self, LpWork entry, guint64 bytes, guint32 n);
/** @exit, the last products of a block, with the @n sums of what they make behind. */
void lp_tensor_parallel_add_exit(LpLowering *self, LpWork exit, guint64 bytes, guint32 n);
/** The last products of a block's backward pass: @exit makes the gradient of its input, which is
 * summed, and @weight that of the weights, for which the block's input is gathered once more. */
void lp_tensor_parallel_add_backward_exit(LpLowering *self, LpWork exit, LpWork weight,
                                          LpSharedBytes bytes);
/** @weight alone, where the gradients of weights are a pass of their own, behind the gathers. */
void lp_tensor_parallel_add_weight(LpLowering *self, LpWork weight, LpSharedBytes bytes);

G_END_DECLS
