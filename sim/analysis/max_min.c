/* SPDX-License-Identifier: Apache-2.0 */
/* A small event loop: members follow a round plan, flows share ports by progressive filling. */
#include "sim/analysis/max_min.h"

#include <math.h>
#include <string.h>

/* Relative slack within which instants and shares count as equal: rounding, not physics. */
#define SLACK 1e-12

/* A transfer: waits until its sender is ready, then flows, and arrives after its latency. */
typedef struct {
    guint64 from, to; /* members */
    guint64 round;
    double starts_s;
    double latency_s;
    double rest_bytes;    /* while it flows */
    const LpRoute *route; /* borrowed */
    guint leg;            /* 0; over a relay then 1 */
    double bytes;
    double cap_bytes_per_s;
    double bytes_per_s;
    guint32 first_link, n_links; /* shared links, in Solver.flow_links */
    gboolean is_fixed;           /* while rates are worked out */
} Flow;

/* Bytes that have flowed and are yet to arrive. */
typedef struct {
    guint64 to, round;
    double at_s;
} Arrival;

typedef struct {
    guint64 round, n_queued, next_queued, n_under_way;
    double ready_s; /* before then it sends nothing */
} Member;

/* A round, from when the first member enters it to when the last one leaves it. */
typedef struct {
    GArray *transfers;  /* owned LpTransfer: member after member; NULL: nobody is in it */
    guint32 *first;     /* owned, by member and one more: place in them */
    guint32 *n_missing; /* owned, by member: transfers to it that have not arrived */
    guint64 n_left;     /* members that have left it */
} Round;

typedef struct {
    LpRoundPlan *round_plan; /* borrowed */
    guint64 n_members, n_done;
    double now_s;
    Member *members;        /* owned */
    Round *rounds;          /* owned */
    LpTransfer *sent;       /* owned: room for a member's transfers of a round */
    gboolean has_changed;   /* what flows, since rates were last worked out */
    GHashTable *link_ids;   /* owned: shared links, numbered as they turn up */
    GArray *capacities;     /* owned: double by number, bytes/s */
    GArray *links;          /* owned: guint32 by number: of the network */
    double *rest;           /* owned, by number: capacity not given away yet */
    guint32 *n_users;       /* owned, by number: flows without a rate */
    GArray *waiting;        /* owned: Flow, not yet started */
    GArray *flowing;        /* owned: Flow */
    GArray *arrivals;       /* owned: Arrival */
    GHashTable *leg_places; /* owned: links of a leg to their place in flow_links, plus 1 */
    GArray
        *flow_links; /* owned: guint32, of connection after connection: their number, then they */
} Solver;

static guint32
link_id(Solver *self, guint32 link)
{
    gpointer known = g_hash_table_lookup(self->link_ids, GUINT_TO_POINTER(link + 1));
    if (known != NULL)
        return GPOINTER_TO_UINT(known) - 1;
    const LpNetwork *network = self->round_plan->map->network;
    guint32 id = self->capacities->len;
    LpLink found = lp_network_link(network, link);
    g_array_append_val(self->capacities, found.bytes_per_s);
    g_array_append_val(self->links, link);
    g_hash_table_insert(self->link_ids, GUINT_TO_POINTER(link + 1), GUINT_TO_POINTER(id + 1));
    return id;
}

/* Where in flow_links the shared links of a leg of @route stand. */
static guint32
leg_links(Solver *self, const LpRoute *route, guint leg)
{
    /* Legs of a route begin at different places of one array. */
    gpointer key = GSIZE_TO_POINTER((gsize)(route->links + lp_route_leg_first(route, leg)));
    gpointer known = g_hash_table_lookup(self->leg_places, key);
    if (known != NULL)
        return GPOINTER_TO_UINT(known) - 1;
    const LpNetwork *network = self->round_plan->map->network;
    guint32 place = self->flow_links->len, n = 0;
    g_array_append_val(self->flow_links, n);
    guint32 end = lp_route_leg_end(route, leg);
    for (guint32 i = lp_route_leg_first(route, leg); i < end; i++) {
        guint32 link = route->links[i];
        if (!lp_tier_is_shared(lp_network_link(network, link).tier))
            continue;
        guint32 id = link_id(self, link);
        g_array_append_val(self->flow_links, id);
        n++;
    }
    g_array_index(self->flow_links, guint32, place) = n;
    g_hash_table_insert(self->leg_places, key, GUINT_TO_POINTER(place + 1));
    return place;
}

