/* SPDX-License-Identifier: Apache-2.0 */
/* Makes maps for machines with circuits and without. */
#include "sim/circuits/circuit_map.h"

#include "base/units.h"
#include "sim/circuits/circuit_plan_text.h"
#include "sim/circuits/expert_regions.h"
#include "sim/circuits/fixed_circuits.h"
#include "sim/circuits/rotor.h"

/* Circuits that never change become routes of their own. */
static gboolean
fix(LpCircuitMap *self, const LpProgram *program, const LpNetwork *network,
    const LpLibrary *library, const LpPlacement *placement, const GArray *failed, GError **error)
{
    self->fixed = lp_fixed_circuits_new(self->switched, failed, error);
    if (self->fixed == NULL)
        return FALSE;
    g_clear_pointer(&self->switched, lp_circuit_plan_free);
    g_clear_pointer(&self->map, lp_communication_map_free);
    self->map = lp_communication_map_new(program, network, library, placement, self->fixed, error);
    return self->map != NULL;
}

static void
limit(LpCommunicationMap *map, LpConnectionKind kind, guint64 rank, double bytes_per_s)
{
    LpConnection *connections = map->connections[kind];
    if (connections != NULL && connections[rank].present &&
        connections[rank].attachment == LP_ATTACHMENT_SCALE_OUT)
        lp_route_limit(&connections[rank].route, bytes_per_s);
}

static void
limit_communicator(LpCircuitMap *self, const LpCommunicator *communicator)
{
    const LpCircuitUse *use = lp_circuit_plan_use(self->switched, communicator);
    if (use->pattern == LP_CIRCUIT_NONE)
        return;
    if (communicator->exchanges)
        lp_communication_map_set_forwarding(self->map, communicator, use->forwarding);
    LpGroup group = communicator->group;
    double cap = lp_circuit_plan_pattern(self->switched, use->pattern)->cap_bytes_per_s;
    for (guint32 i = 0; i < communicator->n_members; i++) {
        guint64 rank = communicator->ranks[i];
        limit(self->map, (LpConnectionKind)group, rank, cap);
        if (communicator->exchanges)
            limit(self->map, lp_connection_inter_domain(group), rank, cap);
        lp_collective_peers_limit(self->map->peers, group, rank, cap);
    }
}

/* Wavelengths have rates of their own, also where a run has no circuits and nothing meets. Beside a
 * hybrid's circuits there is another way. */
static void
limit_connections(LpCircuitMap *self)
{
    const LpCommunicationMap *map = self->map;
    for (LpGroup group = 0; group < LP_N_GROUPS; group++)
        for (guint i = 0; i < lp_communicators_n(map->communicators, group); i++)
            limit_communicator(self, lp_communicators_get(map->communicators, group, i));
    for (LpPipelineDirection direction = 0; direction < lp_program_n_lines(map->program);
         direction++)
        for (guint64 rank = 0; rank < map->n_ranks; rank++) {
            guint32 pattern = self->switched->direction_pattern[direction][rank];
            if (pattern != LP_CIRCUIT_NONE)
                limit(self->map, (LpConnectionKind)(LP_CONNECTION_MESSAGES + direction), rank,
                      lp_circuit_plan_pattern(self->switched, pattern)->cap_bytes_per_s);
        }
}

static gboolean
has_far(const LpCommunicationMap *map, const LpCommunicator *communicator)
{
    guint64 first = lp_rank_layout_domain(map->layout, communicator->ranks[0]);
    for (guint32 i = 1; i < communicator->n_members; i++)
        if (lp_rank_layout_domain(map->layout, communicator->ranks[i]) != first)
            return TRUE;
    return FALSE;
}

/* Finds the networks of @group's traffic on a hybrid. Traffic that is steered to circuits and has
 * none uses the packet network; classes of experts have circuits of their own. */
static void
find_ways(LpCircuitMap *self, LpGroup group)
{
    const LpCommunicationMap *map = self->map;
    for (guint i = 0; i < lp_communicators_n(map->communicators, group); i++) {
        const LpCommunicator *communicator = lp_communicators_get(map->communicators, group, i);
        const LpCircuitUse *use = lp_circuit_plan_use(self->switched, communicator);
        if (use->pattern == LP_CIRCUIT_NONE && has_far(map, communicator))
            lp_communication_map_use_packet_network(self->map, communicator);
        else if (communicator->exchanges)
            lp_communication_map_set_forwarding(self->map, communicator, use->forwarding);
    }
}

