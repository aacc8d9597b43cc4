/* SPDX-License-Identifier: Apache-2.0 */
/* What the flows of a run met: on which links they lost time, and how much longer each took than
 * it would have taken alone. */
#pragma once

#include "sim/quotient/quotient.h"

G_BEGIN_DECLS

/** The job of flows that belong to none. */
#define LP_FLOW_BACKGROUND G_MAXUINT32

/** A flow: bytes that somebody sends over a route. */
typedef struct {
    const LpRoute *route; /* borrowed */
    guint64 bytes;
    guint32 job;       /**< of the run, or LP_FLOW_BACKGROUND */
    LpTraffic traffic; /**< its class; nothing for background */
    const void *owner; /**< flows of one owner are one collective's: only compared */
} LpFlow;

/** What crossed a link, of one class of traffic of one job. */
typedef struct {
    guint64 n_flows;
    double bytes;
    double from_s, to_s; /**< from the first one's start to the last one's end */
    double lost_s;       /**< seconds of flows that the link held back */
} LpCrossing;

/** How much longer flows took than alone. */
typedef struct {
    double ratio;
    guint64 n; /**< flows that did */
} LpFlowSlowdown;

/** The flows of a run. Where flows stand for classes, links are classes of links, which know only
 * what they held back, and the rest is known by class of flows. */
typedef struct {
    guint32 n_links, n_jobs;
    const LpQuotient *quotient; /* borrowed; NULL: flows stand for themselves */
    LpCrossing **crossings; /* owned: by link, arrays of lp_flow_record_n_kinds(); NULL: unused */
    LpCrossing *of_class;   /* owned, by class of flows: on every link; NULL without classes */
    guint *class_kind;      /* owned, by class of flows: its kind */
    GArray **slowdowns;     /* owned: LpFlowSlowdown, by kind */
    double *ideal_s;        /* owned: alone, by kind, summed over flows */
    double *actual_s;       /* owned */
} LpFlowRecord;

/** An empty record of @n_jobs jobs on @n_links links. Returns: (transfer full). */
LpFlowRecord *lp_flow_record_new(guint32 n_links, guint32 n_jobs);
/** An empty record of one job whose flows stand for the classes of @quotient (borrowed), of a view
 * that is apart. Returns: (transfer full). */
LpFlowRecord *lp_flow_record_new_of_classes(const LpQuotient *quotient);
void lp_flow_record_free(LpFlowRecord *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpFlowRecord, lp_flow_record_free)

/** Kinds of flows: classes of each job, and background. */
guint lp_flow_record_n_kinds(const LpFlowRecord *self);
/** The kind of flows of @traffic of @job. */
guint lp_flow_record_kind(const LpFlowRecord *self, guint32 job, LpTraffic traffic);
/** Counts @lost_s seconds that @link, or a class of links, held @flow back. */
void lp_flow_record_add_loss(LpFlowRecord *self, const LpFlow *flow, guint32 link, double lost_s);
/** Counts leg @leg of a flow, from @start_s to @end_s, which takes @ideal_s alone. */
void lp_flow_record_add(LpFlowRecord *self, const LpFlow *flow, guint32 leg, double start_s,
                        double end_s, double ideal_s);

G_END_DECLS