/* --- members --- */

/* The narrowest link of a leg, or its part of what circuits leave. */
static double
leg_cap(const Solver *self, const LpRoute *route, guint leg)
{
    const LpNetwork *network = self->round_plan->map->network;
    guint32 end = lp_route_leg_end(route, leg);
    double cap = route->cap_bytes_per_s > 0.0 ? route->cap_bytes_per_s * route->n_legs : INFINITY;
    for (guint32 i = lp_route_leg_first(route, leg); i < end; i++)
        cap = MIN(cap, lp_network_link(network, route->links[i]).bytes_per_s);
    return cap;
}

static void
set_leg(Solver *self, Flow *flow, guint leg)
{
    guint32 links = leg_links(self, flow->route, leg);
    flow->leg = leg;
    flow->rest_bytes = flow->bytes;
    flow->cap_bytes_per_s = leg_cap(self, flow->route, leg);
    flow->first_link = links + 1;
    flow->n_links = g_array_index(self->flow_links, guint32, links);
}

static void
issue(Solver *self, guint64 index)
{
    Member *member = &self->members[index];
    const Round *round = &self->rounds[member->round];
    while (member->next_queued < member->n_queued && member->n_under_way < LP_ROUND_PLAN_AT_ONCE) {
        const LpTransfer *transfer = &g_array_index(round->transfers, LpTransfer,
                                                    round->first[index] + member->next_queued++);
        Flow flow = {.from = index,
                     .to = transfer->to,
                     .round = member->round,
                     .starts_s = MAX(self->now_s, member->ready_s),
                     .latency_s = transfer->latency_s,
                     .bytes = (double)transfer->bytes,
                     .route = &transfer->connection->route};
        set_leg(self, &flow, 0);
        g_array_append_val(self->waiting, flow);
        member->n_under_way++;
    }
}

/* What comes to a member is what others send to it. */
static void
open_round(Solver *self, guint64 number)
{
    Round *round = &self->rounds[number];
    if (round->transfers != NULL)
        return;
    round->transfers = g_array_sized_new(FALSE, FALSE, sizeof(LpTransfer), (guint)self->n_members);
    round->first = g_new(guint32, self->n_members + 1);
    round->n_missing = g_new0(guint32, self->n_members);
    for (guint64 i = 0; i < self->n_members; i++) {
        guint64 n = lp_round_plan_transfers(self->round_plan, i, number, self->sent);
        round->first[i] = round->transfers->len;
        g_array_append_vals(round->transfers, self->sent, (guint)n);
        for (guint64 k = 0; k < n; k++)
            round->n_missing[self->sent[k].to]++;
    }
    round->first[self->n_members] = round->transfers->len;
}

static void
close_round(Round *round)
{
    g_clear_pointer(&round->transfers, g_array_unref);
    g_clear_pointer(&round->first, g_free);
    g_clear_pointer(&round->n_missing, g_free);
}

static void
enter_round(Solver *self, guint64 index)
{
    Member *member = &self->members[index];
    open_round(self, member->round);
    const Round *round = &self->rounds[member->round];
    member->next_queued = 0;
    member->n_queued = round->first[index + 1] - round->first[index];
    /* Who had nothing to send waits, too, before the next round. */
    member->ready_s =
        MAX(self->now_s, member->ready_s) + lp_round_plan_wait_s(self->round_plan, member->round);
    issue(self, index);
}

static void
leave_round(Solver *self, guint64 index)
{
    Round *round = &self->rounds[self->members[index].round++];
    if (++round->n_left == self->n_members)
        close_round(round);
}

