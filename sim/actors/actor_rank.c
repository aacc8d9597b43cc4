/* SPDX-License-Identifier: Apache-2.0 */
/* The actors of a rank: they walk through its stage's program. */
#include "sim/actors/actor_rank.h"

#include "sim/actors/piece_run.h"

#include <simgrid/actor.h>
#include <simgrid/barrier.h>
#include <simgrid/engine.h>

/* What is handed to a communication stream: a collective, a message, or, with neither, its end. */
typedef struct {
    const LpOp *op; /* borrowed from the iteration */
    double delay_s;
    LpChannel *channel; /* borrowed */
    LpLine line;        /* of the message */
    LpClock clock;      /* of the rank when it launched it */
} Launch;

struct LpRankStream {
    LpRank *rank; /* borrowed */
    LpStream kind;
    GQueue launches;    /* owned Launch */
    LpTokens *launched; /* owned: one a launch */
    guint64 n_launched, n_finished;
    LpClock clock; /* only where circuits are switched: of what the stream waited for */
};

/* --- the host --- */

/* Whether the host waits for the device behind all that it issues. */
static gboolean
takes_turns(const LpRank *self)
{
    return self->run->program->execution.host_sync == LP_HOST_SYNC_KERNELS;
}

/* Nothing starts before the host has issued it: waits for the host if it is behind, and gives it
 * @host_s more to do, for which it is waited at once where they take turns. */
static void
issue(LpRank *self, double host_s)
{
    double now_s = simgrid_get_clock();
    if (takes_turns(self)) {
        self->host_s = now_s + host_s;
        host_s = 0.0;
    }
    if (self->host_s > now_s) {
        lp_watch_sleep(self->run->watch, self->host_s - now_s);
        self->run->n_delays++;
        lp_clock_charge(&self->clock, LP_TERM_HOST, simgrid_get_clock());
    }
    self->host_s += host_s;
}

/* The host has waited for the device: it issues nothing before now. */
static void
synchronise(LpRank *self, LpHostSync where)
{
    if (self->run->program->execution.host_sync >= where)
        self->host_s = MAX(self->host_s, simgrid_get_clock());
}

/* --- streams --- */

/* Whether a communication kernel holds multiprocessors: from its launch on, waiting or not.
 * Messages between stages are copies, and hold none. */
static gboolean
communicates(const LpRank *self)
{
    for (LpStream stream = 0; stream < LP_STREAM_PP; stream++)
        if (self->streams[stream] != NULL &&
            self->streams[stream]->n_launched > self->streams[stream]->n_finished)
            return TRUE;
    return FALSE;
}

/* Computes for @duration_s, longer by the factor while communication runs beside it. */
static void
compute(LpRank *self, double duration_s)
{
    double slowdown = self->run->program->execution.slowdown;
    self->run->n_delays++;
    while (slowdown > 1.0 && duration_s > 0.0 && communicates(self)) {
        double start_s = simgrid_get_clock();
        gboolean timed_out =
            lp_watch_sleep_or(self->run->watch, self->progressed, duration_s * slowdown);
        double elapsed_s = simgrid_get_clock() - start_s;
        lp_meter_add_slowed(&self->meter, elapsed_s - elapsed_s / slowdown);
        duration_s = timed_out ? 0.0 : MAX(duration_s - elapsed_s / slowdown, 0.0);
    }
    if (duration_s > 0.0)
        lp_watch_sleep(self->run->watch, duration_s);
}

static void
hand_over(LpRank *self, LpStream kind, Launch launch)
{
    LpRankStream *stream = self->streams[kind];
    Launch *item = g_new(Launch, 1);
    *item = launch;
    item->clock = self->clock;
    stream->n_launched++;
    g_queue_push_tail(&stream->launches, item);
    lp_tokens_put(stream->launched);
}

static void
join(LpRank *self, LpStream kind, guint n_pending, LpTerm term)
{
    LpRankStream *stream = self->streams[kind];
    if (stream->n_launched <= stream->n_finished + n_pending)
        return;
    double start_s = self->clock.at_s;
    lp_meter_join(&self->meter, kind, simgrid_get_clock());
    self->joined = stream;
    self->n_finished_wanted = stream->n_launched - n_pending;
    while (stream->n_finished < self->n_finished_wanted)
        lp_tokens_take(self->progressed);
    self->joined = NULL;
    lp_meter_leave(&self->meter, kind);
    lp_clock_charge(&self->clock, term, simgrid_get_clock());
    if (self->run->has_circuits && self->clock.at_s > start_s)
        lp_clock_follow(&self->clock, &stream->clock.circuits, term, start_s);
}

/* --- tasks --- */

