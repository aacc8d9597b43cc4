/* SPDX-License-Identifier: Apache-2.0 */
/* How the training is spread over accelerators: degrees, batches, schedule, rank order. */
#pragma once

#include "model/collective.h"
#include "model/plan_loss.h"
#include "model/transformer.h"

G_BEGIN_DECLS

/** In which order a stage works on micro-batches. */
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
    LP_RECOMPUTE_LIGHT,     /**< LP_AGAIN_LIGHT */
    LP_RECOMPUTE_SELECTIVE, /**< the parts that the plan names */
    LP_RECOMPUTE_FULL
} LpRecompute;

/** Parts of a layer whose results recomputation makes again, as bits of a set. The rest of a layer
 * is kept; what its last product gives, down from the inner width, no gradient takes, so it is
 * never made again. */
typedef enum {
    LP_AGAIN_NORMS = 1 << 0,
    LP_AGAIN_LATENT = 1 << 1, /**< MLA: queries, keys and values out of what is kept compressed */
    LP_AGAIN_QUERIES = 1 << 2,
    LP_AGAIN_KEYS = 1 << 3,
    LP_AGAIN_VALUES = 1 << 4,
    LP_AGAIN_QKV = LP_AGAIN_QUERIES | LP_AGAIN_KEYS | LP_AGAIN_VALUES,
    LP_AGAIN_CORE = 1 << 5, /**< attention's scores and mixture, unless one kernel makes both */
    LP_AGAIN_ATTENTION = 1 << 6,  /**< all of that core, in whatever kernels */
    LP_AGAIN_PROJECTION = 1 << 7, /**< out of attention, */
    LP_AGAIN_RESIDUAL = 1 << 8,   /**< and its sum with the layer's input */
    LP_AGAIN_UP = 1 << 9,
    LP_AGAIN_GATE = 1 << 10,
    LP_AGAIN_ACTIVATION = 1 << 11,
    LP_AGAIN_FFN = LP_AGAIN_UP | LP_AGAIN_GATE | LP_AGAIN_ACTIVATION,
    LP_AGAIN_NO_SUMS =
        1 << 12, /**< sums over tp are kept, and with them what the projection gave */
    /** Norms and activation functions, which take little time and whose results much memory
     * (Megatron-Core's recompute modules layernorm, moe_act and mla_up_proj). */
    LP_AGAIN_LIGHT = LP_AGAIN_NORMS | LP_AGAIN_LATENT | LP_AGAIN_ACTIVATION,
    /** Every second product of a layer with its weights, and all that is no product; the core is
     * kept (torchtitan, torchtitan/distributed/activation_checkpoint.py, SelectiveAC). */
    LP_AGAIN_ALTERNATE = LP_AGAIN_LIGHT | LP_AGAIN_KEYS | LP_AGAIN_PROJECTION | LP_AGAIN_RESIDUAL |
                         LP_AGAIN_GATE | LP_AGAIN_NO_SUMS
} LpAgain;

/** Which layers are recomputed as the plan says; the others are kept. */
typedef struct {
    guint32 first;    /**< so many of each slice, the first ones; 0: a fraction: */
    guint32 part, of; /**< @part / @of of all layers, evenly spaced; @of 0: all */
} LpRecomputeLayers;

/** The number format that products are computed in, and how its scales are shared
 * (model/precision.h). */
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
    LP_N_PRECISIONS
} LpPrecision;

/** Where the scale of a tensor in fp8 comes from. */
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

/** Which products into a block have weights of their own, whose gradients of their common input are
 * summed. */
typedef enum {
    LP_PROJECTIONS_JOINED,
    LP_PROJECTIONS_GATE_APART, /**< up, and through the gate */
    LP_PROJECTIONS_APART       /**< queries, keys and values, too */
} LpProjections;

/** In which order a tensor of activations lies in memory. */
typedef enum {
    LP_LAYOUT_SEQUENCE_FIRST, /**< tokens of one position next to each other */
    LP_LAYOUT_BATCH_FIRST     /**< whole sequences: what is gathered along them, or is to be
                                    scattered, is copied into order */
} LpActivationLayout;

