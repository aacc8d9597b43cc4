/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the connections of all ranks and their routes. */
#include "sim/mapping/communication_map.h"

#include "sim/mapping/collective_peers.h"

guint64
lp_communication_map_accelerator(const LpCommunicationMap *self, guint64 rank)
{
    return self->accelerators == NULL ? rank : self->accelerators[rank];
}

static guint64
domain(const LpCommunicationMap *self, guint64 rank)
{
    return lp_machine_domain(lp_network_machine(self->network),
                             lp_communication_map_accelerator(self, rank));
}

gboolean
lp_communication_map_exchanges(const LpCommunicationMap *self, LpGroup group)
{
    if (group == LP_GROUP_CP)
        return self->program->plan.context_kind == LP_CONTEXT_ULYSSES;
    return group == LP_GROUP_EP || group == LP_GROUP_EP_NODE || group == LP_GROUP_EP_RAIL;
}

LpConnectionKind
lp_connection_inter_domain(LpGroup group)
{
    return (LpConnectionKind)(LP_CONNECTION_INTER_CP + (group - LP_GROUP_CP));
}

LpGroup
lp_connection_group(LpConnectionKind kind)
{
    if (kind < LP_CONNECTION_INTER_CP)
        return (LpGroup)kind;
    return kind < LP_CONNECTION_LINE ? (LpGroup)(LP_GROUP_CP + (kind - LP_CONNECTION_INTER_CP))
                                     : LP_N_GROUPS;
}

/* --- how groups stand --- */

static guint64
member_accelerator(const LpCommunicationMap *self, LpGroup group, guint64 rank, guint64 member)
{
    return lp_communication_map_accelerator(
        self, lp_program_group_member(self->program, group, rank, member));
}

/* Members in a row, from the first on, that stand in one block of @span domains; 0 unless all are
 * in blocks of as many, each in one piece. */
static guint64
regular_block(const LpCommunicationMap *self, LpGroup group, guint64 rank, guint64 n, guint64 span)
{
    const LpProgram *program = self->program;
    guint64 first = domain(self, lp_program_group_member(program, group, rank, 0)) / span;
    guint64 size = 1;
    while (size < n &&
           domain(self, lp_program_group_member(program, group, rank, size)) / span == first)
        size++;
    if (n % size != 0)
        return 0;
    g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
    for (guint64 k = 0, head = 0; k < n; k++) {
        guint64 own = domain(self, lp_program_group_member(program, group, rank, k)) / span;
        gboolean is_new = k % size != 0 || g_hash_table_add(seen, GSIZE_TO_POINTER(own + 1));
        head = k % size == 0 ? own : head;
        if (own != head || !is_new)
            return 0;
    }
    return size;
}

/* The block of a torus that the members fill in order: whole dimensions from the first on and a
 * part of the next, or a row of one dimension. None otherwise. */
static void
find_dimensions(const LpCommunicationMap *self, LpGroup group, guint64 rank, LpSites *sites)
{
    const LpMachine *machine = lp_network_machine(self->network);
    const LpTorus *torus = &machine->cluster[LP_ATTACHMENT_SCALE_OUT].torus;
    guint64 n = sites->n_members;
    if (!machine->has_scale_out || torus->n_dimensions == 0 || machine->domain_size != 1 || n < 2)
        return;
    guint64 first = member_accelerator(self, group, rank, 0);
    guint64 stride = member_accelerator(self, group, rank, 1) - first;
    for (guint64 i = 1; i < n; i++)
        if (member_accelerator(self, group, rank, i) != first + i * stride)
            return;
    guint64 below = 1, left = n;
    guint32 dimension = 0;
    while (dimension < torus->n_dimensions && below < stride)
        below *= torus->size[dimension++];
    if (below != stride)
        return;
    for (; dimension < torus->n_dimensions && left > 1 && sites->n_dimensions < LP_LEVELS_MAX;
         dimension++) {
        guint64 size = MIN(left, torus->size[dimension]);
        if (left % size != 0 ||
            first / below % torus->size[dimension] + size > torus->size[dimension])
            break;
        sites->dimension[sites->n_dimensions++] = size;
        below *= torus->size[dimension];
        left /= size;
    }
    if (left > 1)
        sites->n_dimensions = 0;
}