/* On a device that the host feeds (LpWork): what exceeds the device's own time is the host's. */
static void
run_work(LpRank *self, const LpTask *task)
{
    double factor =
        task->loaded ? lp_program_expert_load(self->run->program, task->draw, self->rank) : 1.0;
    LpWork work = lp_work_scale(task->work, factor);
    if (self->straggler != NULL) {
        double slowness = lp_straggler_draw(self->straggler, self->clock.at_s, work.device_s);
        work = lp_straggler_slow(work, slowness, self->run->program->execution.collective_host_s);
        factor *= slowness;
    }
    double start_s = self->clock.at_s;
    double waited_s = lp_work_waited_s(&work, self->host_s, start_s, takes_turns(self));
    self->host_s = lp_work_host_end_s(&work, self->host_s, start_s);
    compute(self, work.device_s + waited_s);
    double end_s = simgrid_get_clock(), slowed_s = end_s - start_s - work.device_s - waited_s;
    lp_clock_spend_work(&self->clock, &task->terms, factor, waited_s, slowed_s);
    self->clock.at_s = end_s;
}

/* The clock runs ahead of the engine's, which follows at the end. */
static void
run_pieces(LpRank *self, const LpTask *task)
{
    LpPieceRun run = {.clock = &self->clock,
                      .meter = &self->meter,
                      .under_way = self->under_way,
                      .host_s = self->host_s,
                      .takes_turns = takes_turns(self),
                      .slowdown = MAX(self->run->program->execution.slowdown, 1.0)};
    for (guint i = 0; i < task->n_pieces; i++)
        lp_piece_run(&run,
                     &g_array_index(self->run->tasks->pieces, LpPiece, task->first_piece + i));
    self->host_s = run.host_s;
    double left_s = self->clock.at_s - simgrid_get_clock();
    if (left_s > 0.0)
        lp_watch_sleep(self->run->watch, left_s);
    self->run->n_delays++;
    lp_clock_charge(&self->clock, LP_TERM_COMPUTE, simgrid_get_clock()); /* rounding */
}

/* What the merged collectives of a delay moved, by the whole group. */
static void
count_merged(LpRank *self, const LpTask *task, double start_s)
{
    LpCommunicatorRuntime *group = self->groups[LP_GROUP_TP];
    LpRuntimeLog *log = group == NULL ? NULL : lp_communicator_runtime_log(group);
    for (LpTraffic traffic = 0; traffic < LP_N_TRAFFIC; traffic++) {
        self->run->tp_bytes[traffic] += task->traffic_bytes[traffic] * self->n_led;
        if (log == NULL)
            continue;
        double bytes = (double)(task->traffic_bytes[traffic] * self->n_led) / log->weight;
        lp_runtime_log_delay(log, 0, traffic, bytes, start_s, self->clock.at_s);
    }
}

static void
run_delay(LpRank *self, const LpTask *task, const LpStep *step)
{
    for (LpGroup group = 0; group < LP_N_GROUPS; group++)
        if ((task->gathers & (1u << group)) != 0 && self->groups[group] != NULL)
            lp_communicator_runtime_gather(self->groups[group], self->index[group], NULL,
                                           &self->clock);
    LpClock before = self->clock;
    if (task->n_pieces > 0)
        run_pieces(self, task);
    else
        run_work(self, task);
    if (task->gathers != 0 && self->n_led > 0)
        count_merged(self, task, before.at_s);
    lp_rank_trace_delay(&self->trace, task, step, &before, &self->clock);
}

static void
run_collective(LpRank *self, const LpTask *task, const LpStep *step)
{
    LpGroup group = task->op->group;
    issue(self, task->work.host_s);
    double start_s = simgrid_get_clock();
    lp_communicator_runtime_run(self->groups[group], self->index[group], task->op, task->delay_s,
                                &self->clock, NULL, 0);
    lp_rank_trace_collective(&self->trace, task->op, step, start_s, self->clock.at_s);
}

static void
run_task(LpRank *self, const LpTask *task, const LpStep *step)
{
    switch (task->kind) {
    case LP_TASK_DELAY:
        run_delay(self, task, step);
        return;
    case LP_TASK_COLLECTIVE:
        run_collective(self, task, step);
        return;
    case LP_TASK_LAUNCH:
        issue(self, task->work.host_s);
        hand_over(self, task->op->stream, (Launch){.op = task->op, .delay_s = task->delay_s});
        return;
    case LP_TASK_JOIN:
        join(self, task->op->stream, task->op->n_pending, task->op->term);
        return;
    }
}

