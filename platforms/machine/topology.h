/* SPDX-License-Identifier: Apache-2.0 */
/* The topology of a cluster: what the attributes of SimGrid and our own properties say of it. */
#pragma once

#include "base/xml.h"
#include "platforms/machine/machine.h"

G_BEGIN_DECLS

/** Reads topology and topo_parameters of a <cluster> whose n_hosts and link rate are known, and
 * refuses what SimGrid would abort on or route wrongly. Errors: LP_INPUT_ERROR,
 * LP_MACHINE_ERROR; "FILE:LINE: got, wanted". */
gboolean lp_topology_read(const LpXml *xml, const xmlNode *node, LpCluster *cluster,
                          GError **error);

/** Reads the topology that SimGrid has no word for: "GROUPS,LINKS;ROUTERS,LINKS;PORTS" of a
 * dragonfly, "GROUPS,LINKS;SPINES;LEAVES;PORTS" of a dragonfly+. @prop: the property that holds
 * @text; the cluster is flat in the file. Errors: as lp_topology_read(). */
gboolean lp_topology_read_text(const LpXml *xml, const xmlNode *prop, LpTopology topology,
                               const char *text, LpCluster *cluster, GError **error);

/** Reads the sizes of a torus whose ports take turns at ways of equal length, "4,4,8", and which
 * may be twisted. @prop: the property that holds @text; the cluster is flat in the file. Errors: as
 * lp_topology_read(). */
gboolean lp_topology_read_torus(const LpXml *xml, const xmlNode *prop, gboolean is_twisted,
                                const char *text, LpCluster *cluster, GError **error);

/** The value of topo_parameters of a fat tree, "2;20,56;1,20;1,1". Returns: (transfer full). */
char *lp_topology_tree_parameters(guint32 n_levels, const guint32 *down, const guint32 *up);
/** Reads such a @text of two or three levels, and gives @cluster as many hosts. @prop: the property
 * that holds it. Errors: LP_MACHINE_ERROR. */
gboolean lp_topology_read_tree(const LpXml *xml, const xmlNode *prop, const char *text,
                               LpCluster *cluster, GError **error);

/** The text that lp_topology_read_text() reads, of a dragonfly with gates or a dragonfly+.
 * Returns: (transfer full). */
char *lp_topology_to_text(LpTopology topology, const LpDragonfly *dragonfly);

/** The value of topo_parameters of a torus, "4,4,8": hosts along each dimension. Returns: (transfer
 * full). */
char *lp_topology_torus_parameters(const LpTorus *torus);
/** The value of topo_parameters of a dragonfly that SimGrid has a zone for,
 * "GROUPS,LINKS;ROWS,LINKS;ROUTERS,LINKS;PORTS". Returns: (transfer full). */
char *lp_topology_dragonfly_parameters(const LpDragonfly *dragonfly);

/** Links of a dragonfly or dragonfly+ by tier, each direction pair and each bundle once. */
typedef struct {
    guint64 n_port, n_local, n_global;
} LpDragonflyLinks;
/** Counts the links of @dragonfly. */
LpDragonflyLinks lp_topology_dragonfly_links(const LpDragonfly *dragonfly);

G_END_DECLS
