/* SPDX-License-Identifier: Apache-2.0 */
/* Streams beside the compute stream, and how that waits for them. */
#include "sim/actors/actor_rank.h"

#include <simgrid/actor.h>
#include <simgrid/barrier.h>
#include <simgrid/engine.h>

typedef struct {
    LpRankLaunch what;
    LpClock clock;             /* of the rank when it launched it */
    guint64 n_finished_wanted; /* of the other stream, where it waits for one */
} Launch;

struct LpRankStream {
    LpRank *rank; /* borrowed */
    LpStream kind;
    GQueue launches;    /* owned Launch */
    LpTokens *launched; /* owned: one a launch */
    guint64 n_launched, n_finished;
    LpTokens *others_progressed; /* owned, or NULL before it waits for another stream: wakes it */
    LpClock clock; /* only where circuits are switched: of what the stream waited for */
};

LpRankStream *
lp_rank_stream_new(LpRank *rank, LpStream kind)
{
    LpRankStream *self = g_new0(LpRankStream, 1);
    self->rank = rank;
    self->kind = kind;
    g_queue_init(&self->launches);
    self->launched = lp_tokens_new();
    return self;
}

void
lp_rank_stream_free(LpRankStream *self)
{
    if (self == NULL)
        return;
    g_queue_clear_full(&self->launches, g_free);
    lp_tokens_free(self->launched);
    lp_tokens_free(self->others_progressed);
    g_free(self);
}

/* --- the compute stream --- */

gboolean
lp_rank_communicates(const LpRank *self)
{
    return self->n_communicating > 0;
}

static gboolean
is_collective(const LpRankLaunch *launch)
{
    return launch->op != NULL && lp_op_is_collective(launch->op);
}

/* Which counts as nothing that is launched. */
static gboolean
is_await(const LpRankLaunch *launch)
{
    return launch->op != NULL && launch->op->kind == LP_OP_AWAIT;
}

void
lp_rank_hand_over(LpRank *self, LpStream kind, LpRankLaunch launch)
{
    LpRankStream *stream = self->streams[kind];
    Launch *item = g_new0(Launch, 1);
    item->what = launch;
    item->clock = self->clock;
    if (is_await(&launch)) {
        guint64 n_launched = self->streams[launch.op->awaited]->n_launched;
        item->n_finished_wanted = n_launched - MIN(n_launched, launch.op->n_pending);
    }
    stream->n_launched += is_await(&launch) ? 0 : 1;
    self->n_communicating += is_collective(&launch) ? 1 : 0;
    g_queue_push_tail(&stream->launches, item);
    lp_tokens_put(stream->launched);
}

void
lp_rank_join(LpRank *self, LpStream kind, guint n_pending, LpTerm term)
{
    LpRankStream *stream = self->streams[kind];
    if (stream->n_launched <= stream->n_finished + n_pending)
        return;
    double start_s = self->clock.at_s;
    lp_overlap_meter_join(&self->meter, kind, simgrid_get_clock());
    self->joined = stream;
    self->n_finished_wanted = stream->n_launched - n_pending;
    while (stream->n_finished < self->n_finished_wanted)
        lp_tokens_take(self->progressed);
    self->joined = NULL;
    lp_overlap_meter_leave(&self->meter, kind);
    lp_clock_charge(&self->clock, term, simgrid_get_clock());
    if (self->run->has_circuits && self->clock.at_s > start_s)
        lp_clock_follow(&self->clock, &stream->clock.circuits, term, start_s);
}

void
lp_rank_send_message(LpChannel *channel, guint64 bytes, LpClock *clock)
{
    lp_channel_send(channel, bytes, lp_channel_route(channel)->latency_s, clock);
}

/* --- streams --- */

static gboolean
runs_on(const LpRank *self, LpGroup group, LpStream stream)
{
    return self->groups[group] != NULL &&
           lp_communicator_runtime_communicator(self->groups[group])->stream == stream;
}

void
lp_rank_attach_groups(LpRank *self, LpStream stream)
{
    for (LpGroup group = 0; group < LP_N_GROUPS; group++) {
        LpChannel *inbox =
            runs_on(self, group, stream)
                ? lp_communicator_runtime_inbox(self->groups[group], self->index[group])
                : NULL;
        if (inbox != NULL)
            lp_channel_attach_receiver(inbox);
    }
}

/* The stream's own clock, which only circuits need. What begins when it is launched goes on from
 * the rank's path, what had to wait from the stream's. */
