/* SPDX-License-Identifier: Apache-2.0 */
/* Everything that is known of one simulated or estimated iteration, as JSON and as tables. */
#pragma once

#include "model/amped.h"
#include "model/memory.h"
#include "report/figures.h"
#include "sim/run/scenario_simulation.h"
#include "validation/crosscheck/crosscheck.h"

#include <json-glib/json-glib.h>

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
void lp_report_clear(LpReport *self);
/** The report of a job: @result->together beside the closed form, explained by @result->own.
 * @shown: filled, must outlive @self. */
void lp_report_init_job(LpReport *self, LpSimulation *shown, const LpJobResult *result,
                        const LpMachine *machine);

/** What jobs and single workloads have in common, as members of the open object. */
void lp_report_add_plan(JsonBuilder *builder, const LpWorkload *workload);
void lp_report_add_engine(JsonBuilder *builder, LpFidelity fidelity, gboolean collapse,
                          const char *contention, const GArray *engine_options);
void lp_report_add_results(JsonBuilder *builder, const LpReport *self);
void lp_report_add_warnings(JsonBuilder *builder, const LpReport *self);
/** The same as text. */
void lp_report_append_plan(GString *out, const LpReport *self);
void lp_report_append_engine(GString *out, LpFidelity fidelity, gboolean collapse,
                             const char *contention, const GArray *engine_options);
void lp_report_append_contention(GString *out, const char *contention);
void lp_report_append_needs(GString *out, const LpReport *self);
void lp_report_append_results(GString *out, const LpReport *self);

/** JSON of "simulate", keys in a fixed order. Returns: (transfer full). */
JsonNode *lp_report_to_json(const LpReport *self);
/** The same content for people. Returns: (transfer full). */
char *lp_report_to_text(const LpReport *self);

/** JSON and text of "estimate": one closed form. */
JsonNode *lp_report_estimate_to_json(const LpReport *self, gboolean amped);
char *lp_report_estimate_to_text(const LpReport *self, gboolean amped);

/** JSON that Perfetto and Chrome open: a process a stage, a thread a stream.
 * Returns: (transfer full). */
char *lp_report_trace(const LpTimeline *timeline, const char *title);

/** The timeline of one of several jobs. */
typedef struct {
    const LpTimeline *timeline; /* borrowed */
    const char *name;           /* borrowed: put before "stage N"; NULL: nothing */
} LpTrack;

/** The same of several, one below the other. Returns: (transfer full). */
char *lp_report_trace_tracks(const LpTrack *tracks, guint n_tracks, const char *title);

G_END_DECLS
