/* SPDX-License-Identifier: Apache-2.0 */
/* Finds peers, and numbers groups by their shape. */
#include "sim/mapping/collective_peers.h"

/* A collective of a shape, and its time. */
typedef struct {
    guint shape;
    LpCollectivePeersFact fact;
    LpOp op;
    double time_s;
} Known;

struct LpCollectivePeers {
    guint64 n_ranks;
    GArray **by_rank[LP_N_GROUPS]; /* owned, by rank: LpCollectivePeer by member, or NULL */
    guint *shape[LP_N_GROUPS];     /* owned, by rank */
    GHashTable *shapes;            /* owned: GBytes to number */
    GArray *known;                 /* owned: Known */
};

LpCollectivePeers *
lp_collective_peers_new(guint64 n_ranks)
{
    LpCollectivePeers *self = g_new0(LpCollectivePeers, 1);
    self->n_ranks = n_ranks;
    self->shapes =
        g_hash_table_new_full(g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, NULL);
    self->known = g_array_new(FALSE, FALSE, sizeof(Known));
    return self;
}

void
lp_collective_peers_free(LpCollectivePeers *self)
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
        if (g_array_index(peers, LpCollectivePeer, middle).member < member)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static gboolean
has_peer(const GArray *peers, guint place, guint64 member)
{
    return place < peers->len && g_array_index(peers, LpCollectivePeer, place).member == member;
}

static void
add_peer(LpCollectivePeers *self, const LpCommunicationMap *map, LpGroup group, guint64 rank,
         guint64 member)
{
    GArray **peers = &self->by_rank[group][rank];
    if (*peers == NULL)
        *peers = g_array_new(FALSE, FALSE, sizeof(LpCollectivePeer));
    guint place = place_of(*peers, member);
    if (has_peer(*peers, place, member))
        return;
    guint64 to = lp_program_group_member(map->program, group, rank, member);
    LpCollectivePeer peer = {member,
                             lp_communication_map_between(map, (LpConnectionKind)group, rank, to)};
    g_array_insert_val(*peers, place, peer);
}

static void
add_op_peers(LpCollectivePeers *self, const LpCommunicationMap *map, const LpOp *op, guint64 rank)
{
    LpAlgorithmSelection selection = lp_communication_map_choice(map, op, rank);
    if (!selection.is_scheduled)
        return;
    LpStepSchedule schedule;
    lp_step_schedule_init(&schedule, &selection.shape);
    guint64 member = lp_program_group_index(map->program, op->group, rank);
    g_autofree LpSend *sends = g_new(LpSend, lp_step_schedule_sends_max(&schedule));
    for (guint32 level = 0; level < lp_algorithm_selection_n_levels(&selection.shape); level++)
        if (lp_algorithm_selection_has_switches(&selection.shape, level) &&
            lp_step_schedule_n_steps(&schedule) > 0)
            add_peer(self, map, op->group, rank,
                     lp_algorithm_selection_neighbour(&selection.shape, member, level, 1));
    for (guint64 phase = 0; phase < lp_step_schedule_n_phases(&schedule); phase++) {
        guint64 n = lp_step_schedule_phase_sends(&schedule, member, phase, sends);
        for (guint64 i = 0; i < n; i++)
            add_peer(self, map, op->group, rank,
                     lp_algorithm_selection_receiver(&selection.shape, member, sends[i].to));
    }
}

const GArray *
lp_collective_peers_get(const LpCollectivePeers *self, LpGroup group, guint64 rank)
{
    return self->by_rank[group] == NULL ? NULL : self->by_rank[group][rank];
}

const LpConnection *
lp_collective_peers_edge(const LpCollectivePeers *self, LpGroup group, guint64 rank, guint64 member)
{
    const GArray *peers = self->by_rank[group][rank];
    guint place = place_of(peers, member);
    g_assert(has_peer(peers, place, member));
    return &g_array_index(peers, LpCollectivePeer, place).connection;
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
describe_group(const LpCollectivePeers *self, const LpCommunicationMap *map, LpGroup group,
               guint64 rank)
{
    GByteArray *text = g_byte_array_new();
    g_autoptr(GHashTable) numbers = g_hash_table_new(NULL, NULL);
    guint64 n = lp_program_group_size(map->program, group);
    append(text, &n, sizeof n);
    for (guint64 i = 0; i < n; i++) {
        const GArray *peers = lp_collective_peers_get(
            self, group, lp_program_group_member(map->program, group, rank, i));
        for (guint k = 0; peers != NULL && k < peers->len; k++) {
            const LpCollectivePeer *peer = &g_array_index(peers, LpCollectivePeer, k);
            LpReach reach = lp_connection_reach(&peer->connection);
            append(text, &i, sizeof i);
            append(text, &peer->member, sizeof peer->member);
            append(text, &reach, sizeof reach);
            append(text, &peer->connection.route.latency_s, sizeof(double));
            append(text, &peer->connection.route.bytes_per_s, sizeof(double));
            append_links(text, numbers, map->network, &peer->connection.route);
        }
    }
    return g_byte_array_free_to_bytes(text);
}

static guint
number_shape(LpCollectivePeers *self, GBytes *description)
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
add_shapes(LpCollectivePeers *self, const LpCommunicationMap *map, LpGroup group)
{
    self->shape[group] = g_new0(guint, self->n_ranks);
    for (guint64 rank = 0; rank < self->n_ranks; rank++) {
        if (self->by_rank[group][rank] == NULL)
            continue;
        guint64 first = lp_program_group_member(map->program, group, rank, 0);
        if (self->shape[group][first] == 0)
            self->shape[group][first] = number_shape(self, describe_group(self, map, group, first));
    }
    for (guint64 rank = 0; rank < self->n_ranks; rank++)
        if (lp_program_has_group(map->program, group, rank))
            self->shape[group][rank] =
                self->shape[group][lp_program_group_member(map->program, group, rank, 0)];
}

void
lp_collective_peers_add(LpCollectivePeers *self, const LpCommunicationMap *map, LpGroup group,
                        const GArray *ops)
{
    self->by_rank[group] = g_new0(GArray *, self->n_ranks);
    for (guint64 rank = 0; rank < self->n_ranks; rank++)
        for (guint i = 0; lp_program_has_group(map->program, group, rank) && i < ops->len; i++)
            add_op_peers(self, map, &g_array_index(ops, LpOp, i), rank);
    add_shapes(self, map, group);
}

guint
lp_collective_peers_shape(const LpCollectivePeers *self, LpGroup group, guint64 rank)
{
    return self->shape[group] == NULL ? 0 : self->shape[group][rank];
}

/* --- times --- */

static gboolean
is_same(const Known *known, guint shape, const LpOp *op, LpCollectivePeersFact fact)
{
    return known->shape == shape && known->fact == fact && known->op.group == op->group &&
           known->op.collective == op->collective && known->op.bytes == op->bytes &&
           known->op.weight == op->weight;
}

double
lp_collective_peers_known_s(const LpCollectivePeers *self, guint shape, const LpOp *op,
                            LpCollectivePeersFact fact)
{
    for (guint i = self->known->len; i-- > 0;) {
        const Known *known = &g_array_index(self->known, Known, i);
        if (is_same(known, shape, op, fact))
            return known->time_s;
    }
    return -1.0;
}

void
lp_collective_peers_learn(LpCollectivePeers *self, guint shape, const LpOp *op,
                          LpCollectivePeersFact fact, double time_s)
{
    Known known = {shape, fact, *op, time_s};
    g_array_append_val(self->known, known);
}
