/* SPDX-License-Identifier: Apache-2.0 */
/* Builds a run from edges, proof and tasks. */
#include "sim/run/run.h"

#include "sim/engine/engine.h"

#include <simgrid/barrier.h>

#include <math.h>

typedef struct {
    const LpEdges *edges;     /* borrowed */
    const LpProof *proof;     /* borrowed */
    const LpTasks *tasks;     /* borrowed */
    LpPace *const *paces;     /* borrowed: by rank, or NULL */
    guint32 job;              /* its index among those of the run */
    const LpClasses *classes; /* borrowed, or NULL: every rank stands for itself */
    LpRunState state;
    LpRank *ranks;      /* owned; by rank, those without an actor stay empty */
    GPtrArray *groups;  /* owned LpProcessGroup */
    guint64 weight;     /* mirror images that each simulated slice stands for */
    LpRoute mean_route; /* of messages between stages in balanced runs */
} World;

static gboolean
is_simulated(const World *self, guint64 rank)
{
    if (self->classes != NULL)
        return self->classes->of_rank[rank] != LP_CLASS_NONE &&
               self->classes->first[self->classes->of_rank[rank]] == rank;
    return !self->proof->tp_mirrored ||
           lp_iteration_group_index(self->edges->iteration, LP_GROUP_TP, rank) == 0;
}

/* The rank that stands for @rank. */
static guint64
stand_in(const World *self, guint64 rank)
{
    return self->classes == NULL ? rank : self->classes->first[self->classes->of_rank[rank]];
}

static guint64
n_simulated(const LpIteration *iteration, const LpProof *proof)
{
    guint64 n_ranks = lp_plan_n_ranks(&iteration->plan);
    return proof->tp_mirrored ? n_ranks / iteration->plan.degree[LP_AXIS_TP] : n_ranks;
}

static guint64
n_streams(const LpIteration *iteration)
{
    guint64 n = 1;
    for (LpQueue queue = 0; queue < LP_N_QUEUES; queue++)
        n += iteration->uses_queue[queue] ? 1 : 0;
    return n;
}

guint64
lp_world_n_actors(const LpIteration *iteration, const LpProof *proof)
{
    return n_simulated(iteration, proof) * n_streams(iteration);
}

/* Only where nothing contends do ranks of a class behave alike, and only at one pace. */
static const LpClasses *
classes_of(const LpWorldJob *job)
{
    return job->tasks->mode.uncontended && job->paces == NULL ? job->classes : NULL;
}

static guint64
job_n_actors(const LpWorldJob *job)
{
    const LpIteration *iteration = job->edges->iteration;
    const LpClasses *classes = classes_of(job);
    return classes != NULL ? classes->n_classes * n_streams(iteration)
                           : lp_world_n_actors(iteration, job->proof);
}

static gboolean
group_is_delay(const World *self, LpGroup group, guint64 rank)
{
    return self->tasks->mode.uncontended ||
           (self->tasks->mode.merge && self->proof->is_private[group][rank]);
}

/* Roughly how many messages edges of @kind carry in an iteration. */
static double
message_weight(const LpIteration *iteration, LpEdgeKind kind)
{
    double m = lp_plan_n_micro_batches(&iteration->plan);
    LpGroup group = lp_edge_group(kind);
    if (group == LP_N_GROUPS)
        return m;
    gboolean between_replicas = group == LP_GROUP_DP || group == LP_GROUP_REPLICA ||
                                group == LP_GROUP_EXPERT_DP || group == LP_GROUP_EMBEDDING;
    return !between_replicas ? m * lp_transformer_n_layers(&iteration->transformer) : 1.0;
}

/* A stream stands where most of its own messages leave and arrive: the others cost more, but move
 * the same bytes over the same links. @runs: the edges that it serves. */
