/* SPDX-License-Identifier: Apache-2.0 */
/* Makes flows of what pairs put on links. */
#include "sim/mapping/exchange_flows.h"

#include "sim/mapping/exchange_loads.h"

#include <math.h>
#include <string.h>

typedef struct {
    const LpExchangeLoads *loads; /* borrowed */
    LpExchangeFlows *flows;
    double near_factor;
    gboolean differ; /* blocks may */
} Builder;

static const LpNetwork *
network_of(const Builder *self)
{
    return self->loads->network;
}

static const LpCommunicator *
communicator_of(const Builder *self)
{
    return self->loads->communicator;
}

/* --- what is kept of them --- */

static LpExchangeLink
describe_link(const Builder *self, guint32 link)
{
    LpLink described = lp_network_link(network_of(self), link);
    self->flows->has_core = self->flows->has_core || !lp_tier_is_shared(described.tier);
    return (LpExchangeLink){.bytes_per_s = described.bytes_per_s, .tier = described.tier};
}

static void
keep_link(LpExchangeFlows *self, const LpExchangeLink *link)
{
    for (guint i = 0; i < self->links->len; i++)
        if (lp_exchange_link_equal(&g_array_index(self->links, LpExchangeLink, i), link))
            return;
    g_array_append_vals(self->links, link, 1);
}

/* Of blocks that are alike only counts matter. */
static void
keep_counts(const Builder *self)
{
    g_autoptr(GHashTable) places = g_hash_table_new(NULL, NULL);
    g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(LpExchangeLink));
    for (guint32 i = 0; i < communicator_of(self)->n_members * LP_N_EXCHANGE_SIDES; i++)
        for (guint k = 0; k < self->loads->loads[i]->len; k++) {
            const LpExchangeLoad *load = &g_array_index(self->loads->loads[i], LpExchangeLoad, k);
            gpointer key = GUINT_TO_POINTER(load->link + 1);
            guint place = GPOINTER_TO_UINT(g_hash_table_lookup(places, key));
            if (place == 0) {
                LpExchangeLink link = describe_link(self, load->link);
                g_array_append_val(all, link);
                place = all->len;
                g_hash_table_insert(places, key, GUINT_TO_POINTER(place));
            }
            for (LpReach reach = 0; reach < LP_N_REACHES; reach++)
                g_array_index(all, LpExchangeLink, place - 1).n[reach] += load->n[reach];
        }
    for (guint i = 0; i < all->len; i++) {
        LpExchangeLink *link = &g_array_index(all, LpExchangeLink, i);
        for (LpReach reach = 0; reach < LP_N_REACHES; reach++)
            link->n[reach] = rint(link->n[reach]); /* the shares of a block's members add up */
        keep_link(self->flows, link);
    }
}

static int
compare_by_receiver(const void *a, const void *b)
{
    const LpExchangeCrossing *one = a, *other = b;
    if (one->link != other->link)
        return one->link < other->link ? -1 : 1;
    return one->to < other->to ? -1 : one->to > other->to;
}

static int
compare_by_sender(const void *a, const void *b)
{
    const LpExchangeCrossing *one = a, *other = b;
    if (one->link != other->link)
        return one->link < other->link ? -1 : 1;
    return one->from < other->from ? -1 : one->from > other->from;
}

/* Appends the shares of the crossings [first, end) of one link, by who receives or sends. */
static void
append_shares(const Builder *self, guint first, guint end, gboolean by_sender)
{
    GArray *shares = self->flows->shares;
    guint begin = shares->len;
    for (guint i = first; i < end; i++) {
        const LpExchangeCrossing *crossing =
            &g_array_index(self->loads->crossings, LpExchangeCrossing, i);
        guint32 member = by_sender ? crossing->from : crossing->to;
        if (shares->len == begin ||
            g_array_index(shares, LpExchangeShare, shares->len - 1).member != member) {
            LpExchangeShare share = {.member = member};
            g_array_append_val(shares, share);
        }
        g_array_index(shares, LpExchangeShare, shares->len - 1).n[crossing->reach] += crossing->n;
    }
}

static guint
link_end(const GArray *crossings, guint first)
{
    guint end = first;
    while (end < crossings->len && g_array_index(crossings, LpExchangeCrossing, end).link ==
                                       g_array_index(crossings, LpExchangeCrossing, first).link)
        end++;
    return end;
}

static void
keep_shares(const Builder *self)
{
    LpExchangeFlows *flows = self->flows;
    GArray *all = self->loads->crossings;
    g_array_sort(all, compare_by_receiver);
    for (guint first = 0, end; first < all->len; first = end) {
        end = link_end(all, first);
        LpExchangeLink link =
            describe_link(self, g_array_index(all, LpExchangeCrossing, first).link);
        link.first_share = flows->shares->len;
        append_shares(self, first, end, FALSE);
        link.middle_share = flows->shares->len;
        qsort(&g_array_index(all, LpExchangeCrossing, first), end - first,
              sizeof(LpExchangeCrossing), compare_by_sender);
        append_shares(self, first, end, TRUE);
        link.end_share = flows->shares->len;
        for (guint32 i = link.first_share; i < link.middle_share; i++)
            for (LpReach reach = 0; reach < LP_N_REACHES; reach++)
                link.n[reach] += g_array_index(flows->shares, LpExchangeShare, i).n[reach];
        g_array_append_val(flows->links, link);
    }
}

/* --- routes --- */

static double
weight_of(const Builder *self, const LpExchangeLoad *load)
{
    LpTier tier = lp_network_link(network_of(self), load->link).tier;
    double near = load->n[LP_REACH_DOMAIN], far = load->n[LP_REACH_FABRIC];
    return self->differ && lp_tier_is_shared(tier) ? 0.0 : far + near * self->near_factor;
}

