/* SPDX-License-Identifier: Apache-2.0 */
/* Rates by progressive filling, whenever something begins or ends. What flows where recurs, step
 * after step of a pipeline: rates that were worked out once are kept. */
#include "sim/analysis/fair_flows.h"

#include <math.h>

/* Rates of so many legs are kept together, in 4 MB; then all are forgotten. */
#define KEPT_MAX (1u << 18)

typedef struct {
    double rest_bytes, left_s; /* left_s: as lp_fair_flows_next_s() found it */
    guint32 place;             /* of its leg, in LpFairFlows.legs */
    guint leg;                 /* 0; over a relay then 1 */
    LpFairFlow what;
} Flow;

/* What is known of a leg. */
typedef struct {
    double cap_bytes_per_s;      /* its narrowest link, or its part of what circuits leave */
    double bytes_per_s;          /* that each of its flows has */
    guint64 mark;                /* a number of its own */
    guint32 first_link, n_links; /* shared links, in LpFairFlows.flow_links */
    guint32 n_flows;
    gboolean is_open; /* its flows have no rate; only while rates are worked out */
} Leg;

/* What flows on a leg, and how fast. */
typedef struct {
    double bytes_per_s;
    guint32 place, n_flows;
} LegRate;

/* Rates that were worked out. */
typedef struct {
    guint64 marks; /* of all flows' legs, summed: first, found by it */
    guint32 n;
    LegRate rates[];
} Rates;

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
    guint32 *open;            /* owned: places of legs whose flows have no rate, meanwhile */
    GArray *flowing;          /* owned: Flow */
    GHashTable *leg_places;   /* owned: links of a leg to its place in legs, plus 1 */
    GArray *legs;             /* owned: Leg */
    GArray *flow_links;       /* owned: guint32, of leg after leg */
    guint32 n_legs;           /* on which something flows */
    guint64 marks;            /* of all flows' legs, summed */
    GHashTable *known;        /* owned: by marks, Rates */
    guint n_kept;             /* rates in it */
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

/* Numbers of which no two sums are likely to be equal (Steele, Lea and Flood, Fast splittable
 * pseudorandom number generators, 2014: its generator's output function). */
static guint64
mark_of(guint64 place)
{
    guint64 mark = (place + 1) * 0x9e3779b97f4a7c15u;
    mark = (mark ^ (mark >> 30)) * 0xbf58476d1ce4e5b9u;
    mark = (mark ^ (mark >> 27)) * 0x94d049bb133111ebu;
    return mark ^ (mark >> 31);
}