static LpAttachment
busiest_attachment(const World *self, guint64 rank, const gboolean *runs)
{
    double n_messages[LP_N_ATTACHMENTS] = {0};
    for (LpEdgeKind kind = 0; kind < LP_N_EDGES; kind++) {
        const LpEdge *edge = lp_edges_get(self->edges, kind, rank);
        LpGroup group = lp_edge_group(kind);
        if (!edge->present || !runs[kind] ||
            (group != LP_N_GROUPS && group_is_delay(self, group, rank)))
            continue;
        n_messages[edge->attachment] += message_weight(self->edges->iteration, kind);
    }
    return n_messages[LP_ATTACHMENT_SCALE_OUT] > n_messages[LP_ATTACHMENT_SCALE_UP]
               ? LP_ATTACHMENT_SCALE_OUT
               : LP_ATTACHMENT_SCALE_UP;
}

/* Whether the compute stream (@queue: LP_N_QUEUES) or a queue runs edges of @kind. */
static gboolean
runs_edges(const LpIteration *iteration, LpEdgeKind kind, LpQueue queue)
{
    LpGroup group = lp_edge_group(kind);
    if (group == LP_N_GROUPS)
        return queue == (iteration->uses_queue[LP_QUEUE_PP] ? LP_QUEUE_PP : LP_N_QUEUES);
    return lp_rank_group_queue(iteration, group) == queue;
}

static LpAttachment
stream_home(const World *self, guint64 rank, LpQueue queue)
{
    gboolean runs[LP_N_EDGES];
    for (LpEdgeKind kind = 0; kind < LP_N_EDGES; kind++)
        runs[kind] = runs_edges(self->edges->iteration, kind, queue);
    return busiest_attachment(self, rank, runs);
}

static struct s4u_Host *
port(const World *self, guint64 rank, LpAttachment attachment)
{
    return lp_network_host(self->edges->network, lp_edges_accelerator(self->edges, rank),
                           attachment);
}

/* Whether both the actor that sends over an edge and the one that receives stand on its ports: not
 * where the edge takes another plane, or a path of its own. Messages between stages are received by
 * the compute stream, whoever sends them. */
static gboolean
stands_on_edge(const World *self, LpEdgeKind kind, guint64 rank, const LpEdge *edge)
{
    const LpIteration *iteration = self->edges->iteration;
    if (edge->route.from != port(self, rank, edge->attachment) ||
        edge->route.to != port(self, edge->to, edge->attachment))
        return FALSE;
    for (LpQueue queue = 0; queue <= LP_N_QUEUES; queue++) {
        if (!runs_edges(iteration, kind, queue))
            continue;
        LpQueue receiver = lp_edge_group(kind) == LP_N_GROUPS ? LP_N_QUEUES : queue;
        return stream_home(self, rank, queue) == edge->attachment &&
               stream_home(self, edge->to, receiver) == edge->attachment;
    }
    return FALSE;
}

static LpChannel *
new_channel(World *self, LpEdgeKind kind, guint64 rank, LpMeter *meter)
{
    const LpEdge *edge = lp_edges_get(self->edges, kind, rank);
    LpChannelKind channel = LP_CHANNEL_DIRECT;
    if (self->tasks->mode.free_messages)
        channel = LP_CHANNEL_FREE;
    else if (self->tasks->mode.uncontended)
        channel = LP_CHANNEL_DELAY;
    else if (stands_on_edge(self, kind, rank, edge))
        channel = LP_CHANNEL_MAILBOX;
    g_autofree char *name = g_strdup_printf("%u:%d:%" G_GUINT64_FORMAT, self->job, (int)kind, rank);
    LpChannel *made = lp_channel_new(
        channel, name, self->tasks->mode.balanced ? &self->mean_route : &edge->route, meter);
    lp_channel_set_watch(made, self->state.watch, self->job, rank, edge->to);
    return made;
}

