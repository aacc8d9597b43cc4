/* SPDX-License-Identifier: Apache-2.0 */
/* One collective as an iteration. */
#include "sim/trial.h"

#include "sim/engine.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

/* An iteration of data-parallel groups that do one collective; the tensor-parallel axis, which does
 * nothing, counts them. */
static LpIteration *
new_iteration(const LpTrial *self)
{
    static const LpAxis strided[LP_N_AXES] = {LP_AXIS_TP, LP_AXIS_CP, LP_AXIS_EP, LP_AXIS_DP,
                                              LP_AXIS_PP};
    static const LpAxis packed[LP_N_AXES] = {LP_AXIS_DP, LP_AXIS_CP, LP_AXIS_EP, LP_AXIS_TP,
                                             LP_AXIS_PP};
    LpIteration *iteration = lp_iteration_new_empty();
    LpPlan *plan = &iteration->plan;
    for (guint axis = 0; axis < LP_N_AXES; axis++) {
        plan->degree[axis] = 1;
        plan->order[axis] = self->strided ? strided[axis] : packed[axis];
    }
    plan->degree[LP_AXIS_DP] = self->n_ranks;
    plan->degree[LP_AXIS_TP] = MAX(self->n_groups, 1);
    plan->virtual_stages = plan->micro_batch = 1;
    plan->global_batch = self->n_ranks;
    plan->algorithms[LP_AXIS_DP] = self->algorithms;
    LpOp op = {.kind = LP_OP_COLLECTIVE,
               .term = LP_TERM_DP,
               .collective = self->collective,
               .group = LP_GROUP_DP,
               .traffic = LP_TRAFFIC_DP,
               .bytes = self->bytes};
    LpSegment segment = {.role = LP_ROLE_FINISH, .n_ops = 1};
    LpStep step = {.kind = LP_STEP_SEGMENT};
    LpProgram program = {.n_steps = 1};
    g_array_append_val(iteration->ops, op);
    g_array_append_val(iteration->segments, segment);
    g_array_append_val(iteration->steps, step);
    g_array_append_val(iteration->programs, program);
    return iteration;
}

static void
describe_choice(const LpEdges *edges, LpTrialResult *result)
{
    LpChoice choice = lp_edges_choice(edges, lp_iteration_op(edges->iteration, 0), 0);
    g_autofree char *text = lp_choice_describe(&choice);
    g_strlcpy(result->algorithm, text, sizeof result->algorithm);
    g_strlcpy(result->protocol, choice.protocol->name, sizeof result->protocol);
}

static double
find_lonely_s(const LpEdges *edges, LpFidelity fidelity)
{
    LpLonelyRing ring;
    lp_lonely_ring_init(&ring, edges, LP_GROUP_DP, 0);
    double time_s = lp_lonely_ring_time_s(&ring, lp_iteration_op(edges->iteration, 0), fidelity);
    lp_lonely_ring_clear(&ring);
    return time_s;
}

gboolean
lp_trial_run(const LpTrial *self, const LpMachine *machine, LpTrialResult *out_result,
             GError **error)
{
    guint64 n_ranks = (guint64)self->n_ranks * MAX(self->n_groups, 1);
    g_autoptr(GArray) options = lp_engine_options(n_ranks);
    if (!lp_simulation_start_engine(machine, options, error))
        return FALSE;
    g_autoptr(LpNetwork) network = lp_network_new(machine);
    g_autoptr(LpIteration) iteration = new_iteration(self);
    g_autoptr(LpEdges) edges =
        lp_edges_new(iteration, network, &self->library, self->accelerators, error);
    if (edges == NULL)
        return FALSE;
    *out_result = (LpTrialResult){.lonely_s = 0.0};
    describe_choice(edges, out_result);
    out_result->lonely_s = find_lonely_s(edges, self->fidelity);
    g_autoptr(LpProof) nothing = lp_proof_new_nothing(edges);
    g_autoptr(LpTasks) tasks =
        lp_tasks_new(edges, nothing, (LpRunMode){.fidelity = self->fidelity});
    out_result->run = lp_world_run(edges, nothing, tasks, (LpRunOptions){.timeline = NULL});
    return TRUE;
}

/* What a child reports: smaller than a pipe's buffer, so that it is written whole. */
typedef struct {
    gboolean good;
    LpTrialResult result;
    char message[256];
} Outcome;

static void
run_in_child(const LpTrial *self, const LpMachine *machine, int pipe)
{
    Outcome outcome = {.good = FALSE};
    g_autoptr(GError) error = NULL;
    outcome.good = lp_trial_run(self, machine, &outcome.result, &error);
    if (error != NULL)
        g_strlcpy(outcome.message, error->message, sizeof outcome.message);
    _exit(write(pipe, &outcome, sizeof outcome) == (ssize_t)sizeof outcome ? 0 : 1);
}

gboolean
lp_trial_run_apart(const LpTrial *self, const LpMachine *machine, LpTrialResult *out_result,
                   GError **error)
{
    int ends[2], status = 0;
    Outcome outcome = {.message = "got no result, wanted one; is memory short?"};
    if (pipe(ends) != 0) {
        g_set_error(error, LP_SIMULATION_ERROR, LP_SIMULATION_ERROR_RUN, "cannot make a pipe: %s",
                    g_strerror(errno));
        return FALSE;
    }
    pid_t child = fork();
    if (child == 0)
        run_in_child(self, machine, ends[1]);
    close(ends[1]);
    gboolean whole =
        child > 0 && read(ends[0], &outcome, sizeof outcome) == (ssize_t)sizeof outcome;
    close(ends[0]);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    if (whole && outcome.good) {
        *out_result = outcome.result;
        return TRUE;
    }
    g_set_error_literal(error, LP_SIMULATION_ERROR, LP_SIMULATION_ERROR_RUN, outcome.message);
    return FALSE;
}

double
lp_trial_bus_factor(LpCollective collective, guint64 n_ranks)
{
    double n = (double)n_ranks;
    switch (collective) {
    case LP_COLLECTIVE_ALL_REDUCE:
        return 2.0 * (n - 1.0) / n;
    case LP_COLLECTIVE_REDUCE_SCATTER:
    case LP_COLLECTIVE_ALL_GATHER:
    case LP_COLLECTIVE_ALL_TO_ALL:
        return (n - 1.0) / n;
    default:
        return 1.0;
    }
}
