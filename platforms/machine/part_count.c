/* SPDX-License-Identifier: Apache-2.0 */
/* How many parts a machine has that may fail. */
#include "platforms/machine/part_count.h"

guint64
lp_machine_host_size(const LpMachine *self, guint64 host_size)
{
    return self->domain_size > 1 ? MIN(host_size, self->domain_size) : host_size;
}

static guint64
n_cards(const LpMachine *self)
{
    return self->has_scale_out
               ? lp_machine_n_domains(self) * self->cards_per_domain * self->n_planes
               : 0;
}

/* Nodes of a level: as many as the arities above it say, times the up-links of those below. */
static guint64
n_switches(const LpMachine *self)
{
    const LpCluster *tree = &self->cluster[LP_ATTACHMENT_SCALE_OUT];
    guint64 n = 0;
    if (!self->has_scale_out || self->circuits.is_present || tree->topology != LP_TOPOLOGY_FAT_TREE)
        return 0;
    for (guint32 level = 0; level < tree->n_levels; level++) {
        guint64 of_level = 1;
        for (guint32 i = 0; i < tree->n_levels; i++)
            of_level *= i > level ? tree->down[i] : tree->up[i];
        n += of_level;
    }
    return n * self->n_planes;
}

static guint64
n_circuit_switches(const LpMachine *self)
{
    const LpCircuitSwitch *circuits = &self->circuits;
    if (!circuits->is_present)
        return 0;
    guint64 ports = lp_machine_n_domains(self) * self->cards_per_domain * circuits->n_ports;
    if (circuits->switch_ports > 0)
        return (ports + circuits->switch_ports - 1) / circuits->switch_ports;
    guint64 n_rails = self->rails_relay ? self->cards_per_domain : 1;
    return n_rails * (circuits->scope == LP_CIRCUIT_SCOPE_PLANE ? circuits->n_ports : 1);
}

guint64
lp_machine_part_count(const LpMachine *self, LpGoodputPart part, guint64 host_size)
{
    switch (part) {
    case LP_PART_ACCELERATOR:
        return self->n_accelerators;
    case LP_PART_HOST:
        return self->n_accelerators / lp_machine_host_size(self, host_size);
    case LP_PART_CARD:
    case LP_PART_LINK:
        return n_cards(self);
    case LP_PART_SWITCH:
        return n_switches(self);
    case LP_PART_OCS:
        return n_circuit_switches(self);
    case LP_PART_SOFTWARE:
    case LP_N_PARTS:
        break;
    }
    return 1;
}
