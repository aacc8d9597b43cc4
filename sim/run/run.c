/* SPDX-License-Identifier: Apache-2.0 */
/* Builds a run from connections, contention analysis and tasks. */
#include "sim/run/run.h"

#include "sim/actors/channel_circuits.h"
#include "sim/actors/collective_flows.h"
#include "sim/engine/engine.h"
#include "sim/run/forecast.h"
#include "sim/run/run_placement.h"
#include "sim/run/run_sharing.h"

#include <simgrid/barrier.h>

#include <math.h>
#include <string.h>

/* Of an iteration: less is rounding. */
#define HIDDEN_MIN 1e-14

typedef struct {
    const LpRunJob *job;              /* borrowed */
    guint32 number;                   /* of it, among those of the run */
    const LpRankEquivalence *classes; /* borrowed, or NULL: every rank stands for itself */
    const LpQuotient *quotient;       /* borrowed, or NULL: classes, if any, hold only where nothing
                                         contends */
    LpRunPlacement placement;
    LpRun state;
    LpRank *ranks;        /* owned; by rank, those without an actor stay empty */
    LpCircuits *circuits; /* owned; NULL: none are switched */
    GPtrArray *groups;    /* owned LpCommunicatorRuntime */
    guint64 weight;       /* replicas that each simulated slice stands for */
    LpRoute mean_route;   /* of messages between stages in balanced runs */
} JobRun;

static gboolean
is_simulated(const JobRun *self, guint64 rank)
{
    return lp_run_job_simulates(self->job, rank);
}

/* The rank that stands for @rank. */
static guint64
representative(const JobRun *self, guint64 rank)
{
    return self->classes == NULL ? rank : self->classes->first[self->classes->of_rank[rank]];
}

/* How what the job sends is sent. */
static LpFlowSender
sender_of(const JobRun *self)
{
    return (LpFlowSender){.sharing = self->state.sharing,
                          .watch = self->state.watch,
                          .log = self->state.log,
                          .log_weight = (double)self->weight,
                          .job = self->number};
}

static LpChannel *
new_channel(JobRun *self, LpConnectionKind kind, guint64 rank, LpOverlapMeter *meter,
            const LpFlowSender *sender)
{
    const LpConnection *connection = lp_communication_map_connection(self->job->map, kind, rank);
    LpGroup group = lp_connection_group(kind);
    LpTraffic traffic = group == LP_N_GROUPS ? LP_TRAFFIC_PP : lp_group_traits(group)->traffic;
    LpChannelKind channel = lp_channel_kind(self->job->tasks->mode, traffic);
    if (channel == LP_CHANNEL_DIRECT && self->quotient == NULL && self->state.sharing == NULL &&
        lp_run_placement_on_connection(&self->placement, kind, rank, connection))
        channel = LP_CHANNEL_MAILBOX;
    const LpRoute *route =
        self->quotient == NULL ? &connection->route : lp_quotient_route(self->quotient, kind, rank);
    g_autofree char *name =
        g_strdup_printf("%u:%d:%" G_GUINT64_FORMAT, self->number, (int)kind, rank);
    LpChannel *made = lp_channel_new(
        channel, name, self->job->tasks->mode.level >= LP_RUN_BALANCED ? &self->mean_route : route,
        meter);
    lp_channel_set_flow_sender(made, sender, rank, connection->to);
    if (self->circuits != NULL)
        lp_channel_join_circuits(made, self->circuits, kind, rank);
    return made;
}

static void
add_communicator(JobRun *self, const LpCommunicator *communicator)
{
    LpFlowSender sender = sender_of(self);
    LpGroup group = communicator->group;
    gboolean alone = group == LP_GROUP_TP && self->job->contention->tp_mirrored;
    LpRuntimeMode mode = {.fidelity = self->job->tasks->mode.fidelity,
                          .as_delay = lp_run_placement_is_delay(&self->placement, communicator),
                          .n_actors = alone ? 1 : communicator->n_members,
                          .weight = alone ? 1 : self->weight,
                          .times = self->state.calls};
    LpCommunicatorRuntime *runtime =
        lp_communicator_runtime_new(self->job->map, self->job->cache, communicator, mode, &sender);
    if (self->circuits != NULL)
        lp_communicator_runtime_set_circuits(runtime, self->circuits);
    lp_communicator_runtime_set_waits(runtime, self->state.waits);
    g_ptr_array_add(self->groups, runtime);
    for (guint32 i = 0; i < communicator->n_members; i++) {
        guint64 rank = communicator->ranks[i];
        if (!is_simulated(self, rank))
            continue;
        self->ranks[rank].groups[group] = runtime;
        self->ranks[rank].index[group] = i;
        LpConnectionKind kind = lp_collective_flows_channel(self->job->map, communicator, rank);
        if (mode.as_delay || !lp_communication_map_connection(self->job->map, kind, rank)->present)
            continue;
        lp_communicator_runtime_set_channel(
            runtime, i,
            new_channel(self, kind, rank, NULL, lp_communicator_runtime_sender(runtime)));
    }
}

