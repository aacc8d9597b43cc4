/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the flows of communicators and messages, once for all communicators that are alike. */
#include "sim/quotient/flow_list.h"

#include "sim/collectives/ring.h"
#include "sim/quotient/pair_flows.h"
#include "sim/quotient/peer_sends.h"

#include <math.h>
#include <string.h>

typedef struct {
    LpFlowList *list;
    const LpCommunicationMap *map; /* borrowed */
    LpIsolatedCache *cache;        /* borrowed */
    LpFidelity fidelity;
    guint isolated; /* classes of traffic */
    LpNumbering what, waits;
    GArray *ops;       /* of the group at hand: LpOp */
    GHashTable *sends; /* owned: LpPeerSends of the group at hand, by shape */
} Builder;

static const LpOp *
op_at(const Builder *self, guint i)
{
    return &g_array_index(self->ops, LpOp, i);
}

static gboolean
is_scheduled(const Builder *self, const LpOp *op, const LpCommunicator *communicator)
{
    return lp_rank_layout_selection(self->map->layout, op, communicator).is_scheduled;
}

/* --- scheduled operations --- */

static const GArray *
peers_of(const Builder *self, const LpCommunicator *communicator, guint32 member)
{
    return lp_collective_peers_get(self->map->peers, communicator->group,
                                   communicator->ranks[member]);
}

/* Communicators whose connections are alike send alike. */
static const LpPeerSends *
peer_sends_of(Builder *self, const LpCommunicator *communicator)
{
    gpointer shape = GUINT_TO_POINTER(lp_collective_peers_shape(self->map->peers, communicator));
    LpPeerSends *sends = g_hash_table_lookup(self->sends, shape);
    if (sends == NULL) {
        LpPeerSendsInput input = {self->map, self->cache, self->fidelity,
                                  self->ops, &self->what, &self->waits};
        sends = lp_peer_sends_new(&input, communicator);
        g_hash_table_insert(self->sends, shape, sends);
    }
    return sends;
}

static void
add_peer_flows(Builder *self, guint32 number, const LpCommunicator *communicator,
               const LpPeerSends *sends)
{
    LpFlowList *list = self->list;
    const guint32 *what = sends->of_peer;
    guint32 **of_peer = &list->of_peer[communicator->group];
    if (*of_peer == NULL) {
        *of_peer = g_new(guint32, self->map->n_ranks);
        memset(*of_peer, 0xff, sizeof **of_peer * self->map->n_ranks);
    }
    for (guint32 member = 0; member < communicator->n_members; member++) {
        const GArray *peers = peers_of(self, communicator, member);
        if (peers == NULL)
            continue;
        guint32 rank = communicator->ranks[member];
        (*of_peer)[rank] = list->flows->len;
        for (guint i = 0; i < peers->len; i++) {
            const LpCollectivePeer *peer = &g_array_index(peers, LpCollectivePeer, i);
            LpFlowOfRun flow = {.route = &peer->connection.route,
                                .communicator = number,
                                .sender = -1,
                                .from = list->first_rank + rank,
                                .to = list->first_rank + (guint32)peer->connection.to,
                                .place_from = member,
                                .place_to = (guint32)peer->member,
                                .what = *what++,
                                .is_chained = sends->is_chained};
            g_array_append_val(list->flows, flow);
        }
    }
}

/* --- rings of neighbours, and all-to-alls along the rails --- */

/* The connections that carry them. */
static LpConnectionKind
plain_kind(const LpIsolatedRing *ring)
{
    LpGroup group = ring->communicator->group;
    return lp_isolated_ring_sends_inter(ring) ? lp_connection_inter_domain(group)
                                              : (LpConnectionKind)group;
}

/* The bytes that a member of a ring sends. If members do not divide the buffer, their blocks differ
 * by a byte; differences up to LP_FLOW_LIST_ALIKE are ignored. */
static guint64
ring_bytes(const LpIsolatedRing *ring, const LpOp *op, guint64 member)
{
    guint64 first = lp_ring_member_bytes(op->collective, ring->n_members, op->bytes, 0);
    guint64 own = lp_ring_member_bytes(op->collective, ring->n_members, op->bytes, member);
    double difference = fabs((double)own - (double)first);
    return difference <= LP_FLOW_LIST_ALIKE * (double)first ? first : own;
}

guint64
lp_flow_list_plain_bytes(const LpIsolatedRing *ring, const LpOp *op, const LpProtocol *protocol,
                         guint64 member)
{
    if (op->collective != LP_COLLECTIVE_ALL_TO_ALL)
        return lp_protocol_wire_bytes(protocol, ring->reach[member], ring_bytes(ring, op, member));
    return lp_isolated_ring_sends_inter(ring)
               ? lp_protocol_wire_bytes(protocol, LP_REACH_FABRIC,
                                        lp_isolated_inter_bytes(ring, op, member))
               : lp_protocol_wire_bytes(protocol, LP_REACH_DOMAIN,
                                        lp_isolated_intra_bytes(ring, op, member));
}

