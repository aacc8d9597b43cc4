/* SPDX-License-Identifier: Apache-2.0 */
/* Which ranks of a job are simulated, and with how many actors. */
#include "sim/run/run_job.h"

#include "sim/mapping/round_plan.h"

static guint64
n_simulated(const LpProgram *program, const LpContention *contention)
{
    return program->n_ranks / lp_contention_n_replicas(contention, program->communicators);
}

guint64
lp_run_n_actors(const LpProgram *program, const LpContention *contention)
{
    return n_simulated(program, contention) * lp_program_n_streams(program);
}

/* Sends of @op that a member of @communicator has under way, at most (sim/actors/round_executor.c):
 * in a step of a schedule, or in an exchange without one. */
static guint64
n_sending(const LpCommunicationMap *map, const LpCommunicator *communicator, const LpOp *op)
{
    LpAlgorithmSelection selection = lp_rank_layout_selection(map->layout, op, communicator);
    guint64 at_once =
        lp_sends_at_once(lp_rank_layout_library(map->layout, op), communicator->n_members);
    if (!selection.is_scheduled)
        return at_once;
    LpStepSchedule schedule;
    lp_step_schedule_init(&schedule, &selection.shape);
    return MIN(at_once, lp_step_schedule_sends_max(&schedule));
}

guint64
lp_run_actors_max(const LpCommunicationMap *map, gboolean is_launched)
{
    guint64 n = map->n_ranks * lp_program_n_streams(map->program);
    for (LpGroup group = 0; group < LP_N_GROUPS && !is_launched; group++) {
        guint n_communicators = lp_communicators_n(map->communicators, group);
        /* Only tuned groups differ in what their communicators do. */
        gboolean is_tuned = lp_rank_layout_is_tuned(map->layout, group);
        g_autoptr(GArray) ops = lp_program_collectives(map->program, group);
        for (guint i = 0; i < n_communicators; i += is_tuned ? 1 : n_communicators) {
            const LpCommunicator *own = lp_communicators_get(map->communicators, group, i);
            guint64 most = 1; /* which the member itself waits for */
            for (guint k = 0; k < ops->len; k++)
                most = MAX(most, n_sending(map, own, &g_array_index(ops, LpOp, k)));
            n += own->n_members * (most - 1) * (is_tuned ? 1 : n_communicators);
        }
    }
    return n;
}

LpTasks *
lp_run_model_tasks(const LpRunModel *self, LpRunMode mode)
{
    mode.fidelity = self->fidelity;
    return lp_tasks_new(self->map, self->contention, self->cache, mode);
}

LpRunJob
lp_run_job(const LpRunModel *model, const LpTasks *tasks, const LpQuotient *quotient)
{
    const LpMachine *machine = lp_network_machine(model->map->network);
    return (LpRunJob){.map = model->map,
                      .circuits = model->circuits,
                      .contention = model->contention,
                      .cache = model->cache,
                      .tasks = tasks,
                      .quotient = quotient,
                      .n_iterations = 1,
                      .is_rotor = lp_circuit_switch_is_rotor(&machine->circuits)};
}

const LpQuotient *
lp_run_job_quotient(const LpRunJob *self)
{
    return self->tasks->mode.level == LP_RUN_AS_IS ? self->quotient : NULL;
}

const LpRankEquivalence *
lp_run_job_classes(const LpRunJob *self)
{
    if (lp_run_job_quotient(self) != NULL)
        return lp_quotient_ranks(self->quotient);
    return self->tasks->mode.level >= LP_RUN_UNCONTENDED && self->stragglers == NULL ? self->classes
                                                                                     : NULL;
}

gboolean
lp_run_job_simulates(const LpRunJob *self, guint64 rank)
{
    const LpRankEquivalence *classes = lp_run_job_classes(self);
    if (classes != NULL)
        return classes->of_rank[rank] != LP_RANK_CLASS_NONE &&
               classes->first[classes->of_rank[rank]] == rank;
    return !self->contention->tp_mirrored ||
           lp_communicators_place(self->map->communicators, LP_GROUP_TP, rank) == 0;
}

guint64
lp_run_job_n_actors(const LpRunJob *self)
{
    const LpProgram *program = self->map->program;
    const LpRankEquivalence *classes = lp_run_job_classes(self);
    return classes != NULL ? classes->n_classes * lp_program_n_streams(program)
                           : lp_run_n_actors(program, self->contention);
}