/* The edges that the channels of a group's members follow. */
static LpEdgeKind
channel_edges(const World *self, LpGroup group, guint64 rank)
{
    if (lp_edges_exchanges(self->edges, group) &&
        lp_edges_get(self->edges, lp_edge_far(group), rank)->present)
        return lp_edge_far(group);
    return (LpEdgeKind)group;
}

static void
add_group(World *self, LpGroup kind, guint64 first_rank)
{
    const LpIteration *iteration = self->edges->iteration;
    guint64 n = lp_iteration_group_size(iteration, kind);
    gboolean alone = kind == LP_GROUP_TP && self->proof->tp_mirrored;
    gboolean as_delay = group_is_delay(self, kind, first_rank);
    LpProcessGroup *group =
        lp_process_group_new(self->edges, kind, first_rank, alone ? 1 : n, as_delay,
                             alone ? 1 : self->weight, self->tasks->mode.fidelity);
    lp_process_group_set_watch(group, self->state.watch, self->job);
    g_ptr_array_add(self->groups, group);
    for (guint64 i = 0; i < n; i++) {
        guint64 rank = lp_iteration_group_member(iteration, kind, first_rank, i);
        if (!is_simulated(self, rank))
            continue;
        self->ranks[rank].groups[kind] = group;
        self->ranks[rank].index[kind] = i;
        LpEdgeKind edges = channel_edges(self, kind, rank);
        if (!as_delay && lp_edges_get(self->edges, edges, rank)->present)
            lp_process_group_set_channel(group, i, new_channel(self, edges, rank, NULL));
    }
}

/* Where ranks stand for classes, so do groups: one for all with members of the same classes. */
static void
add_class_groups(World *self, LpGroup kind)
{
    const LpIteration *iteration = self->edges->iteration;
    const guint32 *of_group = self->classes->of_group[kind];
    g_autofree guint64 *n_actors = g_new0(guint64, self->edges->n_ranks);
    g_autofree LpProcessGroup **groups = g_new0(LpProcessGroup *, self->edges->n_ranks);
    for (guint32 i = 0; i < self->classes->n_classes; i++) {
        guint64 rank = self->classes->first[i];
        if (lp_iteration_has_group(iteration, kind, rank))
            n_actors[of_group[rank]]++;
    }
    for (guint32 i = 0; i < self->classes->n_classes; i++) {
        guint64 rank = self->classes->first[i];
        if (!lp_iteration_has_group(iteration, kind, rank))
            continue;
        LpProcessGroup **group = &groups[of_group[rank]];
        if (*group == NULL) {
            *group = lp_process_group_new(
                self->edges, kind, lp_iteration_group_member(iteration, kind, rank, 0),
                n_actors[of_group[rank]], TRUE, 1, self->tasks->mode.fidelity);
            g_ptr_array_add(self->groups, *group);
        }
        self->ranks[rank].groups[kind] = *group;
        self->ranks[rank].index[kind] = lp_iteration_group_index(iteration, kind, rank);
    }
}

static void
add_groups(World *self)
{
    const LpIteration *iteration = self->edges->iteration;
    for (LpGroup kind = 0; self->classes != NULL && kind < LP_N_GROUPS; kind++)
        add_class_groups(self, kind);
    if (self->classes != NULL)
        return;
    for (LpGroup kind = 0; kind < LP_N_GROUPS; kind++)
        for (guint64 rank = 0; rank < self->edges->n_ranks; rank++)
            if (is_simulated(self, rank) && lp_iteration_has_group(iteration, kind, rank) &&
                lp_iteration_group_index(iteration, kind, rank) == 0 &&
                lp_iteration_group_member(iteration, kind, rank, 0) == rank)
                add_group(self, kind, rank);
}

static void
add_stage_channels(World *self, guint64 rank)
{
    for (LpLine line = 0; line < LP_N_LINES; line++) {
        LpEdgeKind kind = (LpEdgeKind)(LP_EDGE_LINE + line);
        const LpEdge *edge = lp_edges_get(self->edges, kind, rank);
        if (!edge->present)
            continue;
        LpRank *receiver = &self->ranks[stand_in(self, edge->to)];
        LpChannel *channel = new_channel(self, kind, rank, &receiver->meter);
        self->ranks[rank].out[line] = channel;
        receiver->in[line] = channel;
    }
}

