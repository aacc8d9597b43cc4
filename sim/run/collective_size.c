/* SPDX-License-Identifier: Apache-2.0 */
/* Goes over the flows that actors are given (sim/actors/collective_flows.h). */
#include "sim/run/collective_size.h"

#include "sim/actors/collective_flows.h"
#include "sim/analysis/cached_latencies.h"
#include "sim/collectives/exchange.h"
#include "sim/quotient/pair_flows.h"

/* A collective being counted. */
typedef struct {
    const LpCollectiveActors *actors; /* borrowed */
    LpCollectiveFlows units;
    LpCollectiveCall call;
    LpActivities all;
} Count;

guint64
lp_activities_min(const LpActivities *self)
{
    return self->n_delays + self->n_flows;
}

guint64
lp_activities_n(const LpActivities *self)
{
    return lp_activities_min(self) + self->n_arrivals;
}

guint64
lp_activities_max(const LpActivities *self)
{
    return lp_activities_n(self) + self->n_maybe;
}

void
lp_activities_add(LpActivities *self, const LpActivities *other, guint64 times)
{
    self->n_delays += times * other->n_delays;
    self->n_flows += times * other->n_flows;
    self->n_arrivals += times * other->n_arrivals;
    self->n_maybe += times * other->n_maybe;
    self->n_calls += times * other->n_calls;
}

static void
add_wait(Count *self, double wait_s, guint64 times)
{
    self->all.n_delays += wait_s > 0.0 ? times : 0;
}

/* --- units --- */

static void
add_rounds(Count *self, guint64 n_units)
{
    LpRoundPlan *plan = self->call.plan;
    g_autofree LpTransfer *transfers = g_new(LpTransfer, lp_round_plan_transfers_max(plan));
    g_autofree LpUnitFlow *flows = g_new(LpUnitFlow, lp_round_plan_transfers_max(plan));
    for (guint64 unit = 0; unit < n_units; unit++)
        for (guint64 round = 0; round < plan->n_rounds; round++) {
            guint64 member = lp_collective_flows_member(&self->units, unit);
            guint64 n =
                lp_collective_flows_round(&self->units, plan, unit, round, transfers, flows);
            gboolean has_latency = FALSE;
            add_wait(self, lp_round_plan_wait_s(plan, round), 1);
            for (guint64 i = 0; i < n; i++) {
                has_latency = has_latency || flows[i].latency_s > 0.0;
                self->all.n_flows += flows[i].n_activities;
            }
            if (has_latency && lp_round_plan_n_receives(plan, member, round) > 0)
                self->all.n_arrivals++;
        }
}

static void
add_row(Count *self, guint64 unit)
{
    const LpIsolatedRing *ring = self->units.ring;
    guint64 n =
        lp_exchange_row_length(ring->n_members, ring->sites.is_regular ? ring->sites.n_intra : 1);
    for (guint64 place = 0; place < n; place++) {
        LpConnection connection;
        self->all.n_flows +=
            lp_collective_flows_pair(&self->units, &self->call, unit, place, &connection)
                .n_activities;
    }
}

static void
count_units(Count *self)
{
    LpUnitTask task = lp_collective_flows_task(&self->units, &self->call);
    g_autoptr(GArray) flows = task.flows;
    if (task.kind == LP_UNIT_ROUNDS)
        add_rounds(self, task.n_units);
    for (guint64 unit = 0; unit < task.n_units && task.kind == LP_UNIT_ROW; unit++) {
        add_wait(self, task.wait_s, 1);
        add_row(self, unit);
    }
    for (guint i = 0; i < flows->len; i++) {
        self->all.n_flows++;
        self->all.n_delays += g_array_index(flows, LpUnitFlow, i).n_activities - 1;
    }
}

/* --- over channels --- */

static void
add_ring_member(Count *self, guint64 member)
{
    const LpRoute *route = lp_collective_flows_channel_route(&self->units, member);
    guint64 n_steps = lp_collective_flows_ring_steps(&self->units, &self->call);
    if (route == NULL || n_steps == 0)
        return;
    add_wait(self, lp_collective_flows_ring_wait_s(&self->units, &self->call, member, 0), 1);
    add_wait(self, lp_collective_flows_ring_wait_s(&self->units, &self->call, member, 1),
             n_steps - 1);
    self->all.n_flows += n_steps * lp_route_n_flows(route);
}

