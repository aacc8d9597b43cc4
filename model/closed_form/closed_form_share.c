/* SPDX-License-Identifier: Apache-2.0 */
/* The shares of narrow links above ports: all flows of a class run at once and share them. */
#include "model/closed_form/closed_form_network.h"
#include "model/closed_form/closed_form_counts.h"

#include <math.h>

/* Flows of one class: each rank of it sends to one other. */
typedef struct {
    const LpClosedFormInput *input; /* borrowed */
    LpGroup group;                  /* LP_N_GROUPS: messages to the next stage */
    guint64 steps;                  /* how many members on */
    guint32 stage;                  /* of messages: their sender's */
} Flows;

static guint32
stage_of(const LpPlan *plan, guint64 rank)
{
    return (guint32)(rank / lp_plan_stride(plan, LP_AXIS_PP) % plan->degree[LP_AXIS_PP]);
}

/* The rank that @rank sends to; @rank itself: none. */
static guint64
receiver(const Flows *self, guint64 rank)
{
    const LpPlan *plan = self->input->plan;
    const LpTransformer *shape = self->input->transformer;
    if (self->group == LP_N_GROUPS)
        return stage_of(plan, rank) == self->stage ? rank + lp_plan_stride(plan, LP_AXIS_PP) : rank;
    if (!lp_group_exists(shape, plan, self->group, rank))
        return rank;
    guint64 n = lp_group_size(shape, plan, self->group);
    guint64 index = lp_group_index(shape, plan, self->group, rank);
    return lp_group_member(shape, plan, self->group, rank, (index + self->steps) % n);
}

static gboolean
climbs(const Flows *self, guint32 level, guint64 rank)
{
    return lp_fabric_climbs(self->input->fabric, level, accelerator(self->input, rank),
                            accelerator(self->input, receiver(self, rank)));
}

/* Flows that climb from the switch of @level that @rank is below. */
static guint64
count(const Flows *self, guint32 level, guint64 rank)
{
    const LpFabric *fabric = self->input->fabric;
    guint64 n_ports = fabric->levels[level].n_ports, n = 0;
    guint64 block = lp_fabric_port(fabric, accelerator(self->input, rank)) / n_ports;
    for (guint64 other = 0; other < lp_plan_n_ranks(self->input->plan); other++)
        n += lp_fabric_port(fabric, accelerator(self->input, other)) / n_ports == block &&
             climbs(self, level, other);
    return n;
}

/* The share that a flow has of the links above the switch of @level that @rank is below. */
static double
share_bytes_per_s(const Flows *self, guint32 level, guint64 rank)
{
    return self->input->fabric->levels[level].up_bytes_per_s / (double)count(self, level, rank);
}

double
lp_closed_form_group_share_bytes_per_s(const LpClosedFormInput *input, LpGroup group, guint64 steps)
{
    Flows flows = {.input = input, .group = group, .steps = steps};
    guint64 n = lp_group_size(input->transformer, input->plan, group);
    double least = INFINITY;
    for (guint32 level = 0; level < input->fabric->n_levels; level++)
        for (guint64 i = 0; i < n; i++) {
            guint64 rank = lp_group_member(input->transformer, input->plan, group, 0, i);
            if (!climbs(&flows, level, rank))
                continue;
            /* The ring's other links upward have as many flows. */
            least = fmin(least, share_bytes_per_s(&flows, level, rank));
            break;
        }
    return least;
}

/* The share of the first rank of a boundary that climbs; the other ranks of its stage climb with
 * it. */
static double
boundary_share_bytes_per_s(const Flows *self, guint32 level)
{
    for (guint64 rank = 0; rank < lp_plan_n_ranks(self->input->plan); rank++)
        if (stage_of(self->input->plan, rank) == self->stage && climbs(self, level, rank))
            return share_bytes_per_s(self, level, rank);
    return INFINITY;
}

double
lp_closed_form_boundary_share_bytes_per_s(const LpClosedFormInput *input)
{
    double least = INFINITY;
    for (guint32 level = 0; level < input->fabric->n_levels; level++)
        for (guint32 stage = 0; stage + 1 < input->plan->degree[LP_AXIS_PP]; stage++) {
            Flows flows = {.input = input, .group = LP_N_GROUPS, .stage = stage};
            least = fmin(least, boundary_share_bytes_per_s(&flows, level));
        }
    return least;
}

/* A flow alone on its card has all of it, whatever the share of its accelerator is; relays have
 * other rates. */
LpFabricConnection
lp_closed_form_shared(const LpClosedFormInput *input, LpFabricConnection slowest,
                      double within_bytes_per_s, double share_bytes_per_s)
{
    gboolean is_share = slowest.bytes_per_s == input->fabric->scale_out_bytes_per_s;
    if (is_share && share_bytes_per_s < INFINITY && !input->fabric->rails_relay)
        slowest.bytes_per_s = fmin(share_bytes_per_s, within_bytes_per_s);
    else
        slowest.bytes_per_s = fmin(slowest.bytes_per_s, share_bytes_per_s);
    return slowest;
}

double
lp_closed_form_within_bytes_per_s(const LpClosedFormInput *input, guint64 a, guint64 b)
{
    guint32 size = input->fabric->domain_size;
    return a / size == b / size ? lp_fabric_bytes_per_s(input->fabric, a, b) : INFINITY;
}
