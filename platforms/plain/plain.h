/* SPDX-License-Identifier: Apache-2.0 */
/* A machine view as the plainest SimGrid platform: what the engine is given to load. */
#pragma once

#include "platforms/machine/machine.h"

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
 * - dragonflies with gates or with several rows, and dragonfly+, are zones with explicit routes.
 *
 * Returns: (transfer full). */
char *lp_machine_to_plain(const LpMachine *self);

/** Its beginning with the scale-up cluster, (transfer full), and its end, which takes @xml and
 * returns the whole text, (transfer full): for what writes the scale-out network differently. */
GString *lp_plain_open(const LpMachine *self);
char *lp_plain_close(GString *xml);

/** The host of @port in @plane that @path leads to; path 0 is the one that sends. Returns:
 * (transfer full). */
char *lp_plain_host_name(const LpMachine *self, LpAttachment attachment, guint32 plane,
                         guint64 port, guint32 path);

/** Whether routes begin and end with a link that only chooses the path. */
gboolean lp_plain_has_paths(const LpMachine *self);
/** Whether the second link of a route, and the last but one, are PCIe links; the links of
 * lp_plain_has_paths() not counted. */
gboolean lp_plain_has_pcie(const LpMachine *self);

/* Parts of the names of links in zones with explicit routes, by which their tier is known. A colon
 * stands in no name of a user's file. */
#define LP_PLAIN_GLOBAL_LINK ":global:"
#define LP_PLAIN_LOCAL_LINK ":local:"
#define LP_PLAIN_LEAF_LINK ":leaf:"

G_END_DECLS
