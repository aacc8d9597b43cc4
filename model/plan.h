/* SPDX-License-Identifier: Apache-2.0 */
/* How the training is spread over accelerators: degrees, batches, schedule, rank order. */
#pragma once

#include "model/collective.h"
#include "model/transformer.h"

G_BEGIN_DECLS

typedef enum {
    LP_SCHEDULE_GPIPE,
    LP_SCHEDULE_1F1B,
    LP_SCHEDULE_INTERLEAVED,
    LP_SCHEDULE_ZERO_BUBBLE, /**< ZB-H1: Qi et al., arXiv 2401.10241 */
    LP_SCHEDULE_DUALPIPE     /**< both ways: DeepSeek-V3, arXiv 2412.19437, section 3.2.1 */
} LpPipelineSchedule;
typedef enum {
    LP_RECOMPUTE_NONE,
    LP_RECOMPUTE_LIGHT, /**< norms, activation functions and MLA's products out of its latents */
    LP_RECOMPUTE_SELECTIVE, /**< the core of attention (Korthikanti et al., section 5) */
    LP_RECOMPUTE_FULL
} LpRecompute;
typedef enum {
    LP_PRECISION_FP32,
    LP_PRECISION_TF32,
    LP_PRECISION_FP16,
    LP_PRECISION_BF16,
    LP_PRECISION_FP8,
    LP_N_PRECISIONS
} LpPrecision;

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

/** Where the host waits until the device has done what was issued, and so loses its lead. */
typedef enum {
    LP_HOST_SYNC_NONE,
    LP_HOST_SYNC_MESSAGES, /**< after each message that the compute stream waits for */
    LP_HOST_SYNC_PASSES    /**< also before each pass of a micro-batch, and the optimiser */
} LpHostSync;
typedef enum {
    LP_CONTEXT_RING,   /**< keys and values go round (Liu et al., arXiv 2310.01889) */
    LP_CONTEXT_ULYSSES /**< all-to-all from tokens to heads (Jacobs et al., arXiv 2309.14509) */
} LpContextKind;
typedef enum {
    LP_ZERO_STANDARD, /**< reduce-scatter and all-gather */
    LP_ZERO_DEEPSPEED /**< stages 1 and 2 all-reduce the gradients, then all-gather */
} LpZeroVariant;
typedef enum {
    LP_GRADIENT_SYNC_AUTO, /**< each with ZeRO stage 3, else last */
    LP_GRADIENT_SYNC_LAST, /**< gradients are summed over replicas once an iteration */
    LP_GRADIENT_SYNC_EACH  /**< after each micro-batch */
} LpGradientSync;
typedef enum {
    LP_OPTIMIZER_ADAM,
    LP_OPTIMIZER_SGD, /**< with momentum */
    LP_OPTIMIZER_ADAM_8BIT
} LpOptimizer;
typedef enum {
    LP_STAGES_EVEN,     /**< as many layers each, see lp_plan_slice_layers() */
    LP_STAGES_BALANCED, /**< the slowest has as few FLOP as can be; embedding and logits count */
    LP_STAGES_LIST
} LpStages;

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

extern const char *const lp_schedule_names[];
extern const char *const lp_recompute_names[];
extern const char *const lp_precision_names[];
extern const char *const lp_overlap_tp_names[];
extern const char *const lp_context_kind_names[];
extern const char *const lp_zero_variant_names[];
extern const char *const lp_gradient_sync_names[];
extern const char *const lp_optimizer_names[];
extern const char *const lp_kernels_names[];
extern const char *const lp_host_sync_names[];
extern const char *const lp_axis_names[];
extern const char *const lp_traffic_names[];

#define LP_STAGE_LIST_MAX 512

