/* SPDX-License-Identifier: Apache-2.0 */
/* One job with nothing beside it. */
#include "sim/run/run.h"

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
