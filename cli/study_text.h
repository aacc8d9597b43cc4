/* SPDX-License-Identifier: Apache-2.0 */
/* A study's points as a table for people. */
#pragma once

#include "study/study_store.h"

G_BEGIN_DECLS

/** Prints how far @study is and its first points. @path: of the store. Errors: LP_INPUT_ERROR_FILE.
 */
gboolean lp_study_text_print(LpStudyStore *store, gint64 study, const char *path,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
