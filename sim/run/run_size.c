/* SPDX-License-Identifier: Apache-2.0 */
/* Goes over what stages do once, and counts it for each rank and communicator that is simulated. */
#include "sim/run/run_size.h"

#include "sim/actors/channel.h"
#include "sim/run/run_placement.h"

/* What is counted. */
typedef struct {
    const LpRunJob *job; /* borrowed */
    LpRunPlacement run_placement;
    guint32 n_stages;
    guint64 *n_ranks;      /* owned, by stage: that are simulated */
    guint64 *n_delays;     /* owned, by stage: of one of its ranks */
    double *computing_s;   /* owned, by stage: the same, devices' own times */
    double *waiting_s;     /* owned, by stage and group: for its collectives, each by itself */
    guint64 *n_host_waits; /* owned, by stage: instants at which a rank may wait for its host */
    guint64 *n_sends;      /* owned, by stage and line */
    guint64 *n_runs;       /* owned, by operation: of each rank of its stage, and of those alike */
    GHashTable *first[LP_N_GROUPS]; /* owned: collectives of the stage at hand, none like another */
    guint32 *stage_of;              /* owned, by operation */
    GHashTable *known; /* owned: LpActivities by what decides them; of runs without a quotient */
    LpActivities all;
} Count;

static const LpProgram *
program_of(const Count *self)
{
    return self->job->map->program;
}

/* --- stages --- */

/* What a delay computes; its pieces, where it has some, do. */
static double
delay_s(const LpTasks *tasks, const LpTask *task)
{
    double sum_s = task->n_pieces > 0 ? 0.0 : task->work.device_s;
    for (guint i = 0; i < task->n_pieces; i++) {
        const LpPiece *piece = &g_array_index(tasks->pieces, LpPiece, task->first_piece + i);
        sum_s += piece->kind == LP_PIECE_WORK ? piece->work.device_s : 0.0;
    }
    return sum_s;
}

/* What stands for @op, a collective of the stage at hand. */
static const LpOp *
first_alike(Count *self, const LpOp *op)
{
    const LpOp *first = g_hash_table_lookup(self->first[op->group], op);
    if (first == NULL)
        g_hash_table_add(self->first[op->group], (gpointer)(guintptr)(first = op));
    return first;
}

static void
add_task(Count *self, guint32 stage, const LpTask *task)
{
    const LpProgram *program = program_of(self);
    switch (task->kind) {
    case LP_TASK_DELAY:
        self->n_delays[stage]++;
        self->computing_s[stage] += delay_s(self->job->tasks, task);
        break;
    case LP_TASK_LAUNCH:
        if (task->op->kind == LP_OP_LAUNCH_COMPUTE)
            self->n_delays[stage]++;
        if (!lp_op_is_collective(task->op))
            break;
        /* fall through */
    case LP_TASK_COLLECTIVE: {
        gsize op = (gsize)(first_alike(self, task->op) - &g_array_index(program->ops, LpOp, 0));
        self->n_runs[op]++;
        self->stage_of[op] = stage;
        self->n_host_waits[stage]++;
        break;
    }
    case LP_TASK_JOIN:
        break;
    }
}

static void
add_step(Count *self, guint32 stage, const LpStep *step)
{
    const LpTasks *tasks = self->job->tasks;
    if (step->kind == LP_STEP_SEGMENT) {
        LpTaskRange range = lp_tasks_of_step(tasks, program_of(self), step);
        for (guint i = 0; i < range.n; i++)
            add_task(self, stage, &g_array_index(tasks->tasks, LpTask, range.first + i));
        return;
    }
    self->n_host_waits[stage]++;
    if (step->kind == LP_STEP_SEND)
        self->n_sends[stage * LP_N_PIPELINE_DIRECTIONS + step->direction]++;
}

static void
walk_stages(Count *self)
{
    const LpProgram *program = program_of(self);
    for (guint32 stage = 0; stage < self->n_stages; stage++) {
        const LpStageProgram *steps = lp_program_stage(program, stage);
        for (LpGroup group = 0; group < LP_N_GROUPS; group++)
            g_hash_table_remove_all(self->first[group]);
        for (guint i = 0; i < steps->n_steps; i++)
            add_step(self, stage, lp_program_step(program, steps->first_step + i));
    }
}

/* --- ranks --- */

/* One message over @connection, as a channel sends it. */
static LpActivities
message_size(const Count *self, const LpConnection *connection)
{
    const LpTasks *tasks = self->job->tasks;
    if (!connection->present)
        return (LpActivities){0};
    double latency_s = tasks->mode.level >= LP_RUN_BALANCED ? tasks->isolated.message_s
                                                            : connection->route.latency_s;
    LpMessageSize size = lp_channel_message_size(lp_channel_kind(tasks->mode, LP_TRAFFIC_PP),
                                                 &connection->route, latency_s);
    return (LpActivities){.n_delays = size.n_delays, .n_flows = size.n_flows};
}

