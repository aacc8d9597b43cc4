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
/** The @number-th message of @line, counted from 1, has been sent. @step: or NULL on a stream. */
void lp_rank_trace_send(const LpRankTrace *self, LpPipelineDirection line, guint64 number,
                        guint64 bytes, const LpStep *step, double start_s, double end_s);
/** The message of @step, the @number-th from @sender, has been waited for from @start_s, has been
 * on its way from @sent_s, and has arrived at @end_s. */
void lp_rank_trace_receive(const LpRankTrace *self, guint32 sender, guint64 number,
                           const LpStep *step, double start_s, double sent_s, double end_s);

G_END_DECLS
