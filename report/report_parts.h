/* SPDX-License-Identifier: Apache-2.0 */
/* The parts that reports of single workloads and of scenarios share. Private: it names the JSON
 * library. */
#pragma once

#include "base/json.h"
#include "base/text_table.h"
#include "report/report_data.h"

G_BEGIN_DECLS

/** The report of a job: @result->together beside the closed form, explained by @result->own.
 * @shown: filled, must outlive @self. */
void lp_report_init_job(LpReport *self, LpSimulation *shown, const LpJobResult *result,
                        const LpMachine *machine);

/** Sets "plan" of @object: all attributes by their names, numbers as numbers; of a program by hand
 * also its counts (lp_given_add_json()). */
void lp_report_add_plan(json_t *object, const LpWorkload *workload);
/** Sets the figures of an iteration of @iteration_time_s and @terms, its "terms_s" among them, as
 * members of @object. */
void lp_report_add_figures(json_t *object, const LpWorkload *workload, const LpMachine *machine,
                           const LpTerms *terms, double iteration_time_s);
/** Who shares links where it is not the engine. */
#define LP_REPORT_OWN_SHARING "Lightpath's max-min solver"

/** Sets "engine" of @object: the engine's version and settings. @own_sharing: of
 * LpRunResult. @contention: what need not be simulated, or NULL. @engine_options: LpEngineOption.
 */
void lp_report_add_engine(json_t *object, LpFidelity fidelity, gboolean collapse,
                          gboolean own_sharing, const char *contention,
                          const GArray *engine_options);
/** Sets "simulated", the closed forms, "difference", "traffic_bytes" and "memory" of @object.
 * Seconds and bytes. */
void lp_report_add_results(json_t *object, const LpReport *self);
/** Sets "memory" of @object, of an accelerator of the fullest stage; with @machine, which may be
 * NULL, whether it fits into its accelerators. */
void lp_report_add_memory(json_t *object, const LpWorkload *workload, const LpMachine *machine);
/** Sets "warnings" of @object, a list of texts. */
void lp_report_add_warnings(json_t *object, const LpReport *self);
/** Appends the workload's name and size as a line of text. */
void lp_report_append_workload(GString *out, const LpWorkload *workload);
/** Appends the machine's name and how many of its accelerators are used as a line of text. */
void lp_report_append_platform(GString *out, const LpMachine *machine, guint64 n_ranks);
/** @label and behind it @text, in lines of a page's width. */
void lp_report_append_prose(GString *out, const char *label, const char *text);
/** Appends the plan as text: the attributes that the file and the settings gave, or with @whole
 * those with defaults too. */
void lp_report_append_plan(GString *out, const LpWorkload *workload, gboolean whole);
/** Appends the engine's version and settings as text; parameters as for lp_report_add_engine(). */
void lp_report_append_engine(GString *out, LpFidelity fidelity, gboolean collapse,
                             gboolean own_sharing, const char *contention,
                             const GArray *engine_options);
/** Appends the clauses of @contention, which are parted by "; ", a line each. */
void lp_report_append_contention(GString *out, const char *contention);
/** Appends the label of the object at @pointer of @result, and a row for each of its values;
 * nothing where there is none. */
void lp_report_append_part(GString *out, const json_t *result, const char *pointer);
/** Appends the memory of @result and, with @machine, whether it fits. */
void lp_report_append_memory(GString *out, const json_t *result, const LpMachine *machine);
/** Appends tables of the bytes on the wire, and of an accelerator's memory. @result: what
 * lp_report_add_results() made, as of the next three. */
void lp_report_append_needs(GString *out, const LpReport *self, const json_t *result);
/** Appends how circuits were switched; nothing where they are not. */
void lp_report_append_circuits(GString *out, const json_t *result);
/** Sets "distribution" of @object; nothing of none. */
void lp_report_add_distribution(json_t *object, const LpDistribution *distribution);
/** Appends the distribution as a line of text; nothing of none. */
void lp_report_append_distribution(GString *out, const json_t *result);
/** Appends the table of times, simulated beside closed forms, and the difference's parts. */
void lp_report_append_results(GString *out, const LpReport *self, const json_t *result);

/** Adds the classes of a run to @cost, or appends them as a line of text; nothing where it was not
 * run by classes. */
void lp_report_add_classes(json_t *cost, const LpQuotientSize *size);
void lp_report_append_classes(GString *out, const LpQuotientSize *size);

/** JSON of "simulate", keys in a fixed order. Returns: (transfer full). */
json_t *lp_report_to_json(const LpReport *self);
/** JSON of "estimate": one closed form, the repaired AMPeD form with @amped. Returns: (transfer
 * full). */
json_t *lp_report_estimate_to_json(const LpReport *self, gboolean amped);

G_END_DECLS
