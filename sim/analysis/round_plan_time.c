/* SPDX-License-Identifier: Apache-2.0 */
/* A small event loop: members follow a round plan, flows share ports by progressive filling. */
#include "sim/analysis/round_plan_time.h"

#include "sim/analysis/fair_flows.h"
#include "sim/analysis/max_min.h"

#include <math.h>

/* A transfer that waits until its sender is ready. */
typedef struct {
    LpFairFlow flow;
    double starts_s;
} Waiting;

/* Bytes that have flowed and are yet to arrive. */
typedef struct {
    guint64 to, round;
    double at_s;
} Arrival;

typedef struct {
    guint64 round, n_queued, next_queued, n_under_way;
    double ready_s;                   /* before then it sends nothing */
    guint64 first_active, end_active; /* rounds outside of which it never does */
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
    Member *members;    /* owned */
    Round *rounds;      /* owned */
    LpTransfer *sent;   /* owned: room for a member's transfers of a round */
    GArray *waiting;    /* owned: Waiting */
    LpFairFlows *flows; /* owned */
    GArray *ended;      /* owned: LpFairFlow, of this instant */
    GArray *arrivals;   /* owned: Arrival */
} Solver;

/* --- members --- */

static void
issue(Solver *self, guint64 index)
{
    Member *member = &self->members[index];
    const Round *round = &self->rounds[member->round];
    while (member->next_queued < member->n_queued &&
           member->n_under_way < self->round_plan->at_once) {
        const LpTransfer *transfer = &g_array_index(round->transfers, LpTransfer,
                                                    round->first[index] + member->next_queued++);
        Waiting waiting = {.flow = {.from = index,
                                    .to = transfer->to,
                                    .round = member->round,
                                    .latency_s = transfer->latency_s,
                                    .bytes = (double)transfer->bytes,
                                    .route = &transfer->connection->route},
                           .starts_s = MAX(self->now_s, member->ready_s)};
        g_array_append_val(self->waiting, waiting);
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
        gboolean is_active =
            number >= self->members[i].first_active && number < self->members[i].end_active;
        guint64 n =
            is_active ? lp_round_plan_transfers(self->round_plan, i, number, self->sent) : 0;
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
finish(Solver *self, LpFairFlow flow)
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
        if (arrival.at_s > self->now_s * (1.0 + LP_MAX_MIN_SLACK)) {
            i++;
            continue;
        }
        g_array_remove_index_fast(self->arrivals, i);
        self->rounds[arrival.round].n_missing[arrival.to]--;
        advance(self, arrival.to);
    }
}

/* --- events --- */

static double
next_event_s(const Solver *self)
{
    double next_s = lp_fair_flows_next_s(self->flows, self->now_s);
    for (guint i = 0; i < self->waiting->len; i++)
        next_s = MIN(next_s, g_array_index(self->waiting, Waiting, i).starts_s);
    for (guint i = 0; i < self->arrivals->len; i++)
        next_s = MIN(next_s, g_array_index(self->arrivals, Arrival, i).at_s);
    return next_s;
}

static void
start_flows(Solver *self)
{
    for (guint i = 0; i < self->waiting->len;) {
        const Waiting *waiting = &g_array_index(self->waiting, Waiting, i);
        if (waiting->starts_s > self->now_s * (1.0 + LP_MAX_MIN_SLACK)) {
            i++;
            continue;
        }
        lp_fair_flows_add(self->flows, &waiting->flow);
        g_array_remove_index_fast(self->waiting, i);
    }
}

static void
end_flows(Solver *self, double elapsed_s)
{
    g_array_set_size(self->ended, 0);
    lp_fair_flows_pass(self->flows, elapsed_s, self->now_s, self->ended);
    for (guint i = 0; i < self->ended->len; i++)
        finish(self, g_array_index(self->ended, LpFairFlow, i));
}

static void
run(Solver *self)
{
    for (guint64 i = 0; i < self->n_members; i++)
        lp_round_plan_active(self->round_plan, i, &self->members[i].first_active,
                             &self->members[i].end_active);
    for (guint64 i = 0; i < self->n_members; i++) {
        enter_round(self, i);
        advance(self, i);
    }
    while (self->n_done < self->n_members) {
        start_flows(self);
        double before_s = self->now_s;
        self->now_s = next_event_s(self);
        /* Every receive has a sender, so somebody always goes on. */
        g_assert(isfinite(self->now_s));
        end_flows(self, self->now_s - before_s);
        take_arrivals(self);
    }
}

double
lp_round_plan_time_s(LpRoundPlan *round_plan)
{
    guint64 n = round_plan->schedule.shape.n_members, n_rounds = round_plan->n_rounds;
    if (n < 2 || n_rounds == 0)
        return 0.0;
    Solver self = {.round_plan = round_plan,
                   .n_members = n,
                   .members = g_new0(Member, n),
                   .rounds = g_new0(Round, n_rounds),
                   .sent = g_new(LpTransfer, lp_round_plan_transfers_max(round_plan)),
                   .waiting = g_array_new(FALSE, FALSE, sizeof(Waiting)),
                   .flows = lp_fair_flows_new(round_plan->map->network),
                   .ended = g_array_new(FALSE, FALSE, sizeof(LpFairFlow)),
                   .arrivals = g_array_new(FALSE, FALSE, sizeof(Arrival))};
    run(&self);
    double end_s = self.now_s;
    for (guint64 i = 0; i < n; i++)
        end_s = MAX(end_s, self.members[i].ready_s);
    g_free(self.members);
    g_free(self.rounds);
    g_free(self.sent);
    g_array_unref(self.waiting);
    lp_fair_flows_free(self.flows);
    g_array_unref(self.ended);
    g_array_unref(self.arrivals);
    return end_s;
}
