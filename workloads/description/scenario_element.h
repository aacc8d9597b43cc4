/* SPDX-License-Identifier: Apache-2.0 */
/* The elements of a scenario: what each says for itself. */
#pragma once

#include "base/xml.h"
#include "workloads/description/scenario_data.h"

G_BEGIN_DECLS

/** Reads @node, a child of the root of @xml, and adds the job, traffic, straggler or failure to
 * @self. @settings: as lp_scenario_load(). Errors: as there. */
gboolean lp_scenario_read_element(LpScenario *self, const LpXml *xml, xmlNode *node,
                                  const char *const *settings,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Each frees @self and all that it owns. */
void lp_scenario_job_free(LpScenarioJob *self);
void lp_scenario_traffic_free(LpScenarioTraffic *self);
void lp_scenario_straggler_free(LpScenarioStraggler *self);
void lp_scenario_failure_free(LpScenarioFailure *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpScenarioJob, lp_scenario_job_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpScenarioTraffic, lp_scenario_traffic_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpScenarioStraggler, lp_scenario_straggler_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpScenarioFailure, lp_scenario_failure_free)

G_END_DECLS
