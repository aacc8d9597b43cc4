/* SPDX-License-Identifier: Apache-2.0 */
/* Traits of a plan: properties of the training software (workloads/description/traits.xml). */
#pragma once

#include "model/kernels/kernel_lists.h"

G_BEGIN_DECLS

/** Traits that the program acts on, in the table's order, and traits of kernel lists that tests
 * name. The table may have more, which only kernel lists use. */
typedef enum {
    LP_TRAIT_HOST_SYNC,
    LP_TRAIT_COLLECTIVE_CHECKS,
    LP_TRAIT_COUNT_SYNC,
    LP_TRAIT_GRADIENT_CHECK,
    LP_TRAIT_SEPARATE_PROJECTIONS,
    LP_TRAIT_REPEAT_HEADS,
    LP_TRAIT_FUSED_LOSS,
    LP_TRAIT_PARALLEL_LOSS,
    LP_TRAIT_KEEP_GATHERED,
    LP_TRAIT_INPUT_COLLECTIVES,
    LP_TRAIT_KV_DIVISION,
    LP_TRAIT_EARLY_STOP,
    LP_TRAIT_FIRST_BUCKETS,
    LP_TRAIT_OVERLAP_TP_PAIRS,
    LP_TRAIT_ADJACENT_EXPERTS,
    LP_TRAIT_GATHER_LISTS,
    LP_TRAIT_PARAMETER_GATHER,
    LP_TRAIT_GATHER_AHEAD,
    LP_TRAIT_GATHER_UNIT,
    LP_TRAIT_ROOT_UNIT,
    LP_TRAIT_ARRAY_UNITS,
    LP_TRAIT_CAST_SHARDS,
    LP_TRAIT_DROP_GRADIENTS,
    LP_TRAIT_FLAT_GRADIENTS,
    LP_TRAIT_STEP_BYTES,
    LP_TRAIT_EXPERTS_ONE_BY_ONE,
    LP_TRAIT_EXPERTS_KERNEL,
    LP_TRAIT_LAYOUT,
    LP_TRAIT_ROUTING_KERNELS,
    LP_TRAIT_GRADIENT_COPIES,
    LP_TRAIT_NARROW_LOGITS,
    LP_TRAIT_NARROW_ATTENTION,
    LP_TRAIT_NARROW_ACTIVATIONS,
    LP_TRAIT_LAYER_GRAPHS,
    LP_N_NAMED_TRAITS
} LpTrait;

/** Traits that a plan has room for. */
#define LP_TRAITS_MAX 48

/** All traits of the table, as sizes for lists of kernels; a choice is a size with words. */
extern const LpKernelSize lp_traits[];
extern const guint lp_n_traits;

/** Whether the first products of a block share the collectives of their one input over tp. */
typedef enum {
    LP_INPUT_COLLECTIVES_SHARED,
    LP_INPUT_COLLECTIVES_SUMS_SEPARATE, /**< its gradient is summed for each of them */
    LP_INPUT_COLLECTIVES_SEPARATE,      /**< and it is gathered for each */
    LP_INPUT_COLLECTIVES_LATENT         /**< MLA: each rank compresses its own tokens, and what is
                                           compressed is gathered (lp_plan_latent_inputs()) */
} LpInputCollectives;

/** How ranks of tp get keys and values where there are fewer heads of them than ranks. */
typedef enum {
    LP_KV_DIVISION_COPIES,  /**< each has all of the head that its queries meet */
    LP_KV_DIVISION_GATHERED /**< the products' outputs are divided evenly, and gathered */
} LpKvDivision;

/** Which parts of a layer are replayed as CUDA graphs, where not all is (LpPlan.host). */
typedef enum {
    LP_LAYER_GRAPHS_NONE,
    LP_LAYER_GRAPHS_ROUTING,  /**< routing and what sorts tokens */
    LP_LAYER_GRAPHS_ATTENTION /**< attention, too */
} LpLayerGraphs;

/** Whose kernel computes the products of a rank's experts in one launch. */
typedef enum {
    LP_EXPERTS_KERNEL_PRODUCTS, /**< as fast as a product of their size: DeepGEMM's, hipBLASLt's */
    LP_EXPERTS_KERNEL_TORCH     /**< torch._grouped_mm and torch._scaled_grouped_mm */
} LpExpertsKernel;