/** Where the host waits until the device has done what was issued, and so loses its lead. */
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
    LP_COLLECTIVE_CHECKS_STAGES_APART /**< in jobs whose messages between stages leave domains */
} LpCollectiveChecks;

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

/** What a rank's traffic is for: the axis it belongs to, or the exchange of tied embeddings'
 * gradients between the first and the last stage. */
typedef enum {
    LP_TRAFFIC_TP,
    LP_TRAFFIC_PP,
    LP_TRAFFIC_DP,
    LP_TRAFFIC_EP,
    LP_TRAFFIC_CP,
    LP_TRAFFIC_EMBEDDING,
    LP_N_TRAFFIC
} LpTraffic;

/** Names as in the workload file, NULL-ended, indexed by the enums above. */
extern const char *const lp_schedule_names[];
extern const char *const lp_recompute_names[];
extern const char *const lp_precision_names[];
extern const char *const lp_overlap_tp_names[];
extern const char *const lp_activation_layout_names[];
extern const char *const lp_projections_names[];
extern const char *const lp_scaling_names[];
extern const char *const lp_context_kind_names[];
extern const char *const lp_zero_variant_names[];
extern const char *const lp_gradient_sync_names[];
extern const char *const lp_optimizer_names[];
extern const char *const lp_kernels_names[];
extern const char *const lp_attention_kernel_names[];
extern const char *const lp_host_sync_names[];
extern const char *const lp_collective_checks_names[];
extern const char *const lp_amped_efficiency_names[];
extern const char *const lp_axis_names[];
extern const char *const lp_traffic_names[];

/** Larger than any published count by a factor of a hundred; what products of counts may reach is
 * checked before a program is built. */
#define LP_PLAN_COUNT_MAX (1u << 24)
/** Slices that a plan can list. */
#define LP_STAGE_LIST_MAX 512

/** How a batch is cut up. */
typedef struct {
    guint32 micro;  /**< b, sequences */
    guint32 global; /**< B, sequences */
} LpPlanBatch;

/** How the ranks of a tensor-parallel group carry the activations that cross a stage boundary. */
typedef enum {
    LP_SCATTER_GATHER_NO,     /**< each carries all of them */
    LP_SCATTER_GATHER_YES,    /**< 1/tp each, gathered on arrival (SC 2021, 4.1) */
    LP_SCATTER_GATHER_OUTPUTS /**< and a stage keeps its outputs so, which it gathers again for the
                                   backward pass (DeepSpeed): lp_boundary_copies_work() */
} LpScatterGather;

/** Names, NULL-ended: "no", "yes", "outputs". */
extern const char *const lp_scatter_gather_names[];

/** How layers and micro-batches go through the stages. */
typedef struct {
    LpPipelineSchedule schedule;
    guint32 virtual_stages; /**< v: chunks of layers a pipeline stage holds */
    gboolean is_finest;     /**< v is as large as can be: lp_plan_refine_stages() says */
    LpStages stages;
    guint32 n_listed;                         /**< of a list: */
    guint32 listed_layers[LP_STAGE_LIST_MAX]; /**< layers by slice */
    LpScatterGather scatter_gather;
} LpPlanPipeline;

/** How often the load of experts is drawn anew. */
typedef enum {
    LP_ROUTING_MICRO_BATCH, /**< for every layer of every micro-batch */
    LP_ROUTING_LAYER,       /**< for every layer */
    LP_ROUTING_ITERATION    /**< once */
} LpRoutingDraws;

/** Names, NULL-ended: "micro-batch", "layer", "iteration". */
extern const char *const lp_routing_draws_names[];

/** Measured loads of experts, in place of drawn ones. */
typedef struct {
    guint32 n_layers, n_micro_batches, n_experts;
    double *loads; /* by layer, micro-batch and expert: tokens, or any multiple of them */
} LpRoutingTable;

