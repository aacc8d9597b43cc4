/* SPDX-License-Identifier: Apache-2.0 */
/* Colours, where a terminal has them and nobody forbids them (https://no-color.org). */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** Whether what is written to @fd may be coloured. */
gboolean lp_colour_is_wanted(int fd);

/** @text as a terminal shows it: headings of tables bold, warnings yellow. Returns: (transfer
 * full). */
char *lp_colour_result(const char *text);

/** What stands before and behind the program's name in an error, or "". Static. */
const char *lp_colour_error_begin(void);
const char *lp_colour_error_end(void);

G_END_DECLS
