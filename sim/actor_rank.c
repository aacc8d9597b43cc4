/* SPDX-License-Identifier: Apache-2.0 */
/* The actors of a rank: they walk through its stage's program. */
#include "sim/actor_rank.h"

#include <simgrid/actor.h>
#include <simgrid/barrier.h>
#include <simgrid/engine.h>
#include <simgrid/semaphore.h>

/* A collective handed to the gradient stream; a NULL op asks it to report that it has drained. */
typedef struct {
    const LpOp *op; /* borrowed from the iteration */
    double delay_s;
} Launch;

struct LpGradientStream {
    GQueue queue;      /* owned Launch */
    sg_sem_t launched; /* owned: counts the queue */
    sg_sem_t drained;  /* owned */
};

static void
trace(LpRank *self, const char *name, LpStream stream, const LpStep *step, double start_s)
{
    if (!self->traced)
        return;
    const LpSegment *segment = lp_iteration_segment(self->run->iteration, step->segment);
    gboolean finish = g_str_equal(segment->name, "finish");
    lp_timeline_add(self->run->timeline,
                    (LpSlice){.name = name,
                              .stage = self->stage,
                              .stream = stream,
                              .micro_batch = finish ? -1 : (gint32)step->micro_batch,
                              .chunk = segment->chunk,
                              .start_s = start_s,
                              .end_s = self->clock.at_s});
}

static LpStream
stream_of_group(LpGroup group)
{
    return group == LP_GROUP_TP ? LP_STREAM_TP : LP_STREAM_DP;
}

static const char *
delay_name(const LpRank *self, const LpTask *task, const LpStep *step)
{
    return task->terms.s[LP_TERM_OPTIMIZER] > 0.0
               ? "optimizer"
               : lp_iteration_segment(self->run->iteration, step->segment)->name;
}

static void
run_delay(LpRank *self, const LpTask *task, const LpStep *step)
{
    LpProcessGroup *tp = self->groups[LP_GROUP_TP];
    if (task->gathers)
        lp_process_group_gather(tp, &self->clock);
    double start_s = self->clock.at_s;
    sg_actor_sleep_for(task->duration_s);
    self->run->n_delays++;
    for (LpTerm term = 0; term < LP_N_TERMS; term++)
        self->clock.terms.s[term] += task->terms.s[term];
    self->clock.at_s = simgrid_get_clock();
    if (task->gathers && self->index[LP_GROUP_TP] == 0)
        for (LpTraffic traffic = 0; traffic < LP_N_TRAFFIC; traffic++)
            self->run->tp_bytes[traffic] += task->traffic_bytes[traffic];
    trace(self, delay_name(self, task, step), LP_STREAM_COMPUTE, step, start_s);
}

static void
run_collective(LpRank *self, const LpTask *task, const LpStep *step)
{
    LpGroup group = task->op->group;
    double start_s = simgrid_get_clock();
    lp_process_group_run(self->groups[group], self->index[group], task->op, task->delay_s,
                         &self->clock, NULL);
    trace(self, lp_collective_names[task->op->collective], stream_of_group(group), step, start_s);
}

static void
launch(LpRank *self, const LpTask *task)
{
    Launch *item = g_new(Launch, 1);
    *item = (Launch){task->op, task->delay_s};
    g_queue_push_tail(&self->gradients->queue, item);
    sg_sem_release(self->gradients->launched);
}

static void
join(LpRank *self)
{
    Launch *marker = g_new0(Launch, 1);
    double start_s = simgrid_get_clock();
    g_queue_push_tail(&self->gradients->queue, marker);
    sg_sem_release(self->gradients->launched);
    self->meter.is_joining = TRUE;
    self->meter.joining_since_s = start_s;
    sg_sem_acquire(self->gradients->drained);
    self->meter.is_joining = FALSE;
    lp_clock_charge(&self->clock, LP_TERM_DP, simgrid_get_clock());
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
        join(self);
        return;
    }
}

static void
run_segment(LpRank *self, const LpStep *step)
{
    const LpTaskRange *range = &self->run->tasks->ranges[step->segment];
    for (guint i = 0; i < range->n; i++)
        run_task(self, &g_array_index(self->run->tasks->tasks, LpTask, range->first + i), step);
}

static void
run_send(LpRank *self, const LpStep *step)
{
    LpChannel *channel = self->out[step->direction];
    double start_s = simgrid_get_clock();
    lp_channel_send(channel, self->run->iteration->message_bytes,
                    lp_channel_route(channel)->latency_s);
    lp_clock_charge(&self->clock, LP_TERM_PP, simgrid_get_clock());
    trace(self, "send", LP_STREAM_PP, step, start_s);
}

