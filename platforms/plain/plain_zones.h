/* SPDX-License-Identifier: Apache-2.0 */
/* Topologies that SimGrid has no zone for, as zones with explicit routes. */
#pragma once

#include "base/xml_writer.h"
#include "platforms/machine/machine.h"

G_BEGIN_DECLS

/** Writes the zones of a dragonfly or of a dragonfly+ to @xml: a zone for each group, in it a
 * flat cluster for each router, and a route for each two routers and each two groups. @id, @prefix:
 * of the plane's zone and of its hosts, borrowed. */
void lp_plain_zones_write(LpXmlWriter *xml, const LpMachine *machine, const char *id,
                          const char *prefix);

G_END_DECLS
