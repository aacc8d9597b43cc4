/* SPDX-License-Identifier: Apache-2.0 */
/* What the flows of one collective, which meet no others, have of the ports that they share. */
#pragma once

#include "sim/engine/network.h"

G_BEGIN_DECLS

/** Flows that begin together, each over a route of its own. */
typedef struct {
    const LpNetwork *network; /* borrowed */
    guint32 n;
    const LpRoute **routes; /* owned array of borrowed routes; NULL: there is none */
    double *bytes_per_s;    /**< owned: of each while all of them flow; 0: there is none */
    guint32 *part; /* owned: the first of all that share ports with it, straight or by others; NULL:
                      not found */
    guint32 *next; /* owned: the next of its part, or n */
} LpPortShares;

/** @routes: those of @n flows, NULL for none; they are borrowed, the array is not. */
void lp_port_shares_init(LpPortShares *self, const LpNetwork *network, const LpRoute *const *routes,
                         guint32 n);
void lp_port_shares_clear(LpPortShares *self);

/** Whether flows of equal bytes take equal time, one by one. */
gboolean lp_port_shares_equal(const LpPortShares *a, const LpPortShares *b);

/** Finds out who shares ports with whom, which lp_port_shares_time_s() asks for. */
void lp_port_shares_find_parts(LpPortShares *self);
/** Seconds until the last of the flows has ended, each of @bytes of its own, without latency: as
 * some end, others have more of their ports. */
double lp_port_shares_time_s(const LpPortShares *self, const guint64 *bytes);

G_END_DECLS
