/* SPDX-License-Identifier: Apache-2.0 */
/* Reads what all clusters of a platform file have: names, hosts, links, topology, technology. */
#pragma once

#include "platforms/machine/machine.h"
#include "platforms/machine/property.h"

G_BEGIN_DECLS

/** The attributes of a <cluster>. */
gboolean lp_cluster_read(const LpXml *xml, const xmlNode *node, LpCluster *cluster, GError **error);

/** The properties technology and energy-per-bit, by their places. */
gboolean lp_cluster_read_medium(const LpXml *xml, const LpProperties *properties,
                                int technology_place, int energy_place, LpCluster *cluster,
                                GError **error);

G_END_DECLS
