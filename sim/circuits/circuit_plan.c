/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the circuits that communicators and messages between stages want. */
#include "sim/circuits/circuit_plan.h"

#include "sim/simulation_error.h"

#include <math.h>

static LpCircuit *
circuit(const LpCircuitPlan *self, guint32 index)
{
    return &g_array_index(self->circuits, LpCircuit, index);
}

static LpCircuitPattern *
last_pattern(const LpCircuitPlan *self)
{
    return &g_array_index(self->patterns, LpCircuitPattern, self->patterns->len - 1);
}

const LpCircuit *
lp_circuit_plan_circuit(const LpCircuitPlan *self, guint32 index)
{
    return circuit(self, index);
}

const LpCircuitPattern *
lp_circuit_plan_pattern(const LpCircuitPlan *self, guint32 index)
{
    return &g_array_index(self->patterns, LpCircuitPattern, index);
}

const guint32 *
lp_circuit_plan_circuits_of(const LpCircuitPlan *self, const LpCircuitPattern *pattern)
{
    return &g_array_index(self->pattern_circuits, guint32, pattern->first_circuit);
}

const guint32 *
lp_circuit_plan_ranks_of(const LpCircuitPlan *self, const LpCircuitPattern *pattern)
{
    return &g_array_index(self->pattern_ranks, guint32, pattern->first_rank);
}

const LpCircuitUse *
lp_circuit_plan_use(const LpCircuitPlan *self, const LpCommunicator *communicator)
{
    return &self->uses[communicator->group]
                      [lp_communicators_number(self->map->communicators, communicator)];
}

/* --- circuits --- */

static const LpMachine *
machine_of(const LpCircuitPlan *self)
{
    return lp_network_machine(self->map->network);
}

/* Two attachments and a number of lanes as one key; 0 is none. */
static gpointer
key_of(guint64 a, guint64 b, guint64 lanes)
{
    return GSIZE_TO_POINTER(((MIN(a, b) << 28 | MAX(a, b)) << 7 | lanes) + 1);
}
G_STATIC_ASSERT(LP_MACHINE_HOSTS_MAX <= 1u << 28 && LP_CIRCUIT_LANES_MAX < 1u << 7);

static guint32
find_circuit(LpCircuitPlan *self, guint32 a, guint32 b, guint32 n_lanes)
{
    gpointer key = key_of(a, b, n_lanes), value = NULL;
    if (g_hash_table_lookup_extended(self->by_ends, key, NULL, &value))
        return GPOINTER_TO_UINT(value);
    LpCircuit made = {{MIN(a, b), MAX(a, b)}, n_lanes};
    guint32 none = LP_CIRCUIT_NONE;
    g_array_append_val(self->circuits, made);
    g_array_append_val(self->last_pattern, none);
    g_hash_table_insert(self->by_ends, key, GUINT_TO_POINTER(self->circuits->len - 1));
    return self->circuits->len - 1;
}

/* Adds the circuit to the pattern at hand, once. */
static void
add_circuit(LpCircuitPlan *self, guint32 a, guint32 b, guint32 n_lanes)
{
    guint32 index = find_circuit(self, a, b, n_lanes);
    guint32 *in_pattern = &g_array_index(self->last_pattern, guint32, index);
    if (*in_pattern == self->patterns->len - 1)
        return;
    *in_pattern = self->patterns->len - 1;
    g_array_append_val(self->pattern_circuits, index);
    last_pattern(self)->n_circuits++;
}

static void
begin_pattern(LpCircuitPlan *self, LpTraffic traffic, double bytes, double n_uses)
{
    LpCircuitPattern pattern = {.first_circuit = self->pattern_circuits->len,
                                .first_rank = self->pattern_ranks->len,
                                .traffic = traffic,
                                .cap_bytes_per_s = INFINITY,
                                .bytes = bytes,
                                .n_uses = n_uses};
    g_array_append_val(self->patterns, pattern);
}

static void
add_rank(LpCircuitPlan *self, guint32 rank)
{
    g_array_append_val(self->pattern_ranks, rank);
    last_pattern(self)->n_ranks++;
}

