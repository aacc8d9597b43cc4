/* SPDX-License-Identifier: Apache-2.0 */
/* One point of a study, as the command that it is. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** LpChildWork of lp_study_run(): runs the command line of @data, words without the program's name,
 * NULL-ended, and leaves the JSON that it prints. Errors: the command's. */
gboolean lp_study_point_run(const void *data, GByteArray *result, GError **error);
/** Reads once what all points need, so that their processes find it in memory: shipped files and
 * schemas. @words: of a point. */
void lp_study_point_warm(const char *const *words);
/** LpStudyMachineOptions of lp_study_space_new(). */
char *lp_study_point_machine_options(const char *name, GError **error);

G_END_DECLS
