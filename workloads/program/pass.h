/* SPDX-License-Identifier: Apache-2.0 */
/* The passes of one micro-batch through one chunk of a stage: its units in order, what is gathered
 * before them, and what is reduced behind them. */
#pragma once

#include "workloads/program/gradient_sync.h"
#include "workloads/program/parameter_prefetch.h"
#include "workloads/program/updated_gathers.h"

G_BEGIN_DECLS

/** The source of a pass's parameters. */
typedef struct {
    gboolean gathers;             /**< ZeRO 3: it gathers them, unit by unit */
    LpUpdatedGathers *updated;    /**< borrowed: the gathers that it waits for, unit by unit; NULL:
                                       none */
    LpParameterPrefetch *started; /* borrowed: ZeRO 3: gathers of this pass, of which the first have
                                     been launched; NULL: none have */
} LpPassParameters;

/** The forward pass through @chunk of @stage. */
void lp_pass_add_forward(LpLowering *self, guint32 stage, guint32 chunk,
                         LpPassParameters parameters);
/** The backward pass through it. @role: LP_ROLE_BACKWARD for both gradients, LP_ROLE_INPUT or
 * LP_ROLE_WEIGHT for one. @parameters: it waits for no updated ones. @buckets: where the
 * gradients of weights go, which this pass completes, or NULL: it does not complete them. */
void lp_pass_add_backward(LpLowering *self, guint32 stage, guint32 chunk, LpRole role,
                          LpPassParameters parameters, LpGradientBuckets *buckets);
/** A forward pass through @forward_chunk and a backward pass through @backward_chunk at once, of
 * two micro-batches, each hiding the other's all-to-alls (DualPipe: DeepSeek-V3, arXiv 2412.19437,
 * section 3.2.1). They make up the whole segment at hand. The forward pass is of the micro-batch at
 * hand, the backward pass of @backward_micro_batch. */
void lp_pass_add_pair(LpLowering *self, guint32 stage, guint32 forward_chunk,
                      guint32 backward_chunk, guint32 backward_micro_batch);

G_END_DECLS
