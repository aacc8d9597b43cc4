/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the connections over each link. */
#include "sim/analysis/tiers.h"

/* Calls @visit for each connection of @kind and, of a group, for those to the peers of its members.
 */
static void
visit_connections(const LpCommunicationMap *map, LpConnectionKind kind,
                  void (*visit)(const LpConnection *connection, void *data), void *data)
{
    for (guint64 rank = 0; rank < map->n_ranks; rank++) {
        const LpConnection *connection = lp_communication_map_connection(map, kind, rank);
        if (connection->present)
            visit(connection, data);
        const GArray *peers = (guint)kind < LP_N_GROUPS
                                  ? lp_collective_peers_get(map->peers, (LpGroup)kind, rank)
                                  : NULL;
        for (guint i = 0; peers != NULL && i < peers->len; i++)
            visit(&g_array_index(peers, LpCollectivePeer, i).connection, data);
    }
}

/* Where a kind of traffic finds its narrowest place, if all of it is under way at once: a link is
 * shared by the connections of that kind that cross it. */
typedef struct {
    LpTiers *tiers;
    const LpNetwork *network;
    LpTerm term;
    double *narrowest;
    guint32 *n_connections; /* by link */
} TierSearch;

static void
count_connection(const LpConnection *connection, void *data)
{
    TierSearch *search = data;
    for (guint32 i = 0; i < connection->route.n_links; i++)
        search->n_connections[connection->route.links[i]]++;
}

static void
compare_connection(const LpConnection *connection, void *data)
{
    TierSearch *search = data;
    LpTiers *self = search->tiers;
    for (guint32 i = 0; i < connection->route.n_links; i++) {
        guint32 link = connection->route.links[i];
        LpLink known = lp_network_link(search->network, link);
        double share = known.bytes_per_s / search->n_connections[link];
        if (self->has_tier[search->term] && share >= *search->narrowest)
            continue;
        self->has_tier[search->term] = TRUE;
        *search->narrowest = share;
        self->narrowest[search->term] = known.tier;
    }
}

static void
find_tier(LpTiers *self, const LpCommunicationMap *map, LpConnectionKind kind, LpTerm term,
          double *io_narrowest)
{
    g_autofree guint32 *n_connections = g_new0(guint32, lp_network_n_links(map->network));
    TierSearch search = {self, map->network, term, io_narrowest, n_connections};
    visit_connections(map, kind, count_connection, &search);
    visit_connections(map, kind, compare_connection, &search);
}

static LpTerm
connection_term(LpConnectionKind kind)
{
    LpGroup group = lp_connection_group(kind);
    return group == LP_N_GROUPS ? LP_TERM_PP : lp_group_traits(group)->term;
}

LpTiers
lp_tiers_find(const LpCommunicationMap *map)
{
    LpTiers self = {.narrowest = {0}};
    double narrowest[LP_N_TERMS] = {0};
    for (LpConnectionKind kind = 0; kind < LP_N_CONNECTIONS; kind++) {
        LpTerm term = connection_term(kind);
        find_tier(&self, map, kind, term, &narrowest[term]);
    }
    return self;
}
