/* SPDX-License-Identifier: Apache-2.0 */
/* Finds peers, and numbers groups by their shape. */
#include "sim/mapping/collective_peers.h"

/* More shapes than a job has: those beside circuits are numbered from there on. */
#define SHAPES_MAX (1u << 30)

struct LpCollectivePeers {
    guint64 n_ranks;
    GArray **by_rank[LP_N_GROUPS]; /* owned, by rank: LpCollectivePeer by member, or NULL */
    guint *shape[LP_N_GROUPS];     /* owned, by the first rank of a communicator */
    GHashTable *shapes;            /* owned: GBytes to number */
};

LpCollectivePeers *
lp_collective_peers_new(guint64 n_ranks)
{
    LpCollectivePeers *self = g_new0(LpCollectivePeers, 1);
    self->n_ranks = n_ranks;
    self->shapes =
        g_hash_table_new_full(g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, NULL);
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
add_peer(LpCollectivePeers *self, const LpRankLayout *layout, const LpCommunicator *communicator,
         guint64 place_in, guint64 member)
{
    guint64 rank = communicator->ranks[place_in];
    GArray **peers = &self->by_rank[communicator->group][rank];
    if (*peers == NULL)
        *peers = g_array_new(FALSE, FALSE, sizeof(LpCollectivePeer));
    guint place = place_of(*peers, member);
    if (has_peer(*peers, place, member))
        return;
    LpCollectivePeer peer = {member,
                             lp_rank_layout_connect(layout, (LpConnectionKind)communicator->group,
                                                    rank, communicator->ranks[member])};
    g_array_insert_val(*peers, place, peer);
}

void
lp_collective_peers_add_shape(LpCollectivePeers *self, const LpRankLayout *layout,
                              const LpCommunicator *communicator, const LpCollectiveShape *shape,
                              guint64 member)
{
    LpStepSchedule schedule;
    lp_step_schedule_init(&schedule, shape);
    if (self->by_rank[communicator->group] == NULL)
        self->by_rank[communicator->group] = g_new0(GArray *, self->n_ranks);
    g_autofree LpSend *sends = g_new(LpSend, lp_step_schedule_sends_max(&schedule));
    for (guint32 level = 0; level < lp_algorithm_selection_n_levels(shape); level++)
        if (lp_algorithm_selection_has_switches(shape, level) &&
            lp_step_schedule_n_steps(&schedule) > 0)
            add_peer(self, layout, communicator, member,
                     lp_algorithm_selection_neighbour(shape, member, level, 1));
    for (guint64 phase = 0; phase < lp_step_schedule_n_phases(&schedule); phase++) {
        guint64 n = lp_step_schedule_phase_sends(&schedule, member, phase, sends);
        for (guint64 i = 0; i < n; i++)
            add_peer(self, layout, communicator, member,
                     lp_algorithm_selection_receiver(shape, member, sends[i].to));
    }
}

static void
add_op_peers(LpCollectivePeers *self, const LpRankLayout *layout, const LpOp *op,
             const LpCommunicator *communicator, guint64 member)
{
    LpAlgorithmSelection selection = lp_rank_layout_selection(layout, op, communicator);
    if (selection.is_scheduled)
        lp_collective_peers_add_shape(self, layout, communicator, &selection.shape, member);
}

const GArray *
lp_collective_peers_get(const LpCollectivePeers *self, LpGroup group, guint64 rank)
{
    return self->by_rank[group] == NULL ? NULL : self->by_rank[group][rank];
}

const LpConnection *
lp_collective_peers_connection(const LpCollectivePeers *self, LpGroup group, guint64 rank,
                               guint64 member)
{
    const GArray *peers = self->by_rank[group][rank];
    guint place = place_of(peers, member);
    g_assert(has_peer(peers, place, member));
    return &g_array_index(peers, LpCollectivePeer, place).connection;
}

void
lp_collective_peers_limit(LpCollectivePeers *self, LpGroup group, guint64 rank, double bytes_per_s)
{
    GArray *peers = self->by_rank[group] == NULL ? NULL : self->by_rank[group][rank];
    for (guint i = 0; peers != NULL && i < peers->len; i++) {
        LpConnection *connection = &g_array_index(peers, LpCollectivePeer, i).connection;
        if (connection->attachment == LP_ATTACHMENT_SCALE_OUT)
            lp_route_limit(&connection->route, bytes_per_s);
    }
}

void
lp_collective_peers_take(LpCollectivePeers *self, const LpCollectivePeers *other,
                         const LpCommunicator *communicator)
{
    LpGroup group = communicator->group;
    for (guint32 i = 0; self->by_rank[group] != NULL && i < communicator->n_members; i++) {
        GArray **own = &self->by_rank[group][communicator->ranks[i]];
        const GArray *taken = other->by_rank[group][communicator->ranks[i]];
        g_clear_pointer(own, g_array_unref);
        if (taken == NULL)
            continue;
        *own = g_array_new(FALSE, FALSE, sizeof(LpCollectivePeer));
        g_array_append_vals(*own, taken->data, taken->len);
    }
    if (self->shape[group] != NULL)
        self->shape[group][communicator->ranks[0]] = other->shape[group][communicator->ranks[0]];
}

double
lp_collective_peers_cap(const LpCollectivePeers *self, LpGroup group, guint64 rank)
{
    const GArray *peers = lp_collective_peers_get(self, group, rank);
    double cap_bytes_per_s = 0.0;
    for (guint i = 0; peers != NULL && i < peers->len; i++)
        cap_bytes_per_s =
            MAX(cap_bytes_per_s,
                g_array_index(peers, LpCollectivePeer, i).connection.route.cap_bytes_per_s);
    return cap_bytes_per_s;
}

guint
lp_collective_peers_index(const GArray *peers, const LpConnection *connection)
{
    gsize from_first = (gsize)((const char *)connection - peers->data);
    return (guint)(from_first / sizeof(LpCollectivePeer));
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
        LpLink link = lp_network_link(network, route->links[i]);
        if (!lp_tier_is_shared(link.tier))
            continue;
        gpointer key = GUINT_TO_POINTER(route->links[i] + 1);
        guint number = GPOINTER_TO_UINT(g_hash_table_lookup(numbers, key));
        if (number == 0) {
            number = g_hash_table_size(numbers) + 1;
            g_hash_table_insert(numbers, key, GUINT_TO_POINTER(number));
        }
        append(text, &number, sizeof number);
        append(text, &link.bytes_per_s, sizeof link.bytes_per_s);
    }
}

