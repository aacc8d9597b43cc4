/* SPDX-License-Identifier: Apache-2.0 */
/* Makes maps for machines with circuits and without. */
#include "sim/circuits/circuit_map.h"

#include "sim/circuits/fixed_circuits.h"

/* Circuits that never change become routes of their own. */
static gboolean
fix(LpCircuitMap *self, const LpProgram *program, const LpNetwork *network,
    const LpLibrary *library, const LpPlacement *placement, GError **error)
{
    self->fixed = lp_fixed_circuits_new(self->switched, error);
    if (self->fixed == NULL)
        return FALSE;
    g_clear_pointer(&self->switched, lp_circuit_plan_free);
    g_clear_pointer(&self->map, lp_communication_map_free);
    self->map = lp_communication_map_new(program, network, library, placement, self->fixed, error);
    return self->map != NULL;
}

LpCircuitMap *
lp_circuit_map_new(const LpProgram *program, const LpNetwork *network, const LpLibrary *library,
                   const LpPlacement *placement, GError **error)
{
    const LpCircuitSwitch *circuits = &lp_network_machine(network)->circuits;
    g_autoptr(LpCircuitMap) self = g_new0(LpCircuitMap, 1);
    self->map = lp_communication_map_new(program, network, library, placement, NULL, error);
    if (self->map == NULL)
        return NULL;
    if (!circuits->is_present)
        return g_steal_pointer(&self);
    self->switched = lp_circuit_plan_new(self->map, error);
    if (self->switched == NULL)
        return NULL;
    self->description = lp_circuit_plan_describe(self->switched);
    if (lp_circuit_switch_is_fixed(circuits) &&
        !fix(self, program, network, library, placement, error))
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
