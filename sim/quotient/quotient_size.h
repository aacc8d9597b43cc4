/* SPDX-License-Identifier: Apache-2.0 */
/* The part of a run that is simulated. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** The numbers of ranks, flows and links, and of their classes, of each of which one member is
 * simulated. */
typedef struct {
    guint64 n_ranks, n_rank_classes;
    guint64 n_flows, n_flow_classes; /**< connections that carry anything */
    guint64 n_links, n_link_classes; /**< that anything crosses; of those that can hold it back */
    guint32 n_rounds; /**< links told flows apart by so many rounds of refinement, and would tell
                         more apart: an approximation; 0: exact */
    guint64 n_ways;   /**< over classes of links that flows of a class go, all of which were assumed
                         to be held back alike, and have been; 0: nothing was assumed */
    guint32 n_trials; /**< runs that this took; 0: it is still to be found out */
} LpQuotientSize;

G_END_DECLS