/* The attachments at the ends of the circuit from rank @from to rank @to: where rails never meet,
 * the domain has brought the bytes to @to's rail first. */
static gboolean
find_ends(const LpCircuitPlan *self, guint64 from, guint64 to, guint32 *out_ends)
{
    const LpMachine *machine = machine_of(self);
    guint64 a = lp_rank_layout_accelerator(self->map->layout, from);
    guint64 b = lp_rank_layout_accelerator(self->map->layout, to);
    if (lp_machine_attachment(machine, a, b) == LP_ATTACHMENT_SCALE_UP)
        return FALSE;
    out_ends[0] =
        (guint32)lp_machine_port(machine, lp_machine_relay(machine, a, b), LP_ATTACHMENT_SCALE_OUT);
    out_ends[1] = (guint32)lp_machine_port(machine, b, LP_ATTACHMENT_SCALE_OUT);
    return out_ends[0] != out_ends[1];
}

/* --- communicators --- */

const char *
lp_circuit_plan_traffic_name(LpTraffic traffic)
{
    return traffic == LP_TRAFFIC_EMBEDDING ? "tied embeddings" : lp_plane_class_names[traffic];
}

/* Lanes that the pattern at hand takes of the attachment where it takes most. */
static guint32
pattern_degree(const LpCircuitPlan *self, guint32 *out_attachment)
{
    const LpCircuitPattern *pattern = last_pattern(self);
    const guint32 *circuits = lp_circuit_plan_circuits_of(self, pattern);
    g_autoptr(GHashTable) degrees = g_hash_table_new(NULL, NULL);
    guint32 most = 0;
    for (guint32 i = 0; i < pattern->n_circuits; i++)
        for (guint end = 0; end < 2; end++) {
            const LpCircuit *one = circuit(self, circuits[i]);
            gpointer key = GUINT_TO_POINTER(one->end[end] + 1);
            guint32 degree = GPOINTER_TO_UINT(g_hash_table_lookup(degrees, key)) + one->n_lanes;
            g_hash_table_insert(degrees, key, GUINT_TO_POINTER(degree));
            if (degree > most) {
                most = degree;
                *out_attachment = one->end[end];
            }
        }
    return most;
}

/* Each circuit of the pattern at hand takes @n_times as many lanes. */
static void
take_lanes(LpCircuitPlan *self, guint32 n_times)
{
    LpCircuitPattern *pattern = last_pattern(self);
    guint32 *circuits = &g_array_index(self->pattern_circuits, guint32, pattern->first_circuit);
    for (guint32 i = 0; i < pattern->n_circuits; i++) {
        LpCircuit one = *circuit(self, circuits[i]);
        circuits[i] = find_circuit(self, one.end[0], one.end[1], one.n_lanes * n_times);
    }
}

/* Wavelengths of rates of their own: each circuit of the pattern at hand, which takes @degree lanes
 * of an attachment, takes as many times as many as there are. */
static void
widen(LpCircuitPlan *self, guint32 degree)
{
    double rate = machine_of(self)->circuits.wavelength_bytes_per_s;
    LpCircuitPattern *pattern = last_pattern(self);
    pattern->cap_bytes_per_s = INFINITY;
    if (rate <= 0.0 || degree == 0 || degree > self->n_lanes)
        return;
    guint32 n_times = self->n_lanes / degree;
    if (n_times > 1)
        take_lanes(self, n_times);
    pattern->cap_bytes_per_s = rate * n_times * (pattern->is_line ? 1 : degree);
}

static void
add_connection_circuit(LpCircuitPlan *self, guint64 rank, const LpConnection *connection)
{
    guint32 ends[2];
    if (connection->present && find_ends(self, rank, connection->to, ends))
        add_circuit(self, ends[0], ends[1], 1);
}

/* Whatever its collectives send to: neighbours of rings, and those of scheduled algorithms. */
static void
add_member_circuits(LpCircuitPlan *self, const LpCommunicator *communicator, guint64 rank)
{
    const GArray *peers = lp_collective_peers_get(self->map->peers, communicator->group, rank);
    add_connection_circuit(
        self, rank,
        lp_communication_map_connection(self->map, (LpConnectionKind)communicator->group, rank));
    for (guint i = 0; peers != NULL && i < peers->len; i++)
        add_connection_circuit(self, rank, &g_array_index(peers, LpCollectivePeer, i).connection);
}

