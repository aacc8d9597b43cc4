/* SPDX-License-Identifier: Apache-2.0 */
/* Characters that are safe to print, and how messages write the others. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** Whether @c is a character of a line: no control or format character, and none of the ends of
 * lines and paragraphs that Unicode has beside "\n". */
gboolean lp_is_printable(gunichar c);

/** Appends @c to @out as "\x1b", "\u202e" or "\U000e0001". */
void lp_append_escaped(GString *out, gunichar c);

G_END_DECLS
