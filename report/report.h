/* SPDX-License-Identifier: Apache-2.0 */
/* Everything that is known of one simulated or estimated iteration, as JSON and as tables. */
#pragma once

#include "base/json.h"
#include "model/amped.h"
#include "model/memory.h"
#include "report/figures.h"
#include "sim/run/scenario_simulation.h"
#include "validation/crosscheck/crosscheck.h"

G_BEGIN_DECLS

/** What a run cost the machine that it ran on. */
typedef struct {
    double wall_s;
    guint64 peak_rss_bytes;
} LpCost;

typedef struct {
    const LpWorkload *workload;     /* borrowed */
    const LpMachine *machine;       /* borrowed */
    const LpPlacement *placement;   /* borrowed */
    const LpSimulation *simulation; /* borrowed; NULL for an estimate */
    LpFidelity fidelity;
    gboolean collapse;
    gboolean whole_plan; /**< text shows all attributes, not only those that were given */
    LpTerms closed_form, amped;
    LpDifference difference;
    gboolean is_job; /**< of a scenario: what follows is there, and is no part of difference */
    double others_s; /**< iteration time beside the others less that alone */
    double faults_s; /**< alone less that of one iteration without slow ranks and failures */
    LpMemory memory;
    GPtrArray *warnings; /* owned: text */
    gboolean has_cost;
    LpCost cost;
} LpReport;

/** Computes what does not come from the simulation, which may be NULL. Both are borrowed. */
void lp_report_init(LpReport *self, const LpSetup *setup, const LpSimulation *simulation);
/** Frees what lp_report_init() or lp_report_init_job() made. */
void lp_report_clear(LpReport *self);
/** The report of a job: @result->together beside the closed form, explained by @result->own.
 * @shown: filled, must outlive @self. */
void lp_report_init_job(LpReport *self, LpSimulation *shown, const LpJobResult *result,
                        const LpMachine *machine);

/** Sets "plan" of @object: all attributes by their names, numbers as numbers. */
void lp_report_add_plan(json_t *object, const LpWorkload *workload);
/** Sets "engine" of @object: the engine's version and settings. @contention: what need not be
 * simulated, or NULL. @engine_options: LpEngineOption. */
void lp_report_add_engine(json_t *object, LpFidelity fidelity, gboolean collapse,
                          const char *contention, const GArray *engine_options);
/** Sets "simulated", the closed forms, "difference", "traffic_bytes" and "memory" of @object.
 * Seconds and bytes. */
void lp_report_add_results(json_t *object, const LpReport *self);
/** Sets "warnings" of @object, a list of texts. */
void lp_report_add_warnings(json_t *object, const LpReport *self);
/** Appends the workload's name and size as a line of text. */
void lp_report_append_workload(GString *out, const LpWorkload *workload);
/** Appends the plan as text: what the file and the settings gave, or with @whole the attributes
 * that have defaults too. */
void lp_report_append_plan(GString *out, const LpWorkload *workload, gboolean whole);
/** Appends the engine's version and settings as text; parameters as for lp_report_add_engine(). */
void lp_report_append_engine(GString *out, LpFidelity fidelity, gboolean collapse,
                             const char *contention, const GArray *engine_options);
/** Appends the clauses of @contention, which are parted by "; ", a line each. */
void lp_report_append_contention(GString *out, const char *contention);
/** Appends tables of the bytes on the wire, and of an accelerator's memory. */
void lp_report_append_needs(GString *out, const LpReport *self);
/** Appends the table of times, simulated beside closed forms, and the difference's parts. */
void lp_report_append_results(GString *out, const LpReport *self);

/** JSON of "simulate", keys in a fixed order. Returns: (transfer full). */
json_t *lp_report_to_json(const LpReport *self);
/** The content of lp_report_to_json() for people. Returns: (transfer full). */
char *lp_report_to_text(const LpReport *self);

/** JSON of "estimate": one closed form, the repaired AMPeD form with @amped. Returns: (transfer
 * full). */
json_t *lp_report_estimate_to_json(const LpReport *self, gboolean amped);
/** The content of lp_report_estimate_to_json() for people. Returns: (transfer full). */
char *lp_report_estimate_to_text(const LpReport *self, gboolean amped);

/** JSON that Perfetto and Chrome open: a process a stage, a thread a stream.
 * Returns: (transfer full). */
char *lp_report_trace(const LpTimeline *timeline, const char *title);

/** The timeline of one of several jobs. */
typedef struct {
    const LpTimeline *timeline; /* borrowed */
    const char *name;           /* borrowed: put before "stage N"; NULL: nothing */
} LpTrack;

/** Timelines of several jobs as lp_report_trace() has one, one below the other. Returns: (transfer
 * full). */
char *lp_report_trace_tracks(const LpTrack *tracks, guint n_tracks, const char *title);

G_END_DECLS
