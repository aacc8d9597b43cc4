/* SPDX-License-Identifier: Apache-2.0 */
/* Finds peers, and numbers groups by their shape. */
#include "sim/mapping/collective_peers.h"

/* A collective of a shape, and its time. */
typedef struct {
    guint shape;
    LpPeersFact fact;
    LpOp op;
    double time_s;
} Known;

struct LpPeers {
    guint64 n_ranks;
    GArray **by_rank[LP_N_GROUPS]; /* owned, by rank: LpPeer by member, or NULL */
    guint *shape[LP_N_GROUPS];     /* owned, by rank */
    GHashTable *shapes;            /* owned: GBytes to number */
    GArray *known;                 /* owned: Known */
};

LpPeers *
lp_peers_new(guint64 n_ranks)
{
    LpPeers *self = g_new0(LpPeers, 1);
    self->n_ranks = n_ranks;
    self->shapes =
        g_hash_table_new_full(g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, NULL);
    self->known = g_array_new(FALSE, FALSE, sizeof(Known));
    return self;
}

void
lp_peers_free(LpPeers *self)
{
    if (self == NULL)
        return;
    for (LpGroup group = 0; group < LP_N_GROUPS; group++) {
        for (guint64 rank = 0; self->by_rank[group] != NULL && rank < self->n_ranks; rank++)
            if (self->by_rank[group][rank] != NULL)
                g_array_unref(self->by_rank[group][rank]);
        g_free(self->by_rank[group]);
        g_free(self->shape[group]);
    }
    g_hash_table_unref(self->shapes);
    g_array_unref(self->known);
    g_free(self);
}

/* --- peers --- */

