/* SPDX-License-Identifier: Apache-2.0 */
/* What a plan chooses between: schedules, formats, kernels, how replicas share states. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** The order in which a stage works on micro-batches. */
typedef enum {
    LP_SCHEDULE_GPIPE,
    LP_SCHEDULE_1F1B,
    LP_SCHEDULE_INTERLEAVED,
    LP_SCHEDULE_ZERO_BUBBLE, /**< ZB-H1: Qi et al., arXiv 2401.10241 */
    LP_SCHEDULE_DUALPIPE     /**< both ways: DeepSeek-V3, arXiv 2412.19437, section 3.2.1 */
} LpPipelineSchedule;

/** What is recomputed before the backward pass in place of being kept. */
typedef enum {
    LP_RECOMPUTE_NONE,
    LP_RECOMPUTE_LIGHT,     /**< LP_RECOMPUTED_LIGHT */
    LP_RECOMPUTE_SELECTIVE, /**< the parts that the plan names */
    LP_RECOMPUTE_FULL
} LpRecompute;

/** Parts of a layer whose results recomputation makes again, as bits of a set. The rest of a layer
 * is kept; what its last product gives, down from the inner width, no gradient takes, so it is
 * never made again. */
typedef enum {
    LP_RECOMPUTED_NORMS = 1 << 0,
    LP_RECOMPUTED_LATENT =
        1 << 1, /**< MLA: queries, keys and values out of what is kept compressed */
    LP_RECOMPUTED_QUERIES = 1 << 2,
    LP_RECOMPUTED_KEYS = 1 << 3,
    LP_RECOMPUTED_VALUES = 1 << 4,
    LP_RECOMPUTED_QKV = LP_RECOMPUTED_QUERIES | LP_RECOMPUTED_KEYS | LP_RECOMPUTED_VALUES,
    LP_RECOMPUTED_CORE =
        1 << 5, /**< attention's scores and mixture, unless one kernel makes both */
    LP_RECOMPUTED_ATTENTION = 1 << 6,  /**< all of that core, in whatever kernels */
    LP_RECOMPUTED_PROJECTION = 1 << 7, /**< out of attention, */
    LP_RECOMPUTED_RESIDUAL = 1 << 8,   /**< and its sum with the layer's input */
    LP_RECOMPUTED_UP = 1 << 9,
    LP_RECOMPUTED_GATE = 1 << 10,
    LP_RECOMPUTED_ACTIVATION = 1 << 11,
    LP_RECOMPUTED_FFN = LP_RECOMPUTED_UP | LP_RECOMPUTED_GATE | LP_RECOMPUTED_ACTIVATION,
    LP_RECOMPUTED_NO_SUMS =
        1 << 12, /**< sums over tp are kept, and with them what the projection gave */
    /** Norms and activation functions, which take little time and whose results much memory
     * (Megatron-Core's recompute modules layernorm, moe_act and mla_up_proj). */
    LP_RECOMPUTED_LIGHT = LP_RECOMPUTED_NORMS | LP_RECOMPUTED_LATENT | LP_RECOMPUTED_ACTIVATION,
    /** Every second product of a layer with its weights, and all that is no product; the core is
     * kept (torchtitan, torchtitan/distributed/activation_checkpoint.py, SelectiveAC). */
    LP_RECOMPUTED_ALTERNATE = LP_RECOMPUTED_LIGHT | LP_RECOMPUTED_KEYS | LP_RECOMPUTED_PROJECTION |
                              LP_RECOMPUTED_RESIDUAL | LP_RECOMPUTED_GATE | LP_RECOMPUTED_NO_SUMS
} LpRecomputedParts;

/** The number format that products are computed in, and how its scales are shared
 * (model/plan/precision.h). */
