/* SPDX-License-Identifier: Apache-2.0 */
/* One collective as an iteration. */
#include "sim/run/collective_run.h"

#include "base/c_locale.h"
#include "base/child_pool.h"
#include "sim/collectives/ring.h"
#include "sim/actors/collective_bytes.h"
#include "sim/engine/engine.h"
#include "sim/mapping/collective_peers.h"
#include "sim/mapping/round_plan.h"
#include "sim/circuits/circuit_map.h"
#include "sim/run/job_quotient.h"
#include "sim/run/run.h"
#include "sim/run/run_end.h"
#include "sim/run/run_routes.h"

#include <string.h>

/* What a library that has no rule for a collective does, where that is not a ring of neighbours. */
static LpAlgorithms
plain_algorithms(const LpCollectiveRequest *self)
{
    static const LpAlgorithm plain[LP_N_COLLECTIVES] = {
        [LP_COLLECTIVE_BROADCAST] = LP_ALGORITHM_RING,
        [LP_COLLECTIVE_REDUCE] = LP_ALGORITHM_RING,
        [LP_COLLECTIVE_SEND] = LP_ALGORITHM_DIRECT,
        [LP_COLLECTIVE_BARRIER] = LP_ALGORITHM_DOUBLING};
    gboolean is_said = self->algorithms.n_levels > 0 || self->collective < LP_COLLECTIVE_BROADCAST;
    for (guint32 i = 0; i < self->library.n_rules; i++)
        is_said = is_said || self->library.rules[i].collective == self->collective;
    return is_said ? self->algorithms
                   : (LpAlgorithms){.n_levels = 1, .level = {plain[self->collective]}};
}

/* Machines choose planes and paths by the class of traffic: all-to-alls take those of context
 * parallelism, everything else those of gradients. */
static LpProgram *
new_program(const LpCollectiveRequest *self)
{
    gboolean exchanges = self->collective == LP_COLLECTIVE_ALL_TO_ALL;
    LpCommunicator like = {.group = exchanges ? LP_GROUP_CP : LP_GROUP_DP,
                           .stream = LP_N_STREAMS,
                           .is_exclusive = TRUE,
                           .exchanges = exchanges,
                           .algorithms = plain_algorithms(self),
                           .setting = "algorithm"};
    return lp_program_new_collective(
        self->collective, self->bytes, like.group,
        lp_communicators_new_equal(&like, MAX(self->n_groups, 1), self->n_ranks, self->strided));
}

static const LpCommunicator *
first_of(const LpCommunicationMap *map)
{
    return lp_communicators_get(map->communicators, lp_program_op(map->program, 0)->group, 0);
}

static LpAlgorithmSelection
selection_of(const LpCommunicationMap *map)
{
    return lp_rank_layout_selection(map->layout, lp_program_op(map->program, 0), first_of(map));
}

static void
describe_selection(const LpCommunicationMap *map, LpCollectiveResult *result)
{
    LpAlgorithmSelection selection = selection_of(map);
    g_autofree char *text = lp_algorithm_selection_describe(&selection);
    g_strlcpy(result->algorithm, text, sizeof result->algorithm);
    LpMeasuredSource source = {0};
    if (lp_rank_layout_measured_s(map->layout, lp_program_op(map->program, 0), first_of(map),
                                  &source) > 0.0) {
        g_autofree char *measured = g_strdup_printf(
            "%s, measured%s%s%s", text, source.algorithm != NULL ? ", scaled as " : "",
            source.algorithm != NULL ? source.algorithm : "",
            source.is_beyond ? ", beyond its sizes" : "");
        g_strlcpy(result->algorithm, measured, sizeof result->algorithm);
    }
    g_strlcpy(result->protocol, selection.protocol->name, sizeof result->protocol);
}

static double
find_isolated_s(const LpCommunicationMap *map, LpIsolatedCache *cache, LpFidelity fidelity,
                const LpCommunicator *communicator)
{
    LpIsolatedRing ring;
    lp_isolated_ring_init(&ring, map, cache, communicator);
    double time_s = lp_isolated_ring_time_s(&ring, lp_program_op(map->program, 0), fidelity);
    lp_isolated_ring_clear(&ring);
    return time_s;
}

/* Circuits change, so that where they are switched nothing is told beforehand. Without bytes nobody
 * is in anybody's way. */
