/* SPDX-License-Identifier: Apache-2.0 */
/* Sends blocks of an all-to-all. */
#include "sim/actors/actor_exchange.h"

#include "sim/actors/actor_tokens.h"
#include "sim/collectives/exchange.h"
#include "sim/mapping/round_plan.h"

#include <simgrid/engine.h>
#include <simgrid/semaphore.h>

#include <math.h>

static guint64
n_intra(const LpExchangeRun *self)
{
    return self->ring->sites.is_regular ? self->ring->sites.n_intra : 1;
}

static LpConnection
connect_members(const LpExchangeRun *self, guint64 from, guint64 to)
{
    const LpCommunicator *communicator = self->ring->communicator;
    return lp_rank_layout_connect(self->ring->map->layout, (LpConnectionKind)communicator->group,
                                  communicator->ranks[from], communicator->ranks[to]);
}

static guint64
pair_bytes(const LpExchangeRun *self, guint64 from, guint64 to)
{
    const double *loads = lp_op_loads(self->op, self->ring->communicator);
    return lp_exchange_pair_bytes(self->op, loads, self->ring->n_members, from, to);
}

/* The flow of @bytes over @route, that of @connection or of its class, counted. */
static LpFlow
count_flow(LpExchangeRun *self, const LpConnection *connection, const LpRoute *route, guint64 bytes)
{
    LpFlow flow = self->flow;
    flow.route = route;
    flow.bytes = lp_protocol_wire_bytes(self->protocol, lp_connection_reach(connection), bytes);
    self->sent_bytes += flow.bytes;
    self->n_flows += lp_route_n_flows(route);
    return flow;
}

/* Message number @place of the row of member @index, from port to port, over @out_connection. */
static LpFlow
pair_flow(LpExchangeRun *self, guint64 index, guint64 place, LpConnection *out_connection)
{
    const LpCommunicator *communicator = self->ring->communicator;
    guint64 to = lp_exchange_row_receiver(self->ring->n_members, n_intra(self),
                                          self->ring->sites.n_pod, index, place);
    guint64 bytes = (guint64)llround((double)pair_bytes(self, index, to) * self->forwarding);
    *out_connection = connect_members(self, index, to);
    const LpRoute *route = self->quotient == NULL
                               ? &out_connection->route
                               : lp_quotient_pair_route(self->quotient, communicator->group,
                                                        communicator->ranks[index], place);
    return count_flow(self, out_connection, route, bytes);
}

static void
send_pair(LpExchangeRun *self, guint64 index, guint64 place)
{
    LpConnection connection;
    LpFlow flow = pair_flow(self, index, place, &connection);
    LpFlight flight = {.route = flow.route,
                       .job = flow.job,
                       .from = self->ring->communicator->ranks[index],
                       .to = connection.to};
    lp_watch_depart(self->watch, &flight);
    double start_s = simgrid_get_clock();
    lp_flow_engine_send(self->sharing, &flow);
    lp_watch_arrive(self->watch, &flight);
    lp_runtime_log_flow(self->log, flow.route, (double)flow.bytes, start_s, simgrid_get_clock());
}

/* --- several at once --- */

/* What a member has left to send. */
typedef struct {
    LpExchangeRun *run; /* borrowed */
    guint64 index, next, end, n_left;
    guint32 n_under_way;
    LpTokens *ended; /* owned: one, when nothing is left */
} Row;

/* One message of it. */
typedef struct {
    Row *row; /* borrowed */
    LpConnection connection;
    LpFlow flow;
} PendingFlow;

static void launch(Row *row);

static void
flow_arrived(gpointer data, double began_s, double ended_s)
{
    g_autofree PendingFlow *pending = data;
    Row *row = pending->row;
    lp_runtime_log_flow(row->run->log, pending->flow.route, (double)pending->flow.bytes, began_s,
                        ended_s);
    row->n_under_way--;
    if (--row->n_left == 0)
        lp_tokens_put(row->ended);
    else
        launch(row);
}

/* As many as the library has under way at once. */
static void
launch(Row *row)
{
    LpExchangeRun *run = row->run;
    guint32 at_once = lp_sends_at_once(lp_rank_layout_library(run->ring->map->layout, run->op),
                                       run->ring->n_members);
    while (row->next < row->end && row->n_under_way < at_once) {
        PendingFlow *pending = g_new(PendingFlow, 1);
        pending->row = row;
        pending->flow = pair_flow(run, row->index, row->next++, &pending->connection);
        row->n_under_way++;
        lp_flow_engine_launch(
            run->sharing,
            &(LpLaunchedFlow){.flow = pending->flow, .arrived = flow_arrived, .data = pending});
    }
}

static void
launch_row(LpExchangeRun *self, guint64 index, guint64 first, guint64 end)
{
    Row row = {self, index, first, end, end - first, 0, lp_tokens_new()};
    if (row.n_left > 0) {
        launch(&row);
        lp_tokens_take(row.ended);
    }
    lp_tokens_free(row.ended);
}

void
lp_exchange_run_pairwise(LpExchangeRun *self, guint64 index, guint64 first, guint64 end)
{
    guint64 intra = n_intra(self);
    if (self->watch == NULL && lp_flow_engine_launches(self->sharing)) {
        launch_row(self, index, (first - 1) * intra, (end - 1) * intra);
        return;
    }
    for (guint64 place = (first - 1) * intra; place < (end - 1) * intra; place++)
        send_pair(self, index, place);
}

void
lp_exchange_run_posted(LpExchangeRun *self, guint64 index)
{
    guint64 intra = n_intra(self), n = self->ring->n_members / intra;
    sg_sem_t arrived = sg_sem_init(0);
    g_autofree LpRoute *routes = g_new(LpRoute, n);
    g_autofree guint64 *sent_bytes = g_new(guint64, n);
    double start_s = simgrid_get_clock();
    for (guint64 shift = 1; shift < n; shift++) {
        guint64 domain = (index / intra + shift) % n, bytes = 0;
        LpConnection connection = connect_members(self, index, domain * intra + index % intra);
        for (guint64 member = domain * intra; member < (domain + 1) * intra; member++)
            bytes += pair_bytes(self, index, member);
        LpFlow flow = count_flow(self, &connection, &connection.route, bytes);
        routes[shift] = connection.route;
        sent_bytes[shift] = flow.bytes;
        lp_flow_engine_post(self->sharing, &flow, arrived);
    }
    for (guint64 shift = 1; shift < n; shift++)
        sg_sem_acquire(arrived);
    for (guint64 shift = 1; shift < n; shift++)
        lp_runtime_log_flow(self->log, &routes[shift], (double)sent_bytes[shift], start_s,
                            simgrid_get_clock());
    sg_sem_destroy(arrived);
}
