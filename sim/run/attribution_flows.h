/* SPDX-License-Identifier: Apache-2.0 */
/* What a run's flows met, in few numbers: it travels between processes. */
#pragma once

#include "sim/actors/flow_record.h"

G_BEGIN_DECLS

/** Links that are told of each job. */
#define LP_SUMMARY_LINKS 10

/** Flows of a kind: how long they took over what each takes alone. */
typedef struct {
    guint64 n_flows;
    double ideal_s, actual_s;  /**< summed */
    double median, p99, worst; /**< actual over ideal */
} LpSlowdown;

/** A link that held flows back. */
typedef struct {
    guint32 link;
    guint32 n_alike; /**< links of its class, each of which did, itself included */
    double lost_s;   /**< seconds of the job's flows, on it alone */
} LpBottleneckLink;

/** Seconds of flows that it and those it stands for held back. */
static inline double
lp_bottleneck_link_all_s(const LpBottleneckLink *self)
{
    return self->lost_s * self->n_alike;
}

/** The flows of a run, of jobs and kinds (lp_flow_record_kind()). */
typedef struct {
    guint n_jobs, n_kinds;
    double *tier_lost_s;   /* owned: by job and LpTier */
    LpSlowdown *slowdowns; /* owned: by kind */
    LpBottleneckLink
        *links;            /* owned: by job LP_SUMMARY_LINKS, the costliest first; lost_s 0: none */
    LpCrossing *crossings; /* owned: by job, place among those links, and kind */
} LpAttributionFlows;

/** Bytes of a summary of @n_jobs. */
gsize lp_attribution_flows_bytes(guint n_jobs);
/** A summary in @block, lp_attribution_flows_bytes() long, which is borrowed. */
LpAttributionFlows lp_attribution_flows_in(void *block, guint n_jobs);
/** Fills @self, of as many jobs as @record. @network: of the run. */
void lp_attribution_flows_fill(LpAttributionFlows *self, const LpFlowRecord *record,
                               const LpNetwork *network);
/** What crossed the @place-th link of @job, by kind. Borrowed. */
const LpCrossing *lp_attribution_flows_crossings(const LpAttributionFlows *self, guint job,
                                                 guint place);

G_END_DECLS
