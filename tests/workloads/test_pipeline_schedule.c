/* SPDX-License-Identifier: Apache-2.0 */
/* Schedules: every pass once, no deadlock, and the published bubble. */
#include "workloads/program/pipeline_schedule.h"

#include "tests/testlib.h"

#include <string.h>

/* Times of the passes of one chunk over one micro-batch. */
typedef struct {
    double forward, input, weight;
} PassTimes;

static LpPlan
make_plan(LpPipelineSchedule schedule, guint32 pp, guint32 n_micro_batches, guint32 virtual_stages)
{
    LpPlan plan = {.pipeline.schedule = schedule,
                   .pipeline.virtual_stages = virtual_stages,
                   .batch.micro = 1,
                   .batch.global = n_micro_batches};
    for (guint axis = 0; axis < LP_N_AXES; axis++) {
        plan.degree[axis] = 1;
        plan.order[axis] = (LpAxis)axis;
    }
    plan.degree[LP_AXIS_PP] = pp;
    return plan;
}

/* When each pass ended, by way through the pipeline, pass, slice and micro-batch; -1 before. */
typedef struct {
    const LpPlan *plan;
    const PassTimes *times;
    const char *label;
    guint32 n_slices, n_micro_batches;
    double *ended; /* owned */
    gsize n_done;
} Passes;

enum {
    FORWARD,
    BACKWARD,
    WEIGHT,
    N_PASSES
};

static guint32
way_of(const Passes *self, guint32 chunk)
{
    return self->plan->pipeline.schedule == LP_SCHEDULE_DUALPIPE ? chunk : 0;
}

static double *
ended(const Passes *self, guint32 way, guint pass, guint32 slice, guint32 micro_batch)
{
    return &self->ended[((way * N_PASSES + pass) * self->n_slices + slice) * self->n_micro_batches +
                        micro_batch];
}

/* When what a pass waits for has ended: the same micro-batch one slice earlier on its way, for the
 * last slice's backward its own forward, for the weights their own backward. -1 if it has not. */
static double
ready(const Passes *self, guint32 stage, guint pass, guint32 chunk, guint32 micro_batch)
{
    guint32 slice = lp_plan_slice(self->plan, stage, chunk), way = way_of(self, chunk);
    if (pass == FORWARD)
        return slice == 0 ? 0.0 : *ended(self, way, FORWARD, slice - 1, micro_batch);
    if (pass == WEIGHT)
        return *ended(self, way, BACKWARD, slice, micro_batch);
    if (slice == self->n_slices - 1)
        return *ended(self, way, FORWARD, slice, micro_batch);
    return *ended(self, way, BACKWARD, slice + 1, micro_batch);
}

static void
finish(Passes *self, guint32 stage, guint pass, guint32 chunk, guint32 micro_batch, double at)
{
    guint32 slice = lp_plan_slice(self->plan, stage, chunk);
    double *end = ended(self, way_of(self, chunk), pass, slice, micro_batch);
    lp_test_true(self->label, *end < 0.0); /* each pass once */
    *end = at;
    self->n_done++;
}

/* Runs a slot from *@io_clock on. FALSE if it has to wait for one that has not run. */
static gboolean
run_slot(Passes *self, guint32 stage, const LpSlot *slot, double *io_clock)
{
    const PassTimes *t = self->times;
    gboolean pair = slot->kind == LP_SLOT_PAIR;
    gboolean forward = slot->kind == LP_SLOT_FORWARD || pair;
    gboolean weight = slot->kind == LP_SLOT_WEIGHT;
    gboolean both = slot->kind == LP_SLOT_BACKWARD || pair;
    guint32 back = pair ? slot->back_chunk : slot->chunk;
    guint32 back_batch = pair ? slot->back_micro_batch : slot->micro_batch;
    double from = *io_clock, length = 0.0;
    if (forward) {
        double at = ready(self, stage, FORWARD, slot->chunk, slot->micro_batch);
        if (at < 0.0)
            return FALSE;
        from = MAX(from, at);
        length += t->forward;
    }
    if (!forward || pair) {
        double at = ready(self, stage, weight ? WEIGHT : BACKWARD, back, back_batch);
        if (at < 0.0)
            return FALSE;
        from = MAX(from, at);
        length += (weight ? 0.0 : t->input) + (weight || both ? t->weight : 0.0);
    }
    *io_clock = from + length;
    if (forward)
        finish(self, stage, FORWARD, slot->chunk, slot->micro_batch, *io_clock);
    if (!weight && (!forward || pair))
        finish(self, stage, BACKWARD, back, back_batch, *io_clock);
    if (weight || both)
        finish(self, stage, WEIGHT, back, back_batch, *io_clock);
    return TRUE;
}

