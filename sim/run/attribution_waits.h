/* SPDX-License-Identifier: Apache-2.0 */
/* What a run's ranks waited for, in few rows: it travels between processes. */
#pragma once

#include "sim/actors/wait_record.h"

G_BEGIN_DECLS

/** Rows that are told of each job. */
#define LP_SUMMARY_WAITS 10
#define LP_SUMMARY_STRETCHES 16

/** All stretches of a critical path of one kind. */
typedef struct {
    LpTerm term;
    guint32 stage, partner; /**< as LpPathNode has them */
    guint64 n;
    double seconds;
} LpStretch;

/** What ranks of a job waited for. Plain data. */
typedef struct {
    guint n_waits;                           /**< rows of the following */
    LpStragglerWait waits[LP_SUMMARY_WAITS]; /**< the costliest first */
    guint64 n_all_waits;
    double all_waited_s;                       /**< of all, told or not */
    guint n_stretches;                         /**< 0: the path was too long to keep */
    LpStretch stretches[LP_SUMMARY_STRETCHES]; /**< the longest first */
    double other_stretches_s;                  /**< with them, the whole path */
} LpAttributionWaits;

/** Sums up what @record has of @job, of which @n_iterations were run: means over them. */
LpAttributionWaits lp_attribution_waits(const LpWaitRecord *record, guint32 job,
                                        guint32 n_iterations);

G_END_DECLS