typedef enum {
    LP_PRECISION_FP32,
    LP_PRECISION_TF32,
    LP_PRECISION_FP16,
    LP_PRECISION_BF16,
    LP_PRECISION_FP8,       /**< a scale for each tensor */
    LP_PRECISION_FP8_BLOCK, /**< one for 128 values, or 128 x 128 weights */
    LP_PRECISION_MXFP8,     /**< one for 32 values */
    LP_PRECISION_NVFP4,     /**< 4 bits, one for 16 values */
    LP_PRECISION_INT8,      /**< integers, a scale for each row of the product's inner side */
    LP_PRECISION_MXFP4,     /**< 4 bits, one for 32 values */
    LP_N_PRECISIONS
} LpPrecision;

/** The source of the scale of a tensor in fp8. */
typedef enum {
    LP_SCALING_DELAYED, /**< the largest values of the steps before: a cast reads once */
    LP_SCALING_CURRENT  /**< its own largest value, for which a cast reads all of it beforehand */
} LpScaling;

/** How tensor-parallel collectives are hidden. */
typedef enum {
    LP_OVERLAP_TP_NO,
    LP_OVERLAP_TP_BULK, /**< whole collectives behind the products of the weights' gradients */
    LP_OVERLAP_TP_RING /**< also split, and exchanged behind the product that they feed or follow */
} LpOverlapTp;

/** How work that moves memory is cut into kernels. */
typedef enum {
    LP_KERNELS_FUSED, /**< as Megatron-LM and Transformer Engine fuse it */
    LP_KERNELS_EAGER  /**< one operation of PyTorch at a time */
} LpKernels;

/** Whose fused attention runs. */
typedef enum {
    LP_ATTENTION_KERNEL_AUTO,    /**< torch with eager kernels, else the vendor's */
    LP_ATTENTION_KERNEL_VENDOR,  /**< cuDNN's or FlashAttention-3, by Transformer Engine */
    LP_ATTENTION_KERNEL_TORCH,   /**< what PyTorch's scaled_dot_product_attention takes */
    LP_ATTENTION_KERNEL_FLASH_2, /**< FlashAttention-2 */
    LP_ATTENTION_KERNEL_FLASH_1, /**< FlashAttention's own kernels of before its second version */
    LP_ATTENTION_KERNEL_TRITON,  /**< FlashAttention of 2022 in Triton, in llm-foundry of 2023 */
    LP_ATTENTION_KERNEL_UNFUSED  /**< nobody's: none of that software takes heads so wide */
} LpAttentionKernel;

/** The cost of a stream's change to a collective of another library. */
typedef enum {
    LP_LIBRARY_SWITCH_NONE,
    LP_LIBRARY_SWITCH_EVENT, /**< an event, which costs the stream what a launch does */
    LP_LIBRARY_SWITCH_HOST   /**< the host waits until the stream is done, and then starts it */
} LpLibrarySwitch;

/** How context parallelism exchanges queries, keys and values. */
typedef enum {
    LP_CONTEXT_RING,    /**< keys and values go round (Liu et al., arXiv 2310.01889) */
    LP_CONTEXT_ULYSSES, /**< all-to-all from tokens to heads (Jacobs et al., arXiv 2309.14509) */
    LP_CONTEXT_GATHER, /**< keys and values are gathered first (Llama 3, arXiv 2407.21783, 3.3.2) */
    LP_CONTEXT_GATHERED_RING /**< so they are, and attended to step by step; gradients go round
                                  (PyTorch's, compiled) */
} LpContextKind;

/** Which collectives ZeRO uses. */
typedef enum {
    LP_ZERO_STANDARD, /**< reduce-scatter and all-gather */
    LP_ZERO_DEEPSPEED /**< stages 1 and 2 all-reduce the gradients, then all-gather */
} LpZeroVariant;

/** When gradients are summed over replicas. */
typedef enum {
    LP_GRADIENT_SYNC_AUTO, /**< each with ZeRO stage 3, else last */
    LP_GRADIENT_SYNC_LAST, /**< gradients are summed over replicas once an iteration */
    LP_GRADIENT_SYNC_EACH  /**< after each micro-batch */
} LpGradientSync;

/** Whose states are kept for each parameter. */
typedef enum {
    LP_OPTIMIZER_ADAM,
    LP_OPTIMIZER_SGD, /**< with momentum */
    LP_OPTIMIZER_ADAM_8BIT,
    LP_OPTIMIZER_ADAM_BF16, /**< moments in 16 bits as the weights, of which there is no wider copy
                             */
    LP_OPTIMIZER_NONE       /**< forward and backward passes alone */
} LpOptimizer;

