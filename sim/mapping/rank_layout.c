/* SPDX-License-Identifier: Apache-2.0 */
/* The places of communicators in domains, and the algorithms that follow from them. */
#include "sim/mapping/rank_layout.h"

LpConnectionKind
lp_connection_inter_domain(LpGroup group)
{
    return (LpConnectionKind)(LP_CONNECTION_INTER + group);
}

LpGroup
lp_connection_group(LpConnectionKind kind)
{
    if (kind < LP_CONNECTION_INTER)
        return (LpGroup)kind;
    return kind < LP_CONNECTION_MESSAGES ? (LpGroup)(kind - LP_CONNECTION_INTER) : LP_N_GROUPS;
}

LpReach
lp_connection_reach(const LpConnection *self)
{
    return self->attachment == LP_ATTACHMENT_SCALE_UP ? LP_REACH_DOMAIN : LP_REACH_FABRIC;
}

LpTraffic
lp_connection_traffic(LpConnectionKind kind)
{
    LpGroup group = lp_connection_group(kind);
    return group == LP_N_GROUPS ? LP_TRAFFIC_PP : lp_group_traits(group)->traffic;
}

guint64
lp_rank_layout_accelerator(const LpRankLayout *self, guint64 rank)
{
    return lp_placement_accelerator(self->placement, rank);
}

guint64
lp_rank_layout_domain(const LpRankLayout *self, guint64 rank)
{
    return lp_machine_domain(lp_network_machine(self->network),
                             lp_rank_layout_accelerator(self, rank));
}

/* --- how groups stand --- */

static guint64
member_accelerator(const LpRankLayout *self, const LpCommunicator *communicator, guint64 member)
{
    return lp_rank_layout_accelerator(self, communicator->ranks[member]);
}

/* Members in a row, from the first on, that stand in one block of @span domains; 0 unless all are
 * in blocks of as many, each in one piece. */
static guint64
regular_block(const LpRankLayout *self, const LpCommunicator *communicator, guint64 span)
{
    guint64 n = communicator->n_members, size = 1;
    guint64 first = lp_rank_layout_domain(self, communicator->ranks[0]) / span;
    while (size < n && lp_rank_layout_domain(self, communicator->ranks[size]) / span == first)
        size++;
    if (n % size != 0)
        return 0;
    g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
    for (guint64 k = 0, head = 0; k < n; k++) {
        guint64 own = lp_rank_layout_domain(self, communicator->ranks[k]) / span;
        gboolean is_new = k % size != 0 || g_hash_table_add(seen, GSIZE_TO_POINTER(own + 1));
        head = k % size == 0 ? own : head;
        if (own != head || !is_new)
            return 0;
    }
    return size;
}

enum {
    ROWS_MAX = 2 * LP_TORUS_DIMENSIONS_MAX
};

/* The rows of a torus that members stand in: along an axis, so many of them, a step apart. */
typedef struct {
    guint32 axis;
    gint64 step;
    guint64 n;
} Row;

/* The row of members 0, @pitch, 2 @pitch and so on, as far as it goes. */
static Row
find_row(const LpRankLayout *self, const LpCommunicator *communicator, const LpTorus *torus,
         guint64 pitch)
{
    gint64 from[LP_TORUS_DIMENSIONS_MAX], at[LP_TORUS_DIMENSIONS_MAX];
    Row row = {.n = 1};
    lp_torus_coordinates(torus, member_accelerator(self, communicator, 0), from);
    for (guint64 i = pitch; i < communicator->n_members; i += pitch) {
        guint32 n_apart = 0, axis = 0;
        lp_torus_coordinates(torus, member_accelerator(self, communicator, i), at);
        for (guint32 d = 0; d < torus->n_dimensions; d++)
            if (at[d] != from[d]) {
                n_apart++;
                axis = d;
            }
        gint64 apart = at[axis] - from[axis];
        if (row.n == 1)
            row = (Row){axis, apart, 1};
        if (n_apart != 1 || axis != row.axis || apart != (gint64)row.n * row.step)
            break;
        row.n++;
    }
    return row;
}

