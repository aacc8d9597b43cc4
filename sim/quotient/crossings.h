/* SPDX-License-Identifier: Apache-2.0 */
/* The links of a quotient, and how often its flows cross them. */
#pragma once

#include "platforms/plain/plain_flows.h"
#include "sim/quotient/structure.h"

G_BEGIN_DECLS

typedef struct {
    guint32 n_links;    /**< classes */
    LpPlainLink *links; /* owned, by class */
    guint32 *divisors; /* owned, by class: where all cross a link in multiples of this number, it is
                          as many times narrower, and they cross it as many times less often */
    guint32 *link_class;  /* owned, by link of the machine: LP_LINK_CLASS_NONE for those left out */
    guint32 *first_leg;   /* owned, by class of flows and one beyond: in flows */
    LpPlainFlow *flows;   /* owned, by class of flows and leg of its routes, in order */
    guint32 *route_links; /* owned: of all of them */
} LpCrossings;

#define LP_LINK_CLASS_NONE G_MAXUINT32

/** The crossings of @structure on @network. Its flows are of the @n_flow_classes classes
 * @flow_class, with as many legs as @n_legs says for each. Returns: (transfer full). */
LpCrossings *lp_crossings_new(const LpStructure *structure, const LpNetwork *network,
                              const guint32 *flow_class, const guint32 *n_legs,
                              guint32 n_flow_classes);
void lp_crossings_free(LpCrossings *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpCrossings, lp_crossings_free)

G_END_DECLS
