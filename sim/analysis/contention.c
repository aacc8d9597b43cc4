/* SPDX-License-Identifier: Apache-2.0 */
/* Finds who uses which links, and which communicators have theirs to themselves. */
#include "sim/analysis/contention.h"

#include "model/plan/group_traits.h"
#include "sim/analysis/slices.h"

#define NOBODY G_MAXUINT64
#define SHARED (G_MAXUINT64 - 1)

/* Who sends over a link. */
typedef struct {
    guint64 user;     /* the one communicator or connection, NOBODY or SHARED */
    guint64 ranks[2]; /* those at an end of every connection over it; NOBODY in excess */
    guint32 n_connections;
    gboolean all_blocking; /* only collectives that the compute streams wait for */
} LinkUse;

/* A communicator, named by its group and first member. */
static guint64
communicator_user(const LpCommunicator *communicator)
{
    return communicator->ranks[0] * (guint64)LP_N_CONNECTIONS + communicator->group;
}

static guint64
line_user(LpConnectionKind kind, guint64 rank)
{
    return rank * LP_N_CONNECTIONS + kind;
}

/* As messages, or in no order. */
gboolean
lp_contention_sends_pairwise(const LpCommunicationMap *map, const LpCommunicator *communicator,
                             LpFidelity fidelity)
{
    return communicator->exchanges &&
           (fidelity == LP_FIDELITY_MESSAGE || map->layout->relays != NULL ||
            !lp_rank_layout_sites(map->layout, communicator).is_regular);
}

static void
add_use(LinkUse *use, guint64 user, guint64 from, guint64 to, gboolean blocking)
{
    if (use->n_connections++ == 0) {
        *use = (LinkUse){user, {from, to}, 1, blocking};
        return;
    }
    if (use->user != user)
        use->user = SHARED;
    for (guint i = 0; i < 2; i++)
        if (use->ranks[i] != from && use->ranks[i] != to)
            use->ranks[i] = NOBODY;
    use->all_blocking = use->all_blocking && blocking;
}

static void
add_connection_use(LinkUse *uses, const LpConnection *connection, guint64 user, guint64 rank,
                   gboolean blocking)
{
    for (guint32 i = 0; connection->present && i < connection->route.n_links; i++)
        add_use(&uses[connection->route.links[i]], user, rank, connection->to, blocking);
}

static void
add_pairs(LinkUse *uses, const LpCommunicationMap *map, const LpCommunicator *communicator,
          guint64 rank)
{
    for (guint32 i = 0; i < communicator->n_members; i++) {
        if (communicator->ranks[i] == rank)
            continue;
        LpConnection connection = lp_rank_layout_connect(
            map->layout, (LpConnectionKind)communicator->group, rank, communicator->ranks[i]);
        add_connection_use(uses, &connection, communicator_user(communicator), rank,
                           communicator->is_exclusive);
    }
}

static void
add_member_uses(LinkUse *uses, const LpCommunicationMap *map, const LpCommunicator *communicator,
                guint64 rank, LpFidelity fidelity)
{
    LpGroup group = communicator->group;
    guint64 user = communicator_user(communicator);
    const GArray *peers = lp_collective_peers_get(map->peers, group, rank);
    add_connection_use(uses, lp_communication_map_connection(map, (LpConnectionKind)group, rank),
                       user, rank, communicator->is_exclusive);
    if (communicator->exchanges)
        add_connection_use(
            uses, lp_communication_map_connection(map, lp_connection_inter_domain(group), rank),
            user, rank, communicator->is_exclusive);
    for (guint i = 0; peers != NULL && i < peers->len; i++)
        add_connection_use(uses, &g_array_index(peers, LpCollectivePeer, i).connection, user, rank,
                           communicator->is_exclusive);
    if (lp_contention_sends_pairwise(map, communicator, fidelity))
        add_pairs(uses, map, communicator, rank);
}

static void
add_group_uses(LinkUse *uses, const LpCommunicationMap *map, LpGroup group, LpFidelity fidelity)
{
    for (guint k = 0; k < lp_communicators_n(map->communicators, group); k++) {
        const LpCommunicator *communicator = lp_communicators_get(map->communicators, group, k);
        for (guint32 i = 0; i < communicator->n_members; i++)
            add_member_uses(uses, map, communicator, communicator->ranks[i], fidelity);
    }
}

static void
add_line_uses(LinkUse *uses, const LpCommunicationMap *map)
{
    for (LpConnectionKind kind = LP_CONNECTION_MESSAGES; kind < LP_N_CONNECTIONS; kind++)
        for (guint64 rank = 0; map->connections[kind] != NULL && rank < map->n_ranks; rank++)
            add_connection_use(uses, lp_communication_map_connection(map, kind, rank),
                               line_user(kind, rank), rank, FALSE);
}