/* An all-to-all keeps to the places in domains where they are regular; otherwise all pairs meet. */
static void
add_exchange(LpCircuitPlan *self, const LpCommunicator *communicator, LpCircuitUse *use,
             LpTrafficCount count)
{
    LpSites sites = lp_rank_layout_sites(self->map->layout, communicator);
    guint64 intra = sites.is_regular ? sites.n_intra : 1;
    guint32 n = (guint32)(communicator->n_members / intra);
    if (n < 2)
        return;
    const LpMachine *machine = machine_of(self);
    LpExchangePlan plan = lp_exchange_plan_choose(
        n, self->n_lanes, count.bytes / MAX(count.n_uses, 1.0),
        lp_machine_link_bytes_per_s(machine, LP_ATTACHMENT_SCALE_OUT), &machine->circuits);
    *use = (LpCircuitUse){self->patterns->len, plan.n_rounds, plan.exchange, plan.forwarding};
    LpTraffic traffic = lp_group_traits(communicator->group)->traffic;
    for (guint32 round = 0; round < plan.n_rounds; round++) {
        begin_pattern(self, traffic, count.bytes / plan.n_rounds, count.n_uses);
        for (guint32 i = 0; i < communicator->n_members; i++) {
            guint32 domain = (guint32)(i / intra), peer = 0;
            for (guint32 k = 0; lp_exchange_plan_peer(&plan, round, domain, k, &peer); k++) {
                guint32 ends[2];
                guint64 to = peer * intra + i % intra;
                if (peer != domain &&
                    find_ends(self, communicator->ranks[i], communicator->ranks[to], ends))
                    add_circuit(self, ends[0], ends[1], 1);
            }
            add_rank(self, communicator->ranks[i]);
        }
        guint32 attachment = 0;
        widen(self, pattern_degree(self, &attachment));
    }
}

static void
add_collectives(LpCircuitPlan *self, const LpCommunicator *communicator, LpCircuitUse *use,
                LpTrafficCount count)
{
    begin_pattern(self, lp_group_traits(communicator->group)->traffic, count.bytes, count.n_uses);
    for (guint32 i = 0; i < communicator->n_members; i++) {
        add_member_circuits(self, communicator, communicator->ranks[i]);
        add_rank(self, communicator->ranks[i]);
    }
    if (last_pattern(self)->n_circuits > 0) {
        *use = (LpCircuitUse){self->patterns->len - 1, 1, LP_CIRCUIT_EXCHANGE_DIRECT, 1.0};
        return;
    }
    g_array_set_size(self->pattern_ranks, last_pattern(self)->first_rank);
    g_array_set_size(self->patterns, self->patterns->len - 1);
}

/* Checks that there are lanes enough for the rings of @communicator. If every attachment has one
 * peer, that is its neighbour on both sides of a ring, of two members or of rails between two
 * domains, and all such groups take the same two lanes. */
static gboolean
check_degree(LpCircuitPlan *self, const LpCommunicator *communicator, GError **error)
{
    guint32 attachment = 0, degree = pattern_degree(self, &attachment);
    if (degree == 1 && self->n_lanes > 1) {
        take_lanes(self, 2);
        degree = 2;
    }
    widen(self, degree);
    if (degree <= self->n_lanes)
        return TRUE;
    g_set_error(error, LP_SIMULATION_ERROR, LP_SIMULATION_ERROR_CIRCUITS,
                "circuits: %s traffic of %u members wants %u lanes of attachment %u, and cannot be "
                "routed over the %u it has: wanted more circuit-ports or wavelengths, or another "
                "algorithm",
                lp_circuit_plan_traffic_name(lp_group_traits(communicator->group)->traffic),
                communicator->n_members, degree, attachment, self->n_lanes);
    return FALSE;
}

