/* SPDX-License-Identifier: Apache-2.0 */
/* The order in which passes use tensors of parameters, and which tensors they find gathered (ZeRO
 * 3, tensor by tensor: deepspeed/runtime/zero/partitioned_param_coordinator.py, whose trace these
 * are). */
#pragma once

#include "workloads/program/unit.h"

G_BEGIN_DECLS

/** A use of a tensor in a pass. */
typedef struct {
    guint unit;       /**< in the order of the forward pass */
    guint tensor;     /**< of the unit, of any but a layer's matrices LP_PARAMETER_USE_WHOLE */
    LpBlock block;    /**< whose products take it; LP_N_BLOCKS: any of the unit */
    LpBlockPart part; /**< of the forward pass */
    LpParameters parameters; /**< of one rank of tensor parallelism, gathered */
    gboolean gathers;        /**< it is not there */
    gboolean stays;          /**< to be there for its next use */
} LpParameterUse;

/** The parameters of a unit besides a layer's matrices. */
#define LP_PARAMETER_USE_WHOLE G_MAXUINT

/** Which products of a layer take matrix @i of its @tensors (lp_layer_tensors_n_matrices()). */
void lp_parameter_use_place(const LpLayerTensors *tensors, guint i, LpBlock *block,
                            LpBlockPart *part);
/** The uses of a pass through @units, of a chunk, in order. Norms and biases have none: they stay
 * on all ranks (stage3_param_persistence_threshold, 100,000 elements). Returns: (transfer full)
 * array of LpParameterUse. */
GArray *lp_parameter_uses_new(const LpTransformer *transformer, const LpPlan *plan,
                              const GArray *units, gboolean backwards);
/** Parameters of @self in all. */
double lp_parameter_use_size(const LpParameterUse *self);

G_END_DECLS
