/* SPDX-License-Identifier: Apache-2.0 */
/* The vocabulary of kernels: blocks, passes, parts, and a single kernel. */
#pragma once

#include "model/times/accelerator.h"

G_BEGIN_DECLS

/** The place of a kernel in its block, in the order of the forward pass; in the backward pass the
 * core comes before the inner part. A block's input may have to be gathered for the first products,
 * and its output to be summed after the last. */
typedef enum {
    LP_BLOCK_PART_NORM,          /**< on the rank's own share of the tokens: norms */
    LP_BLOCK_PART_INPUT_PRODUCT, /**< products that take the gathered input */
    LP_BLOCK_PART_INNER,
    LP_BLOCK_PART_CORE,           /**< attention between queries, keys and values */
    LP_BLOCK_PART_OUTPUT_PRODUCT, /**< products whose results are summed over tp */
    LP_BLOCK_PART_RESIDUAL,
    LP_N_BLOCK_PARTS
} LpBlockPart;

/** A GEMM batch x (m, k)(k, n), or, with n_batch 0, a kernel bound by memory. */
typedef struct {
    const char *name; /* borrowed, static */
    double m, k, n, n_batch;
    double bytes;        /**< bytes read and written */
    double column_bytes; /**< of a cast: those of @bytes that write the copy along the columns,
                            which not every accelerator needs */
    double operations;   /**< of a kernel that is no product: its arithmetic in fp32 */
    gboolean streams;    /**< reads and writes in order, without sums over rows or random numbers */
    gboolean wide;       /**< in 16 bits where products are narrow: attention, logits and router
                            (NVIDIA, Transformer Engine's user guide; Megatron-Core) */
    gboolean solo;       /**< of a job on one accelerator: products reach burst_efficiency */
    LpAttentionKernel attention; /**< of a fused kernel: whose, lp_plan_attention_kernel() */
    LpExpertsKernel grouped;     /**< of the products of experts in one: whose */
    double head_width;           /**< of a fused kernel whose time depends on it; 0: it does not */
    gboolean fused; /**< the products of attention in one kernel: k is summed over them */
    guint32
        n_launches; /**< kernels of this kind, one behind the other, which share its bytes; 0: 1 */
    double n_apart; /**< each of n_batch is a kernel of its own, so many side by side; of a kernel
                       bound by memory: its n_launches are small ones, which a library issues in a
                       loop, so many to a launch; 0: neither */
    double host_overhead_s; /**< time that the host takes besides for the tensors of products, s */
    gboolean collective; /**< a collective of bytes too few to count: it costs the host as much as
                            any other, and lasts as long as a kernel */
    gboolean waits;    /**< the host waits until the device has done it, for what it has counted */
    double share;      /**< of the products that have to be worked out: a fused kernel skips what a
                          causal mask hides. It counts for time, not for operations */
    gboolean measured; /**< its time is that of its name and: */
    double size;       /**< in the accelerator's table */
    gboolean on_host;  /**< no kernel: the host is busy for: */
    double seconds;
    LpBlockPart part;
    const char *file; /* borrowed: of the list that has it; NULL: it is of none */
    guint line;
} LpKernel;

/** The parts of the model that a stage holds. A dense layer is two blocks, since a tensor-parallel
 * collective ends each; all-to-alls divide the second block of a layer with experts in three. */
typedef enum {
    LP_BLOCK_EMBEDDING,
    LP_BLOCK_ATTENTION,
    LP_BLOCK_CROSS, /**< cross-attention to the encoder's output */
    LP_BLOCK_FFN,
    LP_BLOCK_ROUTER,  /**< norm, routing, and tokens sorted by expert */
    LP_BLOCK_EXPERTS, /**< the routed experts of a rank, on the tokens that came */
    LP_BLOCK_COMBINE, /**< the experts' results summed by token, and the residual */
    LP_BLOCK_SHARED,  /**< shared experts */
    LP_BLOCK_MTP,  /**< ahead of the attention of a module that predicts further tokens: norms, and
                      the product that joins what came with their embeddings */
    LP_BLOCK_HEAD, /**< final norm, logits, loss */
    LP_N_BLOCKS
} LpBlock;

/** The passes of a micro-batch through a block. */
typedef enum {
    LP_PASS_FORWARD,
    LP_PASS_BACKWARD_INPUT,  /**< gradient of the activations, and everything that is no GEMM */
    LP_PASS_BACKWARD_WEIGHT, /**< gradient of the weights: GEMMs only */
    LP_PASS_RECOMPUTE,       /**< what the plan's recompute mode runs again before backward */
    LP_N_PASSES
} LpPass;

/** The parameters on which a rank's optimiser steps. */
typedef struct {
    double all;             /**< those of the rank */
    double own;             /**< whose states it holds */
    double own_layers;      /**< of these, those of layers */
    double rank_layers;     /**< of all, those of layers */
    gboolean in_any_layout; /**< products take narrow weights in any layout: one copy does */
} LpStepParameters;

/** Kernels that a block has in a pass, at most. */
#define LP_KERNELS_MAX 96

G_END_DECLS
