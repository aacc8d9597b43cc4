/* SPDX-License-Identifier: Apache-2.0 */
/* What a store says of a study: the same bytes for the same results, whoever ran them and when. */
#pragma once

#include "base/json.h"
#include "study/study_store.h"

G_BEGIN_DECLS

/** The study called @name in @store, the last one of those, or of all if it is NULL. Errors:
 * LP_INPUT_ERROR_NAME, with those that there are; LP_INPUT_ERROR_FILE. */
gboolean lp_study_export_find(LpStudyStore *store, const char *name, gint64 *out_study,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** A line for each point in their order: axes, records, state and message. Errors:
 * LP_INPUT_ERROR_FILE. Returns: (transfer full). */
char *lp_study_export_csv(LpStudyStore *store, gint64 study,
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** "study", "axes", "records", and "points", the first @n_most, of each "set", "recorded", "state"
 * and, where there is one, "message". Errors: LP_INPUT_ERROR_FILE. Returns: (transfer full). */
json_t *lp_study_export_json(LpStudyStore *store, gint64 study, guint n_most,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
