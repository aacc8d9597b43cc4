/* SPDX-License-Identifier: Apache-2.0 */
/* Times of collectives and messages that meet no other traffic. */
#include "sim/analysis/isolated_time.h"

#include "sim/analysis/exchange_rows.h"
#include "sim/analysis/cached_latencies.h"
#include "sim/analysis/round_plan_time.h"
#include "sim/analysis/ring_legs.h"
#include "sim/analysis/ring_messages.h"
#include "sim/collectives/exchange.h"
#include "sim/collectives/ring.h"

#include <math.h>

static LpConnectionKind
own_kind(const LpIsolatedRing *self)
{
    return (LpConnectionKind)self->communicator->group;
}

static const LpConnection *
member_connection(const LpIsolatedRing *self, LpConnectionKind kind, guint64 member)
{
    return lp_communication_map_connection(self->map, kind, self->communicator->ranks[member]);
}

static void
note_latency(LpIsolatedRing *self, const LpConnection *connection)
{
    LpReach reach = lp_connection_reach(connection);
    self->has_reach[reach] = TRUE;
    self->latency_s[reach] = MAX(self->latency_s[reach], connection->route.latency_s);
}

/* What the members' connections of one kind have, if they have any. */
static void
find_shares(LpIsolatedRing *self, LpConnectionKind kind, LpPortShares *out_shares)
{
    g_autofree const LpRoute **routes = g_new0(const LpRoute *, self->n_members);
    for (guint64 i = 0; i < self->n_members; i++) {
        const LpConnection *connection = member_connection(self, kind, i);
        if (!connection->present)
            continue;
        routes[i] = &connection->route;
        note_latency(self, connection);
    }
    lp_port_shares_init(out_shares, self->map->network, routes, (guint32)self->n_members);
}

/* Over circuits members in no order send to one after the other: at the harmonic mean of the pairs'
 * rates. Else to all at once, and a pair is slowed by its ports alone. */
static void
init_irregular(LpIsolatedRing *self)
{
    const guint32 *ranks = self->communicator->ranks;
    self->pair_bytes_per_s = g_new0(double, self->n_members);
    for (guint64 i = 0; i < self->n_members; i++) {
        double s_per_byte = 0.0;
        for (guint64 k = 0; k < self->n_members; k++) {
            if (i == k)
                continue;
            LpConnection connection =
                lp_rank_layout_connect(self->map->layout, own_kind(self), ranks[i], ranks[k]);
            s_per_byte += 1.0 / connection.route.bytes_per_s;
            note_latency(self, &connection);
        }
        gboolean is_rotor = lp_network_machine(self->map->network)->circuits.is_present;
        self->pair_bytes_per_s[i] =
            is_rotor ? (double)(self->n_members - 1) / s_per_byte : INFINITY;
    }
}

static void
init_exchange(LpIsolatedRing *self)
{
    self->sites = lp_rank_layout_sites(self->map->layout, self->communicator);
    if (!self->sites.is_regular) {
        init_irregular(self);
        return;
    }
    find_shares(self, own_kind(self), &self->shares);
    find_shares(self, lp_connection_inter_domain(self->communicator->group), &self->inter_shares);
    if (self->communicator->loads == NULL)
        return;
    lp_port_shares_find_parts(&self->shares);
    lp_port_shares_find_parts(&self->inter_shares);
}

static void
init_neighbours(LpIsolatedRing *self)
{
    find_shares(self, own_kind(self), &self->shares);
    self->reach = g_new0(LpReach, self->n_members);
    gboolean has_legs = FALSE;
    for (guint64 i = 0; i < self->n_members; i++) {
        const LpConnection *connection = member_connection(self, own_kind(self), i);
        if (!connection->present)
            continue;
        self->reach[i] = lp_connection_reach(connection);
        has_legs = has_legs || connection->route.n_legs > 1;
    }
    if (has_legs)
        lp_port_shares_find_parts(&self->shares);
}