static void
start_rank(World *self, guint64 rank)
{
    const LpIteration *iteration = self->edges->iteration;
    LpCoordinates at = lp_plan_coordinates(&iteration->plan, rank);
    LpRank *simulated = &self->ranks[rank];
    simulated->run = &self->state;
    simulated->rank = rank;
    simulated->stage = at.at[LP_AXIS_PP];
    simulated->traced = self->state.timeline != NULL && at.at[LP_AXIS_TP] == 0 &&
                        at.at[LP_AXIS_DP] == 0 && at.at[LP_AXIS_CP] == 0;
    simulated->pace = self->paces == NULL ? NULL : self->paces[rank];
    simulated->expert_load = lp_iteration_expert_load(iteration, rank);
    struct s4u_Host *queue_homes[LP_N_QUEUES] = {NULL};
    for (LpQueue queue = 0; queue < LP_N_QUEUES; queue++)
        if (iteration->uses_queue[queue])
            queue_homes[queue] = port(self, rank, stream_home(self, rank, queue));
    lp_rank_start(simulated, port(self, rank, stream_home(self, rank, LP_N_QUEUES)), queue_homes);
    self->state.n_waiting++;
    self->state.progress->n_steps += (guint64)self->state.n_iterations *
                                     lp_iteration_program(iteration, simulated->stage)->n_steps;
}

/* The last event decides; of several at one instant the lowest rank's. */
static const LpRank *
find_last(const World *self)
{
    const LpRank *last = NULL;
    for (guint64 rank = 0; rank < self->edges->n_ranks; rank++)
        if (is_simulated(self, rank) &&
            (last == NULL || self->ranks[rank].clock.at_s > last->clock.at_s))
            last = &self->ranks[rank];
    return last;
}

static LpRunResult
read_result(const World *self)
{
    const LpRank *last = find_last(self);
    guint32 n = self->state.n_iterations;
    LpRunResult result = {.iteration_time_s = (last->clock.at_s - self->state.start_s) / n,
                          .terms = last->clock.terms,
                          .rank = last->rank,
                          .overlap_s = lp_meter_overlap_s(&last->meter) / n,
                          .inner_s = last->meter.inner_s / n,
                          .slowed_s = last->meter.slowed_s / n,
                          .n_activities = self->state.n_delays,
                          .start_s = self->state.start_s,
                          .end_s = last->clock.at_s,
                          .n_waiting = self->state.n_waiting};
    for (LpTerm term = 0; term < LP_N_TERMS; term++)
        result.terms.s[term] /= n;
    for (LpTraffic traffic = 0; traffic < LP_N_TRAFFIC; traffic++)
        result.traffic_bytes[traffic] = self->state.tp_bytes[traffic];
    for (guint i = 0; i < self->groups->len; i++) {
        const LpProcessGroup *group = self->groups->pdata[i];
        lp_process_group_add_traffic(group, result.traffic_bytes);
        lp_process_group_add_counts(group, &result.sent_bytes, &result.received_bytes,
                                    &result.n_activities);
    }
    for (guint64 rank = 0; rank < self->edges->n_ranks; rank++)
        for (LpLine line = 0; line < LP_N_LINES; line++) {
            const LpChannel *channel = self->ranks[rank].out[line];
            if (channel == NULL)
                continue;
            result.traffic_bytes[LP_TRAFFIC_PP] += lp_channel_sent_bytes(channel) * self->weight;
            result.sent_bytes += lp_channel_sent_bytes(channel);
            result.received_bytes += lp_channel_received_bytes(channel);
            result.n_activities += lp_channel_n_activities(channel);
        }
    for (LpTraffic traffic = 0; traffic < LP_N_TRAFFIC; traffic++)
        result.traffic_bytes[traffic] /= n;
    return result;
}

