/* SPDX-License-Identifier: Apache-2.0 */
/* Messages between actors, as mailbox messages, host-to-host flows or delays. */
#include "sim/actors/channel.h"

#include "sim/actors/actor_hybrid.h"
#include "sim/actors/actor_tokens.h"

#include <simgrid/actor.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <simgrid/mailbox.h>

#include <math.h>

typedef struct Message Message;
struct Message {
    LpArrival arrival;
    double not_before_s; /* when the last byte may arrive */
    guint64 bytes;
    Message *next; /* owned */
};

struct LpChannel {
    LpChannelKind kind;
    char *name;            /* owned */
    const LpRoute *route;  /* borrowed from the connections */
    sg_mailbox_t mailbox;  /* borrowed from the engine */
    LpTokens *arrived;     /* owned; one a message where there is no mailbox */
    LpOverlapMeter *meter; /* borrowed from the receiving rank */
    LpCircuits *circuits;  /* borrowed from the run; NULL: none are needed */
    guint32 pattern;       /* of them */
    double cap_bytes_per_s;
    LpCircuits *hybrid;     /* borrowed from the run; NULL: no network stands beside circuits, */
    LpRoute packet_network; /* or this is the route there */
    gboolean uses_packet_network;
    LpFlowSender sender;
    guint64 from_rank, to_rank; /* of the job */
    Message *first, *last;      /* on the way or waiting to be received; first is owned */
    guint64 sent_bytes, received_bytes, n_sent, n_received, n_activities;
};

LpChannelKind
lp_channel_kind(LpRunMode mode, LpTraffic traffic)
{
    if (mode.level >= LP_RUN_FREE_MESSAGES)
        return LP_CHANNEL_FREE;
    return lp_run_mode_isolates(mode, traffic) ? LP_CHANNEL_DELAY : LP_CHANNEL_DIRECT;
}

LpMessageSize
lp_channel_message_size(LpChannelKind kind, const LpRoute *route, double latency_s)
{
    if (kind == LP_CHANNEL_FREE)
        return (LpMessageSize){0};
    gboolean is_delay = kind == LP_CHANNEL_DELAY;
    return (LpMessageSize){.n_delays = (latency_s > 0.0 ? 1u : 0u) + (is_delay ? 1u : 0u),
                           .n_flows = is_delay ? 0 : lp_route_n_flows(route)};
}

LpChannel *
lp_channel_new(LpChannelKind kind, const char *name, const LpRoute *route, LpOverlapMeter *meter)
{
    LpChannel *self = g_new0(LpChannel, 1);
    self->kind = kind;
    self->name = g_strdup(name);
    self->route = route;
    self->meter = meter;
    self->cap_bytes_per_s = route->cap_bytes_per_s > 0.0 ? route->cap_bytes_per_s : INFINITY;
    if (kind == LP_CHANNEL_MAILBOX)
        self->mailbox = sg_mailbox_by_name(name);
    else
        self->arrived = lp_tokens_new();
    return self;
}

void
lp_channel_free(LpChannel *self)
{
    if (self == NULL)
        return;
    while (self->first != NULL) {
        Message *message = self->first;
        self->first = message->next;
        g_free(message);
    }
    lp_tokens_free(self->arrived);
    g_free(self->name);
    g_free(self);
}

void
lp_channel_set_flow_sender(LpChannel *self, const LpFlowSender *sender, guint64 from, guint64 to)
{
    self->sender = *sender;
    self->from_rank = from;
    self->to_rank = to;
    if (self->sender.owner == NULL)
        self->sender.owner = self;
}

void
lp_channel_set_cap(LpChannel *self, double bytes_per_s)
{
    self->cap_bytes_per_s = bytes_per_s;
}

void
lp_channel_set_circuits(LpChannel *self, LpCircuits *circuits, guint32 pattern)
{
    self->circuits = circuits;
    self->pattern = pattern;
    self->cap_bytes_per_s =
        lp_circuit_plan_pattern(lp_circuits_plan(circuits), pattern)->cap_bytes_per_s;
}

void
lp_channel_set_packet_network(LpChannel *self, LpCircuits *circuits, const LpRoute *route)
{
    self->hybrid = circuits;
    self->packet_network = *route;
}

void
lp_channel_use_packet_network(LpChannel *self, gboolean packet_network)
{
    self->uses_packet_network = packet_network;
}

static const LpRoute *
route_now(const LpChannel *self)
{
    return self->hybrid != NULL && self->uses_packet_network ? &self->packet_network : self->route;
}

