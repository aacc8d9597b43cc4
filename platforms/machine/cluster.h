/* SPDX-License-Identifier: Apache-2.0 */
/* Reads what all clusters of a platform file have: names, hosts, links, topology, technology. */
#pragma once

#include "platforms/machine/machine.h"
#include "platforms/machine/property.h"

G_BEGIN_DECLS

/** Reads the attributes of the <cluster> @node into @cluster: names, hosts, rate in bytes/s and
 * latency in s of its links, topology. Errors: LP_INPUT_ERROR, LP_MACHINE_ERROR; "FILE:LINE: got,
 * wanted". @cluster then holds what was read so far, to be freed with its machine. */
gboolean lp_cluster_read(const LpXml *xml, const xmlNode *node, LpCluster *cluster, GError **error);

/** Reads the properties technology, which must be there, and energy-per-bit (J/bit) and those of
 * lp_medium_property_names, which may be, from their places in @properties; @medium_place: of the
 * first of the latter. Errors: LP_INPUT_ERROR, LP_MACHINE_ERROR; "FILE:LINE: prop
 * NAME: got, wanted". */
gboolean lp_cluster_read_medium(const LpXml *xml, const LpProperties *properties,
                                int technology_place, int energy_place, int medium_place,
                                LpCluster *cluster, GError **error);

G_END_DECLS
