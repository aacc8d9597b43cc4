/* SPDX-License-Identifier: Apache-2.0 */
/* Goes through the pairs of a communicator, and counts them by link and member. */
#include "sim/mapping/exchange_flows.h"

#include <math.h>
#include <string.h>

/* Whose a link is: what the member sends, or what it receives. */
typedef enum {
    SIDE_SENT,
    SIDE_RECEIVED,
    N_SIDES
} Side;

/* A pair's data on a link. */
typedef struct {
    guint32 link, from, to; /* members */
    LpReach reach;
    double n; /* pairs that it stands for */
} Crossing;

/* Pairs on a link that belong to one side of a member. */
typedef struct {
    guint32 link;
    double n[LP_N_REACHES];
} Load;

typedef struct {
    const LpRankLayout *layout;         /* borrowed */
    const LpCommunicator *communicator; /* borrowed */
    LpExchangeFlows *flows;
    LpTraffic traffic;
    double near_factor;
    LpSites sites;
    GArray **loads;        /* owned Load, by member and side */
    GHashTable *places;    /* owned: of a member's side and link to its place in loads, plus 1 */
    GHashTable *members;   /* owned: of accelerators, plus 1 */
    guint64 *accelerators; /* owned, by member */
    double *n_far;         /* owned, by member: pairs that it sends out of its domain */
    double *latency_s;     /* owned, by member: the farthest of those */
    GArray *crossings;     /* owned Crossing: all, where blocks may differ; NULL elsewhere */
} Builder;

static const LpNetwork *
network_of(const Builder *self)
{
    return self->layout->network;
}

/* --- pairs --- */

static void
add_load(Builder *self, guint32 member, Side side, const Crossing *crossing)
{
    GArray *loads = self->loads[member * N_SIDES + side];
    guint64 key = ((guint64)(member * N_SIDES + side) << 32) | crossing->link;
    guint place = GPOINTER_TO_UINT(g_hash_table_lookup(self->places, (gpointer)(gsize)key));
    if (place == 0) {
        Load load = {.link = crossing->link};
        g_array_append_val(loads, load);
        place = loads->len;
        g_hash_table_insert(self->places, (gpointer)(gsize)key, GUINT_TO_POINTER(place));
    }
    g_array_index(loads, Load, place - 1).n[crossing->reach] += crossing->n;
    if (self->crossings != NULL)
        g_array_append_vals(self->crossings, crossing, 1);
}

/* The member on @accelerator; @other where there is none. */
static guint32
member_on(const Builder *self, guint64 accelerator, guint32 other)
{
    gpointer known = g_hash_table_lookup(self->members, GSIZE_TO_POINTER(accelerator + 1));
    return known == NULL ? other : GPOINTER_TO_UINT(known) - 1;
}

/* The first link of a leg is its sender's port, or that of who forwards; the last its receiver's.
 */
static void
add_hop(Builder *self, const LpHop *hop, guint32 first, const GArray *links, Crossing crossing)
{
    for (guint32 k = first; k < hop->end_link; k++) {
        crossing.link = g_array_index(links, guint32, k);
        gboolean is_sent = 2 * (k - first) < hop->end_link - first;
        if (is_sent)
            add_load(self, k == first ? member_on(self, hop->from, crossing.from) : crossing.from,
                     SIDE_SENT, &crossing);
        else
            add_load(self,
                     k + 1 == hop->end_link ? member_on(self, hop->to, crossing.to) : crossing.to,
                     SIDE_RECEIVED, &crossing);
    }
}

/* Circuits of a hybrid carry bytes together with the network beside them, which may also carry all
 * of an exchange: no link of the way over the circuits has to carry what crosses it. */
static gboolean
is_hybrid_hop(const Builder *self, const LpHop *hop)
{
    const LpMachine *machine = lp_network_machine(network_of(self));
    return lp_circuit_switch_is_hybrid(&machine->circuits) &&
           lp_machine_plane(machine, self->traffic) == 0 &&
           lp_machine_attachment(machine, hop->from, hop->to) == LP_ATTACHMENT_SCALE_OUT;
}

