/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds of steps and of bytes. */
#include "workloads/program/program_size.h"

#include "base/file.h"
#include "model/plan/plan_routing.h"
#include "workloads/program/collective_census.h"

/* A program holds an operation a collective and a step a message; a plan with billions of either is
 * a slip of the pen, and would exhaust the memory before it could be simulated. */
static gboolean
check_steps(const LpWorkload *workload, GError **error)
{
    const double limit = 1 << 25;
    const LpPlan *plan = &workload->plan;
    gboolean by_micro_batch = lp_plan_has_expert_loads(plan, &workload->transformer) &&
                              plan->experts.draws == LP_ROUTING_MICRO_BATCH;
    double n_ops = (by_micro_batch ? 64.0 * lp_plan_n_micro_batches(plan) : 160.0) *
                   lp_transformer_n_layers(&workload->transformer);
    double n_steps = 8.0 * lp_plan_n_micro_batches(plan) * plan->pipeline.virtual_stages *
                     plan->degree[LP_AXIS_PP];
    if (n_ops <= limit && n_steps <= limit)
        return TRUE;
    g_set_error(error, LP_PROGRAM_ERROR, LP_PROGRAM_ERROR_SIZE,
                "%s: layers, pp, virtual-stages, global-batch: got an iteration of %.3g operations "
                "a pass and %.3g steps, wanted at most %.3g of each",
                lp_file_label(workload->path), n_ops, n_steps, limit);
    return FALSE;
}

/* Widest tensor that a token of a layer has on the wire, in elements. */
static double
widest_exchange(const LpTransformer *shape)
{
    double attention = lp_transformer_query_width(shape) + lp_transformer_key_width(shape) +
                       lp_transformer_value_width(shape) + lp_transformer_mixture_width(shape);
    double experts =
        shape->experts.n > 0 ? shape->hidden * lp_transformer_expert_slots(shape) : 0.0;
    return shape->hidden + attention + experts;
}

static gboolean
fail_volume(const LpWorkload *workload, const char *who, double bytes, double limit, GError **error)
{
    g_set_error(error, LP_PROGRAM_ERROR, LP_PROGRAM_ERROR_SIZE,
                "%s: layers, hidden, seq, vocab, global-batch: got %s that moves up to %.3g bytes, "
                "wanted at most %.3g",
                lp_file_label(workload->path), who, bytes, limit);
    return FALSE;
}

/* A program's bytes are counted in 64 bits: an upper bound of all classes of a rank, with 16
 * buffers a layer and pass, must fit with room to spare. What all ranks move is known once there is
 * a program. */
static gboolean
check_rank_volume(const LpWorkload *workload, GError **error)
{
    const double limit = 0x1p61;
    const LpPlan *plan = &workload->plan;
    const LpTransformer *shape = &workload->transformer;
    double m = lp_plan_n_micro_batches(plan);
    double activations = (double)plan->batch.micro * MAX(shape->seq, shape->decoder.seq) *
                         widest_exchange(shape) * 4.0 * m;
    double pp = plan->degree[LP_AXIS_PP];
    double stage_layers = lp_transformer_n_layers(shape) / pp + plan->pipeline.virtual_stages;
    double layers_and_messages = 16.0 * (stage_layers + 2.0) + 4.0 * plan->pipeline.virtual_stages;
    double exchanges = plan->zero.stage == 3 || lp_plan_reduces_each(plan) ? 4.0 * m : 4.0;
    double gradients =
        exchanges * (lp_transformer_parameters(shape) + (double)shape->vocab * shape->hidden) * 4.0;
    double bytes = activations * layers_and_messages + gradients;
    return bytes <= limit || fail_volume(workload, "a rank", bytes, limit, error);
}

gboolean
lp_program_size_check(const LpWorkload *workload, GError **error)
{
    return check_steps(workload, error) && check_rank_volume(workload, error);
}

gboolean
lp_program_volume_check(const LpProgram *program, const LpWorkload *workload, GError **error)
{
    const double limit = 0x1p61;
    g_autoptr(LpCollectiveCensus) census = lp_collective_census_new(program);
    double bytes = 0.0;
    for (guint i = 0; i < census->rows->len; i++)
        bytes += lp_collective_census_row(census, i)->sent_bytes * (double)program->n_ranks;
    return bytes <= limit || fail_volume(workload, "an iteration", bytes, limit, error);
}