/** How experts are spread and loaded. */
typedef struct {
    guint32 tp;    /**< ranks that share an expert: 1 or tp; 0: lp_plan_expert_tp() says */
    guint32 relay; /**< parts of an ep group, to each of which a token crosses once, to be copied
                        there; 0 or 1: it goes to each of its experts, lp_group_n_expert_nodes() */
    gboolean sends_each; /**< it goes to each of its experts by itself even where routing is limited
                              to groups of them: relay is 1 */
    gboolean relays_by_domain; /**< the parts are the machine's domains: relay is what
                                    lp_plan_relay_by_domains() has made of them */
    gboolean one_by_one;       /**< each expert's products are kernels of their own,
                                    LP_EXPERT_STREAMS side by side, not one for all */
    gboolean eager;            /**< what comes between and behind their products runs operation by
                                    operation: clamped inputs, biases by the weights of routing */
    gboolean eager_dispatch;   /**< tokens are counted operation by operation, counts gathered, and
                                    weights of routing sent by exchanges of their own */
    gboolean fused;            /**< their products end with the activation function, its gradient,
                                    and the casts of both */
    gboolean fused_dispatch;   /**< tokens are taken where they lie and come back summed, without
                                    copies for each expert before they are sent */
    gboolean masks;  /**< with a capacity factor: to and from buffers by products with masks */
    gboolean padded; /**< tokens of each are padded to whole blocks of a narrow format by a copy */
    gboolean adjacent; /**< a token's experts are consecutive ones, as a benchmark's gate without
                          scores takes them, and a dispatcher that relays by domain sends it once to
                          each rank that has some: lp_group_expert_ranks() */
    guint32 routing_kernels; /**< small kernels that routing takes forward besides; backward a
                                  third of them */
    double skew;             /**< spread of the load over experts, 0: even */
    guint32 seed;            /**< of the generator that draws the loads */
    LpRoutingDraws draws;
    const LpRoutingTable *table; /* borrowed: measured loads, which beat drawn ones; or NULL */
} LpPlanExperts;

/** How replicas hand each other the parameters that each has updated (ZeRO stages 1 and 2). */
typedef enum {
    LP_PARAMETER_GATHER_COLLECTIVE, /**< all-gathers: each has as large a share of a flat buffer */
    LP_PARAMETER_GATHER_BROADCAST   /**< each has whole tensors, which it broadcasts at once, one
                                         replica after another */
} LpParameterGather;

/** Names, NULL-ended: "collective", "broadcast". */
extern const char *const lp_parameter_gather_names[];

/** Before which passes a stage of a pipeline launches the first gathers of parameters while it
 * still waits for the message that the pass begins with (ZeRO stage 3, hidden). */
typedef enum {
    LP_GATHER_AHEAD_ITERATION, /**< before the first of an iteration only: later passes gather when
                                    they begin */
    LP_GATHER_AHEAD_PASS       /**< before each */
} LpGatherAhead;

/** Names, NULL-ended: "iteration", "pass". */
extern const char *const lp_gather_ahead_names[];

/** What is gathered at once, and has its gradients summed at once (ZeRO stage 3). */
typedef enum {
    LP_GATHER_UNIT_LAYER, /**< embedding, layers and head, each as one (FSDP) */
    LP_GATHER_UNIT_TENSOR /**< tensor by tensor, by gather_bucket (DeepSpeed); norms and biases stay
                               on all ranks */
} LpGatherUnit;

/** Names, NULL-ended: "layer", "tensor". */
extern const char *const lp_gather_unit_names[];

/** How replicas share states (ZeRO: Rajbhandari et al., arXiv 1910.02054). */
typedef struct {
    guint32 stage; /**< 0 to 3 */
    LpZeroVariant variant;
    guint32 shard_degree;      /**< ranks that share one set of states (hybrid sharding); 0: all
                                    replicas, lp_plan_shard_degree() */
    gboolean shards_by_domain; /**< those of a domain do: shard_degree is what
                                    lp_plan_shard_by_domains() has made of it */
    gboolean keeps_parameters; /**< stage 3: gathered parameters stay until backward, or longer:
                                    lp_plan_keeps_parameters_throughout() */
    guint32 prefetch;          /**< stage 3: layers gathered ahead */
    LpGatherUnit gather_unit;
    double gather_bucket;   /**< of LP_GATHER_UNIT_TENSOR: tensors gathered ahead are joined until
                                 they have so many parameters; 0: each by itself */
    double live_parameters; /**< of LP_GATHER_UNIT_TENSOR: tensors are gathered ahead while fewer
                                 parameters than so many are there, and one stays if the passes use
                                 fewer before they use it again: lp_plan_turns_back() */
    gboolean copies_units;  /**< stage 3: what a unit gathers is copied into its parameters, and
                                 their gradients into what it scatters */
    gboolean gathers_lists; /**< stages 1 and 2: what is gathered comes as a list of tensors, one a
                                 member, to be copied */
    LpParameterGather parameter_gather;
    LpGatherAhead gather_ahead;
    LpGradientSync gradient_sync;
} LpPlanZero;

