/* SPDX-License-Identifier: Apache-2.0 */
/* The ways of flows, where a class of flows may cross links of different classes: which each of its
 * members crosses. */
#pragma once

#include "sim/quotient/structure.h"

G_BEGIN_DECLS

/** Flows of a class that cross links of the same classes go the same way. */
typedef struct {
    guint32 n;           /**< ways */
    guint32 *first;      /* owned, by class of flows and one beyond: its ways */
    guint32 *first_link; /* owned, by way and one beyond: in links */
    guint32 *links;      /* owned: classes of links, those of a way in order, each once */
    guint32 *of_flow;    /* owned, by flow: its way */
} LpLinkSets;

/** The link sets of the flows of @list in @structure, borrowed. @flow_class: by flow, of
 * @n_flow_classes, borrowed. Returns: (transfer full). */
LpLinkSets *lp_link_sets_new(const LpStructure *structure, const LpFlowList *list,
                             const guint32 *flow_class, guint32 n_flow_classes);
void lp_link_sets_free(LpLinkSets *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpLinkSets, lp_link_sets_free)

G_END_DECLS