/* Runs all stages' slots in order, with no time between stages. Returns the end of the last, or -1
 * if no stage can go on. */
static double
run(const LpPlan *plan, const PassTimes *times, const char *label)
{
    guint32 pp = plan->degree[LP_AXIS_PP], m = lp_plan_n_micro_batches(plan);
    gsize n_ways = plan->pipeline.schedule == LP_SCHEDULE_DUALPIPE ? 2 : 1;
    Passes passes = {.plan = plan,
                     .times = times,
                     .label = label,
                     .n_slices = lp_plan_n_slices(plan),
                     .n_micro_batches = m};
    gsize n_places = n_ways * N_PASSES * passes.n_slices * m;
    g_autofree double *places = g_new(double, n_places);
    passes.ended = places;
    for (gsize i = 0; i < n_places; i++)
        places[i] = -1.0;
    g_autoptr(GPtrArray) stages = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
    for (guint32 stage = 0; stage < pp; stage++)
        g_ptr_array_add(stages, lp_pipeline_schedule_new(plan, stage));
    g_autofree guint *next = g_new0(guint, pp);
    g_autofree double *clock = g_new0(double, pp);
    for (gboolean moved = TRUE; moved;) {
        moved = FALSE;
        for (guint32 stage = 0; stage < pp; stage++) {
            const GArray *slots = stages->pdata[stage];
            while (next[stage] < slots->len &&
                   run_slot(&passes, stage, &g_array_index(slots, LpSlot, next[stage]),
                            &clock[stage])) {
                next[stage]++;
                moved = TRUE;
            }
        }
    }
    /* Each way has half of the micro-batches. */
    if (passes.n_done != (gsize)N_PASSES * passes.n_slices * m)
        return -1.0;
    double last = 0.0;
    for (guint32 stage = 0; stage < pp; stage++)
        last = MAX(last, clock[stage]);
    return last;
}

static void
check_bubble(LpPipelineSchedule schedule, guint32 pp, guint32 m, guint32 v, PassTimes times,
             double bubble)
{
    LpPlan plan = make_plan(schedule, pp, m, v);
    g_autofree char *label =
        g_strdup_printf("%s pp %u m %u v %u", lp_schedule_names[schedule], pp, m, v);
    double ideal = m * v * (times.forward + times.input + times.weight);
    lp_test_close(label, run(&plan, &times, label), ideal + bubble, 1e-12);
}

/* Bubble over ideal time: (p-1)/m for GPipe and 1F1B, (p-1)/(m v) interleaved (Narayanan et al., SC
 * 2021, sections 2.2.1 and 2.2.2). */
static void
test_bubble(void)
{
    static const guint32 pps[] = {1, 2, 3, 4, 8, 13}, groups[] = {1, 2, 3, 8};
    static const PassTimes times = {1.0, 1.25, 0.75};
    for (guint i = 0; i < G_N_ELEMENTS(pps); i++)
        for (guint k = 0; k < G_N_ELEMENTS(groups); k++) {
            double bubble = (pps[i] - 1) * 3.0;
            check_bubble(LP_SCHEDULE_GPIPE, pps[i], groups[k], 1, times, bubble);
            check_bubble(LP_SCHEDULE_1F1B, pps[i], groups[k], 1, times, bubble);
            for (guint32 v = 2; pps[i] > 1 && v <= 4; v++)
                check_bubble(LP_SCHEDULE_INTERLEAVED, pps[i], groups[k] * pps[i], v, times, bubble);
        }
}