static gboolean
is_private(const LpCollectiveRequest *self, const LpCommunicationMap *map)
{
    if (lp_network_machine(map->network)->circuits.is_present)
        return FALSE;
    if (self->bytes == 0)
        return TRUE;
    g_autoptr(LpContention) contention = lp_contention_new(map, self->fidelity, NULL);
    return contention->all_private[lp_program_op(map->program, 0)->group];
}

static guint64
total_bytes(const LpCommunicationMap *map, LpIsolatedCache *cache, LpFidelity fidelity,
            const LpCommunicator *communicator)
{
    const LpOp *op = lp_program_op(map->program, 0);
    gboolean is_scheduled = lp_rank_layout_selection(map->layout, op, communicator).is_scheduled;
    LpIsolatedRing ring;
    LpRoundPlan round_plan;
    lp_isolated_ring_init(&ring, map, cache, communicator);
    if (is_scheduled)
        lp_round_plan_init(&round_plan, map, op, communicator, fidelity);
    guint64 bytes = lp_collective_total_bytes(&ring, is_scheduled ? &round_plan : NULL, op);
    if (is_scheduled)
        lp_round_plan_clear(&round_plan);
    lp_isolated_ring_clear(&ring);
    return bytes;
}

/* Of all groups, of which the first takes @first_s: until the last has ended. */
static LpRunResult
find_private(const LpCommunicationMap *map, LpIsolatedCache *cache, LpFidelity fidelity,
             double first_s)
{
    const LpOp *op = lp_program_op(map->program, 0);
    LpRunResult result = {.iteration_time_s = first_s};
    for (guint k = 0; k < lp_communicators_n(map->communicators, op->group); k++) {
        const LpCommunicator *communicator = lp_communicators_get(map->communicators, op->group, k);
        result.traffic_bytes[op->traffic] += total_bytes(map, cache, fidelity, communicator);
        if (k > 0)
            result.iteration_time_s =
                MAX(result.iteration_time_s, find_isolated_s(map, cache, fidelity, communicator));
    }
    return result;
}

static guint64
n_ranks_of(const LpCollectiveRequest *self)
{
    return (guint64)self->n_ranks * MAX(self->n_groups, 1);
}

static LpPlacement *
new_placement(const LpCollectiveRequest *self)
{
    guint64 n = n_ranks_of(self);
    return lp_placement_new_given(n, g_memdup2(self->accelerators, n * sizeof(guint32)));
}

/* More would run for hours. */
#define MESSAGES_MAX 100000000u

static gboolean
check_steps(const LpCollectiveRequest *self, const LpCommunicationMap *map, GError **error)
{
    LpAlgorithmSelection selection = selection_of(map);
    if (self->fidelity == LP_FIDELITY_FLOW || !selection.is_scheduled)
        return TRUE;
    LpStepSchedule schedule;
    lp_step_schedule_init(&schedule, &selection.shape);
    guint64 n_steps = lp_step_schedule_n_steps(&schedule);
    if (n_steps <= MESSAGES_MAX / n_ranks_of(self))
        return TRUE;
    g_set_error(error, LP_SIMULATION_ERROR, LP_SIMULATION_ERROR_RUN,
                "got %" G_GUINT64_FORMAT " steps of %" G_GUINT64_FORMAT
                " ranks, wanted at most %u messages; fidelity flow has no limit",
                n_steps, n_ranks_of(self), MESSAGES_MAX);
    return FALSE;
}

/* Of the run with all flows, where it pays; else NULL. */
static LpQuotient *
find_quotient(const LpCollectiveRequest *self, const LpCircuitMap *circuits,
              const LpContention *nothing, LpIsolatedCache *cache)
{
    const LpCommunicationMap *map = circuits->map;
    if (!self->collapse || circuits->switched != NULL ||
        lp_circuit_switch_is_rotor(&lp_network_machine(map->network)->circuits))
        return NULL;
    const char *reason;
    LpQuotientJob job = {.map = map, .contention = nothing, .cache = cache};
    LpQuotientInput input = {.jobs = &job, .n_jobs = 1, .fidelity = self->fidelity};
    g_autoptr(LpQuotient) quotient = lp_quotient_new(&input, &reason);
    return quotient != NULL && lp_job_quotient_is_worthwhile(quotient, map, nothing)
               ? g_steal_pointer(&quotient)
               : NULL;
}

/* Hosts of a benchmark issue one collective after another and wait for none: where they take longer
 * than the network, theirs is the time. */
static void
bound_by_hosts(const LpCommunicationMap *map, LpCollectiveResult *result)
{
    double start_s = lp_communication_map_start_s(map, lp_program_op(map->program, 0));
    result->isolated_s = MAX(result->isolated_s, start_s);
    result->run.iteration_time_s = MAX(result->run.iteration_time_s, start_s);
}

