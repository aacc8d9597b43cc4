/* SPDX-License-Identifier: Apache-2.0 */
/* What "lightpath sweep" does with a store beside running points. */
#pragma once

#include "study/study_store.h"

G_BEGIN_DECLS

/** "merge STORE PART...". */
gboolean lp_sweep_merge(int argc, char **argv, GError **error);
/** "export STORE". */
gboolean lp_sweep_export(int argc, char **argv, GError **error);

/** Prints the points of @study as @format, "csv" or "json". Errors: LP_INPUT_ERROR_FILE. */
gboolean lp_sweep_store_print(LpStudyStore *store, gint64 study, const char *format,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** The message of the first point of @study in @state. Errors: LP_INPUT_ERROR_FILE. @out_message:
 * (transfer full). */
gboolean lp_sweep_store_message(LpStudyStore *store, gint64 study, const char *state,
                                char **out_message, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Whether each key that @study records is in some result of it, which is @number in @store.
 * Errors: LP_INPUT_ERROR_NAME, "FILE:LINE: got, wanted". */
gboolean lp_sweep_store_check_records(LpStudyStore *store, gint64 number, const LpStudy *study,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
