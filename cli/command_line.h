/* SPDX-License-Identifier: Apache-2.0 */
/* What is looked at in a command line before GLib parses it: help, completion, and words that GLib
 * would refuse without a hint or take without a word. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** The word behind a command's name that asks for completions of the last word. */
#define LP_COMPLETE_OPTION "--complete"

/** The entry whose option @word names ("--format=json", "-o"), or NULL. @entries: ends with a NULL
 * name. @out_value: what stands behind "=", borrowed from @word, or NULL. */
const GOptionEntry *lp_command_line_find(const GOptionEntry *entries, const char *word,
                                         const char **out_value);

/** Whether an option takes its value from the word behind it if it has no "=". */
gboolean lp_command_line_takes_value(const GOptionEntry *entry);

/** Whether @words, NULL-ended, ask for help. */
gboolean lp_command_line_asks_help(char *const *words, const GOptionEntry *entries);

/** Whether @words ask for the attributes that "--set" takes: "--set help". */
gboolean lp_command_line_asks_attributes(char *const *words, const GOptionEntry *entries);

/** Refuses options that are not known, naming what was likely meant, and options given twice that
 * count once. @words: behind the command's name, NULL-ended. Error: LP_INPUT_ERROR_USAGE. */
gboolean lp_command_line_check(const char *command, char *const *words, const GOptionEntry *entries,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