/* Of the collectives of all groups, and of messages between stages. Returns: (transfer full) by
 * link. */
static LinkUse *
find_uses(const LpCommunicationMap *map, LpFidelity fidelity)
{
    LinkUse *uses = g_new0(LinkUse, lp_network_n_links(map->network));
    for (LpGroup group = 0; group < LP_N_GROUPS; group++)
        add_group_uses(uses, map, group, fidelity);
    add_line_uses(uses, map);
    return uses;
}

/* Whether no other traffic can be on a link at the same time: one group is alone on it, or all that
 * cross it are collectives of one rank, which takes part in one at a time. On a port a group's own
 * flows may share the link, since its isolated time counts that; on other tiers they may not. */
static gboolean
link_is_private(const LinkUse *use, LpTier tier)
{
    gboolean is_port = lp_tier_is_shared(tier);
    if (use->user != SHARED)
        return is_port || use->n_connections == 1;
    return is_port && use->all_blocking && (use->ranks[0] != NOBODY || use->ranks[1] != NOBODY);
}

/* Whether a connection is private. The isolated time of a route of several legs takes all legs to
 * be in use at once. That is true only of the relays of a domain, one hop each. */
static gboolean
connection_is_private(const LpConnection *connection, const LpNetwork *network, const LinkUse *uses)
{
    if (connection->route.n_legs > 2)
        return FALSE;
    for (guint32 i = 0; i < connection->route.n_links; i++)
        if (!link_is_private(&uses[connection->route.links[i]],
                             lp_network_link(network, connection->route.links[i]).tier))
            return FALSE;
    return TRUE;
}

/* Whether the messages that @rank sends one after the other to all members outside its domain use
 * private ports only. At any time all members send to equally distant peers
 * (lp_exchange_row_receiver()), so that all advance together. Forwarded messages, and messages over
 * other links, may meet where others do not. */
static gboolean
pairs_are_private(const LpCommunicationMap *map, const LinkUse *uses,
                  const LpCommunicator *communicator, guint64 rank)
{
    for (guint32 i = 0; i < communicator->n_members; i++) {
        if (communicator->ranks[i] == rank)
            continue;
        LpConnection pair = lp_rank_layout_connect(
            map->layout, (LpConnectionKind)communicator->group, rank, communicator->ranks[i]);
        if (lp_connection_reach(&pair) == LP_REACH_FABRIC &&
            (pair.route.n_links > 2 || !connection_is_private(&pair, map->network, uses)))
            return FALSE;
    }
    return TRUE;
}

/* Messages out of a domain are private only where they are as long as each other, too: else two
 * come to one port while another has none. */
static gboolean
member_is_private(const LpCommunicationMap *map, const LinkUse *uses,
                  const LpCommunicator *communicator, guint64 rank, LpFidelity fidelity)
{
    LpGroup group = communicator->group;
    const GArray *peers = lp_collective_peers_get(map->peers, group, rank);
    for (guint i = 0; peers != NULL && i < peers->len; i++)
        if (!connection_is_private(&g_array_index(peers, LpCollectivePeer, i).connection,
                                   map->network, uses))
            return FALSE;
    const LpConnection *connection =
        lp_communication_map_connection(map, (LpConnectionKind)group, rank);
    if (connection->present && !connection_is_private(connection, map->network, uses))
        return FALSE;
    if (!communicator->exchanges)
        return TRUE;
    if (!lp_rank_layout_sites(map->layout, communicator).is_regular)
        return FALSE;
    const LpConnection *inter =
        lp_communication_map_connection(map, lp_connection_inter_domain(group), rank);
    if (!inter->present)
        return TRUE;
    return lp_contention_sends_pairwise(map, communicator, fidelity)
               ? communicator->loads == NULL && pairs_are_private(map, uses, communicator, rank)
               : connection_is_private(inter, map->network, uses);
}

/* One contested connection makes the whole communicator wait. Blocks that differ put other bytes on
 * links in between than flows' weights say. */
static gboolean
communicator_is_private(const LpCommunicationMap *map, const LinkUse *uses,
                        const LpCommunicator *communicator, LpFidelity fidelity)
{
    const LpExchangeFlows *flows = lp_communication_map_exchange(map, communicator);
    if (flows != NULL && flows->has_core && communicator->loads != NULL)
        return FALSE;
    for (guint32 i = 0; i < communicator->n_members; i++)
        if (!member_is_private(map, uses, communicator, communicator->ranks[i], fidelity))
            return FALSE;
    return TRUE;
}

