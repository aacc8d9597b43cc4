/* SPDX-License-Identifier: Apache-2.0 */
/* The tensors that hold a layer's parameters: what software that goes by tensors counts and cuts.
 */
#pragma once

#include "model/plan/plan.h"

G_BEGIN_DECLS

/** The largest number of tensors of a layer: three matrices of a feed-forward network, two
 * attention blocks of four, a norm before each, and the rest. */
#define LP_LAYER_TENSORS_MAX 16u
/** Matrices of a mixer in attention's place that count one by one. */
#define LP_MIXER_TENSORS_MAX 8u

/** Shares of a rank's parameters of a layer but those of routed experts, in the order in which its
 * backward pass has their gradients; they sum to 1. */
typedef struct {
    guint n;
    guint n_ffn;       /**< of them, from the first on: matrices of a feed-forward network, */
    guint n_attention; /**< then of each attention block, the last matrix of the block's pass first;
                            the others are norms, biases, and what else there is */
    guint n_blocks;    /**< such blocks */
    double share[LP_LAYER_TENSORS_MAX];
} LpLayerTensors;

/** The tensors of layer @index: each matrix, with queries, keys and values in one and what goes up
 * in one with the gate unless @plan has them apart (separate-projections), and each norm. Biases
 * count with the norms; latent attention's matrices but the projection, and a router with shared
 * experts, as one each. */
LpLayerTensors lp_layer_tensors(const LpTransformer *transformer, const LpPlan *plan,
                                guint32 index);
/** Matrices of feed-forward network and attention, which come first among the tensors. */
guint lp_layer_tensors_n_matrices(const LpLayerTensors *self);
/** Tensors of the parameters of a rank of @stage, but for routed experts: those of its layers, the
 * word embedding, the last norm and the output matrix or the tied copy of the embedding. */
double lp_stage_tensors(const LpTransformer *transformer, const LpPlan *plan, guint32 stage);

G_END_DECLS
