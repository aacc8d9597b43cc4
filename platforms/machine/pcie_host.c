/* SPDX-License-Identifier: Apache-2.0 */
/* Which accelerators share a bridge or a root. */
#include "platforms/machine/pcie_host.h"

gboolean
lp_pcie_host_is_present(const LpPcieHost *self)
{
    return self->pair_bytes_per_s > 0.0 || self->root_accelerators > 0;
}

gboolean
lp_pcie_host_has_bridge(const LpPcieHost *self, guint64 a, guint64 b)
{
    return self->pair_bytes_per_s > 0.0 && a != b && a / 2 == b / 2;
}

guint64
lp_pcie_host_root(const LpPcieHost *self, guint64 accelerator)
{
    return accelerator / MAX(self->root_accelerators, 1);
}

gboolean
lp_pcie_host_is_on_way_out(const LpPcieHost *self)
{
    return self->root_accelerators > 0 && !self->has_cards_inside;
}
