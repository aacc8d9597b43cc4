/* SPDX-License-Identifier: Apache-2.0 */
/* Slices of a rank's streams. */
#include "sim/actors/rank_trace.h"

static void
trace(const LpRankTrace *self, LpSlice slice, const LpStep *step)
{
    if (self->timeline == NULL)
        return;
    gboolean is_pass = step != NULL;
    if (step != NULL && step->kind == LP_STEP_SEGMENT) {
        LpRole role = lp_program_segment(self->program, step->segment)->role;
        is_pass = role != LP_ROLE_START && role != LP_ROLE_FINISH;
    }
    slice.stage = self->stage;
    slice.micro_batch = is_pass ? (gint32)step->micro_batch : -1;
    slice.chunk = step == NULL ? 0 : step->chunk;
    lp_timeline_add(self->timeline, slice);
}

static LpLane
lane_of_traffic(LpTraffic traffic)
{
    static const LpLane lanes[] = {
        [LP_TRAFFIC_TP] = LP_LANE_TP, [LP_TRAFFIC_PP] = LP_LANE_PP,
        [LP_TRAFFIC_DP] = LP_LANE_DP, [LP_TRAFFIC_EP] = LP_LANE_EP,
        [LP_TRAFFIC_CP] = LP_LANE_CP, [LP_TRAFFIC_EMBEDDING] = LP_LANE_DP,
    };
    return lanes[traffic];
}

void
lp_rank_trace_delay(const LpRankTrace *self, const LpTask *task, const LpStep *step,
                    const LpClock *before, const LpClock *after)
{
    LpSlice slice = {.lane = LP_LANE_COMPUTE, .start_s = before->at_s, .end_s = after->at_s};
    slice.name = task->terms.s[LP_TERM_OPTIMIZER] > 0.0
                     ? "optimizer"
                     : lp_role_names[lp_program_segment(self->program, step->segment)->role];
    for (LpTerm term = 0; term < LP_N_TERMS; term++)
        slice.terms.s[term] = after->terms.s[term] - before->terms.s[term];
    trace(self, slice, step);
}

void
lp_rank_trace_collective(const LpRankTrace *self, const LpOp *op, const LpStep *step,
                         double start_s, double end_s)
{
    trace(self,
          (LpSlice){.name = lp_collective_names[op->collective],
                    .lane = lane_of_traffic(op->traffic),
                    .bytes = op->bytes,
                    .start_s = start_s,
                    .end_s = end_s},
          step);
}

void
lp_rank_trace_stream_compute(const LpRankTrace *self, const LpOp *op, double start_s, double end_s)
{
    LpSlice slice = {
        .name = "beside", .lane = LP_LANE_STREAM_COMPUTE, .start_s = start_s, .end_s = end_s};
    slice.terms.s[op->term] = end_s - start_s;
    trace(self, slice, NULL);
}

/* Its number among the messages that first replicas send each other. */
static guint64
message_of(const LpRankTrace *self, const LpTracedMessage *message, guint32 sender)
{
    const LpProgram *program = self->program;
    return 1 +
           ((message->number - 1) * LP_N_PIPELINE_DIRECTIONS + message->direction) *
               program->pipeline.n_stages +
           sender;
}

void
lp_rank_trace_send(const LpRankTrace *self, const LpTracedMessage *message)
{
    trace(self,
          (LpSlice){.name = "send",
                    .lane = LP_LANE_PP,
                    .bytes = message->bytes,
                    .message = message_of(self, message, self->stage),
                    .start_s = message->start_s,
                    .end_s = message->end_s},
          message->step);
}

void
lp_rank_trace_receive(const LpRankTrace *self, const LpTracedMessage *message)
{
    trace(self,
          (LpSlice){.name = "wait",
                    .lane = LP_LANE_PP,
                    .is_waiting = TRUE,
                    .start_s = message->start_s,
                    .end_s = message->sent_s},
          message->step);
    trace(self,
          (LpSlice){.name = "receive",
                    .lane = LP_LANE_PP,
                    .bytes = message->bytes,
                    .message = message_of(self, message, message->sender),
                    .start_s = message->sent_s,
                    .end_s = message->end_s},
          message->step);
}
