/* SPDX-License-Identifier: Apache-2.0 */
/* One of the runs of an attribution, in a process of its own. */
#pragma once

#include "sim/run/attribution_flows.h"
#include "sim/run/scenario_setup.h"
#include "sim/run/attribution_waits.h"

G_BEGIN_DECLS

typedef enum {
    LP_ATTRIBUTED_CONTENDERS, /**< only some contend */
    LP_ATTRIBUTED_TIER,       /**< all but a tier contend */
    LP_ATTRIBUTED_RECORD,     /**< all contend, and what flows meet is recorded */
    LP_ATTRIBUTED_AS_IS       /**< circuits are switched besides */
} LpAttributionRunKind;

/** What a child process runs. */
typedef struct {
    const LpScenarioSetup *scenario_setup; /* borrowed */
    LpAttributionRunKind kind;
    guint job;
    guint contenders; /**< bits of LpContender: of the job */
    LpTier tier;
    LpQuotient *quotient; /* borrowed: of the run that records; NULL: ranks stand for themselves */
} LpAttributionRun;

/** What it leaves behind: this, the result of each job, and a summary if it records. */
typedef struct {
    LpStall stall;
    guint64 n_waiting;
} LpAttributionRunHead;

/** The quotient of a run that records all, where ranks may stand for classes and that is worth it,
 * in a scenario_setup that has not been loaded; else NULL. Returns: (transfer full). */
LpQuotient *lp_attribution_run_quotient(const LpScenarioSetup *scenario_setup);

/** Bytes of what @self leaves behind, which begins with LpAttributionRunHead. */
gsize lp_attribution_run_bytes(const LpAttributionRun *self);
/** In that: the results of the jobs. */
LpRunResult *lp_attribution_run_results(void *block);
/** Of a run that records: what each job waited for, and the flows (lp_attribution_flows_in()). */
LpAttributionWaits *lp_attribution_run_waits(const LpScenarioSetup *scenario_setup, void *block);
void *lp_attribution_run_flows(const LpScenarioSetup *scenario_setup, void *block);

/** Runs an LpAttributionRun: what a child process does (LpChildTask). */
gboolean lp_attribution_run_child(const void *data, GByteArray *result, GError **error);

G_END_DECLS