gboolean
lp_collective_run(const LpCollectiveRequest *self, const LpMachine *machine,
                  LpCollectiveResult *out_result, GError **error)
{
    g_auto(LpCLocale) locale = lp_c_locale_begin();
    g_autoptr(LpNetwork) network = lp_network_new(machine);
    g_autoptr(LpProgram) program = new_program(self);
    g_autoptr(LpPlacement) placement = new_placement(self);
    g_autoptr(LpCircuitMap) circuits =
        lp_circuit_map_new(program, network, &self->library, placement, NULL, error);
    if (circuits == NULL || !check_steps(self, circuits->map, error))
        return FALSE;
    const LpCommunicationMap *map = circuits->map;
    *out_result = (LpCollectiveResult){.isolated_s = 0.0};
    g_autoptr(LpIsolatedCache) cache = lp_isolated_cache_new();
    describe_selection(map, out_result);
    out_result->isolated_s = find_isolated_s(map, cache, self->fidelity, first_of(map));
    if (self->collapse && is_private(self, map)) {
        out_result->run = find_private(map, cache, self->fidelity, out_result->isolated_s);
        bound_by_hosts(map, out_result);
        return TRUE;
    }
    g_autoptr(LpContention) nothing = lp_contention_new_nothing(map);
    g_autoptr(GArray) options = lp_engine_options(
        lp_run_actors_max(map, lp_communication_map_is_separate(map, self->fidelity)));
    LpRunModel model = {network, map, circuits->switched, nothing, cache, self->fidelity, options};
    g_autoptr(LpTasks) tasks = lp_run_model_tasks(&model, (LpRunMode){.merge = FALSE});
    g_autoptr(LpQuotient) quotient = find_quotient(self, circuits, nothing, cache);
    gboolean is_loaded = quotient != NULL ? lp_quotient_load(quotient, network, options, error)
                                          : lp_run_routes_load(&model, error);
    if (!is_loaded)
        return FALSE;
    out_result->run = lp_run_iteration(lp_run_job(&model, tasks, quotient), (LpRunOptions){0});
    bound_by_hosts(map, out_result);
    return lp_run_has_ended(&out_result->run, error);
}

/* --- in processes of their own --- */

/* Processes that run collective runs at the same time. */
#define AT_ONCE 2

typedef struct {
    const LpCollectiveRequest *request; /* borrowed */
    const LpMachine *machine;           /* borrowed */
} Work;

static gboolean
run_in_child(const void *data, GByteArray *result, GError **error)
{
    const Work *work = data;
    return lp_collective_run(work->request, work->machine, (gpointer)result->data, error);
}

gboolean
lp_collective_run_in_child(const LpCollectiveRequest *self, const LpMachine *machine,
                           LpCollectiveResult *out_result, GError **error)
{
    const Work work = {self, machine};
    LpChildProcess *child =
        lp_child_process_start("process of a run", run_in_child, &work, sizeof *out_result, error);
    return child != NULL &&
           lp_child_process_finish(child, out_result, sizeof *out_result, NULL, error);
}

gboolean
lp_collective_run_all(const LpCollectiveRequest *requests, guint n, const LpMachine *machine,
                      void (*progress)(double n_done, guint64 n_all, void *data),
                      void *progress_data, LpCollectiveOutcome *out_outcomes, GError **error)
{
    g_autofree Work *work = g_new(Work, n);
    g_autofree LpChildTask *tasks = g_new(LpChildTask, n);
    for (guint i = 0; i < n; i++) {
        work[i] = (Work){&requests[i], machine};
        tasks[i] = (LpChildTask){.work = run_in_child,
                                 .data = &work[i],
                                 .out_result = &out_outcomes[i].result,
                                 .size_bytes = sizeof(LpCollectiveResult),
                                 .out_error = &out_outcomes[i].error};
    }
    LpChildPool pool = {.name = "process of a run",
                        .n_at_once = AT_ONCE,
                        .progress = progress,
                        .progress_data = progress_data};
    return lp_child_pool_run(&pool, tasks, n, NULL, error);
}

void
lp_collective_outcomes_free(LpCollectiveOutcome *self, guint n)
{
    for (guint i = 0; i < n; i++)
        g_clear_error(&self[i].error);
    g_free(self);
}

/* --- flows --- */

static void
name_port(const LpCommunicationMap *map, const LpPort *port, char *out_name, gsize size)
{
    g_autofree char *name = lp_network_port_name(map->network, port);
    g_strlcpy(out_name, name, size);
}

