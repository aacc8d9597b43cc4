/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of measurements written for a test. */
#pragma once

#include <glib.h>

/** Writes @length bytes (-1: up to the end) of @text to a new file. Returns: (transfer full) its
 * path. */
char *lp_temporary_file(const char *text, gssize length);
/** Removes it, and frees @path. */
void lp_temporary_remove(char *path);
