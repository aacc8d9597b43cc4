/* SPDX-License-Identifier: Apache-2.0 */
/* Which ranks of a job are simulated, and with how many actors. */
#include "sim/run/run_job.h"

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

LpRunJob
lp_run_job(const LpCommunicationMap *map, const LpCircuitPlan *circuits,
           const LpContention *contention, LpIsolatedCache *cache, const LpTasks *tasks,
           const LpQuotient *quotient)
{
    return (LpRunJob){.map = map,
                      .circuits = circuits,
                      .contention = contention,
                      .cache = cache,
                      .tasks = tasks,
                      .quotient = quotient,
                      .n_iterations = 1,
                      .is_rotor =
                          lp_circuit_switch_is_rotor(&lp_network_machine(map->network)->circuits)};
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
