/* SPDX-License-Identifier: Apache-2.0 */
/* Where a job's contention delay comes from: which tiers and links hold it back, and who is in
 * whose way.
 *
 * The delay is the iteration as it is less one in which every communication takes its isolated
 * time. A tier's part is the iteration as it is less one in which that tier alone is uncontended
 * (sim/actors/flow_engine.h); since one tier may hide behind another, what the parts do not sum
 * to is their interaction. Waiting for circuits is what switching them adds to a run in which all
 * contend; in all other runs they stand. A pair's part follows from runs in which only some classes
 * of traffic contend and the others take their isolated time (sim/analysis/shapley.h): what two
 * classes cost together and not apart is theirs; what three and more cost is shared evenly by the
 * pairs among them. */
#pragma once

#include "sim/run/attribution_data.h"
#include "sim/run/attribution_flows.h"
#include "sim/run/scenario_setup.h"

G_BEGIN_DECLS

/** The contention of the jobs of a scenario. */
typedef struct {
    LpAttribution *jobs;      /* owned: in the scenario's order */
    LpAttributionFlows flows; /* it borrows flows_block */
    void *flows_block;        /* owned */
    double duration_s;        /**< from the first job's start to the last one's end */
    guint n_runs;             /**< that it took */
    guint64 n_activities;     /**< of all of them and all jobs */
    guint64 peak_rss_bytes;   /**< of their processes, summed */
} LpAttributions;

/** Runs what it takes, @n_at_once processes side by side, by classes of ranks where @scenario_setup
 * has one job, and has not been loaded. @progress: told of runs; or NULL. Errors:
 * LP_SIMULATION_ERROR_RUN, LP_CHILD_PROCESS_ERROR. Returns: (transfer full). */
LpAttributions *lp_attributions_new(LpScenarioSetup *scenario_setup, guint n_at_once,
                                    void (*progress)(double n_done, guint64 n_all, void *data),
                                    void *progress_data, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void lp_attributions_free(LpAttributions *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpAttributions, lp_attributions_free)

/** What @link, the @place-th of @job, costs it: its tier's part in proportion to the seconds that
 * the tier's links held flows back. */
double lp_attributions_link_s(const LpAttributions *self, const LpScenarioSetup *scenario_setup,
                              guint job, guint place);

G_END_DECLS