/* A communicator for all of class @class with @n_actors ranks; @own: one of them. */
static LpCommunicatorRuntime *
new_class_communicator(const JobRun *self, const LpCommunicator *own, guint32 class,
                       guint64 n_actors)
{
    LpFlowSender sender = sender_of(self);
    LpRuntimeMode mode = {.fidelity = self->job->tasks->mode.fidelity,
                          .as_delay = TRUE,
                          .n_actors = n_actors,
                          .weight = 1,
                          .is_class = TRUE,
                          .times = self->quotient == NULL ? NULL : self->state.calls};
    if (self->quotient == NULL)
        return lp_communicator_runtime_new(self->job->map, self->job->cache, own, mode, &sender);
    const LpCommunicatorClass *classes =
        lp_quotient_communicator(self->quotient, own->group, class);
    mode.as_delay = !classes->has_flows;
    mode.weight = classes->n;
    LpCommunicatorRuntime *runtime = lp_communicator_runtime_new(
        self->job->map, self->job->cache, classes->communicator, mode, &sender);
    lp_communicator_runtime_set_waits(runtime, self->state.waits);
    if (classes->has_flows)
        lp_communicator_runtime_set_classes(runtime, self->quotient, classes);
    return runtime;
}

/* Rank number @class stands for those of its class in @runtime. */
static void
add_member(const JobRun *self, LpCommunicatorRuntime *runtime, guint32 class)
{
    const LpCommunicator *communicator = lp_communicator_runtime_communicator(runtime);
    LpClassMember member = {.rank = self->classes->first[class],
                            .n_ranks = lp_quotient_n_ranks(self->quotient, class)};
    for (guint32 i = 0; i < communicator->n_members; i++)
        member.n += self->classes->of_rank[communicator->ranks[i]] == class ? 1 : 0;
    lp_communicator_runtime_add_member(runtime, member);
}

/* Where ranks stand for classes, so do communicators: one for all with members of the same classes.
 * Its actors are numbered as they come. */
static void
add_class_communicators(JobRun *self, LpGroup group)
{
    const LpCommunicators *communicators = self->job->map->communicators;
    const guint32 *of_group = self->classes->of_group[group];
    guint n = lp_communicators_n(communicators, group);
    g_autofree guint64 *n_actors = g_new0(guint64, n);
    g_autofree LpCommunicatorRuntime **runtimes = g_new0(LpCommunicatorRuntime *, n);
    for (guint32 i = 0; i < self->classes->n_classes; i++) {
        const LpCommunicator *own =
            lp_communicators_of(communicators, group, self->classes->first[i]);
        if (own != NULL)
            self->ranks[self->classes->first[i]].index[group] =
                n_actors[of_group[lp_communicators_number(communicators, own)]]++;
    }
    for (guint32 i = 0; i < self->classes->n_classes; i++) {
        LpRank *rank = &self->ranks[self->classes->first[i]];
        const LpCommunicator *own =
            lp_communicators_of(communicators, group, self->classes->first[i]);
        if (own == NULL)
            continue;
        guint32 class = of_group[lp_communicators_number(communicators, own)];
        if (runtimes[class] == NULL) {
            runtimes[class] = new_class_communicator(self, own, class, n_actors[class]);
            g_ptr_array_add(self->groups, runtimes[class]);
        }
        rank->groups[group] = runtimes[class];
        if (self->quotient != NULL)
            add_member(self, runtimes[class], i);
    }
}

