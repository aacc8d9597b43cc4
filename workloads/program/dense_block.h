/* SPDX-License-Identifier: Apache-2.0 */
/* A dense block of a layer: attention, cross-attention, feed-forward, or shared experts. */
#pragma once

#include "workloads/program/lowering.h"

G_BEGIN_DECLS

/** Which collectives of tensor parallelism a block has for itself. Side by side, attention and
 * feed-forward share the gather before and the sum behind: the first of them gathers, the last
 * sums. */
typedef struct {
    gboolean gathers, sums;
} LpGradientSharing;

/** The forward pass of @block of layer @index, or its recomputation, as @pass says. */
void lp_dense_block_add_forward(LpLowering *self, guint32 index, LpBlock block, LpPass pass,
                                LpGradientSharing sharing);
/** Adds the backward pass of a block. @role: LP_ROLE_BACKWARD for both gradients, LP_ROLE_INPUT for
 * that of the activations, LP_ROLE_WEIGHT for that of the weights. */
void lp_dense_block_add_backward(LpLowering *self, guint32 index, LpBlock block, LpRole role,
                                 LpGradientSharing sharing);

G_END_DECLS
