/* SPDX-License-Identifier: Apache-2.0 */
/* Maps the links of the first slice onto those of each other one. */
#include "sim/analysis/slices.h"

/* The map from the first slice's links to those of one other slice, and back. */
typedef struct {
    guint32 *image, *preimage; /* owned, by link; valid where the stamp is the slice's */
    guint32 *image_stamp, *preimage_stamp;
    guint32 *slice;             /* owned: the slice that uses a link, plus 1 */
    const gboolean *background; /* borrowed, or NULL: by link, whether strangers use it */
    guint32 stamp;
    guint32 contested_link; /* that broke the map */
    gboolean has_contested_link;
} LinkMap;

static void
link_map_init(LinkMap *self, guint32 n_links)
{
    self->image = g_new0(guint32, n_links);
    self->preimage = g_new0(guint32, n_links);
    self->image_stamp = g_new0(guint32, n_links);
    self->preimage_stamp = g_new0(guint32, n_links);
    self->slice = g_new0(guint32, n_links);
}

static void
link_map_clear(LinkMap *self)
{
    g_free(self->image);
    g_free(self->preimage);
    g_free(self->image_stamp);
    g_free(self->preimage_stamp);
    g_free(self->slice);
}

/* Extends the map by @from -> @to; FALSE if that contradicts it. */
static gboolean
link_map_join(LinkMap *self, const LpNetwork *network, guint32 from, guint32 to)
{
    LpLink a = lp_network_link(network, from), b = lp_network_link(network, to);
    if (a.bytes_per_s > b.bytes_per_s || a.bytes_per_s < b.bytes_per_s ||
        a.latency_s > b.latency_s || a.latency_s < b.latency_s)
        return FALSE;
    if (self->background != NULL && self->background[to])
        return FALSE;
    if (self->slice[to] != 0 && self->slice[to] != self->stamp)
        return FALSE;
    if (self->image_stamp[from] == self->stamp && self->image[from] != to)
        return FALSE;
    if (self->preimage_stamp[to] == self->stamp && self->preimage[to] != from)
        return FALSE;
    self->slice[to] = self->stamp;
    self->image[from] = to;
    self->image_stamp[from] = self->stamp;
    self->preimage[to] = from;
    self->preimage_stamp[to] = self->stamp;
    return TRUE;
}

/* Whether the same share of both routes' bytes crosses link number @place. */
static gboolean
weights_alike(const LpRoute *from, const LpRoute *to, guint32 place)
{
    double one = lp_route_weight(from, place), other = lp_route_weight(to, place);
    return !(one < other) && !(one > other);
}

/* Joins the routes of one connection of the first slice and of its counterpart. */
static gboolean
join_connections(LinkMap *link_map, const LpNetwork *network, const LpConnection *from,
                 const LpConnection *to)
{
    if (from->present != to->present)
        return FALSE;
    if (!from->present)
        return TRUE;
    if (from->route.n_links != to->route.n_links)
        return FALSE;
    for (guint32 i = 0; i < from->route.n_links; i++)
        if (!weights_alike(&from->route, &to->route, i) ||
            !link_map_join(link_map, network, from->route.links[i], to->route.links[i])) {
            link_map->has_contested_link = TRUE;
            link_map->contested_link = to->route.links[i];
            return FALSE;
        }
    return TRUE;
}

/* Joins the links that scheduled collectives of @group send over. */
static gboolean
join_peers(LinkMap *link_map, const LpCommunicationMap *map, LpGroup group, guint64 rank,
           guint64 mirror)
{
    const GArray *from = lp_collective_peers_get(map->peers, group, rank);
    const GArray *to = lp_collective_peers_get(map->peers, group, mirror);
    if (from == NULL || to == NULL)
        return from == to;
    if (from->len != to->len)
        return FALSE;
    for (guint i = 0; i < from->len; i++) {
        const LpCollectivePeer *a = &g_array_index(from, LpCollectivePeer, i),
                               *b = &g_array_index(to, LpCollectivePeer, i);
        if (a->member != b->member ||
            !join_connections(link_map, map->network, &a->connection, &b->connection))
            return FALSE;
    }
    return TRUE;
}

/* The slice of @rank: where it stands in its tensor-parallel communicator. */
static guint32
slice_of(const LpCommunicationMap *map, guint64 rank)
{
    return lp_communicators_place(map->communicators, LP_GROUP_TP, rank);
}

/* Whether @communicator keeps to one slice: groups are regular, so that two members and the last
 * tell. */
static gboolean
stays_in_slice(const LpCommunicationMap *map, const LpCommunicator *communicator)
{
    guint32 own = slice_of(map, communicator->ranks[0]);
    return slice_of(map, communicator->ranks[1]) == own &&
           slice_of(map, communicator->ranks[communicator->n_members - 1]) == own;
}

static gboolean
all_stay_in_slices(const LpCommunicationMap *map)
{
    for (LpGroup group = LP_GROUP_TP + 1; group < LP_N_GROUPS; group++)
        for (guint k = 0; k < lp_communicators_n(map->communicators, group); k++)
            if (!stays_in_slice(map, lp_communicators_get(map->communicators, group, k)))
                return FALSE;
    return TRUE;
}

/* All that @rank of the first slice sends, and what its replica does. */
static gboolean
join_ranks(LinkMap *link_map, const LpCommunicationMap *map, guint64 rank, guint64 mirror)
{
    for (LpConnectionKind kind = LP_GROUP_TP + 1;
         kind < LP_CONNECTION_MESSAGES + lp_program_n_lines(map->program); kind++)
        if (!join_connections(link_map, map->network,
                              lp_communication_map_connection(map, kind, rank),
                              lp_communication_map_connection(map, kind, mirror)))
            return FALSE;
    for (LpGroup group = LP_GROUP_TP + 1; group < LP_N_GROUPS; group++)
        if (!join_peers(link_map, map, group, rank, mirror))
            return FALSE;
    return TRUE;
}

/* Slice by slice, the ranks of the first one in their order. */
static gboolean
join_slices(LinkMap *link_map, const LpCommunicationMap *map)
{
    guint32 n_slices = lp_communicators_n_members(map->communicators, LP_GROUP_TP);
    for (guint32 slice = 0; slice < n_slices; slice++) {
        link_map->stamp = slice + 1;
        for (guint64 rank = 0; rank < map->n_ranks; rank++)
            if (slice_of(map, rank) == 0 &&
                !join_ranks(link_map, map, rank,
                            lp_program_communicator(map->program, LP_GROUP_TP, rank)->ranks[slice]))
                return FALSE;
    }
    return TRUE;
}

gboolean
lp_slices_mirror(const LpCommunicationMap *map, const gboolean *background, guint32 *out_link,
                 gboolean *out_has_link)
{
    *out_has_link = FALSE;
    if (lp_communicators_n(map->communicators, LP_GROUP_TP) == 0 || !all_stay_in_slices(map))
        return FALSE;
    LinkMap link_map = {.background = background};
    link_map_init(&link_map, lp_network_n_links(map->network));
    gboolean mirror = join_slices(&link_map, map);
    *out_link = link_map.contested_link;
    *out_has_link = link_map.has_contested_link;
    link_map_clear(&link_map);
    return mirror;
}
