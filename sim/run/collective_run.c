/* SPDX-License-Identifier: Apache-2.0 */
/* One collective as an iteration. */
#include "sim/run/collective_run.h"

#include "sim/run/child.h"
#include "sim/collectives/ring.h"
#include "sim/engine/engine.h"
#include "sim/mapping/collective_peers.h"

#include <string.h>

/* The groups that run it: all-to-alls along the rails need a group that does no rings. */
static LpGroup
trial_group(const LpTrial *self)
{
    return self->collective == LP_COLLECTIVE_ALL_TO_ALL ? LP_GROUP_CP : LP_GROUP_DP;
}

/* What a library that has no rule for a collective does, where that is not a ring of neighbours. */
static LpAlgorithms
plain_algorithms(const LpTrial *self)
{
    static const LpAlgorithm plain[LP_N_COLLECTIVES] = {
        [LP_COLLECTIVE_BROADCAST] = LP_ALGORITHM_RING,
        [LP_COLLECTIVE_REDUCE] = LP_ALGORITHM_RING,
        [LP_COLLECTIVE_SEND] = LP_ALGORITHM_DIRECT,
        [LP_COLLECTIVE_BARRIER] = LP_ALGORITHM_DOUBLING};
    gboolean is_said = self->algorithms.n_levels > 0 || self->collective < LP_COLLECTIVE_BROADCAST;
    for (guint32 i = 0; i < self->library.n_rules; i++)
        is_said = is_said || self->library.rules[i].collective == self->collective;
    return is_said ? self->algorithms : (LpAlgorithms){1, {plain[self->collective]}};
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
    for (guint i = 0; i < LP_N_AXES; i++) {
        plan->degree[i] = 1;
        plan->order[i] = self->strided ? strided[i] : packed[i];
    }
    LpAxis axis = lp_choice_axis(trial_group(self));
    plan->degree[axis] = self->n_ranks;
    plan->degree[LP_AXIS_TP] = MAX(self->n_groups, 1);
    plan->virtual_stages = plan->micro_batch = 1;
    plan->global_batch = self->n_ranks;
    plan->algorithms[axis] = plain_algorithms(self);
    plan->context_kind = LP_CONTEXT_ULYSSES;
    LpOp op = {.kind = LP_OP_COLLECTIVE,
               .term = LP_TERM_DP,
               .collective = self->collective,
               .group = trial_group(self),
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
    const LpOp *op = lp_iteration_op(edges->iteration, 0);
    lp_lonely_ring_init(&ring, edges, op->group, 0);
    double time_s = lp_lonely_ring_time_s(&ring, op, fidelity);
    lp_lonely_ring_clear(&ring);
    return time_s;
}

static guint64
n_ranks_of(const LpTrial *self)
{
    return (guint64)self->n_ranks * MAX(self->n_groups, 1);
}

/* The edges of a trial. The axis that an algorithm was put on is ours, not the user's. */
static LpEdges *
new_edges(const LpTrial *self, const LpIteration *iteration, const LpNetwork *network,
          GError **error)
{
    GError *fault = NULL;
    LpEdges *edges = lp_edges_new(iteration, network, &self->library, self->accelerators, &fault);
    if (edges != NULL)
        return edges;
    const char *what = strchr(fault->message, ':');
    g_set_error(error, fault->domain, fault->code, "algorithm%s",
                what != NULL ? what : fault->message);
    g_error_free(fault);
    return NULL;
}

/* More would run for hours. */
#define MESSAGES_MAX 100000000u

static gboolean
check_steps(const LpTrial *self, const LpEdges *edges, GError **error)
{
    LpChoice choice = lp_edges_choice(edges, lp_iteration_op(edges->iteration, 0), 0);
    if (self->fidelity == LP_FIDELITY_FLOW || !choice.is_scheduled)
        return TRUE;
    LpSchedule schedule;
    lp_schedule_init(&schedule, &choice.shape);
    guint64 n_steps = lp_schedule_n_steps(&schedule);
    if (n_steps <= MESSAGES_MAX / n_ranks_of(self))
        return TRUE;
    g_set_error(error, LP_SIMULATION_ERROR, LP_SIMULATION_ERROR_RUN,
                "got %" G_GUINT64_FORMAT " steps of %" G_GUINT64_FORMAT
                " ranks, wanted at most %u messages; fidelity flow has no limit",
                n_steps, n_ranks_of(self), MESSAGES_MAX);
    return FALSE;
}

/* With the engine running. */
static gboolean
run(const LpTrial *self, const LpMachine *machine, LpTrialResult *out_result, GError **error)
{
    g_autoptr(LpNetwork) network = lp_network_new(machine);
    g_autoptr(LpIteration) iteration = new_iteration(self);
    g_autoptr(LpEdges) edges = new_edges(self, iteration, network, error);
    if (edges == NULL || !check_steps(self, edges, error))
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

static gboolean
start(guint64 n_ranks, const LpMachine *machine, GError **error)
{
    g_autoptr(GArray) options = lp_engine_options(n_ranks);
    return lp_simulation_start_engine(machine, options, error);
}

gboolean
lp_trial_run(const LpTrial *self, const LpMachine *machine, LpTrialResult *out_result,
             GError **error)
{
    return start(n_ranks_of(self), machine, error) && run(self, machine, out_result, error);
}

/* --- in processes of their own --- */

/* Processes that run trials at the same time. */
#define AT_ONCE 2

/* Every AT_ONCE-th trial, from the first on. */
typedef struct {
    const LpTrial *trials; /* borrowed */
    guint n;
    const LpMachine *machine; /* borrowed */
} Series;

static guint
series_length(const Series *self)
{
    return (self->n + AT_ONCE - 1) / AT_ONCE;
}

static void
complain(LpTrialOutcome *outcome, GError **error)
{
    g_strlcpy(outcome->message, (*error)->message, sizeof outcome->message);
    g_clear_error(error);
}

static void
run_started(const void *data, void *out)
{
    const Series *series = data;
    LpTrialOutcome *outcome = out;
    GError *error = NULL;
    if (!run(series->trials, series->machine, &outcome->result, &error))
        complain(outcome, &error);
}

static void
run_one(const void *data, void *out)
{
    const Series *series = data;
    LpTrialOutcome *outcome = out;
    GError *error = NULL;
    if (!lp_trial_run(series->trials, series->machine, &outcome->result, &error))
        complain(outcome, &error);
}

/* @work on @series in a child. */
static gboolean
run_apart(const Series *series, void (*work)(const void *data, void *out), LpTrialOutcome *out,
          GError **error)
{
    LpChild child;
    guint64 rss_bytes = 0;
    gsize size = sizeof(LpTrialOutcome) * series_length(series);
    return lp_child_start(&child, work, series, size, error) &&
           lp_child_finish(&child, out, size, &rss_bytes, error);
}

/* A loaded platform survives a fork: each trial is one of this process. */
static void
run_series(const void *data, void *out)
{
    const Series *series = data;
    LpTrialOutcome *outcomes = out;
    guint64 n_ranks = 0;
    GError *error = NULL;
    for (guint i = 0; i < series->n; i += AT_ONCE)
        n_ranks = MAX(n_ranks, n_ranks_of(&series->trials[i]));
    if (!start(n_ranks, series->machine, &error)) {
        for (guint i = 0; i < series_length(series); i++)
            g_strlcpy(outcomes[i].message, error->message, sizeof outcomes[i].message);
        g_error_free(error);
        return;
    }
    for (guint i = 0; i < series->n; i += AT_ONCE) {
        const Series single = {&series->trials[i], 1, series->machine};
        if (!run_apart(&single, run_started, &outcomes[i / AT_ONCE], &error))
            complain(&outcomes[i / AT_ONCE], &error);
    }
}

gboolean
lp_trial_run_apart(const LpTrial *self, const LpMachine *machine, LpTrialResult *out_result,
                   GError **error)
{
    LpTrialOutcome outcome = {.message = ""};
    const Series single = {self, 1, machine};
    if (!run_apart(&single, run_one, &outcome, error))
        return FALSE;
    if (outcome.message[0] != '\0') {
        g_set_error_literal(error, LP_SIMULATION_ERROR, LP_SIMULATION_ERROR_RUN, outcome.message);
        return FALSE;
    }
    *out_result = outcome.result;
    return TRUE;
}

gboolean
lp_trial_run_all(const LpTrial *trials, guint n, const LpMachine *machine,
                 LpTrialOutcome *out_outcomes, GError **error)
{
    LpChild children[AT_ONCE];
    guint n_parts = 0;
    gboolean good = TRUE;
    while (good && n_parts < MIN(n, AT_ONCE)) {
        const Series series = {trials + n_parts, n - n_parts, machine};
        good = lp_child_start(&children[n_parts], run_series, &series,
                              sizeof(LpTrialOutcome) * series_length(&series), error);
        n_parts += good ? 1 : 0;
    }
    for (guint k = 0; k < n_parts; k++) {
        const Series series = {trials + k, n - k, machine};
        guint64 rss_bytes = 0;
        g_autofree LpTrialOutcome *part = g_new0(LpTrialOutcome, series_length(&series));
        good = lp_child_finish(&children[k], part, sizeof(LpTrialOutcome) * series_length(&series),
                               &rss_bytes, good ? error : NULL) &&
               good;
        for (guint i = k; i < n; i += AT_ONCE)
            out_outcomes[i] = part[i / AT_ONCE];
    }
    return good;
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
    g_autoptr(GArray) options = lp_engine_options(n_ranks_of(self));
    if (!lp_simulation_start_engine(machine, options, error))
        return NULL;
    g_autoptr(LpNetwork) network = lp_network_new(machine);
    g_autoptr(LpIteration) iteration = new_iteration(self);
    g_autoptr(LpEdges) edges = new_edges(self, iteration, network, error);
    if (edges == NULL)
        return NULL;
    const LpOp *op = lp_iteration_op(iteration, 0);
    LpChoice choice = lp_edges_choice(edges, op, 0);
    GArray *flows = g_array_new(FALSE, FALSE, sizeof(LpTrialFlow));
    for (guint64 member = 0; member < self->n_ranks; member++) {
        guint64 rank = lp_iteration_group_member(iteration, op->group, 0, member);
        if (choice.is_scheduled)
            add_scheduled(flows, edges, &choice.shape, rank, member);
        else
            add_plain(flows, edges, op, rank, member);
    }
    return flows;
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