static void
add_rank(Count *self, guint64 rank)
{
    const LpProgram *program = program_of(self);
    guint32 stage = lp_program_rank_stage(program, rank);
    self->n_ranks[stage]++;
    self->all.n_delays += self->n_delays[stage];
    self->all.n_maybe += program->execution.host_is_free ? 0 : self->n_host_waits[stage];
    self->all.n_maybe += self->job->tasks->changes.happen ? self->n_host_waits[stage] : 0;
    for (LpPipelineDirection line = 0; line < lp_program_n_lines(program); line++) {
        LpActivities message = message_size(
            self, lp_communication_map_connection(
                      self->job->map, (LpConnectionKind)(LP_CONNECTION_MESSAGES + line), rank));
        lp_activities_add(&self->all, &message,
                          self->n_sends[stage * LP_N_PIPELINE_DIRECTIONS + line]);
    }
}

/* --- communicators --- */

/* What members do depends on how they stand; without a quotient, alike ones are counted once. */
static LpActivities
collective_size(Count *self, const LpCollectiveActors *actors, gsize op)
{
    const LpOp *what = lp_program_op(program_of(self), (guint)op);
    if (actors->quotient != NULL || actors->as_delay)
        return lp_collective_size(actors, what);
    const LpSites *sites = &actors->ring->sites;
    g_autoptr(GString) key_text = g_string_new(NULL);
    g_string_append_printf(
        key_text, "%" G_GSIZE_FORMAT " %" G_GUINT64_FORMAT " %d %" G_GUINT64_FORMAT, op,
        actors->ring->n_members, sites->is_regular ? 1 : 0, (guint64)sites->n_intra);
    for (guint32 d = 0; d < sites->n_dimensions; d++)
        g_string_append_printf(key_text, " %" G_GUINT64_FORMAT, sites->dimension[d]);
    g_autofree char *key = g_strdup(key_text->str);
    LpActivities *size = g_hash_table_lookup(self->known, key);
    if (size == NULL) {
        size = g_new(LpActivities, 1);
        *size = lp_collective_size(actors, what);
        g_hash_table_insert(self->known, g_steal_pointer(&key), size);
    }
    return *size;
}

/* All collectives of a communicator: its members' stages run the same. */
static void
add_communicator(Count *self, const LpCommunicator *communicator, LpCollectiveActors actors)
{
    const LpProgram *program = program_of(self);
    guint32 stage = lp_program_rank_stage(program, communicator->ranks[0]);
    LpIsolatedRing ring;
    lp_isolated_ring_init(&ring, self->job->map, self->job->cache, communicator);
    actors.ring = &ring;
    actors.fidelity = self->job->tasks->mode.fidelity;
    double waiting_s = 0.0;
    for (gsize op = 0; op < program->ops->len; op++) {
        if (self->n_runs[op] == 0 || self->stage_of[op] != stage ||
            lp_program_op(program, (guint)op)->group != communicator->group)
            continue;
        LpActivities size = collective_size(self, &actors, op);
        lp_activities_add(&self->all, &size, self->n_runs[op]);
        waiting_s +=
            (double)self->n_runs[op] *
            lp_isolated_ring_time_s(&ring, lp_program_op(program, (guint)op), actors.fidelity);
    }
    double *longest_s = &self->waiting_s[stage * LP_N_GROUPS + communicator->group];
    *longest_s = MAX(*longest_s, waiting_s);
    lp_isolated_ring_clear(&ring);
}

static void
add_communicators(Count *self, LpGroup group)
{
    const LpCommunicators *communicators = self->job->map->communicators;
    for (guint i = 0; i < lp_communicators_n(communicators, group); i++) {
        const LpCommunicator *communicator = lp_communicators_get(communicators, group, i);
        gboolean alone = group == LP_GROUP_TP && self->job->contention->tp_mirrored;
        LpCollectiveActors actors = {
            .n_actors = alone ? 1 : communicator->n_members,
            .as_delay = lp_run_placement_is_delay(&self->run_placement, communicator)};
        if (lp_run_job_simulates(self->job, communicator->ranks[0]))
            add_communicator(self, communicator, actors);
    }
}