static void
run_segment(LpRank *self, const LpStep *step)
{
    LpTaskRange range = lp_tasks_of_step(self->run->tasks, self->run->program, step);
    synchronise(self, LP_HOST_SYNC_PASSES);
    for (guint i = 0; i < range.n; i++)
        run_task(self, &g_array_index(self->run->tasks->tasks, LpTask, range.first + i), step);
}

static void
send_message(LpRank *self, LpChannel *channel, LpClock *clock)
{
    lp_channel_send(channel, self->run->program->pipeline.message_bytes,
                    lp_channel_route(channel)->latency_s, clock);
}

/* While the compute stream waits for others, they may take its circuits. */
static void
set_waiting(LpRank *self, gboolean is_waiting)
{
    if (self->run->circuits != NULL)
        lp_circuits_set_waiting(self->run->circuits, self->rank, is_waiting);
}

static void
run_send(LpRank *self, const LpStep *step)
{
    LpChannel *channel = self->out[step->line];
    issue(self, self->run->tasks->message_host_s);
    double start_s = simgrid_get_clock();
    if (self->streams[LP_STREAM_PP] != NULL) {
        hand_over(self, LP_STREAM_PP, (Launch){.channel = channel, .line = step->line});
        return;
    }
    set_waiting(self, TRUE);
    send_message(self, channel, &self->clock);
    set_waiting(self, FALSE);
    lp_clock_charge(&self->clock, LP_TERM_PP, simgrid_get_clock());
    synchronise(self, LP_HOST_SYNC_MESSAGES);
    lp_rank_trace_send(&self->trace, step->line, lp_channel_n_sent(channel), step, start_s,
                       self->clock.at_s);
}

/* Until the message starts on its way, the rank waits for the other stage: that is the bubble. */
static void
run_receive(LpRank *self, const LpStep *step)
{
    issue(self, self->run->tasks->message_host_s);
    double start_s = simgrid_get_clock();
    LpChannel *channel = self->in[step->line];
    guint32 sender = lp_program_rank_stage(self->run->program, lp_channel_sender(channel));
    set_waiting(self, TRUE);
    LpArrival arrival = lp_channel_receive(channel);
    set_waiting(self, FALSE);
    double now_s = simgrid_get_clock();
    double exposed_from_s = CLAMP(arrival.started_s, start_s, now_s);
    double circuits_from_s = CLAMP(arrival.ready_s, exposed_from_s, now_s);
    lp_clock_charge_to(&self->clock, LP_TERM_BUBBLE, sender, circuits_from_s);
    if (self->run->has_circuits && circuits_from_s > start_s)
        lp_clock_follow(&self->clock, &arrival.circuits, LP_TERM_BUBBLE, start_s);
    lp_clock_charge_to(&self->clock, LP_TERM_PP, sender, now_s);
    lp_meter_add_exposed(&self->meter, now_s - exposed_from_s);
    synchronise(self, LP_HOST_SYNC_MESSAGES);
    lp_rank_trace_receive(&self->trace, sender, arrival.number, step, start_s, circuits_from_s,
                          self->clock.at_s);
}

static void
run_step(LpRank *self, const LpStep *step)
{
    switch (step->kind) {
    case LP_STEP_SEGMENT:
        run_segment(self, step);
        break;
    case LP_STEP_SEND:
        run_send(self, step);
        break;
    case LP_STEP_RECV:
        run_receive(self, step);
        break;
    }
    LpStepCount *progress = self->run->progress;
    progress->n_done++;
    if (progress->show != NULL)
        progress->show(progress->n_done, progress->n_steps, progress->data);
}

/* --- streams --- */

static gboolean
runs_on(const LpRank *self, LpGroup group, LpStream stream)
{
    return self->groups[group] != NULL &&
           lp_communicator_runtime_communicator(self->groups[group])->stream == stream;
}

/* Nothing may be sent before its receiver is known to the engine. */
static void
attach_group(LpRank *self, LpGroup group)
{
    LpCommunicatorRuntime *ring = self->groups[group];
    LpChannel *inbox =
        ring == NULL ? NULL : lp_communicator_runtime_inbox(ring, self->index[group]);
    if (inbox != NULL)
        lp_channel_attach_receiver(inbox);
}

