/* SPDX-License-Identifier: Apache-2.0 */
/* What a run of an iteration says, and what it is asked for. */
#pragma once

#include "model/plan/plan_options.h"
#include "model/plan/terms.h"
#include "sim/actors/circuit_result.h"
#include "sim/actors/timeline.h"

G_BEGIN_DECLS

/** What a run says of a job. Plain data: it travels between processes. */
typedef struct {
    double iteration_time_s; /**< of several iterations the mean, as for all that follows */
    LpTerms terms;           /**< along the critical path; they sum to iteration_time_s */
    guint64 rank;            /**< the rank of the last event */
    double overlap_s;        /**< seconds in which communication was in flight beside that path */
    double inner_s;          /**< collectives inside layers launched on it, hidden or not */
    double slowed_s;         /**< what communication beside it added to its computing */
    /** On the wire, all ranks; not told by runs in which ranks stand for classes. */
    guint64 traffic_bytes[LP_N_TRAFFIC];
    guint64 sent_bytes, received_bytes; /**< through the simulated channels, all iterations */
    LpCircuitResult circuits;           /**< where they are switched */
    guint64 n_actors;
    guint64 n_activities;   /**< engine activities, all iterations: delays and flows */
    gboolean own_sharing;   /**< flows had the rates of our own solver (sim/actors/shared_flows.h),
                               not   of the engine */
    double start_s, end_s;  /**< of the job, on the engine's clock */
    guint64 n_waiting;      /**< ranks that never ended, since the run stopped */
    double least_s;         /**< what it takes at least, as far as it went; 0 without a limit */
    gboolean is_past_limit; /**< it stopped since that is more than it may take */
} LpRunResult;

struct LpCallTimes;
struct LpRunLimit;
typedef struct LpFlowLog LpFlowLog; /**< which links were busy when, written for an observation */

/** What the caller wants to have of a run. */
typedef struct {
    LpTimeline *timeline; /* borrowed: filled for the first replica, or NULL */
    struct LpCallTimes
        *calls;     /* borrowed: filled for all ranks (sim/actors/call_times.h), or NULL */
    LpFlowLog *log; /* borrowed: written, or NULL */
    const struct LpRunLimit
        *limit; /* borrowed: of the first iteration (sim/actors/run_limit.h), or NULL */
    void (*progress)(double n_done, guint64 n_all, void *data); /**< or NULL */
    void (*expect)(double processor_s, guint64 n_all,
                   void *data); /**< LpRunContext.expect, or NULL */
    void *progress_data;
} LpRunOptions;

G_END_DECLS