/* Who counts what a tensor-parallel group sends in merged collectives. */
static void
count_tensor_groups(JobRun *self)
{
    const LpCommunicators *communicators = self->job->map->communicators;
    for (guint k = 0; k < lp_communicators_n(communicators, LP_GROUP_TP); k++) {
        guint32 first = lp_communicators_get(communicators, LP_GROUP_TP, k)->ranks[0];
        if (self->classes == NULL || self->classes->of_rank[first] != LP_RANK_CLASS_NONE)
            self->ranks[representative(self, first)].n_tensor_groups++;
    }
}

static void
add_communicators(JobRun *self)
{
    const LpCommunicators *communicators = self->job->map->communicators;
    for (LpGroup group = 0; group < LP_N_GROUPS; group++) {
        if (self->classes != NULL) {
            add_class_communicators(self, group);
            continue;
        }
        for (guint i = 0; i < lp_communicators_n(communicators, group); i++) {
            const LpCommunicator *communicator = lp_communicators_get(communicators, group, i);
            if (is_simulated(self, communicator->ranks[0]))
                add_communicator(self, communicator);
        }
    }
}

/* How many ranks @rank stands for. */
static guint64
weight_of(const JobRun *self, guint64 rank)
{
    return self->quotient == NULL
               ? self->weight
               : lp_quotient_n_ranks(self->quotient, self->classes->of_rank[rank]);
}

static void
add_stage_channels(JobRun *self, guint64 rank)
{
    LpFlowSender sender = sender_of(self);
    sender.traffic = LP_TRAFFIC_PP;
    for (LpPipelineDirection line = 0; line < lp_program_n_lines(self->job->map->program); line++) {
        LpConnectionKind kind = (LpConnectionKind)(LP_CONNECTION_MESSAGES + line);
        const LpConnection *connection =
            lp_communication_map_connection(self->job->map, kind, rank);
        if (!connection->present)
            continue;
        LpRank *receiver = &self->ranks[representative(self, connection->to)];
        self->ranks[rank].out[line] = receiver->in[line] =
            new_channel(self, kind, rank, &receiver->meter, &sender);
    }
}

static void
start_rank(JobRun *self, guint64 rank)
{
    const LpProgram *program = self->job->map->program;
    LpRank *simulated = &self->ranks[rank];
    simulated->run = &self->state;
    simulated->rank = rank;
    simulated->stage = lp_program_rank_stage(program, rank);
    gboolean is_traced = rank == lp_program_stage_first(program, simulated->stage);
    simulated->trace = (LpRankTrace){.timeline = is_traced ? self->state.timeline : NULL,
                                     .program = program,
                                     .stage = simulated->stage};
    simulated->straggler = self->job->stragglers == NULL ? NULL : self->job->stragglers[rank];
    simulated->meter.path = &simulated->clock.overlap;
    simulated->meter.n_ranks = weight_of(self, rank);
    simulated->meter.messages = self->state.calls == NULL ? NULL : &self->state.calls->message;
    struct s4u_Host *hosts[LP_N_STREAMS + 1] = {NULL};
    const LpRunPlacement *placement = &self->placement;
    for (LpStream stream = 0; stream <= LP_N_STREAMS; stream++)
        if (stream == LP_N_STREAMS || program->uses_stream[stream])
            hosts[stream] = lp_run_placement_port(placement, rank,
                                                  lp_run_placement_stream(placement, rank, stream))
                                ->host;
    lp_rank_start(simulated, hosts[LP_N_STREAMS], hosts);
    self->state.n_waiting++;
    self->state.progress->n_steps +=
        (guint64)self->state.n_iterations * lp_program_stage(program, simulated->stage)->n_steps;
}

/* The last event decides; of several at one instant the lowest rank's, which stands for its class.
 */
static const LpRank *
find_last(const JobRun *self)
{
    double end_s = 0.0;
    for (guint64 rank = 0; rank < self->job->map->n_ranks; rank++)
        if (is_simulated(self, rank))
            end_s = MAX(end_s, self->ranks[rank].clock.at_s);
    for (guint64 rank = 0; rank < self->job->map->n_ranks; rank++)
        if (is_simulated(self, rank) &&
            self->ranks[rank].clock.at_s >= end_s * (1.0 - LP_CLOCK_TIE)) {
            lp_clock_round(&self->ranks[rank].clock, end_s);
            return &self->ranks[rank];
        }
    return NULL;
}

