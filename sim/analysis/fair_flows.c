/* SPDX-License-Identifier: Apache-2.0 */
/* Max-min fair rates of flows, worked out by progressive filling whenever flows begin or end. A
 * change reaches flows over shared links, from link to flow to link; only their rates are worked
 * out anew. The steps of a pipeline repeat the same flows, so rates are kept and looked up. */
#include "sim/analysis/fair_flows.h"

#include "sim/analysis/known_rates.h"

#include <math.h>

/* Of so many flows it is quicker to give all a rate than to find those that a change can reach. */
#define FEW 1024
/* What is skipped without a division is further off than its rounding. */
#define MARGIN 1e-9

/* What flows: looked at whenever time passes, and so without what its user has to know. */
typedef struct {
    double rest_bytes;
    guint32 place; /* of its leg, in LpFairFlows.legs */
    guint32 leg;   /* 0; over a relay then 1 */
} Flow;

/* What is known of a leg. */
typedef struct {
    double cap_bytes_per_s;     /* its narrowest link, or its part of what circuits leave */
    guint32 first_use, n_links; /* its shared links, in LpFairFlows.uses */
    guint32 n_flows;
    guint32 n_before;    /* of them, as its links know it */
    gboolean is_changed; /* some have come or gone since links were told */
    gboolean is_open;    /* its flows have no rate; only while rates are worked out */
} Leg;

/* A shared link. */
typedef struct {
    double bytes_per_s;
    double rest;       /* of that, not given away yet, */
    double share;      /* and what each has of it of the */
    guint32 n_users;   /* flows without a rate; only while rates are worked out */
    guint32 n_flows;   /* on it */
    guint32 index;     /* in the network */
    gboolean is_open;  /* what flows on it has changed, or can be reached from there */
    guint32 first_use; /* in a list of all on which something flows, plus 1; 0: there is none */
} Link;

/* A leg's use of a shared link. */
typedef struct {
    guint32 place; /* of the leg */
    guint32 next;  /* in the link's list, plus 1; 0: there is none */
    gboolean is_listed;
} Use;

struct LpFairFlows {
    const LpNetwork *network; /* borrowed */
    guint32 *link_ids;        /* owned, by link of the network: shared ones, numbered from 1 as they
                                 turn up; 0: it has not */
    GArray *links;            /* owned: Link by number */
    GHashTable *leg_places;   /* owned: links of a leg to its place in legs, plus 1 */
    GArray *legs;             /* owned: Leg */
    GArray *bytes_per_s;      /* owned: double, that each flow of a leg has, by its place */
    GArray *uses;             /* owned: Use, of leg after leg */
    GArray *used_links;       /* owned: guint32, by use */
    GArray *flowing;          /* owned: Flow */
    GArray *what;             /* owned: LpFairFlow, by place in flowing */
    GArray *changed;          /* owned: guint32, places of legs */
    guint32 *open_links;      /* owned: room for all; while rates are worked out, n_open_links */
    guint32 *open;            /* owned: room for all; then n_open places of legs without a rate */
    guint32 n_open_links, n_open;
    LpKnownRates *known; /* owned */
    guint64 marks;       /* of all flows' legs, summed */
    gboolean is_changed; /* what flows, since it was last given rates */
    gboolean is_behind;  /* rates were given since links were told of what flows */
};

static Link *
link_at(const LpFairFlows *self, guint32 id)
{
    return &g_array_index(self->links, Link, id);
}

static guint32
link_id(LpFairFlows *self, guint32 index)
{
    if (self->link_ids[index] > 0)
        return self->link_ids[index] - 1;
    guint32 id = self->links->len;
    Link link = {.bytes_per_s = lp_network_link(self->network, index).bytes_per_s, .index = index};
    g_array_append_val(self->links, link);
    self->link_ids[index] = id + 1;
    return id;
}