typedef struct {
    guint32 link;
    double weight;
} Weighted;

static void
add_weight(GArray *all, guint32 link, double weight)
{
    guint i = 0;
    while (i < all->len && g_array_index(all, Weighted, i).link != link)
        i++;
    if (i == all->len) {
        Weighted made = {link, 0.0};
        g_array_append_val(all, made);
    }
    g_array_index(all, Weighted, i).weight += weight;
}

/* Whether nothing but @route itself is used, by all of the flow. */
static gboolean
is_route_itself(const GArray *all, const LpRoute *route)
{
    for (guint i = 0; i < all->len; i++) {
        double weight = g_array_index(all, Weighted, i).weight;
        if (weight < 1.0 || weight > 1.0)
            return FALSE;
    }
    return all->len == route->n_links;
}

/* The first and last link of a route stay there: they bound what can come to others. */
static void
write_route(const Builder *self, GArray *all, LpRoute *route)
{
    if (is_route_itself(all, route))
        return;
    self->flows->has_weights = TRUE;
    guint32 *links = g_new(guint32, all->len);
    double *weights = g_new(double, all->len);
    double bytes_per_s = INFINITY;
    for (guint i = 0; i < all->len; i++) {
        const Weighted *at = &g_array_index(all, Weighted, i);
        guint place = i == 1 ? all->len - 1 : i > 1 ? i - 1 : 0;
        links[place] = at->link;
        weights[place] = at->weight;
        double share = lp_network_link(network_of(self), at->link).bytes_per_s / at->weight;
        bytes_per_s = MIN(bytes_per_s, share);
    }
    g_ptr_array_add(self->flows->blocks, links);
    g_ptr_array_add(self->flows->blocks, weights);
    route->links = links;
    route->weights = weights;
    route->n_links = all->len;
    route->n_legs = 1;
    route->legs = NULL;
    route->bytes_per_s = bytes_per_s;
}

/* Where blocks may differ, ports carry the bytes of the flow, and what stays in domains is no part
 * of it. */
static void
weigh(const Builder *self, guint32 member, guint32 to, LpRoute *route)
{
    double n_far = self->loads->n_far[member];
    g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(Weighted));
    guint32 ends[] = {route->links[0], route->links[route->n_links - 1]};
    for (guint i = 0; i < G_N_ELEMENTS(ends); i++)
        add_weight(all, ends[i], 0.0);
    for (guint32 i = 0; self->differ && i < route->n_links; i++)
        if (lp_tier_is_shared(lp_network_link(network_of(self), route->links[i]).tier))
            add_weight(all, route->links[i], 1.0);
    const GArray *both[] = {lp_exchange_loads_get(self->loads, member, LP_EXCHANGE_SENT),
                            lp_exchange_loads_get(self->loads, to, LP_EXCHANGE_RECEIVED)};
    for (guint side = 0; side < G_N_ELEMENTS(both); side++)
        for (guint i = 0; i < both[side]->len; i++) {
            const LpExchangeLoad *load = &g_array_index(both[side], LpExchangeLoad, i);
            double weight = weight_of(self, load) / n_far;
            if (weight > 0.0)
                add_weight(all, load->link, weight);
        }
    for (guint i = all->len; i-- > 0;)
        if (!(g_array_index(all, Weighted, i).weight > 0.0))
            g_array_remove_index(all, i);
    write_route(self, all, route);
}

static void
weigh_all(const Builder *self, LpConnection *connections)
{
    const LpCommunicator *communicator = communicator_of(self);
    for (guint32 member = 0; connections != NULL && member < communicator->n_members; member++) {
        LpConnection *connection = &connections[communicator->ranks[member]];
        if (!connection->present || !(self->loads->n_far[member] > 0.0))
            continue;
        guint64 accelerator = lp_rank_layout_accelerator(self->loads->layout, connection->to);
        guint32 to = lp_exchange_loads_member_on(self->loads, accelerator, member);
        weigh(self, member, to, &connection->route);
        connection->route.latency_s =
            MAX(connection->route.latency_s, self->loads->latency_s[member]);
    }
}

/* --- all --- */

static gboolean
has_far(const LpExchangeLoads *self)
{
    gboolean any = FALSE;
    for (guint32 i = 0; i < self->communicator->n_members; i++)
        any = any || self->n_far[i] > 0.0;
    return any;
}

LpExchangeFlows *
lp_exchange_flows_new(const LpRankLayout *layout, const LpCommunicator *communicator,
                      LpConnection *connections, double near_factor, gboolean by_blocks)
{
    g_autoptr(LpExchangeLoads) loads = lp_exchange_loads_new(layout, communicator, by_blocks);
    LpExchangeFlows *self = g_new0(LpExchangeFlows, 1);
    self->links = g_array_new(FALSE, FALSE, sizeof(LpExchangeLink));
    self->shares = g_array_new(FALSE, FALSE, sizeof(LpExchangeShare));
    self->blocks = g_ptr_array_new_with_free_func(g_free);
    self->has_far = has_far(loads);
    Builder builder = {.loads = loads,
                       .flows = self,
                       .near_factor = near_factor,
                       .differ = communicator->loads != NULL};
    weigh_all(&builder, connections);
    if (loads->crossings == NULL)
        keep_counts(&builder);
    else
        keep_shares(&builder);
    return self;
}

void
lp_exchange_flows_free(LpExchangeFlows *self)
{
    if (self == NULL)
        return;
    g_array_unref(self->links);
    g_array_unref(self->shares);
    g_ptr_array_unref(self->blocks);
    g_free(self);
}
