/* SPDX-License-Identifier: Apache-2.0 */
/* What a command prints, kept in memory: for a process that runs it for another one. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** From here on, standard output of this process goes to a file in memory, and what is said beside
 * it, as by a crashing engine, nowhere. Errors: LP_INPUT_ERROR_FILE. Returns: the file, which stays
 * open; -1. */
int lp_command_output_begin(GError **error);
/** Appends what was printed since lp_command_output_begin() gave @output. Errors:
 * LP_INPUT_ERROR_FILE. */
gboolean lp_command_output_take(int output, GByteArray *result,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