/* Goes on for as long as the member has nothing to wait for. */
static void
advance(Solver *self, guint64 index)
{
    Member *member = &self->members[index];
    while (member->round < self->round_plan->n_rounds && member->n_under_way == 0 &&
           self->rounds[member->round].n_missing[index] == 0) {
        leave_round(self, index);
        if (member->round < self->round_plan->n_rounds)
            enter_round(self, index);
        else
            self->n_done++;
    }
}

static void
finish(Solver *self, Flow flow)
{
    self->members[flow.from].n_under_way--;
    issue(self, flow.from);
    advance(self, flow.from);
    Arrival arrival = {flow.to, flow.round, self->now_s + flow.latency_s};
    g_array_append_val(self->arrivals, arrival);
}

static void
take_arrivals(Solver *self)
{
    for (guint i = 0; i < self->arrivals->len;) {
        Arrival arrival = g_array_index(self->arrivals, Arrival, i);
        if (arrival.at_s > self->now_s * (1.0 + SLACK)) {
            i++;
            continue;
        }
        g_array_remove_index_fast(self->arrivals, i);
        self->rounds[arrival.round].n_missing[arrival.to]--;
        advance(self, arrival.to);
    }
}

/* --- rates --- */

static const guint32 *
links_of(const Solver *self, const Flow *flow)
{
    return &g_array_index(self->flow_links, guint32, flow->first_link);
}

static void
fix_rate(Solver *self, Flow *flow, double rate)
{
    const guint32 *links = links_of(self, flow);
    flow->is_fixed = TRUE;
    flow->bytes_per_s = rate;
    for (guint32 i = 0; i < flow->n_links; i++) {
        self->rest[links[i]] -= rate;
        self->n_users[links[i]]--;
    }
}

/* The share of the narrowest of a flow's links, or its cap. */
static double
share_of(const Solver *self, const Flow *flow)
{
    const guint32 *links = links_of(self, flow);
    double share = flow->cap_bytes_per_s;
    for (guint32 i = 0; i < flow->n_links; i++)
        share = MIN(share, self->rest[links[i]] / self->n_users[links[i]]);
    return share;
}

static void
share_out(Solver *self)
{
    guint n_links = self->capacities->len, n_left = self->flowing->len;
    if (!self->has_changed)
        return;
    self->has_changed = FALSE;
    self->rest = g_renew(double, self->rest, n_links);
    self->n_users = g_renew(guint32, self->n_users, n_links);
    if (n_links > 0)
        memset(self->n_users, 0, sizeof *self->n_users * n_links);
    for (guint i = 0; i < self->flowing->len; i++) {
        Flow *flow = &g_array_index(self->flowing, Flow, i);
        flow->is_fixed = FALSE;
        for (guint32 k = 0; k < flow->n_links; k++)
            self->n_users[links_of(self, flow)[k]]++;
    }
    for (guint i = 0; i < n_links; i++)
        self->rest[i] = g_array_index(self->capacities, double, i) *
                        lp_network_share(self->round_plan->map->network,
                                         g_array_index(self->links, guint32, i), self->n_users[i]);
    while (n_left > 0) {
        double lowest = INFINITY;
        for (guint i = 0; i < self->flowing->len; i++) {
            Flow *flow = &g_array_index(self->flowing, Flow, i);
            if (!flow->is_fixed) {
                flow->bytes_per_s = share_of(self, flow);
                lowest = MIN(lowest, flow->bytes_per_s);
            }
        }
        for (guint i = 0; i < self->flowing->len; i++) {
            Flow *flow = &g_array_index(self->flowing, Flow, i);
            if (flow->is_fixed || flow->bytes_per_s > lowest * (1.0 + SLACK))
                continue;
            fix_rate(self, flow, lowest);
            n_left--;
        }
    }
}

/* --- events --- */

static double
next_event_s(const Solver *self)
{
    double next_s = INFINITY;
    for (guint i = 0; i < self->waiting->len; i++)
        next_s = MIN(next_s, g_array_index(self->waiting, Flow, i).starts_s);
    for (guint i = 0; i < self->arrivals->len; i++)
        next_s = MIN(next_s, g_array_index(self->arrivals, Arrival, i).at_s);
    for (guint i = 0; i < self->flowing->len; i++) {
        const Flow *flow = &g_array_index(self->flowing, Flow, i);
        next_s = MIN(next_s, self->now_s + flow->rest_bytes / flow->bytes_per_s);
    }
    return next_s;
}