/* ZB-H1: (p-1)(F + B - W), B the gradient of the activations (Qi et al., arXiv 2401.10241,
 * table 1), from 2p - 1 micro-batches on and with W at most F and B. Longer weights' gradients fill
 * no more: nothing is there to fill what the first stage waits for the first B, nor what the last
 * stage waits for the first F. */
static void
test_zero_bubble(void)
{
    static const guint32 pps[] = {1, 2, 3, 4, 8, 13};
    static const PassTimes times[] = {{1.0, 1.0, 1.0},  {1.0, 1.25, 0.75}, {1.0, 1.5, 1.0},
                                      {1.0, 1.25, 1.1}, {1.0, 1.0, 2.0},   {1.0, 1.5, 4.0},
                                      {1.5, 1.0, 0.75}, {1.5, 1.0, 1.25},  {1.5, 1.0, 5.0}};
    for (guint i = 0; i < G_N_ELEMENTS(pps); i++)
        for (guint k = 0; k < G_N_ELEMENTS(times); k++)
            for (guint32 m = 2 * pps[i]; m <= 5 * pps[i]; m += pps[i] + 1) {
                double first = MAX(times[k].forward, times[k].input),
                       filled = times[k].forward + times[k].input - times[k].weight;
                check_bubble(LP_SCHEDULE_ZERO_BUBBLE, pps[i], m, 1, times[k],
                             (pps[i] - 1) * MAX(filled, first));
            }
}

/* DualPipe: (p/2-1)(F&B + B - 3W), B both gradients, and F&B the time of a pair, here F + B
 * (DeepSeek-V3, arXiv 2412.19437, table 2), where all passes take as long as each other. With
 * shorter weights' gradients it is no more than that; however long they are, it is
 * (p/2-1) 2F, which none of them can fill. */
static void
test_dualpipe(void)
{
    static const guint32 sizes[][2] = {{2, 4},  {2, 6},  {4, 8},  {4, 10},
                                       {6, 12}, {8, 16}, {8, 40}, {16, 32}};
    for (guint i = 0; i < G_N_ELEMENTS(sizes); i++) {
        guint32 pp = sizes[i][0], m = sizes[i][1];
        double half = pp / 2.0 - 1.0;
        check_bubble(LP_SCHEDULE_DUALPIPE, pp, m, 1, (PassTimes){1.0, 1.0, 1.0},
                     half * (3.0 + 2.0 - 3.0));
        LpPlan plan = make_plan(LP_SCHEDULE_DUALPIPE, pp, m, 1);
        PassTimes times = {1.0, 1.25, 0.75};
        double bubble = run(&plan, &times, "uneven passes") - m * 3.0;
        lp_test_true("uneven passes", bubble >= 0.0 && bubble <= half * (3.0 + 2.0 - 2.25) + 1e-9);
        check_bubble(LP_SCHEDULE_DUALPIPE, pp, m, 1, (PassTimes){1.0, 1.0, 9.0}, half * 2.0);
    }
}

/* Micro-batches whose activations a chunk holds, at most. */
static guint
most_held(const GArray *slots, guint32 chunk)
{
    guint held = 0, most = 0;
    for (guint k = 0; k < slots->len; k++) {
        const LpSlot *slot = &g_array_index(slots, LpSlot, k);
        gboolean pair = slot->kind == LP_SLOT_PAIR;
        if ((slot->kind == LP_SLOT_FORWARD || pair) && slot->chunk == chunk)
            held++;
        most = MAX(most, held);
        gboolean releases = slot->kind == LP_SLOT_BACKWARD || slot->kind == LP_SLOT_WEIGHT || pair;
        if (releases && (pair ? slot->back_chunk : slot->chunk) == chunk)
            held--;
    }
    return held == 0 ? most : G_MAXUINT;
}

/* 1F1B holds at most pp - stage micro-batches' activations (SC 2021, section 2.2.1); GPipe all;
 * ZB-H1 pp on every stage (Qi et al., section 2.3). */