typedef struct {
    guint32 degree[LP_N_AXES]; /**< all at least 1 */
    LpAxis order[LP_N_AXES];   /**< rank order, the fastest-varying axis first */
    guint32 expert_tp;         /**< ranks that share an expert: 1 or tp; 0: tp if ep fits, else 1 */
    guint32 ep_relay;          /**< parts of an ep group, to each of which a token crosses once, to
                                    be copied there; 0 or 1: it goes to each of its experts */
    guint32 virtual_stages;    /**< v: chunks of layers a pipeline stage holds */
    guint32 micro_batch;       /**< b, sequences */
    guint32 global_batch;      /**< B, sequences */
    LpPipelineSchedule schedule;
    LpStages stages;
    guint32 n_listed;                         /**< of a list: */
    guint32 listed_layers[LP_STAGE_LIST_MAX]; /**< layers by slice */
    LpRecompute recompute;
    gboolean sequence_parallel;
    gboolean scatter_gather; /**< stage boundaries carry 1/tp a rank, then gather (SC 2021, 4.1) */
    LpContextKind context_kind;
    guint32 zero; /**< ZeRO stage, 0 to 3 (Rajbhandari et al., arXiv 1910.02054) */
    LpZeroVariant zero_variant;
    guint32 shard_degree; /**< ranks that share one set of states (hybrid sharding); 0: dp cp */
    gboolean keeps_parameters; /**< stage 3: gathered parameters stay until backward */
    guint32 prefetch;          /**< stage 3: layers gathered ahead */
    LpGradientSync gradient_sync;
    LpOptimizer optimizer;
    LpPrecision precision;
    guint32 gradient_bytes;      /**< bytes an element of a reduced gradient: 4 or 2 */
    guint32 communication_bytes; /**< bytes an activation element on the wire; 0: as in memory */
    double skew;                 /**< spread of the load over experts, 0: even */
    guint32 seed;                /**< of the generator that draws the loads */
    gboolean overlap_dp;         /**< reduce gradients behind the backward pass, by bucket */
    LpOverlapTp overlap_tp;
    gboolean overlap_pp;    /**< stages send behind computing */
    gboolean overlap_param; /**< ZeRO 1, 2: gather updated parameters behind the forward pass;
                               3: gather ahead by prefetch */
    double bucket_bytes;    /**< size of a gradient bucket; 0: one bucket */
    double slowdown;        /**< factor on computing while communication runs; 0: as 1 */
    gboolean cuda_graphs;   /**< kernels cost the host nothing */
    LpHostSync host_sync;
    LpKernels kernels;
    char library[LP_LIBRARY_NAME_MAX];  /**< communication library; "auto": the machine's */
    char protocol[LP_LIBRARY_NAME_MAX]; /**< of that library; "auto": its choice */
    LpAlgorithms algorithms[LP_N_AXES]; /**< of an axis' groups; nothing said: the library's */
    double
        overlap_fraction; /**< o of the closed form, in [0, 1]: share of T_DP it takes as hidden */
} LpPlan;

/** A rank's coordinates on the axes; ep follows from the others and is not set. */
typedef struct {
    guint32 at[LP_N_AXES];
} LpCoordinates;

/** Where a rank stands among those of its stage that share the experts of a layer. */
typedef struct {
    guint32 tp, ep, dp; /**< below expert tp, ep, and the ranks that hold copies */
} LpExpertCoordinates;

/** Checks the plan on its own and against @transformer; docs/workload-format.md has the table of
 * what may be combined. Error: LP_MODEL_ERROR_PLAN: "attribute: got, wanted". */
