/* SPDX-License-Identifier: Apache-2.0 */
/* Adds the levels of a plain platform to a machine's fat tree. */
#include "platforms/plain/plain_tree.h"

gboolean
lp_plain_has_paths(const LpMachine *self)
{
    return self->n_paths > 1;
}

gboolean
lp_plain_has_pcie(const LpMachine *self)
{
    return self->pcie_ports > 0;
}

static void
add_level(LpPlainTree *self, guint64 down, guint32 up)
{
    self->down[self->n_levels] = down;
    self->up[self->n_levels++] = up;
}

static void
add_scale_out_levels(LpPlainTree *self, const LpMachine *machine)
{
    if (lp_plain_has_paths(machine)) {
        add_level(self, machine->n_paths, 1);
        self->port_level = 1;
    }
    if (lp_plain_has_pcie(machine)) {
        add_level(self, machine->pcie_ports, 1);
        self->pcie_level = self->n_levels;
    }
}

static void
count(LpPlainTree *self)
{
    guint64 n_hosts = 1;
    for (guint32 i = 0; i < self->n_levels; i++)
        n_hosts *= self->down[i];
    self->below[0] = self->ways[0] = 1;
    for (guint32 i = 0; i < self->n_levels; i++) {
        self->below[i + 1] = self->below[i] * self->down[i];
        self->ways[i + 1] = self->ways[i] * self->up[i];
        self->first_link[i + 1] =
            self->first_link[i] + n_hosts / self->below[i] * self->ways[i + 1];
    }
}

LpPlainTree
lp_plain_tree(const LpMachine *machine, LpAttachment attachment, guint32 plane)
{
    LpPlainTree self = {.n_levels = 0};
    const LpCluster *cluster = lp_machine_plane_cluster(machine, attachment, plane);
    gboolean is_out = attachment == LP_ATTACHMENT_SCALE_OUT;
    gboolean has_pcie = is_out && lp_plain_has_pcie(machine);
    if (cluster->topology != LP_TOPOLOGY_FAT_TREE && !has_pcie)
        return self;
    guint32 pcie_ports = has_pcie ? machine->pcie_ports : 1;
    if (is_out)
        add_scale_out_levels(&self, machine);
    /* A crossbar with PCIe links is one switch above all of them. */
    if (cluster->topology == LP_TOPOLOGY_CROSSBAR)
        add_level(&self, cluster->n_hosts / pcie_ports, 1);
    for (guint32 i = 0; i < cluster->n_levels; i++)
        add_level(&self, i == 0 ? cluster->down[0] / pcie_ports : cluster->down[i], cluster->up[i]);
    count(&self);
    return self;
}