static void
add_pair(Builder *self, guint32 from, guint32 to, double n_pairs, GArray *links)
{
    LpHop hops[LP_HOPS_MAX];
    guint64 a = self->accelerators[from], b = self->accelerators[to];
    LpAttachment attachment = lp_machine_attachment(lp_network_machine(network_of(self)), a, b);
    LpReach reach = attachment == LP_ATTACHMENT_SCALE_UP ? LP_REACH_DOMAIN : LP_REACH_FABRIC;
    Crossing crossing = {.from = from, .to = to, .reach = reach, .n = n_pairs};
    double latency_s = 0.0;
    g_array_set_size(links, 0);
    guint32 n = lp_network_find_hops(network_of(self), a, b, self->traffic, links, hops);
    for (guint32 i = 0; i < n; i++)
        if (!is_hybrid_hop(self, &hops[i]))
            add_hop(self, &hops[i], i == 0 ? 0 : hops[i - 1].end_link, links, crossing);
    if (reach == LP_REACH_DOMAIN)
        return;
    self->flows->has_far = TRUE;
    self->flows->has_long = self->flows->has_long || links->len > 2;
    for (guint i = 0; i < links->len; i++)
        latency_s += lp_network_link(network_of(self), g_array_index(links, guint32, i)).latency_s;
    self->n_far[from] += n_pairs;
    self->latency_s[from] = MAX(self->latency_s[from], latency_s);
}

/* Members that stand in one domain with @from: [first, first + n), itself among them. */
static guint32
neighbours(const Builder *self, guint32 from, guint32 *out_first)
{
    guint32 n = self->sites.is_regular ? (guint32)self->sites.n_intra : 1;
    *out_first = from / n * n;
    return n;
}

/* Those of its domain are all looked at, of the others every so manieth, which stand for all. */
static void
add_pairs_of(Builder *self, guint32 from, GArray *links)
{
    guint32 n = self->communicator->n_members, first;
    guint32 n_near = neighbours(self, from, &first), n_seen = 0;
    for (guint32 to = first; to < first + n_near; to++)
        if (to != from)
            add_pair(self, from, to, 1.0, links);
    for (guint64 distance = 1; distance < n; distance++)
        n_seen += (guint32)((from + distance) % n) - first >= n_near;
    for (guint64 distance = 1; distance < n; distance++) {
        guint32 to = (guint32)((from + distance) % n);
        if (to < first || to >= first + n_near)
            add_pair(self, from, to, (double)(n - n_near) / n_seen, links);
    }
}

