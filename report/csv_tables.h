/* SPDX-License-Identifier: Apache-2.0 */
/* Tidy tables of a run: one observation a row, one variable a column. */
#pragma once

#include "base/json.h"
#include "report/report.h"
#include "sim/run/observation.h"

G_BEGIN_DECLS

/** The name and the content of a file. */
typedef struct {
    const char *name; /**< static: "terms.csv" ... */
    GString *text;    /* owned */
} LpCsvTable;

/** The names of the tables, NULL-ended. */
extern const char *const lp_csv_names[];

/** All tables of a run. @document: what the run prints as JSON. @tracks: its @n_tracks timelines.
 * Returns: (transfer full) array of LpCsvTable, which frees them. */
GArray *lp_csv_tables_new(const json_t *document, const LpObservation *observation,
                          const LpTrack *tracks, guint n_tracks);

G_END_DECLS
