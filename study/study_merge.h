/* SPDX-License-Identifier: Apache-2.0 */
/* Puts what several stores have into one. */
#pragma once

#include "study/study_store.h"

G_BEGIN_DECLS

/** Adds what the store at @path has and @store has not: studies, points, results. Doing so again
 * changes nothing. Errors: LP_INPUT_ERROR_FILE; nothing of @path is taken over then. */
gboolean lp_study_merge(LpStudyStore *store, const char *path,
                        GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
