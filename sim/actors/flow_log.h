/* SPDX-License-Identifier: Apache-2.0 */
/* When which links carried how many bytes of a run: counted in bins of time that widen as the run
 * goes on, so that nothing grows with its length. */
#pragma once

#include "sim/actors/busy_time.h"
#include "sim/quotient/quotient.h"

G_BEGIN_DECLS

/** Bins of time: between half of them and all are used at the end. */
#define LP_FLOW_LOG_BINS 256u
/** Kinds of what is logged: classes of traffic, and what belongs to no job. */
#define LP_FLOW_LOG_BACKGROUND LP_N_TRAFFIC
#define LP_N_FLOW_LOG_KINDS (LP_N_TRAFFIC + 1)
/** Background messages that are kept one by one; of more only the bytes count. */
#define LP_FLOW_LOG_MESSAGES_MAX 20000u

/** Bytes that crossed a route between two instants. What a delay stands for is one, too. */
typedef struct {
    const LpRoute *route; /**< borrowed while it is added */
    double bytes;
    double weight;    /**< replicas for which it stands, itself included */
    guint kind;       /**< LpTraffic or LP_FLOW_LOG_BACKGROUND */
    gboolean is_flow; /**< the engine moved it; not: it was part of a delay */
    double start_s, end_s;
} LpLoggedFlow;

/** A message of background traffic. */
typedef struct {
    guint32 sender; /**< index of the traffic in its scenario */
    double bytes, start_s, end_s;
} LpLoggedMessage;

/** Bytes by bin. */
typedef struct {
    double bytes[LP_FLOW_LOG_BINS];
} LpFlowSeries;

typedef struct LpFlowLog LpFlowLog;

/** An empty log of @network, which is borrowed. Returns: (transfer full). */
LpFlowLog *lp_flow_log_new(const LpNetwork *network);
void lp_flow_log_free(LpFlowLog *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpFlowLog, lp_flow_log_free)

/** Flows over routes of @quotient (borrowed) stand for their classes: what they carry is counted
 * for all connections of the class, at the links that these really cross. Before anything is added.
 */
void lp_flow_log_set_quotient(LpFlowLog *self, const LpQuotient *quotient);

/** Spreads the bytes of @flow evenly over its time and counts them at every link of its route: at
 * the tier with its weight, at the link itself if the engine moved it. @self: NULL: nothing is
 * logged. */
void lp_flow_log_add(LpFlowLog *self, const LpLoggedFlow *flow);
/** Links of @route are in use, by what no flow stands for. @self may be NULL. */
void lp_flow_log_add_use(LpFlowLog *self, const LpRoute *route, double start_s, double end_s);
/** Keeps a message of background traffic, too. @self may be NULL. */
void lp_flow_log_add_message(LpFlowLog *self, LpLoggedMessage message);

/** Counts at links what flows carried that stand for classes. After all has been added, before the
 * following are asked. */
void lp_flow_log_finish(LpFlowLog *self);

/** Seconds of a bin. */
double lp_flow_log_bin_s(const LpFlowLog *self);
/** Bytes of @kind that crossed links of @tier; NULL: none. Borrowed. */
const LpFlowSeries *lp_flow_log_tier(const LpFlowLog *self, LpTier tier, guint kind);
/** Whether flows moved bytes over @link. */
gboolean lp_flow_log_has_link(const LpFlowLog *self, guint32 link);
/** Bytes that flows moved over @link; NULL: none did. Borrowed. */
const LpFlowSeries *lp_flow_log_link(LpFlowLog *self, guint32 link);
/** Seconds in which @link was in use, whatever crossed it; negative: they came and went too
 * often to say. */
double lp_flow_log_link_busy_s(LpFlowLog *self, guint32 link);
/** Whether all that was logged the engine moved, each flow by itself. */
gboolean lp_flow_log_has_all(const LpFlowLog *self);
/** Bytes of background traffic over @link. */
double lp_flow_log_background_bytes(const LpFlowLog *self, guint32 link);
/** LpLoggedMessage, in the order in which they ended; borrowed. */
const GArray *lp_flow_log_messages(const LpFlowLog *self);

G_END_DECLS
