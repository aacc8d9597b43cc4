/* SPDX-License-Identifier: Apache-2.0 */
/* Flows that share no port know nothing of each other: parts are followed one by one. */
#include "sim/analysis/port_shares.h"

#include "sim/analysis/fair_flows.h"

#include <math.h>

static gboolean
is_port(const LpPortShares *self, guint32 link)
{
    return lp_tier_is_shared(lp_network_link(self->network, link).tier);
}

/* --- rates while all flow --- */

/* How many of the flows cross a port, and with what share of their bytes in all. */
typedef struct {
    guint32 n;
    double weight;
} Users;

static Users *
find_users(GHashTable *users, guint32 link)
{
    return g_hash_table_lookup(users, GUINT_TO_POINTER(link + 1));
}

static GHashTable *
find_port_users(const LpPortShares *self)
{
    GHashTable *users = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    for (guint32 i = 0; i < self->n; i++)
        for (guint32 k = 0; self->routes[i] != NULL && k < self->routes[i]->n_links; k++) {
            guint32 link = self->routes[i]->links[k];
            if (!is_port(self, link))
                continue;
            Users *known = find_users(users, link);
            if (known == NULL) {
                known = g_new0(Users, 1);
                g_hash_table_insert(users, GUINT_TO_POINTER(link + 1), known);
            }
            known->n++;
            known->weight += lp_route_weight(self->routes[i], k);
        }
    return users;
}

/* Of a part of a route: its narrowest link or share of a port. */
static double
leg_rate(const LpPortShares *self, const LpRoute *route, guint32 first, guint32 end,
         GHashTable *users)
{
    double rate = INFINITY;
    for (guint32 k = first; k < end; k++) {
        LpLink link = lp_network_link(self->network, route->links[k]);
        Users alone = {1, lp_route_weight(route, k)};
        Users all = lp_tier_is_shared(link.tier) ? *find_users(users, route->links[k]) : alone;
        rate = MIN(rate, link.bytes_per_s *
                             lp_network_share(self->network, route->links[k], all.n) / all.weight);
    }
    return rate;
}

/* Over several legs one flow follows the other. */
static double
route_rate(const LpPortShares *self, const LpRoute *route, GHashTable *users)
{
    if (route->legs == NULL)
        return leg_rate(self, route, 0, route->n_links, users);
    double per_byte_s = 0.0;
    for (guint32 leg = 0; leg < route->n_legs; leg++)
        per_byte_s += 1.0 / leg_rate(self, route, lp_route_leg_first(route, leg),
                                     lp_route_leg_end(route, leg), users);
    return 1.0 / per_byte_s;
}

static void
find_rates(LpPortShares *self)
{
    g_autoptr(GHashTable) users = find_port_users(self);
    for (guint32 i = 0; i < self->n; i++) {
        const LpRoute *route = self->routes[i];
        if (route == NULL)
            continue;
        self->bytes_per_s[i] = route_rate(self, route, users);
        if (route->cap_bytes_per_s > 0.0)
            self->bytes_per_s[i] = MIN(self->bytes_per_s[i], route->cap_bytes_per_s);
    }
}

void
lp_port_shares_init(LpPortShares *self, const LpNetwork *network, const LpRoute *const *routes,
                    guint32 n)
{
    *self = (LpPortShares){.network = network,
                           .n = n,
                           .routes = g_memdup2(routes, sizeof *routes * n),
                           .bytes_per_s = g_new0(double, n)};
    find_rates(self);
}

void
lp_port_shares_clear(LpPortShares *self)
{
    g_clear_pointer(&self->routes, g_free);
    g_clear_pointer(&self->bytes_per_s, g_free);
    g_clear_pointer(&self->part, g_free);
    g_clear_pointer(&self->next, g_free);
}

gboolean
lp_port_shares_equal(const LpPortShares *a, const LpPortShares *b)
{
    if (a->n != b->n || (a->part == NULL) != (b->part == NULL))
        return FALSE;
    for (guint32 i = 0; i < a->n; i++)
        if (a->bytes_per_s[i] < b->bytes_per_s[i] || a->bytes_per_s[i] > b->bytes_per_s[i] ||
            (a->part != NULL && a->part[i] != b->part[i]))
            return FALSE;
    return TRUE;
}

/* --- parts --- */

static guint32
root(const guint32 *part, guint32 place)
{
    while (part[place] != place)
        place = part[place];
    return place;
}

static void
join(guint32 *part, guint32 a, guint32 b)
{
    guint32 root_a = root(part, a), root_b = root(part, b);
    part[MAX(root_a, root_b)] = MIN(root_a, root_b);
}

void
lp_port_shares_find_parts(LpPortShares *self)
{
    self->part = g_new(guint32, self->n);
    self->next = g_new(guint32, self->n);
    g_autoptr(GHashTable) users = g_hash_table_new(NULL, NULL); /* port to a flow on it, plus 1 */
    g_autofree guint32 *last = g_new(guint32, self->n);
    for (guint32 i = 0; i < self->n; i++) {
        const LpRoute *route = self->routes[i];
        self->part[i] = i;
        for (guint32 k = 0; route != NULL && k < route->n_links; k++) {
            gpointer port = GUINT_TO_POINTER(route->links[k] + 1);
            guint32 known = GPOINTER_TO_UINT(g_hash_table_lookup(users, port));
            if (known > 0)
                join(self->part, known - 1, i);
            else if (is_port(self, route->links[k]))
                g_hash_table_insert(users, port, GUINT_TO_POINTER(i + 1));
        }
    }
    for (guint32 i = 0; i < self->n; i++) {
        self->part[i] = root(self->part, i);
        self->next[i] = self->n;
        if (self->part[i] != i)
            self->next[last[self->part[i]]] = i;
        last[self->part[i]] = i;
    }
}

/* --- flows of unequal bytes --- */

static double
part_time_s(const LpPortShares *self, guint32 first, const guint64 *bytes)
{
    g_autoptr(LpFairFlows) flows = lp_fair_flows_new(self->network);
    g_autoptr(GArray) ended = g_array_new(FALSE, FALSE, sizeof(LpFairFlow));
    double now_s = 0.0, next_s = 0.0;
    for (guint32 i = first; i < self->n; i = self->next[i]) {
        LpFairFlow flow = {.bytes = (double)bytes[i], .route = self->routes[i]};
        lp_fair_flows_add(flows, &flow);
    }
    while (isfinite(next_s = lp_fair_flows_next_s(flows, now_s))) {
        lp_fair_flows_pass(flows, next_s - now_s, next_s, ended);
        now_s = next_s;
    }
    return now_s;
}

double
lp_port_shares_time_s(const LpPortShares *self, const guint64 *bytes)
{
    double longest_s = 0.0;
    for (guint32 i = 0; i < self->n; i++) {
        if (self->routes[i] == NULL || self->part[i] != i)
            continue;
        double time_s = self->next[i] == self->n ? (double)bytes[i] / self->bytes_per_s[i]
                                                 : part_time_s(self, i, bytes);
        longest_s = MAX(longest_s, time_s);
    }
    return longest_s;
}
