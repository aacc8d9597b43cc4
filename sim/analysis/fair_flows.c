/* SPDX-License-Identifier: Apache-2.0 */
/* Flows by their bytes left. Those over the same leg of a route are one class of the solver. */
#include "sim/analysis/fair_flows.h"

#include "sim/analysis/max_min.h"

#include <math.h>

/* What is skipped without a division is further off than its rounding. */
#define MARGIN 1e-9

/* What flows: looked at whenever time passes, and so without what its user has to know. */
typedef struct {
    double rest_bytes;
    guint32 class; /* of its leg, in the solver */
    guint32 leg;   /* 0; over a relay then 1 */
} Flow;

struct LpFairFlows {
    const LpNetwork *network; /* borrowed */
    LpMaxMin *solver;         /* owned */
    guint32 *solver_links;    /* owned, by link of the network: its number there, plus 1; 0: none */
    GHashTable *leg_classes;  /* owned: links of a leg to its class, plus 1 */
    GArray *uses;             /* owned: LpMaxMinUse, of the leg at hand */
    GArray *flowing;          /* owned: Flow */
    GArray *what;             /* owned: LpFairFlow, by place in flowing */
};

/* --- legs --- */

static guint32
solver_link(LpFairFlows *self, guint32 index)
{
    if (self->solver_links[index] == 0)
        self->solver_links[index] =
            1 + lp_max_min_add_link(self->solver, index,
                                    lp_network_link(self->network, index).bytes_per_s);
    return self->solver_links[index] - 1;
}

/* Its cap is its narrowest link, or its part of what circuits leave. */
static guint32
add_class(LpFairFlows *self, const LpRoute *route, guint leg)
{
    guint32 class = lp_max_min_add_class(self->solver), end = lp_route_leg_end(route, leg);
    double cap = route->cap_bytes_per_s > 0.0 ? route->cap_bytes_per_s * route->n_legs : INFINITY;
    g_array_set_size(self->uses, 0);
    for (guint32 i = lp_route_leg_first(route, leg); i < end; i++) {
        LpLink link = lp_network_link(self->network, route->links[i]);
        LpMaxMinUse use = {.n = lp_route_weight(route, i)};
        cap = MIN(cap, link.bytes_per_s / use.n);
        if (!lp_tier_is_shared(link.tier))
            continue;
        use.link = solver_link(self, route->links[i]);
        g_array_append_val(self->uses, use);
    }
    lp_max_min_set_uses(self->solver, class, (const LpMaxMinUse *)(gconstpointer)self->uses->data,
                        self->uses->len, cap);
    return class;
}

/* Puts a flow on its leg number @leg. Legs of a route begin at different places of one array. */
static Flow
enter_leg(LpFairFlows *self, const LpFairFlow *what, guint leg)
{
    gpointer key =
        GSIZE_TO_POINTER((gsize)(what->route->links + lp_route_leg_first(what->route, leg)));
    guint32 class = GPOINTER_TO_UINT(g_hash_table_lookup(self->leg_classes, key));
    if (class == 0) {
        class = add_class(self, what->route, leg) + 1;
        g_hash_table_insert(self->leg_classes, key, GUINT_TO_POINTER(class));
    }
    lp_max_min_enter(self->solver, class - 1);
    return (Flow){what->bytes, class - 1, leg};
}

/* --- events --- */

void
lp_fair_flows_add(LpFairFlows *self, const LpFairFlow *flow)
{
    Flow new = enter_leg(self, flow, 0);
    g_array_append_val(self->flowing, new);
    g_array_append_vals(self->what, flow, 1);
}

/* Divisions take most of the time where thousands flow: most flows end later than one that has been
 * seen, which a product shows. */
double
lp_fair_flows_next_s(LpFairFlows *self, double now_s)
{
    double left_s = INFINITY;
    guint32 n;
    (void)lp_max_min_share_out(self->solver, &n);
    const double *bytes_per_s = lp_max_min_rates(self->solver);
    for (guint i = 0; i < self->flowing->len; i++) {
        const Flow *flow = &g_array_index(self->flowing, Flow, i);
        double rate = bytes_per_s[flow->class];
        if (flow->rest_bytes < left_s * rate * (1.0 + MARGIN))
            left_s = MIN(left_s, flow->rest_bytes / rate);
    }
    return now_s + left_s;
}

/* Whether a flow of @rest_bytes ends within @elapsed_s, which have passed at @now_s. */
static gboolean
has_ended(double rest_bytes, double bytes_per_s, double elapsed_s, double now_s)
{
    double slack_s = LP_MAX_MIN_SLACK * now_s;
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
    const double *bytes_per_s = lp_max_min_rates(self->solver);
    for (guint i = 0; i < self->flowing->len;) {
        Flow *flow = &g_array_index(self->flowing, Flow, i);
        double rate = bytes_per_s[flow->class];
        if (!has_ended(flow->rest_bytes, rate, elapsed_s, now_s)) {
            flow->rest_bytes -= elapsed_s * rate;
            i++;
            continue;
        }
        const LpFairFlow *user = &g_array_index(self->what, LpFairFlow, i);
        lp_max_min_leave(self->solver, flow->class);
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
        guint32 leg = g_array_index(relayed, Flow, i).leg + 1;
        g_array_index(relayed, Flow, i) = enter_leg(self, &g_array_index(what, LpFairFlow, i), leg);
    }
    g_array_append_vals(self->flowing, relayed->data, relayed->len);
    g_array_append_vals(self->what, what->data, what->len);
}

LpFairFlows *
lp_fair_flows_new(const LpNetwork *network)
{
    LpFairFlows *self = g_new0(LpFairFlows, 1);
    self->network = network;
    self->solver = lp_max_min_new(network, TRUE);
    self->solver_links = g_new0(guint32, lp_network_n_links(network));
    self->leg_classes = g_hash_table_new(NULL, NULL);
    self->uses = g_array_new(FALSE, FALSE, sizeof(LpMaxMinUse));
    self->flowing = g_array_new(FALSE, FALSE, sizeof(Flow));
    self->what = g_array_new(FALSE, FALSE, sizeof(LpFairFlow));
    return self;
}

void
lp_fair_flows_free(LpFairFlows *self)
{
    if (self == NULL)
        return;
    lp_max_min_free(self->solver);
    g_free(self->solver_links);
    g_hash_table_unref(self->leg_classes);
    g_array_unref(self->uses);
    g_array_unref(self->flowing);
    g_array_unref(self->what);
    g_free(self);
}