/** In which formats numbers are computed, summed and sent. */
typedef struct {
    LpPrecision precision;
    LpScaling scaling;           /**< of LP_PRECISION_FP8 */
    gboolean casts_apart;        /**< of LP_PRECISION_NVFP4: the copies along rows and along columns
                                      are made by a kernel each, each of which reads the tensor */
    gboolean scales_apart;       /**< of LP_PRECISION_NVFP4: kernels of their own bring scales into
                                      the order that products take, before each */
    gboolean narrow_parameters;  /**< weights of layers are kept and gathered in the precision of
                                      products where that is narrow; else in 16 bits, and
                                      cast */
    gboolean narrow_logits;      /**< narrow products make the logits, too */
    gboolean narrow_attention;   /**< the core of attention computes in 8 bits, too, where
                                      precision is narrow and the vendor's kernel runs */
    gboolean narrow_activations; /**< what activation functions take is kept for the backward pass
                                      in it */
    guint32 gradient_bytes;      /**< bytes an element of a reduced gradient: 4 or 2 */
    gboolean casts_gradients;    /**< a gradient is cast by a kernel of its own before it is added
                                      to sums that are wider */
    guint32 gradient_copies;     /**< times that gradients are copied before each sum of replicas */
    gboolean gradient_buffers;   /**< gradients lie in buffers that are cleared for each iteration,
                                      scaled before they are summed over replicas, and clipped */
    guint32 communication_bytes; /**< bytes an activation element on the wire; 0: as in memory,
                                      lp_plan_wire_bytes() */
    guint32 dispatch_bytes;      /**< of tokens on their way to experts; 0: as other activations,
                                      lp_plan_dispatch_wire_bytes() */
} LpPlanFormat;

/** Which communication is hidden behind computing, and at what cost. */
typedef struct {
    gboolean dp;       /**< reduce gradients behind the backward pass, by bucket */
    gboolean dp_waits; /**< of dp: only sums between sets of shards hide, those of a set are waited
                            for where they start */
    gboolean dp_by_accelerator; /**< dp_waits is by lp_plan_wait_by_accelerator() */
    LpOverlapTp tp;
    gboolean tp_pairs; /**< of LP_OVERLAP_TP_RING: collectives are split only where they feed or
                            follow a single product, and nothing else is hidden */
    gboolean pp;       /**< stages send behind computing */
    gboolean ep;       /**< forward and backward passes are woven, so that each hides the other's
                            all-to-alls; under DualPipe they always are: lp_plan_weaves() */
    gboolean ep_by_domain;  /**< they are where experts' groups span domains of the machine: ep is
                                 what lp_plan_weave_by_domains() has made of it */
    gboolean param;         /**< ZeRO 1, 2: gather updated parameters behind the forward pass;
                                 3: gather ahead by prefetch */
    gboolean first_buckets; /**< chunks but the first of the first stage are one bucket each */
    LpBucket bucket;
    double bucket_bytes;      /**< of LP_BUCKET_BYTES; 0: one bucket for all gradients */
    double bucket_parameters; /**< of LP_BUCKET_PARAMETERS, at least 1 */
    double slowdown;          /**< factor on computing while communication runs; 0: none, as 1 */
    double fraction; /**< o of the closed form, in [0, 1]: share of T_DP it takes as hidden */
} LpPlanOverlap;

