/* SPDX-License-Identifier: Apache-2.0 */
/* What is said where a system stands for a machine. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** Refuses a system where @arguments, as help has them, name a PLATFORM, with the command line that
 * makes a machine of it that holds the plan. @program: "lightpath simulate". @entries: read, for
 * "--set". @argv: NULL-ended, arguments from the second on. @words: all words behind the command's
 * name, as they were given. Error: LP_INPUT_ERROR_NAME. */
gboolean lp_system_hint_check(const char *program, const char *arguments,
                              const GOptionEntry *entries, char *const *argv, char *const *words,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
