/* SPDX-License-Identifier: Apache-2.0 */
/* The page that a command leaves behind. */
#pragma once

#include "base/json.h"

G_BEGIN_DECLS

/** Makes a page of @document, with @vega: a function of report/page_report.h. Returns: (transfer
 * full). */
typedef char *(*LpPageMaker)(const json_t *document, const char *vega);

/** A page and the file that it goes to. */
typedef struct {
    char *path; /* owned; NULL: none is asked for */
    char *vega; /* owned: the library of plots, read by lp_page_file_load() */
} LpPageFile;

void lp_page_file_clear(LpPageFile *self);
/** Refuses, before anything runs, what could not be written afterwards, and reads the library.
 * Errors: LP_INPUT_ERROR_USAGE, _FILE. */
gboolean lp_page_file_load(LpPageFile *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** lp_page_file_load() of a command's only output, which is refused over one of @inputs, the
 * NULL-ended names of what is read. Errors: LP_INPUT_ERROR_USAGE, _FILE. */
gboolean lp_page_file_prepare(LpPageFile *self, char *const *inputs,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Writes the page that @make makes of @document; nothing if none is asked for. Errors:
 * LP_INPUT_ERROR_FILE. */
gboolean lp_page_file_write(const LpPageFile *self, LpPageMaker make, const json_t *document,
                            GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Refuses "-" as the @path of an option: the report takes up standard output. @path: or NULL.
 * Error: LP_INPUT_ERROR_USAGE. */
gboolean lp_check_not_output(const char *option, const char *path,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
