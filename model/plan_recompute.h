/* SPDX-License-Identifier: Apache-2.0 */
/* What of a layer recomputation runs again. */
#pragma once

#include "model/plan_layers.h"
#include "model/transformer_layers.h"

G_BEGIN_DECLS

/** Whether layer @index is recomputed, in whatever way. Of a fraction p layer i (from 1) is where i
 * p passes the next of 1/2, 3/2, 5/2 ... (foundation-model-stack/fms-fsdp,
 * fms_fsdp/policies/ac_handler.py). */
gboolean lp_plan_recomputes_layer(const LpPlan *self, const LpTransformer *transformer,
                                  guint32 index);
/** The share of all layers that are recomputed: 0 without recomputation. */
double lp_plan_recomputed_share(const LpPlan *self, const LpTransformer *transformer);
/** Whether every second product is recomputed: LP_SELECTIVE_ALTERNATE. */
gboolean lp_plan_recomputes_alternate(const LpPlan *self);
/** Whether @attention's scores are recomputed alone: flash attention keeps none. */
gboolean lp_plan_recomputes_scores(const LpPlan *self, LpAttentionKind attention);
/** Whether full recomputation of layer @index ends before its last product, whose result the
 * backward pass does not take (PyTorch, torch/utils/checkpoint.py: checkpoints that are not
 * reentrant stop early). Not where dropout follows, whose mask it takes, nor in layers of experts,
 * whose results are weighed and summed. */
gboolean lp_plan_recompute_stops_early(const LpPlan *self, const LpTransformer *transformer,
                                       guint32 index);
/** Whether sequence parallelism gathers the input of a block's first products, or the gradient of
 * its last, once more for the gradients of their weights: always where only shards are kept
 * (Korthikanti et al., arXiv 2205.05198, section 4.2.2); where it is kept, after a recomputation
 * that did not gather it. */
gboolean lp_plan_gathers_again(const LpPlan *self);

G_END_DECLS
