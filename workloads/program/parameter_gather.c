/* SPDX-License-Identifier: Apache-2.0 */
/* All-gathers of parameters over the data-parallel groups. */
#include "workloads/program/parameter_gather.h"

#include "model/layer_tensors.h"

#include <math.h>

static guint64
whole_bytes(double bytes)
{
    return (guint64)llround(bytes);
}

void
lp_parameter_gather_add(LpLowering *self, LpParameters bytes)
{
    lp_builder_add_collective(&self->builder, LP_COLLECTIVE_ALL_GATHER, LP_GROUP_DP,
                              whole_bytes(bytes.dense));
    lp_builder_add_collective(&self->builder, LP_COLLECTIVE_ALL_GATHER, LP_GROUP_EXPERT_DP,
                              whole_bytes(bytes.experts));
}

guint
lp_parameter_gather_launch(LpLowering *self, LpParameters bytes)
{
    guint first = lp_builder_add_launch(&self->builder, LP_COLLECTIVE_ALL_GATHER, LP_GROUP_DP,
                                        whole_bytes(bytes.dense));
    guint second = lp_builder_add_launch(&self->builder, LP_COLLECTIVE_ALL_GATHER,
                                         LP_GROUP_EXPERT_DP, whole_bytes(bytes.experts));
    return second != G_MAXUINT ? second : first;
}

/* Bytes of each tensor of @stage, which a rank of a tensor-parallel group has its part of. */
static GArray *
tensor_bytes(LpLowering *self, guint32 stage)
{
    const LpPlan *plan = self->plan;
    GArray *tensors = g_array_new(FALSE, FALSE, sizeof(double));
    for (guint32 k = 0; k < lp_plan_n_chunks(plan); k++) {
        g_autoptr(GArray) units = lp_units_new(self->transformer, plan, stage, k);
        for (guint i = 0; i < units->len; i++) {
            const LpUnit *unit = lp_units_get(units, i, FALSE);
            LpLayerTensors parts = {.n = 1, .share = {1.0}};
            if (unit->kind == LP_UNIT_LAYER)
                parts = lp_layer_tensors(self->transformer, plan, unit->layer);
            for (guint t = 0; t < parts.n; t++) {
                double bytes = parts.share[t] * lp_unit_gathered_bytes(unit, plan).dense;
                g_array_append_val(tensors, bytes);
            }
        }
    }
    return tensors;
}

static int
compare_descending(gconstpointer a, gconstpointer b)
{
    double first = *(const double *)a, second = *(const double *)b;
    return (first < second) - (first > second);
}

/* Deals @tensors to @n_members: the largest first, each to the first of those that have least
 * (hybrid_zero_optim.py of InternLM/InternEvo: _partition_param_list(); torch.distributed.optim,
 * ZeroRedundancyOptimizer: _partition_parameters()). Returns: (transfer full): bytes by owner. */
static GArray *
deal(GArray *tensors, guint64 n_members)
{
    g_array_sort(tensors, compare_descending);
    GArray *owners = g_array_new(FALSE, TRUE, sizeof(double));
    g_array_set_size(owners, (guint)MIN(n_members, tensors->len));
    for (guint i = 0; i < tensors->len; i++) {
        guint least = 0;
        for (guint k = 1; k < owners->len; k++)
            if (g_array_index(owners, double, k) < g_array_index(owners, double, least))
                least = k;
        g_array_index(owners, double, least) += g_array_index(tensors, double, i);
    }
    return owners;
}

/* An owner broadcasts when it has all that the one before did: the ring comes to it last, since
 * NCCL's walk through a domain downwards (NVIDIA/nccl, issue 385). */
static void
broadcast_updated(LpLowering *self, guint32 stage)
{
    guint64 n = lp_group_size(self->transformer, self->plan, LP_GROUP_DP);
    g_autoptr(GArray) tensors = tensor_bytes(self, stage);
    g_autoptr(GArray) owners = deal(tensors, n);
    for (guint i = 0; i < owners->len; i++)
        lp_builder_add_collective(&self->builder, LP_COLLECTIVE_BROADCAST, LP_GROUP_DP,
                                  whole_bytes(g_array_index(owners, double, i)));
}

void
lp_parameter_gather_add_updated(LpLowering *self, guint32 stage)
{
    if (self->plan->zero.parameter_gather == LP_PARAMETER_GATHER_BROADCAST) {
        broadcast_updated(self, stage);
        return;
    }
    LpParameters sum = {0.0, 0.0};
    for (guint32 k = 0; k < lp_plan_n_chunks(self->plan); k++) {
        g_autoptr(GArray) units = lp_units_new(self->transformer, self->plan, stage, k);
        for (guint i = 0; i < units->len; i++) {
            LpParameters bytes = lp_unit_gathered_bytes(lp_units_get(units, i, FALSE), self->plan);
            sum.dense += bytes.dense;
            sum.experts += bytes.experts;
        }
    }
    lp_parameter_gather_add(self, sum);
}

/* A launch for each bucket of @units; appends to @numbers, for each of them, the last that it
 * needs.
 * @last: as the chunk before left it, G_MAXUINT at first. */
static void
launch_units(LpLowering *self, const GArray *units, GArray *numbers, guint *last)
{
    const LpPlan *plan = self->plan;
    double bucket = lp_plan_bucket_bytes(plan, lp_plan_activation_bytes(plan));
    LpParameters waiting = {0.0, 0.0};
    guint n_waiting = 0;
    for (guint i = 0; i < units->len; i++) {
        LpParameters bytes = lp_unit_gathered_bytes(lp_units_get(units, i, FALSE), plan);
        waiting.dense += bytes.dense;
        waiting.experts += bytes.experts;
        n_waiting++;
        gboolean full = bucket > 0.0 && waiting.dense + waiting.experts >= bucket;
        if (!full && i + 1 < units->len)
            continue;
        guint number = lp_parameter_gather_launch(self, waiting);
        *last = number != G_MAXUINT ? number : *last;
        for (; n_waiting > 0; n_waiting--)
            g_array_append_val(numbers, *last);
        waiting = (LpParameters){0.0, 0.0};
    }
}

GArray *
lp_parameter_gather_launch_updated(LpLowering *self, guint32 stage)
{
    const LpPlan *plan = self->plan;
    GArray *pending = g_array_new(FALSE, FALSE, sizeof(guint));
    g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(guint));
    guint last = G_MAXUINT;
    for (guint32 k = 0; k < lp_plan_n_chunks(plan); k++) {
        g_autoptr(GArray) units =
            lp_units_new(self->transformer, plan, stage, lp_units_chunk(plan, stage, k));
        launch_units(self, units, numbers, &last);
    }
    guint n_launched = self->builder.n_launched[LP_STREAM_DP];
    for (guint i = 0; i < numbers->len && n_launched > 0; i++) {
        guint number = g_array_index(numbers, guint, i);
        guint n_pending = number == G_MAXUINT ? n_launched : n_launched - number - 1;
        g_array_append_val(pending, n_pending);
    }
    return pending;
}
