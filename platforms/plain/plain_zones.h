/* SPDX-License-Identifier: Apache-2.0 */
/* Topologies that SimGrid has no zone for, as zones with explicit routes. */
#pragma once

#include "platforms/machine/machine.h"

G_BEGIN_DECLS

/** Appends the zones of a dragonfly or of a dragonfly+: a zone for each group, in it a
 * flat cluster for each router, and a route for each two routers and each two groups. @id, @prefix:
 * of the plane. */
void lp_plain_zones_append(GString *xml, const LpMachine *machine, const char *id,
                           const char *prefix);

G_END_DECLS
