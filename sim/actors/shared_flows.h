/* SPDX-License-Identifier: Apache-2.0 */
/* The flows of a run that meet on links, without the engine: their rates (sim/analysis/max_min.h),
 * what each has left, and what others cost it.
 *
 * On an uncontended tier flows of different owners do not meet: links that collectives share with
 * themselves (lp_tier_is_shared()) are there once for each owner, others only cap each flow. */
#pragma once

#include "sim/actors/flow_record.h"
#include "sim/actors/equivalence_check.h"

G_BEGIN_DECLS

/** A flow that has a rate. */
typedef struct {
    LpFlow flow;
    guint32 flow_class;     /**< where it stands for one */
    double cap_bytes_per_s; /**< of its narrowest link */
    double since_s;         /**< since when it has this rate */
    double rest_bytes;      /**< then */
    double bytes_per_s;
    guint32 number; /**< among those that meet others, from 1 on; 0: it meets none */
    gint64 held_by; /**< the link, or class of links, that its rate follows from; negative: none, or
                       nothing is recorded */
    double alone_share; /**< its rate there, over what it would have beside its owner's flows
                           only */
} LpSharedFlow;

typedef struct LpSharedFlows LpSharedFlows;

/** @network: borrowed. @uncontended: by tier, copied. @record: borrowed, or NULL: told what flows
 * lose. Returns: (transfer full). */
LpSharedFlows *lp_shared_flows_new(const LpNetwork *network, const gboolean *uncontended,
                                   LpFlowRecord *record);
/** Of flows that stand for the classes of @quotient, of a view that is apart, in a run without
 * uncontended tiers but those of the view. @quotient, @record, @check: borrowed; the latter two may
 * be NULL; @check is told of all rates. Returns: (transfer full). */
LpSharedFlows *lp_shared_flows_new_of_classes(const LpQuotient *quotient, LpFlowRecord *record,
                                              LpEquivalenceCheck *check);
void lp_shared_flows_free(LpSharedFlows *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpSharedFlows, lp_shared_flows_free)

/** @flow, whose LpFlow is set, starts over the links of leg @leg of its route, or those of its
 * class; borrowed until it leaves. Returns: FALSE if it meets nobody: it then has the rate of its
 * narrowest link. */
gboolean lp_shared_flows_enter(LpSharedFlows *self, LpSharedFlow *flow, guint32 leg, double now_s);
/** @flow ends. */
void lp_shared_flows_leave(LpSharedFlows *self, LpSharedFlow *flow, double now_s);
/** Gives a link another bandwidth, > 0, from now on. */
void lp_shared_flows_set_bandwidth(LpSharedFlows *self, guint32 link, double bytes_per_s);
/** Works out rates. Returns: (transfer none) the flows whose rates may have changed, until the next
 * call. */
const GPtrArray *lp_shared_flows_share_out(LpSharedFlows *self, double now_s);

G_END_DECLS
