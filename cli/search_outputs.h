/* SPDX-License-Identifier: Apache-2.0 */
/* What a search leaves behind beside or in place of its report. */
#pragma once

#include "cli/options.h"
#include "cli/page_file.h"
#include "report/search_report.h"

G_BEGIN_DECLS

/** The files that a search writes; all owned, NULL: not asked for. */
typedef struct {
    char *workload;  /* file: the first plan */
    char *csv;       /* file: all plans that were simulated */
    LpPageFile page; /* all of it, and the first plan's run */
    char *export;    /* whose words to print the first plan in, in place of the report */
    guint format;    /* LpExport, once it is read; LP_N_EXPORTS: none */
} LpSearchOutputs;

void lp_search_outputs_clear(LpSearchOutputs *self);
/** Refuses, before anything runs, what could not be written afterwards. @inputs: NULL-ended names
 * of what is read. @format: what stands behind --format, or NULL. Errors: LP_INPUT_ERROR_USAGE,
 * _FILE. */
gboolean lp_search_outputs_prepare(LpSearchOutputs *self, char *const *inputs, const char *format,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Prints the answer as @format says, or the export where there is one, and then writes the files.
 * Errors: LP_INPUT_ERROR_FILE; LP_SIMULATION_ERROR_FIT where nothing was run that could be
 * exported; those of the first plan's run for a page. */
gboolean lp_search_outputs_give(const LpSearchOutputs *self, const LpSearchReport *report,
                                LpFormat format, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
