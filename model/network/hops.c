/* SPDX-License-Identifier: Apache-2.0 */
/* The number of links between two ports of a dragonfly. */
#include "model/network/hops.h"

guint32
lp_dragonfly_gate(const LpDragonfly *self, guint32 from, guint32 to)
{
    if (!self->has_gates)
        return to;
    return (to + self->n_groups - from - 1) % self->n_groups % self->n_routers;
}

/* The place of a port's router. */
typedef struct {
    guint32 group, row, place;
} Router;

static Router
router_of(const LpDragonfly *self, guint64 port)
{
    guint64 router = port / self->n_ports;
    return (Router){.place = (guint32)(router % self->n_routers),
                    .row = (guint32)(router / self->n_routers % self->n_rows),
                    .group = (guint32)(router / self->n_routers / self->n_rows)};
}

/* The router of @from's group that the links to group @to start at. */
static Router
gate(const LpDragonfly *self, guint32 from, guint32 to)
{
    return (Router){.group = from, .place = lp_dragonfly_gate(self, from, to)};
}

/* Within a group: one link to another place of the row, one to another row. */
static guint64
local_hops(Router a, Router b)
{
    return (a.place != b.place ? 1u : 0u) + (a.row != b.row ? 1u : 0u);
}

guint64
lp_dragonfly_hops(const LpDragonfly *self, guint64 a, guint64 b)
{
    Router from = router_of(self, a), to = router_of(self, b);
    if (from.group == to.group) {
        guint64 inside = local_hops(from, to);
        return self->n_spines > 0 && inside > 0 ? 4 : 2 + inside;
    }
    if (self->n_spines > 0)
        return 5;
    return 3 + local_hops(from, gate(self, from.group, to.group)) +
           local_hops(gate(self, to.group, from.group), to);
}
