/* SPDX-License-Identifier: Apache-2.0 */
/* The rows that reports of contention have, in the order in which JSON and tables show them.
 * Private to them. */
#pragma once

#include "report/contention_data.h"

G_BEGIN_DECLS

/** Who delays whom. */
typedef struct {
    LpContender delayed, by;
    double seconds;
} LpPairRow;

/** A link that costs a job time. */
typedef struct {
    guint place; /**< among the job's links (LpFlowSummary) */
    guint32 link;
    const char *name; /* borrowed from the scenario_setup */
    LpTier tier;
    guint32 n_alike;    /**< links of its class, itself included */
    double seconds;     /**< of all of these */
    double utilisation; /**< bytes that crossed it over those that could have, first start to last
                           end */
} LpLinkRow;

/** The job at @index. Borrowed. */
const LpScenarioJob *lp_contention_job(const LpContentionReport *self, guint index);
/** Ranks of all jobs. */
guint64 lp_contention_n_ranks(const LpContentionReport *self);
/** Of all pairs of which one is the job's, the costliest first. Returns: (transfer full) array of
 * LpPairRow. */
GArray *lp_pair_rows_new(const LpAttribution *self);
/** What a change would save. */
typedef struct {
    const char *name; /* borrowed */
    double time_s, saved_s, units, saved_per_unit_s;
    const char *misfit; /* borrowed: why it does not fit, and then there are no times; or NULL */
} LpWhatIfRow;

/** Of @job, what saves most per unit of change first, what does not fit last. Returns: (transfer
 * full) array of LpWhatIfRow. */
GArray *lp_what_if_rows_new(const LpContentionReport *self, guint job);
/** Of @rows, LpVariantRow, for @job. */
LpDistribution lp_distribution(const GArray *rows, guint job);
/** The costliest first. Returns: (transfer full) array of LpLinkRow. */
GArray *lp_link_rows_new(const LpContentionReport *self, guint job);
/** What the links of a tier cost beyond those that are listed. */
double lp_other_links_s(const LpContentionReport *self, guint job, const GArray *link_rows);

G_END_DECLS
