/* SPDX-License-Identifier: Apache-2.0 */
/* The links of a machine by number, and the routes between its ports, worked out without an engine:
 * link for link what SimGrid's routing gives on the plain platform (platforms/plain/plain.h). */
#pragma once

#include "platforms/plain/plane.h"

G_BEGIN_DECLS

typedef struct LpRoutes LpRoutes;

/** @machine: borrowed, must outlive it. Nothing is stored by port or link. Returns: (transfer
 * full). */
LpRoutes *lp_routes_new(const LpMachine *machine);
void lp_routes_free(LpRoutes *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpRoutes, lp_routes_free)

/** Links, each way counted: those of the scale-up network, then those of each plane of the
 * scale-out network that a run tells apart. */
guint32 lp_routes_n_links(const LpRoutes *self);
/** What the machine says of link @link. */
LpLink lp_routes_link(const LpRoutes *self, guint32 link);
/** What the engine and all outputs call it. Returns: (transfer full). */
char *lp_routes_link_name(const LpRoutes *self, guint32 link) G_GNUC_WARN_UNUSED_RESULT;
/** The place of the link, for people: "leaf 3 to spine 1", with the plane where there are several.
 * Returns: (transfer full). */
char *lp_routes_link_place(const LpRoutes *self, guint32 link) G_GNUC_WARN_UNUSED_RESULT;
/** Appends (guint32) the links from port @from to port @to of @attachment in @plane to @io_links,
 * in order; the ports differ. @path: below n_paths of the machine, 0 for the scale-up network. */
void lp_routes_add(const LpRoutes *self, LpAttachment attachment, guint32 plane, guint64 from,
                   guint64 to, guint32 path, GArray *io_links);

/** Ports of @attachment in @plane whose routes are alike, roots of lp_routes_add_out() counted;
 * n_ports is 1 and n_own 0 where each has its own. */
LpPlaneBlock lp_routes_block(const LpRoutes *self, LpAttachment attachment, guint32 plane);
/** The port that link @link leads on from in its plane; G_MAXUINT64: it is no port's. */
guint64 lp_routes_link_port(const LpRoutes *self, guint32 link);

/** Appends the links between two accelerators' ports of the scale-out network, and the links of the
 * PCIe roots between the accelerators and their cards. */
void lp_routes_add_out(const LpRoutes *self, guint32 plane, guint64 from_accelerator,
                       guint64 to_accelerator, guint32 path, GArray *io_links);

G_END_DECLS
