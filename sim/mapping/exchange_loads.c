/* SPDX-License-Identifier: Apache-2.0 */
/* Goes through the pairs of a communicator one by one, and counts them by link and member. */
#include "sim/mapping/exchange_loads.h"

/* --- what is counted --- */

/* Of a member's side, in the upper half, and a link. */
static guint
hash_place(gconstpointer key)
{
    return (guint)(((guint64)(gsize)key * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15)) >> 32);
}

void
lp_exchange_loads_add(LpExchangeLoads *self, guint32 member, LpExchangeSide side, guint32 link,
                      LpReach reach, double n)
{
    guint32 of = member * LP_N_EXCHANGE_SIDES + side;
    GArray *loads = self->loads[of];
    guint64 key = ((guint64)of << 32) | link;
    guint place = GPOINTER_TO_UINT(g_hash_table_lookup(self->places, (gpointer)(gsize)key));
    if (place == 0) {
        LpExchangeLoad load = {.link = link};
        g_array_append_val(loads, load);
        place = loads->len;
        g_hash_table_insert(self->places, (gpointer)(gsize)key, GUINT_TO_POINTER(place));
    }
    g_array_index(loads, LpExchangeLoad, place - 1).n[reach] += n;
}

static void
add_crossing(LpExchangeLoads *self, guint32 member, LpExchangeSide side,
             const LpExchangeCrossing *crossing)
{
    lp_exchange_loads_add(self, member, side, crossing->link, crossing->reach, crossing->n);
    if (self->crossings != NULL)
        g_array_append_vals(self->crossings, crossing, 1);
}

guint32
lp_exchange_loads_member_on(const LpExchangeLoads *self, guint64 accelerator, guint32 other)
{
    gpointer known = g_hash_table_lookup(self->members, GSIZE_TO_POINTER(accelerator + 1));
    return known == NULL ? other : GPOINTER_TO_UINT(known) - 1;
}

const GArray *
lp_exchange_loads_get(const LpExchangeLoads *self, guint32 member, LpExchangeSide side)
{
    return self->loads[member * LP_N_EXCHANGE_SIDES + side];
}

/* The first link of a leg is its sender's port, or that of who forwards; the last its receiver's.
 */
void
lp_exchange_loads_add_hop(LpExchangeLoads *self, const LpHop *hop, guint32 first,
                          const GArray *links, LpExchangeCrossing crossing)
{
    for (guint32 k = first; k < hop->end_link; k++) {
        crossing.link = g_array_index(links, guint32, k);
        gboolean is_sent = 2 * (k - first) < hop->end_link - first;
        if (is_sent)
            add_crossing(self,
                         k == first ? lp_exchange_loads_member_on(self, hop->from, crossing.from)
                                    : crossing.from,
                         LP_EXCHANGE_SENT, &crossing);
        else
            add_crossing(self,
                         k + 1 == hop->end_link
                             ? lp_exchange_loads_member_on(self, hop->to, crossing.to)
                             : crossing.to,
                         LP_EXCHANGE_RECEIVED, &crossing);
    }
}

gboolean
lp_exchange_loads_is_hybrid_hop(const LpExchangeLoads *self, const LpHop *hop)
{
    const LpMachine *machine = lp_network_machine(self->network);
    return lp_circuit_switch_is_hybrid(&machine->circuits) &&
           lp_machine_plane(machine, self->traffic) == 0 &&
           lp_machine_attachment(machine, hop->from, hop->to) == LP_ATTACHMENT_SCALE_OUT;
}

double
lp_exchange_loads_latency_s(const LpExchangeLoads *self, const GArray *links)
{
    double latency_s = 0.0;
    for (guint i = 0; i < links->len; i++)
        latency_s += lp_network_link(self->network, g_array_index(links, guint32, i)).latency_s;
    return latency_s;
}

/* --- pairs --- */

/* Over circuits that never change, where others forward: leg after leg. */
static void
add_relayed_pair(LpExchangeLoads *self, LpExchangeCrossing crossing)
{
    guint64 a = self->accelerators[crossing.from], b = self->accelerators[crossing.to];
    LpRoute route = lp_relay_paths_route(self->layout->relays, a, b, self->traffic);
    g_autoptr(GArray) links = g_array_new(FALSE, FALSE, sizeof(guint32));
    g_array_append_vals(links, route.links, route.n_links);
    for (guint32 leg = 0; leg < route.n_legs; leg++) {
        LpHop hop = {a, b, lp_route_leg_end(&route, leg)};
        lp_exchange_loads_add_hop(self, &hop, lp_route_leg_first(&route, leg), links, crossing);
    }
    self->n_far[crossing.from] += 1.0;
    self->latency_s[crossing.from] = MAX(self->latency_s[crossing.from], route.latency_s);
}

