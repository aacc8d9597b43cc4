/* SPDX-License-Identifier: Apache-2.0 */
/* What a rank's trace makes of its steps: names, lanes, and numbers of messages. */
#include "sim/actors/rank_trace.h"

#include "tests/testlib.h"

static const LpSlice *
slice_at(const LpTimeline *timeline, guint i)
{
    return &g_array_index(timeline->slices, LpSlice, i);
}

/* A program of two stages, and one segment of each role. */
static LpProgram *
make_program(void)
{
    LpProgram *program = lp_program_new();
    program->pipeline.n_stages = 2;
    for (LpRole role = 0; role < LP_N_ROLES; role++) {
        LpSegment segment = {.role = role};
        g_array_append_val(program->segments, segment);
    }
    return program;
}

static void
test_delays(void)
{
    static const struct {
        const char *label;
        LpRole role;
        double optimizer_s;
        const char *name;
        gint32 micro_batch;
    } rows[] = {{"a forward pass", LP_ROLE_FORWARD, 0.0, "forward", 3},
                {"a backward pass", LP_ROLE_BACKWARD, 0.0, "backward", 3},
                {"the optimiser, of no micro-batch", LP_ROLE_FINISH, 1.0, "optimizer", -1},
                {"the finish", LP_ROLE_FINISH, 0.0, "finish", -1},
                {"the start", LP_ROLE_START, 0.0, "start", -1}};
    g_autoptr(LpProgram) program = make_program();
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(LpTimeline) timeline = lp_timeline_new();
        LpRankTrace trace = {timeline, program, 1};
        LpTask task = {.terms.s = {[LP_TERM_OPTIMIZER] = rows[i].optimizer_s}};
        LpStep step = {.segment = rows[i].role, .chunk = 2, .micro_batch = 3};
        LpClock before = {.at_s = 1.0, .terms.s = {[LP_TERM_COMPUTE] = 0.75, [LP_TERM_TP] = 0.25}};
        LpClock after = {.at_s = 4.0, .terms.s = {[LP_TERM_COMPUTE] = 2.75, [LP_TERM_TP] = 1.25}};
        lp_rank_trace_delay(&trace, &task, &step, &before, &after);
        const LpSlice *slice = slice_at(timeline, 0);
        lp_test_text(rows[i].label, slice->name, rows[i].name);
        lp_test_true(rows[i].label, slice->micro_batch == rows[i].micro_batch);
        lp_test_true(rows[i].label, slice->stage == 1 && slice->chunk == 2 &&
                                        slice->lane == LP_LANE_COMPUTE && !slice->is_waiting);
        lp_test_close(rows[i].label, slice->end_s - slice->start_s, 3.0, 0.0);
        lp_test_close(rows[i].label, slice->terms.s[LP_TERM_COMPUTE], 2.0, 0.0);
        lp_test_close(rows[i].label, slice->terms.s[LP_TERM_TP], 1.0, 0.0);
    }
}

static void
test_lanes(void)
{
    static const struct {
        const char *label;
        LpTraffic traffic;
        const char *lane;
    } rows[] = {{"tp", LP_TRAFFIC_TP, "tp"}, {"pp", LP_TRAFFIC_PP, "pp"},
                {"dp", LP_TRAFFIC_DP, "dp"}, {"ep", LP_TRAFFIC_EP, "ep"},
                {"cp", LP_TRAFFIC_CP, "cp"}, {"embedding", LP_TRAFFIC_EMBEDDING, "dp"}};
    g_autoptr(LpProgram) program = make_program();
    g_autoptr(LpTimeline) timeline = lp_timeline_new();
    LpRankTrace trace = {timeline, program, 0};
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpOp op = {.traffic = rows[i].traffic, .bytes = 100 + i};
        lp_rank_trace_collective(&trace, &op, NULL, 1.0, 2.0);
        lp_test_text(rows[i].label, lp_lane_names[slice_at(timeline, i)->lane], rows[i].lane);
        lp_test_true(rows[i].label, slice_at(timeline, i)->bytes == 100 + i &&
                                        slice_at(timeline, i)->micro_batch == -1);
    }
    LpOp beside = {.term = LP_TERM_OPTIMIZER};
    lp_rank_trace_stream_compute(&trace, &beside, 1.0, 3.5);
    const LpSlice *slice = slice_at(timeline, G_N_ELEMENTS(rows));
    lp_test_text("beside", lp_lane_names[slice->lane], "beside");
    lp_test_close("its term", slice->terms.s[LP_TERM_OPTIMIZER], 2.5, 0.0);
}

/* A message's two slices have one number, and no two messages have the same. */
static void
test_messages(void)
{
    g_autoptr(LpProgram) program = make_program();
    g_autoptr(LpTimeline) timeline = lp_timeline_new();
    g_autoptr(GHashTable) numbers = g_hash_table_new(NULL, NULL);
    for (LpPipelineDirection line = 0; line < LP_N_PIPELINE_DIRECTIONS; line++)
        for (guint32 sender = 0; sender < 2; sender++)
            for (guint64 number = 1; number <= 3; number++) {
                LpRankTrace from = {timeline, program, sender},
                            to = {timeline, program, 1 - sender};
                LpStep step = {
                    .kind = LP_STEP_RECV, .direction = line, .bytes = 8, .micro_batch = 1};
                g_array_set_size(timeline->slices, 0);
                LpTracedMessage out = {.direction = line,
                                       .number = number,
                                       .bytes = 8,
                                       .start_s = 1.0,
                                       .end_s = 2.0},
                                in = {.step = &step,
                                      .direction = line,
                                      .sender = sender,
                                      .number = number,
                                      .bytes = 8,
                                      .start_s = 0.5,
                                      .sent_s = 1.0,
                                      .end_s = 2.0};
                lp_rank_trace_send(&from, &out);
                lp_rank_trace_receive(&to, &in);
                lp_test_true("sent, waited for, received", timeline->slices->len == 3);
                const LpSlice *sent = slice_at(timeline, 0), *wait = slice_at(timeline, 1),
                              *received = slice_at(timeline, 2);
                lp_test_true("waiting", wait->is_waiting && wait->message == 0 && wait->bytes == 0);
                lp_test_close("until it is sent", wait->end_s, received->start_s, 0.0);
                lp_test_true("one number",
                             sent->message == received->message && sent->message != 0);
                lp_test_true("of its own",
                             g_hash_table_add(numbers, GSIZE_TO_POINTER(sent->message)));
                lp_test_true("of a pass", received->micro_batch == 1 && received->bytes == 8);
            }
    LpRankTrace nobody = {NULL, program, 0};
    g_array_set_size(timeline->slices, 0);
    lp_rank_trace_send(&nobody, &(LpTracedMessage){.number = 1, .bytes = 8, .end_s = 2.0});
    lp_test_true("nothing is written", timeline->slices->len == 0);
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"delays", test_delays}, {"lanes", test_lanes}, {"messages", test_messages}, {NULL, NULL}};
    return lp_test_run("rank trace", cases);
}