static LpSites
find_sites(const LpCommunicationMap *self, LpGroup group, guint64 rank)
{
    LpSites sites = {.n_members = lp_program_group_size(self->program, group)};
    const LpMachine *on = lp_network_machine(self->network);
    sites.on_torus =
        on->has_scale_out && on->cluster[LP_ATTACHMENT_SCALE_OUT].topology == LP_TOPOLOGY_TORUS;
    find_dimensions(self, group, rank, &sites);
    sites.n_intra = regular_block(self, group, rank, sites.n_members, 1);
    sites.is_regular = sites.n_intra > 0;
    if (!sites.is_regular) {
        sites.n_intra = 1;
        return sites;
    }
    const LpMachine *machine = lp_network_machine(self->network);
    guint64 span = machine->has_scale_out ? lp_machine_span_domains(machine, 0) : 0;
    guint64 leaf = span == 0 ? 0 : regular_block(self, group, rank, sites.n_members, span);
    sites.n_leaf = leaf % sites.n_intra == 0 ? leaf : 0;
    return sites;
}

/* Worked out once a group, and known to all of its members. */
static void
add_sites(LpCommunicationMap *self, LpGroup group)
{
    const LpProgram *program = self->program;
    self->sites[group] = g_new0(LpSites, self->n_ranks);
    for (guint64 rank = 0; rank < self->n_ranks; rank++)
        if (lp_program_has_group(program, group, rank)) {
            guint64 first = lp_program_group_member(program, group, rank, 0);
            if (self->sites[group][first].n_members == 0)
                self->sites[group][first] = find_sites(self, group, first);
            self->sites[group][rank] = self->sites[group][first];
        }
}

LpSites
lp_communication_map_sites(const LpCommunicationMap *self, LpGroup group, guint64 rank)
{
    return self->sites[group] != NULL ? self->sites[group][rank] : find_sites(self, group, rank);
}

/* --- choices --- */

/* Whether anything but rings and rails can be chosen for @group. */
static gboolean
is_tuned(const LpCommunicationMap *self, LpGroup group)
{
    return self->library->n_rules > 0 ||
           self->program->plan.algorithms[lp_algorithm_selection_axis(group)].n_levels > 0;
}

LpAlgorithmSelection
lp_communication_map_choice(const LpCommunicationMap *self, const LpOp *op, guint64 rank)
{
    LpSites sites = {.n_members = lp_program_group_size(self->program, op->group)};
    if (is_tuned(self, op->group))
        sites = lp_communication_map_sites(self, op->group, rank);
    return lp_algorithm_selection_of(self->library, self->program, op, &sites);
}

/* The collectives of @group that differ: a layer's repeat. Returns: (transfer full) LpOp. */
static GArray *
distinct_ops(const LpProgram *program, LpGroup group)
{
    GArray *ops = g_array_new(FALSE, FALSE, sizeof(LpOp));
    for (guint i = 0; i < program->ops->len; i++) {
        const LpOp *op = lp_program_op(program, i);
        gboolean is_new =
            (op->kind == LP_OP_COLLECTIVE || op->kind == LP_OP_LAUNCH) && op->group == group;
        for (guint k = 0; is_new && k < ops->len; k++) {
            const LpOp *known = &g_array_index(ops, LpOp, k);
            is_new = known->collective != op->collective || known->bytes != op->bytes ||
                     known->weight != op->weight;
        }
        if (is_new)
            g_array_append_vals(ops, op, 1);
    }
    return ops;
}

/* Whether any of @ops runs as a ring of neighbours, or along the rails. */
static gboolean
runs_plain(const LpCommunicationMap *self, const GArray *ops, LpGroup group, guint64 rank)
{
    if (!is_tuned(self, group))
        return TRUE;
    for (guint i = 0; i < ops->len; i++)
        if (!lp_communication_map_choice(self, &g_array_index(ops, LpOp, i), rank).is_scheduled)
            return TRUE;
    return FALSE;
}

LpReach
lp_connection_reach(const LpConnection *self)
{
    return self->attachment == LP_ATTACHMENT_SCALE_UP ? LP_REACH_DOMAIN : LP_REACH_FABRIC;
}

/* --- connections --- */