/* Whether every member stands where its places in the @n_rows rows have it. */
static gboolean
representative(const LpRankLayout *self, const LpCommunicator *communicator, const LpTorus *torus,
               const Row *rows, guint32 n_rows)
{
    gint64 from[LP_TORUS_DIMENSIONS_MAX], at[LP_TORUS_DIMENSIONS_MAX];
    lp_torus_coordinates(torus, member_accelerator(self, communicator, 0), from);
    for (guint64 i = 0; i < communicator->n_members; i++) {
        lp_torus_coordinates(torus, member_accelerator(self, communicator, i), at);
        guint64 left = i;
        for (guint32 k = 0; k < n_rows; k++) {
            at[rows[k].axis] -= (gint64)(left % rows[k].n) * rows[k].step;
            left /= rows[k].n;
        }
        for (guint32 d = 0; d < torus->n_dimensions; d++)
            if (at[d] != from[d])
                return FALSE;
    }
    return TRUE;
}

/* The links that the ring through @n members, @pitch apart, has along its axis: both ways round
 * where it goes once round by ways that nobody could take the other way round. Where members are
 * several links apart, as many groups share them. */
static double
links_of(const LpRankLayout *self, const LpCommunicator *communicator, const LpTorus *torus,
         const Row *first, guint64 pitch, guint64 n)
{
    guint64 sum = 0, most = 0, apart = 0;
    for (guint64 i = 0; i < n; i++) {
        guint64 hops = lp_torus_hops(torus, member_accelerator(self, communicator, i * pitch),
                                     member_accelerator(self, communicator, (i + 1) % n * pitch));
        sum += hops;
        most = MAX(most, hops);
        apart = i + 1 < n ? most : apart;
    }
    gboolean goes_round = n > 2 && sum == torus->size[first->axis] && 2 * most < sum;
    return (goes_round ? 2.0 : 1.0) / (double)MAX(apart, 1);
}

/* The block of a torus that the members fill in order: rows of rows. Rows of one axis that follow
 * each other are one dimension. None where they do not fill one. */
static void
find_dimensions(const LpRankLayout *self, const LpCommunicator *communicator, LpSites *sites)
{
    const LpMachine *machine = lp_network_machine(self->network);
    const LpTorus *torus = &machine->cluster[LP_ATTACHMENT_SCALE_OUT].torus;
    guint64 n = sites->n_members, pitch = 1;
    Row rows[ROWS_MAX];
    guint32 n_rows = 0;
    if (!machine->has_scale_out || torus->n_dimensions == 0 || machine->domain_size != 1)
        return;
    for (; pitch < n; pitch *= rows[n_rows++].n) {
        if (n_rows == ROWS_MAX)
            return;
        rows[n_rows] = find_row(self, communicator, torus, pitch);
        if (rows[n_rows].n == 1 || n / pitch % rows[n_rows].n != 0)
            return;
    }
    if (!representative(self, communicator, torus, rows, n_rows))
        return;
    pitch = 1;
    for (guint32 i = 0, end = 0; i < n_rows; i = end) {
        guint64 size = 1;
        for (end = i; end < n_rows && rows[end].axis == rows[i].axis; end++)
            size *= rows[end].n;
        if (sites->n_dimensions == LP_TORUS_DIMENSIONS_MAX) {
            sites->n_dimensions = 0;
            return;
        }
        sites->links[sites->n_dimensions] =
            links_of(self, communicator, torus, &rows[i], pitch, size);
        sites->dimension[sites->n_dimensions++] = size;
        pitch *= size;
    }
}

/* Whether the members are all ports of the torus, in their order. */
static gboolean
fills_torus(const LpRankLayout *self, const LpCommunicator *communicator)
{
    const LpMachine *machine = lp_network_machine(self->network);
    guint64 n = communicator->n_members;
    if (self->crossings == NULL || machine->domain_size != 1 ||
        n != lp_torus_n_ports(self->ways.torus))
        return FALSE;
    for (guint64 i = 0; i < n; i++)
        if (member_accelerator(self, communicator, i) != i)
            return FALSE;
    return TRUE;
}

