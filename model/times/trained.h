/* SPDX-License-Identifier: Apache-2.0 */
/* The parameters that are trained: all, or, beside frozen weights, those of adapters (LoRA). */
#pragma once

#include "model/plan/plan.h"

G_BEGIN_DECLS

/** Parameters of the adapters of layer @index on one of the ranks that hold it: what the products
 * of weights' gradients in its lists of kernels make. None if weights are trained. */
LpParameters lp_layer_adapters(const LpTransformer *transformer, const LpPlan *plan, guint32 index);
/** Parameters of the adapters of all layers, each on one of the ranks that hold it. */
LpParameters lp_adapters(const LpTransformer *transformer, const LpPlan *plan);
/** Those of layer @index that are trained. */
LpParameters lp_layer_trained(const LpTransformer *transformer, const LpPlan *plan, guint32 index);
/** Of @parameters of embedding or head those that are trained. */
double lp_end_trained(const LpPlan *plan, double parameters);
/** Those of the layers of @stage that are trained, on one of its ranks. */
LpParameters lp_rank_layers_trained(const LpTransformer *transformer, const LpPlan *plan,
                                    guint32 stage);
/** Those of all of @stage that are trained. */
LpParameters lp_rank_trained(const LpTransformer *transformer, const LpPlan *plan, guint32 stage);

G_END_DECLS