static void
count_ring(Count *self)
{
    const LpCollectiveActors *actors = self->actors;
    g_autofree guint32 *members = actors->classes == NULL
                                      ? NULL
                                      : lp_quotient_rank_members(actors->quotient, actors->classes);
    guint64 n = members == NULL ? actors->ring->n_members : actors->n_actors;
    for (guint64 i = 0; i < n; i++)
        add_ring_member(self, members == NULL ? i : members[i]);
}

static void
count_exchange(Count *self)
{
    gboolean by_pairs = lp_pair_flows_are_all(self->units.ring, self->units.fidelity);
    add_wait(self, lp_collective_flows_wait_s(&self->units, &self->call), self->actors->n_actors);
    for (guint64 i = 0; i < self->actors->n_actors; i++) {
        const LpRoute *route = lp_collective_flows_channel_route(&self->units, i);
        if (by_pairs)
            add_row(self, i);
        else if (route != NULL)
            self->all.n_flows += lp_route_n_flows(route);
    }
}

/* What stays in domains goes on beside what leaves them: waited for only if it takes longer than
 * that, which contention cannot make true. */
static void
add_intra_wait(Count *self)
{
    const LpIsolatedRing *ring = self->units.ring;
    if (self->call.plan != NULL || self->call.op->collective != LP_COLLECTIVE_ALL_TO_ALL ||
        !lp_isolated_ring_sends_inter(ring))
        return;
    double intra_s =
        lp_isolated_least_time_s(ring, self->call.op, self->call.protocol, FALSE, NULL);
    double latency_s = lp_collective_flows_wait_s(&self->units, &self->call);
    double all_s = lp_isolated_ring_time_s(ring, self->call.op, self->units.fidelity);
    if (all_s - latency_s <= intra_s * (1.0 + 1e-9))
        self->all.n_maybe += self->actors->n_actors;
}

/* Who is quicker than the library was measured to be waits for that time. */
static void
add_measured_wait(Count *self)
{
    const LpIsolatedRing *ring = self->units.ring;
    const LpOp *op = self->call.op;
    double measured_s = lp_rank_layout_measured_s(ring->map->layout, op, ring->communicator, NULL);
    if (measured_s <= 0.0)
        return;
    if (lp_isolated_ring_time_s(ring, op, self->units.fidelity) <= measured_s * (1.0 + 1e-9))
        self->all.n_arrivals += self->actors->n_actors;
    else
        self->all.n_maybe += self->actors->n_actors;
}

LpActivities
lp_collective_size(const LpCollectiveActors *actors, const LpOp *op)
{
    const LpIsolatedRing *ring = actors->ring;
    if (actors->as_delay)
        return (LpActivities){.n_delays = actors->n_actors, .n_calls = actors->n_actors};
    Count count = {.actors = actors,
                   .units = {ring, actors->fidelity, actors->quotient, actors->classes},
                   .all = {.n_calls = actors->n_actors}};
    LpAlgorithmSelection selection =
        lp_rank_layout_selection(ring->map->layout, op, ring->communicator);
    LpRoundPlan plan;
    if (selection.is_scheduled) {
        lp_round_plan_init(&plan, ring->map, op, ring->communicator, actors->fidelity);
        lp_cached_latencies_prepare(&plan, op, ring->cache);
    }
    count.call = (LpCollectiveCall){.op = op,
                                    .protocol = selection.protocol,
                                    .plan = selection.is_scheduled ? &plan : NULL,
                                    .forwarding = 1.0};
    switch (lp_collective_flows_way(&count.units, &count.call)) {
    case LP_COLLECTIVE_UNITS:
        count_units(&count);
        break;
    case LP_COLLECTIVE_RING:
        count_ring(&count);
        break;
    case LP_COLLECTIVE_EXCHANGE:
        count_exchange(&count);
        break;
    }
    add_intra_wait(&count);
    add_measured_wait(&count);
    if (selection.is_scheduled)
        lp_round_plan_clear(&plan);
    return count.all;
}
