/* SPDX-License-Identifier: Apache-2.0 */
/* Flows and delays of a communicator as entries of the log. */
#include "sim/actors/runtime_log.h"

void
lp_runtime_log_clear(LpRuntimeLog *self)
{
    g_clear_pointer(&self->next, g_free);
}

static const LpRoute *
route_to_next(LpRuntimeLog *self, guint64 member)
{
    const LpCommunicator *communicator = self->communicator;
    guint64 n = communicator->n_members;
    if (self->next == NULL)
        self->next = g_new0(LpConnection, n);
    if (!self->next[member].present)
        self->next[member] = lp_rank_layout_connect(
            self->map->layout, (LpConnectionKind)communicator->group, communicator->ranks[member],
            communicator->ranks[(member + 1) % n]);
    self->next[member].present = TRUE;
    return &self->next[member].route;
}

void
lp_runtime_log_delay(LpRuntimeLog *self, guint64 member, LpTraffic traffic, double bytes,
                     double start_s, double end_s)
{
    if (self->log == NULL || self->communicator->n_members < 2)
        return;
    LpLoggedFlow flow = {.route = route_to_next(self, member),
                         .bytes = bytes,
                         .weight = self->weight,
                         .kind = traffic,
                         .start_s = start_s,
                         .end_s = end_s};
    lp_flow_log_add(self->log, &flow);
}
