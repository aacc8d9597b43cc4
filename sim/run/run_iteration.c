/* SPDX-License-Identifier: Apache-2.0 */
/* One job with nothing beside it, and how many actors a job has. */
#include "sim/run/run.h"

static guint64
n_simulated(const LpProgram *program, const LpContention *contention)
{
    return program->n_ranks / lp_contention_n_images(contention, program->communicators);
}

guint64
lp_run_n_actors(const LpProgram *program, const LpContention *contention)
{
    return n_simulated(program, contention) * lp_program_n_streams(program);
}

LpRunResult
lp_run_iteration(const LpCommunicationMap *map, const LpCircuitPlan *circuits,
                 const LpContention *contention, LpIsolatedCache *cache, const LpTasks *tasks,
                 const LpQuotient *quotient, LpRunOptions options)
{
    LpRunJob job = {.map = map,
                    .circuits = circuits,
                    .contention = contention,
                    .cache = cache,
                    .tasks = tasks,
                    .quotient = quotient,
                    .n_iterations = 1,
                    .turns =
                        lp_circuit_switch_is_rotor(&lp_network_machine(map->network)->circuits),
                    .timeline = options.timeline,
                    .calls = options.calls};
    LpSurroundings none = {
        .log = options.log, .progress = options.progress, .progress_data = options.progress_data};
    LpRunResult result;
    lp_run_jobs(&job, 1, &none, &result);
    return result;
}
