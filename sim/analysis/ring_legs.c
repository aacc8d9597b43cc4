/* SPDX-License-Identifier: Apache-2.0 */
/* A small event loop: who has sent and received a step's messages goes on with the next. */
#include "sim/analysis/ring_legs.h"

#include "sim/analysis/fair_flows.h"

#include <math.h>

typedef struct {
    guint64 n_begun, n_sent; /* messages; those that have come are what the one before has sent */
    double starts_s;         /* of one whose latency is being paid; INFINITY: none is */
} Member;

typedef struct {
    const LpPortShares *shares; /* borrowed */
    guint64 n_steps;
    const guint64 *bytes;    /* borrowed */
    const double *latency_s; /* borrowed */
    Member *members;         /* owned */
    LpFairFlows *flows;      /* owned */
} Ring;

static void
begin_ready(Ring *self, double now_s)
{
    guint32 n = self->shares->n;
    for (guint32 i = 0; i < n; i++) {
        Member *member = &self->members[i];
        guint64 n_received = self->members[(i + n - 1) % n].n_sent;
        if (member->n_begun == self->n_steps || member->n_begun > member->n_sent ||
            member->n_begun > n_received)
            continue;
        member->n_begun++;
        member->starts_s = now_s + self->latency_s[i];
    }
}

static void
start_due(Ring *self, double now_s)
{
    guint32 n = self->shares->n;
    for (guint32 i = 0; i < n; i++) {
        Member *member = &self->members[i];
        if (member->starts_s > now_s)
            continue;
        member->starts_s = INFINITY;
        lp_fair_flows_add(self->flows,
                          &(LpFairFlow){.from = i,
                                        .bytes = (double)self->bytes[(member->n_begun - 1) * n + i],
                                        .route = self->shares->routes[i]});
    }
}

static double
next_start_s(const Ring *self)
{
    double next_s = INFINITY;
    for (guint32 i = 0; i < self->shares->n; i++)
        next_s = MIN(next_s, self->members[i].starts_s);
    return next_s;
}

double
lp_ring_legs_time_s(const LpPortShares *shares, guint64 n_steps, const guint64 *bytes,
                    const double *latency_s)
{
    g_autofree Member *members = g_new0(Member, shares->n);
    g_autoptr(LpFairFlows) flows = lp_fair_flows_new(shares->network);
    g_autoptr(GArray) ended = g_array_new(FALSE, FALSE, sizeof(LpFairFlow));
    Ring self = {shares, n_steps, bytes, latency_s, members, flows};
    double now_s = 0.0, next_s = 0.0;
    for (guint32 i = 0; i < shares->n; i++)
        members[i].starts_s = INFINITY;
    begin_ready(&self, now_s);
    start_due(&self, now_s);
    while (isfinite(next_s = MIN(lp_fair_flows_next_s(flows, now_s), next_start_s(&self)))) {
        g_array_set_size(ended, 0);
        lp_fair_flows_pass(flows, next_s - now_s, next_s, ended);
        now_s = next_s;
        for (guint i = 0; i < ended->len; i++)
            members[g_array_index(ended, LpFairFlow, i).from].n_sent++;
        begin_ready(&self, now_s);
        start_due(&self, now_s);
    }
    return now_s;
}