void
lp_isolated_ring_init(LpIsolatedRing *self, const LpCommunicationMap *map, LpIsolatedCache *cache,
                      const LpCommunicator *communicator)
{
    *self = (LpIsolatedRing){.map = map,
                             .cache = cache,
                             .communicator = communicator,
                             .n_members = communicator->n_members};
    if (communicator->exchanges)
        init_exchange(self);
    else
        init_neighbours(self);
    self->peers_shape = lp_collective_peers_shape(map->peers, communicator);
    if (map->packet_network == NULL)
        return;
    self->packet_network = g_new(LpIsolatedRing, 1);
    lp_isolated_ring_init(self->packet_network, map->packet_network, cache, communicator);
}

const LpIsolatedRing *
lp_isolated_ring_of(const LpIsolatedRing *self, const LpOp *op)
{
    return lp_communication_map_of(self->map, self->communicator, op) == self->map
               ? self
               : self->packet_network;
}

void
lp_isolated_ring_clear(LpIsolatedRing *self)
{
    if (self->packet_network != NULL)
        lp_isolated_ring_clear(self->packet_network);
    g_clear_pointer(&self->packet_network, g_free);
    g_clear_pointer(&self->reach, g_free);
    g_clear_pointer(&self->pair_bytes_per_s, g_free);
    lp_port_shares_clear(&self->shares);
    lp_port_shares_clear(&self->inter_shares);
}

gboolean
lp_isolated_ring_sends_inter(const LpIsolatedRing *self)
{
    return self->inter_shares.n > 0 && self->sites.n_intra < self->n_members;
}

double
lp_isolated_step_latency_s(const LpIsolatedRing *self, const LpProtocol *protocol)
{
    double latency_s = 0.0;
    for (LpReach reach = 0; reach < LP_N_REACHES; reach++)
        if (self->has_reach[reach])
            latency_s = MAX(latency_s, self->latency_s[reach] + protocol->hop_s[reach]);
    return latency_s;
}

/* --- all-to-all --- */

/* A number for each communicator, above those of shapes of connections. */
static guint
own_shape(const LpIsolatedRing *self)
{
    return G_MAXUINT - lp_communicators_number(self->map->communicators, self->communicator);
}

static const double *
loads_of(const LpIsolatedRing *self, const LpOp *op)
{
    return lp_op_loads(op, self->communicator);
}

/* The other members of a member's domain. */
static guint64
n_intra(const LpIsolatedRing *self)
{
    return self->sites.n_intra - 1;
}

/* A flow to the next domain's member; what comes to a busy expert presses on its own port. */
static guint64
pressed(const LpIsolatedRing *self, const LpOp *op, guint64 index)
{
    return op->weight == LP_WEIGHT_SENDER ? index : (index + self->sites.n_intra) % self->n_members;
}

static guint64
n_inter(const LpIsolatedRing *self)
{
    return self->n_members - self->sites.n_intra;
}

guint64
lp_isolated_intra_bytes(const LpIsolatedRing *self, const LpOp *op, guint64 index)
{
    return n_intra(self) * lp_exchange_block_bytes(op, loads_of(self, op), self->n_members, index);
}

guint64
lp_isolated_inter_bytes(const LpIsolatedRing *self, const LpOp *op, guint64 index)
{
    return n_inter(self) * lp_exchange_block_bytes(op, loads_of(self, op), self->n_members,
                                                   pressed(self, op, index));
}

static gboolean
is_even(const LpIsolatedRing *self, const LpOp *op)
{
    return op->weight == LP_WEIGHT_EVEN || loads_of(self, op) == NULL;
}

/* Of all members the one who takes longest, for the @bytes of each, which are then what its
 * protocol makes of them. Blocks that differ by a byte are alike. */
