/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the connections of all ranks. */
#include "sim/mapping/communication_map.h"

/* Whether any of @ops runs as a ring of neighbours, or along the rails. */
static gboolean
runs_plain(const LpCommunicationMap *self, const GArray *ops, const LpCommunicator *communicator)
{
    if (!lp_rank_layout_is_tuned(self->layout, communicator->group))
        return TRUE;
    for (guint i = 0; i < ops->len; i++)
        if (!lp_rank_layout_selection(self->layout, &g_array_index(ops, LpOp, i), communicator)
                 .is_scheduled)
            return TRUE;
    return FALSE;
}

/* --- connections --- */

/* The rank that @rank sends to in its communicator, or G_MAXUINT64. */
static guint64
communicator_destination(const LpCommunicationMap *self, const LpCommunicator *communicator,
                         LpConnectionKind kind, guint64 rank)
{
    guint64 n = communicator->n_members;
    guint64 index = lp_communicators_place(self->communicators, communicator->group, rank);
    gboolean inter = kind >= LP_CONNECTION_INTER;
    if (!communicator->exchanges)
        return inter ? G_MAXUINT64 : communicator->ranks[(index + 1) % n];
    LpSites sites = lp_rank_layout_sites(self->layout, communicator);
    if (!sites.is_regular || (inter ? sites.n_intra == n : sites.n_intra < 2))
        return G_MAXUINT64;
    return communicator->ranks[inter ? (index + sites.n_intra) % n
                                     : index - index % sites.n_intra + (index + 1) % sites.n_intra];
}

/* Whether every communicator of a group can run @ops as it is said to. */
static gboolean
check_algorithms(const LpCommunicationMap *self, LpGroup group, const GArray *ops, GError **error)
{
    for (guint k = 0; k < lp_communicators_n(self->communicators, group); k++)
        for (guint i = 0; i < ops->len; i++)
            if (!lp_algorithm_selection_check(
                    lp_rank_layout_library(self->layout, &g_array_index(ops, LpOp, i)),
                    lp_communicators_get(self->communicators, group, k),
                    &g_array_index(ops, LpOp, i), &self->layout->sites[group][k], error))
                return FALSE;
    return TRUE;
}

static gboolean
add_tuned(LpCommunicationMap *self, LpGroup group, const GArray *ops, GError **error)
{
    gboolean exchanges = lp_communicators_n(self->communicators, group) > 0 &&
                         lp_communicators_get(self->communicators, group, 0)->exchanges;
    if (ops->len == 0 || (!lp_rank_layout_is_tuned(self->layout, group) && !exchanges))
        return TRUE;
    lp_rank_layout_find_sites(self->layout, group);
    if (!lp_rank_layout_is_tuned(self->layout, group))
        return TRUE;
    if (!check_algorithms(self, group, ops, error))
        return FALSE;
    lp_collective_peers_add(self->peers, self->layout, group, ops);
    return TRUE;
}

static void
add_connection(LpCommunicationMap *self, LpConnectionKind kind, guint64 rank, guint64 to)
{
    if (to == G_MAXUINT64)
        return;
    if (self->connections[kind] == NULL)
        self->connections[kind] = g_new0(LpConnection, self->n_ranks);
    self->connections[kind][rank] = lp_rank_layout_connect(self->layout, kind, rank, to);
}

static void
add_connections(LpCommunicationMap *self, LpConnectionKind kind, const GArray *ops)
{
    LpGroup group = lp_connection_group(kind);
    for (guint k = 0; k < lp_communicators_n(self->communicators, group); k++) {
        const LpCommunicator *communicator = lp_communicators_get(self->communicators, group, k);
        if (!runs_plain(self, ops, communicator))
            continue;
        for (guint32 i = 0; i < communicator->n_members; i++) {
            guint64 rank = communicator->ranks[i];
            add_connection(self, kind, rank,
                           communicator_destination(self, communicator, kind, rank));
        }
    }
}

/* --- all-to-alls --- */

static gboolean
is_exchange(const LpCommunicationMap *self, LpGroup group, const GArray *ops)
{
    guint n = lp_communicators_n(self->communicators, group);
    return n > 0 && ops->len > 0 && lp_communicators_get(self->communicators, group, 0)->exchanges;
}