/** Which products into a block have weights of their own, whose gradients of their common input are
 * summed. */
typedef enum {
    LP_PROJECTIONS_JOINED,
    LP_PROJECTIONS_GATE_SEPARATE, /**< up, and through the gate */
    LP_PROJECTIONS_SEPARATE       /**< queries, keys and values, too */
} LpProjections;

/** Which kernels make the loss and the gradient of the logits. */
typedef enum {
    LP_FUSED_LOSS_NO,
    LP_FUSED_LOSS_IN_PLACE, /**< Transformer Engine's */
    LP_FUSED_LOSS_NATIVE,   /**< Megatron-Core's */
    LP_FUSED_LOSS_COMPILED, /**< torch.compile's */
    LP_FUSED_LOSS_LIGER,    /**< with the products, chunk by chunk */
    LP_FUSED_LOSS_CHUNKED,  /**< prime-rl's: logits are made again backward */
    LP_FUSED_LOSS_CUT       /**< Apple's: no logits are kept */
} LpFusedLoss;

/** The order in which a tensor of activations lies in memory. */
typedef enum {
    LP_LAYOUT_SEQUENCE_FIRST, /**< tokens of one position next to each other */
    LP_LAYOUT_BATCH_FIRST     /**< whole sequences: what is gathered along them, or is to be
                                    scattered, is copied into order */
} LpActivationLayout;

/** The points at which the host waits for the device to finish what was issued, and so loses its
 * lead. */
typedef enum {
    LP_HOST_SYNC_NONE,
    LP_HOST_SYNC_MESSAGES, /**< after each message that the compute stream waits for */
    LP_HOST_SYNC_PASSES,   /**< also before each pass of a micro-batch, and the optimiser */
    LP_HOST_SYNC_KERNELS   /**< behind all that it issues (CUDA_LAUNCH_BLOCKING=1): host and device
                                take turns, and nothing runs beside anything */
} LpHostSync;

/** Whether the hosts of a group agree on each collective before they start it, one message after
 * another (PyTorch: TORCH_DISTRIBUTED_DEBUG=DETAIL). */
typedef enum {
    LP_COLLECTIVE_CHECKS_NO,
    LP_COLLECTIVE_CHECKS_YES,
    LP_COLLECTIVE_CHECKS_STAGES_SEPARATE /**< in jobs whose messages between stages leave domains */
} LpCollectiveChecks;

/** How ranks of tensor parallelism, which share the head's words, find the loss. */
typedef enum {
    LP_PARALLEL_LOSS_NO,      /**< each has that of its share: what it takes besides is left out */
    LP_PARALLEL_LOSS_YES,     /**< by sums over the ranks; the head is as the products of layers */
    LP_PARALLEL_LOSS_GATHERED /**< logits are gathered, and each finds the loss of all words */
} LpParallelLoss;

/** How replicas hand each other the parameters that each has updated (ZeRO stages 1 and 2). */
typedef enum {
    LP_PARAMETER_GATHER_COLLECTIVE, /**< all-gathers: each has as large a share of a flat buffer */
    LP_PARAMETER_GATHER_BROADCAST   /**< each has whole tensors, which it broadcasts at once, one
                                         replica after another */
} LpParameterGather;

/** Before which passes a stage of a pipeline launches the first gathers of parameters while it
 * still waits for the message that the pass begins with (ZeRO stage 3, hidden). */
typedef enum {
    LP_GATHER_AHEAD_ITERATION, /**< before the first of an iteration only: later passes gather when
                                    they begin */
    LP_GATHER_AHEAD_PASS       /**< before each */
} LpGatherAhead;

/** The unit of parameters that is gathered at once, and whose gradients are summed at once (ZeRO
 * stage 3). */
typedef enum {
    LP_GATHER_UNIT_LAYER, /**< embedding, layers and head, each as one (FSDP) */
    LP_GATHER_UNIT_TENSOR /**< tensor by tensor, by gather_bucket (DeepSpeed); norms and biases stay
                               on all ranks */
} LpGatherUnit;

G_END_DECLS
