/* SPDX-License-Identifier: Apache-2.0 */
/* What a rank writes to the timeline of a run. */
#pragma once

#include "sim/actors/clock.h"
#include "sim/actors/timeline.h"
#include "sim/analysis/task.h"

G_BEGIN_DECLS

/** A rank that is written down. */
typedef struct {
    LpTimeline *timeline;     /* borrowed; NULL: it is not */
    const LpProgram *program; /* borrowed */
    guint32 stage;
} LpRankTrace;

/** It has computed @task of @step, and its clock has gone from @before to @after. */
void lp_rank_trace_delay(const LpRankTrace *self, const LpTask *task, const LpStep *step,
                         const LpClock *before, const LpClock *after);
/** A collective has run from @start_s to @end_s. @step: that it belongs to, or NULL on a stream. */
void lp_rank_trace_collective(const LpRankTrace *self, const LpOp *op, const LpStep *step,
                              double start_s, double end_s);
/** Kernels of a stream beside the compute stream have run. */
void lp_rank_trace_stream_compute(const LpRankTrace *self, const LpOp *op, double start_s,
                                  double end_s);
/** A message between stages. */
typedef struct {
    const LpStep *step; /* borrowed: that it belongs to, or NULL on a stream */
    LpPipelineDirection direction;
    guint32 sender; /**< stage; of one that is received */
    guint64 number; /**< of the sender's, counted from 1 */
    guint64 bytes;
    double start_s; /**< since when it is sent, or waited for */
    double sent_s;  /**< of one that is received: since when it is on its way */
    double end_s;
} LpTracedMessage;

/** @message has been sent. */
void lp_rank_trace_send(const LpRankTrace *self, const LpTracedMessage *message);
/** @message has been waited for, and has arrived. */
void lp_rank_trace_receive(const LpRankTrace *self, const LpTracedMessage *message);

G_END_DECLS
