/* SPDX-License-Identifier: Apache-2.0 */
/* Rings as benchmarks. */
#include "sim/bench.h"

#include "sim/actor_bare.h"
#include "sim/engine.h"

/* An iteration that is one collective over data-parallel ranks and nothing else. */
static LpIteration *
ring_iteration(guint64 n_ranks, guint64 bytes)
{
    LpIteration *iteration = lp_iteration_new_empty();
    static const LpAxis order[LP_N_AXES] = {LP_AXIS_TP, LP_AXIS_CP, LP_AXIS_EP, LP_AXIS_DP,
                                            LP_AXIS_PP};
    for (guint axis = 0; axis < LP_N_AXES; axis++) {
        iteration->plan.degree[axis] = 1;
        iteration->plan.order[axis] = order[axis];
    }
    iteration->plan.degree[LP_AXIS_DP] = (guint32)n_ranks;
    iteration->plan.virtual_stages = iteration->plan.micro_batch = 1;
    iteration->plan.global_batch = (guint32)n_ranks;
    LpOp op = {.kind = LP_OP_COLLECTIVE,
               .term = LP_TERM_DP,
               .collective = LP_COLLECTIVE_ALL_REDUCE,
               .group = LP_GROUP_DP,
               .traffic = LP_TRAFFIC_DP,
               .bytes = bytes};
    LpSegment segment = {.role = LP_ROLE_FINISH, .n_ops = 1};
    LpStep step = {.kind = LP_STEP_SEGMENT};
    LpProgram program = {.n_steps = 1};
    g_array_append_val(iteration->ops, op);
    g_array_append_val(iteration->segments, segment);
    g_array_append_val(iteration->steps, step);
    g_array_append_val(iteration->programs, program);
    return iteration;
}

static LpNetwork *
start(const LpMachine *machine, GError **error)
{
    g_autoptr(GArray) options = lp_engine_options(machine->n_accelerators);
    return lp_simulation_start_engine(machine, options, error) ? lp_network_new(machine) : NULL;
}

gboolean
lp_bench_ring(const LpMachine *machine, guint64 bytes, LpFidelity fidelity, LpRunResult *out_result,
              GError **error)
{
    g_autoptr(LpNetwork) network = start(machine, error);
    if (network == NULL)
        return FALSE;
    g_autoptr(LpIteration) iteration = ring_iteration(machine->n_accelerators, bytes);
    g_autoptr(LpEdges) edges = lp_edges_new(iteration, network, NULL);
    g_autoptr(LpProof) nothing = lp_proof_new_nothing(edges);
    g_autoptr(LpTasks) tasks = lp_tasks_new(edges, nothing, (LpRunMode){.fidelity = fidelity});
    *out_result = lp_world_run(edges, nothing, tasks, (LpRunOptions){NULL, NULL, NULL});
    return TRUE;
}

gboolean
lp_bench_bare_ring(const LpMachine *machine, guint64 bytes, LpRunResult *out_result, GError **error)
{
    g_autoptr(LpNetwork) network = start(machine, error);
    if (network == NULL)
        return FALSE;
    *out_result = lp_actor_bare_ring(network, bytes);
    return TRUE;
}