static LpRunResult
read_result(const JobRun *self)
{
    const LpRank *last = find_last(self);
    const LpOverlapPath *overlap = &last->clock.overlap;
    guint32 n = self->state.n_iterations;
    LpRunResult result = {.iteration_time_s = (last->clock.at_s - self->state.start_s) / n,
                          .terms = last->clock.terms,
                          .rank = last->rank,
                          .overlap_s = lp_overlap_path_hidden_s(overlap) / n,
                          .inner_s = overlap->inner_s / n,
                          .slowed_s = overlap->slowed_s / n,
                          .n_activities = self->state.n_delays,
                          .start_s = self->state.start_s,
                          .end_s = last->clock.at_s,
                          .n_waiting = self->state.n_waiting,
                          .least_s = self->state.least_s,
                          .is_past_limit = self->state.is_past_limit};
    for (LpTerm term = 0; term < LP_N_TERMS; term++)
        result.terms.s[term] /= n;
    result.terms = lp_terms_cleared(&result.terms);
    /* Hidden time is a sum of many starts and ends. */
    if (result.overlap_s < HIDDEN_MIN * result.iteration_time_s)
        result.overlap_s = 0.0;
    if (self->circuits != NULL) {
        result.circuits = lp_circuits_result(self->circuits, &last->clock, self->state.start_s,
                                             (double)self->weight, n);
        lp_circuits_record(self->circuits, self->state.timeline, last->clock.at_s);
    }
    const LpRotorRun *rotor = lp_flow_engine_rotor(self->state.sharing);
    if (rotor != NULL)
        result.circuits =
            lp_rotor_run_result(rotor, &last->clock, self->state.start_s, (double)self->weight, n);
    if (self->state.waits != NULL)
        lp_wait_record_end(self->state.waits, self->number, last->clock.path);
    memcpy(result.traffic_bytes, self->state.tp_bytes, sizeof result.traffic_bytes);
    for (guint i = 0; i < self->groups->len; i++) {
        const LpCommunicatorRuntime *group = self->groups->pdata[i];
        lp_communicator_runtime_add_traffic(group, result.traffic_bytes);
        lp_communicator_runtime_add_counts(group, &result.sent_bytes, &result.received_bytes,
                                           &result.n_activities);
    }
    for (guint64 rank = 0; rank < self->job->map->n_ranks; rank++)
        for (LpPipelineDirection line = 0; line < lp_program_n_lines(self->job->map->program);
             line++) {
            const LpChannel *channel = self->ranks[rank].out[line];
            if (channel == NULL)
                continue;
            result.traffic_bytes[LP_TRAFFIC_PP] +=
                lp_channel_sent_bytes(channel) * weight_of(self, rank);
            result.sent_bytes += lp_channel_sent_bytes(channel);
            result.received_bytes += lp_channel_received_bytes(channel);
            result.n_activities += lp_channel_n_activities(channel);
        }
    for (LpTraffic traffic = 0; traffic < LP_N_TRAFFIC; traffic++)
        result.traffic_bytes[traffic] /= n;
    return result;
}

static void
build_job(JobRun *self, const LpRunJob *job, guint32 index, LpRun state)
{
    *self = (JobRun){.job = job, .number = index};
    self->weight = lp_contention_n_replicas(job->contention, job->map->communicators);
    self->mean_route =
        (LpRoute){.latency_s = job->tasks->isolated.message_s, .bytes_per_s = INFINITY};
    self->classes = lp_run_job_classes(job);
    self->quotient = lp_run_job_quotient(job);
    if (job->circuits != NULL)
        self->circuits = lp_circuits_new(job->circuits, job->timeline != NULL);
    self->placement = (LpRunPlacement){.map = job->map,
                                       .contention = job->contention,
                                       .tasks = job->tasks,
                                       .in_parts = self->circuits != NULL &&
                                                   (lp_circuits_n_parts(self->circuits) > 1 ||
                                                    lp_circuits_is_hybrid(self->circuits))};
    self->ranks = g_new0(LpRank, job->map->n_ranks);
    self->groups = g_ptr_array_new_with_free_func((GDestroyNotify)lp_communicator_runtime_free);
    self->state = state;
    self->state.program = job->map->program;
    self->state.tasks = job->tasks;
    self->state.timeline = job->timeline;
    self->state.calls = job->calls;
    self->state.start_s = job->start_s;
    self->state.n_iterations = job->n_iterations;
    self->state.circuits = self->circuits;
    self->state.has_circuits = self->circuits != NULL || job->is_rotor;
    add_communicators(self);
    count_tensor_groups(self);
    for (guint64 rank = 0; rank < job->map->n_ranks; rank++)
        if (is_simulated(self, rank))
            add_stage_channels(self, rank);
}

