/* SPDX-License-Identifier: Apache-2.0 */
/* Lets flows that start over slow links be faster when these have recovered.
 *
 * SimGrid 3.32 caps a flow for life by the least bandwidth that the links of its route have at the
 * instant at which it starts (NetworkCm02Model::comm_action_set_bounds). A link that is slow for a
 * while would so hold back what starts meanwhile for ever. Bandwidths are shared out only when time
 * goes on: so a slow link is opened, with the bandwidth that it has at its best, before a flow
 * starts over it, and an actor closes it at the same instant when the flow has started. */
#pragma once

#include "sim/quotient/quotient.h"

G_BEGIN_DECLS

typedef struct LpOpening LpOpening;

/** On the links of @network, or on those of @quotient, if that is not NULL; both are borrowed.
 * Returns: (transfer full). */
LpOpening *lp_opening_new(const LpNetwork *network, const LpQuotient *quotient);
void lp_opening_free(LpOpening *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpOpening, lp_opening_free)

/** Starts the actor that closes links, on @home. */
void lp_opening_start(LpOpening *self, struct s4u_Host *home);
/** Gives the link @link of the network, which routes call @own, @now_bytes_per_s until this is
 * called again; flows that start over it may have up to @best_bytes_per_s later. Actors only. */
void lp_opening_set_bandwidth(LpOpening *self, guint32 link, guint32 own, double now_bytes_per_s,
                              double best_bytes_per_s);
/** As lp_route_send_leg(). */
void lp_opening_send_leg(LpOpening *self, const LpRoute *route, guint32 leg, guint64 bytes);

G_END_DECLS