/* Whether pairs of all of its all-to-alls are few enough to be followed one by one. */
static gboolean
are_few_pairs(const LpCommunicationMap *self, const GPtrArray *ops)
{
    double n_pairs = 0.0;
    for (LpGroup group = 0; group < LP_N_GROUPS; group++)
        for (guint k = 0; is_exchange(self, group, ops->pdata[group]) &&
                          k < lp_communicators_n(self->communicators, group);
             k++) {
            double n = lp_communicators_get(self->communicators, group, k)->n_members;
            n_pairs += n * n;
        }
    return n_pairs <= LP_EXCHANGE_PAIRS_MAX;
}

/* Bytes on the wire within domains for each between them. */
static double
near_factor(const LpCommunicationMap *self, const LpCommunicator *communicator, const GArray *ops)
{
    for (guint i = 0; i < ops->len; i++) {
        LpAlgorithmSelection selection =
            lp_rank_layout_selection(self->layout, &g_array_index(ops, LpOp, i), communicator);
        if (!selection.is_scheduled)
            return MAX(selection.protocol->wire_factor[LP_REACH_DOMAIN], 1.0) /
                   MAX(selection.protocol->wire_factor[LP_REACH_FABRIC], 1.0);
    }
    return 1.0;
}

/* Circuits join members for a time, and go their own ways. */
static void
add_exchanges(LpCommunicationMap *self, LpGroup group, const GArray *ops, gboolean by_blocks)
{
    if (!is_exchange(self, group, ops))
        return;
    gboolean has_circuits = lp_network_machine(self->network)->circuits.is_present;
    LpConnection *connections =
        has_circuits ? NULL : self->connections[lp_connection_inter_domain(group)];
    self->exchanges[group] = g_ptr_array_new_with_free_func((GDestroyNotify)lp_exchange_flows_free);
    for (guint k = 0; k < lp_communicators_n(self->communicators, group); k++) {
        const LpCommunicator *communicator = lp_communicators_get(self->communicators, group, k);
        LpExchangeFlows *flows =
            runs_plain(self, ops, communicator)
                ? lp_exchange_flows_new(
                      self->layout, communicator, connections, near_factor(self, communicator, ops),
                      by_blocks || communicator->n_members > LP_EXCHANGE_MEMBERS_MAX)
                : NULL;
        gboolean has_far = flows != NULL && flows->has_far;
        self->is_weighted = self->is_weighted || (flows != NULL && flows->has_weights);
        self->has_pairs = self->has_pairs || has_far;
        self->goes_by_pairs =
            self->goes_by_pairs ||
            (has_far && !lp_rank_layout_sites(self->layout, communicator).is_regular);
        g_ptr_array_add(self->exchanges[group], flows);
    }
}

/* Sends of a step that are worth an actor each. */
#define FEW_SENDS 8

/* Whether members of @communicator have many under way in a step of one of @ops. */
static gboolean
sends_many(const LpCommunicationMap *self, const LpCommunicator *communicator, const GArray *ops)
{
    for (guint i = 0; i < ops->len; i++) {
        const LpOp *op = &g_array_index(ops, LpOp, i);
        LpAlgorithmSelection selection = lp_rank_layout_selection(self->layout, op, communicator);
        LpStepSchedule schedule;
        if (!selection.is_scheduled ||
            lp_library_sends_at_once(lp_rank_layout_library(self->layout, op)) <= FEW_SENDS)
            continue;
        lp_step_schedule_init(&schedule, &selection.shape);
        if (lp_step_schedule_sends_max(&schedule) > FEW_SENDS)
            return TRUE;
    }
    return FALSE;
}

static void
find_many_sends(LpCommunicationMap *self, LpGroup group, const GArray *ops)
{
    guint n = lp_communicators_n(self->communicators, group);
    if (ops->len == 0 || n == 0 || !lp_rank_layout_is_tuned(self->layout, group))
        return;
    for (guint k = 0; k < n && !self->has_many_sends; k++)
        self->has_many_sends =
            sends_many(self, lp_communicators_get(self->communicators, group, k), ops);
}

gboolean
lp_communication_map_is_separate(const LpCommunicationMap *self, LpFidelity fidelity)
{
    if (lp_network_machine(self->network)->circuits.is_present)
        return FALSE;
    return self->has_many_sends || self->goes_by_pairs ||
           (fidelity == LP_FIDELITY_FLOW ? self->is_weighted : self->has_pairs);
}

