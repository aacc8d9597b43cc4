/* SPDX-License-Identifier: Apache-2.0 */
/* Energy of an iteration's communication, by technology. */
#include "report/energy.h"

#include "platforms/machine/network_parts.h"

#include <string.h>

#define BITS_PER_BYTE 8.0

/* Networks of one technology are one row. */
static void
add(LpEnergy *self, const char *name, double dynamic_j, double static_j)
{
    guint i = 0;
    while (i < self->n && strcmp(self->of[i].name, name) != 0)
        i++;
    if (i == self->n)
        self->of[self->n++] = (LpTechnologyEnergy){.name = name};
    self->of[i].dynamic_j += dynamic_j;
    self->of[i].static_j += static_j;
}

static const char *
name_or(const char *name, LpTechnology medium)
{
    return name[0] != '\0' ? name : lp_technology_names[medium];
}

/* A link of the scale-up network joins an accelerator and a switch. */
static double
n_ends(const LpMachine *machine, LpAttachment attachment, const LpMachineNetwork *network)
{
    if (attachment == LP_ATTACHMENT_SCALE_UP)
        return 2.0 * (double)machine->n_accelerators;
    return (double)(network->count.n_transceivers - network->packet_network.n_transceivers);
}

/* What flows, bytes or not, through the switches of @medium, and the ends of its links. */
static void
add_static(LpEnergy *energy, const LpCluster *cluster, double n_ports, double time_s)
{
    const LpMedium *medium = &cluster->medium;
    if (n_ports > 0.0 && lp_medium_knows(medium, LP_MEDIUM_SWITCH_PORT_POWER))
        add(energy, name_or(medium->switch_technology, cluster->technology), 0.0,
            time_s * medium->number[LP_MEDIUM_SWITCH_PORT_POWER] * n_ports);
}

/* Adds the packet network; the energy of its bits is counted with that of circuits. */
static void
add_beside(LpEnergy *energy, const LpMachine *machine, const LpMachineNetwork *network,
           double time_s)
{
    const LpMedium *medium = &machine->packet_network.medium;
    double n_ports = (double)network->packet_network.n_switch_ports;
    if (lp_medium_knows(medium, LP_MEDIUM_STATIC_POWER))
        add(energy, name_or(medium->link_technology, machine->packet_network.technology), 0.0,
            time_s * medium->number[LP_MEDIUM_STATIC_POWER] *
                (double)network->packet_network.n_transceivers);
    add_static(energy, &machine->packet_network, n_ports, time_s);
}

LpEnergy
lp_energy_find(const LpMachine *machine, const LpLinkTraffic *traffic, double time_s)
{
    LpEnergy energy = {.n = 0};
    LpMachineNetwork network = lp_machine_network(machine);
    for (LpAttachment i = 0; i < LP_N_ATTACHMENTS; i++) {
        const LpCluster *cluster = &machine->cluster[i];
        if (cluster->energy_j_per_bit <= 0.0 &&
            !lp_medium_knows(&cluster->medium, LP_MEDIUM_STATIC_POWER))
            continue;
        add(&energy, name_or(cluster->medium.link_technology, cluster->technology),
            BITS_PER_BYTE * traffic->link_bytes[i] * cluster->energy_j_per_bit,
            time_s * cluster->medium.number[LP_MEDIUM_STATIC_POWER] * n_ends(machine, i, &network));
    }
    const LpCluster *out = &machine->cluster[LP_ATTACHMENT_SCALE_OUT];
    add_static(&energy, out,
               (double)(network.count.n_switch_ports - network.packet_network.n_switch_ports),
               time_s);
    add_beside(&energy, machine, &network, time_s);
    return energy;
}

static LpTechnologyEnergy
sum(const LpEnergy *self)
{
    LpTechnologyEnergy all = {.name = "all"};
    for (guint i = 0; i < self->n; i++) {
        all.dynamic_j += self->of[i].dynamic_j;
        all.static_j += self->of[i].static_j;
    }
    return all;
}

double
lp_energy_sum_j(const LpEnergy *self)
{
    LpTechnologyEnergy all = sum(self);
    return all.static_j + all.dynamic_j;
}

static void
set_parts(json_t *object, const char *key, const LpTechnologyEnergy *energy)
{
    json_t *part = lp_json_set_object(object, key);
    lp_json_set_number(part, "static", energy->static_j);
    lp_json_set_number(part, "dynamic", energy->dynamic_j);
}

void
lp_energy_add_json(json_t *object, const LpEnergy *self, double n_tokens)
{
    if (self->n == 0)
        return;
    LpTechnologyEnergy all = sum(self);
    set_parts(object, "energy_j", &all);
    if (n_tokens > 0.0)
        lp_json_set_number(object, "energy_j_per_token", (all.static_j + all.dynamic_j) / n_tokens);
    json_t *by_technology = lp_json_set_object(object, "energy_j_by_technology");
    for (guint i = 0; i < self->n; i++)
        set_parts(by_technology, self->of[i].name, &self->of[i]);
}