static void
add_flow(GArray *flows, const LpCommunicationMap *map, guint64 rank, const LpConnection *connection,
         guint64 bytes)
{
    LpCollectiveFlow flow = {.from = lp_rank_layout_accelerator(map->layout, rank),
                             .to = lp_rank_layout_accelerator(map->layout, connection->to),
                             .bytes = bytes,
                             .n_links = connection->route.n_links,
                             .latency_s = connection->route.latency_s,
                             .bytes_per_s = connection->route.bytes_per_s};
    name_port(map, connection->route.from, flow.from_port, sizeof flow.from_port);
    name_port(map, connection->route.to, flow.to_port, sizeof flow.to_port);
    if (connection->route.legs != NULL)
        name_port(map, connection->route.legs[0].to, flow.relay, sizeof flow.relay);
    g_array_append_val(flows, flow);
}

/* The sums of all phases, by partner. */
static void
add_scheduled(GArray *flows, const LpCommunicationMap *map, const LpCollectiveShape *shape,
              guint64 rank, guint64 member)
{
    LpGroup group = lp_program_op(map->program, 0)->group;
    const GArray *peers = lp_collective_peers_get(map->peers, group, rank);
    LpStepSchedule schedule;
    lp_step_schedule_init(&schedule, shape);
    g_autofree LpSend *sends = g_new(LpSend, lp_step_schedule_sends_max(&schedule));
    for (guint k = 0; peers != NULL && k < peers->len; k++) {
        const LpCollectivePeer *peer = &g_array_index(peers, LpCollectivePeer, k);
        guint64 bytes = 0;
        for (guint64 phase = 0; phase < lp_step_schedule_n_phases(&schedule); phase++) {
            guint64 n = lp_step_schedule_phase_sends(&schedule, member, phase, sends);
            for (guint64 i = 0; i < n; i++)
                bytes += lp_algorithm_selection_receiver(shape, member, sends[i].to) == peer->member
                             ? sends[i].bytes
                             : 0;
        }
        add_flow(flows, map, rank, &peer->connection, bytes);
    }
}

/* Rings of neighbours; an all-to-all's parts within and out of domains. */
static void
add_plain(GArray *flows, const LpCommunicationMap *map, const LpOp *op, guint64 member)
{
    const LpCommunicator *communicator = first_of(map);
    guint64 rank = communicator->ranks[member];
    const LpConnection *intra =
        lp_communication_map_connection(map, (LpConnectionKind)op->group, rank);
    guint64 n = communicator->n_members;
    if (op->collective != LP_COLLECTIVE_ALL_TO_ALL) {
        if (intra->present)
            add_flow(flows, map, rank, intra,
                     lp_ring_member_bytes(op->collective, n, op->bytes, member));
        return;
    }
    LpIsolatedRing ring;
    lp_isolated_ring_init(&ring, map, NULL, communicator);
    const LpConnection *inter =
        lp_communication_map_connection(map, lp_connection_inter_domain(op->group), rank);
    if (intra->present)
        add_flow(flows, map, rank, intra, lp_isolated_intra_bytes(&ring, op, member));
    if (inter->present)
        add_flow(flows, map, rank, inter, lp_isolated_inter_bytes(&ring, op, member));
    lp_isolated_ring_clear(&ring);
}

GArray *
lp_collective_run_flows(const LpCollectiveRequest *self, const LpMachine *machine, GError **error)
{
    g_autoptr(LpNetwork) network = lp_network_new(machine);
    g_autoptr(LpProgram) program = new_program(self);
    g_autoptr(LpPlacement) placement = new_placement(self);
    g_autoptr(LpCircuitMap) circuits =
        lp_circuit_map_new(program, network, &self->library, placement, NULL, error);
    if (circuits == NULL)
        return NULL;
    const LpCommunicationMap *map = circuits->map;
    const LpOp *op = lp_program_op(program, 0);
    const LpCommunicator *first = first_of(map);
    LpAlgorithmSelection selection = selection_of(map);
    GArray *flows = g_array_new(FALSE, FALSE, sizeof(LpCollectiveFlow));
    for (guint64 member = 0; member < self->n_ranks; member++) {
        guint64 rank = first->ranks[member];
        if (selection.is_scheduled)
            add_scheduled(flows, map, &selection.shape, rank, member);
        else
            add_plain(flows, map, op, member);
    }
    return flows;
}

double
lp_collective_bus_factor(LpCollective collective, guint64 n_ranks)
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
