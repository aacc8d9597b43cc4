/* SPDX-License-Identifier: Apache-2.0 */
/* How the training is spread over accelerators: degrees, batches, schedule, rank order. */
#pragma once

#include "model/collective.h"
#include "model/plan_choices.h"
#include "model/transformer.h"

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
    gboolean one_by_one;       /**< each expert's products are kernels of their own,
                                    LP_EXPERT_STREAMS side by side, not one for all */
    LpExpertsKernel kernel;    /**< where one computes all of them: whose */
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
    gboolean narrow_parameters;  /**< weights of layers are kept and gathered in the precision of
                                      products where that is narrow; else in 16 bits, and cast */
    gboolean narrow_logits;      /**< narrow products make the logits, too */
    gboolean narrow_attention;   /**< the core of attention computes in 8 bits, too, where
                                      precision is narrow and the vendor's kernel runs */
    gboolean narrow_activations; /**< what activation functions take is kept for the backward pass
                                      in it */
    guint32 gradient_bytes;      /**< bytes an element of a reduced gradient: 4 or 2 */
    guint32 gradient_copies;     /**< times that gradients are copied before each sum of replicas */
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
    gboolean ep; /**< forward and backward passes are overlapped, so that each hides the other's
                      all-to-alls; under DualPipe they always are: lp_plan_overlaps_passes() */
    gboolean ep_by_domain;  /**< they are where experts' groups span domains of the machine: ep is
                                 what lp_plan_overlap_passes_by_domains() has made of it */
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
    gboolean
        states_reserve; /**< what stays free is reserve_bytes; else lp_memory_reserve_bytes() */
    double reserve_bytes;
} LpPlanFootprint;

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
    gboolean repeats_heads;       /**< keys and values are written out for each head of queries */
    gboolean fuses_loss;          /**< the loss is computed where the logits lie, in their format */
    LpParallelLoss parallel_loss; /**< of a divided vocabulary */
} LpPlanHost;

/** What a library is for. */
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
    gboolean keeps_gathered; /**< for weights' gradients, too: lp_plan_gathers_again() */
    LpInputCollectives input_collectives; /**< lp_plan_attention_inputs() */
    LpKvDivision kv_division;             /**< lp_plan_gathers_heads() */
    LpContextKind context_kind;
    LpRecompute recompute;
    guint32 selective; /**< of LP_RECOMPUTE_SELECTIVE: a set of LpRecomputedParts; 0:
                          LP_RECOMPUTED_CORE */
    LpRecomputeLayers recompute_layers; /**< lp_plan_recomputes_layer() */
    gboolean early_stop; /**< of LP_RECOMPUTE_FULL: lp_plan_recompute_stops_early() */
    LpOptimizer optimizer;
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
    guint64 variants; /**< of the kernels of its layers: a set of lp_kernel_variant() */
    const struct LpKernelLists *lists; /* borrowed: these kernels (model/kernels/kernel_lists.h);
                                          NULL: the standard ones with the variants */
} LpPlan;

G_END_DECLS
