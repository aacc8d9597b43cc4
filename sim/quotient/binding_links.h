/* SPDX-License-Identifier: Apache-2.0 */
/* Which links can hold a flow back at all, and who crosses them.
 *
 * A link cannot if everything that crosses it has come in through, or leaves by, links that
 * together are no faster: a switch's link that one port feeds, or as many as it is wide for.
 * Leaving it out changes no rate, since what it demands follows from what they demand: rates that
 * are max-min fair depend on what is feasible and on nothing else. */
#pragma once

#include "sim/quotient/flow_list.h"
#include "sim/quotient/quotient_input.h"

G_BEGIN_DECLS

typedef struct {
    guint32 n_links;
    guint32 *first;    /* owned, by link and one beyond: in flows */
    guint32 *flows;    /* owned: those that cross a link, in order; once for each time */
    guint32 *legs;     /* owned, as flows: on which leg of their routes */
    double *weights;   /* owned, as flows: which share of their bytes crosses it */
    gboolean *binds;   /* owned, by link: whether it can; FALSE for those that nobody crosses */
    guint32 n_crossed; /**< links that anybody crosses */
} LpBindingLinks;

/** The binding links of @network under the flows of @list in the run of @input. Links of tiers that
 * are uncontended do not bind, nor do they shield others. Returns: (transfer full). */
LpBindingLinks *lp_binding_links_new(const LpFlowList *list, const LpNetwork *network,
                                     const LpQuotientInput *input);
void lp_binding_links_free(LpBindingLinks *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpBindingLinks, lp_binding_links_free)

G_END_DECLS
