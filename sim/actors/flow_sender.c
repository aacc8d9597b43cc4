/* SPDX-License-Identifier: Apache-2.0 */
/* Sends flows, watched and logged. */
#include "sim/actors/flow_sender.h"

#include <simgrid/engine.h>

LpFlow
lp_flow_sender_flow(const LpFlowSender *self, const LpRoute *route, guint64 bytes)
{
    return (LpFlow){.route = route,
                    .bytes = bytes,
                    .job = self->job,
                    .traffic = self->traffic,
                    .owner = self->owner};
}

void
lp_flow_sender_send(const LpFlowSender *self, const LpRoute *route, guint64 bytes, guint64 from,
                    guint64 to)
{
    LpFlow flow = lp_flow_sender_flow(self, route, bytes);
    LpFlight flight = {.route = route, .job = self->job, .from = from, .to = to};
    lp_watch_depart(self->watch, &flight);
    double start_s = simgrid_get_clock();
    lp_flow_engine_send(self->sharing, &flow);
    lp_watch_arrive(self->watch, &flight);
    lp_flow_sender_log(self, route, bytes, start_s, simgrid_get_clock());
}

gboolean
lp_flow_sender_launches(const LpFlowSender *self)
{
    return self->watch == NULL && lp_flow_engine_launches(self->sharing);
}

void
lp_flow_sender_log(const LpFlowSender *self, const LpRoute *route, guint64 bytes, double start_s,
                   double end_s)
{
    lp_flow_log_add(self->log, &(LpLoggedFlow){.route = route,
                                               .bytes = (double)bytes,
                                               .weight = self->log_weight,
                                               .kind = self->traffic,
                                               .is_flow = TRUE,
                                               .start_s = start_s,
                                               .end_s = end_s});
}

void
lp_flow_sender_sleep(const LpFlowSender *self, double until_s, guint64 *io_n_activities)
{
    double left_s = until_s - simgrid_get_clock();
    if (left_s <= 0.0)
        return;
    lp_watch_sleep(self->watch, left_s);
    if (io_n_activities != NULL)
        *io_n_activities += 1;
}