static Leg
new_leg(LpFairFlows *self, const LpRoute *route, guint index)
{
    double cap = route->cap_bytes_per_s > 0.0 ? route->cap_bytes_per_s * route->n_legs : INFINITY;
    Leg leg = {.cap_bytes_per_s = cap, .first_use = self->uses->len};
    guint32 end = lp_route_leg_end(route, index);
    for (guint32 i = lp_route_leg_first(route, index); i < end; i++) {
        LpLink link = lp_network_link(self->network, route->links[i]);
        leg.cap_bytes_per_s =
            MIN(leg.cap_bytes_per_s, link.bytes_per_s / lp_route_weight(route, i));
        if (!lp_tier_is_shared(link.tier))
            continue;
        guint32 id = link_id(self, route->links[i]);
        g_array_append_vals(self->uses, &(Use){.place = self->legs->len}, 1);
        g_array_append_val(self->used_links, id);
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
    g_array_set_size(self->bytes_per_s, self->legs->len);
    g_hash_table_insert(self->leg_places, key, GUINT_TO_POINTER(self->legs->len));
    return self->legs->len - 1;
}

static Leg *
leg_at(const LpFairFlows *self, guint32 place)
{
    return &g_array_index(self->legs, Leg, place);
}

static double *
rate_at(const LpFairFlows *self, guint32 place)
{
    return &g_array_index(self->bytes_per_s, double, place);
}

static Use *
use_at(const LpFairFlows *self, guint32 index)
{
    return &g_array_index(self->uses, Use, index);
}

static const guint32 *
used_links(const LpFairFlows *self)
{
    return (const guint32 *)(gconstpointer)self->used_links->data;
}

/* --- what changes --- */

static void
open_link(LpFairFlows *self, guint32 id)
{
    Link *link = link_at(self, id);
    if (!link->is_open)
        self->open_links[self->n_open_links++] = id;
    link->is_open = TRUE;
}

static void
open_leg(LpFairFlows *self, guint32 place)
{
    Leg *leg = leg_at(self, place);
    if (!leg->is_open)
        self->open[self->n_open++] = place;
    leg->is_open = TRUE;
}

/* Puts a use into its link's list, in which those of legs without flows are left until it is gone
 * through. */
static void
list_use(LpFairFlows *self, guint32 index)
{
    Use *use = use_at(self, index);
    Link *link = link_at(self, used_links(self)[index]);
    if (use->is_listed)
        return;
    *use = (Use){use->place, link->first_use, TRUE};
    link->first_use = index + 1;
}

/* One flow more or less on the leg at @place. */
static void
change_leg(LpFairFlows *self, guint32 place, gboolean is_more)
{
    Leg *leg = leg_at(self, place);
    leg->n_flows += is_more ? 1 : G_MAXUINT32;
    self->marks += is_more ? lp_known_rates_mark(place) : -lp_known_rates_mark(place);
    self->is_changed = TRUE;
    if (!leg->is_changed)
        g_array_append_val(self->changed, place);
    leg->is_changed = TRUE;
}

/* Puts @flow on its leg @index. */
static void
enter_leg(LpFairFlows *self, Flow *flow, const LpFairFlow *what, guint index)
{
    *flow = (Flow){what->bytes, place_of(self, what->route, index), index};
    change_leg(self, flow->place, TRUE);
}

/* Where one flow follows another, as in a pipeline, nothing has changed, unless there were other
 * rates meanwhile. */
static void
open_if_changed(LpFairFlows *self, guint32 place)
{
    Leg *leg = leg_at(self, place);
    guint32 n_more = leg->n_flows - leg->n_before;
    leg->is_changed = FALSE;
    if (n_more == 0 && !self->is_behind)
        return;
    for (guint32 i = leg->first_use; i < leg->first_use + leg->n_links; i++) {
        guint32 id = used_links(self)[i];
        link_at(self, id)->n_flows += n_more;
        if (leg->n_flows > 0)
            list_use(self, i);
        open_link(self, id);
    }
    leg->n_before = leg->n_flows;
    if (leg->n_flows > 0)
        open_leg(self, place);
}

static void
open_changed(LpFairFlows *self)
{
    self->open_links = g_renew(guint32, self->open_links, self->links->len);
    self->open = g_renew(guint32, self->open, self->legs->len);
    for (guint i = 0; i < self->changed->len; i++)
        open_if_changed(self, g_array_index(self->changed, guint32, i));
    g_array_set_size(self->changed, 0);
    self->is_behind = FALSE;
}

/* --- rates --- */

static void
fix_rate(LpFairFlows *self, guint32 place, double rate)
{
    Leg *leg = leg_at(self, place);
    const guint32 *links = used_links(self) + leg->first_use;
    Link *all = link_at(self, 0);
    guint32 n_links = leg->n_links, n_flows = leg->n_flows;
    leg->is_open = FALSE;
    *rate_at(self, place) = rate;
    for (guint32 i = 0; i < n_links; i++) {
        Link *link = &all[links[i]];
        for (guint32 k = 0; k < n_flows; k++)
            link->rest -= rate;
        link->n_users -= n_flows;
        if (link->n_users > 0)
            link->share = link->rest / link->n_users;
    }
}

static void
open_leg_links(LpFairFlows *self, guint32 place)
{
    const Leg *leg = leg_at(self, place);
    if (leg->is_open)
        return;
    open_leg(self, place);
    for (guint32 i = leg->first_use; i < leg->first_use + leg->n_links; i++)
        open_link(self, used_links(self)[i]);
}

static void
open_listed(LpFairFlows *self, Link *link)
{
    for (guint32 *at = &link->first_use; *at > 0;) {
        Use *use = use_at(self, *at - 1);
        use->is_listed = leg_at(self, use->place)->n_flows > 0;
        if (use->is_listed) {
            open_leg_links(self, use->place);
            at = &use->next;
        } else {
            *at = use->next;
        }
    }
}

/* Legs that share a link with what has changed, directly or over others; of few flows all. */
static void
open_reached(LpFairFlows *self)
{
    gboolean are_few = self->flowing->len <= FEW;
    for (guint i = 0; i < self->flowing->len && are_few; i++)
        open_leg_links(self, g_array_index(self->flowing, Flow, i).place);
    for (guint32 i = 0; i < self->n_open_links && !are_few; i++)
        open_listed(self, link_at(self, self->open_links[i]));
}

/* Takes rates back. */
static void
free_links(LpFairFlows *self)
{
    for (guint32 i = 0; i < self->n_open_links; i++) {
        Link *link = link_at(self, self->open_links[i]);
        link->is_open = FALSE;
        link->n_users = link->n_flows;
        link->rest =
            link->bytes_per_s * lp_network_share(self->network, link->index, link->n_users);
        link->share = link->rest / link->n_users;
    }
    self->n_open_links = 0;
}

/* Rates of legs without one: the share of their narrowest link, or their cap. Returns: the
 * lowest. */
static double
find_shares(LpFairFlows *self)
{
    const Link *all = link_at(self, 0);
    const guint32 *open = self->open;
    double *bytes_per_s = (double *)(gpointer)self->bytes_per_s->data, lowest = INFINITY;
    for (guint i = 0; i < self->n_open; i++) {
        const Leg *leg = leg_at(self, open[i]);
        const guint32 *links = used_links(self) + leg->first_use;
        double rate = leg->cap_bytes_per_s;
        for (guint32 k = 0; k < leg->n_links; k++)
            rate = MIN(rate, all[links[k]].share);
        bytes_per_s[open[i]] = rate;
        lowest = MIN(lowest, rate);
    }
    return lowest;
}

/* What is open. */
static void
fill(LpFairFlows *self)
{
    while (self->n_open > 0) {
        double lowest = find_shares(self);
        guint32 n_left = 0;
        for (guint i = 0; i < self->n_open; i++) {
            if (*rate_at(self, self->open[i]) > lowest * (1.0 + LP_FAIR_FLOWS_SLACK))
                self->open[n_left++] = self->open[i];
            else
                fix_rate(self, self->open[i], lowest);
        }
        self->n_open = n_left;
    }
}

static void
keep_rates(LpFairFlows *self)
{
    LpLegRate *rates = lp_known_rates_keep(self->known, self->marks, self->flowing->len);
    for (guint i = 0; rates != NULL && i < self->flowing->len; i++) {
        guint32 place = g_array_index(self->flowing, Flow, i).place;
        rates[i] = (LpLegRate){*rate_at(self, place), place, leg_at(self, place)->n_flows};
    }
}

/* Takes over those that are known of what flows now. Returns: whether there are any. */
static gboolean
recall_rates(LpFairFlows *self)
{
    guint n = self->flowing->len;
    const LpLegRate *rates = lp_known_rates_find(self->known, self->marks, n);
    if (rates == NULL)
        return FALSE;
    for (guint i = 0; i < n; i++)
        if (leg_at(self, rates[i].place)->n_flows != rates[i].n_flows)
            return FALSE;
    for (guint i = 0; i < n; i++)
        *rate_at(self, rates[i].place) = rates[i].bytes_per_s;
    self->is_behind = TRUE;
    return TRUE;
}

static void
share_out(LpFairFlows *self)
{
    if (!self->is_changed)
        return;
    self->is_changed = FALSE;
    if (recall_rates(self))
        return;
    open_changed(self);
    open_reached(self);
    free_links(self);
    fill(self);
    keep_rates(self);
}

/* --- events --- */

void
lp_fair_flows_add(LpFairFlows *self, const LpFairFlow *flow)
{
    Flow new;
    enter_leg(self, &new, flow, 0);
    g_array_append_val(self->flowing, new);
    g_array_append_vals(self->what, flow, 1);
}

/* Divisions take most of the time where thousands flow: most flows end later than one that has been
 * seen, which a product shows. */
double
lp_fair_flows_next_s(LpFairFlows *self, double now_s)
{
    double left_s = INFINITY;
    share_out(self);
    const double *bytes_per_s = (const double *)(gconstpointer)self->bytes_per_s->data;
    for (guint i = 0; i < self->flowing->len; i++) {
        const Flow *flow = &g_array_index(self->flowing, Flow, i);
        double rate = bytes_per_s[flow->place];
        if (flow->rest_bytes < left_s * rate * (1.0 + MARGIN))
            left_s = MIN(left_s, flow->rest_bytes / rate);
    }
    return now_s + left_s;
}

/* Whether a flow of @rest_bytes ends within @elapsed_s, which have passed at @now_s. */
static gboolean
has_ended(double rest_bytes, double bytes_per_s, double elapsed_s, double now_s)
{
    double slack_s = LP_FAIR_FLOWS_SLACK * now_s;
    if (rest_bytes > (elapsed_s + slack_s) * bytes_per_s * (1.0 + MARGIN))
        return FALSE;
    return rest_bytes / bytes_per_s - elapsed_s <= slack_s;
}

/* Flows that end now are taken out first: what their users then do belongs to the next instant. */
void
lp_fair_flows_pass(LpFairFlows *self, double elapsed_s, double now_s, GArray *ended)
{
    g_autoptr(GArray) relayed = g_array_new(FALSE, FALSE, sizeof(Flow));
    g_autoptr(GArray) what = g_array_new(FALSE, FALSE, sizeof(LpFairFlow));
    const double *bytes_per_s = (const double *)(gconstpointer)self->bytes_per_s->data;
    for (guint i = 0; i < self->flowing->len;) {
        Flow *flow = &g_array_index(self->flowing, Flow, i);
        double rate = bytes_per_s[flow->place];
        if (!has_ended(flow->rest_bytes, rate, elapsed_s, now_s)) {
            flow->rest_bytes -= elapsed_s * rate;
            i++;
            continue;
        }
        const LpFairFlow *user = &g_array_index(self->what, LpFairFlow, i);
        change_leg(self, flow->place, FALSE);
        if (flow->leg + 1 == lp_route_n_flows(user->route)) {
            g_array_append_vals(ended, user, 1);
        } else {
            g_array_append_vals(relayed, flow, 1);
            g_array_append_vals(what, user, 1);
        }
        g_array_remove_index_fast(self->flowing, i);
        g_array_remove_index_fast(self->what, i);
    }
    for (guint i = 0; i < relayed->len; i++) {
        Flow *flow = &g_array_index(relayed, Flow, i);
        enter_leg(self, flow, &g_array_index(what, LpFairFlow, i), flow->leg + 1);
    }
    g_array_append_vals(self->flowing, relayed->data, relayed->len);
    g_array_append_vals(self->what, what->data, what->len);
}

LpFairFlows *
lp_fair_flows_new(const LpNetwork *network)
{
    LpFairFlows *self = g_new0(LpFairFlows, 1);
    self->network = network;
    self->link_ids = g_new0(guint32, lp_network_n_links(network));
    self->links = g_array_new(FALSE, FALSE, sizeof(Link));
    self->leg_places = g_hash_table_new(NULL, NULL);
    self->legs = g_array_new(FALSE, FALSE, sizeof(Leg));
    self->bytes_per_s = g_array_new(FALSE, FALSE, sizeof(double));
    self->uses = g_array_new(FALSE, FALSE, sizeof(Use));
    self->used_links = g_array_new(FALSE, FALSE, sizeof(guint32));
    self->flowing = g_array_new(FALSE, FALSE, sizeof(Flow));
    self->what = g_array_new(FALSE, FALSE, sizeof(LpFairFlow));
    self->changed = g_array_new(FALSE, FALSE, sizeof(guint32));
    self->known = lp_known_rates_new();
    return self;
}

void
lp_fair_flows_free(LpFairFlows *self)
{
    if (self == NULL)
        return;
    g_free(self->link_ids);
    g_array_unref(self->links);
    g_hash_table_unref(self->leg_places);
    g_array_unref(self->legs);
    g_array_unref(self->bytes_per_s);
    g_array_unref(self->uses);
    g_array_unref(self->used_links);
    g_array_unref(self->flowing);
    g_array_unref(self->what);
    g_array_unref(self->changed);
    g_free(self->open_links);
    g_free(self->open);
    lp_known_rates_free(self->known);
    g_free(self);
}
