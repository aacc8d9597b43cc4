/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of a Transformer and their times: a roofline whose arithmetic follows the shapes.
 *
 * Shared by the closed form and the simulation: operation counts and kernel times are inputs to
 * both. */
#pragma once

#include "model/accelerator.h"

G_BEGIN_DECLS

/** A GEMM batch x (m, k)(k, n), or, with n_batch 0, a kernel bound by memory. */
typedef struct {
    const char *name; /* borrowed, static */
    double m, k, n, n_batch;
    double bytes;   /**< bytes read and written */
    gboolean fused; /**< the products of attention in one kernel: k is summed over them */
} LpKernel;

/** The parts of the model that a stage holds. A layer is two blocks, since a tensor-parallel
 * collective ends each. */
typedef enum {
    LP_BLOCK_EMBEDDING,
    LP_BLOCK_ATTENTION,
    LP_BLOCK_FFN,
    LP_BLOCK_HEAD, /**< final norm, logits, loss */
    LP_N_BLOCKS
} LpBlock;

typedef enum {
    LP_PASS_FORWARD,
    LP_PASS_BACKWARD_INPUT,  /**< gradient of the activations, and everything that is no GEMM */
    LP_PASS_BACKWARD_WEIGHT, /**< gradient of the weights: GEMMs only */
    LP_PASS_RECOMPUTE,       /**< what the plan's recompute mode runs again before backward */
    LP_N_PASSES
} LpPass;

#define LP_KERNELS_MAX 16

/** The kernels that one rank runs for @block in @pass over one micro-batch (reference: Anthony et
 * al., ICPP 2024, table of GEMMs; memory-bound kernels as Megatron-LM fuses them).
 * Summed over blocks, passes, ranks and micro-batches, their FLOP are lp_plan_hardware_flop() if
 * tp <= kv-heads (else ranks compute copies of keys and values); flash attention adds half of the
 * forward products' (lp_transformer_scores_forward_flop()), which its backward computes again.
 * @out_kernels: LP_KERNELS_MAX entries. Returns: how many. */
guint lp_block_kernels(const LpTransformer *transformer, const LpPlan *plan, LpBlock block,
                       LpPass pass, LpKernel *out_kernels);

double lp_kernel_flop(const LpKernel *self);

/** GEMM: max(arithmetic, bytes / (bandwidth * memory_efficiency)) + launch, arithmetic by
 * lp_gemm_arithmetic_s(), or lp_gemm_attention_s() if fused;
 * memory-bound: bytes / (bandwidth * memory_efficiency) + launch. Seconds. */
double lp_kernel_time_s(const LpKernel *self, const LpAccelerator *accelerator,
                        LpPrecision precision);

/** Sum of the kernel times of @block in @pass, s. */
double lp_block_time_s(const LpTransformer *transformer, const LpPlan *plan,
                       const LpAccelerator *accelerator, LpBlock block, LpPass pass);

/** The optimiser step of one rank of @stage (Adam, mixed precision: bytes of states over memory
 * bandwidth), s. */
double lp_optimizer_time_s(const LpTransformer *transformer, const LpPlan *plan,
                           const LpAccelerator *accelerator, guint32 stage);

G_END_DECLS
