/* SPDX-License-Identifier: Apache-2.0 */
/* Rates of flows that meet on links, by progressive solver, worked out anew for those that a
 * flow's start or end can touch.
 *
 * On an uncontended tier flows of different owners do not meet: links that collectives share with
 * themselves (lp_tier_is_shared()) are there once for each owner, others only cap each flow.
 * (Bertsekas and Gallager, Data Networks, 1992, section 6.5.2.) */
#pragma once

#include "sim/actors/flow_record.h"
#include "sim/actors/equivalence_check.h"

G_BEGIN_DECLS

/** A flow that has a rate. */
typedef struct {
    LpFlow flow;
    guint32 flow_class;     /**< where it stands for one */
    GArray *link_shares;    /* owned: LpFlowOnLink, where it meets others; kept from flow to flow */
    double cap_bytes_per_s; /**< of its narrowest link */
    double since_s;         /**< since when it has this rate */
    double rest_bytes;      /**< then */
    double bytes_per_s;
    gint64 held_by;     /**< the on_link that its rate follows from; negative: none */
    double alone_share; /**< its rate there, over what it would have beside its owner's flows
                           only */
    gboolean is_fixed, is_found; /**< while rates are worked out */
} LpSharedFlow;

/** A flow at a place where it meets others. */
typedef struct {
    guint32 link_share;
    double n;      /**< how often it is there: once, with the share of its bytes that crosses it, or
                      as all that it stands for are */
    guint32 owned; /**< where its owner's flows are counted; LP_OWNED_NONE: at the link_share */
    double n_own;  /**< how often it is counted there */
} LpFlowOnLink;

typedef struct LpMaxMinSolver LpMaxMinSolver;

/** @network: borrowed. @uncontended: by tier, copied. @record: borrowed, or NULL: told what flows
 * lose. Returns: (transfer full). */
LpMaxMinSolver *lp_max_min_solver_new(const LpNetwork *network, const gboolean *uncontended,
                                      LpFlowRecord *record);
/** Of flows that stand for the classes of @quotient, of a view that is apart, in a run without
 * uncontended tiers but those of the view. @quotient, @record, @check: borrowed; the latter two may
 * be NULL; @check is told of all rates. Returns: (transfer full). */
LpMaxMinSolver *lp_max_min_solver_new_of_classes(const LpQuotient *quotient, LpFlowRecord *record,
                                                 LpEquivalenceCheck *check);
void lp_max_min_solver_free(LpMaxMinSolver *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpMaxMinSolver, lp_max_min_solver_free)

/** @flow, whose LpFlow is set, starts over the links of leg @leg of its route, or those of its
 * class; borrowed until it leaves. Returns: FALSE if it meets nobody: it then has the rate of its
 * narrowest link. */
gboolean lp_max_min_solver_enter(LpMaxMinSolver *self, LpSharedFlow *flow, guint32 leg,
                                 double now_s);
/** @flow ends. */
void lp_max_min_solver_leave(LpMaxMinSolver *self, LpSharedFlow *flow, double now_s);
/** Gives a link another bandwidth, > 0, from now on. */
void lp_max_min_solver_set_bandwidth(LpMaxMinSolver *self, guint32 link, double bytes_per_s);
/** Works out rates. Returns: (transfer none) the flows whose rates may have changed, until the next
 * call. */
const GPtrArray *lp_max_min_solver_share_out(LpMaxMinSolver *self, double now_s);

G_END_DECLS