static void
add_pair(LpExchangeLoads *self, guint32 from, guint32 to, GArray *links)
{
    LpHop hops[LP_HOPS_MAX];
    guint64 a = self->accelerators[from], b = self->accelerators[to];
    LpAttachment attachment = lp_machine_attachment(lp_network_machine(self->network), a, b);
    LpReach reach = attachment == LP_ATTACHMENT_SCALE_UP ? LP_REACH_DOMAIN : LP_REACH_FABRIC;
    LpExchangeCrossing crossing = {.from = from, .to = to, .reach = reach, .n = 1.0};
    if (reach == LP_REACH_FABRIC && self->layout->relays != NULL) {
        add_relayed_pair(self, crossing);
        return;
    }
    g_array_set_size(links, 0);
    guint32 n = lp_network_find_hops(self->network, a, b, self->traffic, links, hops);
    for (guint32 i = 0; i < n; i++)
        if (!lp_exchange_loads_is_hybrid_hop(self, &hops[i]))
            lp_exchange_loads_add_hop(self, &hops[i], i == 0 ? 0 : hops[i - 1].end_link, links,
                                      crossing);
    if (reach == LP_REACH_DOMAIN)
        return;
    self->n_far[from] += 1.0;
    self->latency_s[from] = MAX(self->latency_s[from], lp_exchange_loads_latency_s(self, links));
}

/* First those of its own domain. */
static void
add_pairs_of(LpExchangeLoads *self, guint32 from, GArray *links)
{
    guint32 n = self->communicator->n_members;
    guint32 n_near = self->sites.is_regular ? (guint32)self->sites.n_intra : 1;
    guint32 first = from / n_near * n_near;
    for (guint32 to = first; to < first + n_near; to++)
        if (to != from)
            add_pair(self, from, to, links);
    for (guint32 distance = 1; distance < n; distance++) {
        guint32 to = (from + distance) % n;
        if (to < first || to >= first + n_near)
            add_pair(self, from, to, links);
    }
}

static void
add_pairs(LpExchangeLoads *self)
{
    g_autoptr(GArray) links = g_array_new(FALSE, FALSE, sizeof(guint32));
    for (guint32 from = 0; from < self->communicator->n_members; from++)
        add_pairs_of(self, from, links);
}

/* --- all --- */

static void
find_members(LpExchangeLoads *self)
{
    guint32 n = self->communicator->n_members;
    for (guint32 i = 0; i < n; i++) {
        self->accelerators[i] =
            lp_rank_layout_accelerator(self->layout, self->communicator->ranks[i]);
        g_hash_table_insert(self->members, GSIZE_TO_POINTER(self->accelerators[i] + 1),
                            GUINT_TO_POINTER(i + 1));
    }
    for (guint32 i = 0; i < n * LP_N_EXCHANGE_SIDES; i++)
        self->loads[i] = g_array_new(FALSE, FALSE, sizeof(LpExchangeLoad));
}

LpExchangeLoads *
lp_exchange_loads_new(const LpRankLayout *layout, const LpCommunicator *communicator,
                      gboolean by_blocks)
{
    guint32 n = communicator->n_members;
    LpExchangeLoads *self = g_new0(LpExchangeLoads, 1);
    self->layout = layout;
    self->communicator = communicator;
    self->network = layout->network;
    self->traffic = lp_group_traits(communicator->group)->traffic;
    self->sites = lp_rank_layout_sites(layout, communicator);
    self->accelerators = g_new(guint64, n);
    self->members = g_hash_table_new(NULL, NULL);
    self->loads = g_new(GArray *, n * LP_N_EXCHANGE_SIDES);
    self->places = g_hash_table_new(hash_place, NULL);
    self->n_far = g_new0(double, n);
    self->latency_s = g_new0(double, n);
    if (communicator->loads != NULL && (!by_blocks || layout->relays != NULL))
        self->crossings = g_array_new(FALSE, FALSE, sizeof(LpExchangeCrossing));
    find_members(self);
    if (by_blocks && layout->relays == NULL)
        lp_exchange_loads_add_blocks(self);
    else
        add_pairs(self);
    return self;
}

void
lp_exchange_loads_free(LpExchangeLoads *self)
{
    if (self == NULL)
        return;
    for (guint32 i = 0; i < self->communicator->n_members * LP_N_EXCHANGE_SIDES; i++)
        g_array_unref(self->loads[i]);
    g_free(self->loads);
    g_hash_table_unref(self->places);
    g_hash_table_unref(self->members);
    g_free(self->accelerators);
    g_free(self->n_far);
    g_free(self->latency_s);
    g_clear_pointer(&self->crossings, g_array_unref);
    g_free(self);
}