/* The rank that @rank sends to in its group, or G_MAXUINT64. */
static guint64
group_destination(const LpCommunicationMap *self, LpConnectionKind kind, guint64 rank)
{
    const LpProgram *program = self->program;
    LpGroup group = lp_connection_group(kind);
    if (!lp_program_has_group(program, group, rank))
        return G_MAXUINT64;
    guint64 index = lp_program_group_index(program, group, rank);
    if (!lp_communication_map_exchanges(self, group)) {
        guint64 n = lp_program_group_size(program, group);
        return kind >= LP_CONNECTION_INTER_CP
                   ? G_MAXUINT64
                   : lp_program_group_member(program, group, rank, (index + 1) % n);
    }
    LpSites sites = lp_communication_map_sites(self, group, rank);
    gboolean inter = kind >= LP_CONNECTION_INTER_CP;
    if (!sites.is_regular || (inter ? sites.n_intra == sites.n_members : sites.n_intra < 2))
        return G_MAXUINT64;
    guint64 next = inter ? (index + sites.n_intra) % sites.n_members
                         : index - index % sites.n_intra + (index + 1) % sites.n_intra;
    return lp_program_group_member(program, group, rank, next);
}

/* The rank that @rank sends to on @line, or G_MAXUINT64. Only chunks of virtual stages make the
 * line of stages a ring; only DualPipe sends both ways. */
static guint64
line_destination(const LpProgram *program, LpLine line, guint64 rank)
{
    const LpPlan *plan = &program->plan;
    guint32 pp = plan->degree[LP_AXIS_PP];
    guint32 stage = lp_plan_coordinates(plan, rank).at[LP_AXIS_PP];
    gboolean up = line == LP_LINE_FORWARD_UP || line == LP_LINE_BACKWARD_UP;
    gboolean to_next = line == LP_LINE_FORWARD || line == LP_LINE_BACKWARD_UP;
    gboolean at_end = stage == (to_next ? pp - 1 : 0);
    if (pp == 1 || (at_end && plan->virtual_stages == 1) ||
        (up && plan->schedule != LP_SCHEDULE_DUALPIPE))
        return G_MAXUINT64;
    return lp_program_stage_mate(program, rank, (stage + (to_next ? 1 : pp - 1)) % pp);
}

static guint64
destination(const LpCommunicationMap *self, LpConnectionKind kind, guint64 rank)
{
    if (kind >= LP_CONNECTION_LINE)
        return line_destination(self->program, (LpLine)(kind - LP_CONNECTION_LINE), rank);
    return group_destination(self, kind, rank);
}

LpTraffic
lp_connection_traffic(LpConnectionKind kind)
{
    switch (lp_connection_group(kind)) {
    case LP_GROUP_TP:
        return LP_TRAFFIC_TP;
    case LP_GROUP_CP:
        return LP_TRAFFIC_CP;
    case LP_GROUP_EP:
    case LP_GROUP_EP_NODE:
    case LP_GROUP_EP_RAIL:
        return LP_TRAFFIC_EP;
    case LP_GROUP_DP:
    case LP_GROUP_REPLICA:
    case LP_GROUP_EXPERT_DP:
        return LP_TRAFFIC_DP;
    case LP_GROUP_EMBEDDING:
        return LP_TRAFFIC_EMBEDDING;
    case LP_N_GROUPS:
    default:
        return LP_TRAFFIC_PP;
    }
}

LpConnection
lp_communication_map_between(const LpCommunicationMap *self, LpConnectionKind kind, guint64 rank,
                             guint64 to)
{
    guint64 a = lp_communication_map_accelerator(self, rank),
            b = lp_communication_map_accelerator(self, to);
    return (LpConnection){
        .present = TRUE,
        .to = to,
        .attachment = lp_machine_attachment(lp_network_machine(self->network), a, b),
        .route = lp_network_route(self->network, a, b, lp_connection_traffic(kind))};
}

/* Whether every group of a kind can run @ops as it is said to. */
static gboolean
check_choices(const LpCommunicationMap *self, LpGroup group, const GArray *ops, GError **error)
{
    const LpProgram *program = self->program;
    for (guint64 rank = 0; rank < self->n_ranks; rank++) {
        if (!lp_program_has_group(program, group, rank) ||
            lp_program_group_index(program, group, rank) != 0)
            continue;
        for (guint i = 0; i < ops->len; i++)
            if (!lp_algorithm_selection_check(self->library, program, &g_array_index(ops, LpOp, i),
                                              &self->sites[group][rank], error))
                return FALSE;
    }
    return TRUE;
}

static gboolean
add_tuned(LpCommunicationMap *self, LpGroup group, const GArray *ops, GError **error)
{
    if (ops->len == 0 || (!is_tuned(self, group) && !lp_communication_map_exchanges(self, group)))
        return TRUE;
    add_sites(self, group);
    if (!is_tuned(self, group))
        return TRUE;
    if (!check_choices(self, group, ops, error))
        return FALSE;
    lp_collective_peers_add(self->peers, self, group, ops);
    return TRUE;
}

