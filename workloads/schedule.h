/* SPDX-License-Identifier: Apache-2.0 */
/* The order in which a pipeline stage works through its micro-batches. */
#pragma once

#include "model/plan.h"

G_BEGIN_DECLS

typedef enum {
    LP_DIRECTION_FORWARD,
    LP_DIRECTION_BACKWARD,
    LP_N_DIRECTIONS
} LpDirection;

/** One pass of one micro-batch through one chunk of layers. */
typedef struct {
    LpDirection direction;
    guint32 chunk;
    guint32 micro_batch;
} LpSlot;

/**
 * The slots of @stage in order, 2 m v of them. GPipe: all forward, then all backward in reverse
 * (Huang et al., NeurIPS 2019). 1F1B: pp - 1 - stage forward passes of warm-up, then one forward,
 * one backward (Narayanan et al., SC 2021, 2.2.1). Interleaved: 2 (pp - 1 - stage) + (v - 1) pp
 * warm-up passes over groups of pp micro-batches a chunk (2.2.2 there, and Megatron-LM).
 * Returns: (transfer full) array of LpSlot.
 */
GArray *lp_schedule_new(const LpPlan *plan, guint32 stage);

G_END_DECLS
