/* SPDX-License-Identifier: Apache-2.0 */
/* A machine view as the plainest SimGrid platform: what the engine is given to load. */
#pragma once

#include "base/xml_writer.h"
#include "platforms/machine/machine.h"
#include "platforms/plain/plain_links.h"
#include "platforms/plain/plain_tree.h"

G_BEGIN_DECLS

/** The clusters of @self with their hosts, links and topology as they were read, and nothing else.
 * SimGrid's own parser is stricter than XML and aborts where it stumbles, so it is never shown what
 * a user wrote. Every number reads back to the same double. What differs from the user's clusters:
 *
 * - planes that a run tells apart have a cluster each, striped ones are one of their summed rate;
 * - a port with several paths has a host for each, below a switch of its own. The links to that
 *   switch are the first and last of a route; they carry less than the port's own link and are no
 *   part of the machine;
 * - ports that share a PCIe link hang below a switch of their own; its up-link, the second of a
 *   route, must be given its bandwidth after loading (lp_plain_has_pcie());
 * - dragonflies with gates or with several rows, dragonfly+, and tori whose ports take turns at
 * ways are zones with explicit routes.
 *
 * Returns: (transfer full). */
char *lp_machine_to_plain(const LpMachine *self) G_GNUC_WARN_UNUSED_RESULT;

/** The beginning of any platform of ours: root and zone. Returns: (transfer full). */
LpXmlWriter *lp_plain_open_minimal(void) G_GNUC_WARN_UNUSED_RESULT;
/** A platform of one host, called @host, and nothing else. Returns: (transfer full). */
char *lp_plain_minimal(const char *host) G_GNUC_WARN_UNUSED_RESULT;

/** The name of the host of @port in @plane, below lp_machine_n_planes(), that @path, below n_paths,
 * leads to; path 0 is the one that sends. Returns: (transfer full). */
char *lp_plain_host_name(const LpMachine *self, LpAttachment attachment, guint32 plane,
                         guint64 port, guint32 path) G_GNUC_WARN_UNUSED_RESULT;

/** The name of the zone of plane @plane of @cluster, below lp_machine_n_planes(). Returns:
 * (transfer full). */
char *lp_plain_cluster_id(const LpCluster *cluster, guint32 plane) G_GNUC_WARN_UNUSED_RESULT;
/** Whether @cluster is written as zones with explicit routes (platforms/plain/plain_zones.h). */
gboolean lp_plain_is_zones(const LpCluster *cluster);

/** Ports up to which a torus whose ports take turns at ways can be written: it has a route for each
 * two of them. */
#define LP_PLAIN_SPREAD_PORTS_MAX 1024u

G_END_DECLS
