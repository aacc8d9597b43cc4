/* SPDX-License-Identifier: Apache-2.0 */
/* How the training is spread over accelerators: degrees, batches, schedule, rank order. */
#pragma once

#include "model/plan/collective.h"
#include "model/plan/plan_choices.h"
#include "model/plan/plan_traits.h"
#include "model/transformer/transformer.h"

G_BEGIN_DECLS

/** Which layers are recomputed as the plan says; the others are kept. */
typedef struct {
    guint32 first;    /**< so many of each slice, the first ones; 0: a fraction: */
    guint32 part, of; /**< @part / @of of all layers, evenly spaced; @of 0: all */
} LpRecomputeLayers;

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
    double skew;               /**< spread of the load over experts, 0: even */
    guint32 seed;              /**< of the generator that draws the loads */
    LpRoutingDraws draws;
    const LpRoutingTable *table; /* borrowed: measured loads, which beat drawn ones; or NULL */
} LpPlanExperts;

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
    double gather_bucket;      /**< tensor by tensor: those gathered ahead are joined until
                                    they have so many parameters; 0: each by itself */
    double
        live_parameters; /**< tensor by tensor: they are gathered ahead while fewer
                              parameters than so many are there, and one stays if the passes use
                              fewer before they use it again: lp_plan_backward_follows_forward() */
    LpGradientSync gradient_sync;
} LpPlanZero;

/** The number formats in which a plan computes, sums and sends. */
typedef struct {
    LpPrecision precision;
    LpScaling scaling;           /**< of LP_PRECISION_FP8 */
    gboolean narrow_parameters;  /**< weights of layers are kept and gathered in the precision of
                                      products where that is narrow; else in 16 bits, and cast */
    gboolean quantized_weights;  /**< frozen weights of layers are kept and gathered in 4 bits */
    guint32 gradient_bytes;      /**< bytes an element of a reduced gradient: 4 or 2 */
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
    gboolean pp; /**< stages send behind computing */
    gboolean ep; /**< forward and backward passes are overlapped, so that each hides the other's
                      all-to-alls; under DualPipe they always are: lp_plan_overlaps_passes() */
    gboolean ep_by_domain; /**< they are where experts' groups span domains of the machine: ep is
                                what lp_plan_overlap_passes_by_domains() has made of it */
    gboolean param;        /**< ZeRO 1, 2: gather updated parameters behind the forward pass;
                                3: gather ahead by prefetch */
    LpBucket bucket;
    double bucket_bytes;      /**< of LP_BUCKET_BYTES; 0: one bucket for all gradients */
    double bucket_parameters; /**< of LP_BUCKET_PARAMETERS, at least 1 */
    double slowdown;          /**< factor on computing while communication runs; 0: none, as 1 */
    double fraction; /**< o of the closed form, in [0, 1]: share of T_DP it takes as hidden */
} LpPlanOverlap;

/** The memory of software besides that of training. */
typedef struct {
    gboolean offloads_inputs; /**< recomputation: what layers keep waits in the host's memory */
    gboolean offloads_activations; /**< no recomputation: what layers keep waits there, too */
    gboolean
        states_reserve; /**< what stays free is reserve_bytes; else lp_memory_reserve_bytes() */
    double reserve_bytes;
} LpPlanFootprint;

/** How a host feeds its accelerator. */
typedef struct {
    gboolean cuda_graphs; /**< kernels cost the host nothing */
    LpKernels kernels;
    LpAttentionKernel attention_kernel;
} LpPlanHost;

/** The collectives for which a library is chosen. */
typedef struct {
    LpCollective collective;
    LpTraffic traffic; /**< of the groups; LP_N_TRAFFIC: of any that no other pick names */
    guint32 library;   /**< index in the names */
    guint64 bytes_max; /**< of the buffer (LpOp.bytes); what is less may be of the pick before */
} LpLibraryPick;

#define LP_LIBRARY_PICKS_MAX 48

/** Several libraries in one job. */
typedef struct {
    guint32 n_names, n_picks;
    char names[LP_LIBRARY_PICKS_MAX + 1][LP_LIBRARY_NAME_MAX]; /**< each once; the first is for what
                                                                  no pick names */
    LpLibraryPick picks[LP_LIBRARY_PICKS_MAX];
} LpLibraryPicks;

/** Products beside whose frozen weights adapters are trained. */
typedef enum {
    LP_ADAPTED_QUERIES = 1 << 0,
    LP_ADAPTED_KEYS = 1 << 1,
    LP_ADAPTED_VALUES = 1 << 2,
    LP_ADAPTED_PROJECTION = 1 << 3,
    LP_ADAPTED_UP = 1 << 4,
    LP_ADAPTED_GATE = 1 << 5,
    LP_ADAPTED_DOWN = 1 << 6,
    LP_ADAPTED_ALL = (1 << 7) - 1
} LpAdapted;

/** What is trained in place of the weights: low-rank adapters (LoRA: Hu et al., arXiv 2106.09685).
 */
typedef struct {
    guint32 rank;    /**< 0: the weights themselves */
    guint32 targets; /**< a set of LpAdapted; 0: all */
} LpPlanLora;

/** Which communication library runs, and what is asked of it. */
typedef struct {
    char name[LP_LIBRARY_TEXT_MAX];     /**< "auto": the machine's; or a text of several */
    LpLibraryPicks picks;               /**< of several; none: @name is the only one */
    char protocol[LP_LIBRARY_NAME_MAX]; /**< of that library; "auto": its choice */
    LpLibrarySwitch change;             /**< what it costs to go on with another library */
    LpAlgorithms algorithms[LP_N_AXES]; /**< of an axis' groups; nothing said: the library's */
} LpPlanLibrary;

/** A plan of training. It holds what was given, for outputs repeat that: where a member says what 0
 * stands for, the function named there has the value in force. */
typedef struct {
    guint32 degree[LP_N_AXES]; /**< all at least 1 */
    LpAxis order[LP_N_AXES];   /**< rank order, the fastest-varying axis first */
    gboolean sequence_parallel;
    LpContextKind context_kind;
    LpRecompute recompute;
    guint32 selective; /**< of LP_RECOMPUTE_SELECTIVE: a set of LpRecomputedParts; 0:
                          LP_RECOMPUTED_CORE */
    LpRecomputeLayers recompute_layers; /**< lp_plan_recomputes_layer() */
    LpOptimizer optimizer;
    LpPlanLora lora;
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
    guint32 traits[LP_TRAITS_MAX]; /**< by LpTrait */
    guint64 variants; /**< of the kernels of its layers: a set of lp_kernel_variant() */
    const struct LpKernelLists *lists; /* borrowed: these kernels (model/kernels/kernel_lists.h);
                                          NULL: the standard ones with the variants */
} LpPlan;

G_END_DECLS