/* Whether an all-to-all goes over pods' own network and over the one between pods: then there is no
 * next domain that a member could send all its bytes to. */
static gboolean
mixes_pods(const LpRankLayout *self, const LpCommunicator *communicator, guint64 n_intra)
{
    guint32 pod = lp_network_machine(self->network)->pod_domains;
    if (pod == 0 || !communicator->exchanges)
        return FALSE;
    guint64 block = regular_block(self, communicator, pod);
    return block != communicator->n_members && block != n_intra;
}

static LpSites
find_sites(const LpRankLayout *self, const LpCommunicator *communicator)
{
    LpSites sites = {.n_members = communicator->n_members};
    const LpMachine *on = lp_network_machine(self->network);
    sites.on_torus =
        on->has_scale_out && on->cluster[LP_ATTACHMENT_SCALE_OUT].topology == LP_TOPOLOGY_TORUS;
    sites.has_circuits = on->circuits.is_present;
    find_dimensions(self, communicator, &sites);
    if (fills_torus(self, communicator))
        sites.ways = &self->ways;
    /* A double tree, the widest that libraries choose, has six neighbours. */
    sites.few_circuits = on->circuits.is_present && (lp_circuit_switch_n_lanes(&on->circuits) < 6 ||
                                                     lp_circuit_switch_is_hybrid(&on->circuits));
    sites.n_intra = regular_block(self, communicator, 1);
    sites.is_regular = sites.n_intra > 0;
    sites.in_pair =
        communicator->n_members == 2 &&
        lp_pcie_host_has_bridge(&on->pcie_host, member_accelerator(self, communicator, 0),
                                member_accelerator(self, communicator, 1));
    if (!sites.is_regular || mixes_pods(self, communicator, sites.n_intra)) {
        sites.n_pod = sites.is_regular ? regular_block(self, communicator, on->pod_domains) : 0;
        sites.is_regular = FALSE;
        sites.n_intra = 1;
        return sites;
    }
    const LpMachine *machine = lp_network_machine(self->network);
    guint64 span = machine->has_scale_out ? lp_machine_span_domains(machine, 0) : 0;
    if (machine->pod_domains > 0)
        span = machine->pod_domains;
    guint64 leaf = span == 0 ? 0 : regular_block(self, communicator, span);
    sites.n_leaf = leaf % sites.n_intra == 0 ? leaf : 0;
    return sites;
}

void
lp_rank_layout_find_sites(LpRankLayout *self, LpGroup group)
{
    guint n = lp_communicators_n(self->communicators, group);
    self->sites[group] = g_new(LpSites, n);
    for (guint i = 0; i < n; i++)
        self->sites[group][i] =
            find_sites(self, lp_communicators_get(self->communicators, group, i));
}

LpSites
lp_rank_layout_sites(const LpRankLayout *self, const LpCommunicator *communicator)
{
    const LpSites *known = self->sites[communicator->group];
    return known != NULL ? known[lp_communicators_number(self->communicators, communicator)]
                         : find_sites(self, communicator);
}

/* --- algorithms --- */

static gboolean
exchanges_in_torus(const LpRankLayout *self, LpGroup group)
{
    return lp_network_machine(self->network)->cluster[LP_ATTACHMENT_SCALE_OUT].topology ==
               LP_TOPOLOGY_TORUS &&
           lp_communicators_get(self->communicators, group, 0)->exchanges;
}

/* Whether anything but rings and rails can be selected for @group. */
gboolean
lp_rank_layout_is_tuned(const LpRankLayout *self, LpGroup group)
{
    if (lp_communicators_n(self->communicators, group) == 0)
        return FALSE;
    const LpCommunicator *first = lp_communicators_get(self->communicators, group, 0);
    return self->library->n_rules > 0 || self->library->mix != NULL ||
           exchanges_in_torus(self, group) || first->algorithms.n_levels > 0 || first->broadcasts;
}

