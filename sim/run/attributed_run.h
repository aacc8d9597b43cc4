/* SPDX-License-Identifier: Apache-2.0 */
/* One of the runs of an attribution, in a process of its own. */
#pragma once

#include "sim/run/flow_summary.h"
#include "sim/run/scenario_setup.h"
#include "sim/run/wait_summary.h"

G_BEGIN_DECLS

typedef enum {
    LP_ATTRIBUTED_CONTENDERS, /**< only some contend */
    LP_ATTRIBUTED_TIER,       /**< all but a tier contend */
    LP_ATTRIBUTED_RECORD,     /**< all contend, and what flows meet is recorded */
    LP_ATTRIBUTED_AS_IS       /**< circuits are switched besides */
} LpAttributedKind;

/** What a child process runs. */
typedef struct {
    const LpScenarioSetup *scenario_setup; /* borrowed */
    LpAttributedKind kind;
    guint job;
    guint contenders; /**< bits of LpContender: of the job */
    LpTier tier;
    LpQuotient *quotient; /* borrowed: of the run that records; NULL: ranks stand for themselves */
} LpAttributedRun;

/** What it leaves behind: this, the result of each job, and a summary if it records. */
typedef struct {
    LpStall stall;
    guint64 n_waiting;
} LpAttributedHead;

/** The quotient of a run that records all, where ranks may stand for classes and that is worth it,
 * in a scenario_setup that has not been loaded; else NULL. Returns: (transfer full). */
LpQuotient *lp_attributed_run_quotient(const LpScenarioSetup *scenario_setup);

/** Bytes of what @self leaves behind, which begins with LpAttributedHead. */
gsize lp_attributed_run_bytes(const LpAttributedRun *self);
/** In that: the results of the jobs. */
LpRunResult *lp_attributed_run_results(void *block);
/** Of a run that records: what each job waited for, and the flows (lp_flow_summary_in()). */
LpWaitSummary *lp_attributed_run_waits(const LpScenarioSetup *scenario_setup, void *block);
void *lp_attributed_run_flows(const LpScenarioSetup *scenario_setup, void *block);

/** Runs an LpAttributedRun: what a child process does (LpChildTask). */
gboolean lp_attributed_run_child(const void *data, GByteArray *result, GError **error);

G_END_DECLS