/* The place of @member in @peers, or where it would go. */
static guint
place_of(const GArray *peers, guint64 member)
{
    guint low = 0, high = peers->len;
    while (low < high) {
        guint middle = low + (high - low) / 2;
        if (g_array_index(peers, LpPeer, middle).member < member)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static gboolean
has_peer(const GArray *peers, guint place, guint64 member)
{
    return place < peers->len && g_array_index(peers, LpPeer, place).member == member;
}

static void
add_peer(LpPeers *self, const LpEdges *edges, LpGroup group, guint64 rank, guint64 member)
{
    GArray **peers = &self->by_rank[group][rank];
    if (*peers == NULL)
        *peers = g_array_new(FALSE, FALSE, sizeof(LpPeer));
    guint place = place_of(*peers, member);
    if (has_peer(*peers, place, member))
        return;
    guint64 to = lp_iteration_group_member(edges->iteration, group, rank, member);
    LpPeer peer = {member, lp_edges_between(edges, (LpEdgeKind)group, rank, to)};
    g_array_insert_val(*peers, place, peer);
}

static void
add_op_peers(LpPeers *self, const LpEdges *edges, const LpOp *op, guint64 rank)
{
    LpChoice choice = lp_edges_choice(edges, op, rank);
    if (!choice.is_scheduled)
        return;
    LpSchedule schedule;
    lp_schedule_init(&schedule, &choice.shape);
    guint64 member = lp_iteration_group_index(edges->iteration, op->group, rank);
    g_autofree LpSend *sends = g_new(LpSend, lp_schedule_sends_max(&schedule));
    for (guint32 level = 0; level < lp_choice_n_levels(&choice.shape); level++)
        if (lp_choice_has_switches(&choice.shape, level) && lp_schedule_n_steps(&schedule) > 0)
            add_peer(self, edges, op->group, rank,
                     lp_choice_neighbour(&choice.shape, member, level, 1));
    for (guint64 phase = 0; phase < lp_schedule_n_phases(&schedule); phase++) {
        guint64 n = lp_schedule_phase_sends(&schedule, member, phase, sends);
        for (guint64 i = 0; i < n; i++)
            add_peer(self, edges, op->group, rank,
                     lp_choice_receiver(&choice.shape, member, sends[i].to));
    }
}

const GArray *
lp_peers_get(const LpPeers *self, LpGroup group, guint64 rank)
{
    return self->by_rank[group] == NULL ? NULL : self->by_rank[group][rank];
}

const LpEdge *
lp_peers_edge(const LpPeers *self, LpGroup group, guint64 rank, guint64 member)
{
    const GArray *peers = self->by_rank[group][rank];
    guint place = place_of(peers, member);
    g_assert(has_peer(peers, place, member));
    return &g_array_index(peers, LpPeer, place).edge;
}

/* --- shapes --- */

static void
append(GByteArray *text, const void *value, guint size)
{
    g_byte_array_append(text, value, size);
}

/* Links that flows share, numbered in the order in which they turn up. */
static void
append_links(GByteArray *text, GHashTable *numbers, const LpNetwork *network, const LpRoute *route)
{
    for (guint32 i = 0; i < route->n_links; i++) {
        const LpLink *link = lp_network_link(network, route->links[i]);
        if (!lp_tier_is_shared(link->tier))
            continue;
        gpointer key = GUINT_TO_POINTER(route->links[i] + 1);
        guint number = GPOINTER_TO_UINT(g_hash_table_lookup(numbers, key));
        if (number == 0) {
            number = g_hash_table_size(numbers) + 1;
            g_hash_table_insert(numbers, key, GUINT_TO_POINTER(number));
        }
        append(text, &number, sizeof number);
        append(text, &link->bytes_per_s, sizeof link->bytes_per_s);
    }
}

static GBytes *
describe_group(const LpPeers *self, const LpEdges *edges, LpGroup group, guint64 rank)
{
    GByteArray *text = g_byte_array_new();
    g_autoptr(GHashTable) numbers = g_hash_table_new(NULL, NULL);
    guint64 n = lp_iteration_group_size(edges->iteration, group);
    append(text, &n, sizeof n);
    for (guint64 i = 0; i < n; i++) {
        const GArray *peers =
            lp_peers_get(self, group, lp_iteration_group_member(edges->iteration, group, rank, i));
        for (guint k = 0; peers != NULL && k < peers->len; k++) {
            const LpPeer *peer = &g_array_index(peers, LpPeer, k);
            LpReach reach = lp_edge_reach(&peer->edge);
            append(text, &i, sizeof i);
            append(text, &peer->member, sizeof peer->member);
            append(text, &reach, sizeof reach);
            append(text, &peer->edge.route.latency_s, sizeof(double));
            append(text, &peer->edge.route.bytes_per_s, sizeof(double));
            append_links(text, numbers, edges->network, &peer->edge.route);
        }
    }
    return g_byte_array_free_to_bytes(text);
}

static guint
number_shape(LpPeers *self, GBytes *description)
{
    guint number = GPOINTER_TO_UINT(g_hash_table_lookup(self->shapes, description));
    if (number > 0) {
        g_bytes_unref(description);
        return number;
    }
    number = g_hash_table_size(self->shapes) + 1;
    g_hash_table_insert(self->shapes, description, GUINT_TO_POINTER(number));
    return number;
}

static void
add_shapes(LpPeers *self, const LpEdges *edges, LpGroup group)
{
    self->shape[group] = g_new0(guint, self->n_ranks);
    for (guint64 rank = 0; rank < self->n_ranks; rank++) {
        if (self->by_rank[group][rank] == NULL)
            continue;
        guint64 first = lp_iteration_group_member(edges->iteration, group, rank, 0);
        if (self->shape[group][first] == 0)
            self->shape[group][first] =
                number_shape(self, describe_group(self, edges, group, first));
    }
    for (guint64 rank = 0; rank < self->n_ranks; rank++)
        if (lp_iteration_has_group(edges->iteration, group, rank))
            self->shape[group][rank] =
                self->shape[group][lp_iteration_group_member(edges->iteration, group, rank, 0)];
}

void
lp_peers_add(LpPeers *self, const LpEdges *edges, LpGroup group, const GArray *ops)
{
    self->by_rank[group] = g_new0(GArray *, self->n_ranks);
    for (guint64 rank = 0; rank < self->n_ranks; rank++)
        for (guint i = 0; lp_iteration_has_group(edges->iteration, group, rank) && i < ops->len;
             i++)
            add_op_peers(self, edges, &g_array_index(ops, LpOp, i), rank);
    add_shapes(self, edges, group);
}

guint
lp_peers_shape(const LpPeers *self, LpGroup group, guint64 rank)
{
    return self->shape[group] == NULL ? 0 : self->shape[group][rank];
}

/* --- times --- */

static gboolean
is_same(const Known *known, guint shape, const LpOp *op, LpPeersFact fact)
{
    return known->shape == shape && known->fact == fact && known->op.group == op->group &&
           known->op.collective == op->collective && known->op.bytes == op->bytes &&
           known->op.weight == op->weight;
}

double
lp_peers_known_s(const LpPeers *self, guint shape, const LpOp *op, LpPeersFact fact)
{
    for (guint i = self->known->len; i-- > 0;) {
        const Known *known = &g_array_index(self->known, Known, i);
        if (is_same(known, shape, op, fact))
            return known->time_s;
    }
    return -1.0;
}

void
lp_peers_learn(LpPeers *self, guint shape, const LpOp *op, LpPeersFact fact, double time_s)
{
    Known known = {shape, fact, *op, time_s};
    g_array_append_val(self->known, known);
}