const LpLibrary *
lp_rank_layout_library(const LpRankLayout *self, const LpOp *op)
{
    LpTraffic traffic = lp_group_traits(op->group)->traffic;
    return lp_library_for(self->library, op->collective, traffic, op->bytes);
}

LpAlgorithmSelection
lp_rank_layout_selection(const LpRankLayout *self, const LpOp *op,
                         const LpCommunicator *communicator)
{
    LpSites sites = {.n_members = communicator->n_members};
    if (lp_rank_layout_is_tuned(self, communicator->group))
        sites = lp_rank_layout_sites(self, communicator);
    return lp_algorithm_selection_of(lp_rank_layout_library(self, op), communicator, op, &sites);
}

/* Domains that members stand in. */
static guint64
n_domains(const LpRankLayout *self, const LpCommunicator *communicator)
{
    LpSites sites = lp_rank_layout_sites(self, communicator);
    if (sites.is_regular)
        return communicator->n_members / sites.n_intra;
    g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
    for (guint32 i = 0; i < communicator->n_members; i++)
        g_hash_table_add(
            seen, GUINT_TO_POINTER((guint)lp_rank_layout_domain(self, communicator->ranks[i])));
    return g_hash_table_size(seen);
}

double
lp_rank_layout_measured_s(const LpRankLayout *self, const LpOp *op,
                          const LpCommunicator *communicator, LpMeasuredSource *out_source)
{
    const LpLibrary *library = lp_rank_layout_library(self, op);
    if (library->n_measured == 0)
        return 0.0;
    return lp_library_measured_s(library, op->collective, op->bytes, communicator->n_members,
                                 n_domains(self, communicator), out_source);
}

/* --- connections --- */

static LpRoute
route_of(const LpRankLayout *self, guint64 a, guint64 b, LpTraffic traffic)
{
    const LpMachine *machine = lp_network_machine(self->network);
    if (self->relays != NULL)
        return lp_relay_paths_route(self->relays, a, b, traffic);
    if (self->is_packet_network && lp_machine_plane(machine, traffic) == 0 &&
        lp_machine_attachment(machine, a, b) == LP_ATTACHMENT_SCALE_OUT)
        return lp_network_packet_route(self->network, a, b);
    return lp_network_route(self->network, a, b, traffic);
}

LpConnection
lp_rank_layout_connect(const LpRankLayout *self, LpConnectionKind kind, guint64 rank, guint64 to)
{
    guint64 a = lp_rank_layout_accelerator(self, rank), b = lp_rank_layout_accelerator(self, to);
    LpTraffic traffic = lp_connection_traffic(kind);
    return (LpConnection){.present = TRUE,
                          .to = to,
                          .attachment =
                              lp_machine_attachment(lp_network_machine(self->network), a, b),
                          .route = route_of(self, a, b, traffic)};
}

/* Once, since they are those of all pairs of ports. */
static void
find_ways(LpRankLayout *self)
{
    const LpTorus *torus =
        &lp_network_machine(self->network)->cluster[LP_ATTACHMENT_SCALE_OUT].torus;
    for (LpGroup group = 0; torus->n_dimensions > 0 && group < LP_N_GROUPS; group++)
        if (self->crossings == NULL && lp_communicators_n(self->communicators, group) > 0 &&
            exchanges_in_torus(self, group))
            self->crossings = lp_torus_crossings(torus);
    self->ways = (LpTorusPaths){torus, self->crossings};
}

LpRankLayout *
lp_rank_layout_new(const LpProgram *program, const LpNetwork *network, const LpLibrary *library,
                   const LpPlacement *placement, const LpRelayPaths *relays)
{
    LpRankLayout *self = g_new0(LpRankLayout, 1);
    self->program = program;
    self->communicators = program->communicators;
    self->network = network;
    self->library = library;
    self->placement = placement;
    self->relays = relays;
    find_ways(self);
    return self;
}

void
lp_rank_layout_free(LpRankLayout *self)
{
    if (self == NULL)
        return;
    for (LpGroup group = 0; group < LP_N_GROUPS; group++)
        g_free(self->sites[group]);
    g_free(self->crossings);
    g_free(self);
}