gboolean lp_plan_check(const LpPlan *self, const LpTransformer *transformer,
                       GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** Number of ranks: tp cp dp pp. */
guint64 lp_plan_n_ranks(const LpPlan *self);
/** m: micro-batches an iteration and data-parallel replica, B / (b dp). */
guint32 lp_plan_n_micro_batches(const LpPlan *self);
guint64 lp_plan_rank(const LpPlan *self, const LpCoordinates *coordinates);
LpCoordinates lp_plan_coordinates(const LpPlan *self, guint64 rank);
/** Distance in ranks between neighbours on @axis (not ep). */
guint64 lp_plan_stride(const LpPlan *self, LpAxis axis);

/** Ranks that hold the same slice of layers and tp shard: dp cp, both holders of a slice under
 * dualpipe. */
guint32 lp_plan_n_replicas(const LpPlan *self);
/** Ranks that share one set of states: lp_plan_n_replicas(), or less under hybrid sharding. */
guint32 lp_plan_shard_degree(const LpPlan *self);
guint32 lp_plan_expert_tp(const LpPlan *self);
/** Ranks that hold the same experts. */
guint32 lp_plan_expert_replicas(const LpPlan *self);
/** Of the tp cp dp ranks of a stage, in rank order, expert tp varies fastest, then ep or the
 * replicas, whichever of ep and dp comes first in the rank order (folding: Megatron-Core). */
LpExpertCoordinates lp_plan_expert_coordinates(const LpPlan *self, guint64 rank);
/** The rank of @stage with these expert coordinates. */
guint64 lp_plan_expert_rank(const LpPlan *self, guint32 stage, LpExpertCoordinates at);
/** Load of the experts of each of the ep ranks over the mean, @out: ep numbers whose mean is 1.
 * Experts' loads are exp(skew N(0,1)), drawn from a generator seeded with the seed. */
void lp_plan_expert_loads(const LpPlan *self, const LpTransformer *transformer, double *out_loads);

/** Deals the layers to slices so that the slowest has as few FLOP as can be, where the plan says
 * "balanced": fills the list. At most LP_STAGE_LIST_MAX slices; more stay even. */
void lp_plan_balance(LpPlan *self, const LpTransformer *transformer);

/** Tokens of one micro-batch of sequences of @seq that a rank works on: b s / cp. */
double lp_plan_tokens(const LpPlan *self, guint32 seq);

/** Chunks of layers that a rank holds: virtual_stages, or one for each way under dualpipe. */
guint32 lp_plan_n_chunks(const LpPlan *self);
/** Slices that the layers are cut into: pp virtual_stages. */
guint32 lp_plan_n_slices(const LpPlan *self);
/** The slice that chunk @chunk of stage @stage is: chunk pp + stage; under dualpipe chunk 1 is the
 * slice of the stage's mirror image, pp - 1 - stage. */
guint32 lp_plan_slice(const LpPlan *self, guint32 stage, guint32 chunk);
/** Layers of slice @slice. Even: layers that do not divide are dealt one each to the slices after
 * the first, so that the first and the last, which also hold embedding and logits, are the last to
 * grow. */
guint32 lp_plan_slice_layers(const LpPlan *self, const LpTransformer *transformer, guint32 slice);
/** Index of the first of them. */
guint32 lp_plan_slice_first_layer(const LpPlan *self, const LpTransformer *transformer,
                                  guint32 slice);
/** Layers of chunk @chunk (0 .. lp_plan_n_chunks() - 1) of stage @stage. */
guint32 lp_plan_chunk_layers(const LpPlan *self, const LpTransformer *transformer, guint32 stage,
                             guint32 chunk);
/** Layers of all chunks of @stage. */
guint32 lp_plan_stage_layers(const LpPlan *self, const LpTransformer *transformer, guint32 stage);
/** Whether chunk @chunk of @stage begins with the embedding, or ends with the head. */
gboolean lp_plan_holds_embedding(const LpPlan *self, guint32 stage, guint32 chunk);
gboolean lp_plan_holds_head(const LpPlan *self, guint32 stage, guint32 chunk);

/** Bytes an activation element takes at the plan's precision (fp8 computes on 2-byte
 * activations). */
guint32 lp_plan_activation_bytes(const LpPlan *self);
/** Bytes an activation element takes on the wire. */
guint32 lp_plan_wire_bytes(const LpPlan *self);
/** Whether gradients are summed over replicas after each micro-batch. */
gboolean lp_plan_reduces_each(const LpPlan *self);

/** Parameters on one rank, before any sharding over replicas. */
typedef struct {
    double dense;   /**< over tp */
    double experts; /**< routed experts', over ep and expert tp */
} LpParameters;

/** As the groups of replicas share them: experts with the rest under hybrid sharding, where all
 * have the same replicas. */
LpParameters lp_plan_pooled_parameters(const LpPlan *self, LpParameters parameters);
/** The part of @parameters whose states a rank keeps: over the replicas from ZeRO stage 1 on. */
LpParameters lp_plan_sharded_parameters(const LpPlan *self, LpParameters parameters);
/** Bytes a parameter of the optimiser's moments: two of fp32 (Kingma and Ba, arXiv 1412.6980,
 * algorithm 1), two of 8 bits (Dettmers et al., arXiv 2110.02861), or momentum (SGD). */
double lp_plan_moment_bytes(const LpPlan *self);
/** Widths of the keys, and of the values, on one rank: ranks in excess of the key-value heads hold
 * copies, at least one head each. */
double lp_plan_key_width(const LpPlan *self, const LpTransformer *transformer);
double lp_plan_value_width(const LpPlan *self, const LpTransformer *transformer);

/** Of layer @index. */
LpParameters lp_plan_layer_parameters(const LpPlan *self, const LpTransformer *transformer,
                                      guint32 index);
/** Of chunk @chunk of @stage: its layers, with embedding on the first and head on the last; a tied
 * word embedding stands on both if they are on different ranks. */
LpParameters lp_plan_chunk_parameters(const LpPlan *self, const LpTransformer *transformer,
                                      guint32 stage, guint32 chunk);
LpParameters lp_plan_rank_parameters(const LpPlan *self, const LpTransformer *transformer,
                                     guint32 stage);
/** The sum of both kinds. */
double lp_plan_stage_parameters(const LpPlan *self, const LpTransformer *transformer,
                                guint32 stage);
/** Parameters of the head's chunk that are the embedding's too: a copy, 0 if there is none. Whole,
 * not over tp. */
double lp_plan_tied_copy_parameters(const LpPlan *self, const LpTransformer *transformer);

/** FLOP of the matrix products of one iteration, all ranks, without recomputation (the model's):
 * 72 B s L h^2 (1 + s/6h + V/12Lh) for GPT (Narayanan et al., SC 2021, eq. 3 less recomputation).
 */
double lp_plan_model_flop(const LpPlan *self, const LpTransformer *transformer);
/** The same with recomputation (the hardware's). Full: 96 B s L h^2 (1 + s/6h + V/16Lh). Selective:
 * the scores and the product over values once more, 4 B s^2 h a layer; nothing with flash
 * attention, whose kernel computes the scores again by itself and is not charged for it here. */
double lp_plan_hardware_flop(const LpPlan *self, const LpTransformer *transformer);

G_END_DECLS