static GBytes *
describe(const LpCollectivePeers *self, const LpRankLayout *layout,
         const LpCommunicator *communicator)
{
    GByteArray *text = g_byte_array_new();
    g_autoptr(GHashTable) numbers = g_hash_table_new(NULL, NULL);
    guint64 n = communicator->n_members;
    append(text, &n, sizeof n);
    for (guint64 i = 0; i < n; i++) {
        const GArray *peers =
            lp_collective_peers_get(self, communicator->group, communicator->ranks[i]);
        for (guint k = 0; peers != NULL && k < peers->len; k++) {
            const LpCollectivePeer *peer = &g_array_index(peers, LpCollectivePeer, k);
            LpReach reach = lp_connection_reach(&peer->connection);
            append(text, &i, sizeof i);
            append(text, &peer->member, sizeof peer->member);
            append(text, &reach, sizeof reach);
            append(text, &peer->connection.route.latency_s, sizeof(double));
            append(text, &peer->connection.route.bytes_per_s, sizeof(double));
            append_links(text, numbers, layout->network, &peer->connection.route);
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

void
lp_collective_peers_add(LpCollectivePeers *self, const LpRankLayout *layout, LpGroup group,
                        const GArray *ops)
{
    self->by_rank[group] = g_new0(GArray *, self->n_ranks);
    self->shape[group] = g_new0(guint, self->n_ranks);
    for (guint k = 0; k < lp_communicators_n(layout->communicators, group); k++) {
        const LpCommunicator *communicator = lp_communicators_get(layout->communicators, group, k);
        gboolean is_scheduled = FALSE;
        for (guint32 member = 0; member < communicator->n_members; member++) {
            for (guint i = 0; i < ops->len; i++)
                add_op_peers(self, layout, &g_array_index(ops, LpOp, i), communicator, member);
            is_scheduled =
                is_scheduled || self->by_rank[group][communicator->ranks[member]] != NULL;
        }
        if (is_scheduled)
            self->shape[group][communicator->ranks[0]] =
                number_shape(self, describe(self, layout, communicator)) +
                (layout->is_packet_network ? SHAPES_MAX : 0);
    }
}

guint
lp_collective_peers_shape(const LpCollectivePeers *self, const LpCommunicator *communicator)
{
    const guint *shape = self->shape[communicator->group];
    return shape == NULL ? 0 : shape[communicator->ranks[0]];
}
