/* SPDX-License-Identifier: Apache-2.0 */
/* T_PP and T_bub: messages between stages, and waiting for stages. */
#include "model/closed_form/closed_form_waiting.h"
#include "model/closed_form/closed_form_counts.h"
#include "model/closed_form/closed_form_network.h"

#include <math.h>

/* Whether all ranks stand in one domain whose accelerators reach each other alike. */
static gboolean
is_flat(const LpClosedFormInput *input)
{
    const LpFabric *fabric = input->fabric;
    return fabric->domain_size >= lp_plan_n_ranks(input->plan) && input->accelerators == NULL &&
           fabric->torus.n_dimensions == 0 && fabric->pair_bytes_per_s <= 0.0 &&
           fabric->root_accelerators == 0;
}

/* The slowest connection between neighbouring stages of all pipelines. */
static LpFabricConnection
boundary_connection(const LpClosedFormInput *input)
{
    const LpPlan *plan = input->plan;
    guint64 stride = lp_plan_stride(plan, LP_AXIS_PP), n = lp_plan_n_ranks(plan);
    guint32 pp = plan->degree[LP_AXIS_PP];
    LpFabricConnection slowest = {0.0, INFINITY};
    double within = INFINITY;
    guint64 n_unlike = is_flat(input) ? 1 : n;
    for (guint64 rank = 0; rank < n_unlike; rank++) {
        if (rank / stride % pp == pp - 1)
            continue;
        guint64 from = accelerator(input, rank), to = accelerator(input, rank + stride);
        slowest =
            lp_fabric_connection_slower(slowest, lp_fabric_connection(input->fabric, from, to));
        within = fmin(within, lp_closed_form_within_bytes_per_s(input, from, to));
    }
    return lp_closed_form_shared(input, slowest, within,
                                 lp_closed_form_boundary_share_bytes_per_s(input));
}

/* Whether neighbouring stages of any pipeline stand in different blocks of @n_accelerators. */
static gboolean
boundary_crosses(const LpClosedFormInput *input, guint64 n_accelerators)
{
    const LpPlan *plan = input->plan;
    guint64 stride = lp_plan_stride(plan, LP_AXIS_PP), n = lp_plan_n_ranks(plan);
    guint32 pp = plan->degree[LP_AXIS_PP];
    if (is_flat(input) && n_accelerators >= n)
        return FALSE;
    for (guint64 rank = 0; rank < n; rank++)
        if (rank / stride % pp != pp - 1 && accelerator(input, rank) / n_accelerators !=
                                                accelerator(input, rank + stride) / n_accelerators)
            return TRUE;
    return FALSE;
}

static gboolean
boundary_leaves(const LpClosedFormInput *input)
{
    return boundary_crosses(input, input->fabric->domain_size);
}

static gboolean
boundary_in_region(const LpClosedFormInput *input)
{
    guint64 region = input->fabric->circuits.packet_network.region_domains;
    return region == 0 || !boundary_crosses(input, region * input->fabric->domain_size);
}

double
lp_closed_form_pp_message_s(const LpClosedFormInput *input)
{
    const LpPlan *plan = input->plan;
    if (plan->degree[LP_AXIS_PP] == 1)
        return 0.0;
    gboolean scattered = plan->pipeline.scatter_gather || plan->sequence_parallel;
    double share = scattered ? plan->degree[LP_AXIS_TP] : 1.0;
    double bytes = activations_bytes(input, input->transformer->seq) / share;
    LpFabric fabric;
    LpClosedFormInput on =
        lp_closed_form_on(input, LP_TRAFFIC_PP, bytes, boundary_in_region(input), &fabric);
    LpFabricConnection connection = boundary_connection(&on);
    return connection.latency_s +
           lp_closed_form_transfer_s(&on, &connection, boundary_leaves(&on), bytes, 1);
}

double
lp_closed_form_pp_s(const LpClosedFormInput *input)
{
    return 2.0 * n_micro_batches(input) * input->plan->pipeline.virtual_stages *
           lp_closed_form_pp_message_s(input);
}

/* A micro-batch on the mean stage: the seconds of its passes, collectives in them included. */
typedef struct {
    double all_s, forward_s, input_s, weight_s;
} MicroBatch;

/* ZB-H1. Gradients of weights fill what stages wait for, but not what the first stage waits for the
 * first gradient, and the last stage for the first activations. */
static double
zero_bubble_s(const MicroBatch *self)
{
    return fmax(self->all_s - 2.0 * self->weight_s, fmax(self->input_s, self->forward_s));
}

/* DualPipe. However long they are, they fill neither of the waits for forward passes. */
static double
dualpipe_s(const MicroBatch *self)
{
    return fmax(2.0 * self->all_s - self->forward_s - 3.0 * self->weight_s, 2.0 * self->forward_s);
}

/* The micro-batch with the data-parallel communication in its passes. */
static MicroBatch
micro_batch_with(const MicroBatch *self, LpPassCommunication dp)
{
    double forward_s = self->forward_s + dp.gathers_s - dp.back_gathers_s + dp.first_gather_s;
    double input_s = self->input_s + dp.back_gathers_s, weight_s = self->weight_s + dp.sum_s;
    return (MicroBatch){forward_s + input_s + weight_s, forward_s, input_s, weight_s};
}

/* Communication inside layers is taken as equal in each pass through a layer. Communication in all
 * passes of a chunk is waited for with them; communication in its first or last pass only, by the
 * first or last micro-batch on its way through all chunks. The last sums of ZB-H1 follow all
 * messages. */
double
lp_closed_form_bubble_of(const LpClosedFormInput *input, double inner_s, double pp_s,
                         LpPassCommunication dp)
{
    double stages = degree(input, LP_AXIS_PP), m = n_micro_batches(input);
    if (stages < 2.0)
        return 0.0;
    MicroBatch passes = {
        .all_s = (lp_closed_form_compute_s(input) + inner_s) / m,
        .forward_s =
            (lp_closed_form_pass_s(input, LP_PASS_FORWARD) + inner_s / n_passes(input)) / m,
        .weight_s = lp_closed_form_pass_s(input, LP_PASS_BACKWARD_WEIGHT) / m};
    passes.input_s = passes.all_s - passes.forward_s - passes.weight_s;
    MicroBatch waiting = micro_batch_with(&passes, dp);
    double messages_s = (stages - 2.0) * pp_s / m;
    switch (input->plan->pipeline.schedule) {
    case LP_SCHEDULE_ZERO_BUBBLE:
        return (stages - 1.0) * zero_bubble_s(&waiting) + messages_s;
    case LP_SCHEDULE_DUALPIPE:
        return (0.5 * stages - 1.0) * dualpipe_s(&passes) + 0.5 * messages_s;
    default:
        return ((stages - 1.0) * (passes.all_s + dp.gathers_s + dp.sum_s) + messages_s) /
                   input->plan->pipeline.virtual_stages +
               (stages - 1.0) * (dp.first_gather_s + dp.last_sum_s);
    }
}
