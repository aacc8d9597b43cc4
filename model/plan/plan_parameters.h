/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters on a rank, before and after sharding. */
#pragma once

#include "model/plan/plan_options.h"

G_BEGIN_DECLS

/** Parameters on one rank, before any sharding over replicas. */
typedef struct {
    double dense;   /**< over tp, and what each of its ranks holds whole */
    double experts; /**< routed experts', over ep and expert tp */
} LpParameters;

/** @parameters as the groups of replicas share them: experts with the rest under hybrid sharding,
 * where all have the same replicas. */
LpParameters lp_plan_pooled_parameters(const LpPlan *self, LpParameters parameters);
/** The part of @parameters whose states a rank keeps: over the replicas from ZeRO stage 1 on. */
LpParameters lp_plan_sharded_parameters(const LpPlan *self, LpParameters parameters);
/** Width of the keys on one rank of tp: ranks in excess of the key-value heads hold copies, at
 * least one head each. */
double lp_plan_key_width(const LpPlan *self, const LpTransformer *transformer);
/** Width of the values on one rank of tp, copied where the keys are. */
double lp_plan_value_width(const LpPlan *self, const LpTransformer *transformer);
/** Width of the keys and values that context parallelism sends, of one rank of tp: of a head each
 * for every head of queries where they were repeated before (trait repeat-heads), and of one head
 * at least for each rank where heads are divided, copied where there are fewer (DeepSpeed,
 * runtime/sequence_parallel/ulysses_sp.py: kv_replication_factor). */
double lp_plan_exchanged_width(const LpPlan *self, const LpTransformer *transformer);

/** Parameters of layer @index on one of the ranks that hold it. */
LpParameters lp_plan_layer_parameters(const LpPlan *self, const LpTransformer *transformer,
                                      guint32 index);
/** Parameters of layers, worked out once for those that are alike. */
typedef struct {
    LpParameters of[LP_LAYER_KINDS];
    gboolean is_known[LP_LAYER_KINDS];
} LpLayerParameters;

/** The result of lp_plan_layer_parameters(), kept in @cache, which is of one plan and transformer
 * and zero at first. */
LpParameters lp_plan_known_layer_parameters(const LpPlan *self, const LpTransformer *transformer,
                                            guint32 index, LpLayerParameters *cache);
/** Parameters of the embedding on one of the ranks that hold it. */
double lp_plan_embedding_parameters(const LpPlan *self, const LpTransformer *transformer);
/** Parameters of the head on one of the ranks that hold it, but for a copy of a tied embedding. */
double lp_plan_head_parameters(const LpPlan *self, const LpTransformer *transformer);
/** Parameters on a rank of @stage whose gradients are sums over the tokens of all tensor-parallel
 * ranks: what each holds whole and meets its own tokens with, under sequence parallelism. They are
 * summed once an iteration, in one collective (Megatron-Core,
 * megatron/core/distributed/finalize_model_grads.py: _allreduce_non_tensor_model_parallel_grads).
 * Of adapters beside frozen weights they are left out as too small.
 */
double lp_plan_whole_gradients(const LpPlan *self, const LpTransformer *transformer, guint32 stage);
/** Parameters of all chunks of @stage on one of its ranks. */
LpParameters lp_plan_rank_parameters(const LpPlan *self, const LpTransformer *transformer,
                                     guint32 stage);
/** Parameters of the layers of @stage on one of its ranks, without embedding and head. */
LpParameters lp_plan_rank_layer_parameters(const LpPlan *self, const LpTransformer *transformer,
                                           guint32 stage);
/** Both kinds of parameters of @stage together, on one of its ranks. */
double lp_plan_stage_parameters(const LpPlan *self, const LpTransformer *transformer,
                                guint32 stage);
/** Parameters of the head's chunk that are the embedding's too: a copy, 0 if there is none. Whole,
 * not over tp. */
double lp_plan_tied_copy_parameters(const LpPlan *self, const LpTransformer *transformer);

G_END_DECLS
