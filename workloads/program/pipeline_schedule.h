/* SPDX-License-Identifier: Apache-2.0 */
/* The order in which a pipeline stage works through its micro-batches. */
#pragma once

#include "model/plan/plan.h"

G_BEGIN_DECLS

/** Which pass a slot is. */
typedef enum {
    LP_SLOT_FORWARD,
    LP_SLOT_BACKWARD, /**< both gradients */
    LP_SLOT_INPUT,    /**< the gradient of the activations alone */
    LP_SLOT_WEIGHT,   /**< that of the weights */
    LP_SLOT_PAIR, /**< a forward and a backward pass of two micro-batches, overlapped together */
    LP_N_SLOT_KINDS
} LpSlotKind;

/** One pass of one micro-batch through one chunk of layers. */
typedef struct {
    LpSlotKind kind;
    guint32 chunk;
    guint32 micro_batch;
    guint32 back_chunk, back_micro_batch; /**< of a pair's backward pass */
} LpSlot;

/**
 * The slots of @stage in order. GPipe: all forward, then all backward in reverse (Huang et al.,
 * NeurIPS 2019). 1F1B: pp - 1 - stage forward passes of warm-up, then one forward, one backward
 * (Narayanan et al., SC 2021, 2.2.1). Interleaved: 2 (pp - 1 - stage) + (v - 1) pp warm-up passes
 * over groups of pp micro-batches a chunk (2.2.2 there, and Megatron-LM). Zero-bubble: as 1F1B, but
 * stage i lets i weight gradients wait (ZB-H1: Qi et al., arXiv 2401.10241, section 2.3).
 * With overlap-ep 1F1B, interleaved or of one stage, is one pass further ahead, and pairs its
 * passes. DualPipe: half of the micro-batches go each way, in the eight phases of DeepSeek's
 * published schedule (arXiv 2412.19437, figure 5); micro-batches count from 0 each way. Returns:
 * (transfer full) array of LpSlot.
 */
GArray *lp_pipeline_schedule_new(const LpPlan *plan, guint32 stage);

G_END_DECLS
