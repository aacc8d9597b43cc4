/* SPDX-License-Identifier: Apache-2.0 */
/* The number of links between two ports of a dragonfly, from their numbers alone. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** Groups of routers with ports below them. In a dragonfly the routers of a group stand in rows
 * ("chassis" in SimGrid): each two of a row are joined, and each two of the same place in two rows.
 * In a dragonfly+ they stand in one row, and are joined by spines. Port number: port + n_ports *
 * (place + n_routers * (row + n_rows * group)). Links that join the same two things act as one of
 * their summed bandwidth. */
typedef struct {
    guint32 n_groups;     /**< 0: neither */
    guint32 group_links;  /**< between each two groups */
    guint32 n_rows;       /**< of a group */
    guint32 row_links;    /**< between routers of the same place in two rows */
    guint32 n_routers;    /**< of a row */
    guint32 router_links; /**< between each two routers of a row */
    guint32 n_spines;     /**< of a group of a dragonfly+; 0: a dragonfly */
    guint32 n_ports;      /**< below a router */
    /** Whether the links to other groups are dealt out to the routers, as lp_dragonfly_gate() says.
     * If not, those to group j start at the router of row 0 and place j, as in SimGrid's own zone.
     */
    gboolean has_gates;
} LpDragonfly;

/** The router of group @from that its links to group @to start at. With gates: (@to - @from - 1)
 * mod groups, mod routers, so that the links of a group are dealt out to its routers. Without: @to.
 */
guint32 lp_dragonfly_gate(const LpDragonfly *self, guint32 from, guint32 to);
/** Links between two different ports @a and @b, over the one minimal path there is, both ports' own
 * included. */
guint64 lp_dragonfly_hops(const LpDragonfly *self, guint64 a, guint64 b);

G_END_DECLS
