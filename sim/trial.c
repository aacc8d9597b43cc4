/* SPDX-License-Identifier: Apache-2.0 */
/* One collective as an iteration. */
#include "sim/trial.h"

#include "sim/collective/ring.h"
#include "sim/engine.h"
#include "sim/peer.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* All-to-alls are what groups of Ulysses' context parallelism do, all else what data-parallel ones
 * may. */
static LpGroup
group_of(const LpTrial *self)
{
    return self->collective == LP_COLLECTIVE_ALL_TO_ALL ? LP_GROUP_CP : LP_GROUP_DP;
}

/* An iteration of groups that do one collective; the tensor-parallel axis, which does nothing,
 * counts them. */
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
    LpAxis axis_of_group = lp_choice_axis(group_of(self));
    plan->degree[axis_of_group] = self->n_ranks;
    plan->context_kind = LP_CONTEXT_ULYSSES;
    plan->degree[LP_AXIS_TP] = MAX(self->n_groups, 1);
    plan->virtual_stages = plan->micro_batch = 1;
    plan->global_batch = self->n_ranks;
    plan->algorithms[axis_of_group] = self->algorithms;
    LpOp op = {.kind = LP_OP_COLLECTIVE,
               .term = LP_TERM_DP,
               .collective = self->collective,
               .group = group_of(self),
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
    lp_lonely_ring_init(&ring, edges, lp_iteration_op(edges->iteration, 0)->group, 0);
    double time_s = lp_lonely_ring_time_s(&ring, lp_iteration_op(edges->iteration, 0), fidelity);
    lp_lonely_ring_clear(&ring);
    return time_s;
}

/* A trial on the loaded machine. */
typedef struct {
    LpIteration *iteration; /* owned */
    LpNetwork *network;     /* owned */
    LpEdges *edges;         /* owned */
} Stage;

static void
stage_clear(Stage *self)
{
    lp_edges_free(self->edges);
    lp_network_free(self->network);
    lp_iteration_free(self->iteration);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Stage, stage_clear)

static gboolean
stage_init(Stage *self, const LpTrial *trial, const LpMachine *machine, GError **error)
{
    guint64 n_ranks = (guint64)trial->n_ranks * MAX(trial->n_groups, 1);
    g_autoptr(GArray) options = lp_engine_options(n_ranks);
    if (!lp_simulation_start_engine(machine, options, error))
        return FALSE;
    self->network = lp_network_new(machine);
    self->iteration = new_iteration(trial);
    GError *fault = NULL;
    self->edges =
        lp_edges_new(self->iteration, self->network, &trial->library, trial->accelerators, &fault);
    if (fault == NULL)
        return TRUE;
    /* The axis is ours, not the user's. */
    const char *what = strchr(fault->message, ':');
    g_set_error(error, fault->domain, fault->code, "algorithm%s",
                what != NULL ? what : fault->message);
    g_error_free(fault);
    return FALSE;
}

gboolean
lp_trial_run(const LpTrial *self, const LpMachine *machine, LpTrialResult *out_result,
             GError **error)
{
    g_auto(Stage) stage = {NULL, NULL, NULL};
    if (!stage_init(&stage, self, machine, error))
        return FALSE;
    *out_result = (LpTrialResult){.lonely_s = 0.0};
    describe_choice(stage.edges, out_result);
    out_result->lonely_s = find_lonely_s(stage.edges, self->fidelity);
    g_autoptr(LpProof) nothing = lp_proof_new_nothing(stage.edges);
    g_autoptr(LpTasks) tasks =
        lp_tasks_new(stage.edges, nothing, (LpRunMode){.fidelity = self->fidelity});
    out_result->run = lp_world_run(stage.edges, nothing, tasks, (LpRunOptions){.timeline = NULL});
    return TRUE;
}

/* --- flows --- */

