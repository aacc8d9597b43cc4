/* SPDX-License-Identifier: Apache-2.0 */
/* The actors of a rank: they walk through its stage's program. */
#include "sim/actors/actor_rank.h"

#include "sim/actors/piece_run.h"

#include <simgrid/actor.h>
#include <simgrid/barrier.h>
#include <simgrid/engine.h>

/* --- the host --- */

/* Whether the host waits for the device behind all that it issues. */
static gboolean
is_host_synchronous(const LpRank *self)
{
    return self->run->program->execution.host_sync == LP_HOST_SYNC_KERNELS;
}

/* Nothing starts before the host has issued it: waits for the host if it is behind, and gives it
 * @host_s more to do, for which it is waited at once where they take turns: @in_turn. */
static void
issue(LpRank *self, double host_s, gboolean in_turn)
{
    double now_s = simgrid_get_clock();
    if (in_turn) {
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

/* --- tasks --- */

/* Computes for @duration_s, longer by the factor while communication runs beside it. */
static void
compute(LpRank *self, double duration_s)
{
    double slowdown = self->run->program->execution.slowdown;
    self->run->n_delays++;
    while (slowdown > 1.0 && duration_s > 0.0 && lp_rank_communicates(self)) {
        double start_s = simgrid_get_clock();
        gboolean timed_out =
            lp_watch_sleep_or(self->run->watch, self->progressed, duration_s * slowdown);
        double elapsed_s = simgrid_get_clock() - start_s;
        lp_overlap_meter_add_slowed(&self->meter, elapsed_s - elapsed_s / slowdown);
        duration_s = timed_out ? 0.0 : MAX(duration_s - elapsed_s / slowdown, 0.0);
    }
    if (duration_s > 0.0)
        lp_watch_sleep(self->run->watch, duration_s);
}

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
    double waited_s = lp_work_waited_s(&work, self->host_s, start_s, is_host_synchronous(self));
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
                      .is_host_synchronous = is_host_synchronous(self),
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
        self->run->tp_bytes[traffic] += task->traffic_bytes[traffic] * self->n_tensor_groups;
        if (log == NULL)
            continue;
        double bytes = (double)(task->traffic_bytes[traffic] * self->n_tensor_groups) / log->weight;
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
    if (task->gathers != 0 && self->n_tensor_groups > 0)
        count_merged(self, task, before.at_s);
    lp_rank_trace_delay(&self->trace, task, step, &before, &self->clock);
}

/* Issues a collective, for which the host waits first until its stream is done with another
 * library's. Returns: what the stream waits for an event behind that, s. */
static double
issue_collective(LpRank *self, const LpTask *task)
{
    const LpLibraryChanges *changes = &self->run->tasks->changes;
    LpStream stream = task->op->stream;
    guint32 last = self->library[stream];
    gboolean is_change = last != 0 && last != task->library;
    self->library[stream] = task->library;
    if (is_change && changes->kind == LP_LIBRARY_SWITCH_HOST) {
        if (stream != LP_N_STREAMS)
            lp_rank_join(self, stream, 0, LP_TERM_HOST);
        issue(self, 0.0, FALSE);
        issue(self, task->work.host_s, TRUE);
        return 0.0;
    }
    issue(self, task->work.host_s, is_host_synchronous(self));
    return is_change ? changes->device_s : 0.0;
}

static void
run_collective(LpRank *self, const LpTask *task, const LpStep *step)
{
    LpGroup group = task->op->group;
    double change_s = issue_collective(self, task);
    if (change_s > 0.0) {
        lp_watch_sleep(self->run->watch, change_s);
        self->run->n_delays++;
        lp_clock_charge(&self->clock, LP_TERM_HOST, simgrid_get_clock());
    }
    double start_s = simgrid_get_clock();
    LpCommunicatorCall call = {.op = task->op, .delay_s = task->delay_s, .clock = &self->clock};
    lp_communicator_runtime_run(self->groups[group], self->index[group], &call);
    lp_rank_trace_collective(&self->trace, task->op, step, start_s, self->clock.at_s);
}

static void
launch(LpRank *self, const LpTask *task)
{
    LpRankLaunch launch = {.op = task->op, .delay_s = task->delay_s};
    if (lp_op_is_collective(task->op))
        launch.change_s = issue_collective(self, task);
    else
        issue(self, task->work.host_s, is_host_synchronous(self));
    lp_rank_hand_over(self, task->op->stream, launch);
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
        launch(self, task);
        return;
    case LP_TASK_JOIN:
        lp_rank_join(self, task->op->stream, task->op->n_pending, task->op->term);
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
    LpChannel *channel = self->out[step->direction];
    issue(self, self->run->tasks->message_host_s, is_host_synchronous(self));
    double start_s = simgrid_get_clock();
    LpStream stream = lp_program_message_stream(self->run->program, step->direction);
    if (stream != LP_N_STREAMS) {
        lp_rank_hand_over(
            self, stream,
            (LpRankLaunch){.channel = channel, .direction = step->direction, .bytes = step->bytes});
        return;
    }
    set_waiting(self, TRUE);
    lp_rank_send_message(channel, step->bytes, &self->clock);
    set_waiting(self, FALSE);
    lp_clock_charge(&self->clock, LP_TERM_PP, simgrid_get_clock());
    synchronise(self, LP_HOST_SYNC_MESSAGES);
    LpTracedMessage message = {.step = step,
                               .direction = step->direction,
                               .number = lp_channel_n_sent(channel),
                               .bytes = step->bytes,
                               .start_s = start_s,
                               .end_s = self->clock.at_s};
    lp_rank_trace_send(&self->trace, &message);
}

/* Until the message starts on its way, the rank waits for the other stage: that is the bubble. */
static void
run_receive(LpRank *self, const LpStep *step)
{
    issue(self, self->run->tasks->message_host_s, is_host_synchronous(self));
    double start_s = simgrid_get_clock();
    LpChannel *channel = self->in[step->direction];
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
    double ended_s = MIN(arrival.ended_s, now_s);
    lp_overlap_meter_add_flight(&self->meter, arrival.started_s, ended_s);
    lp_overlap_meter_add_exposed(&self->meter, MAX(ended_s - exposed_from_s, 0.0));
    synchronise(self, LP_HOST_SYNC_MESSAGES);
    LpTracedMessage message = {.step = step,
                               .direction = step->direction,
                               .sender = sender,
                               .number = arrival.number,
                               .bytes = step->bytes,
                               .start_s = start_s,
                               .sent_s = circuits_from_s,
                               .end_s = self->clock.at_s};
    lp_rank_trace_receive(&self->trace, &message);
}

/* Whether the run has taken, or must take, more than it may: then it ends here. */
static gboolean
stops(LpRank *self, const LpStep *step)
{
    LpRun *run = self->run;
    if (run->limit == NULL ||
        !lp_run_limit_is_passed(run->limit, run->program, step, simgrid_get_clock() - run->start_s,
                                &run->least_s))
        return FALSE;
    run->is_past_limit = TRUE;
    sg_actor_kill_all();
    return TRUE;
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
        progress->show((double)progress->n_done, progress->n_steps, progress->data);
}

static void
compute_stream(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    LpRank *self = sg_actor_self_get_data();
    const LpProgram *program = self->run->program;
    const LpStageProgram *stage_program = lp_program_stage(program, self->stage);
    for (LpPipelineDirection line = 0; line < LP_N_PIPELINE_DIRECTIONS; line++)
        if (self->in[line] != NULL)
            lp_channel_attach_receiver(self->in[line]);
    lp_rank_attach_groups(self, LP_N_STREAMS);
    (void)sg_barrier_wait(self->run->start);
    if (self->run->start_s > 0.0)
        lp_watch_sleep(self->run->watch, self->run->start_s);
    self->clock.at_s = self->host_s = simgrid_get_clock();
    self->clock.waits = self->run->waits;
    self->clock.stage = self->stage;
    for (guint32 n = 0; n < self->run->n_iterations; n++)
        for (guint i = 0; i < stage_program->n_steps; i++) {
            const LpStep *step = lp_program_step(program, stage_program->first_step + i);
            if (stops(self, step))
                return;
            run_step(self, step);
        }
    self->run->n_waiting--;
    for (LpStream stream = 0; stream < LP_N_STREAMS; stream++)
        if (self->streams[stream] != NULL)
            lp_rank_hand_over(self, stream, (LpRankLaunch){.op = NULL});
}

void
lp_rank_start(LpRank *self, struct s4u_Host *host, struct s4u_Host *const *stream_hosts)
{
    self->progressed = lp_tokens_new();
    for (LpStream kind = 0; kind < LP_N_STREAMS; kind++) {
        if (lp_stream_is_inner(kind) || kind == LP_STREAM_DP)
            self->under_way[kind] = g_array_new(FALSE, FALSE, sizeof(double));
        if (stream_hosts[kind] == NULL)
            continue;
        self->streams[kind] = lp_rank_stream_new(self, kind);
        lp_rank_stream_start(self->streams[kind], stream_hosts[kind]);
    }
    sg_actor_t actor = sg_actor_init("rank", host);
    sg_actor_set_data(actor, self);
    sg_actor_start_(actor, (xbt_main_func_t)compute_stream, 0, NULL);
}

void
lp_rank_clear(LpRank *self)
{
    for (LpPipelineDirection line = 0; line < LP_N_PIPELINE_DIRECTIONS; line++)
        g_clear_pointer(&self->out[line], lp_channel_free);
    for (LpStream kind = 0; kind < LP_N_STREAMS; kind++) {
        g_clear_pointer(&self->under_way[kind], g_array_unref);
        g_clear_pointer(&self->streams[kind], lp_rank_stream_free);
    }
    g_clear_pointer(&self->progressed, lp_tokens_free);
}
