/* SPDX-License-Identifier: Apache-2.0 */
/* Rates by progressive filling, worked out anew whenever something begins or ends. */
#include "sim/analysis/fair_flows.h"

#include <math.h>

typedef struct {
    double rest_bytes, left_s; /* left_s: as lp_fair_flows_next_s() found it */
    double cap_bytes_per_s;
    double bytes_per_s;
    guint32 first_link, n_links; /* shared links, in LpFairFlows.flow_links */
    guint leg;                   /* 0; over a relay then 1 */
    LpFairFlow what;
} Flow;

/* What is known of a leg. */
typedef struct {
    double cap_bytes_per_s;      /* its narrowest link */
    guint32 first_link, n_links; /* as a flow's */
} Leg;

/* A shared link. */
typedef struct {
    double bytes_per_s;
    double rest;     /* of that, not given away yet, */
    double share;    /* and what each has of it of the */
    guint32 n_users; /* flows without a rate; 0 but while rates are worked out */
    guint32 index;   /* in the network */
} Link;

struct LpFairFlows {
    const LpNetwork *network; /* borrowed */
    gboolean has_changed;     /* what flows, since rates were last worked out */
    GHashTable *link_ids;     /* owned: shared links, numbered as they turn up */
    GArray *links;            /* owned: Link by number */
    Link **used;              /* owned, of borrowed: those that flows use, while rates are found */
    Flow **open;              /* owned, of borrowed: flows without a rate, meanwhile */
    GArray *flowing;          /* owned: Flow */
    GHashTable *leg_places;   /* owned: links of a leg to its place in legs, plus 1 */
    GArray *legs;             /* owned: Leg */
    GArray *flow_links;       /* owned: guint32, of leg after leg */
};

static guint32
link_id(LpFairFlows *self, guint32 index)
{
    gpointer known = g_hash_table_lookup(self->link_ids, GUINT_TO_POINTER(index + 1));
    if (known != NULL)
        return GPOINTER_TO_UINT(known) - 1;
    guint32 id = self->links->len;
    Link link = {.bytes_per_s = lp_network_link(self->network, index).bytes_per_s, .index = index};
    g_array_append_val(self->links, link);
    g_hash_table_insert(self->link_ids, GUINT_TO_POINTER(index + 1), GUINT_TO_POINTER(id + 1));
    return id;
}

static Leg
new_leg(LpFairFlows *self, const LpRoute *route, guint index)
{
    Leg leg = {.cap_bytes_per_s = INFINITY, .first_link = self->flow_links->len};
    guint32 end = lp_route_leg_end(route, index);
    for (guint32 i = lp_route_leg_first(route, index); i < end; i++) {
        LpLink link = lp_network_link(self->network, route->links[i]);
        leg.cap_bytes_per_s = MIN(leg.cap_bytes_per_s, link.bytes_per_s);
        if (!lp_tier_is_shared(link.tier))
            continue;
        guint32 id = link_id(self, route->links[i]);
        g_array_append_val(self->flow_links, id);
        leg.n_links++;
    }
    return leg;
}

static Leg
leg_of(LpFairFlows *self, const LpRoute *route, guint index)
{
    /* Legs of a route begin at different places of one array. */
    gpointer key = GSIZE_TO_POINTER((gsize)(route->links + lp_route_leg_first(route, index)));
    gpointer known = g_hash_table_lookup(self->leg_places, key);
    if (known != NULL)
        return g_array_index(self->legs, Leg, GPOINTER_TO_UINT(known) - 1);
    Leg leg = new_leg(self, route, index);
    g_array_append_val(self->legs, leg);
    g_hash_table_insert(self->leg_places, key, GUINT_TO_POINTER(self->legs->len));
    return leg;
}

/* As fast as the leg's narrowest link, or its part of what circuits leave. */
static void
set_leg(LpFairFlows *self, Flow *flow, guint index)
{
    const LpRoute *route = flow->what.route;
    Leg leg = leg_of(self, route, index);
    double cap = route->cap_bytes_per_s > 0.0 ? route->cap_bytes_per_s * route->n_legs : INFINITY;
    flow->leg = index;
    flow->rest_bytes = flow->what.bytes;
    flow->cap_bytes_per_s = MIN(cap, leg.cap_bytes_per_s);
    flow->first_link = leg.first_link;
    flow->n_links = leg.n_links;
}

