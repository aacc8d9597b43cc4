/* SPDX-License-Identifier: Apache-2.0 */
/* What the process may use: a stack that is too small, found before main() begins, or memory that
 * comes to an end, is an error of one line and no crash. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** Checks the limit of memory, and has whoever finds none left (GLib, the engine) end the process
 * with one line and exit status 1. Errors: LP_INPUT_ERROR_VALUE. */
gboolean lp_process_limits_check(GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
