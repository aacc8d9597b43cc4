/* SPDX-License-Identifier: Apache-2.0 */
/* Programs "lightpath serve" that run commands, one for each call under way. Internal: api/ only.
 */
#pragma once

#include "lightpath.h"

#include <glib.h>

G_BEGIN_DECLS

/** Runs @arguments (NULL-ended, without the program's name) and waits. @progress: NULL: nobody is
 * told. @out_error: one line. Returns: what the command prints, for g_free(), or NULL. */
char *lp_server_run(const char *const *arguments, LpProgressFunction progress, void *data,
                    char **out_error);
/** Whether @setting, "tp=8", is one by itself. @out_error: one line, without the setting. */
gboolean lp_server_check_setting(const char *setting, char **out_error);

/** Sets *@out_error, unless @out_error is NULL, to @message. @message: (transfer full). */
void lp_server_fail(char **out_error, char *message);

/** @text as messages show it: a line of printable characters, cut where it is long. Returns: for
 * g_free(). */
char *lp_server_shown(const char *text);

G_END_DECLS
