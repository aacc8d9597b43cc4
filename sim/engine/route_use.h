/* SPDX-License-Identifier: Apache-2.0 */
/* The routes that a run can send over, and the ports that its actors stand on: the part of the
 * machine that the engine needs. */
#pragma once

#include "platforms/plain/plain_pairs.h"
#include "sim/engine/network.h"

G_BEGIN_DECLS

typedef struct LpRouteUse LpRouteUse;

/** None yet. @network: borrowed, must outlive it. Returns: (transfer full). */
LpRouteUse *lp_route_use_new(const LpNetwork *network);
void lp_route_use_free(LpRouteUse *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpRouteUse, lp_route_use_free)

/** Adds @port, of the network. */
void lp_route_use_add_port(LpRouteUse *self, const LpPort *port);
/** Adds all legs of @route, of the network; copies nothing of it. */
void lp_route_use_add(LpRouteUse *self, const LpRoute *route);
/** Says that the run can send over more than can be told: it needs the whole machine. */
void lp_route_use_add_all(LpRouteUse *self);

/** Adds the ports of all accelerators, and the routes from each to each over both networks, of
 * every class of traffic. */
void lp_route_use_add_every(LpRouteUse *self);

/** Whether the engine loads this part of the machine faster than the machine, as far as that is
 * known beforehand. */
gboolean lp_route_use_is_smaller(const LpRouteUse *self);
/** The part: hosts by the numbers of their ports, links by their own. Borrowed from @self. */
LpPlainPart lp_route_use_part(LpRouteUse *self);

G_END_DECLS