static void
add_flow(GArray *flows, const LpEdges *edges, guint64 rank, const LpEdge *edge, guint64 bytes)
{
    LpTrialFlow flow = {.from = lp_edges_accelerator(edges, rank),
                        .to = lp_edges_accelerator(edges, edge->to),
                        .bytes = bytes,
                        .n_links = edge->route.n_links,
                        .latency_s = edge->route.latency_s,
                        .bytes_per_s = edge->route.bytes_per_s};
    lp_network_host_name(edge->route.from, flow.from_port, sizeof flow.from_port);
    lp_network_host_name(edge->route.to, flow.to_port, sizeof flow.to_port);
    if (edge->route.relay_in != NULL)
        lp_network_host_name(edge->route.relay_in, flow.relay, sizeof flow.relay);
    g_array_append_val(flows, flow);
}

/* The sums of all phases, by partner. */
static void
add_scheduled(GArray *flows, const LpEdges *edges, const LpScheduleShape *shape, guint64 rank,
              guint64 member)
{
    LpGroup group = lp_iteration_op(edges->iteration, 0)->group;
    const GArray *peers = lp_peers_get(edges->peers, group, rank);
    LpSchedule schedule;
    lp_schedule_init(&schedule, shape);
    g_autofree LpSend *sends = g_new(LpSend, lp_schedule_sends_max(&schedule));
    for (guint k = 0; peers != NULL && k < peers->len; k++) {
        const LpPeer *peer = &g_array_index(peers, LpPeer, k);
        guint64 bytes = 0;
        for (guint64 phase = 0; phase < lp_schedule_n_phases(&schedule); phase++) {
            guint64 n = lp_schedule_phase_sends(&schedule, member, phase, sends);
            for (guint64 i = 0; i < n; i++)
                bytes += lp_choice_receiver(shape, member, sends[i].to) == peer->member
                             ? sends[i].bytes
                             : 0;
        }
        add_flow(flows, edges, rank, &peer->edge, bytes);
    }
}

/* Rings of neighbours; an all-to-all's parts within and out of domains. */
static void
add_plain(GArray *flows, const LpEdges *edges, const LpOp *op, guint64 rank, guint64 member)
{
    const LpEdge *near = lp_edges_get(edges, (LpEdgeKind)op->group, rank);
    guint64 n = lp_iteration_group_size(edges->iteration, op->group);
    if (op->collective != LP_COLLECTIVE_ALL_TO_ALL) {
        if (near->present)
            add_flow(flows, edges, rank, near,
                     lp_ring_member_bytes(op->collective, n, op->bytes, member));
        return;
    }
    LpLonelyRing ring;
    lp_lonely_ring_init(&ring, edges, op->group, rank);
    const LpEdge *far = lp_edges_get(edges, lp_edge_far(op->group), rank);
    if (near->present)
        add_flow(flows, edges, rank, near, lp_lonely_near_bytes(&ring, op, member));
    if (far->present)
        add_flow(flows, edges, rank, far, lp_lonely_far_bytes(&ring, op, member));
    lp_lonely_ring_clear(&ring);
}

GArray *
lp_trial_flows(const LpTrial *self, const LpMachine *machine, GError **error)
{
    g_auto(Stage) stage = {NULL, NULL, NULL};
    if (!stage_init(&stage, self, machine, error))
        return NULL;
    const LpOp *op = lp_iteration_op(stage.iteration, 0);
    LpChoice choice = lp_edges_choice(stage.edges, op, 0);
    GArray *flows = g_array_new(FALSE, FALSE, sizeof(LpTrialFlow));
    for (guint64 member = 0; member < self->n_ranks; member++) {
        guint64 rank = lp_iteration_group_member(stage.iteration, op->group, 0, member);
        if (choice.is_scheduled)
            add_scheduled(flows, stage.edges, &choice.shape, rank, member);
        else
            add_plain(flows, stage.edges, op, rank, member);
    }
    return flows;
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