const LpExchangeFlows *
lp_communication_map_exchange(const LpCommunicationMap *self, const LpCommunicator *communicator)
{
    const GPtrArray *exchanges = self->exchanges[communicator->group];
    return exchanges == NULL
               ? NULL
               : exchanges->pdata[lp_communicators_number(self->communicators, communicator)];
}

double
lp_communication_map_forwarding(const LpCommunicationMap *self, const LpCommunicator *communicator)
{
    const double *forwarding = self->forwarding[communicator->group];
    return forwarding == NULL
               ? 1.0
               : forwarding[lp_communicators_number(self->communicators, communicator)];
}

void
lp_communication_map_set_forwarding(LpCommunicationMap *self, const LpCommunicator *communicator,
                                    double forwarding)
{
    double **all = &self->forwarding[communicator->group];
    guint n = lp_communicators_n(self->communicators, communicator->group);
    if (*all == NULL) {
        *all = g_new(double, n);
        for (guint i = 0; i < n; i++)
            (*all)[i] = 1.0;
    }
    (*all)[lp_communicators_number(self->communicators, communicator)] = forwarding;
}

static void
add_lines(LpCommunicationMap *self)
{
    for (LpPipelineDirection direction = 0; direction < lp_program_n_lines(self->program);
         direction++)
        for (guint64 rank = 0; rank < self->n_ranks; rank++)
            add_connection(self, LP_CONNECTION_MESSAGES + direction, rank,
                           lp_program_message_receiver(self->program, direction, rank));
}

/* Whether a message between stages leaves its domain. */
static gboolean
messages_leave(const LpCommunicationMap *self)
{
    for (LpConnectionKind kind = LP_CONNECTION_MESSAGES; kind < LP_N_CONNECTIONS; kind++) {
        const LpConnection *line = self->connections[kind];
        for (guint64 rank = 0; line != NULL && rank < self->n_ranks; rank++)
            if (line[rank].present && line[rank].attachment == LP_ATTACHMENT_SCALE_OUT)
                return TRUE;
    }
    return FALSE;
}

/* The host's cost of starting @op for all members, where they are checked. */
static double
sum_members(const LpCommunicationMap *self, const LpOp *op)
{
    const LpLibraryStart *start = &lp_rank_layout_library(self->layout, op)->start;
    return (double)self->n_near[op->group] * start->near_s +
           (double)self->n_far[op->group] * start->far_s;
}

double
lp_communication_map_op_host_s(const LpCommunicationMap *self, const LpOp *op)
{
    return self->program->execution.collective_host_s +
           (self->has_checks ? sum_members(self, op) : 0.0);
}

double
lp_communication_map_start_s(const LpCommunicationMap *self, const LpOp *op)
{
    return self->n_far[op->group] > 0 ? sum_members(self, op) : 0.0;
}

static gboolean
is_checked(const LpCommunicationMap *self)
{
    LpCollectiveChecks checks = self->program->execution.checks;
    return checks == LP_COLLECTIVE_CHECKS_YES ||
           (checks == LP_COLLECTIVE_CHECKS_STAGES_SEPARATE && messages_leave(self));
}

/* Of the first communicator, by the domain of its first member. */
static void
count_members(LpCommunicationMap *self, LpGroup group)
{
    if (lp_communicators_n(self->communicators, group) == 0)
        return;
    const LpCommunicator *first = lp_communicators_get(self->communicators, group, 0);
    guint64 own = lp_rank_layout_domain(self->layout, first->ranks[0]);
    for (guint32 i = 0; i < first->n_members; i++)
        self->n_far[group] += lp_rank_layout_domain(self->layout, first->ranks[i]) != own;
    self->n_near[group] = first->n_members - self->n_far[group];
}