static double
slowest_s(const LpIsolatedRing *self, const LpPortShares *shares, const LpOp *op,
          const LpProtocol *protocol, LpReach reach, guint64 *bytes)
{
    double longest_s = 0.0;
    for (guint64 i = 0; i < self->n_members; i++)
        bytes[i] = lp_protocol_wire_bytes(protocol, reach, bytes[i]);
    if (!is_even(self, op))
        return lp_port_shares_time_s(shares, bytes);
    for (guint64 i = 0; i < shares->n; i++)
        if (shares->bytes_per_s[i] > 0.0)
            longest_s = MAX(longest_s, (double)bytes[i] / shares->bytes_per_s[i]);
    return longest_s;
}

/* Returns: (transfer full), by member. */
static guint64 *
blocks_of(const LpIsolatedRing *self, const LpOp *op)
{
    guint64 *blocks = g_new(guint64, self->n_members);
    lp_exchange_blocks(op, loads_of(self, op), self->n_members, blocks);
    return blocks;
}

static double
intra_time_s(const LpIsolatedRing *self, const LpOp *op, const LpProtocol *protocol)
{
    g_autofree guint64 *bytes = blocks_of(self, op);
    for (guint64 i = 0; i < self->n_members; i++)
        bytes[i] *= n_intra(self);
    return slowest_s(self, &self->shares, op, protocol, LP_REACH_DOMAIN, bytes);
}

double
lp_isolated_least_time_s(const LpIsolatedRing *self, const LpOp *op, const LpProtocol *protocol,
                         gboolean ports_only, const gboolean *uncontended)
{
    const LpExchangeFlows *flows = lp_communication_map_exchange(self->map, self->communicator);
    double intra_s = self->shares.n > 0 ? intra_time_s(self, op, protocol) : 0.0;
    if (flows == NULL)
        return intra_s;
    return MAX(intra_s, lp_exchange_flows_time_s(flows, self->communicator, op, protocol,
                                                 ports_only || is_even(self, op), uncontended));
}

static double
inter_time_s(const LpIsolatedRing *self, const LpOp *op, const LpProtocol *protocol)
{
    g_autofree guint64 *blocks = blocks_of(self, op);
    g_autofree guint64 *bytes = g_new(guint64, self->n_members);
    for (guint64 i = 0; i < self->n_members; i++)
        bytes[i] = (guint64)llround((double)(n_inter(self) * blocks[pressed(self, op, i)]) *
                                    lp_communication_map_forwarding(self->map, self->communicator));
    return slowest_s(self, &self->inter_shares, op, protocol, LP_REACH_FABRIC, bytes);
}

static double
pairs_time_s(const LpIsolatedRing *self, const LpOp *op, const LpProtocol *protocol)
{
    g_autofree guint64 *blocks = blocks_of(self, op);
    double longest_s = 0.0;
    for (guint64 i = 0; i < self->n_members; i++) {
        guint64 bytes =
            lp_protocol_wire_bytes(protocol, LP_REACH_FABRIC, (self->n_members - 1) * blocks[i]);
        longest_s = MAX(longest_s, (double)bytes / self->pair_bytes_per_s[i]);
    }
    return longest_s;
}

/* Every pair has a path of its own over circuits that never change, and paths meet on ports. */
static double
rows_time_s(const LpIsolatedRing *self, const LpOp *op, const LpProtocol *protocol)
{
    double known_s = 0.0;
    if (self->n_members > LP_EXCHANGE_ROWS_MEMBERS_MAX ||
        lp_isolated_cache_find(self->cache, own_shape(self), op, LP_ISOLATED_FLOW_S, &known_s))
        return known_s;
    known_s =
        lp_exchange_rows_time_s(self->map, self->communicator, self->sites.n_intra, op, protocol);
    lp_isolated_cache_store(self->cache, own_shape(self), op, LP_ISOLATED_FLOW_S, known_s);
    return known_s;
}

static double
exchange_time_s(const LpIsolatedRing *self, const LpOp *op, const LpProtocol *protocol)
{
    double before_s = protocol->base_s + lp_isolated_step_latency_s(self, protocol);
    double least_s = lp_isolated_least_time_s(self, op, protocol, TRUE, NULL);
    if (!self->sites.is_regular)
        return before_s + MAX(least_s, pairs_time_s(self, op, protocol));
    if (self->map->layout->relays != NULL)
        return before_s + MAX(least_s, rows_time_s(self, op, protocol));
    return before_s + MAX(least_s, inter_time_s(self, op, protocol));
}

