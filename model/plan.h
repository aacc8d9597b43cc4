/* SPDX-License-Identifier: Apache-2.0 */
/* How the training is spread over accelerators: degrees, batches, schedule, rank order. */
#pragma once

#include "model/transformer.h"

G_BEGIN_DECLS

typedef enum {
    LP_SCHEDULE_GPIPE,
    LP_SCHEDULE_1F1B,
    LP_SCHEDULE_INTERLEAVED
} LpSchedule;
typedef enum {
    LP_RECOMPUTE_NONE,
    LP_RECOMPUTE_SELECTIVE,
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

/** The axes of parallelism, in no order. */
typedef enum {
    LP_AXIS_TP,
    LP_AXIS_CP,
    LP_AXIS_EP,
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
extern const char *const lp_axis_names[];
extern const char *const lp_traffic_names[];

typedef struct {
    guint32 degree[LP_N_AXES]; /**< all at least 1; ep is 1 until experts arrive */
    LpAxis order[LP_N_AXES];   /**< rank order, the fastest-varying axis first */
    guint32 virtual_stages;    /**< v: chunks of layers a pipeline stage holds */
    guint32 micro_batch;       /**< b, sequences */
    guint32 global_batch;      /**< B, sequences */
    LpSchedule schedule;
    LpRecompute recompute;
    gboolean sequence_parallel;
    gboolean scatter_gather; /**< stage boundaries carry 1/tp a rank, then gather (SC 2021, 4.1) */
    LpPrecision precision;
    guint32 gradient_bytes; /**< bytes an element of a reduced gradient: 4 or 2 */
    gboolean overlap_dp;    /**< reduce gradients behind the backward pass, by bucket */
    double bucket_bytes;    /**< size of a gradient bucket; 0: one bucket */
    double
        overlap_fraction; /**< o of the closed form, in [0, 1]: share of T_DP it takes as hidden */
} LpPlan;

/** A rank's coordinates on the axes. */
typedef struct {
    guint32 at[LP_N_AXES];
} LpCoordinates;

/** Checks the plan on its own and against @transformer: degrees divide heads, ffn, vocab and
 * sequence where they must; dp * micro-batch divides the global batch; virtual stages need
 * pp > 1, micro-batches a multiple of pp, and at least one layer a chunk.
 * Error: LP_MODEL_ERROR_PLAN: "attribute: got, wanted". */
gboolean lp_plan_check(const LpPlan *self, const LpTransformer *transformer,
                       GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** Number of ranks: the product of all degrees. */
guint64 lp_plan_n_ranks(const LpPlan *self);
/** m: micro-batches an iteration and data-parallel replica, B / (b dp). */
guint32 lp_plan_n_micro_batches(const LpPlan *self);
guint64 lp_plan_rank(const LpPlan *self, const LpCoordinates *coordinates);
LpCoordinates lp_plan_coordinates(const LpPlan *self, guint64 rank);
/** Distance in ranks between neighbours on @axis. */
guint64 lp_plan_stride(const LpPlan *self, LpAxis axis);

/** Layers of chunk @chunk (0 .. virtual_stages - 1) of stage @stage: the L layers are dealt to the
 * pp * v chunks in order; the first (L mod pp*v) chunks after the embedding's get one more, so
 * that the first and the last, which also hold embedding and logits, are the last to grow. */
guint32 lp_plan_chunk_layers(const LpPlan *self, const LpTransformer *transformer, guint32 stage,
                             guint32 chunk);
/** Layers of all chunks of @stage. */
guint32 lp_plan_stage_layers(const LpPlan *self, const LpTransformer *transformer, guint32 stage);

/** Bytes an activation element takes at the plan's precision (fp8 computes on 2-byte
 * activations). */
guint32 lp_plan_activation_bytes(const LpPlan *self);

/** Parameters on one rank of @stage: its layers over tp, with embedding on the first stage and
 * head on the last; a tied word embedding stands on both if pp > 1. */
double lp_plan_stage_parameters(const LpPlan *self, const LpTransformer *transformer,
                                guint32 stage);

/** FLOP of the matrix products of one iteration, all ranks, without recomputation (the model's):
 * 72 B s L h^2 (1 + s/6h + V/12Lh) for GPT (Narayanan et al., SC 2021, eq. 3 less recomputation).
 */
double lp_plan_model_flop(const LpPlan *self, const LpTransformer *transformer);
/** The same with recomputation (the hardware's). Full: 96 B s L h^2 (1 + s/6h + V/16Lh). Selective:
 * the scores and the product over values once more, 4 B s^2 h a layer; nothing with flash
 * attention, whose kernel computes the scores again by itself and is not charged for it here. */
double lp_plan_hardware_flop(const LpPlan *self, const LpTransformer *transformer);

G_END_DECLS