/* Whether any collective of @group is large enough for a hybrid's circuits. */
static gboolean
has_large(const LpCircuitPlan *self, LpGroup group)
{
    g_autoptr(GArray) ops = lp_program_collectives(self->map->program, group);
    for (guint i = 0; i < ops->len; i++)
        if ((double)g_array_index(ops, LpOp, i).bytes >=
            machine_of(self)->circuits.message_min_bytes)
            return TRUE;
    return FALSE;
}

/* Whether all that @communicator does between domains can go over circuits: a hybrid steers its
 * class there, and its members stand in one region. Experts have circuits of their own there. */
static gboolean
is_planned(const LpCircuitPlan *self, const LpCommunicator *communicator)
{
    const LpMachine *machine = machine_of(self);
    LpTraffic traffic = lp_group_traits(communicator->group)->traffic;
    if (!lp_circuit_switch_is_hybrid(&machine->circuits))
        return TRUE;
    if (lp_machine_plane(machine, traffic) != 0 || traffic == LP_TRAFFIC_EP ||
        !has_large(self, communicator->group))
        return FALSE;
    guint64 first = lp_rank_layout_accelerator(self->map->layout, communicator->ranks[0]);
    for (guint32 i = 1; i < communicator->n_members; i++)
        if (!lp_machine_circuits_join(
                machine, first,
                lp_rank_layout_accelerator(self->map->layout, communicator->ranks[i])))
            return FALSE;
    return TRUE;
}

static gboolean
add_communicator(LpCircuitPlan *self, const LpCommunicator *communicator, LpCircuitUse *use,
                 GError **error)
{
    guint64 first = communicator->ranks[0];
    LpTrafficCount count =
        self->traffic[lp_program_rank_stage(self->map->program, first)].group[communicator->group];
    *use = (LpCircuitUse){LP_CIRCUIT_NONE, 1, LP_CIRCUIT_EXCHANGE_DIRECT, 1.0};
    if (count.n_uses <= 0.0 || !is_planned(self, communicator))
        return TRUE;
    guint n_before = self->patterns->len;
    if (communicator->exchanges)
        add_exchange(self, communicator, use, count);
    else
        add_collectives(self, communicator, use, count);
    return self->patterns->len == n_before || communicator->exchanges ||
           check_degree(self, communicator, error);
}

/* --- messages between stages --- */

static gboolean
is_line_planned(const LpCircuitPlan *self, guint64 from, guint64 to, LpTrafficCount count)
{
    const LpMachine *machine = machine_of(self);
    const LpRankLayout *layout = self->map->layout;
    return !lp_circuit_switch_is_hybrid(&machine->circuits) ||
           (lp_machine_plane(machine, LP_TRAFFIC_PP) == 0 &&
            count.bytes >= count.n_uses * machine->circuits.message_min_bytes &&
            lp_machine_circuits_join(machine, lp_rank_layout_accelerator(layout, from),
                                     lp_rank_layout_accelerator(layout, to)));
}

/* Whether ranks may send on to others than those that send to them. */
static gboolean
has_ways(const LpProgram *program)
{
    return program->given != NULL || program->pipeline.n_stages > 2;
}

static void
add_direction(LpCircuitPlan *self, LpPipelineDirection direction, guint64 rank)
{
    const LpConnection *connection =
        lp_communication_map_connection(self->map, LP_CONNECTION_MESSAGES + direction, rank);
    LpTrafficCount count =
        self->traffic[lp_program_rank_stage(self->map->program, rank)].direction[direction];
    guint32 ends[2];
    if (!connection->present || count.n_uses <= 0.0 ||
        !is_line_planned(self, rank, connection->to, count) ||
        !find_ends(self, rank, connection->to, ends))
        return;
    gpointer key = key_of(rank, connection->to, 0), value = NULL;
    if (!g_hash_table_lookup_extended(self->by_ranks, key, NULL, &value)) {
        begin_pattern(self, LP_TRAFFIC_PP, 0.0, 0.0);
        last_pattern(self)->is_line = TRUE;
        add_circuit(self, ends[0], ends[1], 1);
        widen(self, has_ways(self->map->program) && self->n_lanes > 1 ? 2 : 1);
        add_rank(self, (guint32)rank);
        add_rank(self, (guint32)connection->to);
        value = GUINT_TO_POINTER(self->patterns->len - 1);
        g_hash_table_insert(self->by_ranks, key, value);
    }
    self->direction_pattern[direction][rank] = GPOINTER_TO_UINT(value);
    LpCircuitPattern *pattern =
        &g_array_index(self->patterns, LpCircuitPattern, GPOINTER_TO_UINT(value));
    pattern->bytes += count.bytes;
    pattern->n_uses += count.n_uses;
}