double
lp_flow_list_plain_wait_s(const LpIsolatedRing *ring, const LpOp *op, const LpProtocol *protocol)
{
    double n_steps = op->collective == LP_COLLECTIVE_ALL_TO_ALL
                         ? 1.0
                         : (double)lp_ring_n_steps(op->collective, ring->n_members);
    return protocol->base_s + n_steps * lp_isolated_step_latency_s(ring, protocol);
}

/* Message by message: block after block, the longer ones at other steps for every member. */
static void
describe_steps(Builder *self, const LpIsolatedRing *ring, const LpOp *op,
               const LpProtocol *protocol, const LpConnection *connection, guint32 member)
{
    LpReach reach = ring->reach[member];
    guint64 n = ring->n_members;
    guint64 longest = lp_ring_block_bytes(op->bytes, n, 0);
    guint64 difference = longest - lp_ring_block_bytes(op->bytes, n, n - 1);
    gboolean differ = (double)difference > LP_FLOW_LIST_ALIKE * (double)longest;
    lp_numbering_add_count(&self->what, lp_protocol_wire_bytes(protocol, reach, longest));
    lp_numbering_add_count(&self->what, differ ? member + 1 : 0);
    lp_numbering_add_number(&self->what, connection->route.latency_s + protocol->hop_s[reach]);
}

/* A ring's messages wait for those before them; nothing else in it does. */
static gboolean
goes_step_by_step(const Builder *self, const LpIsolatedRing *ring)
{
    return self->fidelity == LP_FIDELITY_MESSAGE && !ring->communicator->exchanges;
}

static void
add_plain_flow(Builder *self, guint32 number, const LpIsolatedRing *ring, guint32 member)
{
    const LpCommunicator *communicator = ring->communicator;
    LpConnectionKind kind = plain_kind(ring);
    guint32 rank = communicator->ranks[member];
    const LpConnection *connection = lp_communication_map_connection(self->map, kind, rank);
    if (!connection->present)
        return;
    lp_numbering_add_count(&self->what, kind);
    for (guint i = 0; i < self->ops->len; i++) {
        LpAlgorithmSelection selection =
            lp_rank_layout_selection(self->map->layout, op_at(self, i), communicator);
        if (selection.is_scheduled)
            continue;
        lp_numbering_add_count(&self->what, i);
        if (goes_step_by_step(self, ring))
            describe_steps(self, ring, op_at(self, i), selection.protocol, connection, member);
        else
            lp_numbering_add_count(
                &self->what,
                lp_flow_list_plain_bytes(ring, op_at(self, i), selection.protocol, member));
    }
    guint32 **of_connection = &self->list->of_connection[kind];
    if (*of_connection == NULL) {
        *of_connection = g_new(guint32, self->map->n_ranks);
        memset(*of_connection, 0xff, sizeof **of_connection * self->map->n_ranks);
    }
    (*of_connection)[rank] = self->list->flows->len;
    LpFlowOfRun flow = {.route = &connection->route,
                        .communicator = number,
                        .sender = -1,
                        .from = self->list->first_rank + rank,
                        .to = self->list->first_rank + (guint32)connection->to,
                        .place_from = member,
                        .place_to = (member + 1) % communicator->n_members,
                        .what = lp_numbering_end(&self->what),
                        .is_chained = goes_step_by_step(self, ring)};
    g_array_append_val(self->list->flows, flow);
}

/* Describes the waits of a communicator besides its flows. */
static void
describe_plain_waits(Builder *self, const LpIsolatedRing *ring)
{
    for (guint i = 0; i < self->ops->len; i++) {
        const LpOp *op = op_at(self, i);
        LpAlgorithmSelection selection =
            lp_rank_layout_selection(self->map->layout, op, ring->communicator);
        lp_numbering_add_count(&self->waits, selection.is_scheduled ? 1 : 0);
        lp_numbering_add_number(&self->waits, lp_rank_layout_measured_s(self->map->layout, op,
                                                                        ring->communicator, NULL));
        if (selection.is_scheduled)
            continue;
        lp_numbering_add_number(&self->waits,
                                lp_flow_list_plain_wait_s(ring, op, selection.protocol));
        if (op->collective == LP_COLLECTIVE_ALL_TO_ALL && lp_isolated_ring_sends_inter(ring))
            lp_numbering_add_number(
                &self->waits, lp_isolated_least_time_s(ring, op, selection.protocol, FALSE, NULL));
    }
}

/* --- communicators --- */

