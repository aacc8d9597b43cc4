/* SPDX-License-Identifier: Apache-2.0 */
/* The electrical network beside a hybrid's circuits, as properties of the scale-out cluster say it:
 * a flat one, or a fat tree on the same ports, and what it is made of. */
#pragma once

#include "platforms/machine/machine.h"
#include "platforms/machine/property.h"

G_BEGIN_DECLS

/** The properties: the tree, then those of medium.h. */
#define LP_N_PACKET_NETWORK_PROPERTIES (1 + LP_N_MEDIUM_PROPERTIES)

/** Reads them from @place of @properties on into @machine, whose circuits have been read. Errors:
 * LP_INPUT_ERROR or LP_MACHINE_ERROR, "FILE:LINE: ...". */
gboolean lp_packet_network_read(const LpXml *xml, const LpProperties *properties, int place,
                                LpMachine *machine, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
