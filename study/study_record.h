/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of results: "simulated.terms_s.tp", members of arrays by number. */
#pragma once

#include "base/json.h"
#include "study/study.h"

G_BEGIN_DECLS

/** What stands at @key of @document, or NULL. Borrowed. */
const json_t *lp_study_record_find(const json_t *document, const char *key);
/** The whole text of a result that @study keeps. @text: the result. Errors: LP_INPUT_ERROR_SYNTAX
 * where it is no JSON. Returns: (transfer full). */
char *lp_study_record_keep(const LpStudy *study, const char *text,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