void
lp_channel_attach_receiver(LpChannel *self)
{
    if (self->kind == LP_CHANNEL_MAILBOX)
        sg_mailbox_set_receiver(self->name);
}

static Message *
push(LpChannel *self, double started_s, guint64 bytes)
{
    Message *message = g_new(Message, 1);
    *message = (Message){.arrival = {.started_s = started_s,
                                     .ready_s = started_s,
                                     .ended_s = INFINITY,
                                     .number = ++self->n_sent},
                         .bytes = bytes};
    if (self->first == NULL)
        self->first = message;
    else
        self->last->next = message;
    self->last = message;
    self->sent_bytes += bytes;
    return message;
}

static LpArrival
pop(LpChannel *self)
{
    Message *message = self->first;
    LpArrival arrival = message->arrival;
    self->first = message->next;
    self->received_bytes += message->bytes;
    self->n_received++;
    g_free(message);
    return arrival;
}

/* Latency is paid before the bytes flow, so that it neither holds a link nor sways sharing. */
static void
pay_latency(LpChannel *self, double latency_s)
{
    if (latency_s <= 0.0 || self->kind == LP_CHANNEL_FREE)
        return;
    lp_watch_sleep(self->sender.watch, latency_s);
}

/* One flow, over circuits or beside them; over circuits no faster than those. */
static void
send_flow(void *data, guint64 bytes, gboolean packet_network)
{
    LpChannel *self = data;
    double cap_s = packet_network ? 0.0 : (double)bytes / self->cap_bytes_per_s;
    double not_before_s = simgrid_get_clock() + cap_s;
    const LpRoute *route = packet_network ? &self->packet_network : self->route;
    LpFlow flow = lp_flow_sender_flow(&self->sender, route, bytes);
    lp_flow_engine_send(self->sender.sharing, &flow);
    if (not_before_s > simgrid_get_clock())
        lp_watch_sleep(self->sender.watch, not_before_s - simgrid_get_clock());
    lp_circuits_count(self->hybrid,
                      (LpHybridCount){.circuit_bytes = packet_network ? 0.0 : (double)bytes,
                                      .packet_bytes = packet_network ? (double)bytes : 0.0});
}

/* A message of its own waits for nobody; of a collective the group has chosen. */
static void
send_hybrid(LpChannel *self, guint64 bytes)
{
    if (self->circuits == NULL) {
        send_flow(self, bytes, self->uses_packet_network);
        return;
    }
    LpHybridSend send = {.circuits = self->circuits,
                         .pattern = self->pattern,
                         .n_users = 1,
                         .packet_bytes_per_s = self->packet_network.bytes_per_s,
                         .send = send_flow,
                         .data = self};
    lp_hybrid_send(&send, bytes);
}

/* Part after part, where others may go first. */
static void
send_parts(LpChannel *self, guint64 bytes)
{
    if (self->hybrid != NULL) {
        send_hybrid(self, bytes);
        return;
    }
    guint32 n = self->circuits == NULL ? 1 : lp_circuits_n_parts(self->circuits);
    for (guint32 i = 0; i < n; i++) {
        if (i > 0)
            (void)lp_circuits_yield(self->circuits, self->pattern, 1, FALSE, self->sender.watch);
        LpFlow flow = lp_flow_sender_flow(&self->sender, route_now(self),
                                          bytes * (i + 1) / n - bytes * i / n);
        lp_flow_engine_send(self->sender.sharing, &flow);
    }
}

/* On circuits that turn, what exceeds the time that the bytes need was waiting for them. */
static void
wait_for_turns(LpChannel *self, Message *message, double start_s, LpClock *clock)
{
    if (lp_flow_engine_rotor(self->sender.sharing) == NULL)
        return;
    double needed_s = (double)message->bytes / self->route->bytes_per_s;
    double ready_s = MAX(simgrid_get_clock() - needed_s, start_s);
    message->arrival.ready_s = ready_s;
    if (clock == NULL)
        return;
    lp_clock_wait_for_circuits(clock, start_s, 0.0, ready_s);
    message->arrival.circuits = clock->circuits;
}

/* The message is on the list before its bytes are: the receiver may wake first. */
static void
move(LpChannel *self, Message *message, LpClock *clock)
{
    guint64 bytes = message->bytes;
    double start_s = simgrid_get_clock();
    switch (self->kind) {
    case LP_CHANNEL_FREE:
        break;
    case LP_CHANNEL_MAILBOX:
        sg_mailbox_put(self->mailbox, self, (long)bytes);
        return;
    case LP_CHANNEL_DIRECT:
        send_parts(self, bytes);
        wait_for_turns(self, message, start_s, clock);
        break;
    case LP_CHANNEL_DELAY:
        lp_watch_sleep(self->sender.watch, (double)bytes / self->route->bytes_per_s);
        break;
    }
    lp_tokens_put(self->arrived);
}