static void
start_flows(Solver *self)
{
    for (guint i = 0; i < self->waiting->len;) {
        Flow *flow = &g_array_index(self->waiting, Flow, i);
        if (flow->starts_s > self->now_s * (1.0 + SLACK)) {
            i++;
            continue;
        }
        g_array_append_vals(self->flowing, flow, 1);
        g_array_remove_index_fast(self->waiting, i);
        self->has_changed = TRUE;
    }
}

/* Flows that end now are taken out first: what their members then do belongs to the next instant.
 */
static void
end_flows(Solver *self, double elapsed_s)
{
    g_autoptr(GArray) ended = g_array_new(FALSE, FALSE, sizeof(Flow));
    for (guint i = 0; i < self->flowing->len;) {
        Flow *flow = &g_array_index(self->flowing, Flow, i);
        double left_s = flow->rest_bytes / flow->bytes_per_s - elapsed_s;
        flow->rest_bytes -= elapsed_s * flow->bytes_per_s;
        if (left_s > SLACK * self->now_s) {
            i++;
            continue;
        }
        g_array_append_vals(ended, flow, 1);
        g_array_remove_index_fast(self->flowing, i);
        self->has_changed = TRUE;
    }
    for (guint i = 0; i < ended->len; i++) {
        Flow flow = g_array_index(ended, Flow, i);
        if (flow.leg + 1 == lp_route_n_flows(flow.route)) {
            finish(self, flow);
            continue;
        }
        set_leg(self, &flow, flow.leg + 1);
        g_array_append_val(self->flowing, flow);
    }
}

static void
run(Solver *self)
{
    for (guint64 i = 0; i < self->n_members; i++) {
        enter_round(self, i);
        advance(self, i);
    }
    while (self->n_done < self->n_members) {
        start_flows(self);
        share_out(self);
        double before_s = self->now_s;
        self->now_s = next_event_s(self);
        /* Every receive has a sender, so somebody always goes on. */
        g_assert(isfinite(self->now_s));
        end_flows(self, self->now_s - before_s);
        take_arrivals(self);
    }
}

double
lp_max_min_round_plan_s(LpRoundPlan *round_plan)
{
    guint64 n = round_plan->schedule.shape.n_members, n_rounds = round_plan->n_rounds;
    if (n < 2 || n_rounds == 0)
        return 0.0;
    Solver self = {.round_plan = round_plan,
                   .n_members = n,
                   .members = g_new0(Member, n),
                   .rounds = g_new0(Round, n_rounds),
                   .sent = g_new(LpTransfer, lp_round_plan_transfers_max(round_plan)),
                   .link_ids = g_hash_table_new(NULL, NULL),
                   .leg_places = g_hash_table_new(NULL, NULL),
                   .capacities = g_array_new(FALSE, FALSE, sizeof(double)),
                   .links = g_array_new(FALSE, FALSE, sizeof(guint32)),
                   .waiting = g_array_new(FALSE, FALSE, sizeof(Flow)),
                   .flowing = g_array_new(FALSE, FALSE, sizeof(Flow)),
                   .arrivals = g_array_new(FALSE, FALSE, sizeof(Arrival)),
                   .flow_links = g_array_new(FALSE, FALSE, sizeof(guint32))};
    run(&self);
    double end_s = self.now_s;
    for (guint64 i = 0; i < n; i++)
        end_s = MAX(end_s, self.members[i].ready_s);
    g_free(self.members);
    g_free(self.rounds);
    g_free(self.sent);
    g_free(self.rest);
    g_free(self.n_users);
    g_hash_table_unref(self.link_ids);
    g_hash_table_unref(self.leg_places);
    g_array_unref(self.capacities);
    g_array_unref(self.links);
    g_array_unref(self.waiting);
    g_array_unref(self.flowing);
    g_array_unref(self.arrivals);
    g_array_unref(self.flow_links);
    return end_s;
}
