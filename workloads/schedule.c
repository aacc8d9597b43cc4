/* SPDX-License-Identifier: Apache-2.0 */
/* GPipe, 1F1B and interleaved 1F1B as lists of slots. */
#include "workloads/schedule.h"

static void
append(GArray *slots, LpDirection direction, guint32 chunk, guint32 micro_batch)
{
    LpSlot slot = {direction, chunk, micro_batch};
    g_array_append_val(slots, slot);
}

static void
append_gpipe(GArray *slots, guint32 n_micro_batches)
{
    for (guint32 i = 0; i < n_micro_batches; i++)
        append(slots, LP_DIRECTION_FORWARD, 0, i);
    for (guint32 i = n_micro_batches; i-- > 0;)
        append(slots, LP_DIRECTION_BACKWARD, 0, i);
}

/* The @k-th pass of a stage in @direction: chunks take turns after each group of pp micro-batches,
 * and backward visits them from the last. With one chunk this is micro-batch k. */
static void
append_kth(GArray *slots, const LpPlan *plan, LpDirection direction, guint32 k)
{
    guint32 pp = plan->degree[LP_AXIS_PP], v = plan->virtual_stages;
    if (v == 1) {
        append(slots, direction, 0, k);
        return;
    }
    guint32 chunk = k % (pp * v) / pp;
    append(slots, direction, direction == LP_DIRECTION_FORWARD ? chunk : v - 1 - chunk,
           k / (pp * v) * pp + k % pp);
}

static guint32
warm_up_passes(const LpPlan *plan, guint32 stage, guint32 n_passes)
{
    guint32 pp = plan->degree[LP_AXIS_PP], v = plan->virtual_stages;
    guint32 behind = pp - 1 - stage;
    guint32 wanted = v == 1 ? behind : 2 * behind + (v - 1) * pp;
    return MIN(wanted, n_passes);
}

static void
append_1f1b(GArray *slots, const LpPlan *plan, guint32 stage, guint32 n_passes)
{
    guint32 warm_up = warm_up_passes(plan, stage, n_passes);
    for (guint32 k = 0; k < warm_up; k++)
        append_kth(slots, plan, LP_DIRECTION_FORWARD, k);
    for (guint32 k = 0; k < n_passes; k++) {
        if (warm_up + k < n_passes)
            append_kth(slots, plan, LP_DIRECTION_FORWARD, warm_up + k);
        append_kth(slots, plan, LP_DIRECTION_BACKWARD, k);
    }
}

GArray *
lp_schedule_new(const LpPlan *plan, guint32 stage)
{
    guint32 n_passes = lp_plan_n_micro_batches(plan) * plan->virtual_stages;
    GArray *slots = g_array_sized_new(FALSE, FALSE, sizeof(LpSlot), 2 * n_passes);
    if (plan->schedule == LP_SCHEDULE_GPIPE)
        append_gpipe(slots, n_passes);
    else
        append_1f1b(slots, plan, stage, n_passes);
    return slots;
}
