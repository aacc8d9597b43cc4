/* SPDX-License-Identifier: Apache-2.0 */
/* Rates by progressive filling, worked out anew whenever something begins or ends. */
#include "sim/analysis/fair_flows.h"

#include <math.h>
#include <string.h>

typedef struct {
    LpFairFlow what;
    guint leg; /* 0; over a relay then 1 */
    double rest_bytes;
    double cap_bytes_per_s;
    double bytes_per_s;
    guint32 first_link, n_links; /* shared links, in LpFairFlows.flow_links */
    gboolean is_fixed;           /* while rates are worked out */
} Flow;

struct LpFairFlows {
    const LpNetwork *network; /* borrowed */
    gboolean has_changed;     /* what flows, since rates were last worked out */
    GHashTable *link_ids;     /* owned: shared links, numbered as they turn up */
    GArray *capacities;       /* owned: double by number, bytes/s */
    GArray *links;            /* owned: guint32 by number: of the network */
    double *rest;             /* owned, by number: capacity not given away yet */
    guint32 *n_users;         /* owned, by number: flows without a rate */
    GArray *flowing;          /* owned: Flow */
    GHashTable *leg_places;   /* owned: links of a leg to their place in flow_links, plus 1 */
    GArray
        *flow_links; /* owned: guint32, of connection after connection: their number, then they */
};

static guint32
link_id(LpFairFlows *self, guint32 link)
{
    gpointer known = g_hash_table_lookup(self->link_ids, GUINT_TO_POINTER(link + 1));
    if (known != NULL)
        return GPOINTER_TO_UINT(known) - 1;
    guint32 id = self->capacities->len;
    LpLink found = lp_network_link(self->network, link);
    g_array_append_val(self->capacities, found.bytes_per_s);
    g_array_append_val(self->links, link);
    g_hash_table_insert(self->link_ids, GUINT_TO_POINTER(link + 1), GUINT_TO_POINTER(id + 1));
    return id;
}

/* Where in flow_links the shared links of a leg of @route stand. */
static guint32
leg_links(LpFairFlows *self, const LpRoute *route, guint leg)
{
    /* Legs of a route begin at different places of one array. */
    gpointer key = GSIZE_TO_POINTER((gsize)(route->links + lp_route_leg_first(route, leg)));
    gpointer known = g_hash_table_lookup(self->leg_places, key);
    if (known != NULL)
        return GPOINTER_TO_UINT(known) - 1;
    guint32 place = self->flow_links->len, n = 0;
    g_array_append_val(self->flow_links, n);
    guint32 end = lp_route_leg_end(route, leg);
    for (guint32 i = lp_route_leg_first(route, leg); i < end; i++) {
        guint32 link = route->links[i];
        if (!lp_tier_is_shared(lp_network_link(self->network, link).tier))
            continue;
        guint32 id = link_id(self, link);
        g_array_append_val(self->flow_links, id);
        n++;
    }
    g_array_index(self->flow_links, guint32, place) = n;
    g_hash_table_insert(self->leg_places, key, GUINT_TO_POINTER(place + 1));
    return place;
}

/* The narrowest link of a leg, or its part of what circuits leave. */
static double
leg_cap(const LpFairFlows *self, const LpRoute *route, guint leg)
{
    guint32 end = lp_route_leg_end(route, leg);
    double cap = route->cap_bytes_per_s > 0.0 ? route->cap_bytes_per_s * route->n_legs : INFINITY;
    for (guint32 i = lp_route_leg_first(route, leg); i < end; i++)
        cap = MIN(cap, lp_network_link(self->network, route->links[i]).bytes_per_s);
    return cap;
}

static void
set_leg(LpFairFlows *self, Flow *flow, guint leg)
{
    guint32 links = leg_links(self, flow->what.route, leg);
    flow->leg = leg;
    flow->rest_bytes = flow->what.bytes;
    flow->cap_bytes_per_s = leg_cap(self, flow->what.route, leg);
    flow->first_link = links + 1;
    flow->n_links = g_array_index(self->flow_links, guint32, links);
}

