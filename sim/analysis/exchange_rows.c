/* SPDX-License-Identifier: Apache-2.0 */
/* A small event loop: a member's next message begins when the one before has ended. */
#include "sim/analysis/exchange_rows.h"

#include "sim/analysis/fair_flows.h"
#include "sim/collectives/exchange.h"

#include <math.h>

typedef struct {
    const LpCommunicationMap *map;      /* borrowed */
    const LpCommunicator *communicator; /* borrowed */
    guint64 n_intra;
    const LpOp *op;             /* borrowed */
    const LpProtocol *protocol; /* borrowed */
    LpFairFlows *flows;         /* owned */
    GPtrArray *routes;          /* owned LpRoute */
    guint64 *next;              /* owned, by member: place of its next message in its row */
} Rows;

static void
send_next(Rows *self, guint64 from)
{
    guint64 n = self->communicator->n_members;
    guint64 to = lp_exchange_row_receiver(n, self->n_intra, 0, from, self->next[from]++);
    const guint32 *ranks = self->communicator->ranks;
    LpConnection connection = lp_rank_layout_connect(
        self->map->layout, (LpConnectionKind)self->communicator->group, ranks[from], ranks[to]);
    LpRoute *route = g_memdup2(&connection.route, sizeof connection.route);
    g_ptr_array_add(self->routes, route);
    guint64 bytes =
        lp_exchange_pair_bytes(self->op, lp_op_loads(self->op, self->communicator), n, from, to);
    lp_fair_flows_add(self->flows,
                      &(LpFairFlow){.from = from,
                                    .to = to,
                                    .bytes = (double)lp_protocol_wire_bytes(
                                        self->protocol, lp_connection_reach(&connection), bytes),
                                    .route = route});
}

double
lp_exchange_rows_time_s(const LpCommunicationMap *map, const LpCommunicator *communicator,
                        guint64 n_intra, const LpOp *op, const LpProtocol *protocol)
{
    guint64 n = communicator->n_members, length = lp_exchange_row_length(n, n_intra);
    g_autoptr(LpFairFlows) flows = lp_fair_flows_new(map->network);
    g_autoptr(GPtrArray) routes = g_ptr_array_new_with_free_func(g_free);
    g_autofree guint64 *next = g_new0(guint64, n);
    g_autoptr(GArray) ended = g_array_new(FALSE, FALSE, sizeof(LpFairFlow));
    Rows self = {map, communicator, n_intra, op, protocol, flows, routes, next};
    double now_s = 0.0, next_s = 0.0;
    for (guint64 member = 0; length > 0 && member < n; member++)
        send_next(&self, member);
    while (isfinite(next_s = lp_fair_flows_next_s(flows, now_s))) {
        g_array_set_size(ended, 0);
        lp_fair_flows_pass(flows, next_s - now_s, next_s, ended);
        now_s = next_s;
        for (guint i = 0; i < ended->len; i++) {
            guint64 member = g_array_index(ended, LpFairFlow, i).from;
            if (next[member] < length)
                send_next(&self, member);
        }
    }
    return now_s;
}