static guint32
describe_delays(Builder *self, const LpIsolatedRing *ring)
{
    lp_numbering_add_count(&self->waits, ring->communicator->group);
    for (guint i = 0; i < self->ops->len; i++)
        lp_numbering_add_number(&self->waits,
                                lp_isolated_ring_time_s(ring, op_at(self, i), self->fidelity));
    return lp_numbering_end(&self->waits);
}

/* Adds the flows of pairs. Receivers wait for no single one of them, but with all members for the
 * end. */
static void
add_pair_flows(Builder *self, guint32 number, const LpIsolatedRing *ring)
{
    const LpCommunicator *communicator = ring->communicator;
    GArray *pairs = lp_pair_flows_new(&self->what, ring, self->ops);
    g_ptr_array_add(self->list->pairs, pairs);
    guint32 **of_pair = &self->list->of_pair[communicator->group];
    if (*of_pair == NULL)
        *of_pair = g_new(guint32, self->map->n_ranks);
    for (guint32 i = pairs->len; i-- > 0;) {
        const LpPairFlow *pair = &g_array_index(pairs, LpPairFlow, i);
        (*of_pair)[communicator->ranks[pair->from]] = self->list->flows->len + i;
    }
    for (guint32 i = 0; i < pairs->len; i++) {
        const LpPairFlow *pair = &g_array_index(pairs, LpPairFlow, i);
        LpFlowOfRun flow = {.route = &pair->route,
                            .communicator = number,
                            .sender = -1,
                            .from = self->list->first_rank + communicator->ranks[pair->from],
                            .to = self->list->first_rank + communicator->ranks[pair->to],
                            .place_from = pair->from,
                            .place_to = LP_FLOW_NONE,
                            .what = pair->what,
                            .is_chained = TRUE};
        g_array_append_val(self->list->flows, flow);
    }
}

static void
add_plain_flows(Builder *self, guint32 number, const LpIsolatedRing *ring)
{
    if (lp_pair_flows_are_all(ring, self->fidelity)) {
        add_pair_flows(self, number, ring);
        return;
    }
    for (guint32 i = 0; i < ring->n_members; i++)
        add_plain_flow(self, number, ring, i);
}

static void
add_flows(Builder *self, guint32 number, const LpIsolatedRing *ring, LpCommunicatorOfRun *own)
{
    const LpCommunicator *communicator = ring->communicator;
    gboolean any_scheduled = FALSE, any_plain = FALSE;
    for (guint i = 0; i < self->ops->len; i++)
        if (is_scheduled(self, op_at(self, i), communicator))
            any_scheduled = TRUE;
        else
            any_plain = TRUE;
    guint32 scheduled = G_MAXUINT32;
    if (any_scheduled) {
        const LpPeerSends *sends = peer_sends_of(self, communicator);
        add_peer_flows(self, number, communicator, sends);
        scheduled = sends->what;
        own->is_chained = sends->is_chained;
    }
    if (any_plain)
        add_plain_flows(self, number, ring);
    own->ranks_send = any_plain && goes_step_by_step(self, ring);
    if (any_plain && lp_pair_flows_are_all(ring, self->fidelity))
        own->is_chained = TRUE;
    own->is_chained = own->is_chained || own->ranks_send;
    lp_numbering_add_count(&self->waits, LP_N_GROUPS + communicator->group);
    lp_numbering_add_count(&self->waits, scheduled);
    describe_plain_waits(self, ring);
    own->what = lp_numbering_end(&self->waits);
}

static void
add_communicator(Builder *self, const LpCommunicator *communicator, gboolean is_private)
{
    LpCommunicatorOfRun own = {.communicator = communicator,
                               .first_rank = self->list->first_rank,
                               .has_flows = !is_private && self->ops->len > 0};
    LpIsolatedRing ring;
    lp_isolated_ring_init(&ring, self->map, self->cache, communicator);
    if (own.has_flows)
        add_flows(self, self->list->communicators->len, &ring, &own);
    else
        own.what = describe_delays(self, &ring);
    lp_isolated_ring_clear(&ring);
    g_array_append_val(self->list->communicators, own);
}

static gboolean
is_isolated(const Builder *self, LpTraffic traffic)
{
    return (self->isolated & (1u << traffic)) != 0;
}

static void
add_group(Builder *self, LpGroup group, const LpContention *contention)
{
    gboolean all_isolated = is_isolated(self, lp_group_traits(group)->traffic);
    const LpCommunicators *communicators = self->map->communicators;
    self->list->first_communicator[group] = self->list->communicators->len;
    self->ops = lp_program_collectives(self->map->program, group);
    self->sends = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)lp_peer_sends_free);
    for (guint k = 0; k < lp_communicators_n(communicators, group); k++)
        add_communicator(self, lp_communicators_get(communicators, group, k),
                         all_isolated || contention->is_private[group][k]);
    g_clear_pointer(&self->ops, g_array_unref);
    g_clear_pointer(&self->sends, g_hash_table_unref);
}

