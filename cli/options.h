/* SPDX-License-Identifier: Apache-2.0 */
/* What the subcommands' command lines have in common. */
#pragma once

#include "base/json.h"
#include "base/text_table.h"
#include "report/report.h"

G_BEGIN_DECLS

typedef enum {
    LP_FORMAT_TEXT,
    LP_FORMAT_JSON
} LpFormat;

/** Sets LP_INPUT_ERROR_USAGE; returns FALSE. */
gboolean lp_usage_error(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);

/** Parses @entries; what remains is @argv[1..], and behind it machines that are made
 * (cli/made_machine.h) where @arguments name a PLATFORM. Help and completions are printed, and the
 * program ends. Between @n_minimum and @n_maximum arguments must.
 * @command: "simulate". Error: LP_INPUT_ERROR_USAGE. */
gboolean lp_options_parse(const char *command, const char *arguments, const char *summary,
                          const GOptionEntry *entries, int *argc, char ***argv, int n_minimum,
                          int n_maximum, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** @text: NULL for text. Error: LP_INPUT_ERROR_USAGE. */
gboolean lp_format_parse(const char *text, LpFormat *out_format,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** @text: an LpExport's name, or NULL for LP_N_EXPORTS. @format: what stands behind --format, which
 * may not be given, too. Error: LP_INPUT_ERROR_USAGE. */
gboolean lp_export_parse(const char *text, const char *format, guint *out_export,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** The index of @text among @names, @fallback if it is NULL. Error: LP_INPUT_ERROR_USAGE that names
 * @option. */
gboolean lp_option_choice(const char *option, const char *text, const char *const *names,
                          guint fallback, guint *out_index,
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** The whole number that @text is, from @minimum to @maximum, @fallback if it is NULL; both at most
 * G_MAXUINT. @option: without dashes. Error: LP_INPUT_ERROR_USAGE that names @option. */
gboolean lp_option_count(const char *option, const char *text, guint64 minimum, guint64 maximum,
                         guint64 fallback, guint *out_count,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** Prints a result on stdout, whole. */
gboolean lp_print_result(const char *text, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Prints @node on stdout as lp_json_print() does. @node: (transfer full). Error:
 * LP_INPUT_ERROR_FILE. */
gboolean lp_print_json(json_t *node, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** Prints @table on stdout. Error: LP_INPUT_ERROR_FILE. */
gboolean lp_print_table(const LpTextTable *table, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** Seconds on a clock that never goes back. */
double lp_wall_clock_s(void);
/** Peak resident memory of this process. */
guint64 lp_peak_rss_bytes(void);

G_END_DECLS