/* Until the message starts on its way, the rank waits for the other stage: that is the bubble. */
static void
run_receive(LpRank *self, const LpStep *step)
{
    double start_s = simgrid_get_clock();
    double message_start_s = lp_channel_receive(self->in[step->direction]);
    double now_s = simgrid_get_clock();
    double exposed_from_s = CLAMP(message_start_s, start_s, now_s);
    lp_clock_charge(&self->clock, LP_TERM_BUBBLE, exposed_from_s);
    lp_clock_charge(&self->clock, LP_TERM_PP, now_s);
    lp_meter_add_exposed(&self->meter, now_s - exposed_from_s);
    trace(self, "receive", LP_STREAM_PP, step, start_s);
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
    LpRunState *run = self->run;
    run->n_steps_done++;
    if (run->progress != NULL)
        run->progress(run->n_steps_done, run->n_steps, run->progress_data);
}

/* Nothing may be sent before its receiver is known to the engine. */
static void
attach_ring(LpRank *self, LpGroup group)
{
    LpProcessGroup *ring = self->groups[group];
    LpChannel *inbox = ring == NULL ? NULL : lp_process_group_inbox(ring, self->index[group]);
    if (inbox != NULL)
        lp_channel_attach_receiver(inbox);
}

static void
compute_stream(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    LpRank *self = sg_actor_self_get_data();
    const LpProgram *program = lp_iteration_program(self->run->iteration, self->stage);
    for (LpDirection direction = 0; direction < LP_N_DIRECTIONS; direction++)
        if (self->in[direction] != NULL)
            lp_channel_attach_receiver(self->in[direction]);
    for (LpGroup group = 0; group < LP_N_GROUPS; group++)
        if (group != LP_GROUP_DP || self->gradients == NULL)
            attach_ring(self, group);
    (void)sg_barrier_wait(self->run->start);
    for (guint i = 0; i < program->n_steps; i++)
        run_step(self, lp_iteration_step(self->run->iteration, program->first_step + i));
}

static void
trace_gradients(LpRank *self, const LpOp *op, double start_s)
{
    if (!self->traced)
        return;
    lp_timeline_add(self->run->timeline, (LpSlice){.name = lp_collective_names[op->collective],
                                                   .stage = self->stage,
                                                   .stream = LP_STREAM_DP,
                                                   .micro_batch = -1,
                                                   .start_s = start_s,
                                                   .end_s = simgrid_get_clock()});
}

static void
gradient_stream(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    LpRank *self = sg_actor_self_get_data();
    LpGradientStream *stream = self->gradients;
    attach_ring(self, LP_GROUP_DP);
    (void)sg_barrier_wait(self->run->start);
    for (;;) {
        sg_sem_acquire(stream->launched);
        g_autofree Launch *item = g_queue_pop_head(&stream->queue);
        if (item->op == NULL)
            break;
        double start_s = simgrid_get_clock();
        lp_process_group_run(self->groups[LP_GROUP_DP], self->index[LP_GROUP_DP], item->op,
                             item->delay_s, NULL, &self->meter);
        trace_gradients(self, item->op, start_s);
    }
    sg_sem_release(stream->drained);
}

static void
start_actor(LpRank *self, struct s4u_Host *home, xbt_main_func_t code)
{
    sg_actor_t actor = sg_actor_init("rank", home);
    sg_actor_set_data(actor, self);
    sg_actor_start_(actor, code, 0, NULL);
}

void
lp_rank_start(LpRank *self, struct s4u_Host *home, struct s4u_Host *gradient_home)
{
    if (gradient_home != NULL) {
        self->gradients = g_new0(LpGradientStream, 1);
        g_queue_init(&self->gradients->queue);
        self->gradients->launched = sg_sem_init(0);
        self->gradients->drained = sg_sem_init(0);
        start_actor(self, gradient_home, (xbt_main_func_t)gradient_stream);
    }
    start_actor(self, home, (xbt_main_func_t)compute_stream);
}

void
lp_rank_clear(LpRank *self)
{
    for (LpDirection direction = 0; direction < LP_N_DIRECTIONS; direction++)
        g_clear_pointer(&self->out[direction], lp_channel_free);
    if (self->gradients == NULL)
        return;
    g_queue_clear_full(&self->gradients->queue, g_free);
    sg_sem_destroy(self->gradients->launched);
    sg_sem_destroy(self->gradients->drained);
    g_clear_pointer(&self->gradients, g_free);
}
