/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a layer that recomputation runs again. */
#pragma once

#include "model/plan/plan_layers.h"
#include "model/transformer/transformer_layers.h"

G_BEGIN_DECLS

/** Whether layer @index is recomputed, in whatever way. Of a fraction p layer i (from 1) is where i
 * p passes the next of 1/2, 3/2, 5/2 ... (foundation-model-stack/fms-fsdp,
 * fms_fsdp/policies/ac_handler.py). */
gboolean lp_plan_recomputes_layer(const LpPlan *self, const LpTransformer *transformer,
                                  guint32 index);
/** Whether the whole forward pass of layer @index runs again: full recomputation. */
gboolean lp_plan_repeats_layer(const LpPlan *self, const LpTransformer *transformer, guint32 index);
/** The share of all layers that are recomputed: 0 without recomputation. */
double lp_plan_recomputed_share(const LpPlan *self, const LpTransformer *transformer);
/** The parts of a layer that light and selective recomputation recompute, a set of
 * LpRecomputedParts; none with full recomputation, which runs the forward pass. */
guint32 lp_plan_recomputed_parts(const LpPlan *self);
/** Whether the layers' parts that are made again hold all of @parts. */
gboolean lp_plan_recomputes(const LpPlan *self, guint32 parts);
/** Whether one kernel makes scores and mixture: @attention asks for it, and the plan's software has
 * such a kernel. */
gboolean lp_plan_fuses_attention(const LpPlan *self, LpAttentionKind attention);
/** Whether attention's core is run again where it is of kind @attention; with full recomputation it
 * is, too, but as part of a forward pass. */
gboolean lp_plan_recomputes_core(const LpPlan *self, LpAttentionKind attention);
/** Whether attention and the dense feed-forward network of @layer are parallel blocks, which share
 * their collectives. */
gboolean lp_plan_has_parallel_blocks(const LpTransformer *transformer, LpLayer layer);
/** Whether the projection out of attention is run again in @layer: not where blocks stand side
 * by side, since nothing takes their sum. */
gboolean lp_plan_recomputes_projection(const LpPlan *self, const LpTransformer *transformer,
                                       LpLayer layer);
/** Whether the products into the inner width of feed-forward networks, and of the gate, are all
 * recomputed. */
gboolean lp_plan_recomputes_up(const LpPlan *self, const LpTransformer *transformer);
/** Whether full recomputation of layer @index ends before its last product, whose result the
 * backward pass does not take (PyTorch, torch/utils/checkpoint.py: checkpoints that are not
 * reentrant stop early). Not where dropout follows, whose mask it takes, nor in layers of experts,
 * whose results are weighed and summed. */
gboolean lp_plan_recompute_stops_early(const LpPlan *self, const LpTransformer *transformer,
                                       guint32 index);
/** Whether sequence parallelism gathers the input of a block's first products, or the gradient of
 * its last one, once more for the gradients of their weights: always where only shards are kept
 * (Korthikanti et al., arXiv 2205.05198, section 4.2.2); where the gathered input is kept, after a
 * recomputation that did not gather it. */
gboolean lp_plan_regathers_inputs(const LpPlan *self);

G_END_DECLS
