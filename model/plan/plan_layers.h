/* SPDX-License-Identifier: Apache-2.0 */
/* Which layers a rank holds: slices of the model, dealt to the stages' chunks. */
#pragma once

#include "model/plan/plan_options.h"

G_BEGIN_DECLS

/** Sets the number of virtual stages, if the plan says "finest": as many as there are layers for,
 * and one if the schedule cannot be interleaved or micro-batches are no multiple of the stages. */
void lp_plan_refine_stages(LpPlan *self, const LpTransformer *transformer);
/**
 * Deals the layers to slices by the plan's rule: fills the list. At most LP_STAGE_LIST_MAX slices;
 * more stay even.
 * "balanced": the slowest has as few FLOP as can be.
 * "by-weight": each slice in turn takes layers until all layers so far reach its share of the
 * weights, the head's V h among them, the embedding's not; late slices may be left without layers.
 * A layer weighs 4 a w h + 3 h_ff h (a heads of width w), whatever its key-value heads (nanotron
 * 0.4, models/base.py, build_model(), and models/llama.py, get_block_compute_costs()); a mixer in
 * attention's place what its list says (lp_mixers_measure()), and experts those that a token meets.
 * In that code a share has to be exceeded; measured steps of 16 layers on 4 stages took as long as
 * 5 layers need, so that a share just reached is enough. "front": each slice in turn takes the mean
 * number of layers, rounded up, while there are any; the last has what is left, and the modules
 * that predict further tokens, which are in no mean (Megatron-Bridge,
 * src/megatron/bridge/recipes/deepseek/deepseek_v3.py:
 * set_deepseek_v3_pipeline_model_parallel_layout).
 * "with-ends": embedding and logits count as a layer each, so that the first and the last slice
 * have one layer less, or none (Megatron-Core, megatron/training/arguments.py:
 * account_for_embedding_in_pipeline_split and account_for_loss_in_pipeline_split).
 */
void lp_plan_deal_layers(LpPlan *self, const LpTransformer *transformer);

/** Chunks of layers that a rank holds: virtual_stages, or one for each way under dualpipe. */
guint32 lp_plan_n_chunks(const LpPlan *self);
/** Slices that the layers are cut into: pp virtual_stages. */
guint32 lp_plan_n_slices(const LpPlan *self);
/** The slice that chunk @chunk of stage @stage is: chunk pp + stage; under dualpipe chunk 1 is the
 * slice of the stage's mirror image, pp - 1 - stage. */
guint32 lp_plan_slice(const LpPlan *self, guint32 stage, guint32 chunk);
/** Layers of slice @slice. Even: layers that do not divide are dealt one each to the slices after
 * the first, so that the first and the last, which also hold embedding and logits, are the last to
 * grow. */
guint32 lp_plan_slice_layers(const LpPlan *self, const LpTransformer *transformer, guint32 slice);
/** Index in the Transformer of slice @slice's first layer. */
guint32 lp_plan_slice_first_layer(const LpPlan *self, const LpTransformer *transformer,
                                  guint32 slice);
/** Layers of chunk @chunk (0 .. lp_plan_n_chunks() - 1) of stage @stage. */
guint32 lp_plan_chunk_layers(const LpPlan *self, const LpTransformer *transformer, guint32 stage,
                             guint32 chunk);
/** Layers of all chunks of @stage. */
guint32 lp_plan_stage_layers(const LpPlan *self, const LpTransformer *transformer, guint32 stage);
/** Whether chunk @chunk of @stage begins with the embedding. */
gboolean lp_plan_holds_embedding(const LpPlan *self, guint32 stage, guint32 chunk);
/** Whether chunk @chunk of @stage ends with the head. */
gboolean lp_plan_holds_head(const LpPlan *self, guint32 stage, guint32 chunk);

G_END_DECLS