/* --- all --- */

LpCircuitPlan *
lp_circuit_plan_new(const LpCommunicationMap *map, GError **error)
{
    const LpMachine *machine = lp_network_machine(map->network);
    g_autoptr(LpCircuitPlan) self = g_new0(LpCircuitPlan, 1);
    self->map = map;
    self->n_attachments = (guint32)lp_machine_n_ports(machine);
    self->n_lanes = lp_circuit_switch_n_lanes(&machine->circuits);
    self->circuits = g_array_new(FALSE, FALSE, sizeof(LpCircuit));
    self->last_pattern = g_array_new(FALSE, FALSE, sizeof(guint32));
    self->patterns = g_array_new(FALSE, FALSE, sizeof(LpCircuitPattern));
    self->pattern_circuits = g_array_new(FALSE, FALSE, sizeof(guint32));
    self->pattern_ranks = g_array_new(FALSE, FALSE, sizeof(guint32));
    self->traffic = lp_traffic_table_new(map->program);
    self->by_ends = g_hash_table_new(NULL, NULL);
    self->by_ranks = g_hash_table_new(NULL, NULL);
    for (LpGroup group = 0; group < LP_N_GROUPS; group++) {
        guint n = lp_communicators_n(map->communicators, group);
        self->uses[group] = g_new0(LpCircuitUse, n);
        for (guint i = 0; i < n; i++)
            if (!add_communicator(self, lp_communicators_get(map->communicators, group, i),
                                  &self->uses[group][i], error))
                return NULL;
    }
    for (LpPipelineDirection direction = 0; direction < lp_program_n_lines(map->program);
         direction++) {
        self->direction_pattern[direction] = g_new(guint32, map->n_ranks);
        for (guint64 rank = 0; rank < map->n_ranks; rank++) {
            self->direction_pattern[direction][rank] = LP_CIRCUIT_NONE;
            add_direction(self, direction, rank);
        }
    }
    return g_steal_pointer(&self);
}

void
lp_circuit_plan_free(LpCircuitPlan *self)
{
    if (self == NULL)
        return;
    g_array_unref(self->circuits);
    g_array_unref(self->last_pattern);
    g_array_unref(self->patterns);
    g_array_unref(self->pattern_circuits);
    g_array_unref(self->pattern_ranks);
    g_free(self->traffic);
    g_hash_table_unref(self->by_ends);
    g_hash_table_unref(self->by_ranks);
    for (LpGroup group = 0; group < LP_N_GROUPS; group++)
        g_free(self->uses[group]);
    for (LpPipelineDirection direction = 0; direction < LP_N_PIPELINE_DIRECTIONS; direction++)
        g_free(self->direction_pattern[direction]);
    g_free(self);
}

static int
compare_bytes(gconstpointer a, gconstpointer b, gpointer data)
{
    const LpCircuitPlan *self = data;
    guint32 i = *(const guint32 *)a, k = *(const guint32 *)b;
    double first = lp_circuit_plan_pattern(self, i)->bytes;
    double second = lp_circuit_plan_pattern(self, k)->bytes;
    if (first > second || first < second)
        return first > second ? -1 : 1;
    return i < k ? -1 : i > k;
}

GArray *
lp_circuit_plan_by_bytes(const LpCircuitPlan *self)
{
    GArray *order = g_array_new(FALSE, FALSE, sizeof(guint32));
    for (guint32 i = 0; i < self->patterns->len; i++)
        g_array_append_val(order, i);
    g_array_sort_with_data(order, compare_bytes, (gpointer)(guintptr)self);
    return order;
}
