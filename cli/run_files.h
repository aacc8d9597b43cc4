/* SPDX-License-Identifier: Apache-2.0 */
/* The files that a run can leave behind: a page, a timeline, tables. */
#pragma once

#include "cli/page_file.h"
#include "report/observed.h"

G_BEGIN_DECLS

/** The files that a run writes; NULL: not asked for. */
typedef struct {
    LpPageFile page;
    char *trace; /* owned: a timeline for Perfetto */
    char *csv;   /* owned: a folder of tables */
    char *paje;  /* owned: a timeline for viewers of Paje's format */
} LpRunFiles;

void lp_run_files_clear(LpRunFiles *self);

/** Before a run: refuses what could not be written after it, twice to one file, or over one of
 * @inputs, the NULL-ended names of what is read; and reads what pages need. Errors:
 * LP_INPUT_ERROR_USAGE, _FILE. */
gboolean lp_run_files_prepare(LpRunFiles *self, char *const *inputs,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Whether timelines and an observation are needed. */
gboolean lp_run_files_any(const LpRunFiles *self);

/** Writes them, each whatever becomes of the others. @document: what the run prints
 * as JSON; "observed" is added to it. @tracks:
 * @n_tracks timelines. Errors: LP_INPUT_ERROR_FILE. */
gboolean lp_run_files_write(const LpRunFiles *self, json_t *document,
                            const LpObservation *observation, const LpTrack *tracks, guint n_tracks,
                            GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
