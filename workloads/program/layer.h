/* SPDX-License-Identifier: Apache-2.0 */
/* The passes of one layer: its blocks in order, and what is recomputed of it. */
#pragma once

#include "workloads/program/lowering.h"

G_BEGIN_DECLS

/** The forward pass of layer @index, for one micro-batch. */
void lp_layer_add_forward(LpLowering *self, guint32 index);
/** Adds the backward pass of a layer. @role: LP_ROLE_BACKWARD for both gradients, LP_ROLE_INPUT or
 * LP_ROLE_WEIGHT for one; the first two recompute before, as the plan says. */
void lp_layer_add_backward(LpLowering *self, guint32 index, LpRole role);

G_END_DECLS