static void
test_in_flight(void)
{
    static const guint32 sizes[][2] = {{1, 4}, {2, 1}, {4, 2}, {4, 16}, {8, 8}, {8, 100}};
    static const LpPipelineSchedule schedules[] = {LP_SCHEDULE_GPIPE, LP_SCHEDULE_1F1B,
                                                   LP_SCHEDULE_ZERO_BUBBLE};
    for (guint i = 0; i < G_N_ELEMENTS(sizes); i++)
        for (guint32 stage = 0; stage < sizes[i][0]; stage++)
            for (guint k = 0; k < G_N_ELEMENTS(schedules); k++) {
                LpPlan plan = make_plan(schedules[k], sizes[i][0], sizes[i][1], 1);
                g_autoptr(GArray) slots = lp_pipeline_schedule_new(&plan, stage);
                guint32 pp = sizes[i][0], m = sizes[i][1];
                guint wanted[] = {[LP_SCHEDULE_GPIPE] = m,
                                  [LP_SCHEDULE_1F1B] = MIN(m, pp - stage),
                                  [LP_SCHEDULE_ZERO_BUBBLE] = MIN(m, pp)};
                g_autofree char *label = g_strdup_printf(
                    "%s pp %u m %u stage %u", lp_schedule_names[schedules[k]], pp, m, stage);
                lp_test_true(label, most_held(slots, 0) == wanted[schedules[k]]);
            }
}

/* DualPipe: pp + 1 of both ways together (DeepSeek-V3, table 2). */
static void
test_dualpipe_in_flight(void)
{
    for (guint32 pp = 2; pp <= 16; pp += 2)
        for (guint32 stage = 0; stage < pp; stage++) {
            LpPlan plan = make_plan(LP_SCHEDULE_DUALPIPE, pp, 4 * pp, 1);
            g_autoptr(GArray) slots = lp_pipeline_schedule_new(&plan, stage);
            guint one = most_held(slots, 0), other = most_held(slots, 1);
            /* Each way as 1F1B from its own end: pp less the place in its pipeline. */
            lp_test_true("dualpipe", one == pp - stage && other == stage + 1);
        }
}

/* Overlapped 1F1B: all but the first and the last passes are in pairs, no two of which wait for
 * each other, and the bubble is at most that of pairs that wait for whole pairs: (p-1)(F + B) each
 * way. One stage has none. */
static void
test_overlapped(void)
{
    static const guint32 sizes[][2] = {{1, 1}, {2, 2}, {2, 3}, {4, 2}, {8, 4}};
    static const PassTimes times = {1.0, 1.25, 0.75};
    for (guint i = 0; i < G_N_ELEMENTS(sizes); i++)
        for (guint32 groups = 1; groups <= 5; groups++) {
            guint32 pp = sizes[i][0], v = sizes[i][1], m = groups * pp;
            LpPlan plan = make_plan(v > 1 ? LP_SCHEDULE_INTERLEAVED : LP_SCHEDULE_1F1B, pp, m, v);
            plan.overlap.ep = TRUE;
            g_autofree char *label = g_strdup_printf("overlapped pp %u v %u m %u", pp, v, m);
            double bubble = run(&plan, &times, label) - m * v * 3.0;
            lp_test_true(label, bubble >= -1e-9 && bubble <= 2.0 * (pp - 1) * 3.0 + 1e-9);
            for (guint32 stage = 0; stage < pp; stage++) {
                g_autoptr(GArray) slots = lp_pipeline_schedule_new(&plan, stage);
                guint32 n_pairs = 0, warm_up = 2 * (pp - 1 - stage) + (v - 1) * pp + 1;
                for (guint k = 0; k < slots->len; k++)
                    n_pairs += g_array_index(slots, LpSlot, k).kind == LP_SLOT_PAIR ? 1 : 0;
                lp_test_true(label, n_pairs == m * v - MIN(warm_up, m * v));
            }
        }
}

int
main(void)
{
    static const LpTestCase cases[] = {{"bubble", test_bubble},
                                       {"zero bubble", test_zero_bubble},
                                       {"dualpipe", test_dualpipe},
                                       {"in flight", test_in_flight},
                                       {"dualpipe in flight", test_dualpipe_in_flight},
                                       {"overlapped", test_overlapped},
                                       {NULL, NULL}};
    return lp_test_run("pipeline schedule", cases);
}