static LpClock *
stream_clock(LpRankStream *self, const Launch *launch)
{
    if (!self->rank->run->has_circuits)
        return NULL;
    if (launch->clock.at_s >= self->clock.at_s)
        self->clock = launch->clock;
    lp_clock_charge(&self->clock, LP_TERM_BUBBLE, simgrid_get_clock());
    return &self->clock;
}

static void
run_beside(const LpRankStream *self, const Launch *launch)
{
    const LpRank *rank = self->rank;
    double start_s = simgrid_get_clock(), duration_s = launch->what.delay_s;
    if (rank->straggler != NULL)
        duration_s *= lp_straggler_draw(rank->straggler, start_s, duration_s);
    rank->run->n_delays++;
    lp_watch_sleep(rank->run->watch, duration_s);
    lp_rank_trace_stream_compute(&rank->trace, launch->what.op, start_s, simgrid_get_clock());
}

static void
await(LpRankStream *self, const Launch *launch)
{
    const LpRankStream *other = self->rank->streams[launch->what.op->awaited];
    if (self->others_progressed == NULL)
        self->others_progressed = lp_tokens_new();
    while (other->n_finished < launch->n_finished_wanted)
        lp_tokens_take(self->others_progressed);
}

static void
send(LpRankStream *self, const Launch *launch)
{
    const LpRankLaunch *what = &launch->what;
    double start_s = simgrid_get_clock();
    lp_rank_send_message(what->channel, what->bytes, stream_clock(self, launch));
    LpTracedMessage message = {.direction = what->direction,
                               .number = lp_channel_n_sent(what->channel),
                               .bytes = what->bytes,
                               .start_s = start_s,
                               .end_s = simgrid_get_clock()};
    lp_rank_trace_send(&self->rank->trace, &message);
}

static void
run_collective(LpRankStream *self, const Launch *launch)
{
    LpRank *rank = self->rank;
    const LpOp *op = launch->what.op;
    if (launch->what.change_s > 0.0) {
        lp_watch_sleep(rank->run->watch, launch->what.change_s);
        rank->run->n_delays++;
    }
    double start_s = simgrid_get_clock();
    LpCommunicatorCall call = {.op = op,
                               .delay_s = launch->what.delay_s,
                               .clock = stream_clock(self, launch),
                               .meter = &rank->meter,
                               .stream = self->kind};
    lp_communicator_runtime_run(rank->groups[op->group], rank->index[op->group], &call);
    lp_rank_trace_collective(&rank->trace, op, NULL, start_s, simgrid_get_clock());
}

static void
run_launch(LpRankStream *self, const Launch *launch)
{
    if (launch->what.channel != NULL)
        send(self, launch);
    else if (launch->what.op->kind == LP_OP_LAUNCH_COMPUTE)
        run_beside(self, launch);
    else if (launch->what.op->kind == LP_OP_AWAIT)
        await(self, launch);
    else
        run_collective(self, launch);
}

/* Whether the compute stream goes on, or goes on otherwise, now that @self has finished something:
 * each call of it costs more than to ask. */
static gboolean
matters(const LpRankStream *self)
{
    const LpRank *rank = self->rank;
    if (rank->joined == NULL)
        return !lp_rank_communicates(rank);
    return self == rank->joined && self->n_finished >= rank->n_finished_wanted;
}

static void
tell(const LpRankStream *self)
{
    LpRank *rank = self->rank;
    if (matters(self))
        lp_tokens_wake(rank->progressed);
    for (LpStream stream = LP_STREAM_GIVEN; stream < LP_N_STREAMS; stream++)
        if (rank->streams[stream] != NULL && rank->streams[stream]->others_progressed != NULL)
            lp_tokens_wake(rank->streams[stream]->others_progressed);
}

static void
run_stream(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    LpRankStream *self = sg_actor_self_get_data();
    lp_rank_attach_groups(self->rank, self->kind);
    (void)sg_barrier_wait(self->rank->run->start);
    for (;;) {
        lp_tokens_take(self->launched);
        g_autofree Launch *item = g_queue_pop_head(&self->launches);
        if (item->what.op == NULL && item->what.channel == NULL)
            return;
        run_launch(self, item);
        if (is_await(&item->what))
            continue;
        self->n_finished++;
        self->rank->n_communicating -= is_collective(&item->what) ? 1 : 0;
        tell(self);
    }
}

void
lp_rank_stream_start(LpRankStream *self, struct s4u_Host *host)
{
    sg_actor_t actor = sg_actor_init("rank", host);
    sg_actor_set_data(actor, self);
    sg_actor_start_(actor, (xbt_main_func_t)run_stream, 0, NULL);
}
