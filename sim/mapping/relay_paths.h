/* SPDX-License-Identifier: Apache-2.0 */
/* Paths over circuits that stand for a whole job: from attachment to attachment, where those in
 * between forward. */
#pragma once

#include "sim/engine/network.h"

G_BEGIN_DECLS

typedef struct LpRelayPaths LpRelayPaths;

/** Without circuits, on @network's machine (borrowed). Returns: (transfer full). */
LpRelayPaths *lp_relay_paths_new(const LpNetwork *network);
void lp_relay_paths_free(LpRelayPaths *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpRelayPaths, lp_relay_paths_free)

/** A circuit between attachments @a and @b stands. */
void lp_relay_paths_join(LpRelayPaths *self, guint32 a, guint32 b);
/** Circuits on the shortest path from attachment @a to @b; G_MAXUINT32: there is none. */
guint32 lp_relay_paths_n_hops(const LpRelayPaths *self, guint32 a, guint32 b);
/** The route of @traffic from accelerator @a to @b: within a domain as without circuits; else over
 * the accelerator that brings it to @b's rail, and then over circuits, on the shortest path, of
 * several the one whose attachments come first. There must be one. */
LpRoute lp_relay_paths_route(const LpRelayPaths *self, guint64 a, guint64 b, LpTraffic traffic);

G_END_DECLS
