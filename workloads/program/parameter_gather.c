/* SPDX-License-Identifier: Apache-2.0 */
/* All-gathers of parameters over the data-parallel groups. */
#include "workloads/program/parameter_gather.h"

#include "model/times/tensor_owners.h"

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

/* An owner broadcasts when it has all that the one before did: the ring comes to it last, since
 * NCCL's walk through a domain downwards (NVIDIA/nccl, issue 385). */
static void
broadcast_updated(LpLowering *self, guint32 stage)
{
    guint64 n = lp_group_size(self->transformer, self->plan, LP_GROUP_DP);
    g_autoptr(GArray) owners = lp_tensor_owners_new(self->transformer, self->plan, stage, n);
    for (guint i = 0; i < owners->len; i++)
        lp_builder_add_collective(&self->builder, LP_COLLECTIVE_BROADCAST, LP_GROUP_DP,
                                  whole_bytes(g_array_index(owners, double, i)));
}

void
lp_parameter_gather_add_updated(LpLowering *self, guint32 stage)
{
    if (self->plan->traits[LP_TRAIT_PARAMETER_GATHER] == LP_PARAMETER_GATHER_BROADCAST) {
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