static void
compute_stream(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    LpRank *self = sg_actor_self_get_data();
    const LpProgram *program = self->run->program;
    const LpStageProgram *stage_program = lp_program_stage(program, self->stage);
    for (LpLine line = 0; line < LP_N_LINES; line++)
        if (self->in[line] != NULL)
            lp_channel_attach_receiver(self->in[line]);
    for (LpGroup group = 0; group < LP_N_GROUPS; group++)
        if (runs_on(self, group, LP_N_STREAMS))
            attach_group(self, group);
    (void)sg_barrier_wait(self->run->start);
    if (self->run->start_s > 0.0)
        lp_watch_sleep(self->run->watch, self->run->start_s);
    self->clock.at_s = self->host_s = simgrid_get_clock();
    self->clock.waits = self->run->waits;
    self->clock.stage = self->stage;
    for (guint32 n = 0; n < self->run->n_iterations; n++)
        for (guint i = 0; i < stage_program->n_steps; i++)
            run_step(self, lp_program_step(program, stage_program->first_step + i));
    self->run->n_waiting--;
    for (LpStream stream = 0; stream < LP_N_STREAMS; stream++)
        if (self->streams[stream] != NULL)
            hand_over(self, stream, (Launch){.op = NULL});
}

/* The stream's own clock, which only circuits need. What begins when it is launched goes on from
 * the rank's path, what had to wait from the stream's. */
static LpClock *
stream_clock(LpRank *self, const Launch *launch, LpStream kind)
{
    if (!self->run->has_circuits)
        return NULL;
    LpClock *clock = &self->streams[kind]->clock;
    if (launch->clock.at_s >= clock->at_s)
        *clock = launch->clock;
    lp_clock_charge(clock, LP_TERM_BUBBLE, simgrid_get_clock());
    return clock;
}

static void
run_launch(LpRank *self, const Launch *launch, LpStream kind)
{
    double start_s = simgrid_get_clock();
    LpClock *clock = stream_clock(self, launch, kind);
    if (launch->channel != NULL) {
        send_message(self, launch->channel, clock);
        lp_rank_trace_send(&self->trace, launch->line, lp_channel_n_sent(launch->channel), NULL,
                           start_s, simgrid_get_clock());
        return;
    }
    const LpOp *op = launch->op;
    lp_communicator_runtime_run(self->groups[op->group], self->index[op->group], op,
                                launch->delay_s, clock, &self->meter, kind);
    lp_rank_trace_collective(&self->trace, op, NULL, start_s, simgrid_get_clock());
}

/* Whether the compute stream goes on, or goes on otherwise, now that @stream has finished
 * something: each call of it costs more than to ask. */
static gboolean
matters(const LpRank *self, const LpRankStream *stream)
{
    if (self->joined == NULL)
        return !communicates(self);
    return stream == self->joined && stream->n_finished >= self->n_finished_wanted;
}

static void
communication_stream(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    LpRankStream *stream = sg_actor_self_get_data();
    LpRank *self = stream->rank;
    for (LpGroup group = 0; group < LP_N_GROUPS; group++)
        if (runs_on(self, group, stream->kind))
            attach_group(self, group);
    (void)sg_barrier_wait(self->run->start);
    for (;;) {
        lp_tokens_take(stream->launched);
        g_autofree Launch *item = g_queue_pop_head(&stream->launches);
        if (item->op == NULL && item->channel == NULL)
            return;
        run_launch(self, item, stream->kind);
        stream->n_finished++;
        if (matters(self, stream))
            lp_tokens_wake(self->progressed);
    }
}

static void
start_actor(void *data, struct s4u_Host *home, xbt_main_func_t code)
{
    sg_actor_t actor = sg_actor_init("rank", home);
    sg_actor_set_data(actor, data);
    sg_actor_start_(actor, code, 0, NULL);
}

void
lp_rank_start(LpRank *self, struct s4u_Host *home, struct s4u_Host *const *stream_homes)
{
    self->progressed = lp_tokens_new();
    for (LpStream kind = 0; kind < LP_N_STREAMS; kind++) {
        self->under_way[kind] = g_array_new(FALSE, FALSE, sizeof(double));
        if (stream_homes[kind] == NULL)
            continue;
        LpRankStream *stream = g_new0(LpRankStream, 1);
        stream->rank = self;
        stream->kind = kind;
        g_queue_init(&stream->launches);
        stream->launched = lp_tokens_new();
        self->streams[kind] = stream;
        start_actor(stream, stream_homes[kind], (xbt_main_func_t)communication_stream);
    }
    start_actor(self, home, (xbt_main_func_t)compute_stream);
}

void
lp_rank_clear(LpRank *self)
{
    for (LpLine line = 0; line < LP_N_LINES; line++)
        g_clear_pointer(&self->out[line], lp_channel_free);
    for (LpStream kind = 0; kind < LP_N_STREAMS; kind++) {
        g_clear_pointer(&self->under_way[kind], g_array_unref);
        LpRankStream *stream = self->streams[kind];
        if (stream == NULL)
            continue;
        g_queue_clear_full(&stream->launches, g_free);
        lp_tokens_free(stream->launched);
        g_clear_pointer(&self->streams[kind], g_free);
    }
    g_clear_pointer(&self->progressed, lp_tokens_free);
}