/** How layers are dealt to slices. */
typedef enum {
    LP_STAGES_EVEN,      /**< as many layers each, see lp_plan_slice_layers() */
    LP_STAGES_BALANCED,  /**< the slowest has as few FLOP as can be; embedding and logits count */
    LP_STAGES_BY_WEIGHT, /**< each in turn to its share of the weights, lp_plan_deal_layers() */
    LP_STAGES_WITH_ENDS, /**< as even, with embedding and logits counted as a layer each */
    LP_STAGES_FRONT,     /**< each in turn the mean, rounded up; the last what is left */
    LP_STAGES_LIST
} LpStages;

/** How large a bucket of gradients is. */
typedef enum {
    LP_BUCKET_BYTES,       /**< as many bytes as the plan says */
    LP_BUCKET_PARAMETERS,  /**< as many parameters as the plan says */
    LP_BUCKET_BY_REPLICAS, /**< as many parameters as lp_plan_bucket_bytes() says */
} LpBucket;

/** The axes of parallelism, in no order. */
typedef enum {
    LP_AXIS_TP,
    LP_AXIS_CP,
    LP_AXIS_EP, /**< spread over the ranks of the tp, cp and dp axes: it adds none */
    LP_AXIS_DP,
    LP_AXIS_PP,
    LP_N_AXES
} LpAxis;

/** The purpose of a rank's traffic: the axis that it belongs to, or the exchange of tied
 * embeddings' gradients between the first and the last stage. */
typedef enum {
    LP_TRAFFIC_TP,
    LP_TRAFFIC_PP,
    LP_TRAFFIC_DP,
    LP_TRAFFIC_EP,
    LP_TRAFFIC_CP,
    LP_TRAFFIC_EMBEDDING,
    LP_N_TRAFFIC
} LpTraffic;

/** How the ranks of a tensor-parallel group carry the activations that cross a stage boundary. */
typedef enum {
    LP_SCATTER_GATHER_NO,     /**< each carries all of them */
    LP_SCATTER_GATHER_YES,    /**< 1/tp each, gathered on arrival (SC 2021, 4.1) */
    LP_SCATTER_GATHER_OUTPUTS /**< and a stage keeps its outputs so, which it gathers again for the
                                   backward pass (DeepSpeed): lp_boundary_copies_work() */
} LpScatterGather;

/** How often the load of experts is drawn anew. */
typedef enum {
    LP_ROUTING_MICRO_BATCH, /**< for every layer of every micro-batch */
    LP_ROUTING_LAYER,       /**< for every layer */
    LP_ROUTING_ITERATION    /**< once */
} LpRoutingDraws;

/** The fraction of the peak that AMPeD's products reach. */
typedef enum {
    LP_AMPED_EFFICIENCY_CONSTANT,   /**< the accelerator's gemm_efficiency */
    LP_AMPED_EFFICIENCY_MICRO_BATCH /**< lp_amped_efficiency()'s curve in the micro-batch */
} LpAmpedEfficiency;

/** Names as in the workload file, NULL-ended, indexed by the enums above. */
extern const char *const lp_schedule_names[];
extern const char *const lp_recompute_names[];
extern const char *const lp_precision_names[];
extern const char *const lp_overlap_tp_names[];
extern const char *const lp_scaling_names[];
extern const char *const lp_context_kind_names[];
extern const char *const lp_zero_variant_names[];
extern const char *const lp_gradient_sync_names[];
extern const char *const lp_optimizer_names[];
extern const char *const lp_kernels_names[];
extern const char *const lp_attention_kernel_names[];
extern const char *const lp_library_switch_names[];
extern const char *const lp_amped_efficiency_names[];
extern const char *const lp_axis_names[];
extern const char *const lp_traffic_names[];
extern const char *const lp_scatter_gather_names[];
extern const char *const lp_routing_draws_names[];

G_END_DECLS
