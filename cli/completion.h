/* SPDX-License-Identifier: Apache-2.0 */
/* What can stand in the place of the last word of a command line; shells ask for it. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** What completes the last of @words, NULL-ended, behind a command's name: a line each, a tab
 * before what it means. @arguments: as the command's help has them, "WORKLOAD PLATFORM". Nothing
 * where a path is wanted: shells know files. Returns: (transfer full). */
char *lp_complete(const GOptionEntry *entries, const char *arguments, char *const *words);

/** Appends a candidate to @out if it begins with @word. @meaning: NULL: none. */
void lp_complete_add(GString *out, const char *word, const char *candidate, const char *meaning);

G_END_DECLS