static void
add_pairs(Builder *self)
{
    g_autoptr(GArray) links = g_array_new(FALSE, FALSE, sizeof(guint32));
    for (guint32 from = 0; from < self->communicator->n_members; from++)
        add_pairs_of(self, from, links);
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
    for (guint32 i = 0; i < self->communicator->n_members * N_SIDES; i++)
        for (guint k = 0; k < self->loads[i]->len; k++) {
            const Load *load = &g_array_index(self->loads[i], Load, k);
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
    for (guint i = 0; i < all->len; i++)
        keep_link(self->flows, &g_array_index(all, LpExchangeLink, i));
}

static int
compare_by_receiver(const void *a, const void *b)
{
    const Crossing *one = a, *other = b;
    if (one->link != other->link)
        return one->link < other->link ? -1 : 1;
    return one->to < other->to ? -1 : one->to > other->to;
}

static int
compare_by_sender(const void *a, const void *b)
{
    const Crossing *one = a, *other = b;
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
        const Crossing *crossing = &g_array_index(self->crossings, Crossing, i);
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
    while (end < crossings->len && g_array_index(crossings, Crossing, end).link ==
                                       g_array_index(crossings, Crossing, first).link)
        end++;
    return end;
}

static void
keep_shares(const Builder *self)
{
    LpExchangeFlows *flows = self->flows;
    GArray *all = self->crossings;
    g_array_sort(all, compare_by_receiver);
    for (guint first = 0, end; first < all->len; first = end) {
        end = link_end(all, first);
        LpExchangeLink link = describe_link(self, g_array_index(all, Crossing, first).link);
        link.first_share = flows->shares->len;
        append_shares(self, first, end, FALSE);
        link.middle_share = flows->shares->len;
        qsort(&g_array_index(all, Crossing, first), end - first, sizeof(Crossing),
              compare_by_sender);
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
weight_of(const Builder *self, const Load *load)
{
    LpTier tier = lp_network_link(network_of(self), load->link).tier;
    double near = load->n[LP_REACH_DOMAIN], far = load->n[LP_REACH_FABRIC];
    return self->crossings != NULL && lp_tier_is_shared(tier) ? 0.0
                                                              : far + near * self->near_factor;
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
    double n_far = self->n_far[member];
    g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(Weighted));
    guint32 ends[] = {route->links[0], route->links[route->n_links - 1]};
    for (guint i = 0; i < G_N_ELEMENTS(ends); i++)
        add_weight(all, ends[i], 0.0);
    for (guint32 i = 0; self->crossings != NULL && i < route->n_links; i++)
        if (lp_tier_is_shared(lp_network_link(network_of(self), route->links[i]).tier))
            add_weight(all, route->links[i], 1.0);
    const GArray *both[] = {self->loads[member * N_SIDES + SIDE_SENT],
                            self->loads[to * N_SIDES + SIDE_RECEIVED]};
    for (guint side = 0; side < N_SIDES; side++)
        for (guint i = 0; i < both[side]->len; i++) {
            const Load *load = &g_array_index(both[side], Load, i);
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
    const LpCommunicator *communicator = self->communicator;
    for (guint32 member = 0; connections != NULL && member < communicator->n_members; member++) {
        LpConnection *connection = &connections[communicator->ranks[member]];
        if (!connection->present || !(self->n_far[member] > 0.0))
            continue;
        guint32 to =
            member_on(self, lp_rank_layout_accelerator(self->layout, connection->to), member);
        weigh(self, member, to, &connection->route);
        connection->route.latency_s = MAX(connection->route.latency_s, self->latency_s[member]);
    }
}

/* --- all --- */

static void
find_members(Builder *self)
{
    guint32 n = self->communicator->n_members;
    for (guint32 i = 0; i < n; i++) {
        self->accelerators[i] =
            lp_rank_layout_accelerator(self->layout, self->communicator->ranks[i]);
        g_hash_table_insert(self->members, GSIZE_TO_POINTER(self->accelerators[i] + 1),
                            GUINT_TO_POINTER(i + 1));
    }
    for (guint32 i = 0; i < n * N_SIDES; i++)
        self->loads[i] = g_array_new(FALSE, FALSE, sizeof(Load));
}

LpExchangeFlows *
lp_exchange_flows_new(const LpRankLayout *layout, const LpCommunicator *communicator,
                      LpConnection *connections, double near_factor)
{
    guint32 n = communicator->n_members;
    LpExchangeFlows *self = g_new0(LpExchangeFlows, 1);
    self->links = g_array_new(FALSE, FALSE, sizeof(LpExchangeLink));
    self->shares = g_array_new(FALSE, FALSE, sizeof(LpExchangeShare));
    self->blocks = g_ptr_array_new_with_free_func(g_free);
    Builder builder = {.layout = layout,
                       .communicator = communicator,
                       .flows = self,
                       .traffic = lp_group_traits(communicator->group)->traffic,
                       .near_factor = near_factor,
                       .sites = lp_rank_layout_sites(layout, communicator),
                       .loads = g_new(GArray *, n * N_SIDES),
                       .places = g_hash_table_new(NULL, NULL),
                       .members = g_hash_table_new(NULL, NULL),
                       .accelerators = g_new(guint64, n),
                       .n_far = g_new0(double, n),
                       .latency_s = g_new0(double, n),
                       .crossings = communicator->loads == NULL
                                        ? NULL
                                        : g_array_new(FALSE, FALSE, sizeof(Crossing))};
    find_members(&builder);
    add_pairs(&builder);
    weigh_all(&builder, connections);
    if (builder.crossings == NULL)
        keep_counts(&builder);
    else
        keep_shares(&builder);
    for (guint32 i = 0; i < n * N_SIDES; i++)
        g_array_unref(builder.loads[i]);
    g_free(builder.loads);
    g_hash_table_unref(builder.places);
    g_hash_table_unref(builder.members);
    g_free(builder.accelerators);
    g_free(builder.n_far);
    g_free(builder.latency_s);
    if (builder.crossings != NULL)
        g_array_unref(builder.crossings);
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