/* --- rates --- */

static const guint32 *
links_of(const LpFairFlows *self, const Flow *flow)
{
    return &g_array_index(self->flow_links, guint32, flow->first_link);
}

static Link *
all_links(const LpFairFlows *self)
{
    return (Link *)(gpointer)self->links->data;
}

static void
fix_rate(LpFairFlows *self, Flow *flow, double rate)
{
    const guint32 *links = links_of(self, flow);
    Link *all = all_links(self);
    flow->bytes_per_s = rate;
    for (guint32 i = 0; i < flow->n_links; i++) {
        Link *link = &all[links[i]];
        link->rest -= rate;
        if (--link->n_users > 0)
            link->share = link->rest / link->n_users;
    }
}

/* Takes all rates back. Of long chains few links are in use at a time: others are not looked at. */
static void
open_all(LpFairFlows *self)
{
    Link *all = all_links(self);
    guint n_used = 0;
    self->open = g_renew(Flow *, self->open, self->flowing->len);
    self->used = g_renew(Link *, self->used, self->links->len);
    for (guint i = 0; i < self->flowing->len; i++) {
        Flow *flow = &g_array_index(self->flowing, Flow, i);
        const guint32 *links = links_of(self, flow);
        self->open[i] = flow;
        for (guint32 k = 0; k < flow->n_links; k++)
            if (all[links[k]].n_users++ == 0)
                self->used[n_used++] = &all[links[k]];
    }
    for (guint i = 0; i < n_used; i++) {
        Link *link = self->used[i];
        link->rest =
            link->bytes_per_s * lp_network_share(self->network, link->index, link->n_users);
        link->share = link->rest / link->n_users;
    }
}

/* Rates of the first @n_open flows without one: the share of their narrowest link, or their cap.
 * Returns: the lowest. */
static double
find_shares(const LpFairFlows *self, guint n_open)
{
    const Link *all = all_links(self);
    double lowest = INFINITY;
    for (guint i = 0; i < n_open; i++) {
        Flow *flow = self->open[i];
        const guint32 *links = links_of(self, flow);
        double rate = flow->cap_bytes_per_s;
        for (guint32 k = 0; k < flow->n_links; k++)
            rate = MIN(rate, all[links[k]].share);
        flow->bytes_per_s = rate;
        lowest = MIN(lowest, rate);
    }
    return lowest;
}

static void
share_out(LpFairFlows *self)
{
    if (!self->has_changed)
        return;
    self->has_changed = FALSE;
    open_all(self);
    for (guint n_open = self->flowing->len; n_open > 0;) {
        double lowest = find_shares(self, n_open);
        guint n_left = 0;
        for (guint i = 0; i < n_open; i++) {
            Flow *flow = self->open[i];
            if (flow->bytes_per_s > lowest * (1.0 + LP_FAIR_FLOWS_SLACK))
                self->open[n_left++] = flow;
            else
                fix_rate(self, flow, lowest);
        }
        n_open = n_left;
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
        Flow *flow = &g_array_index(self->flowing, Flow, i);
        flow->left_s = flow->rest_bytes / flow->bytes_per_s;
        next_s = MIN(next_s, now_s + flow->left_s);
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
        double left_s = flow->left_s - elapsed_s;
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
    self->links = g_array_new(FALSE, FALSE, sizeof(Link));
    self->legs = g_array_new(FALSE, FALSE, sizeof(Leg));
    self->flowing = g_array_new(FALSE, FALSE, sizeof(Flow));
    self->flow_links = g_array_new(FALSE, FALSE, sizeof(guint32));
    return self;
}

void
lp_fair_flows_free(LpFairFlows *self)
{
    if (self == NULL)
        return;
    g_free(self->used);
    g_free(self->open);
    g_array_unref(self->legs);
    g_hash_table_unref(self->link_ids);
    g_hash_table_unref(self->leg_places);
    g_array_unref(self->links);
    g_array_unref(self->flowing);
    g_array_unref(self->flow_links);
    g_free(self);
}