static void
prove_group(LpContention *self, const LpCommunicationMap *map, const LinkUse *uses, LpGroup group,
            LpFidelity fidelity)
{
    guint n = lp_communicators_n(map->communicators, group), n_private = 0;
    for (guint k = 0; k < n; k++) {
        const LpCommunicator *communicator = lp_communicators_get(map->communicators, group, k);
        self->is_private[group][k] = communicator_is_private(map, uses, communicator, fidelity);
        n_private += self->is_private[group][k] ? 1 : 0;
    }
    self->all_private[group] = n > 0 && n_private == n;
}

/* What a link carries beside LP_STREAM_DP, and that too unless it is on one rank's port: a rank
 * that has nothing of it under way is in none of its collectives. @uses: of all. */
static LinkUse *
find_uses_when_idle(const LpCommunicationMap *map, LpFidelity fidelity, const LinkUse *uses,
                    const gboolean *background)
{
    LinkUse *idle = g_new0(LinkUse, lp_network_n_links(map->network));
    for (LpGroup group = 0; group < LP_N_GROUPS; group++)
        if (lp_communicators_n(map->communicators, group) > 0 &&
            lp_communicators_get(map->communicators, group, 0)->stream != LP_STREAM_DP)
            add_group_uses(idle, map, group, fidelity);
    add_line_uses(idle, map);
    for (guint32 i = 0; i < lp_network_n_links(map->network); i++) {
        gboolean is_of_one_rank = lp_tier_is_shared(lp_network_link(map->network, i).tier) &&
                                  (uses[i].ranks[0] != NOBODY || uses[i].ranks[1] != NOBODY);
        if ((background != NULL && background[i]) ||
            (uses[i].n_connections > idle[i].n_connections && !is_of_one_rank))
            idle[i] = uses[i];
    }
    return idle;
}

/* With messages a member may be through while its last one is still under way. */
static gboolean
prove_private_when_idle(const LpCommunicationMap *map, LpFidelity fidelity, const LinkUse *uses,
                        const gboolean *background)
{
    if (!map->program->uses_stream[LP_STREAM_DP] || fidelity != LP_FIDELITY_FLOW)
        return FALSE;
    g_autofree LinkUse *idle = find_uses_when_idle(map, fidelity, uses, background);
    guint n = lp_communicators_n(map->communicators, LP_GROUP_TP);
    for (guint k = 0; k < n; k++)
        if (!communicator_is_private(
                map, idle, lp_communicators_get(map->communicators, LP_GROUP_TP, k), fidelity))
            return FALSE;
    return n > 0;
}

static void
prove_private(LpContention *self, const LpCommunicationMap *map, LpFidelity fidelity,
              const gboolean *background)
{
    g_autofree LinkUse *uses = find_uses(map, fidelity);
    for (guint32 i = 0; background != NULL && i < lp_network_n_links(map->network); i++)
        if (background[i])
            uses[i] = (LinkUse){.user = SHARED, .n_connections = 2, .ranks = {NOBODY, NOBODY}};
    for (LpGroup group = 0; group < LP_N_GROUPS; group++)
        prove_group(self, map, uses, group, fidelity);
    self->tp_private_when_idle =
        !self->all_private[LP_GROUP_TP] && prove_private_when_idle(map, fidelity, uses, background);
}

/* The slices of the tensor-parallel axis stand for each other only where none needs a flow for each
 * pair of its ranks. */
static gboolean
prove_mirrored(LpContention *self, const LpCommunicationMap *map, LpFidelity fidelity,
               const gboolean *background)
{
    if (!self->all_private[LP_GROUP_TP])
        return FALSE;
    for (LpGroup group = 0; group < LP_N_GROUPS; group++)
        for (guint k = 0; k < lp_communicators_n(map->communicators, group); k++)
            if (!self->is_private[group][k] &&
                lp_contention_sends_pairwise(
                    map, lp_communicators_get(map->communicators, group, k), fidelity))
                return FALSE;
    return lp_slices_mirror(map, background, &self->contested_link, &self->has_contested_link);
}

gboolean
lp_contention_is_private(const LpContention *self, const LpCommunicators *communicators,
                         const LpCommunicator *communicator)
{
    return self
        ->is_private[communicator->group][lp_communicators_number(communicators, communicator)];
}

guint32
lp_contention_n_replicas(const LpContention *self, const LpCommunicators *communicators)
{
    return self->tp_mirrored ? lp_communicators_n_members(communicators, LP_GROUP_TP) : 1;
}

LpContention *
lp_contention_new_nothing(const LpCommunicationMap *map)
{
    LpContention *self = g_new0(LpContention, 1);
    for (LpGroup group = 0; group < LP_N_GROUPS; group++)
        self->is_private[group] = g_new0(gboolean, lp_communicators_n(map->communicators, group));
    return self;
}

