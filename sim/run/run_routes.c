/* SPDX-License-Identifier: Apache-2.0 */
/* Goes over ranks and communicators as the contention analysis does. */
#include "sim/run/run_routes.h"

#include "sim/engine/loading.h"

/* Of one collective: enumerating more costs more than it can save. */
#define PAIRS_MAX (1u << 20)

typedef struct {
    LpRouteUse *use;                /* borrowed */
    const LpCommunicationMap *map;  /* borrowed */
    const LpContention *contention; /* borrowed, or NULL */
    LpFidelity fidelity;
    guint64 n_pairs; /* looked at so far */
} Walk;

static gboolean
is_simulated(const Walk *self, guint64 rank)
{
    return self->contention == NULL || !self->contention->tp_mirrored ||
           lp_communicators_place(self->map->communicators, LP_GROUP_TP, rank) == 0;
}

/* The engine does not send what goes many ways. */
static void
add(Walk *self, const LpConnection *connection)
{
    if (connection->present && connection->route.weights == NULL)
        lp_route_use_add(self->use, &connection->route);
}

static void
add_pairs(Walk *self, const LpCommunicator *communicator, guint64 rank)
{
    self->n_pairs += communicator->n_members;
    if (self->n_pairs > PAIRS_MAX) {
        lp_route_use_add_all(self->use);
        return;
    }
    for (guint32 i = 0; i < communicator->n_members; i++) {
        if (communicator->ranks[i] == rank)
            continue;
        LpConnection connection = lp_rank_layout_connect(
            self->map->layout, (LpConnectionKind)communicator->group, rank, communicator->ranks[i]);
        add(self, &connection);
    }
}

static void
add_member(Walk *self, const LpCommunicator *communicator, guint64 rank)
{
    LpGroup group = communicator->group;
    const GArray *peers = lp_collective_peers_get(self->map->peers, group, rank);
    add(self, lp_communication_map_connection(self->map, (LpConnectionKind)group, rank));
    if (communicator->exchanges)
        add(self,
            lp_communication_map_connection(self->map, lp_connection_inter_domain(group), rank));
    for (guint i = 0; peers != NULL && i < peers->len; i++)
        add(self, &g_array_index(peers, LpCollectivePeer, i).connection);
    if (lp_contention_sends_pairwise(self->map, communicator, self->fidelity))
        add_pairs(self, communicator, rank);
}

static void
add_communicator(Walk *self, const LpCommunicator *communicator)
{
    if (self->contention != NULL &&
        lp_contention_is_private(self->contention, self->map->communicators, communicator))
        return;
    for (guint32 i = 0; i < communicator->n_members; i++)
        if (is_simulated(self, communicator->ranks[i]))
            add_member(self, communicator, communicator->ranks[i]);
}

static void
add_rank(Walk *self, guint64 rank)
{
    const LpNetwork *network = self->map->network;
    guint64 accelerator = lp_rank_layout_accelerator(self->map->layout, rank);
    lp_route_use_add_port(self->use, lp_network_port(network, accelerator, LP_ATTACHMENT_SCALE_UP));
    if (lp_network_machine(network)->has_scale_out)
        lp_route_use_add_port(self->use,
                              lp_network_port(network, accelerator, LP_ATTACHMENT_SCALE_OUT));
    for (LpConnectionKind kind = LP_CONNECTION_MESSAGES;
         kind < LP_CONNECTION_MESSAGES + lp_program_n_lines(self->map->program); kind++)
        add(self, lp_communication_map_connection(self->map, kind, rank));
}

void
lp_run_routes_add(LpRouteUse *use, const LpCommunicationMap *map, const LpContention *contention,
                  LpFidelity fidelity)
{
    Walk walk = {.use = use, .map = map, .contention = contention, .fidelity = fidelity};
    for (guint64 rank = 0; rank < map->n_ranks; rank++)
        if (is_simulated(&walk, rank))
            add_rank(&walk, rank);
    for (LpGroup group = 0; group < LP_N_GROUPS; group++)
        for (guint k = 0; k < lp_communicators_n(map->communicators, group); k++)
            add_communicator(&walk, lp_communicators_get(map->communicators, group, k));
}

/* Circuits stand on flat networks, which load fast. */
gboolean
lp_run_routes_load(const LpRunModel *model, GError **error)
{
    LpNetwork *network = model->network;
    if (lp_communication_map_is_separate(model->map, model->fidelity))
        return lp_network_load_minimal(network, model->engine_options, error);
    g_autoptr(LpRouteUse) use = lp_route_use_new(network);
    if (model->circuits != NULL || lp_network_machine(network)->circuits.is_present)
        lp_route_use_add_all(use);
    else
        lp_run_routes_add(use, model->map, model->contention, model->fidelity);
    return lp_network_load_used(network, use, model->engine_options, error);
}
