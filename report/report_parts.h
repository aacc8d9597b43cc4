/* SPDX-License-Identifier: Apache-2.0 */
/* The parts that reports of single workloads and of scenarios share. Private: it names the JSON
 * library. */
#pragma once

#include "report/json.h"
#include "report/scenario.h"

G_BEGIN_DECLS

/** The report of a job: @result->together beside the closed form, explained by @result->own.
 * @shown: filled, must outlive @self. */
void lp_report_init_job(LpReport *self, LpSimulation *shown, const LpJobResult *result,
                        const LpMachine *machine);

/* What jobs and single workloads have in common, as members of the open object. */

/** Adds "plan": all attributes by their names, numbers as numbers. */
void lp_report_add_plan(JsonBuilder *builder, const LpWorkload *workload);
/** Adds "engine": its version and settings. @contention: what need not be simulated, or NULL.
 * @engine_options: LpEngineOption. */
void lp_report_add_engine(JsonBuilder *builder, LpFidelity fidelity, gboolean collapse,
                          const char *contention, const GArray *engine_options);
/** Adds "simulated", the closed forms, "difference", "traffic_bytes" and "memory". Seconds and
 * bytes. */
void lp_report_add_results(JsonBuilder *builder, const LpReport *self);
/** Adds "warnings", a list of texts. */
void lp_report_add_warnings(JsonBuilder *builder, const LpReport *self);

/* What they have in common as text. */

/** Appends the plan, all attributes. */
void lp_report_append_plan(GString *out, const LpReport *self);
/** Appends the engine's version and settings; parameters as for lp_report_add_engine(). */
void lp_report_append_engine(GString *out, LpFidelity fidelity, gboolean collapse,
                             const char *contention, const GArray *engine_options);
/** Appends the clauses of @contention, which are parted by "; ", a line each. */
void lp_report_append_contention(GString *out, const char *contention);
/** Appends tables of the bytes on the wire, and of an accelerator's memory. */
void lp_report_append_needs(GString *out, const LpReport *self);
/** Appends the table of times, simulated beside closed forms, and the difference's parts. */
void lp_report_append_results(GString *out, const LpReport *self);

/** JSON of "simulate", keys in a fixed order. Returns: (transfer full). */
JsonNode *lp_report_to_json(const LpReport *self);
/** JSON of "estimate": one closed form, the repaired AMPeD form with @amped. Returns: (transfer
 * full). */
JsonNode *lp_report_estimate_to_json(const LpReport *self, gboolean amped);
/** JSON of "simulate SCENARIO", keys in a fixed order. Returns: (transfer full). */
JsonNode *lp_scenario_report_to_json(const LpScenarioReport *self);

G_END_DECLS
