/* SPDX-License-Identifier: Apache-2.0 */
/* The files of this folder that are part of the program: templates, styles and scripts of pages. */
#pragma once

#include "base/json.h"

G_BEGIN_DECLS

/** Appends the file @name to @text. That there is one is the program's own affair. */
void lp_embedded_append(GString *text, const char *name);
/** The JSON in the file @name. Returns: (transfer full). */
json_t *lp_embedded_json(const char *name);

G_END_DECLS
