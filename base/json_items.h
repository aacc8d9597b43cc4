/* SPDX-License-Identifier: Apache-2.0 */
/* Long lists in JSON, item by item: of files that are too large to be held as a tree. */
#pragma once

#include "base/json.h"

G_BEGIN_DECLS

/** Takes item @index, from 0; @item is borrowed. Returns: FALSE: no more are wanted, and the reason
 * is in @error. */
typedef gboolean (*LpJsonItem)(json_t *item, gsize index, gpointer data, GError **error);

/**
 * Reads as lp_json_read() does, but hands the items of the list that is the member @key of the
 * object, or of the list that the text is, to @take one by one; they are not in what is returned.
 * Errors: of @take; LP_INPUT_ERROR_SYNTAX. Returns: (transfer full).
 */
json_t *lp_json_read_items(const char *path, const char *text, gsize length, const char *key,
                           LpJsonItem take, gpointer data,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
