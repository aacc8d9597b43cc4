/* SPDX-License-Identifier: Apache-2.0 */
/* Reads collective algorithms from files of steps. */
#pragma once

#include "model/plan/step_list.h"

G_BEGIN_DECLS

/** Whether @text, which stands where algorithms are named, is the name of such a file. */
gboolean lp_step_file_is_named(const char *text);
/** Reads and checks the file at @path. Its lists are kept for good, so that algorithms can be
 * copied; a file that was read before is the same if its text is. Errors: LP_INPUT_ERROR,
 * "FILE:LINE: got, wanted". */
gboolean lp_step_file_load(const char *path, LpAlgorithms *out_algorithms,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
