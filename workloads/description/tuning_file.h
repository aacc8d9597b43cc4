/* SPDX-License-Identifier: Apache-2.0 */
/* Which library runs what, as a file. */
#pragma once

#include "model/plan/plan_options.h"

G_BEGIN_DECLS

/** Whether @text, which a plan gives of its library, names such a file: it ends in ".xml". */
gboolean lp_tuning_file_is_named(const char *text);
/** What the file at @path says, as plans have it in words (lp_text_library). Errors:
 * LP_INPUT_ERROR, "FILE:LINE: got, wanted". Returns: (transfer full). */
char *lp_tuning_file_read(const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** A tuning file with the choices of @said, found for @machine and @workload (names; the latter may
 * be NULL). Returns: (transfer full). */
char *lp_tuning_file_write(const LpPlanLibrary *said, const char *machine, const char *workload);

G_END_DECLS
