/* SPDX-License-Identifier: Apache-2.0 */
/* The results of a simulated scenario, as JSON and as tables. */
#pragma once

#include "report/report.h"

G_BEGIN_DECLS

/** The content of a scenario's report: what lp_scenario_report_init() computes, and what the caller
 * adds. */
typedef struct {
    const LpScenario *scenario;             /* borrowed */
    const LpMachine *machine;               /* borrowed */
    const LpScenarioSimulation *simulation; /* borrowed */
    LpFidelity fidelity;
    gboolean collapse;
    gboolean whole_plan; /**< text shows all attributes, not only those that were given */
    gboolean has_cost;
    LpCost cost;
    LpReport *jobs;      /* owned */
    LpSimulation *shown; /* owned: what they point to */
} LpScenarioReport;

/** Reports each job of @simulation, which is borrowed as @machine is; both must outlive @self. The
 * caller sets fidelity, collapse, whole_plan and cost. */
void lp_scenario_report_init(LpScenarioReport *self, const LpMachine *machine,
                             const LpScenarioSimulation *simulation);
/** Frees what lp_scenario_report_init() made. */
void lp_scenario_report_clear(LpScenarioReport *self);

/** JSON of "simulate SCENARIO", keys in a fixed order, with a line end. Returns: (transfer full).
 */
char *lp_scenario_report_to_json_text(const LpScenarioReport *self);
/** The content of lp_scenario_report_to_json_text() as tables for people. Returns: (transfer full).
 */
char *lp_scenario_report_to_text(const LpScenarioReport *self);

G_END_DECLS
