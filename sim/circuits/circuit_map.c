/* SPDX-License-Identifier: Apache-2.0 */
/* Makes maps for machines with circuits and without. */
#include "sim/circuits/circuit_map.h"

#include "base/units.h"
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
