/* SPDX-License-Identifier: Apache-2.0 */
/* How classes of flows meet on classes of links, where links are shared without the engine.
 *
 * Where a view asks for owners only to know them, links by owner stand beside the links, and hold
 * nothing back; where a tier is uncontended, they are what is left of its links. */
#pragma once

#include "sim/quotient/link_sets.h"

G_BEGIN_DECLS

#define LP_OWNED_NONE G_MAXUINT32

/** The use of a class of links by the representative of a class of flows. */
typedef struct {
    guint32 link;  /**< class of links */
    double n;      /**< how often flows of the class cross each of these links */
    guint32 owned; /**< class of links by owner, LP_OWNED_NONE: it does not matter */
    double n_own;  /**< how often flows of the class and of one communicator cross each */
    double held;   /**< flows of the class over links of theirs: how many of them each of the links
                        holds back if it is what holds them back */
} LpLinkUse;

typedef struct {
    guint32 n_links;     /**< classes of links that can hold flows back */
    double *bytes_per_s; /* owned, by class, as the next three */
    gboolean *is_shared; /* owned: lp_tier_is_shared() of their tier */
    guint32 *lowest;     /* owned: their link of lowest number */
    guint32 *n_alike;    /* owned: how many links they are */
    guint32 n_owned;     /**< classes of links by owner that hold nothing back */
    guint32 n_flows;     /**< classes of flows */
    guint32 *n_members;  /* owned, by class of flows: connections that it stands for */
    guint32 *first_use;  /* owned, by class of flows and one beyond: in uses */
    LpLinkUse *uses;     /* owned: of a class of flows in the order of lp_link_order() */
    LpLinkSets *ways;    /* owned; NULL: all flows of a class cross links of the same classes. Else
                            uses are those of all of a class, in the order of classes */
} LpLinkClasses;

/** The classes of links of a view that shares links without the engine. @flow_class: by flow of
 * @list, of @n_flow_classes. All are borrowed. Returns: (transfer full). */
LpLinkClasses *lp_link_classes_new(const LpStructure *structure, const LpFlowList *list,
                                   const LpNetwork *network, const guint32 *flow_class,
                                   guint32 n_flow_classes);
void lp_link_classes_free(LpLinkClasses *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpLinkClasses, lp_link_classes_free)

G_END_DECLS