/* --- rings --- */

/* What a member sends in all steps, on the wire. */
static guint64
sent_bytes(const LpIsolatedRing *self, const LpOp *op, const LpProtocol *protocol, guint64 member)
{
    return lp_protocol_wire_bytes(
        protocol, self->reach[member],
        lp_ring_member_bytes(op->collective, self->n_members, op->bytes, member));
}

/* Where members forward for others, flows are on one leg at a time, and meet as they come. */
static double
legs_time_s(const LpIsolatedRing *self, const LpOp *op, const LpProtocol *protocol)
{
    g_autofree guint64 *bytes = g_new(guint64, self->n_members);
    for (guint64 i = 0; i < self->n_members; i++)
        bytes[i] = sent_bytes(self, op, protocol, i);
    return lp_port_shares_time_s(&self->shares, bytes);
}

/* Of all members the one who takes longest for what the ring sends in all steps, or in one, in
 * which the largest block decides (blocks differ by a byte). */
static double
neighbours_time_s(const LpIsolatedRing *self, const LpOp *op, const LpProtocol *protocol,
                  gboolean step)
{
    double longest_s = 0.0;
    if (!step && self->shares.part != NULL)
        return legs_time_s(self, op, protocol);
    for (guint64 i = 0; i < self->n_members; i++) {
        guint64 bytes =
            step ? lp_protocol_wire_bytes(protocol, self->reach[i],
                                          lp_ring_block_bytes(op->bytes, self->n_members, 0))
                 : sent_bytes(self, op, protocol, i);
        longest_s = MAX(longest_s, (double)bytes / self->shares.bytes_per_s[i]);
    }
    return longest_s;
}

/* Rings of more are as slow as if the longest block went over the slowest link at each step. */
#define RING_MESSAGES_MAX G_GUINT64_CONSTANT(20000000000)

/* What the members' messages take; FALSE where they share ports, and rates change as they go on. */
static gboolean
find_messages(const LpIsolatedRing *self, const LpOp *op, const LpProtocol *protocol,
              LpRingMessage *out_messages)
{
    guint64 n = self->n_members, longest = lp_ring_block_bytes(op->bytes, n, 0);
    guint64 shortest = lp_ring_block_bytes(op->bytes, n, n - 1);
    for (guint64 i = 0; i < n; i++) {
        const LpConnection *connection = member_connection(self, own_kind(self), i);
        if (!connection->present || self->shares.bytes_per_s[i] < connection->route.bytes_per_s)
            return FALSE;
        LpReach reach = self->reach[i];
        double latency_s = connection->route.latency_s + protocol->hop_s[reach];
        out_messages[i].long_s =
            latency_s +
            (double)lp_protocol_wire_bytes(protocol, reach, longest) / self->shares.bytes_per_s[i];
        out_messages[i].short_s =
            latency_s +
            (double)lp_protocol_wire_bytes(protocol, reach, shortest) / self->shares.bytes_per_s[i];
    }
    return lp_ring_messages_n(op->collective, n, op->bytes, out_messages) <= RING_MESSAGES_MAX;
}

/* Where members forward for each other: every message. 0: they are too many. */
static double
messages_over_legs_s(const LpIsolatedRing *self, const LpOp *op, const LpProtocol *protocol)
{
    guint64 n = self->n_members, n_steps = lp_ring_n_steps(op->collective, n);
    double known_s = 0.0;
    if (n * n_steps > LP_RING_LEGS_MESSAGES_MAX ||
        lp_isolated_cache_find(self->cache, own_shape(self), op, LP_ISOLATED_MESSAGE_S, &known_s))
        return known_s;
    g_autofree guint64 *bytes = g_new(guint64, n * n_steps);
    g_autofree double *latency_s = g_new(double, n);
    for (guint64 i = 0; i < n; i++) {
        latency_s[i] = member_connection(self, own_kind(self), i)->route.latency_s +
                       protocol->hop_s[self->reach[i]];
        for (guint64 step = 0; step < n_steps; step++)
            bytes[step * n + i] =
                lp_protocol_wire_bytes(protocol, self->reach[i],
                                       lp_ring_step_bytes(op->collective, n, op->bytes, i, step));
    }
    known_s = lp_ring_legs_time_s(&self->shares, n_steps, bytes, latency_s);
    lp_isolated_cache_store(self->cache, own_shape(self), op, LP_ISOLATED_MESSAGE_S, known_s);
    return known_s;
}

