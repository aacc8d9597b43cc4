/* SPDX-License-Identifier: Apache-2.0 */
/* Schedules: every pass once, no deadlock, and the published bubble. */
#include "workloads/schedule.h"

#include "tests/testlib.h"

#include <string.h>

/* Times of one forward and one backward pass of a chunk; backward is twice the work. */
#define FORWARD 1.0
#define BACKWARD 2.0

static LpPlan
make_plan(LpSchedule schedule, guint32 pp, guint32 n_micro_batches, guint32 virtual_stages)
{
    LpPlan plan = {.schedule = schedule,
                   .virtual_stages = virtual_stages,
                   .micro_batch = 1,
                   .global_batch = n_micro_batches};
    for (guint axis = 0; axis < LP_N_AXES; axis++) {
        plan.degree[axis] = 1;
        plan.order[axis] = (LpAxis)axis;
    }
    plan.degree[LP_AXIS_PP] = pp;
    return plan;
}

/* When each pass ended, by (direction, position of the virtual stage, micro-batch); -1 before. */
typedef struct {
    const LpPlan *plan;
    guint32 n_positions, n_micro_batches;
    double *ended; /* owned */
} Passes;

static double *
ended(const Passes *self, LpDirection direction, guint32 position, guint32 micro_batch)
{
    return &self->ended[((guint)direction * self->n_positions + position) * self->n_micro_batches +
                        micro_batch];
}

/* The end of what a pass waits for: the same micro-batch one position earlier in its direction, and
 * for the last position's backward its own forward. -1 if that has not run. */
static double
ready(const Passes *self, const LpSlot *slot, guint32 position)
{
    if (slot->direction == LP_DIRECTION_FORWARD)
        return position == 0 ? 0.0 : *ended(self, slot->direction, position - 1, slot->micro_batch);
    if (position == self->n_positions - 1)
        return *ended(self, LP_DIRECTION_FORWARD, position, slot->micro_batch);
    return *ended(self, slot->direction, position + 1, slot->micro_batch);
}

/* Runs all stages' slots in order, with no time between stages. Returns the end of the last, or -1
 * if no stage can go on. */
static double
run(const LpPlan *plan, const char *label)
{
    guint32 pp = plan->degree[LP_AXIS_PP], m = lp_plan_n_micro_batches(plan);
    guint32 n_positions = pp * plan->virtual_stages;
    gsize n_passes = (gsize)2 * n_positions * m;
    g_autofree double *times = g_new(double, n_passes);
    Passes passes = {plan, n_positions, m, times};
    for (gsize i = 0; i < n_passes; i++)
        times[i] = -1.0;
    g_autoptr(GPtrArray) stages = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
    for (guint32 stage = 0; stage < pp; stage++)
        g_ptr_array_add(stages, lp_schedule_new(plan, stage));
    g_autofree guint *next = g_new0(guint, pp);
    g_autofree double *clock = g_new0(double, pp);
    gsize n_done = 0;
    for (gboolean moved = TRUE; moved;) {
        moved = FALSE;
        for (guint32 stage = 0; stage < pp; stage++) {
            const GArray *slots = stages->pdata[stage];
            while (next[stage] < slots->len) {
                const LpSlot *slot = &g_array_index(slots, LpSlot, next[stage]);
                guint32 position = slot->chunk * pp + stage;
                double from = ready(&passes, slot, position);
                if (from < 0.0)
                    break;
                double *end = ended(&passes, slot->direction, position, slot->micro_batch);
                lp_test_true(label, *end < 0.0); /* each pass once */
                clock[stage] = MAX(clock[stage], from) +
                               (slot->direction == LP_DIRECTION_FORWARD ? FORWARD : BACKWARD);
                *end = clock[stage];
                next[stage]++;
                n_done++;
                moved = TRUE;
            }
        }
    }
    if (n_done != n_passes)
        return -1.0;
    double last = 0.0;
    for (guint32 stage = 0; stage < pp; stage++)
        last = MAX(last, clock[stage]);
    return last;
}

/* Bubble over ideal time: (p-1)/m for GPipe and 1F1B, (p-1)/(m v) interleaved (Narayanan et al., SC
 * 2021, sections 2.2.1 and 2.2.2). */
static void
check_bubble(LpSchedule schedule, guint32 pp, guint32 m, guint32 v)
{
    LpPlan plan = make_plan(schedule, pp, m, v);
    g_autofree char *label =
        g_strdup_printf("%s pp %u m %u v %u", lp_schedule_names[schedule], pp, m, v);
    double ideal = m * v * (FORWARD + BACKWARD);
    double bubble = (pp - 1) * (FORWARD + BACKWARD);
    lp_test_close(label, run(&plan, label), ideal + bubble, 1e-12);
}

static void
test_bubble(void)
{
    static const guint32 pps[] = {1, 2, 3, 4, 8, 13}, groups[] = {1, 2, 3, 8};
    for (guint i = 0; i < G_N_ELEMENTS(pps); i++)
        for (guint k = 0; k < G_N_ELEMENTS(groups); k++) {
            check_bubble(LP_SCHEDULE_GPIPE, pps[i], groups[k], 1);
            check_bubble(LP_SCHEDULE_1F1B, pps[i], groups[k], 1);
            for (guint32 v = 2; pps[i] > 1 && v <= 4; v++)
                check_bubble(LP_SCHEDULE_INTERLEAVED, pps[i], groups[k] * pps[i], v);
        }
}

/* 1F1B holds at most pp - stage micro-batches' activations (SC 2021, section 2.2.1); GPipe all. */
static void
test_in_flight(void)
{
    static const guint32 sizes[][2] = {{1, 4}, {2, 1}, {4, 2}, {4, 16}, {8, 8}, {8, 100}};
    for (guint i = 0; i < G_N_ELEMENTS(sizes); i++)
        for (guint32 stage = 0; stage < sizes[i][0]; stage++)
            for (LpSchedule schedule = LP_SCHEDULE_GPIPE; schedule <= LP_SCHEDULE_1F1B;
                 schedule++) {
                LpPlan plan = make_plan(schedule, sizes[i][0], sizes[i][1], 1);
                g_autoptr(GArray) slots = lp_schedule_new(&plan, stage);
                guint held = 0, most = 0;
                for (guint k = 0; k < slots->len; k++) {
                    gboolean forward =
                        g_array_index(slots, LpSlot, k).direction == LP_DIRECTION_FORWARD;
                    held = forward ? held + 1 : held - 1;
                    most = MAX(most, held);
                }
                guint wanted = schedule == LP_SCHEDULE_GPIPE
                                   ? sizes[i][1]
                                   : MIN(sizes[i][1], sizes[i][0] - stage);
                g_autofree char *label =
                    g_strdup_printf("%s pp %u m %u stage %u", lp_schedule_names[schedule],
                                    sizes[i][0], sizes[i][1], stage);
                lp_test_true(label, most == wanted && held == 0);
            }
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"bubble", test_bubble}, {"in flight", test_in_flight}, {NULL, NULL}};
    return lp_test_run("schedule", cases);
}
