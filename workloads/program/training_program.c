/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks and communicators, then the program of each stage. */
#include "workloads/program/training_program.h"

#include "model/plan/plan_routing.h"
#include "model/times/optimizer.h"
#include "workloads/program/program_size.h"
#include "workloads/program/given_lowering.h"
#include "workloads/program/stage_program.h"

/* The bytes that a rank sends to the next stage for one micro-batch. */
static guint64
boundary_message_bytes(const LpTransformer *transformer, const LpPlan *plan)
{
    double bytes =
        lp_plan_tokens(plan, transformer->seq) * transformer->hidden * lp_plan_wire_bytes(plan);
    gboolean scattered = plan->sequence_parallel || plan->pipeline.scatter_gather;
    return (guint64)(scattered ? bytes / plan->degree[LP_AXIS_TP] : bytes);
}

static void
draw_expert_loads(LpProgram *self, const LpTransformer *transformer, const LpPlan *plan)
{
    if (!lp_plan_has_expert_loads(plan, transformer))
        return;
    self->n_expert_places = plan->degree[LP_AXIS_EP];
    self->expert_loads =
        g_new(double, lp_plan_n_expert_draws(plan, transformer) * self->n_expert_places);
    lp_plan_expert_loads(plan, transformer, self->expert_loads);
    self->expert_place = g_new(guint32, self->n_ranks);
    for (guint64 rank = 0; rank < self->n_ranks; rank++)
        self->expert_place[rank] = lp_plan_expert_coordinates(plan, rank).ep;
}

static void
describe_ranks(LpProgram *self, const LpTransformer *transformer, const LpPlan *plan,
               const LpAccelerator *accelerator)
{
    self->n_ranks = lp_plan_n_ranks(plan);
    self->pipeline = (LpPipeline){.n_stages = plan->degree[LP_AXIS_PP],
                                  .stride = lp_plan_stride(plan, LP_AXIS_PP),
                                  .n_chunks = lp_plan_n_chunks(plan),
                                  .n_layers = lp_transformer_n_layers(transformer),
                                  .n_micro_batches = lp_plan_n_micro_batches(plan),
                                  .virtual_stages = plan->pipeline.virtual_stages,
                                  .both_ways = plan->pipeline.schedule == LP_SCHEDULE_DUALPIPE,
                                  .message_bytes = boundary_message_bytes(transformer, plan)};
    self->execution = (LpExecution){.collective_host_s = lp_collective_host_s(plan, accelerator),
                                    .host_is_free = plan->host.cuda_graphs,
                                    .host_sync = plan->traits[LP_TRAIT_HOST_SYNC],
                                    .waits_within = lp_plan_awaits_counts(plan, transformer) ||
                                                    lp_plan_gathers_tensor_lists(plan),
                                    .checks = plan->traits[LP_TRAIT_COLLECTIVE_CHECKS],
                                    .change = plan->library.change,
                                    .slowdown = plan->overlap.slowdown};
    draw_expert_loads(self, transformer, plan);
    self->communicators = lp_communicators_new(transformer, plan, self->expert_loads);
}

LpProgram *
lp_training_program_new(const LpWorkload *workload, const LpAccelerator *accelerator,
                        GError **error)
{
    const LpTransformer *transformer = &workload->transformer;
    const LpPlan *plan = &workload->plan;
    if (workload->given != NULL)
        return lp_given_lowering_program(workload->given, accelerator, plan, error);
    if (!lp_program_size_check(workload, error))
        return NULL;
    g_autoptr(LpProgram) program = lp_program_new();
    describe_ranks(program, transformer, plan, accelerator);
    g_autofree LpLowering *lowering = g_new(LpLowering, 1);
    lp_lowering_init(lowering, program, transformer, plan, accelerator);
    for (guint32 stage = 0; stage < plan->degree[LP_AXIS_PP]; stage++)
        lp_stage_program_add(lowering, stage,
                             lp_optimizer_time_s(transformer, plan, accelerator, stage),
                             lp_optimizer_list_copies(transformer, plan, accelerator, stage));
    return lp_program_volume_check(program, workload, error) ? g_steal_pointer(&program) : NULL;
}