LpContention *
lp_contention_new(const LpCommunicationMap *map, LpFidelity fidelity, const gboolean *background)
{
    LpContention *self = lp_contention_new_nothing(map);
    prove_private(self, map, fidelity, background);
    self->tp_mirrored = prove_mirrored(self, map, fidelity, background);
    return self;
}

LpContention *
lp_contention_new_negligible(const LpCommunicationMap *map, LpFidelity fidelity)
{
    LpContention *self = lp_contention_new_nothing(map);
    g_autofree LinkUse *uses = g_new0(LinkUse, lp_network_n_links(map->network));
    add_group_uses(uses, map, LP_GROUP_TP, fidelity);
    prove_private(self, map, fidelity, NULL);
    prove_group(self, map, uses, LP_GROUP_TP, fidelity);
    self->tp_mirrored = prove_mirrored(self, map, fidelity, NULL);
    return self;
}

void
lp_contention_mark_links(const LpCommunicationMap *map, LpFidelity fidelity, gboolean *io_links)
{
    g_autofree LinkUse *uses = find_uses(map, fidelity);
    for (guint32 i = 0; i < lp_network_n_links(map->network); i++)
        io_links[i] = io_links[i] || uses[i].n_connections > 0;
}

static gboolean
leaves_domain(const LpCommunicationMap *map, const LpCommunicator *communicator)
{
    guint64 first = lp_rank_layout_domain(map->layout, communicator->ranks[0]);
    for (guint32 i = 1; i < communicator->n_members; i++)
        if (lp_rank_layout_domain(map->layout, communicator->ranks[i]) != first)
            return TRUE;
    return FALSE;
}

/* Whether a hybrid carries what communicators of @group send. */
static gboolean
is_steered(const LpMachine *machine, LpGroup group)
{
    return lp_circuit_switch_is_hybrid(&machine->circuits) &&
           lp_machine_plane(machine, lp_group_traits(group)->traffic) == 0;
}

void
lp_contention_open_circuits(LpContention *self, const LpCommunicationMap *map,
                            const LpCircuitPlan *plan)
{
    const LpMachine *machine = lp_network_machine(map->network);
    gboolean is_rotor = lp_circuit_switch_is_rotor(&machine->circuits);
    if (plan == NULL && !is_rotor)
        return;
    self->tp_private_when_idle = FALSE;
    for (LpGroup group = 0; group < LP_N_GROUPS; group++)
        for (guint i = 0; i < lp_communicators_n(map->communicators, group); i++)
            if ((plan != NULL && plan->uses[group][i].pattern != LP_CIRCUIT_NONE) ||
                ((is_rotor || is_steered(machine, group)) &&
                 leaves_domain(map, lp_communicators_get(map->communicators, group, i))))
                self->is_private[group][i] = self->all_private[group] = FALSE;
    /* Whoever is left out of a rotor passes on nothing. */
    if (is_rotor && !machine->rails_relay)
        self->tp_mirrored = FALSE;
    /* One rank stands for its tensor-parallel group only where that needs no flows. */
    if (lp_communicators_n(map->communicators, LP_GROUP_TP) > 0)
        self->tp_mirrored = self->tp_mirrored && self->all_private[LP_GROUP_TP];
}

void
lp_contention_free(LpContention *self)
{
    if (self == NULL)
        return;
    for (LpGroup group = 0; group < LP_N_GROUPS; group++)
        g_free(self->is_private[group]);
    g_free(self);
}

char *
lp_contention_describe(const LpContention *self, const LpCommunicationMap *map, const char *ranks)
{
    g_autoptr(GString) text = g_string_new(NULL);
    for (LpGroup group = 0; group < LP_N_GROUPS; group++) {
        guint n_private = 0, n = lp_communicators_n(map->communicators, group);
        for (guint k = 0; k < n; k++)
            n_private += self->is_private[group][k] ? 1 : 0;
        if (n > 0)
            g_string_append_printf(text, "%u of %u %s groups have their links to themselves; ",
                                   n_private, n, lp_group_traits(group)->name);
    }
    if (ranks != NULL)
        g_string_append(text, ranks);
    else if (self->tp_mirrored)
        g_string_append_printf(text, "the %u slices of the tensor-parallel axis mirror each other",
                               lp_communicators_n_members(map->communicators, LP_GROUP_TP));
    else if (self->has_contested_link)
        g_string_append_printf(text, "the tensor-parallel slices are not replicas: link %s",
                               lp_network_link_name(map->network, self->contested_link));
    else
        g_string_append(text, "every rank is simulated for itself");
    return g_string_free(g_steal_pointer(&text), FALSE);
}
