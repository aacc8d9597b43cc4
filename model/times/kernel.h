/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of a Transformer and their times: a roofline whose arithmetic follows the shapes.
 *
 * Shared by the closed form and the simulation: operation counts and kernel times are inputs to
 * both. */
#pragma once

#include "model/times/kernel_block.h"
#include "model/times/measured_kernels.h"
#include "model/plan/plan.h"
#include "model/times/work.h"

G_BEGIN_DECLS

/** The kernels that one rank runs for @block of layer @index (any, for embedding and head) in @pass
 * over one micro-batch (reference: Anthony et al., ICPP 2024, table of GEMMs; memory-bound kernels
 * as Megatron-LM fuses them).
 * Summed over blocks, passes, ranks and micro-batches, their FLOP are lp_plan_hardware_flop() if no
 * rank computes a copy: copies arise of keys and values with tp > kv-heads, of MLA's compression
 * and, without sequence parallelism, of the router with any tp. Flash attention adds half of the
 * forward products' (lp_transformer_scores_forward_flop()), which its backward computes again.
 * @out_kernels: LP_KERNELS_MAX entries. Returns: how many. */
guint lp_block_kernels(const LpTransformer *transformer, const LpPlan *plan, guint32 index,
                       LpBlock block, LpPass pass, LpKernel *out_kernels);

/** The kernels of one rank's optimiser step, as lp_block_kernels() gives those of a block. */
guint lp_optimizer_kernels(const LpTransformer *transformer, const LpPlan *plan,
                           const LpStepParameters *parameters, LpKernel *out_kernels);

/** Whether the kernels of lists of one's own (LpPlan.lists) are ones: sizes of at least 0, and no
 * division by it, and measured ones of @accelerator, where it is known (else NULL). Errors:
 * LP_MODEL_ERROR_PLAN, "FILE:LINE: got, wanted". */
gboolean lp_kernels_check(const LpTransformer *transformer, const LpPlan *plan,
                          const LpAccelerator *accelerator,
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** Operations of a product, two for each multiply-accumulate; 0 for any other kernel. FLOP. */
double lp_kernel_flop(const LpKernel *self);

/** Bytes that it reads and writes on @accelerator, of which a cast makes one copy where products of
 * @precision take operands in any layout. */
double lp_kernel_bytes(const LpKernel *self, const LpAccelerator *accelerator,
                       LpPrecision precision);

/** The device's time of a kernel, s. GEMM: max(arithmetic, bytes / (bandwidth *
 * memory_efficiency)), arithmetic by lp_gemm_arithmetic_s(), or lp_gemm_attention_s() if fused; a
 * stream: bytes / (bandwidth * memory_efficiency); any other: bytes / (bandwidth *
 * elementwise_efficiency); bytes by lp_kernel_bytes(), and a cast that makes one copy is a stream.
 * All this times lp_measured_kernels_factor() of what was measured. */
double lp_kernel_device_s(const LpKernel *self, const LpAccelerator *accelerator,
                          LpPrecision precision, LpTimedBy *out_by);
/** The source of the kernel's time; for products one by one, of each product. */
LpTimedBy lp_kernel_timed_by(const LpKernel *self, const LpAccelerator *accelerator,
                             LpPrecision precision);
/** lp_kernel_device_s(), and launch for each kernel that it stands for. Seconds. */
double lp_kernel_time_s(const LpKernel *self, const LpAccelerator *accelerator,
                        LpPrecision precision);

/** The bound of a kernel's time: the longest of its arithmetic, of its bytes, and of all its
 * launches. */
typedef enum {
    LP_BOUND_BY_ARITHMETIC,
    LP_BOUND_BY_BYTES,
    LP_BOUND_BY_LAUNCH,
    LP_BOUND_BY_HOST,   /**< it is no kernel, but a call of the host */
    LP_BOUND_BY_UNKNOWN /**< a kernel that was measured by name */
} LpBoundBy;

/** The names of LpBoundBy, NULL-ended. */
extern const char *const lp_bound_by_names[];

/** The bound of lp_kernel_time_s(). */
LpBoundBy lp_kernel_bound_by(const LpKernel *self, const LpAccelerator *accelerator,
                             LpPrecision precision);

/** The work of one kernel: its time, and what issuing it costs the host (0 with CUDA graphs). */
LpWork lp_kernel_work(const LpKernel *self, const LpPlan *plan, const LpAccelerator *accelerator);
/** What a rank copies around one gather of the activations at a stage boundary under
 * LP_SCATTER_GATHER_OUTPUTS; nothing otherwise, or if there are no stages or no tensor parallelism.
 * DeepSpeed clears a flat tensor, copies its share into it, gathers into a list of views, and
 * clones the whole (deepspeed/runtime/utils.py: PartitionedTensor.full); PyTorch gathers a list
 * through a buffer, with a copy for each member (torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:
 * allgather). */
LpWork lp_boundary_copies_work(const LpTransformer *transformer, const LpPlan *plan,
                               const LpAccelerator *accelerator);
/** Whether layer @index has a part in @pass: all have, but of what is run again. */
gboolean lp_pass_has_layer(const LpTransformer *transformer, const LpPlan *plan, guint32 index,
                           LpPass pass);
/** Work of the kernels of one part of @block of layer @index in @pass, one micro-batch. */
LpWork lp_block_part_work(const LpTransformer *transformer, const LpPlan *plan,
                          const LpAccelerator *accelerator, guint32 index, LpBlock block,
                          LpPass pass, LpBlockPart part);
/** Works out all parts of @block at once. @parts: LP_N_BLOCK_PARTS, filled in. */
void lp_block_parts_work(const LpTransformer *transformer, const LpPlan *plan,
                         const LpAccelerator *accelerator, guint32 index, LpBlock block,
                         LpPass pass, LpWork *parts);
/** Work of all kernels of @block of layer @index in @pass, one micro-batch, part by part. */
LpWork lp_block_work(const LpTransformer *transformer, const LpPlan *plan,
                     const LpAccelerator *accelerator, guint32 index, LpBlock block, LpPass pass);
/** The host's time of issuing a collective or a message, s; 0 with CUDA graphs. */
double lp_collective_host_s(const LpPlan *plan, const LpAccelerator *accelerator);

/** Sum of the kernel times of @block of layer @index in @pass, one micro-batch, s. */
double lp_block_time_s(const LpTransformer *transformer, const LpPlan *plan,
                       const LpAccelerator *accelerator, guint32 index, LpBlock block, LpPass pass);

G_END_DECLS