/** What software holds in memory besides what training asks for. */
typedef struct {
    gboolean casts_shards;    /**< ZeRO stage 3: a shard is the optimiser's fp32 weights alone, cast
                                   when they are gathered; else there is a copy in 16 bits too */
    gboolean splits_root;     /**< ZeRO stage 3: embedding, final norm and head are not one unit */
    gboolean splits_layers;   /**< ZeRO stage 3: a layer is gathered array by array */
    gboolean offloads_inputs; /**< recomputation: what layers keep waits in the host's memory */
    gboolean offloads_activations; /**< no recomputation: what layers keep waits there, too */
    gboolean drops_gradients; /**< the optimiser's step lets gradients go until a backward pass */
    gboolean flattens_gradients; /**< copies of gradients: two buckets, one tensor for the step */
    double step_bytes; /**< a parameter's, that the optimiser's step holds besides its states */
} LpPlanFootprint;

/** What fraction of the peak AMPeD's products reach. */
typedef enum {
    LP_AMPED_EFFICIENCY_CONSTANT,   /**< the accelerator's gemm_efficiency */
    LP_AMPED_EFFICIENCY_MICRO_BATCH /**< lp_amped_efficiency()'s curve in the micro-batch */
} LpAmpedEfficiency;

/** How a host feeds its accelerator. */
typedef struct {
    gboolean cuda_graphs; /**< kernels cost the host nothing */
    LpHostSync sync;
    gboolean waits_for_counts; /**< in layers with experts, until the device has counted whose
                                    tokens go where, unless their buffers have one size */
    gboolean checks_gradients; /**< before each bucket of gradients is sent: are they finite? */
    LpCollectiveChecks checks;
    LpKernels kernels;
    LpActivationLayout layout;
    LpAttentionKernel attention_kernel;
    LpProjections projections;
    gboolean complex_rotary;      /**< positions turn queries and keys as complex numbers of fp32 */
    gboolean eager_rotary;        /**< or as halves of heads, operation by operation */
    gboolean slices_halves;       /**< of eager_rotary: each half is a slice of its own */
    gboolean eager_norms;         /**< root-mean-square norms run operation by operation */
    gboolean eager_activation;    /**< gated activation functions do, as with eager kernels */
    gboolean autocasts;           /**< weights are fp32 and cast for each pass; layer norms of
                                       PyTorch compute in fp32, between casts */
    gboolean repeats_heads;       /**< keys and values are written out for each head of queries */
    gboolean fuses_accumulation;  /**< products add weights' gradients to the sums before them */
    gboolean fuses_loss;          /**< the loss is computed where the logits lie, in their format */
    gboolean shifts_logits;       /**< else of a copy without the last token's, by PyTorch */
    LpParallelLoss parallel_loss; /**< of a divided vocabulary */
} LpPlanHost;

/** Which communication library runs, and what is asked of it. */
typedef struct {
    char name[LP_LIBRARY_NAME_MAX];     /**< "auto": the machine's */
    char protocol[LP_LIBRARY_NAME_MAX]; /**< of that library; "auto": its choice */
    LpAlgorithms algorithms[LP_N_AXES]; /**< of an axis' groups; nothing said: the library's */
} LpPlanLibrary;

/** A plan of training. It holds what was given, for outputs repeat that: where a member says what 0
 * stands for, the function named there has the value in force. */
typedef struct {
    guint32 degree[LP_N_AXES]; /**< all at least 1 */
    LpAxis order[LP_N_AXES];   /**< rank order, the fastest-varying axis first */
    gboolean sequence_parallel;
    gboolean keeps_gathered; /**< for weights' gradients, too: lp_plan_gathers_again() */
    LpContextKind context_kind;
    LpRecompute recompute;
    guint32 selective; /**< of LP_RECOMPUTE_SELECTIVE: a set of LpAgain; 0: LP_AGAIN_CORE */
    LpRecomputeLayers recompute_layers; /**< lp_plan_recomputes_layer() */
    gboolean early_stop; /**< of LP_RECOMPUTE_FULL: lp_plan_recompute_stops_early() */
    LpOptimizer optimizer;
    gboolean eager_optimizer; /**< its step goes over lists of tensors, operation by operation */
    LpPlanBatch batch;
    LpPlanPipeline pipeline;
    LpPlanExperts experts;
    LpPlanZero zero;
    LpPlanFormat format;
    LpPlanOverlap overlap;
    LpPlanFootprint footprint;
    LpAmpedEfficiency amped_efficiency;
    LpPlanHost host;
    LpPlanLibrary library;
} LpPlan;

G_END_DECLS