static void
build_job(World *self, const LpWorldJob *job, guint32 index, LpRunState state)
{
    *self = (World){.edges = job->edges, .proof = job->proof, .tasks = job->tasks, .job = index};
    guint32 tp = job->edges->iteration->plan.degree[LP_AXIS_TP];
    self->weight = job->proof->tp_mirrored ? tp : 1;
    self->mean_route =
        (LpRoute){.latency_s = job->tasks->lonely.message_s, .bytes_per_s = INFINITY};
    self->paces = job->paces;
    self->classes = classes_of(job);
    self->ranks = g_new0(LpRank, job->edges->n_ranks);
    self->groups = g_ptr_array_new_with_free_func((GDestroyNotify)lp_process_group_free);
    self->state = state;
    self->state.iteration = job->edges->iteration;
    self->state.tasks = job->tasks;
    self->state.timeline = job->timeline;
    self->state.start_s = job->start_s;
    self->state.n_iterations = job->n_iterations;
    add_groups(self);
    for (guint64 rank = 0; rank < job->edges->n_ranks; rank++)
        if (is_simulated(self, rank))
            add_stage_channels(self, rank);
}

static void
start_job(World *self)
{
    for (guint64 rank = 0; rank < self->edges->n_ranks; rank++)
        if (is_simulated(self, rank))
            start_rank(self, rank);
}

static void
clear_job(World *self)
{
    for (guint64 rank = 0; rank < self->edges->n_ranks; rank++)
        lp_rank_clear(&self->ranks[rank]);
    g_ptr_array_unref(self->groups);
    g_free(self->ranks);
}

static void
start_surroundings(const LpSurroundings *self, struct s4u_Host *home)
{
    for (guint i = 0; self->backgrounds != NULL && i < self->backgrounds->len; i++)
        lp_background_start(self->backgrounds->pdata[i], self->watch);
    if (self->faults != NULL)
        lp_faults_start(self->faults, self->watch, home);
    if (self->watch != NULL)
        lp_watch_start(self->watch, home);
}

void
lp_world_run_jobs(const LpWorldJob *jobs, guint n_jobs, const LpSurroundings *surroundings,
                  LpRunResult *out_results)
{
    g_autofree World *worlds = g_new0(World, n_jobs);
    LpProgress progress = {.show = surroundings->progress, .data = surroundings->progress_data};
    guint64 n_actors = 0;
    for (guint i = 0; i < n_jobs; i++)
        n_actors += job_n_actors(&jobs[i]);
    sg_bar_t start = sg_barrier_init((unsigned)n_actors);
    LpRunState state = {.start = start, .watch = surroundings->watch, .progress = &progress};
    for (guint i = 0; i < n_jobs; i++)
        build_job(&worlds[i], &jobs[i], i, state);
    for (guint i = 0; i < n_jobs; i++)
        start_job(&worlds[i]);
    start_surroundings(surroundings, port(&worlds[0], 0, LP_ATTACHMENT_SCALE_UP));
    (void)lp_engine_run();
    for (guint i = 0; i < n_jobs; i++) {
        out_results[i] = read_result(&worlds[i]);
        out_results[i].n_actors = job_n_actors(&jobs[i]);
        clear_job(&worlds[i]);
    }
    sg_barrier_destroy(start);
}

LpRunResult
lp_world_run(const LpEdges *edges, const LpProof *proof, const LpTasks *tasks, LpRunOptions options)
{
    LpWorldJob job = {.edges = edges,
                      .proof = proof,
                      .tasks = tasks,
                      .n_iterations = 1,
                      .timeline = options.timeline};
    LpSurroundings none = {.progress = options.progress, .progress_data = options.progress_data};
    LpRunResult result;
    lp_world_run_jobs(&job, 1, &none, &result);
    return result;
}