/* --- rates --- */

static const guint32 *
links_of(const LpFairFlows *self, const Flow *flow)
{
    return &g_array_index(self->flow_links, guint32, flow->first_link);
}

static void
fix_rate(LpFairFlows *self, Flow *flow, double rate)
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
share_of(const LpFairFlows *self, const Flow *flow)
{
    const guint32 *links = links_of(self, flow);
    double share = flow->cap_bytes_per_s;
    for (guint32 i = 0; i < flow->n_links; i++)
        share = MIN(share, self->rest[links[i]] / self->n_users[links[i]]);
    return share;
}

static void
share_out(LpFairFlows *self)
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
                        lp_network_share(self->network, g_array_index(self->links, guint32, i),
                                         self->n_users[i]);
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
            if (flow->is_fixed || flow->bytes_per_s > lowest * (1.0 + LP_FAIR_FLOWS_SLACK))
                continue;
            fix_rate(self, flow, lowest);
            n_left--;
        }
    }
}

/* --- events --- */

void
lp_fair_flows_add(LpFairFlows *self, const LpFairFlow *flow)
{
    Flow new = {.what = *flow};
    set_leg(self, &new, 0);
    g_array_append_val(self->flowing, new);
    self->has_changed = TRUE;
}

double
lp_fair_flows_next_s(LpFairFlows *self, double now_s)
{
    double next_s = INFINITY;
    share_out(self);
    for (guint i = 0; i < self->flowing->len; i++) {
        const Flow *flow = &g_array_index(self->flowing, Flow, i);
        next_s = MIN(next_s, now_s + flow->rest_bytes / flow->bytes_per_s);
    }
    return next_s;
}

/* Flows that end now are taken out first: what their users then do belongs to the next instant. */
void
lp_fair_flows_pass(LpFairFlows *self, double elapsed_s, double now_s, GArray *ended)
{
    g_autoptr(GArray) relayed = g_array_new(FALSE, FALSE, sizeof(Flow));
    for (guint i = 0; i < self->flowing->len;) {
        Flow *flow = &g_array_index(self->flowing, Flow, i);
        double left_s = flow->rest_bytes / flow->bytes_per_s - elapsed_s;
        flow->rest_bytes -= elapsed_s * flow->bytes_per_s;
        if (left_s > LP_FAIR_FLOWS_SLACK * now_s) {
            i++;
            continue;
        }
        if (flow->leg + 1 == lp_route_n_flows(flow->what.route))
            g_array_append_val(ended, flow->what);
        else
            g_array_append_vals(relayed, flow, 1);
        g_array_remove_index_fast(self->flowing, i);
        self->has_changed = TRUE;
    }
    for (guint i = 0; i < relayed->len; i++) {
        Flow *flow = &g_array_index(relayed, Flow, i);
        set_leg(self, flow, flow->leg + 1);
        g_array_append_vals(self->flowing, flow, 1);
    }
}

LpFairFlows *
lp_fair_flows_new(const LpNetwork *network)
{
    LpFairFlows *self = g_new0(LpFairFlows, 1);
    self->network = network;
    self->link_ids = g_hash_table_new(NULL, NULL);
    self->leg_places = g_hash_table_new(NULL, NULL);
    self->capacities = g_array_new(FALSE, FALSE, sizeof(double));
    self->links = g_array_new(FALSE, FALSE, sizeof(guint32));
    self->flowing = g_array_new(FALSE, FALSE, sizeof(Flow));
    self->flow_links = g_array_new(FALSE, FALSE, sizeof(guint32));
    return self;
}

void
lp_fair_flows_free(LpFairFlows *self)
{
    if (self == NULL)
        return;
    g_free(self->rest);
    g_free(self->n_users);
    g_hash_table_unref(self->link_ids);
    g_hash_table_unref(self->leg_places);
    g_array_unref(self->capacities);
    g_array_unref(self->links);
    g_array_unref(self->flowing);
    g_array_unref(self->flow_links);
    g_free(self);
}
