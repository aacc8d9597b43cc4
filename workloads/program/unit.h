/* SPDX-License-Identifier: Apache-2.0 */
/* Units: embedding, layers and head of a chunk. A pass takes them one by one, and ZeRO 3 (FSDP)
 * gathers their parameters and reduces their gradients one by one. */
#pragma once

#include "model/times/layer_tensors.h"
#include "workloads/program/lowering.h"

G_BEGIN_DECLS

/** The kinds of units. */
typedef enum {
    LP_UNIT_EMBEDDING,
    LP_UNIT_LAYER,
    LP_UNIT_HEAD
} LpUnitKind;

/** One unit. */
typedef struct {
    LpUnitKind kind;
    guint32 layer;           /**< of an embedding, the first that takes its tokens; 0 of a head */
    LpParameters parameters; /**< of one rank, but for adapters */
    LpParameters trained;    /**< of these; or, where they are frozen, of adapters */
} LpUnit;

/** The units of @chunk of @stage, in the order of the forward pass. Returns: (transfer full) array
 * of LpUnit. */
GArray *lp_units_new(const LpTransformer *transformer, const LpPlan *plan, guint32 stage,
                     guint32 chunk);
/** The @position-th of @units in the order of the forward pass or (@backwards) of the backward
 * pass. Borrowed. */
const LpUnit *lp_units_get(const GArray *units, guint position, gboolean backwards);
/** The @k-th chunk of @stage in an order that is the same on all ranks that hold the same layers:
 * DualPipe's two holders count their chunks from opposite ends. */
guint32 lp_units_chunk(const LpPlan *plan, guint32 stage, guint32 k);

/** Whether @self stays in 16 bits while the parameters of layers are kept in a narrow format
 * (narrow-parameters) and shared out by ZeRO 1 or 2: then what is wide lies in a buffer of its own,
 * which goes with the bucket of the layers that come first in the model (Megatron-LM,
 * megatron/core/distributed/param_and_grad_buffer.py: partition_buckets()). */
gboolean lp_unit_is_wide(const LpUnit *self, const LpPlan *plan);
/** Whether the @i-th of @tensors, those of layer @self, does: norms and biases, but not where they
 * count together with a router and shared experts. */
gboolean lp_unit_has_wide_tensor(const LpUnit *self, const LpPlan *plan,
                                 const LpLayerTensors *tensors, guint i);
/** Bytes on the wire of its parameters where replicas gather them, as their groups share them,
 * lp_plan_pooled_parameters(): all under ZeRO 3, else those that the step has changed. */
LpParameters lp_unit_gathered_bytes(const LpUnit *self, const LpPlan *plan);

/** The forward pass of @self, for one micro-batch. */
void lp_unit_add_forward(const LpUnit *self, LpLowering *lowering);
/** Adds the backward pass of the unit. @role: as lp_layer_add_backward(). */
void lp_unit_add_backward(const LpUnit *self, LpLowering *lowering, LpRole role);

G_END_DECLS
