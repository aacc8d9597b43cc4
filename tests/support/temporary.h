/* SPDX-License-Identifier: Apache-2.0 */
/* Files written for a test. */
#pragma once

#include <glib.h>

/** Writes @length bytes (-1: up to the end) of @text to a new file whose name ends with @suffix, as
 * ".xml". Returns: (transfer full) its path. */
char *lp_temporary_with_suffix(const char *suffix, const char *text, gssize length);
/** Writes a table of measurements: lp_temporary_with_suffix(".csv", ...). */
char *lp_temporary_file(const char *text, gssize length);
/** Removes it, and frees @path. */
void lp_temporary_remove(char *path);
