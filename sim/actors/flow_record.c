/* SPDX-License-Identifier: Apache-2.0 */
/* Counters by link and kind of flow. */
#include "sim/actors/flow_record.h"

LpFlowRecord *
lp_flow_record_new(guint32 n_links, guint32 n_jobs)
{
    LpFlowRecord *self = g_new0(LpFlowRecord, 1);
    self->n_links = n_links;
    self->n_jobs = n_jobs;
    guint n_kinds = lp_flow_record_n_kinds(self);
    self->crossings = g_new0(LpCrossing *, n_links);
    self->slowdowns = g_new0(GArray *, n_kinds);
    self->ideal_s = g_new0(double, n_kinds);
    self->actual_s = g_new0(double, n_kinds);
    for (guint i = 0; i < n_kinds; i++)
        self->slowdowns[i] = g_array_new(FALSE, FALSE, sizeof(LpFlowSlowdown));
    return self;
}

LpFlowRecord *
lp_flow_record_new_of_classes(const LpQuotient *quotient)
{
    const LpLinkClasses *links = lp_quotient_links(quotient);
    LpFlowRecord *self = lp_flow_record_new(links->n_links, 1);
    self->quotient = quotient;
    self->of_class = g_new0(LpCrossing, links->n_flows);
    self->class_kind = g_new0(guint, links->n_flows);
    return self;
}

void
lp_flow_record_free(LpFlowRecord *self)
{
    if (self == NULL)
        return;
    for (guint32 i = 0; i < self->n_links; i++)
        g_free(self->crossings[i]);
    for (guint i = 0; i < lp_flow_record_n_kinds(self); i++)
        g_array_unref(self->slowdowns[i]);
    g_free(self->crossings);
    g_free(self->of_class);
    g_free(self->class_kind);
    g_free(self->slowdowns);
    g_free(self->ideal_s);
    g_free(self->actual_s);
    g_free(self);
}

guint
lp_flow_record_n_kinds(const LpFlowRecord *self)
{
    return self->n_jobs * LP_N_TRAFFIC + 1;
}

guint
lp_flow_record_kind(const LpFlowRecord *self, guint32 job, LpTraffic traffic)
{
    return job == LP_FLOW_BACKGROUND ? self->n_jobs * LP_N_TRAFFIC
                                     : job * LP_N_TRAFFIC + (guint)traffic;
}

static LpCrossing *
crossing(LpFlowRecord *self, const LpFlow *flow, guint32 link)
{
    if (self->crossings[link] == NULL)
        self->crossings[link] = g_new0(LpCrossing, lp_flow_record_n_kinds(self));
    return &self->crossings[link][lp_flow_record_kind(self, flow->job, flow->traffic)];
}

/* How many flows each link of a class holds back for one that stands for them. */
static double
n_held(const LpFlowRecord *self, guint32 class, guint32 link)
{
    const LpLinkClasses *links = lp_quotient_links(self->quotient);
    for (guint32 i = links->first_use[class]; i < links->first_use[class + 1]; i++)
        if (links->uses[i].link == link)
            return links->uses[i].held;
    return 0.0;
}

/* The class of @flow: FALSE where flows stand for themselves. */
static gboolean
find_class(const LpFlowRecord *self, const LpFlow *flow, guint32 *out_class)
{
    return self->quotient != NULL && lp_quotient_find_class(self->quotient, flow->route, out_class);
}

void
lp_flow_record_add_loss(LpFlowRecord *self, const LpFlow *flow, guint32 link, double lost_s)
{
    guint32 class;
    double n = find_class(self, flow, &class) ? n_held(self, class, link) : 1.0;
    crossing(self, flow, link)->lost_s += n * lost_s;
}

/* @weight: the share of its bytes that does. */
static void
cross(LpCrossing *at, const LpFlow *flow, double weight, double start_s, double end_s)
{
    if (at->n_flows++ == 0)
        at->from_s = start_s;
    at->from_s = MIN(at->from_s, start_s);
    at->to_s = MAX(at->to_s, end_s);
    at->bytes += (double)flow->bytes * weight;
}

void
lp_flow_record_add(LpFlowRecord *self, const LpFlow *flow, guint32 leg, double start_s,
                   double end_s, double ideal_s)
{
    const LpRoute *route = flow->route;
    guint32 class;
    guint kind = lp_flow_record_kind(self, flow->job, flow->traffic);
    LpFlowSlowdown slowdown = {(end_s - start_s) / ideal_s, 1};
    if (find_class(self, flow, &class)) {
        slowdown.n = lp_quotient_links(self->quotient)->n_members[class];
        self->class_kind[class] = kind;
        cross(&self->of_class[class], flow, 1.0, start_s, end_s);
    } else {
        for (guint32 i = lp_route_leg_first(route, leg); i < lp_route_leg_end(route, leg); i++)
            cross(crossing(self, flow, route->links[i]), flow, lp_route_weight(route, i), start_s,
                  end_s);
    }
    g_array_append_val(self->slowdowns[kind], slowdown);
    self->ideal_s[kind] += ideal_s * (double)slowdown.n;
    self->actual_s[kind] += (end_s - start_s) * (double)slowdown.n;
}