/* A mailbox's receiver may have taken and freed the message when the sender goes on. */
static void
transfer(LpChannel *self, Message *message, LpClock *clock)
{
    guint64 bytes = message->bytes;
    gboolean is_flow = self->kind == LP_CHANNEL_MAILBOX || self->kind == LP_CHANNEL_DIRECT;
    LpFlight flight = {.route = route_now(self),
                       .job = self->sender.job,
                       .from = self->from_rank,
                       .to = self->to_rank};
    LpWatch *watch = is_flow ? self->sender.watch : NULL;
    lp_watch_depart(watch, &flight);
    double start_s = simgrid_get_clock();
    move(self, message, clock);
    lp_watch_arrive(watch, &flight);
    if (self->sender.log != NULL && self->kind != LP_CHANNEL_FREE)
        lp_flow_log_add(self->sender.log, &(LpLoggedFlow){.route = self->route,
                                                          .bytes = (double)bytes,
                                                          .weight = self->sender.log_weight,
                                                          .kind = self->sender.traffic,
                                                          .is_flow = is_flow,
                                                          .start_s = start_s,
                                                          .end_s = simgrid_get_clock()});
}

/* Wavelengths of an attachment together carry no more than it does, so that a flow that knows
 * nothing of theirs is never slower than they are: both ends wait for what it is faster by, and
 * rates come out exactly. */
static void
wait_for_cap(LpChannel *self, double not_before_s)
{
    double left_s = not_before_s - simgrid_get_clock();
    if (left_s <= 0.0)
        return;
    lp_watch_sleep(self->sender.watch, left_s);
    self->n_activities++;
}

static void
wait_for_circuits(LpChannel *self, Message *message, LpClock *clock)
{
    LpCircuitWait wait =
        lp_circuits_acquire(self->circuits, self->pattern, 1, FALSE, self->sender.watch);
    message->arrival.ready_s = wait.ready_s;
    if (clock == NULL)
        return;
    lp_clock_wait_for_circuits(clock, wait.from_s, wait.hidden_s, wait.ready_s);
    message->arrival.circuits = clock->circuits;
}

void
lp_channel_send(LpChannel *self, guint64 bytes, double latency_s, LpClock *clock)
{
    double started_s = simgrid_get_clock();
    Message *message = push(self, started_s, bytes);
    guint64 number = message->arrival.number;
    gboolean waits = self->circuits != NULL && self->hybrid == NULL;
    if (waits)
        wait_for_circuits(self, message, clock);
    LpMessageSize size = lp_channel_message_size(self->kind, route_now(self), latency_s);
    self->n_activities += size.n_delays + size.n_flows;
    pay_latency(self, latency_s);
    double cap_s = self->hybrid != NULL ? 0.0 : (double)bytes / self->cap_bytes_per_s;
    double not_before_s = simgrid_get_clock() + cap_s;
    message->not_before_s = not_before_s;
    transfer(self, message, clock);
    wait_for_cap(self, not_before_s);
    if (waits)
        lp_circuits_release(self->circuits, self->pattern, 1);
    if (number > self->n_received)
        message->arrival.ended_s = simgrid_get_clock();
    if (self->meter != NULL)
        lp_overlap_meter_add_message(self->meter, started_s, simgrid_get_clock());
}

LpArrival
lp_channel_receive(LpChannel *self)
{
    if (self->kind == LP_CHANNEL_MAILBOX)
        (void)sg_mailbox_get(self->mailbox);
    else
        lp_tokens_take(self->arrived);
    wait_for_cap(self, self->first->not_before_s);
    return pop(self);
}

guint64
lp_channel_sender(const LpChannel *self)
{
    return self->from_rank;
}

const LpRoute *
lp_channel_route(const LpChannel *self)
{
    return self->route;
}

guint64
lp_channel_n_sent(const LpChannel *self)
{
    return self->n_sent;
}

guint64
lp_channel_sent_bytes(const LpChannel *self)
{
    return self->sent_bytes;
}

guint64
lp_channel_received_bytes(const LpChannel *self)
{
    return self->received_bytes;
}

guint64
lp_channel_n_activities(const LpChannel *self)
{
    return self->n_activities;
}
