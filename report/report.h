/* SPDX-License-Identifier: Apache-2.0 */
/* Everything that is known of one simulated or estimated iteration, as JSON and as tables. */
#pragma once

#include "model/amped.h"
#include "model/memory.h"
#include "report/figures.h"
#include "sim/simulation.h"
#include "validation/crosscheck.h"

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
    const LpSimulation *simulation; /* borrowed; NULL for an estimate */
    guint32 *accelerators;          /* owned: that ranks stand on, or NULL (lp_placement_new()) */
    LpFidelity fidelity;
    gboolean collapse;
    LpTerms closed_form, amped;
    LpDifference difference;
    LpMemory memory;
    GPtrArray *warnings; /* owned: text */
    gboolean has_cost;
    LpCost cost;
} LpReport;

/** Computes what does not come from the simulation. @simulation may be NULL. */
void lp_report_init(LpReport *self, const LpWorkload *workload, const LpMachine *machine,
                    const LpSimulation *simulation);
void lp_report_clear(LpReport *self);

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

G_END_DECLS