static void
start_job(JobRun *self)
{
    for (guint64 rank = 0; rank < self->job->map->n_ranks; rank++)
        if (is_simulated(self, rank)) {
            start_rank(self, rank);
            if (self->circuits != NULL)
                lp_circuits_add_rank(self->circuits, rank);
        }
    if (self->circuits != NULL)
        lp_circuits_begin(self->circuits);
}

static void
clear_job(JobRun *self)
{
    for (guint64 rank = 0; rank < self->job->map->n_ranks; rank++)
        lp_rank_clear(&self->ranks[rank]);
    g_ptr_array_unref(self->groups);
    lp_circuits_free(self->circuits);
    g_free(self->ranks);
}

static void
start_context(const LpRunContext *self, struct s4u_Host *home)
{
    LpBackgroundRun background = {self->watch, self->sharing, self->log, self->quotient};
    LpFaultsRun faults = {self->watch, self->sharing, self->quotient};
    for (guint i = 0; self->backgrounds != NULL && i < self->backgrounds->len; i++)
        lp_background_start(self->backgrounds->pdata[i], &background);
    if (self->faults != NULL)
        lp_faults_start(self->faults, &faults, home);
    if (self->sharing != NULL)
        lp_flow_engine_start(self->sharing, home);
    if (self->watch != NULL)
        lp_watch_start(self->watch, home);
}

static void
report_forecast(const LpRunContext *self, const LpRunJob *jobs, guint n_jobs, guint64 n_steps)
{
    if (self->expect == NULL)
        return;
    g_auto(LpForecast) forecast = lp_forecast();
    lp_forecast_add(&forecast, "", G_MAXUINT32, jobs, n_jobs);
    if (self->backgrounds != NULL)
        lp_forecast_add_traffic(&forecast, self->backgrounds);
    self->expect(lp_forecast_processor_s(&forecast), n_steps, self->progress_data);
}

void
lp_run_jobs(const LpRunJob *jobs, guint n_jobs, const LpRunContext *given, LpRunResult *out_results)
{
    LpRunContext all = *given, *context = &all;
    g_autoptr(LpFlowEngine) own =
        lp_run_sharing_new(jobs, n_jobs, all.sharing, all.faults, all.quotient);
    all.sharing = own != NULL ? own : all.sharing;
    g_autofree JobRun *runs = g_new0(JobRun, n_jobs);
    LpStepCount progress = {.show = context->progress, .data = context->progress_data};
    guint64 n_actors = 0;
    for (guint i = 0; i < n_jobs; i++)
        n_actors += lp_run_job_n_actors(&jobs[i]);
    lp_engine_reserve_stacks(n_actors);
    sg_bar_t start = sg_barrier_init((unsigned)n_actors);
    LpRun state = {.start = start,
                   .watch = context->watch,
                   .sharing = context->sharing,
                   .waits = context->waits,
                   .log = context->log,
                   .limit = context->limit,
                   .progress = &progress};
    for (guint i = 0; i < n_jobs; i++)
        build_job(&runs[i], &jobs[i], i, state);
    for (guint i = 0; i < n_jobs && context->faults != NULL; i++)
        if (runs[i].circuits != NULL)
            lp_faults_add_circuits(context->faults, runs[i].circuits);
    for (guint i = 0; i < n_jobs; i++)
        start_job(&runs[i]);
    start_context(context,
                  lp_run_placement_port(&runs[0].placement, 0, LP_ATTACHMENT_SCALE_UP)->host);
    report_forecast(context, jobs, n_jobs, progress.n_steps);
    (void)lp_engine_run();
    for (guint i = 0; i < n_jobs; i++) {
        out_results[i] = read_result(&runs[i]);
        out_results[i].n_actors = lp_run_job_n_actors(&jobs[i]);
        out_results[i].own_sharing = lp_flow_engine_launches(all.sharing);
        clear_job(&runs[i]);
    }
    sg_barrier_destroy(start);
}
