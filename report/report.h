/* SPDX-License-Identifier: Apache-2.0 */
/* Everything that is known of one simulated or estimated iteration, as JSON and as tables. */
#pragma once

#include "report/report_data.h"

G_BEGIN_DECLS

/** Computes what does not come from the simulation: closed forms, difference, memory, warnings.
 * @setup and @simulation are borrowed and must outlive @self; without @simulation (NULL) there is
 * no difference, and only estimates can be printed. The caller sets fidelity, collapse and cost. */
void lp_report_init(LpReport *self, const LpSetup *setup, const LpSimulation *simulation);
/** Frees what lp_report_init() made. */
void lp_report_clear(LpReport *self);

/** JSON of "simulate", keys in a fixed order, with a line end; needs the simulation. Returns:
 * (transfer full). */
char *lp_report_to_json_text(const LpReport *self);
/** The content of lp_report_to_json_text() as tables for people. Returns: (transfer full). */
char *lp_report_to_text(const LpReport *self);

/** JSON of "estimate", with a line end: one closed form, the repaired AMPeD form with @amped.
 * Returns: (transfer full). */
char *lp_report_estimate_to_json_text(const LpReport *self, gboolean amped);
/** The content of lp_report_estimate_to_json_text() as tables for people. Returns: (transfer full).
 */
char *lp_report_estimate_to_text(const LpReport *self, gboolean amped);

/** JSON that Perfetto and Chrome open: a process a stage, a thread a stream. @title: a name for the
 * whole. Returns: (transfer full). */
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