static Leg
new_leg(LpFairFlows *self, const LpRoute *route, guint index)
{
    double cap = route->cap_bytes_per_s > 0.0 ? route->cap_bytes_per_s * route->n_legs : INFINITY;
    Leg leg = {.cap_bytes_per_s = cap,
               .mark = mark_of(self->legs->len),
               .first_link = self->flow_links->len};
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

static guint32
place_of(LpFairFlows *self, const LpRoute *route, guint index)
{
    /* Legs of a route begin at different places of one array. */
    gpointer key = GSIZE_TO_POINTER((gsize)(route->links + lp_route_leg_first(route, index)));
    gpointer known = g_hash_table_lookup(self->leg_places, key);
    if (known != NULL)
        return GPOINTER_TO_UINT(known) - 1;
    Leg leg = new_leg(self, route, index);
    g_array_append_val(self->legs, leg);
    g_hash_table_insert(self->leg_places, key, GUINT_TO_POINTER(self->legs->len));
    return self->legs->len - 1;
}

static Leg *
leg_at(const LpFairFlows *self, guint32 place)
{
    return &g_array_index(self->legs, Leg, place);
}

/* Puts @flow on its leg @index. */
static void
enter_leg(LpFairFlows *self, Flow *flow, guint index)
{
    flow->leg = index;
    flow->rest_bytes = flow->what.bytes;
    flow->place = place_of(self, flow->what.route, index);
    Leg *leg = leg_at(self, flow->place);
    self->n_legs += leg->n_flows++ == 0;
    self->marks += leg->mark;
    self->has_changed = TRUE;
}

static void
leave_leg(LpFairFlows *self, const Flow *flow)
{
    Leg *leg = leg_at(self, flow->place);
    self->n_legs -= --leg->n_flows == 0;
    self->marks -= leg->mark;
    self->has_changed = TRUE;
}

/* --- rates --- */

static const guint32 *
links_of(const LpFairFlows *self, const Leg *leg)
{
    return &g_array_index(self->flow_links, guint32, leg->first_link);
}

static Link *
all_links(const LpFairFlows *self)
{
    return (Link *)(gpointer)self->links->data;
}

static void
fix_rate(LpFairFlows *self, Leg *leg, double rate)
{
    const guint32 *links = links_of(self, leg);
    Link *all = all_links(self);
    leg->is_open = FALSE;
    leg->bytes_per_s = rate;
    for (guint32 i = 0; i < leg->n_links; i++) {
        Link *link = &all[links[i]];
        for (guint32 k = 0; k < leg->n_flows; k++)
            link->rest -= rate;
        link->n_users -= leg->n_flows;
        if (link->n_users > 0)
            link->share = link->rest / link->n_users;
    }
}

/* Takes all rates back. Of long chains few links are in use at a time: others are not looked at. */
static void
open_all(LpFairFlows *self)
{
    Link *all = all_links(self);
    guint n_used = 0, n_open = 0;
    self->open = g_renew(guint32, self->open, self->n_legs);
    self->used = g_renew(Link *, self->used, self->links->len);
    for (guint i = 0; i < self->flowing->len; i++) {
        guint32 place = g_array_index(self->flowing, Flow, i).place;
        Leg *leg = leg_at(self, place);
        if (leg->is_open)
            continue;
        leg->is_open = TRUE;
        self->open[n_open++] = place;
        const guint32 *links = links_of(self, leg);
        for (guint32 k = 0; k < leg->n_links; k++) {
            if (all[links[k]].n_users == 0)
                self->used[n_used++] = &all[links[k]];
            all[links[k]].n_users += leg->n_flows;
        }
    }
    for (guint i = 0; i < n_used; i++) {
        Link *link = self->used[i];
        link->rest =
            link->bytes_per_s * lp_network_share(self->network, link->index, link->n_users);
        link->share = link->rest / link->n_users;
    }
}

/* Rates of the first @n_open legs without one: the share of their narrowest link, or their cap.
 * Returns: the lowest. */
static double
find_shares(const LpFairFlows *self, guint n_open)
{
    const Link *all = all_links(self);
    double lowest = INFINITY;
    for (guint i = 0; i < n_open; i++) {
        Leg *leg = leg_at(self, self->open[i]);
        const guint32 *links = links_of(self, leg);
        double rate = leg->cap_bytes_per_s;
        for (guint32 k = 0; k < leg->n_links; k++)
            rate = MIN(rate, all[links[k]].share);
        leg->bytes_per_s = rate;
        lowest = MIN(lowest, rate);
    }
    return lowest;
}

/* What is open. */
static void
fill(LpFairFlows *self)
{
    for (guint n_open = self->n_legs; n_open > 0;) {
        double lowest = find_shares(self, n_open);
        guint n_left = 0;
        for (guint i = 0; i < n_open; i++) {
            Leg *leg = leg_at(self, self->open[i]);
            if (leg->bytes_per_s > lowest * (1.0 + LP_FAIR_FLOWS_SLACK))
                self->open[n_left++] = self->open[i];
            else
                fix_rate(self, leg, lowest);
        }
        n_open = n_left;
    }
}

/* Rates of all that flows now. Returns: (transfer full). */
static Rates *
work_out(LpFairFlows *self)
{
    open_all(self);
    Rates *rates = g_malloc(sizeof *rates + self->n_legs * sizeof *rates->rates);
    *rates = (Rates){.marks = self->marks, .n = self->n_legs};
    for (guint32 i = 0; i < rates->n; i++)
        rates->rates[i] =
            (LegRate){.place = self->open[i], .n_flows = leg_at(self, self->open[i])->n_flows};
    fill(self);
    for (guint32 i = 0; i < rates->n; i++)
        rates->rates[i].bytes_per_s = leg_at(self, rates->rates[i].place)->bytes_per_s;
    return rates;
}

/* Takes over @rates. Returns: whether they are those of what flows now. */
static gboolean
take_over(LpFairFlows *self, const Rates *rates)
{
    if (rates == NULL || rates->n != self->n_legs)
        return FALSE;
    for (guint32 i = 0; i < rates->n; i++) {
        Leg *leg = leg_at(self, rates->rates[i].place);
        if (leg->n_flows != rates->rates[i].n_flows)
            return FALSE;
        leg->bytes_per_s = rates->rates[i].bytes_per_s;
    }
    return TRUE;
}

static void
share_out(LpFairFlows *self)
{
    if (!self->has_changed)
        return;
    self->has_changed = FALSE;
    if (take_over(self, g_hash_table_lookup(self->known, &self->marks)))
        return;
    if (self->n_kept > KEPT_MAX) {
        g_hash_table_remove_all(self->known);
        self->n_kept = 0;
    }
    Rates *rates = work_out(self);
    self->n_kept += rates->n;
    g_hash_table_replace(self->known, &rates->marks, rates);
}

/* --- events --- */

void
lp_fair_flows_add(LpFairFlows *self, const LpFairFlow *flow)
{
    Flow new = {.what = *flow};
    enter_leg(self, &new, 0);
    g_array_append_val(self->flowing, new);
}

double
lp_fair_flows_next_s(LpFairFlows *self, double now_s)
{
    double next_s = INFINITY;
    share_out(self);
    for (guint i = 0; i < self->flowing->len; i++) {
        Flow *flow = &g_array_index(self->flowing, Flow, i);
        flow->left_s = flow->rest_bytes / leg_at(self, flow->place)->bytes_per_s;
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
        flow->rest_bytes -= elapsed_s * leg_at(self, flow->place)->bytes_per_s;
        if (left_s > LP_FAIR_FLOWS_SLACK * now_s) {
            i++;
            continue;
        }
        leave_leg(self, flow);
        if (flow->leg + 1 == lp_route_n_flows(flow->what.route))
            g_array_append_val(ended, flow->what);
        else
            g_array_append_vals(relayed, flow, 1);
        g_array_remove_index_fast(self->flowing, i);
    }
    for (guint i = 0; i < relayed->len; i++) {
        Flow *flow = &g_array_index(relayed, Flow, i);
        enter_leg(self, flow, flow->leg + 1);
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
    self->known = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, g_free);
    return self;
}

void
lp_fair_flows_free(LpFairFlows *self)
{
    if (self == NULL)
        return;
    g_hash_table_unref(self->known);
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
