/* SPDX-License-Identifier: Apache-2.0 */
/* Routed experts: the all-to-alls that take tokens to them and results back, and their kernels. */
#pragma once

#include "workloads/program/lowering.h"

G_BEGIN_DECLS

/** The experts of layer @index between their two exchanges. @pass: forward, recomputation, or
 * LP_PASS_BACKWARD_INPUT. @weights: with the gradients of their weights. */
void lp_expert_parallel_add_experts(LpLowering *self, guint32 index, LpPass pass, gboolean weights);
/** The gradients of the experts' weights of layer @index alone: nothing is exchanged. */
void lp_expert_parallel_add_weights(LpLowering *self, guint32 index);
/** Adds what light and selective recomputation recompute of the routed experts of layer @index:
 * products by their loads, the rest by the mean. */
void lp_expert_parallel_add_recomputed(LpLowering *self, guint32 index);

G_END_DECLS