static LpCommunicationMap *
new_map(const LpProgram *program, const LpNetwork *network, const LpLibrary *library,
        const LpPlacement *placement, const LpRelayPaths *relays, gboolean is_packet_network,
        GError **error)
{
    g_autoptr(LpCommunicationMap) self = g_new0(LpCommunicationMap, 1);
    self->program = program;
    self->network = network;
    self->communicators = program->communicators;
    self->layout = lp_rank_layout_new(program, network, library, placement, relays);
    self->layout->is_packet_network = is_packet_network;
    self->n_ranks = program->n_ranks;
    self->peers = lp_collective_peers_new(self->n_ranks);
    g_autoptr(GPtrArray) ops = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
    for (LpGroup group = 0; group < LP_N_GROUPS; group++) {
        g_ptr_array_add(ops, lp_program_collectives(program, group));
        if (!add_tuned(self, group, ops->pdata[group], error))
            return NULL;
    }
    for (LpConnectionKind kind = 0; kind < LP_CONNECTION_MESSAGES; kind++)
        add_connections(self, kind, ops->pdata[lp_connection_group(kind)]);
    gboolean by_blocks = !are_few_pairs(self, ops);
    for (LpGroup group = 0; group < LP_N_GROUPS; group++) {
        add_exchanges(self, group, ops->pdata[group], by_blocks);
        find_many_sends(self, group, ops->pdata[group]);
        count_members(self, group);
    }
    add_lines(self);
    /* Groups inside domains pay as well: it is the job whose collectives are checked. */
    self->has_checks = !program->execution.host_is_free && is_checked(self);
    return g_steal_pointer(&self);
}

LpCommunicationMap *
lp_communication_map_new(const LpProgram *program, const LpNetwork *network,
                         const LpLibrary *library, const LpPlacement *placement,
                         const LpRelayPaths *relays, GError **error)
{
    return new_map(program, network, library, placement, relays, FALSE, error);
}

LpCommunicationMap *
lp_communication_map_new_packet_network(const LpCommunicationMap *over, GError **error)
{
    return new_map(over->program, over->network, over->layout->library, over->layout->placement,
                   NULL, TRUE, error);
}

void
lp_communication_map_use_packet_network_on(LpCommunicationMap *self, LpConnectionKind kind,
                                           guint64 rank)
{
    if (self->connections[kind] != NULL)
        self->connections[kind][rank] = self->packet_network->connections[kind][rank];
}

void
lp_communication_map_use_packet_network(LpCommunicationMap *self,
                                        const LpCommunicator *communicator)
{
    LpGroup group = communicator->group;
    if (self->is_packet_network[group] == NULL)
        self->is_packet_network[group] =
            g_new0(gboolean, lp_communicators_n(self->communicators, group));
    self->is_packet_network[group][lp_communicators_number(self->communicators, communicator)] =
        TRUE;
    for (guint32 i = 0; i < communicator->n_members; i++) {
        lp_communication_map_use_packet_network_on(self, (LpConnectionKind)group,
                                                   communicator->ranks[i]);
        if (communicator->exchanges)
            lp_communication_map_use_packet_network_on(self, lp_connection_inter_domain(group),
                                                       communicator->ranks[i]);
    }
    lp_collective_peers_take(self->peers, self->packet_network->peers, communicator);
}

const LpCommunicationMap *
lp_communication_map_of(const LpCommunicationMap *self, const LpCommunicator *communicator,
                        const LpOp *op)
{
    const gboolean *all = self->is_packet_network[communicator->group];
    if (all != NULL && all[lp_communicators_number(self->communicators, communicator)])
        return self->packet_network;
    LpTraffic traffic = lp_group_traits(communicator->group)->traffic;
    gboolean is_small = self->packet_network != NULL &&
                        (double)op->bytes < self->packet_network_below_bytes &&
                        traffic != LP_TRAFFIC_EP &&
                        lp_machine_plane(lp_network_machine(self->network), traffic) == 0;
    return is_small ? self->packet_network : self;
}

void
lp_communication_map_free(LpCommunicationMap *self)
{
    if (self == NULL)
        return;
    for (LpConnectionKind kind = 0; kind < LP_N_CONNECTIONS; kind++)
        g_free(self->connections[kind]);
    for (LpGroup group = 0; group < LP_N_GROUPS; group++) {
        g_free(self->forwarding[group]);
        g_free(self->is_packet_network[group]);
        g_clear_pointer(&self->exchanges[group], g_ptr_array_unref);
    }
    lp_communication_map_free(self->packet_network);
    lp_rank_layout_free(self->layout);
    lp_collective_peers_free(self->peers);
    g_free(self);
}

const LpConnection *
lp_communication_map_connection(const LpCommunicationMap *self, LpConnectionKind kind, guint64 rank)
{
    static const LpConnection absent = {0};
    return self->connections[kind] == NULL ? &absent : &self->connections[kind][rank];
}