static void
add_connections(LpCommunicationMap *self, LpConnectionKind kind, const GArray *ops)
{
    LpGroup group = lp_connection_group(kind);
    for (guint64 rank = 0; rank < self->n_ranks; rank++) {
        guint64 to = destination(self, kind, rank);
        if (to == G_MAXUINT64 || (group != LP_N_GROUPS && !runs_plain(self, ops, group, rank)))
            continue;
        if (self->connections[kind] == NULL)
            self->connections[kind] = g_new0(LpConnection, self->n_ranks);
        self->connections[kind][rank] = lp_communication_map_between(self, kind, rank, to);
    }
}

/* Whether a message between stages leaves its domain. */
static gboolean
messages_leave(const LpCommunicationMap *self)
{
    const LpConnection *map = self->connections[LP_CONNECTION_LINE + LP_LINE_FORWARD];
    for (guint64 rank = 0; map != NULL && rank < self->n_ranks; rank++)
        if (map[rank].present && map[rank].attachment == LP_ATTACHMENT_SCALE_OUT)
            return TRUE;
    return FALSE;
}

double
lp_communication_map_op_host_s(const LpCommunicationMap *self, const LpOp *op)
{
    double members =
        op->group == LP_GROUP_TP ? (double)lp_program_group_size(self->program, op->group) : 0.0;
    return self->program->collective_host_s + members * self->host.member_s;
}

double
lp_communication_map_message_host_s(const LpCommunicationMap *self)
{
    return self->program->collective_host_s + self->host.message_s;
}

/* Domains that the members of rank 0's group stand in, which stands for all; LP_N_GROUPS: all
 * ranks. */
static guint64
n_domains(const LpCommunicationMap *self, LpGroup group)
{
    const LpMachine *machine = lp_network_machine(self->network);
    g_autofree gboolean *seen = g_new0(gboolean, lp_machine_n_domains(machine));
    gboolean is_all = group == LP_N_GROUPS;
    guint64 n = 0, n_members = is_all ? self->n_ranks : lp_program_group_size(self->program, group);
    for (guint64 i = 0; i < n_members; i++) {
        guint64 rank = is_all ? i : lp_program_group_member(self->program, group, 0, i);
        guint64 own = domain(self, rank);
        n += !seen[own];
        seen[own] = TRUE;
    }
    return n;
}

LpCommunicationMap *
lp_communication_map_new(const LpProgram *program, const LpNetwork *network,
                         const LpLibrary *library, const guint32 *accelerators, GError **error)
{
    g_autoptr(LpCommunicationMap) self = g_new0(LpCommunicationMap, 1);
    self->program = program;
    self->network = network;
    self->library = library;
    self->accelerators = accelerators;
    self->n_ranks = lp_plan_n_ranks(&program->plan);
    self->peers = lp_collective_peers_new(self->n_ranks);
    g_autoptr(GPtrArray) ops = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
    for (LpGroup group = 0; group < LP_N_GROUPS; group++) {
        g_ptr_array_add(ops, distinct_ops(program, group));
        if (!add_tuned(self, group, ops->pdata[group], error))
            return NULL;
    }
    for (LpConnectionKind kind = 0; kind < LP_N_CONNECTIONS; kind++) {
        LpGroup group = lp_connection_group(kind);
        add_connections(self, kind, group == LP_N_GROUPS ? NULL : ops->pdata[group]);
    }
    if (library->n_hosts > 0 && !program->plan.cuda_graphs && messages_leave(self))
        self->host =
            lp_library_host(library, n_domains(self, LP_N_GROUPS), n_domains(self, LP_GROUP_TP));
    return g_steal_pointer(&self);
}

void
lp_communication_map_free(LpCommunicationMap *self)
{
    if (self == NULL)
        return;
    for (LpConnectionKind kind = 0; kind < LP_N_CONNECTIONS; kind++)
        g_free(self->connections[kind]);
    for (LpGroup group = 0; group < LP_N_GROUPS; group++)
        g_free(self->sites[group]);
    lp_collective_peers_free(self->peers);
    g_free(self);
}

const LpConnection *
lp_communication_map_connection(const LpCommunicationMap *self, LpConnectionKind kind, guint64 rank)
{
    static const LpConnection absent = {0};
    return self->connections[kind] == NULL ? &absent : &self->connections[kind][rank];
}