/* Finds the networks of all traffic on a hybrid. */
static gboolean
find_all_ways(LpCircuitMap *self, GError **error)
{
    const LpMachine *machine = lp_network_machine(self->map->network);
    LpCommunicationMap *map = self->map;
    map->packet_network = lp_communication_map_new_packet_network(map, error);
    if (map->packet_network == NULL)
        return FALSE;
    map->packet_network_below_bytes = machine->circuits.message_min_bytes;
    for (LpGroup group = 0; group < LP_N_GROUPS; group++) {
        LpTraffic traffic = lp_group_traits(group)->traffic;
        if (traffic != LP_TRAFFIC_EP && lp_machine_plane(machine, traffic) == 0)
            find_ways(self, group);
    }
    for (LpPipelineDirection direction = 0; direction < lp_program_n_lines(map->program);
         direction++)
        for (guint64 rank = 0; rank < map->n_ranks; rank++)
            if (self->switched->direction_pattern[direction][rank] == LP_CIRCUIT_NONE)
                lp_communication_map_use_packet_network_on(map, LP_CONNECTION_MESSAGES + direction,
                                                           rank);
    return TRUE;
}

/* Returns: (transfer full). */
static char *
describe_rotor(const LpMachine *machine)
{
    const LpCircuitSwitch *circuits = &machine->circuits;
    g_autoptr(LpRotor) rotor = lp_rotor_new(
        (guint32)lp_machine_n_ports(machine), (guint32)lp_machine_switch_attachments(machine),
        lp_machine_link_bytes_per_s(machine, LP_ATTACHMENT_SCALE_OUT), circuits);
    g_autofree char *slot = lp_quantity_format(LP_QUANTITY_TIME, circuits->slot_s);
    return g_strdup_printf("a rotor of %" G_GUINT64_FORMAT
                           " attachments with %u lanes each: %u slots of %s a cycle, which carry "
                           "bytes %.4g of the time, over %s",
                           lp_machine_switch_attachments(machine),
                           lp_circuit_switch_n_lanes(circuits), lp_rotor_n_slots(rotor), slot,
                           lp_rotor_duty(rotor),
                           circuits->rotor_hops > 1 ? "up to two circuits" : "one circuit");
}

LpCircuitMap *
lp_circuit_map_new(const LpProgram *program, const LpNetwork *network, const LpLibrary *library,
                   const LpPlacement *placement, const GArray *failed, GError **error)
{
    const LpCircuitSwitch *circuits = &lp_network_machine(network)->circuits;
    g_autoptr(LpCircuitMap) self = g_new0(LpCircuitMap, 1);
    self->map = lp_communication_map_new(program, network, library, placement, NULL, error);
    if (self->map == NULL)
        return NULL;
    if (!circuits->is_present)
        return g_steal_pointer(&self);
    if (lp_circuit_switch_is_rotor(circuits)) {
        self->description = describe_rotor(lp_network_machine(network));
        return g_steal_pointer(&self);
    }
    self->switched = lp_circuit_plan_new(self->map, error);
    if (self->switched == NULL || !lp_expert_regions_check(self->switched, error))
        return NULL;
    self->description = lp_circuit_plan_describe(self->switched);
    if (lp_circuit_switch_is_fixed(circuits) &&
        !fix(self, program, network, library, placement, failed, error))
        return NULL;
    if (self->switched != NULL && lp_circuit_switch_is_hybrid(circuits))
        return find_all_ways(self, error) ? g_steal_pointer(&self) : NULL;
    if (self->switched != NULL)
        limit_connections(self);
    return g_steal_pointer(&self);
}

void
lp_circuit_map_free(LpCircuitMap *self)
{
    if (self == NULL)
        return;
    if (self->switched != NULL)
        lp_circuit_plan_free(self->switched);
    if (self->map != NULL)
        lp_communication_map_free(self->map);
    if (self->fixed != NULL)
        lp_relay_paths_free(self->fixed);
    g_free(self->description);
    g_free(self);
}