static void
add_class(Count *self, const LpCommunicator *own, guint32 class, guint64 n_actors)
{
    LpCollectiveActors actors = {
        .n_actors = n_actors, .as_delay = TRUE, .quotient = lp_run_job_quotient(self->job)};
    if (actors.quotient != NULL) {
        actors.classes = lp_quotient_communicator(actors.quotient, own->group, class);
        actors.as_delay = !actors.classes->has_flows;
        own = actors.classes->communicator;
    }
    add_communicator(self, own, actors);
}

/* One communicator for all of a class, with an actor for each class of ranks in it. */
static void
add_class_communicators(Count *self, const LpRankEquivalence *classes, LpGroup group)
{
    const LpCommunicators *communicators = self->job->map->communicators;
    guint n = lp_communicators_n(communicators, group);
    g_autofree guint64 *n_actors = g_new0(guint64, n);
    g_autofree const LpCommunicator **first = g_new0(const LpCommunicator *, n);
    for (guint32 i = 0; i < classes->n_classes; i++) {
        const LpCommunicator *own = lp_communicators_of(communicators, group, classes->first[i]);
        if (own == NULL)
            continue;
        guint32 class = classes->of_group[group][lp_communicators_number(communicators, own)];
        first[class] = first[class] == NULL ? own : first[class];
        n_actors[class]++;
    }
    for (guint32 i = 0; i < n; i++)
        if (first[i] != NULL)
            add_class(self, first[i], i, n_actors[i]);
}

/* --- all --- */

static Count
count_new(const LpRunJob *job)
{
    const LpProgram *program = job->map->program;
    guint32 n_stages = program->pipeline.n_stages;
    Count self = {
        .job = job,
        .run_placement = {.map = job->map, .contention = job->contention, .tasks = job->tasks},
        .n_stages = n_stages,
        .n_ranks = g_new0(guint64, n_stages),
        .n_delays = g_new0(guint64, n_stages),
        .computing_s = g_new0(double, n_stages),
        .waiting_s = g_new0(double, (gsize)n_stages *LP_N_GROUPS),
        .n_host_waits = g_new0(guint64, n_stages),
        .n_sends = g_new0(guint64, (gsize)n_stages * LP_N_PIPELINE_DIRECTIONS),
        .n_runs = g_new0(guint64, program->ops->len),
        .stage_of = g_new0(guint32, program->ops->len),
        .known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free),
    };
    for (LpGroup group = 0; group < LP_N_GROUPS; group++)
        self.first[group] = g_hash_table_new(lp_op_hash, lp_op_is_alike);
    return self;
}

static void
count_clear(Count *self)
{
    g_free(self->n_ranks);
    g_free(self->n_delays);
    g_free(self->computing_s);
    g_free(self->waiting_s);
    g_free(self->n_host_waits);
    g_free(self->n_sends);
    g_free(self->n_runs);
    g_free(self->stage_of);
    g_hash_table_unref(self->known);
    for (LpGroup group = 0; group < LP_N_GROUPS; group++)
        g_hash_table_unref(self->first[group]);
}

/* An iteration, as if nothing met or hid anything else. A pipeline takes as many steps more as it
 * has stages less one. */
static double
iteration_s(const Count *self)
{
    const LpPipeline *pipeline = &program_of(self)->pipeline;
    double longest_s = 0.0, n_passes = pipeline->n_micro_batches * MAX(pipeline->n_chunks, 1u);
    for (guint32 stage = 0; stage < self->n_stages; stage++) {
        double sum_s = self->computing_s[stage];
        for (LpGroup group = 0; group < LP_N_GROUPS; group++)
            sum_s += self->waiting_s[stage * LP_N_GROUPS + group];
        longest_s = MAX(longest_s, sum_s);
    }
    return longest_s * (1.0 + (pipeline->n_stages - 1) / MAX(n_passes, 1.0));
}

LpRunSize
lp_run_size(const LpRunJob *job)
{
    const LpRankEquivalence *classes = lp_run_job_classes(job);
    Count count = count_new(job);
    LpRunSize size = {.n_actors = lp_run_job_n_actors(job)};
    walk_stages(&count);
    for (guint64 rank = 0; rank < job->map->n_ranks; rank++)
        if (lp_run_job_simulates(job, rank))
            add_rank(&count, rank);
    for (LpGroup group = 0; group < LP_N_GROUPS; group++)
        if (classes != NULL)
            add_class_communicators(&count, classes, group);
        else
            add_communicators(&count, group);
    for (guint32 stage = 0; stage < count.n_stages; stage++)
        size.n_ranks += count.n_ranks[stage];
    size.lasts_s = iteration_s(&count) * job->n_iterations;
    lp_activities_add(&size.activities, &count.all, job->n_iterations);
    count_clear(&count);
    return size;
}