/* --- messages between stages --- */

static void
add_direction(Builder *self, LpPipelineDirection direction)
{
    LpConnectionKind kind = (LpConnectionKind)(LP_CONNECTION_MESSAGES + direction);
    const LpConnection *connections = self->map->connections[kind];
    if (connections == NULL)
        return;
    guint32 *of_rank = self->list->of_connection[kind] = g_new(guint32, self->map->n_ranks);
    for (guint32 rank = 0; rank < self->map->n_ranks; rank++) {
        of_rank[rank] = connections[rank].present ? self->list->flows->len : LP_FLOW_NONE;
        if (!connections[rank].present)
            continue;
        lp_numbering_add_count(&self->what, kind);
        lp_numbering_add_number(&self->what, connections[rank].route.latency_s);
        lp_numbering_add_number(&self->what, connections[rank].route.bytes_per_s);
        LpFlowOfRun flow = {.route = &connections[rank].route,
                            .communicator = -1,
                            .sender = -1,
                            .from = self->list->first_rank + rank,
                            .to = self->list->first_rank + (guint32)connections[rank].to,
                            .what = lp_numbering_end(&self->what),
                            .is_chained = TRUE,
                            .is_delay = is_isolated(self, LP_TRAFFIC_PP)};
        g_array_append_val(self->list->flows, flow);
    }
}

gboolean
lp_flow_list_forwards(const LpFlowList *self)
{
    for (guint i = 0; i < self->flows->len; i++)
        if (g_array_index(self->flows, LpFlowOfRun, i).route->n_legs > 1)
            return TRUE;
    return FALSE;
}

/* --- flows that are no job's --- */

void
lp_flow_list_add_background(LpFlowList *self, const LpBackgroundFlow *flows, guint32 n)
{
    for (guint32 i = 0; i < n; i++) {
        lp_numbering_add_count(&self->what, LP_N_CONNECTIONS + 1);
        lp_numbering_add_number(&self->what, flows[i].route.latency_s);
        lp_numbering_add_number(&self->what, flows[i].route.bytes_per_s);
        LpFlowOfRun flow = {.route = &flows[i].route,
                            .communicator = -1,
                            .sender = flows[i].sender,
                            .from = flows[i].turn,
                            .what = lp_numbering_end(&self->what),
                            .is_chained = TRUE};
        g_array_append_val(self->flows, flow);
    }
}

/* --- all --- */

static LpFlowList *
new_behind(LpFlowList *last)
{
    LpFlowList *self = g_new0(LpFlowList, 1);
    self->n_owners = 1;
    self->pairs = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
    if (last == NULL) {
        self->flows = g_array_new(FALSE, FALSE, sizeof(LpFlowOfRun));
        self->communicators = g_array_new(FALSE, FALSE, sizeof(LpCommunicatorOfRun));
        lp_numbering_init(&self->what);
        lp_numbering_init(&self->waits);
        return self;
    }
    self->flows = g_array_ref(last->flows);
    self->communicators = g_array_ref(last->communicators);
    self->what = last->what;
    self->waits = last->waits;
    last->what = last->waits = (LpNumbering){0};
    self->first_rank = last->first_rank + last->n_ranks;
    self->first_flow = last->flows->len;
    return self;
}

LpFlowList *
lp_flow_list_new(const LpQuotientJob *job, LpFlowList *last, LpFidelity fidelity)
{
    LpFlowList *list = new_behind(last);
    list->n_ranks = (guint32)job->map->n_ranks;
    Builder builder = {.list = list,
                       .map = job->map,
                       .cache = job->cache,
                       .fidelity = fidelity,
                       .isolated = job->isolated,
                       .what = list->what,
                       .waits = list->waits};
    for (LpGroup group = 0; group < LP_N_GROUPS; group++)
        add_group(&builder, group, job->contention);
    for (LpPipelineDirection direction = 0; direction < lp_program_n_lines(builder.map->program);
         direction++)
        add_direction(&builder, direction);
    list->n_flows = list->flows->len - list->first_flow;
    return list;
}

LpFlowList *
lp_flow_list_ref(LpFlowList *self)
{
    self->n_owners++;
    return self;
}

void
lp_flow_list_free(LpFlowList *self)
{
    if (self == NULL || --self->n_owners > 0)
        return;
    for (LpConnectionKind kind = 0; kind < LP_N_CONNECTIONS; kind++)
        g_free(self->of_connection[kind]);
    for (LpGroup group = 0; group < LP_N_GROUPS; group++) {
        g_free(self->of_peer[group]);
        g_free(self->of_pair[group]);
    }
    g_ptr_array_unref(self->pairs);
    g_array_unref(self->flows);
    g_array_unref(self->communicators);
    lp_numbering_clear(&self->what);
    lp_numbering_clear(&self->waits);
    g_free(self);
}