static double
ring_time_s(const LpIsolatedRing *self, const LpOp *op, const LpProtocol *protocol,
            LpFidelity fidelity)
{
    g_autofree LpRingMessage *messages = g_new(LpRingMessage, self->n_members);
    if (fidelity == LP_FIDELITY_MESSAGE && find_messages(self, op, protocol, messages))
        return protocol->base_s +
               lp_ring_messages_time_s(op->collective, self->n_members, op->bytes, messages);
    double over_legs_s = fidelity == LP_FIDELITY_MESSAGE && self->shares.part != NULL
                             ? messages_over_legs_s(self, op, protocol)
                             : 0.0;
    if (over_legs_s > 0.0)
        return protocol->base_s + over_legs_s;
    double n_steps = (double)lp_ring_n_steps(op->collective, self->n_members);
    double latency_s = lp_isolated_step_latency_s(self, protocol);
    if (fidelity == LP_FIDELITY_FLOW)
        return protocol->base_s + n_steps * latency_s +
               neighbours_time_s(self, op, protocol, FALSE);
    return protocol->base_s + n_steps * (latency_s + neighbours_time_s(self, op, protocol, TRUE));
}

/* --- what is scheduled --- */

/* Groups whose connections are alike need the same time, which is worked out once. Without bytes
 * they may have no connections that tell them apart. */
static double
scheduled_time_s(const LpIsolatedRing *self, const LpOp *op, LpFidelity fidelity)
{
    LpIsolatedFact fact = fidelity == LP_FIDELITY_FLOW ? LP_ISOLATED_FLOW_S : LP_ISOLATED_MESSAGE_S;
    double known_s;
    if (op->bytes > 0 && lp_isolated_cache_find(self->cache, self->peers_shape, op, fact, &known_s))
        return known_s;
    LpRoundPlan round_plan;
    lp_round_plan_init(&round_plan, self->map, op, self->communicator, fidelity);
    lp_cached_latencies_prepare(&round_plan, op, self->cache);
    known_s = lp_round_plan_time_s(&round_plan);
    lp_round_plan_clear(&round_plan);
    lp_isolated_cache_store(self->cache, self->peers_shape, op, fact, known_s);
    return known_s;
}

/* By the steps of its algorithm. */
static double
algorithm_time_s(const LpIsolatedRing *self, const LpOp *op, LpFidelity fidelity)
{
    LpAlgorithmSelection selection =
        lp_rank_layout_selection(self->map->layout, op, self->communicator);
    if (selection.is_scheduled)
        return scheduled_time_s(self, op, fidelity);
    if (op->collective == LP_COLLECTIVE_ALL_TO_ALL)
        return exchange_time_s(self, op, selection.protocol);
    return ring_time_s(self, op, selection.protocol, fidelity);
}

double
lp_isolated_ring_time_s(const LpIsolatedRing *ring, const LpOp *op, LpFidelity fidelity)
{
    const LpIsolatedRing *self = lp_isolated_ring_of(ring, op);
    return MAX(algorithm_time_s(self, op, fidelity),
               lp_rank_layout_measured_s(self->map->layout, op, self->communicator, NULL));
}

double
lp_isolated_message_time_s(const LpConnection *connection, guint64 bytes)
{
    return connection->route.latency_s + (double)bytes / connection->route.bytes_per_s;
}
